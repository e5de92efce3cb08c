//! What is trained, on what and how: one experiment as a file.

use mendel_evaluator::vision::{Head, Shape};
use mendel_store::{RecipeError, find_recipe, set_key};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

pub use super::intake::{DataKind, DataSettings, Unit};

/// The most networks of a grid.
const MAX_CELLS: usize = 1000;

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        pub const BUILT_IN: &[(&str, &str)] = &[
            $( ($name, include_str!(concat!("../../../../recipes/train/", $name, ".toml"))), )*
        ];
    };
}

built_in![
    "chessnet",
    "chessnet-value",
    "value",
    "teacher-net",
    "teacher-linear",
    "human",
    "chessnet-grid",
];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    pub name: String,
    pub about: String,
    /// The built-in player that plays with the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// What the network is but for its numbers.
    pub shape: Shape,
    pub data: DataSettings,
    #[serde(default)]
    pub optimiser: OptimiserSettings,
    #[serde(default)]
    pub schedule: Schedule,
    pub training: TrainingSettings,
    /// Published figures by the names of ours, to stand beside them.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub paper: Table,
    /// A key of the recipe and the values it takes: every combination is trained.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub grid: Table,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct OptimiserSettings {
    pub kind: Method,
    pub rate: f64,
    /// How fast kernels shrink.
    pub weight_decay: f64,
    /// How much of the last step goes into the next one; plain descent only.
    pub momentum: f64,
    /// How much of the moving means stays; Adam only.
    pub betas: [f64; 2],
    /// Longer gradients are shortened to this; 0 leaves them.
    pub clip: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Adam; decay is part of the gradient.
    #[default]
    Adam,
    /// Adam; decay is not.
    #[serde(rename = "adamw")]
    AdamW,
    /// Plain descent with momentum.
    Sgd,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Schedule {
    pub kind: Form,
    /// It rises from nothing for this share of the way.
    pub warm_up: f64,
    /// The way is the time that was given rather than the steps: where a machine is
    /// lent for minutes, the rate has come down when they are over. Such a run cannot
    /// be repeated to the bit.
    pub by_clock: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    #[default]
    Constant,
    /// Down to nothing along half a cosine.
    Cosine,
    /// Up from a 25th along half a cosine for `warm-up` of the way, then down to a
    /// ten-thousandth.
    OneCycle,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TrainingSettings {
    /// Positions a step.
    pub batch: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_seconds: Option<u64>,
    /// Positions learnt from between two evaluations of the validation part.
    pub evaluate_every: u64,
    /// Positions of the validation part.
    #[serde(default = "validation_positions")]
    pub validation_positions: usize,
    /// Positions of the test part, which is evaluated at the end.
    #[serde(default = "test_positions")]
    pub test_positions: usize,
    /// It ends after this number of evaluations in a row without improvement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// What is multiplied on a GPU; processors always work in full.
    #[serde(default)]
    pub precision: Precision,
    /// What the game's result counts beside the move; heads with both only.
    #[serde(default = "result_weight")]
    pub result_weight: f64,
}

/// The precision of products.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 32 bits.
    Full,
    /// 16 bits (bfloat16), sums and all that is kept in 32.
    #[default]
    Half,
}

fn validation_positions() -> usize {
    20_000
}

fn test_positions() -> usize {
    100_000
}

fn result_weight() -> f64 {
    0.25
}

impl Default for OptimiserSettings {
    fn default() -> Self {
        Self {
            kind: Method::Adam,
            rate: 1e-3,
            weight_decay: 0.0,
            momentum: 0.9,
            betas: [0.9, 0.999],
            clip: 0.0,
        }
    }
}

impl Recipe {
    /// Finds a recipe: a built-in name or a file. `set` changes some of its keys.
    ///
    /// # Errors
    ///
    /// If there is no such recipe, or anything in it is wrong.
    pub fn find(text: &str, set: &[(String, Value)]) -> Result<Self, RecipeError> {
        let (contents, origin) = find_recipe(text, BUILT_IN)?;
        Self::parse(&contents, &origin, set)
    }

    /// Reads the text of a recipe; `origin` names it in errors.
    ///
    /// # Errors
    ///
    /// If anything in it is wrong.
    pub fn parse(text: &str, origin: &str, set: &[(String, Value)]) -> Result<Self, RecipeError> {
        let fail = |reason: String| RecipeError::new(origin, reason);
        let table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| fail(error.to_string()))?;
        let mut recipe = Value::Table(table);
        for (key, value) in set {
            put(&mut recipe, key, value.clone()).map_err(fail)?;
        }
        let recipe = Self::checked(recipe).map_err(fail)?;
        recipe.cells().map_err(|error| fail(error.reason))?;
        Ok(recipe)
    }

    fn checked(recipe: Value) -> Result<Self, String> {
        let recipe: Self = recipe
            .try_into()
            .map_err(|error: toml::de::Error| error.to_string())?;
        recipe.check()?;
        Ok(recipe)
    }

    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("what was read from TOML can be written")
    }

    /// The combinations of the grid, each as a name and a recipe without a grid; the
    /// recipe itself if it has none.
    ///
    /// # Errors
    ///
    /// If an axis is no list, or a value does not fit its key.
    pub fn cells(&self) -> Result<Vec<(String, Self)>, RecipeError> {
        let alone = Self {
            grid: Table::new(),
            ..self.clone()
        };
        let fail = |key: &str, reason: String| {
            RecipeError::new(
                &format!("`{}`", self.name),
                format!("`grid.{key}`: {reason}"),
            )
        };
        let mut cells = vec![(Vec::new(), alone)];
        for (key, values) in &self.grid {
            let values = values
                .as_array()
                .ok_or_else(|| fail(key, "must be a list of values".to_owned()))?;
            let mut wider = Vec::new();
            for (names, cell) in &cells {
                for value in values {
                    let mut recipe = Value::try_from(cell).expect("a recipe is a table");
                    let cell = put(&mut recipe, key, value.clone())
                        .and_then(|()| Self::checked(recipe))
                        .map_err(|reason| fail(key, reason))?;
                    let mut names = names.clone();
                    let short = key.rsplit('.').next().unwrap_or(key);
                    names.push(format!("{short}-{value}"));
                    wider.push((names, cell));
                    if wider.len() > MAX_CELLS {
                        return Err(fail(key, format!("makes more than {MAX_CELLS} networks")));
                    }
                }
            }
            cells = wider;
        }
        Ok(cells
            .into_iter()
            .map(|(names, cell)| (names.join("_"), cell))
            .collect())
    }

    fn check(&self) -> Result<(), String> {
        self.shape.check().map_err(|error| error.to_string())?;
        let training = &self.training;
        let positive = |key: &str, value: f64| {
            let fine = value.is_finite() && value > 0.0;
            fine.then_some(())
                .ok_or_else(|| format!("`{key}` is {value}; it must be above 0"))
        };
        let share = |key: &str, value: f64| {
            (0.0..1.0)
                .contains(&value)
                .then_some(())
                .ok_or_else(|| format!("`{key}` is {value}; it must be from 0 up to, but not, 1"))
        };
        if !(1..=1 << 16).contains(&training.batch) {
            return Err(format!(
                "`training.batch` is {}; it must be from 1 to 65,536",
                training.batch
            ));
        }
        if training.steps.is_none() && training.epochs.is_none() && training.limit_seconds.is_none()
        {
            return Err(
                "`training` never ends; give `steps`, `epochs` or `limit-seconds`".to_owned(),
            );
        }
        if training.evaluate_every == 0 {
            return Err("`training.evaluate-every` must be at least 1".to_owned());
        }
        if training.validation_positions == 0 || training.test_positions == 0 {
            return Err(
                "`training.validation-positions` and `training.test-positions` must be at least 1"
                    .to_owned(),
            );
        }
        if self.schedule.by_clock && training.limit_seconds.is_none() {
            return Err(
                "`schedule.by-clock` needs `training.limit-seconds`, the time there is".to_owned(),
            );
        }
        if self.schedule.kind != Form::Constant
            && !self.schedule.by_clock
            && training.steps.is_none()
            && training.epochs.is_none()
        {
            return Err(
                "this `schedule` must know its way: give `training.steps` or `training.epochs`, or `schedule.by-clock`"
                    .to_owned(),
            );
        }
        positive("optimiser.rate", self.optimiser.rate)?;
        share("optimiser.momentum", self.optimiser.momentum)?;
        share("optimiser.betas", self.optimiser.betas[0])?;
        share("optimiser.betas", self.optimiser.betas[1])?;
        share("schedule.warm-up", self.schedule.warm_up)?;
        for (key, value) in [
            ("optimiser.weight-decay", self.optimiser.weight_decay),
            ("optimiser.clip", self.optimiser.clip),
            ("training.result-weight", training.result_weight),
        ] {
            if !(0.0..=1e6).contains(&value) {
                return Err(format!(
                    "`{key}` is {value}; it must be from 0 to a million"
                ));
            }
        }
        let wants = match self.shape.head {
            Head::FromTo | Head::Pairs { .. } => DataKind::Games,
            Head::Value | Head::Teaching { .. } | Head::Dense { .. } => DataKind::Scores,
        };
        if self.data.kind != wants {
            return Err(format!(
                "this head learns from {wants:?}, not from {:?}; change `data.kind`",
                self.data.kind
            ));
        }
        self.data.check(self.shape.view)
    }
}

/// Sets a key such as `training.batch`.
fn put(recipe: &mut Value, key: &str, value: Value) -> Result<(), String> {
    set_key(recipe, key, value)
        .ok_or_else(|| format!("there is no table for `{key}` in the recipe"))
}

impl Schedule {
    /// The learning rate after `done` of the way, from 0 to 1.
    pub fn rate(&self, largest: f64, done: f64) -> f64 {
        let half_cosine =
            |share: f64| 0.5 - 0.5 * libm::cos(std::f64::consts::PI * share.clamp(0.0, 1.0));
        let rising = done < self.warm_up;
        let after = (done - self.warm_up) / (1.0 - self.warm_up);
        match self.kind {
            Form::OneCycle if rising => {
                let low = largest / 25.0;
                low + (largest - low) * half_cosine(done / self.warm_up)
            }
            Form::OneCycle => {
                let low = largest / 1e4;
                largest - (largest - low) * half_cosine(after)
            }
            _ if rising => largest * done / self.warm_up,
            Form::Constant => largest,
            Form::Cosine => largest * (1.0 - half_cosine(after)),
        }
    }
}
