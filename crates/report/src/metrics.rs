//! The values of metrics that recipes refer to.

use mendel_arena::statistics::mean_and_interval;
use mendel_lab::recipe::MetricRef;
use mendel_lab::record::{Agreement, Bred, Judgement, Measured, Output, Pipeline, Played, Step};

/// A figure, and where it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ResolvedMetric {
    pub(crate) value: Option<f64>,
    pub(crate) interval: Option<[Option<f64>; 2]>,
    pub(crate) is_elo: bool,
    /// Whether ours is known but means something else than the published one.
    pub(crate) is_incomparable: bool,
}

/// Finds the value of a metric in the results of a pipeline; `seconds` gives the time of a step.
pub(crate) fn resolve(
    metric: &MetricRef,
    state: &Pipeline,
    seconds: &dyn Fn(&Step) -> Option<f64>,
) -> ResolvedMetric {
    let Some(name) = &metric.step else {
        let steps = state.steps.iter().filter_map(seconds);
        return ResolvedMetric {
            value: Some(steps.sum()),
            ..ResolvedMetric::default()
        };
    };
    // Of a step in several rounds the last counts.
    let step = state.steps.iter().rev().find(|step| step.name == *name);
    let Some(step) = step else {
        return ResolvedMetric::default();
    };
    if metric.what == "seconds" {
        return ResolvedMetric {
            value: seconds(step),
            ..ResolvedMetric::default()
        };
    }
    match &step.result {
        Some(Output::Runs(runs)) => of_runs(metric, &runs.runs),
        Some(Output::Match(played)) => of_match(metric, played),
        Some(Output::Agreement(agreement)) => of_agreement(metric, agreement),
        Some(Output::Judgement(judgement)) => of_judgement(metric, judgement),
        Some(Output::Data(_) | Output::Network(_) | Output::Chance(_)) | None => {
            ResolvedMetric::default()
        }
    }
}

/// Of one run its figure, of several their mean.
fn of_runs(metric: &MetricRef, runs: &[Bred]) -> ResolvedMetric {
    let is_elo = metric.what == "match.parent.elo";
    if let ([run], true) = (runs, is_elo) {
        return ResolvedMetric {
            value: run.elo,
            interval: run.interval,
            is_elo,
            ..ResolvedMetric::default()
        };
    }
    let one = |run: &Bred| -> Option<f64> {
        match metric.what.split_once('.')? {
            ("training", what) => measured(run, run.training.as_ref()?, what),
            ("holdout", what) => measured(run, run.holdout.as_ref()?, what),
            ("match", "parent.elo") => run.elo,
            _ => run.games.map(|games| games as f64),
        }
    };
    let values: Vec<f64> = runs.iter().filter_map(one).collect();
    let (mean, interval) = mean_and_interval(&values);
    ResolvedMetric {
        value: (!values.is_empty()).then_some(mean),
        interval: interval.map(|ends| ends.map(Some)),
        is_elo,
        ..ResolvedMetric::default()
    }
}

fn of_match(metric: &MetricRef, played: &Played) -> ResolvedMetric {
    // A number is a place in the list of players, from 1.
    let name = |word: &String| -> String {
        let place = word.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
        let named = place.and_then(|place| played.players.get(place));
        named.unwrap_or(word).clone()
    };
    match &metric.who[..] {
        [who] => {
            let name = name(who);
            let found = played.standings.iter().find(|it| it.player == name);
            let Some(it) = found else {
                return ResolvedMetric::default();
            };
            if metric.what == "wins-per-loss" {
                return wins_per_loss(played, &name);
            }
            if metric.what == "points" && played.incomparable.is_some() {
                return ResolvedMetric {
                    is_incomparable: true,
                    ..ResolvedMetric::default()
                };
            }
            let (value, error) = match metric.what.as_str() {
                "elo" => (it.elo, it.error),
                "score" => (it.score, None),
                "points" => (it.points(), None),
                "draws" => (it.draws, None),
                "accuracy" => (it.accuracy, None),
                "games" => (Some(it.games as f64), None),
                _ => (None, None),
            };
            let ends = value.zip(error);
            ResolvedMetric {
                value,
                interval: ends.map(|(it, error)| [Some(it - error), Some(it + error)]),
                is_elo: metric.what == "elo",
                ..ResolvedMetric::default()
            }
        }
        [first, second] => of_pair(metric, played, &name(first), &name(second)),
        _ => ResolvedMetric::default(),
    }
}

fn of_agreement(metric: &MetricRef, agreement: &Agreement) -> ResolvedMetric {
    let [who] = &metric.who[..] else {
        return ResolvedMetric::default();
    };
    let place = who.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
    let placed = place.and_then(|place| agreement.players.get(place));
    let mut named = agreement.players.iter();
    let Some(it) = placed.or_else(|| named.find(|it| it.player == *who)) else {
        return ResolvedMetric::default();
    };
    let plain = |value: Option<f64>| ResolvedMetric {
        value,
        ..ResolvedMetric::default()
    };
    let whole = |value: u64| plain(Some(value as f64));
    match metric.what.as_str() {
        "right" => whole(it.all.right),
        "positions" => whole(it.all.positions),
        "from" => plain(it.all.from_share()),
        "to" => plain(it.all.to_share()),
        "share" => ResolvedMetric {
            value: it.all.share(),
            interval: it.all.interval().map(|ends| ends.map(Some)),
            ..ResolvedMetric::default()
        },
        name => {
            let piece = it.pieces.iter().find(|part| part.name == name);
            let phase = it.phases.iter().find(|part| part.name == name);
            let piece = piece.and_then(|part| part.tally.to_share());
            plain(piece.or_else(|| phase?.tally.share()))
        }
    }
}

fn of_judgement(metric: &MetricRef, judgement: &Judgement) -> ResolvedMetric {
    let who = metric.who.first();
    let found = who.and_then(|who| judgement.players.iter().find(|it| it.player == *who));
    let Some(it) = found else {
        return ResolvedMetric::default();
    };
    let near = match metric.what.as_str() {
        "correlation" | "error" => Some(&it.all),
        name => it.phases.iter().find(|it| it.name == name),
    };
    let Some(near) = near else {
        return ResolvedMetric::default();
    };
    if metric.what == "error" {
        return ResolvedMetric {
            value: near.error,
            ..ResolvedMetric::default()
        };
    }
    ResolvedMetric {
        value: near.correlation,
        interval: near.interval.map(|ends| ends.map(Some)),
        ..ResolvedMetric::default()
    }
}

fn of_pair(metric: &MetricRef, played: &Played, first: &str, second: &str) -> ResolvedMetric {
    for it in &played.pairings {
        let sign = match (it.first.as_str(), it.second.as_str()) {
            pair if pair == (first, second) => 1.0,
            pair if pair == (second, first) => -1.0,
            _ => continue,
        };
        let games = it.games() as f64;
        let lead = sign * (it.wins as f64 - it.losses as f64);
        let [low, high] = it.interval.map(|end| end.map(|end| sign * end));
        return match metric.what.as_str() {
            "elo" => ResolvedMetric {
                value: it.elo.map(|elo| sign * elo),
                interval: Some(if sign > 0.0 { [low, high] } else { [high, low] }),
                is_elo: true,
                ..ResolvedMetric::default()
            },
            "score" => ResolvedMetric {
                value: (games > 0.0).then(|| 50.0 + 50.0 * lead / games),
                ..ResolvedMetric::default()
            },
            _ => ResolvedMetric {
                value: Some(games),
                ..ResolvedMetric::default()
            },
        };
    }
    ResolvedMetric::default()
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
fn wins_per_loss(played: &Played, name: &str) -> ResolvedMetric {
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
    ResolvedMetric {
        value: (wins + losses > 0.0).then(|| libm::exp(whole)),
        interval: (met.len() > 1 && wins + losses > 0.0).then_some(ends),
        ..ResolvedMetric::default()
    }
}

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
    use mendel_lab::record::Pairing;

    use super::*;

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
            let figure = MetricRef::parse(text, &["x"]).expect("a figure");
            of_match(&figure, &played)
        };
        assert_eq!(find("x: a - b: score").value, Some(87.5));
        assert_eq!(find("x: 2 - 1: score").value, Some(12.5));
        let turned = find("x: b - a: elo");
        assert_eq!(turned.value, Some(-100.0));
        assert_eq!(turned.interval, Some([None, Some(-20.0)]));
    }
}
