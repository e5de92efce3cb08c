//! Our values of the metrics that recipes compare with published figures.

use mendel_arena::statistics::mean_and_interval;
use mendel_lab::recipe::{Figure, MetricRef, Paper, Published};
use mendel_lab::record::{
    Agreement, Bred, Judgement, Measured, Output, Pairing, Pipeline, Played, Step,
};
use serde::Serialize;

use crate::plot::number;
use crate::text::{elo, elo_interval, interval_text};

/// In place of a value of ours that means something else than the published one.
pub(crate) const NOT_COMPARABLE: &str = "not comparable";

/// A published figure with ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PaperComparison {
    pub what: String,
    pub unit: String,
    pub paper: Published,
    /// Ours, if it is known.
    pub ours: Option<f64>,
    /// The interval of ours; an end may be open.
    pub interval: Option<[Option<f64>; 2]>,
    /// Ours as text.
    pub words: String,
}

impl PaperComparison {
    /// The published value as text.
    pub fn published(&self) -> String {
        match &self.paper {
            Published::Number(value) => number(*value),
            Published::Words(words) => words.clone(),
        }
    }
}

/// A value of ours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricValue {
    pub value: Option<f64>,
    /// An end may be open.
    pub interval: Option<[Option<f64>; 2]>,
    pub is_elo: bool,
    /// Whether ours is known but means something else than the published one.
    pub is_incomparable: bool,
    /// A remark behind the value.
    pub(crate) note: String,
    /// The whole text, where it is more than a number.
    pub(crate) told: Option<String>,
}

impl MetricValue {
    pub(crate) fn plain(value: Option<f64>) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }

    pub(crate) fn between(value: Option<f64>, interval: Option<[f64; 2]>) -> Self {
        Self {
            value,
            interval: interval.map(|ends| ends.map(Some)),
            ..Self::default()
        }
    }

    pub(crate) fn elo(value: Option<f64>, interval: Option<[Option<f64>; 2]>) -> Self {
        Self {
            value,
            interval,
            is_elo: true,
            ..Self::default()
        }
    }

    fn words(&self) -> String {
        if let Some(told) = &self.told {
            return told.clone();
        }
        let mut words = vec![match self.value {
            Some(value) if self.is_elo => elo(value),
            Some(value) => number(value),
            None if self.is_incomparable => NOT_COMPARABLE.to_owned(),
            None => "–".to_owned(),
        }];
        words.extend(self.interval.map(|interval| match interval {
            [Some(low), Some(high)] if !self.is_elo => interval_text([low, high], number),
            interval => elo_interval(interval),
        }));
        if self.value.is_some() && !self.note.is_empty() {
            words.push(self.note.clone());
        }
        words.join(" ")
    }
}

/// The published figures, each with ours; `ours` returns the value of a name of a recipe.
pub(crate) fn compare(
    paper: Option<&Paper>,
    ours: impl Fn(&str) -> MetricValue,
) -> Vec<PaperComparison> {
    let figures = paper.into_iter().flat_map(|paper| &paper.figure);
    let compared = figures.map(|figure: &Figure| {
        let own = figure.ours.as_deref().map(&ours).unwrap_or_default();
        PaperComparison {
            what: figure.what.clone(),
            unit: figure.unit.clone().unwrap_or_default(),
            paper: figure.paper.clone(),
            words: own.words(),
            ours: own.value,
            interval: own.interval,
        }
    });
    compared.collect()
}

/// The difference of champion and parent; an improvement is positive, also of an error.
pub(crate) fn gain(it: &Measured, smaller_is_better: bool) -> f64 {
    if smaller_is_better {
        it.parent - it.champion
    } else {
        it.champion - it.parent
    }
}

/// Finds the value of a metric in the results of a pipeline; `seconds` gives the time of a step.
pub fn resolve(
    metric: &MetricRef,
    state: &Pipeline,
    seconds: &dyn Fn(&Step) -> Option<f64>,
) -> MetricValue {
    let Some(name) = &metric.step else {
        return MetricValue::plain(Some(state.steps.iter().filter_map(seconds).sum()));
    };
    // Of a step with several rounds the last one counts.
    let step = state.steps.iter().rev().find(|step| step.name == *name);
    let Some(step) = step else {
        return MetricValue::default();
    };
    if metric.what == "seconds" {
        return MetricValue::plain(seconds(step));
    }
    let found = match &step.result {
        Some(Output::Runs(runs)) => Some(of_runs(metric, &runs.runs)),
        Some(Output::Match(played)) => of_match(metric, played),
        Some(Output::Agreement(agreement)) => of_agreement(metric, agreement),
        Some(Output::Judgement(judgement)) => of_judgement(metric, judgement),
        Some(Output::Data(_) | Output::Network(_) | Output::Chance(_)) | None => None,
    };
    found.unwrap_or_default()
}

/// The value of one run, or the mean over several.
fn of_runs(metric: &MetricRef, runs: &[Bred]) -> MetricValue {
    let is_elo = metric.what == "match.parent.elo";
    if let ([run], true) = (runs, is_elo) {
        return MetricValue::elo(run.elo, run.interval);
    }
    let one = |run: &Bred| -> Option<f64> {
        let (on, what) = metric.what.split_once('.')?;
        let it = match (on, what) {
            ("training", _) => run.training.as_ref()?,
            ("holdout", _) => run.holdout.as_ref()?,
            (_, "parent.elo") => return run.elo,
            _ => return run.games.map(|games| games as f64),
        };
        match what {
            "parent" => Some(it.parent),
            "champion" => Some(it.champion),
            "gain" => Some(gain(it, run.smaller_is_better)),
            _ => None,
        }
    };
    let values: Vec<f64> = runs.iter().filter_map(one).collect();
    let (mean, interval) = mean_and_interval(&values);
    MetricValue {
        is_elo,
        ..MetricValue::between((!values.is_empty()).then_some(mean), interval)
    }
}

/// The player that a recipe names, or gives by its number from 1.
fn player_at<'a, T>(players: &'a [T], who: &str) -> Option<&'a T> {
    let place = who.parse::<usize>().ok()?.checked_sub(1)?;
    players.get(place)
}

fn of_match(metric: &MetricRef, played: &Played) -> Option<MetricValue> {
    let name = |who: &String| player_at(&played.players, who).unwrap_or(who).clone();
    let name = match &metric.who[..] {
        [who] => name(who),
        [first, second] => return of_pair(metric, played, &name(first), &name(second)),
        _ => return None,
    };
    let it = played.standings.iter().find(|it| it.player == name)?;
    Some(match metric.what.as_str() {
        "wins-per-loss" => wins_per_loss(played, &name),
        "points" if played.incomparable.is_some() => MetricValue {
            is_incomparable: true,
            ..MetricValue::default()
        },
        "elo" => {
            let ends = it.elo.zip(it.error);
            let interval = ends.map(|(it, error)| [Some(it - error), Some(it + error)]);
            MetricValue::elo(it.elo, interval)
        }
        "score" => MetricValue::plain(it.score),
        "points" => MetricValue::plain(it.points()),
        "draws" => MetricValue::plain(it.draws),
        "accuracy" => MetricValue::plain(it.accuracy),
        "games" => MetricValue::plain(Some(it.games as f64)),
        _ => return None,
    })
}

fn of_agreement(metric: &MetricRef, agreement: &Agreement) -> Option<MetricValue> {
    let [who] = &metric.who[..] else {
        return None;
    };
    let mut named = agreement.players.iter();
    let placed = player_at(&agreement.players, who);
    let it = placed.or_else(|| named.find(|it| it.player == *who))?;
    let value = match metric.what.as_str() {
        "share" => return Some(MetricValue::between(it.all.share(), it.all.interval())),
        "right" => Some(it.all.right as f64),
        "positions" => Some(it.all.positions as f64),
        "from" => it.all.from_share(),
        "to" => it.all.to_share(),
        name => {
            let piece = it.pieces.iter().find(|part| part.name == name);
            let phase = it.phases.iter().find(|part| part.name == name);
            let piece = piece.and_then(|part| part.tally.to_share());
            piece.or_else(|| phase?.tally.share())
        }
    };
    Some(MetricValue::plain(value))
}

fn of_judgement(metric: &MetricRef, judgement: &Judgement) -> Option<MetricValue> {
    let who = metric.who.first()?;
    let it = judgement.players.iter().find(|it| it.player == *who)?;
    let near = match metric.what.as_str() {
        "error" => return Some(MetricValue::plain(it.all.error)),
        "correlation" => &it.all,
        name => it.phases.iter().find(|it| it.name == name)?,
    };
    Some(MetricValue::between(near.correlation, near.interval))
}

/// The pairings of a player, each as that player sees it.
pub(crate) fn games_of<'a>(played: &'a Played, name: &'a str) -> impl Iterator<Item = Pairing> {
    played.pairings.iter().filter_map(move |it| match () {
        () if it.first == name => Some(it.clone()),
        () if it.second == name => Some(Pairing {
            first: it.second.clone(),
            second: it.first.clone(),
            wins: it.losses,
            losses: it.wins,
            elo: it.elo.map(|elo| -elo),
            interval: [it.interval[1], it.interval[0]].map(|end| end.map(|end| -end)),
            ..it.clone()
        }),
        () => None,
    })
}

fn of_pair(metric: &MetricRef, played: &Played, first: &str, second: &str) -> Option<MetricValue> {
    let it = games_of(played, first).find(|it| it.second == second)?;
    let games = it.games() as f64;
    let lead = it.wins as f64 - it.losses as f64;
    Some(match metric.what.as_str() {
        "elo" => MetricValue::elo(it.elo, Some(it.interval)),
        "score" => MetricValue::plain((games > 0.0).then(|| 50.0 + 50.0 * lead / games)),
        _ => MetricValue::plain(Some(games)),
    })
}

/// Games won for each game lost, with a 95 % interval.
///
/// # Source
///
/// The jackknife of Tukey, "Bias and Confidence in Not-Quite Large Samples", *Annals of
/// Mathematical Statistics* 29, 1958: the spread of the logarithm is that of its values without
/// each opponent in turn, because games with one opponent are alike.
///
/// # Where this differs
///
/// Half a game is added to wins and to losses in the logarithm, so that it is finite also where
/// one of both is 0. Against one opponent there is no interval.
fn wins_per_loss(played: &Played, name: &str) -> MetricValue {
    let met = games_of(played, name).map(|it| (it.wins as f64, it.losses as f64));
    let met: Vec<(f64, f64)> = met.collect();
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
    let ends = [whole - error, whole + error].map(libm::exp);
    let is_known = wins + losses > 0.0;
    MetricValue::between(
        is_known.then(|| libm::exp(whole)),
        (met.len() > 1 && is_known).then_some(ends),
    )
}
