//! Recipes: one experiment each, complete, checked whole before anything runs.

mod built_in;
mod document;
mod exam;
mod fit;
mod learn;
mod memory;
mod metric_ref;
mod paper;
mod plan;
mod proof;
mod stage;
pub mod steps;
mod summary;

use mendel_data::Reader;
use mendel_engine::Player;
use mendel_store::find_recipe;
use serde::{Deserialize, Serialize};
use toml::Value;

pub use self::built_in::BUILT_IN;
pub use self::document::Complaint;
pub(crate) use self::document::{Document, Misfit, require};
pub use self::exam::ExamSettings;
pub(crate) use self::exam::check_players;
pub use self::learn::LearnSettings;
pub use self::metric_ref::MetricRef;
pub use self::paper::{Figure, Paper, Published};
pub use self::plan::RecipePlan;
pub use self::proof::ProofSettings;
pub use self::stage::{Kinds, StageBreeder, StageSettings};
pub use self::summary::{Summary, summaries};

/// One experiment: what is bred from whom, how it is judged, and how the result is
/// proved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Recipe {
    document: Document,
    pub name: String,
    pub about: String,
    pub player: Option<String>,
    /// Whose weights it starts from and has to beat.
    pub parent: Player,
    /// The parent as the recipe names it.
    pub parent_name: String,
    /// Players whose genes the first generation begins with, as the recipe names
    /// them.
    pub founders: Vec<(String, Player)>,
    /// What is done, one after the other; each starts from the champion of the
    /// one before.
    pub stages: Vec<StageSettings>,
    pub proof: ProofSettings,
    pub paper: Option<Paper>,
    pub exam: Option<ExamSettings>,
    pub report: ReportSettings,
    pub sweep: Option<SweepSettings>,
    /// Its steps, where it is a pipeline; it has no stages of its own then.
    pub pipeline: Option<steps::Settings>,
    /// How it learns after each game, where it does; it has no stages of its own then.
    pub learn: Option<LearnSettings>,
    /// What its table `[full]` makes of it.
    full: Option<Box<Self>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ReportSettings {
    /// Generations, counted from 1, whose population is shown as a histogram.
    pub histograms: Vec<u32>,
    /// All members of the first generation and of every `keep-genotypes`-th one are kept, for
    /// analyses of whole populations; 0 keeps none.
    pub keep_genotypes: u32,
}

/// The table `[sweep]`: every combination of the values, with several seeds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SweepSettings {
    pub seeds: u32,
    /// Whether each run plays its match against the parent, so that the
    /// comparison is also one of strength.
    #[serde(default)]
    pub proof: bool,
    /// A suite that all champions are held to, whatever they were bred by.
    pub suite: Option<SweepSuite>,
    /// A key of the recipe, with its tables, and the values it takes; the value of
    /// a whole table such as `trial` is a table.
    pub axes: toml::Table,
}

/// The suite of a sweep: the positions of a set that are held out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SweepSuite {
    pub data: String,
    /// The share of its games that is held out, where the set's own is not meant;
    /// 1 for all.
    pub holdout: Option<f64>,
    pub nodes: u64,
}

const KEYS: [&str; 19] = [
    "name", "about", "player", "parent", "founders", "genome", "breeder", "trial", "stop", "stage",
    "exam", "proof", "paper", "report", "sweep", "full", "step", "rounds", "learn",
];

const MOST_RUNS: usize = 10_000;

impl Recipe {
    /// Finds a recipe: a built-in name or a file. `set` changes some of its keys.
    ///
    /// # Errors
    ///
    /// If there is no such recipe, or anything in it is wrong.
    pub fn find(text: &str, set: &[(String, Value)]) -> Result<Self, Complaint> {
        let (contents, origin) = find_recipe(text, BUILT_IN)?;
        Self::parse(&contents, &origin, set)
    }

    /// The same in the whole form of its paper: with what its table `[full]` says.
    ///
    /// # Errors
    ///
    /// If there is no such recipe, it has no such form, or anything in it is wrong.
    pub fn find_full(text: &str, set: &[(String, Value)]) -> Result<Self, Complaint> {
        let (contents, origin) = find_recipe(text, BUILT_IN)?;
        let mut document = Document::parse(&contents, &origin)?;
        document.knows_only("", &KEYS)?;
        document.apply_full()?;
        Self::read(document, set)
    }

    /// Reads the text of a recipe; `origin` says in complaints where it is from.
    ///
    /// # Errors
    ///
    /// If anything in it is wrong.
    pub fn parse(text: &str, origin: &str, set: &[(String, Value)]) -> Result<Self, Complaint> {
        let document = Document::parse(text, origin)?;
        document.knows_only("", &KEYS)?;
        if document.get("full").is_some() {
            // The form that is not requested now must be right, too.
            let mut full = document.clone();
            full.forget("sweep");
            full.apply_full()?;
            let full = Self::read(full, &[])?;
            return Ok(Self {
                full: Some(Box::new(full)),
                ..Self::read(document, set)?
            });
        }
        Self::read(document, set)
    }

    fn read(mut document: Document, set: &[(String, Value)]) -> Result<Self, Complaint> {
        // 1. What was set by hand.
        for (key, value) in set {
            let table = key.split('.').next().unwrap_or_default();
            if !KEYS.contains(&table) {
                let reason = format!("is unknown; there are `{}`", KEYS.join("`, `"));
                return Err(document.complaint_by_hand(key, reason));
            }
            document.set(key, value.clone())?;
        }

        document.make_paths_absolute();

        // 2. Who and what.
        let needed = |key: &str| {
            let text = document.text(key)?;
            text.ok_or_else(|| document.complaint(key, "is missing; it is a text in quotes"))
        };
        let (name, parent_name) = (needed("name")?, needed("parent")?);
        let parent =
            Player::find(&parent_name).map_err(|error| document.complaint("parent", error))?;
        let plain = |c: char| c.is_alphanumeric() || "-_.+ ".contains(c);
        let is_short = (1..=60).contains(&name.chars().count()) && name.chars().all(plain);
        let reason = "must be a short name of letters, digits, `-`, `_`, `.` and spaces";
        document.require(is_short, "name", reason)?;
        let about = document.text("about")?.unwrap_or_default();
        let player = document.text("player")?;
        let published = document.text("paper.weights")?;
        for (key, name) in [("player", &player), ("paper.weights", &published)] {
            if let Some(name) = name {
                Player::find(name).map_err(|error| document.complaint(key, error))?;
            }
        }

        // 3. The tables.
        let founders = founders(&document)?;
        let pipeline = match document.get("step") {
            None if document.get("rounds").is_some() => {
                return Err(document.complaint("rounds", "repeats steps: write `[[step]]`"));
            }
            None => None,
            Some(_) => Some(steps::Settings::read(&document)?),
        };
        let learn = LearnSettings::read(&document)?;
        let stages = if pipeline.is_some() || learn.is_some() {
            Vec::new()
        } else {
            stage::read(Kinds::SHIPPED, &document, &parent, &founders)?
        };
        let proof: ProofSettings = document.section("proof")?;
        let checked = proof.check();
        checked.map_err(|misfit| document.misfit("proof", misfit))?;
        let reason = "means nothing here: the recipe has no `founders`";
        let has_founders = !proof.founders || !founders.is_empty();
        document.require(has_founders, "proof.founders", reason)?;
        let paper = document.optional("paper")?;
        let exam: Option<ExamSettings> = document.optional("exam")?;
        let checked = exam.as_ref().map_or(Ok(()), ExamSettings::check);
        checked.map_err(|misfit| document.misfit("exam", misfit))?;
        let report: ReportSettings = document.section("report")?;
        let reason = "counts generations from 1; there is no generation 0";
        let counts = !report.histograms.contains(&0);
        document.require(counts, "report.histograms", reason)?;
        let sweep = document.optional("sweep")?;
        let recipe = Self {
            document,
            name,
            about,
            player,
            parent,
            parent_name,
            founders,
            stages,
            proof,
            paper,
            exam,
            report,
            sweep,
            pipeline,
            learn,
            full: None,
        };
        recipe.grid()?;
        Ok(recipe)
    }

    /// The whole form of its paper, where it has one and is not that form itself.
    pub(crate) fn full_form(&self) -> Option<&Self> {
        self.full.as_deref()
    }

    /// The recipe as text, with what was set by hand.
    pub fn to_toml(&self) -> String {
        self.document.to_toml()
    }

    /// The recipe for its hash: files that it names count by their contents, not by their
    /// folders.
    pub(crate) fn identity(&self) -> String {
        let mut document = self.document.clone();
        document.shorten_paths();
        document.to_toml()
    }

    /// The text of a recipe as it is written, and what complaints call it.
    pub(crate) fn text_of(text: &str) -> Result<(String, String), Complaint> {
        find_recipe(text, BUILT_IN)
    }

    pub(crate) fn complaint(&self, key: &str, reason: impl std::fmt::Display) -> Complaint {
        self.document.complaint(key, reason)
    }

    pub(crate) fn misfit(&self, table: &str, misfit: Misfit) -> Complaint {
        self.document.misfit(table, misfit)
    }

    /// The combinations of the sweep, each as the keys to set; one empty
    /// combination if there is no sweep. Each is checked like a recipe.
    ///
    /// # Errors
    ///
    /// If an axis is no list, or a value does not fit its key.
    pub fn grid(&self) -> Result<Vec<Vec<(String, Value)>>, Complaint> {
        let Some(sweep) = &self.sweep else {
            return Ok(vec![Vec::new()]);
        };
        let require = |holds, key: &str, reason: &str| self.document.require(holds, key, reason);
        let seeds = (1..=1000).contains(&sweep.seeds);
        require(seeds, "sweep.seeds", "must be from 1 to 1000")?;
        if let Some(suite) = &sweep.suite {
            let share = suite.holdout.is_none_or(|it| (0.0..=1.0).contains(&it));
            require(share, "sweep.suite.holdout", "must be a share from 0 to 1")?;
            let reason = "must be at least 1 for each position";
            require(suite.nodes > 0, "sweep.suite.nodes", reason)?;
            Reader::find(&suite.data).map_err(|error| self.complaint("sweep.suite.data", error))?;
        }
        let mut grid: Vec<Vec<(String, Value)>> = vec![Vec::new()];
        for (key, values) in &sweep.axes {
            let values = values.as_array().filter(|values| !values.is_empty());
            let Some(values) = values else {
                let reason = format!("`{key}` must be a list of values");
                return Err(self.complaint("sweep.axes", reason));
            };
            grid = grid
                .iter()
                .flat_map(|cell| {
                    values.iter().map(|value| {
                        let mut cell = cell.clone();
                        cell.push((key.clone(), value.clone()));
                        cell
                    })
                })
                .collect();
            let reason = format!("makes more than {MOST_RUNS} runs; leave some values out");
            let fits = grid.len() * sweep.seeds as usize <= MOST_RUNS;
            require(fits, "sweep.axes", &reason)?;
        }
        let plain = self.without_sweep();
        for cell in &grid {
            Self::parse(&plain, "a cell of the sweep", cell).map_err(|complaint| {
                let reason = format!("{}: {}", complaint.key, complaint.reason);
                self.complaint("sweep.axes", reason)
            })?;
        }
        Ok(grid)
    }

    /// The recipe of one cell of the sweep.
    ///
    /// # Errors
    ///
    /// If the cell is none of [`grid`](Self::grid)'s.
    pub fn cell(&self, set: &[(String, Value)]) -> Result<Self, Complaint> {
        Self::parse(&self.without_sweep(), &self.name, set)
    }

    fn without_sweep(&self) -> String {
        let mut plain = self.document.clone();
        plain.forget("sweep");
        plain.forget("full");
        plain.to_toml()
    }
}

fn founders(document: &Document) -> Result<Vec<(String, Player)>, Complaint> {
    let names = match document.get("founders") {
        None => return Ok(Vec::new()),
        Some(Value::Array(names)) => names,
        Some(_) => {
            let reason = "must be a list of players, such as [\"gerald-base\"]";
            return Err(document.complaint("founders", reason));
        }
    };
    let found = names.iter().map(|name| {
        let name = name.as_str().ok_or("must be a list of texts in quotes");
        let name = name.map_err(|reason| document.complaint("founders", reason))?;
        let player = Player::find(name).map_err(|error| document.complaint("founders", error))?;
        Ok((name.to_owned(), player))
    });
    found.collect()
}
