//! What is trained, on what and how: one experiment as a file.

use std::fs;

use mendel_evaluator::vision::{Head, Shape};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

pub use super::intake::{DataKind, DataSettings, Unit};

const LARGEST: u64 = 1 << 20;

/// The most networks of a grid.
const MOST_CELLS: usize = 1000;

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
    /// One sentence about it.
    pub about: String,
    /// The built-in player that plays with the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// What the network is but for its numbers.
    pub shape: Shape,
    pub data: DataSettings,
    /// How it steps.
    #[serde(default)]
    pub optimiser: OptimiserSettings,
    /// How the length of steps changes.
    #[serde(default)]
    pub schedule: Schedule,
    /// How long it learns and how it is watched.
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
    /// By which rule.
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

/// How the learning rate goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Schedule {
    /// Its form.
    pub kind: Form,
    /// It rises from nothing for this share of the way.
    pub warm_up: f64,
    /// The way is the time that was given rather than the steps: where a machine is
    /// lent for minutes, the rate has come down when they are over. Such a run cannot
    /// be repeated to the bit.
    pub by_clock: bool,
}

/// The form of a schedule.
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

/// How long a network learns and how it is watched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TrainingSettings {
    /// Positions a step.
    pub batch: usize,
    /// It ends after so many steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// It ends after so many rounds through all games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// It ends after so many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_seconds: Option<u64>,
    /// Whenever so many more positions were learnt from, the validation part is asked.
    pub evaluate_every: u64,
    /// So many positions of it.
    #[serde(default = "validation_positions")]
    pub validation_positions: usize,
    /// So many positions of the test part are asked at the end.
    #[serde(default = "test_positions")]
    pub test_positions: usize,
    /// It ends when so many evaluations in a row brought nothing better.
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

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the training recipe {origin}: {reason}")]
pub struct RecipeError {
    pub origin: String,
    pub reason: String,
}

impl Recipe {
    /// Finds a recipe: a built-in name or a file. `set` changes some of its keys.
    ///
    /// # Errors
    ///
    /// If there is no such recipe, or anything in it is wrong.
    pub fn find(text: &str, set: &[(String, Value)]) -> Result<Self, RecipeError> {
        if let Some((_, contents)) = BUILT_IN.iter().find(|(name, _)| *name == text) {
            return Self::parse(contents, &format!("`{text}`"), set);
        }
        let fail = |reason: String| RecipeError {
            origin: format!("`{text}`"),
            reason,
        };
        let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        let file = fs::metadata(text).map_err(|error| {
            fail(format!(
                "is neither built in (`{}`) nor a file: {error}",
                names.join("`, `")
            ))
        })?;
        if file.len() > LARGEST {
            return Err(fail(format!("has {} bytes; is it a recipe?", file.len())));
        }
        let contents = fs::read_to_string(text).map_err(|error| fail(error.to_string()))?;
        Self::parse(&contents, &format!("`{text}`"), set)
    }

    /// Reads the text of a recipe; `origin` says in complaints where it is from.
    ///
    /// # Errors
    ///
    /// If anything in it is wrong.
    pub fn parse(text: &str, origin: &str, set: &[(String, Value)]) -> Result<Self, RecipeError> {
        let fail = |reason: String| RecipeError {
            origin: origin.to_owned(),
            reason,
        };
        let mut table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| fail(error.to_string()))?;
        for (key, value) in set {
            put(&mut table, key, value.clone()).map_err(&fail)?;
        }
        let recipe: Self = table
            .try_into()
            .map_err(|error: toml::de::Error| fail(error.to_string()))?;
        recipe.check().map_err(&fail)?;
        recipe.cells().map_err(|error| fail(error.reason))?;
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
        let fail = |key: &str, reason: String| RecipeError {
            origin: format!("`{}`", self.name),
            reason: format!("`grid.{key}`: {reason}"),
        };
        let mut cells = vec![(Vec::new(), alone)];
        for (key, values) in &self.grid {
            let values = values
                .as_array()
                .ok_or_else(|| fail(key, "must be a list of values".to_owned()))?;
            let mut wider = Vec::new();
            for (names, cell) in &cells {
                for value in values {
                    let mut table = Table::try_from(cell).expect("a recipe is a table");
                    put(&mut table, key, value.clone()).map_err(|it| fail(key, it))?;
                    let cell: Self = table
                        .try_into()
                        .map_err(|error: toml::de::Error| fail(key, error.to_string()))?;
                    cell.check().map_err(|it| fail(key, it))?;
                    let mut names = names.clone();
                    let short = key.rsplit('.').next().unwrap_or(key);
                    names.push(format!("{short}-{value}"));
                    wider.push((names, cell));
                    if wider.len() > MOST_CELLS {
                        return Err(fail(key, format!("makes more than {MOST_CELLS} networks")));
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

    /// What no type can say.
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
fn put(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    match key.split_once('.') {
        None => {
            table.insert(key.to_owned(), value);
            Ok(())
        }
        Some((first, rest)) => {
            let inner = table
                .entry(first)
                .or_insert_with(|| Value::Table(Table::new()));
            let inner = inner
                .as_table_mut()
                .ok_or_else(|| format!("`{first}` is no table, so `{key}` cannot be set"))?;
            put(inner, rest, value)
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &str, value: impl Into<Value>) -> Vec<(String, Value)> {
        vec![(key.to_owned(), value.into())]
    }

    #[test]
    fn the_built_in_recipes_are_whole_and_survive_being_written() {
        for (name, text) in BUILT_IN {
            let recipe = Recipe::parse(text, name, &[]).expect("it ships");
            assert_eq!(recipe.name, *name);
            let again = Recipe::parse(&recipe.to_toml(), name, &[]);
            assert_eq!(again.as_ref(), Ok(&recipe));
        }
    }

    #[test]
    fn the_published_networks_are_those_of_the_papers() {
        let shape = |name: &str| Recipe::find(name, &[]).expect("it ships").shape;
        assert_eq!(shape("chessnet"), Shape::chessnet());
        assert_eq!(shape("chessnet-grid"), Shape::chessnet());
        assert_eq!(shape("chessnet-value"), Shape::chess_pos_eval_net());
        assert_eq!(shape("teacher-net"), Shape::teaching());
    }

    #[test]
    fn the_grid_of_the_paper_has_nine_networks() {
        let grid = Recipe::find("chessnet-grid", &[]).expect("it ships");
        let cells = grid.cells().expect("it fits");
        let found: Vec<(usize, f64)> = cells
            .iter()
            .map(|(_, cell)| (cell.training.batch, cell.optimiser.rate))
            .collect();
        assert_eq!(found.len(), 9);
        for batch in [32, 512, 2048] {
            for rate in [1e-1, 1e-3, 1e-5] {
                assert!(found.contains(&(batch, rate)), "{batch} {rate}");
            }
        }
        let mut names: Vec<&String> = cells.iter().map(|cell| &cell.0).collect();
        names.dedup();
        assert_eq!(names.len(), 9, "two share a folder");
    }

    #[test]
    fn wrong_recipes_say_what_is_wrong() {
        for (key, value, told) in [
            ("training.batch", Value::Integer(0), "training.batch"),
            ("optimiser.rate", Value::Float(-1.0), "optimiser.rate"),
            ("schedule.warm-up", Value::Float(1.0), "schedule.warm-up"),
            ("schedule.by-clock", Value::Boolean(true), "limit-seconds"),
            ("data.kind", Value::from("scores"), "data.kind"),
            ("shape.filters", Value::Integer(0), "filters"),
            ("training.steeps", Value::Integer(1), "steeps"),
            ("name.first", Value::Integer(1), "no table"),
        ] {
            let error = Recipe::find("chessnet", &set(key, value)).expect_err(key);
            let text = error.to_string();
            assert!(text.contains(told) && text.contains("chessnet"), "{text}");
        }
        let nowhere = Recipe::find("no-such-thing", &[]).expect_err("there is none");
        assert!(nowhere.to_string().contains("chessnet-value"), "{nowhere}");
    }

    #[test]
    fn rates_rise_fall_and_end_where_their_forms_do() {
        let rate = |kind, warm_up, done| {
            let schedule = Schedule {
                kind,
                warm_up,
                by_clock: false,
            };
            schedule.rate(2.0, done)
        };
        for (kind, warm_up, wanted) in [
            (Form::Constant, 0.0, [2.0, 2.0, 2.0]),
            (Form::Constant, 0.5, [0.0, 2.0, 2.0]),
            (Form::Cosine, 0.0, [2.0, 1.0, 0.0]),
            (Form::Cosine, 0.5, [0.0, 2.0, 0.0]),
            (Form::OneCycle, 0.5, [0.08, 2.0, 0.0002]),
        ] {
            let found = [0.0, 0.5, 1.0].map(|done| rate(kind, warm_up, done));
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-9, "{kind:?}: {found} {wanted}");
            }
        }
    }
}
