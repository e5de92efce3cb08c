//! The figures of a pipeline that stand beside published ones.

use super::agreement::Agreement;
use super::judgement::Judgement;
use super::record::{Bred, Output, Pipeline, Played, Step};
use crate::proof::Measured;
use crate::sweep::mean_and_interval;

/// Which figure of ours a recipe means by `ours`: `seconds`, `STEP: FIGURE`,
/// `STEP: PLAYER: FIGURE` or `STEP: FIRST - SECOND: FIGURE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Figure {
    /// The step; none for the whole pipeline.
    step: Option<String>,
    /// Whom it is about: none for runs, a player, or two.
    who: Vec<String>,
    what: String,
}

/// A figure, and where it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) value: Option<f64>,
    pub(crate) interval: Option<[Option<f64>; 2]>,
    pub(crate) is_elo: bool,
}

/// Figures of the runs of a step.
const OF_RUNS: [&str; 9] = [
    "training.parent",
    "training.champion",
    "training.gain",
    "holdout.parent",
    "holdout.champion",
    "holdout.gain",
    "match.parent.elo",
    "match.parent.games",
    "seconds",
];
/// Figures of a player of a match.
const OF_PLAYERS: [&str; 23] = [
    // In a match.
    "elo",
    "score",
    "points",
    "draws",
    "accuracy",
    "games",
    "wins-per-loss",
    // Of moves that are known.
    "right",
    "share",
    "from",
    "to",
    "pawns",
    "rooks",
    "knights",
    "bishops",
    "queens",
    "kings",
    "opening",
    "middle game",
    "ending",
    "positions",
    // Of scores beside an expert's; the parts of the game are correlations then.
    "correlation",
    "error",
];
/// Figures of two players of a match.
const OF_PAIRS: [&str; 3] = ["elo", "score", "games"];

impl Figure {
    /// Reads the words of a recipe; says what would be right.
    pub(crate) fn parse(text: &str, steps: &[&str]) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(": ").map(str::trim).collect();
        let (step, who, what, known): (_, Vec<&str>, _, &[&str]) = match parts[..] {
            [what] => (None, vec![], what, &["seconds"]),
            [step, what] => (Some(step), vec![], what, &OF_RUNS),
            [step, who, what] => {
                let who: Vec<&str> = who.split(" - ").map(str::trim).collect();
                let known: &[&str] = if who.len() == 1 {
                    &OF_PLAYERS
                } else {
                    &OF_PAIRS
                };
                (Some(step), who, what, known)
            }
            _ => return Err(format!("`{text}` means nothing; {FORMS}")),
        };
        if let Some(step) = step.filter(|step| !steps.contains(step)) {
            let names = steps.join("`, `");
            return Err(format!("there is no step `{step}`; there are `{names}`"));
        }
        if !known.contains(&what) || who.len() > 2 {
            let names = known.join("`, `");
            return Err(format!(
                "`{what}` means nothing there; use `{names}`, or {FORMS}"
            ));
        }
        Ok(Self {
            step: step.map(str::to_owned),
            who: who.into_iter().map(str::to_owned).collect(),
            what: what.to_owned(),
        })
    }

    /// The figure in what came out; `seconds` gives the time of a step.
    pub(crate) fn find(&self, state: &Pipeline, seconds: &dyn Fn(&Step) -> Option<f64>) -> Found {
        let Some(name) = &self.step else {
            let steps = state.steps.iter().filter_map(seconds);
            return Found {
                value: Some(steps.sum()),
                ..Found::default()
            };
        };
        // Of a step in several rounds the last counts.
        let step = state.steps.iter().rev().find(|step| step.name == *name);
        let Some(step) = step else {
            return Found::default();
        };
        if self.what == "seconds" {
            return Found {
                value: seconds(step),
                ..Found::default()
            };
        }
        match &step.result {
            Some(Output::Runs(runs)) => self.of_runs(&runs.runs),
            Some(Output::Match(played)) => self.of_match(played),
            Some(Output::Agreement(agreement)) => self.of_agreement(agreement),
            Some(Output::Judgement(judgement)) => self.of_judgement(judgement),
            Some(Output::Data(_) | Output::Network(_) | Output::Chance(_)) | None => {
                Found::default()
            }
        }
    }

    /// Of one run its figure, of several their mean.
    fn of_runs(&self, runs: &[Bred]) -> Found {
        let is_elo = self.what == "match.parent.elo";
        if let ([run], true) = (runs, is_elo) {
            return Found {
                value: run.elo,
                interval: run.interval,
                is_elo,
            };
        }
        let one = |run: &Bred| -> Option<f64> {
            match self.what.split_once('.')? {
                ("training", what) => measured(run, run.training.as_ref()?, what),
                ("holdout", what) => measured(run, run.holdout.as_ref()?, what),
                ("match", "parent.elo") => run.elo,
                _ => run.games.map(|games| games as f64),
            }
        };
        let values: Vec<f64> = runs.iter().filter_map(one).collect();
        let (mean, interval) = mean_and_interval(&values);
        Found {
            value: (!values.is_empty()).then_some(mean),
            interval: interval.map(|ends| ends.map(Some)),
            is_elo,
        }
    }

    fn of_match(&self, played: &Played) -> Found {
        // A number is a place in the list of players, from 1.
        let name = |word: &String| -> String {
            let place = word.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
            let named = place.and_then(|place| played.players.get(place));
            named.unwrap_or(word).clone()
        };
        match &self.who[..] {
            [who] => {
                let name = name(who);
                let found = played.standings.iter().find(|it| it.player == name);
                let Some(it) = found else {
                    return Found::default();
                };
                if self.what == "wins-per-loss" {
                    return wins_per_loss(played, &name);
                }
                let (value, error) = match self.what.as_str() {
                    "elo" => (it.elo, it.error),
                    "score" => (it.score, None),
                    "points" => (it.points(), None),
                    "draws" => (it.draws, None),
                    "accuracy" => (it.accuracy, None),
                    "games" => (Some(it.games as f64), None),
                    _ => (None, None),
                };
                let ends = value.zip(error);
                Found {
                    value,
                    interval: ends.map(|(it, error)| [Some(it - error), Some(it + error)]),
                    is_elo: self.what == "elo",
                }
            }
            [first, second] => self.of_pair(played, &name(first), &name(second)),
            _ => Found::default(),
        }
    }

    fn of_agreement(&self, agreement: &Agreement) -> Found {
        let [who] = &self.who[..] else {
            return Found::default();
        };
        let place = who.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
        let placed = place.and_then(|place| agreement.players.get(place));
        let mut named = agreement.players.iter();
        let Some(it) = placed.or_else(|| named.find(|it| it.player == *who)) else {
            return Found::default();
        };
        let plain = |value: Option<f64>| Found {
            value,
            ..Found::default()
        };
        let whole = |value: u64| plain(Some(value as f64));
        match self.what.as_str() {
            "right" => whole(it.all.right),
            "positions" => whole(it.all.positions),
            "from" => plain(it.all.from_share()),
            "to" => plain(it.all.to_share()),
            "share" => Found {
                value: it.all.share(),
                interval: it.all.interval().map(|ends| ends.map(Some)),
                is_elo: false,
            },
            name => {
                let piece = it.pieces.iter().find(|part| part.name == name);
                let phase = it.phases.iter().find(|part| part.name == name);
                let piece = piece.and_then(|part| part.tally.to_share());
                plain(piece.or_else(|| phase?.tally.share()))
            }
        }
    }

    fn of_judgement(&self, judgement: &Judgement) -> Found {
        let who = self.who.first();
        let found = who.and_then(|who| judgement.players.iter().find(|it| it.player == *who));
        let Some(it) = found else {
            return Found::default();
        };
        let near = match self.what.as_str() {
            "correlation" | "error" => Some(&it.all),
            name => it.phases.iter().find(|it| it.name == name),
        };
        let Some(near) = near else {
            return Found::default();
        };
        if self.what == "error" {
            return Found {
                value: near.error,
                ..Found::default()
            };
        }
        Found {
            value: near.correlation,
            interval: near.interval.map(|ends| ends.map(Some)),
            is_elo: false,
        }
    }

    fn of_pair(&self, played: &Played, first: &str, second: &str) -> Found {
        for it in &played.pairings {
            let sign = match (it.first.as_str(), it.second.as_str()) {
                pair if pair == (first, second) => 1.0,
                pair if pair == (second, first) => -1.0,
                _ => continue,
            };
            let games = it.games() as f64;
            let lead = sign * (it.wins as f64 - it.losses as f64);
            let [low, high] = it.interval.map(|end| end.map(|end| sign * end));
            return match self.what.as_str() {
                "elo" => Found {
                    value: it.elo.map(|elo| sign * elo),
                    interval: Some(if sign > 0.0 { [low, high] } else { [high, low] }),
                    is_elo: true,
                },
                "score" => Found {
                    value: (games > 0.0).then(|| 50.0 + 50.0 * lead / games),
                    ..Found::default()
                },
                _ => Found {
                    value: Some(games),
                    ..Found::default()
                },
            };
        }
        Found::default()
    }
}

/// How many games a player won for each that it lost, with a 95 % interval.
///
/// # Source
///
/// The jackknife of Tukey, "Bias and Confidence in Not-Quite Large Samples", *Annals of
/// Mathematical Statistics* 29, 1958: the spread of the logarithm is that of what it
/// would be without each opponent in turn, because games with one opponent are alike.
///
/// # Where this differs
///
/// Half a game is added to wins and to losses in the logarithm, so that it is finite
/// also where one of both is 0. Against one opponent there is no interval.
fn wins_per_loss(played: &Played, name: &str) -> Found {
    let met: Vec<(f64, f64)> = played
        .pairings
        .iter()
        .filter_map(|it| match () {
            () if it.first == name => Some((it.wins as f64, it.losses as f64)),
            () if it.second == name => Some((it.losses as f64, it.wins as f64)),
            () => None,
        })
        .collect();
    let (wins, losses) = met
        .iter()
        .fold((0.0, 0.0), |all, it| (all.0 + it.0, all.1 + it.1));
    let ratio = |wins: f64, losses: f64| libm::log((wins + 0.5) / (losses + 0.5));
    let count = met.len() as f64;
    let whole = ratio(wins, losses);
    let without = met.iter().map(|it| ratio(wins - it.0, losses - it.1));
    let without: Vec<f64> = without.collect();
    let mean = without.iter().sum::<f64>() / count;
    let spread: f64 = without.iter().map(|it| (it - mean) * (it - mean)).sum();
    let error = 1.96 * libm::sqrt(spread * (count - 1.0) / count);
    let ends = [whole - error, whole + error].map(|end| Some(libm::exp(end)));
    Found {
        value: (wins + losses > 0.0).then(|| libm::exp(whole)),
        interval: (met.len() > 1 && wins + losses > 0.0).then_some(ends),
        is_elo: false,
    }
}

const FORMS: &str = "write `seconds`, `STEP: training.champion`, `STEP: PLAYER: score` or `STEP: FIRST - SECOND: elo`";

fn measured(run: &Bred, it: &Measured, what: &str) -> Option<f64> {
    let gain = if run.smaller_is_better {
        it.parent - it.champion
    } else {
        it.champion - it.parent
    };
    match what {
        "parent" => Some(it.parent),
        "champion" => Some(it.champion),
        "gain" => Some(gain),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::record::Pairing;

    #[test]
    fn a_figure_is_refused_with_what_would_be_right() {
        let steps = ["games", "runs"];
        for right in [
            "seconds",
            "runs: training.champion",
            "games: mendel: score",
            "games: a - b: elo",
        ] {
            assert!(Figure::parse(right, &steps).is_ok(), "{right}");
        }
        for (wrong, words) in [
            ("time", "`seconds`"),
            ("nobody: seconds", "there are `games`, `runs`"),
            ("runs: elo", "training.champion"),
            ("games: a: goals", "`score`"),
            ("games: a - b: accuracy", "`elo`"),
            ("a: b: c: d", "FIRST - SECOND"),
        ] {
            let error = Figure::parse(wrong, &steps).expect_err(wrong);
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }

    #[test]
    fn wins_per_loss_are_those_of_all_opponents() {
        let pairing = |second: &str, wins, losses| Pairing {
            first: "a".to_owned(),
            second: second.to_owned(),
            wins,
            draws: 2,
            losses,
            elo: None,
            interval: [None, None],
        };
        let played = Played {
            players: ["a", "b", "c", "d"].map(str::to_owned).into(),
            pairings: vec![pairing("b", 4, 1), pairing("c", 3, 0), pairing("d", 5, 2)],
            ..Played::default()
        };
        let found = wins_per_loss(&played, "a");
        assert!((found.value.expect("games") - 12.5 / 3.5).abs() < 1e-9);
        let [Some(low), Some(high)] = found.interval.expect("three opponents") else {
            panic!("an interval has two ends");
        };
        assert!(
            low < 12.5 / 3.5 && high > 12.5 / 3.5 && low > 0.0,
            "{low} {high}"
        );
        let turned = wins_per_loss(&played, "b");
        assert!((turned.value.expect("games") - 1.5 / 4.5).abs() < 1e-9);
        assert_eq!(turned.interval, None);
        assert_eq!(wins_per_loss(&Played::default(), "a").value, None);
    }

    #[test]
    fn a_pairing_seen_from_the_other_side_is_turned_round() {
        let played = Played {
            players: vec!["a".to_owned(), "b".to_owned()],
            pairings: vec![Pairing {
                first: "a".to_owned(),
                second: "b".to_owned(),
                wins: 3,
                draws: 1,
                losses: 0,
                elo: Some(100.0),
                interval: [Some(20.0), None],
            }],
            ..Played::default()
        };
        let find = |text: &str| {
            let figure = Figure::parse(text, &["x"]).expect("a figure");
            figure.of_match(&played)
        };
        assert_eq!(find("x: a - b: score").value, Some(87.5));
        assert_eq!(find("x: 2 - 1: score").value, Some(12.5));
        let turned = find("x: b - a: elo");
        assert_eq!(turned.value, Some(-100.0));
        assert_eq!(turned.interval, Some([None, Some(-20.0)]));
    }
}
