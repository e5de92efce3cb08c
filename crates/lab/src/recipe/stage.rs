//! One stage of a recipe: genome, breeder, trial, stop rules.

use std::sync::Arc;

use mendel_engine::Player;
use mendel_evolve::{SettingsError, StopRules};
use mendel_fitness::breeders::{BREEDERS, BreederKind, BreederSettings, find_breeder};
use mendel_fitness::genome::AnyGenome;
use mendel_fitness::genome::space::{GenomeSettings, Space, SpaceKind, Start};
use mendel_fitness::trial::TrialError;
use mendel_fitness::trial::games::GameKind;
use mendel_fitness::trials::{TRIALS, TrialKind, TrialSettings, find_trial};
use serde::Deserialize;
use toml::Value;

use super::document::{Complaint, Document};
use super::memory;

/// Genome, breeder, trial and stop rules.
#[derive(Clone, Debug)]
pub struct StageSettings {
    pub genome: GenomeSettings,
    pub breeder: StageBreeder,
    pub trial: Arc<dyn TrialSettings>,
    /// The data set that is judged by, a built-in name or a file; none where
    /// games judge.
    pub data: Option<String>,
    /// The share of its games that is held out, if not the set's own.
    pub holdout: Option<f64>,
    pub stop: StopRules,
    /// Whether random search runs beside it.
    pub baseline: bool,
}

/// The table `[breeder]`.
#[derive(Clone, Debug)]
pub struct StageBreeder {
    pub kind: &'static BreederKind,
    pub settings: Arc<dyn BreederSettings>,
}

/// The breeders and trials that a recipe can name.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    pub breeders: &'static [BreederKind],
    pub trials: &'static [TrialKind],
}

/// What every trial knows beside its own settings.
#[derive(Debug, Deserialize)]
struct Around {
    data: Option<String>,
    holdout: Option<f64>,
    baseline: Option<bool>,
}

/// The keys of [`Around`].
const AROUND: [&str; 3] = ["data", "holdout", "baseline"];

/// The tables of one stage.
const TABLES: [&str; 4] = ["genome", "breeder", "trial", "stop"];

impl Kinds {
    /// Those that ship with the program.
    pub const SHIPPED: Self = Self {
        breeders: BREEDERS,
        trials: TRIALS,
    };

    /// Reads the stages of a recipe that names these kinds.
    ///
    /// # Errors
    ///
    /// If anything in them is wrong.
    pub fn stages(self, text: &str, parent: &Player) -> Result<Vec<StageSettings>, Complaint> {
        read(self, &Document::parse(text, "the recipe")?, parent, &[])
    }
}

/// The stages of a recipe: those of its list `[[stage]]`, or the one whose tables
/// stand by themselves.
pub(super) fn read(
    kinds: Kinds,
    document: &Document,
    parent: &Player,
    founders: &[(String, Player)],
) -> Result<Vec<StageSettings>, Complaint> {
    let keys = match document.get("stage") {
        None => vec![String::new()],
        Some(Value::Array(stages)) if !stages.is_empty() => {
            if let Some(table) = TABLES.iter().find(|table| document.get(table).is_some()) {
                let reason = "stands beside `[[stage]]`; move it into a stage";
                return Err(document.complaint(table, reason));
            }
            (0..stages.len()).map(|at| format!("stage.{at}")).collect()
        }
        Some(_) => return Err(document.complaint("stage", "must be a list: write `[[stage]]`")),
    };
    let mut stages = Vec::with_capacity(keys.len());
    let mut first: Option<Space> = None;
    for key in &keys {
        let (settings, space) = one(kinds, document, key, parent)?;
        if stages.is_empty() {
            for founder in founders {
                settings
                    .can_found(&space, founder)
                    .map_err(|reason| document.complaint("founders", reason))?;
            }
        }
        // The records of a run have one list of genes, one unit and one hold-out.
        let first = first.get_or_insert_with(|| space.clone());
        let reason = "all stages must breed the same weights, in the same order";
        let same = first.names() == space.names();
        document.require(same, &format!("{key}.genome"), reason)?;
        stages.push(settings);
        let (before, this) = (&stages[0], &stages[stages.len() - 1]);
        let reason = "all stages must measure the same: the figures of a run compare";
        let same = before.trial.metric() == this.trial.metric();
        document.require(same, &format!("{key}.trial"), reason)?;
        let reason = "all stages must hold out the same share, or one would train on \
                      what another must not see";
        let same = before.holdout == this.holdout;
        document.require(same, &format!("{key}.trial.holdout"), reason)?;
    }
    Ok(stages)
}

fn one(
    kinds: Kinds,
    document: &Document,
    key: &str,
    parent: &Player,
) -> Result<(StageSettings, Space), Complaint> {
    let at = |table: &str| match key {
        "" => table.to_owned(),
        key => format!("{key}.{table}"),
    };
    if !key.is_empty() {
        document.knows_only(key, &TABLES)?;
    }
    for table in TABLES {
        let reason = format!("is missing; write `[{}]`", at(table));
        document.require(document.get(&at(table)).is_some(), &at(table), reason)?;
    }

    // 1. The tables, each by its kind.
    let genome: GenomeSettings = document.section(&at("genome"))?;
    let table = at("breeder");
    let found = kind(document, (&table, "breeder"), |it| {
        find_breeder(kinds.breeders, it)
    })?;
    let breeder = StageBreeder {
        kind: found,
        settings: document.section_by(&table, &[], found.settings)?,
    };
    let table = at("trial");
    let around: Around = document.section(&table)?;
    let found = kind(document, (&table, "trial"), |it| {
        find_trial(kinds.trials, it)
    })?;
    let trial = document.section_by(&table, &AROUND, found.settings)?;
    let stop: StopRules = document.section(&at("stop"))?;
    let share = around.holdout.is_none_or(|it| (0.0..0.9).contains(&it));
    let reason = "must be a share from 0 up to 0.9";
    document.require(share, &at("trial.holdout"), reason)?;

    // 2. Whether they fit into memory, and together, found out by trying.
    let too_large = |(key, reason): memory::Misfit| document.complaint(&at(key), reason);
    memory::check_layers(parent, &genome).map_err(too_large)?;
    let space = Space::new(parent, &genome).map_err(|error| {
        document.complaint(&format!("{}.{}", at("genome"), error.key), error.reason)
    })?;
    if !trial.uses_search() && space.breeds_search() {
        let key = match genome.chromosome {
            Some(_) => at("genome.chromosome"),
            None => at("genome.search"),
        };
        let reason = "breeds search numbers, and this trial looks at positions without a \
                      search of theirs: choose a trial by games or by a suite";
        return Err(document.complaint(&key, reason));
    }
    stop.check()
        .map_err(|error| complain(document, &at("stop"), &error))?;
    trial.check().map_err(|error| {
        let key = match &error {
            TrialError::Setting { key, .. } | TrialError::Key { key, .. } => {
                at(&format!("trial.{key}"))
            }
            _ => at("trial"),
        };
        document.complaint(&key, error)
    })?;
    if genome.start == Start::Parent && matches!(space.kind, SpaceKind::Bits(_)) {
        AnyGenome::encode(&space, space.base())
            .map_err(|reason| document.complaint(&at("genome.start"), reason))?;
    }
    if let Some(games) = trial.games() {
        let reason = "means nothing in games: members meet each other, and who is drawn by \
                      chance beside them would change what they score";
        let alone = around.baseline != Some(true);
        document.require(alone, &at("trial.baseline"), reason)?;
        let reason = "\"duels\" is for kind = \"spsa\", which asks in pairs: choose another \
                      kind, such as \"round-robin\"";
        let meets = games.kind != GameKind::Duels || breeder.settings.asks_in_pairs();
        document.require(meets, &at("trial.kind"), reason)?;
    }
    let by_search = trial.uses_search();
    let settings = StageSettings {
        genome,
        breeder,
        trial,
        data: around.data,
        holdout: around.holdout,
        stop,
        // Chance beside it would cost as many searches again.
        baseline: around
            .baseline
            .unwrap_or(!by_search && !space.is_of_networks()),
    };
    settings
        .check()
        .map_err(|(key, reason)| document.complaint(&at(key), reason))?;
    memory::check_members(&settings, &space).map_err(too_large)?;
    let StageBreeder { kind, settings: it } = &settings.breeder;
    kind.check_genomes(kinds.breeders, space.genome_kind())
        .and_then(|()| it.make(&space, Vec::new(), 0))
        .map_err(|error| complain(document, &at("breeder"), &error))?;
    Ok((settings, space))
}

/// A complaint of `evolve`, at the key that it names.
fn complain(document: &Document, table: &str, error: &SettingsError) -> Complaint {
    let key = match error {
        SettingsError::Range { key, .. } | SettingsError::Unsuited { key, .. } => {
            format!("{table}.{key}")
        }
        // A kind of numbers has a table of its own; the names of genes are no keys.
        SettingsError::Bounds { name, .. } => {
            let own = format!("{table}.{name}");
            if document.get(&own).is_some() {
                own
            } else {
                table.to_owned()
            }
        }
        _ => table.to_owned(),
    };
    document.complaint(&key, error)
}

/// The entry that the key `kind` of a table names.
fn kind<T>(
    document: &Document,
    (table, what): (&str, &str),
    find: impl Fn(&str) -> Result<T, Vec<&'static str>>,
) -> Result<T, Complaint> {
    let kind = document.text(&format!("{table}.kind"))?;
    find(kind.as_deref().unwrap_or_default()).map_err(|names| {
        let (last, names) = names.split_last().unwrap_or((&"", &[]));
        let names = format!("write kind = \"{}\" or \"{last}\"", names.join("\", \""));
        match kind {
            Some(other) => {
                let reason = format!("there is no {what} `{other}`; {names}");
                document.complaint(&format!("{table}.kind"), reason)
            }
            None => document.complaint(table, format!("has no kind; {names}")),
        }
    })
}
