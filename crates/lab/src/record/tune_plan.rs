//! The plan of a tuning and its parameters, as `tune.toml` and parameter files have them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mendel_arena::{Adjudication, Pace, Patience, SprtPlan};
use mendel_evolve::tuners::{MOST_CHOICES, TunerPlan};
use serde::{Deserialize, Serialize};

/// `tune.toml`: everything that decides which games are played. The same plan gives
/// the same tuning where the pace is one of nodes or depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TunePlan {
    pub version: String,
    /// The engine as it starts, as on the command line but with absolute paths.
    pub engine: String,
    /// A hash of its program or player file, where that can be read; part of the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_hash: Option<String>,
    pub seed: u64,
    /// Games in all before the proof: those of the tuner and of the validations.
    pub games: u64,
    /// How many times the proposal of the moment meets the start.
    pub validations: u32,
    pub validation_games: u64,
    /// The most games of the proof, unless others are requested when it is played.
    pub proof_games: u64,
    /// Pairs that a round of the tuner should have at least.
    pub batch: u32,
    /// A file of openings; without it the program's own book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<PathBuf>,
    /// A hash of that file; part of the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings_hash: Option<String>,
    pub pace: Pace,
    pub sprt: SprtPlan,
    pub patience: Patience,
    pub adjudication: Adjudication,
    pub tuner: TunerPlan,
    #[serde(rename = "param")]
    pub params: Vec<Param>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Aside>,
    /// Where the engine failed before the first game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub infeasible: Vec<Infeasible>,
    #[serde(default, rename = "limit", skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
}

/// The bounds that the engine itself has for an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub name: String,
    pub low: i64,
    pub high: i64,
}

/// An option that is tuned. All values are whole numbers: a switch is 0 or 1, a word
/// its place among the words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Row", into = "Row")]
pub struct Param {
    /// The option, as the engine spells it.
    pub name: String,
    pub kind: ParamKind,
    pub start: i64,
    pub low: i64,
    pub high: i64,
    pub step: f64,
    /// The words of a combo, in their order.
    pub values: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParamKind {
    #[default]
    Spin,
    Check,
    Combo,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aside {
    pub name: String,
    pub reason: String,
}

/// Values at which the engine fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Infeasible {
    /// The values, as `Name=Value&Name=Value`.
    pub options: String,
    pub reason: String,
}

/// A parameter as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    kind: ParamKind,
    start: Setting,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    low: Option<Whole>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    high: Option<Whole>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<Size>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a whole number")]
enum Whole {
    Number(i64),
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a number")]
enum Size {
    Number(f64),
    Whole(i64),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "must be a whole number, true or false, or one of the values in quotes"
)]
enum Setting {
    Switch(bool),
    Number(i64),
    Word(String),
}

/// The default step: a twentieth of the way between the bounds.
pub(crate) fn usual_step(width: f64) -> f64 {
    libm::round(width / 20.0).max(1.0)
}

impl TryFrom<Row> for Param {
    type Error = String;

    fn try_from(row: Row) -> Result<Self, String> {
        let name = &row.name;
        let only_spin = row.low.is_some() || row.high.is_some();
        let (start, low, high) = match (row.kind, &row.start) {
            (ParamKind::Spin, Setting::Number(start)) => {
                let (Some(Whole::Number(low)), Some(Whole::Number(high))) = (row.low, row.high)
                else {
                    return Err(format!("`{name}` needs `low` and `high`"));
                };
                (*start, low, high)
            }
            (ParamKind::Check, Setting::Switch(start)) => (i64::from(*start), 0, 1),
            (ParamKind::Combo, Setting::Word(word)) => {
                let Some(start) = row.values.iter().position(|it| it == word) else {
                    return Err(format!("`{name}` starts at `{word}`, not among its values"));
                };
                (start as i64, 0, row.values.len() as i64 - 1)
            }
            (kind, _) => {
                let start = match kind {
                    ParamKind::Spin => "a whole number",
                    ParamKind::Check => "true or false",
                    ParamKind::Combo => "one of its values in quotes",
                };
                return Err(format!("`start` of `{name}` must be {start}"));
            }
        };
        let require = |holds: bool, reason: String| {
            let refused = format!("`{name}` {reason}");
            if holds { Ok(()) } else { Err(refused) }
        };
        let (is_spin, is_combo) = (row.kind == ParamKind::Spin, row.kind == ParamKind::Combo);
        let bounds = "has no bounds: only a spin has";
        require(is_spin || !only_spin, bounds.to_owned())?;
        let count = row.values.len();
        let values = "has no values: only a combo has";
        require(is_combo || count == 0, values.to_owned())?;
        let most = format!("has {count} values; {MOST_CHOICES} are the most");
        require(count <= MOST_CHOICES, most)?;
        let mut seen = BTreeSet::new();
        for word in &row.values {
            let twice = format!("has the value `{word}` twice");
            require(seen.insert(word), twice)?;
        }
        let bounds = format!("has the bounds {low} and {high}, which must rise");
        require(low < high, bounds)?;
        let outside = format!("starts at {start}, outside {low} to {high}");
        require((low..=high).contains(&start), outside)?;
        let width = high as f64 - low as f64;
        let usual = if is_spin { usual_step(width) } else { 1.0 };
        let step = match row.step {
            None => usual,
            Some(Size::Number(step)) => step,
            Some(Size::Whole(step)) => step as f64,
        };
        let reason = format!("has the step {step}; it must be above 0 and at most {width}");
        require(step > 0.0 && step <= width, reason)?;
        Ok(Self {
            name: row.name,
            kind: row.kind,
            start,
            low,
            high,
            step,
            values: row.values,
        })
    }
}

impl From<Param> for Row {
    fn from(param: Param) -> Self {
        let is_spin = param.kind == ParamKind::Spin;
        Self {
            start: match param.kind {
                ParamKind::Spin => Setting::Number(param.start),
                ParamKind::Check => Setting::Switch(param.start != 0),
                ParamKind::Combo => Setting::Word(param.text(param.start)),
            },
            name: param.name,
            kind: param.kind,
            low: is_spin.then_some(Whole::Number(param.low)),
            high: is_spin.then_some(Whole::Number(param.high)),
            step: is_spin.then_some(Size::Number(param.step)),
            values: param.values,
        }
    }
}
