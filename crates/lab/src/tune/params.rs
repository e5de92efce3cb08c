//! What is tuned: the parameters, and the file that people edit.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mendel_engine::uci::{OptionKind, OptionLine};
use mendel_evolve::Bounds;
use mendel_evolve::tuners::MOST_CHOICES;
use serde::{Deserialize, Serialize};

use super::TuneError;

/// An option that is tuned. All values are whole numbers: a switch is 0 or 1, a word
/// its place among the words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Row", into = "Row")]
pub struct Param {
    /// The option, as the engine spells it.
    pub name: String,
    /// What kind of option it is.
    pub kind: ParamKind,
    /// Where it starts.
    pub start: i64,
    /// The least value that is tried.
    pub low: i64,
    /// The largest value that is tried.
    pub high: i64,
    /// A change that is worth trying.
    pub step: f64,
    /// The words of a combo, in their order.
    pub values: Vec<String>,
}

/// The kinds of options that can be tuned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParamKind {
    /// A whole number.
    #[default]
    Spin,
    /// On or off.
    Check,
    /// One of some words.
    Combo,
}

/// An option that is not tuned, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aside {
    /// The option.
    pub name: String,
    /// Why it is not tuned.
    pub reason: String,
}

/// Values at which the engine fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Infeasible {
    /// The values, as `Name=Value&Name=Value`.
    pub options: String,
    /// How it fails.
    pub reason: String,
}

/// The parameter file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamFile {
    /// What is tuned.
    #[serde(default, rename = "param")]
    pub params: Vec<Param>,
    /// What is not, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Aside>,
    /// Where the engine fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub infeasible: Vec<Infeasible>,
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

/// A bound as people write it.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a whole number")]
enum Whole {
    Number(i64),
}

/// A step as people write it.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a number")]
enum Size {
    Number(f64),
    Whole(i64),
}

/// A value as people write it.
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

/// Ranges wider than this are no statement about sensible values.
const WIDEST: i64 = 10_000;

/// The step where nobody knows a better one: a twentieth of the way between the bounds.
fn usual_step(width: f64) -> f64 {
    libm::round(width / 20.0).max(1.0)
}

impl Param {
    /// The parameter of an option, from its present value and over its whole range;
    /// `None` if there is nothing to choose.
    pub fn of(option: &OptionLine) -> Option<Self> {
        let param = |kind, start, low, high, values| Self {
            name: option.name.clone(),
            kind,
            start,
            low,
            high,
            step: 1.0,
            values,
        };
        let param = match &option.kind {
            OptionKind::Check { default } => {
                param(ParamKind::Check, i64::from(*default), 0, 1, Vec::new())
            }
            OptionKind::Spin { default, min, max } => {
                let (mut low, mut high) = (*min, *max);
                if high.saturating_sub(low) > WIDEST {
                    let reach = default.saturating_abs().max(25).saturating_mul(4);
                    low = low.max(default.saturating_sub(reach));
                    high = high.min(default.saturating_add(reach));
                }
                let start = (*default).max(low).min(high);
                let mut param = param(ParamKind::Spin, start, low, high, Vec::new());
                param.step = usual_step(param.width());
                param
            }
            OptionKind::Combo { default, vars } => {
                let mut seen = BTreeSet::new();
                let mut vars = vars.clone();
                vars.retain(|word| seen.insert(word.clone()));
                let start = vars.iter().position(|it| it.eq_ignore_ascii_case(default));
                let (start, last) = (start.unwrap_or(0) as i64, vars.len() as i64 - 1);
                param(ParamKind::Combo, start, 0, last, vars)
            }
            OptionKind::Button | OptionKind::Text { .. } => return None,
        };
        let too_many = param.kind == ParamKind::Combo && param.values.len() > MOST_CHOICES;
        (param.low < param.high && !too_many).then_some(param)
    }

    /// How far apart its bounds are.
    pub fn width(&self) -> f64 {
        self.high as f64 - self.low as f64
    }

    /// The value that can be set nearest to `value`.
    pub fn nearest(&self, value: f64) -> i64 {
        let value = if value.is_nan() {
            self.start as f64
        } else {
            value
        };
        // Not `clamp`, which panics where bounds were tampered with.
        (libm::rint(value) as i64).max(self.low).min(self.high)
    }

    /// A value as the engine is told.
    pub fn text(&self, value: i64) -> String {
        match self.kind {
            ParamKind::Spin => value.to_string(),
            ParamKind::Check => (value != 0).to_string(),
            ParamKind::Combo => {
                let word = usize::try_from(value)
                    .ok()
                    .and_then(|at| self.values.get(at));
                word.cloned().unwrap_or_default()
            }
        }
    }

    /// What a tuner knows of it.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            name: self.name.clone(),
            low: self.low as f64,
            high: self.high as f64,
            start: self.start as f64,
            step: Some(self.step),
        }
    }

    /// Whether the engine can be given all its values.
    fn check(&self, origin: &str, offers: &[OptionLine]) -> Result<(), TuneError> {
        let refuse = |reason: String| {
            Err(TuneError::Param {
                origin: origin.to_owned(),
                name: self.name.clone(),
                reason,
            })
        };
        let Some(option) = offers
            .iter()
            .find(|it| it.name.eq_ignore_ascii_case(&self.name))
        else {
            let names: Vec<&str> = offers.iter().map(|it| it.name.as_str()).collect();
            return refuse(format!(
                "is no option of the engine; it has {}",
                names.join(", ")
            ));
        };
        match (&option.kind, self.kind) {
            (OptionKind::Spin { min, max, .. }, ParamKind::Spin) => {
                if self.low < *min || self.high > *max {
                    return refuse(format!(
                        "has the bounds {} and {}, the engine takes {min} to {max}",
                        self.low, self.high
                    ));
                }
            }
            (OptionKind::Check { .. }, ParamKind::Check) => {}
            (OptionKind::Combo { vars, .. }, ParamKind::Combo) => {
                if let Some(word) = self.values.iter().find(|word| !vars.contains(word)) {
                    let vars = vars.join(", ");
                    return refuse(format!("has the value `{word}`, the engine takes {vars}"));
                }
            }
            (kind, _) => {
                let kind = match kind {
                    OptionKind::Spin { .. } => "spin",
                    OptionKind::Check { .. } => "check",
                    OptionKind::Combo { .. } => "combo",
                    OptionKind::Button => "button",
                    OptionKind::Text { .. } => "string",
                };
                return refuse(format!(
                    "is a {kind} of the engine; write kind = \"{kind}\""
                ));
            }
        }
        Ok(())
    }
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
        if only_spin && row.kind != ParamKind::Spin {
            return Err(format!("`{name}` has no bounds: only a spin has"));
        }
        if !row.values.is_empty() && row.kind != ParamKind::Combo {
            return Err(format!("`{name}` has no values: only a combo has"));
        }
        if row.values.len() > MOST_CHOICES {
            let count = row.values.len();
            return Err(format!(
                "`{name}` has {count} values; {MOST_CHOICES} are the most"
            ));
        }
        let mut seen = BTreeSet::new();
        if let Some(word) = row.values.iter().find(|&word| !seen.insert(word)) {
            return Err(format!("`{name}` has the value `{word}` twice"));
        }
        if low >= high {
            return Err(format!(
                "`{name}` has the bounds {low} and {high}, which must rise"
            ));
        }
        if !(low..=high).contains(&start) {
            return Err(format!(
                "`{name}` starts at {start}, outside {low} to {high}"
            ));
        }
        let width = high as f64 - low as f64;
        let usual = match row.kind {
            ParamKind::Spin => usual_step(width),
            ParamKind::Check | ParamKind::Combo => 1.0,
        };
        let step = match row.step {
            None => usual,
            Some(Size::Number(step)) => step,
            Some(Size::Whole(step)) => step as f64,
        };
        if !(step > 0.0 && step <= width) {
            return Err(format!(
                "`{name}` has the step {step}; it must be above 0 and at most {width}"
            ));
        }
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

impl ParamFile {
    /// Reads a parameter file and holds it against what the engine offers.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is no parameter file or does not fit the engine.
    pub fn read(path: &Path, offers: &[OptionLine]) -> Result<Self, TuneError> {
        let text = fs::read_to_string(path).map_err(|error| TuneError::NoFile {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        Self::parse(&text, &format!("`{}`", path.display()), offers)
    }

    /// Reads the text of a parameter file; `origin` says in errors where it is from.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn parse(text: &str, origin: &str, offers: &[OptionLine]) -> Result<Self, TuneError> {
        // What we say of a parameter begins with its name, and the place that comes with
        // it is that of the whole list; anything else has its line.
        let reason = |error: toml::de::Error| match error.message() {
            own if own.starts_with('`') => own.to_owned(),
            _ => error.to_string(),
        };
        let file: Self = toml::from_str(text).map_err(|error| TuneError::Syntax {
            origin: origin.to_owned(),
            reason: reason(error),
        })?;
        if file.params.is_empty() {
            return Err(TuneError::Syntax {
                origin: origin.to_owned(),
                reason: "it has no `[[param]]`".to_owned(),
            });
        }
        let mut seen = BTreeSet::new();
        for param in &file.params {
            if !seen.insert(param.name.to_lowercase()) {
                return Err(TuneError::Param {
                    origin: origin.to_owned(),
                    name: param.name.clone(),
                    reason: "is there twice".to_owned(),
                });
            }
            param.check(origin, offers)?;
        }
        Ok(file)
    }

    /// The file for people to edit.
    ///
    /// # Panics
    ///
    /// Never: plain values can be written.
    pub fn to_toml(&self) -> String {
        let rows = toml::to_string(self).expect("parameters are plain data");
        format!(
            "# What `mendel tune --params FILE` tunes. Bounds lie within those of the engine;\n\
             # a step is a change that is worth trying.\n\n{rows}"
        )
    }
}

#[cfg(test)]
mod tests;
