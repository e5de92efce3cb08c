//! What is tuned: the parameters, and the file that people edit.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mendel_engine::uci::{OptionKind, OptionLine};
use mendel_evolve::tuners::MOST_CHOICES;
use mendel_store::frame::Failure;
use serde::{Deserialize, Serialize};

use super::{FITTING, refuse};
use crate::record::{Aside, Infeasible, Param, ParamKind, usual_step};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamFile {
    #[serde(default, rename = "param")]
    pub params: Vec<Param>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Aside>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub infeasible: Vec<Infeasible>,
}

/// Ranges wider than this are no statement about sensible values.
const WIDEST: i64 = 10_000;

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

    /// A value as the engine receives it.
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

    fn check(&self, origin: &str, offers: &[OptionLine]) -> Result<(), Failure> {
        let refused = |reason: String| {
            let what = format!("{origin}: `{}` {reason}", self.name);
            refuse(what, FITTING)
        };
        let require = |holds: bool, reason: String| {
            if holds { Ok(()) } else { Err(refused(reason)) }
        };
        let Some(option) = offers
            .iter()
            .find(|it| it.name.eq_ignore_ascii_case(&self.name))
        else {
            let names: Vec<&str> = offers.iter().map(|it| it.name.as_str()).collect();
            let names = names.join(", ");
            return Err(refused(format!(
                "is no option of the engine; it has {names}"
            )));
        };
        match (&option.kind, self.kind) {
            (OptionKind::Spin { min, max, .. }, ParamKind::Spin) => {
                let (low, high) = (self.low, self.high);
                let reason =
                    format!("has the bounds {low} and {high}, the engine takes {min} to {max}");
                require(low >= *min && high <= *max, reason)
            }
            (OptionKind::Check { .. }, ParamKind::Check) => Ok(()),
            (OptionKind::Combo { vars, .. }, ParamKind::Combo) => {
                let taken = vars.join(", ");
                self.values.iter().try_for_each(|word| {
                    let reason = format!("has the value `{word}`, the engine takes {taken}");
                    require(vars.contains(word), reason)
                })
            }
            (kind, _) => {
                let kind = match kind {
                    OptionKind::Spin { .. } => "spin",
                    OptionKind::Check { .. } => "check",
                    OptionKind::Combo { .. } => "combo",
                    OptionKind::Button => "button",
                    OptionKind::Text { .. } => "string",
                };
                let reason = format!("is a {kind} of the engine; write kind = \"{kind}\"");
                Err(refused(reason))
            }
        }
    }
}

impl ParamFile {
    /// Reads a parameter file and holds it against what the engine offers.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is no parameter file or does not fit the engine.
    pub fn read(path: &Path, offers: &[OptionLine]) -> Result<Self, Failure> {
        let origin = format!("`{}`", path.display());
        let text = fs::read_to_string(path).map_err(|error| {
            let what = format!("cannot read the parameter file {origin}: {error}");
            refuse(what, FITTING)
        })?;
        Self::parse(&text, &origin, offers)
    }

    /// Reads the text of a parameter file; `origin` says in errors where it is from.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn parse(text: &str, origin: &str, offers: &[OptionLine]) -> Result<Self, Failure> {
        // What we say of a parameter begins with its name, and the place that comes with
        // it is that of the whole list; anything else has its line.
        let reason = |error: toml::de::Error| match error.message() {
            own if own.starts_with('`') => own.to_owned(),
            _ => error.to_string(),
        };
        let syntax =
            |reason: &str| refuse(format!("{origin} is no parameter file: {reason}"), FITTING);
        let file: Self = toml::from_str(text).map_err(|error| syntax(&reason(error)))?;
        if file.params.is_empty() {
            return Err(syntax("it has no `[[param]]`"));
        }
        let mut seen = BTreeSet::new();
        for param in &file.params {
            if !seen.insert(param.name.to_lowercase()) {
                let what = format!("{origin}: `{}` is there twice", param.name);
                return Err(refuse(what, FITTING));
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
