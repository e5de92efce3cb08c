//! One stage of a recipe: genome, breeder, trial, stop rules.

use mendel_engine::Player;
use mendel_evolve::{
    Adam, AdamSettings, Bits, Bounds, Cosyne, CosyneSettings, Ga, GaSettings, Genome, MuPlusLambda,
    MuPlusLambdaSettings, Neat, NeatSettings, RandomSearch, RandomSettings, RealVector,
    SettingsError, Spsa, SpsaSettings, StopRules,
};
use mendel_fitness::genome::network::{Nets, Painter, most};
use mendel_fitness::genome::space::{GenomeSettings, Space, SpaceKind, Start};
use mendel_fitness::trial::games::GameKind;
use mendel_fitness::trial::{
    AgreementSettings, Distance, DistanceSettings, GameSettings, Measure, SuiteSettings, TrialError,
};
use serde::{Deserialize, Serialize};
use toml::Value;

use super::document::{Complaint, Document};
use super::memory;

/// What is bred, by whom, how it is judged and when it ends.
#[derive(Clone, Debug)]
pub struct StageSettings {
    /// What is bred.
    pub genome: GenomeSettings,
    /// Who breeds.
    pub breeder: BreederSettings,
    /// Who judges.
    pub trial: TrialSettings,
    /// The data set that is judged by, a built-in name or a file; none where
    /// games judge.
    pub data: Option<String>,
    /// The share of its games that is held out, where the set's own is not meant.
    pub holdout: Option<f64>,
    /// When it ends.
    pub stop: StopRules,
    /// Whether random search runs beside it.
    pub baseline: bool,
}

/// The table `[breeder]`, by its `kind`.
#[derive(Clone, Debug, PartialEq)]
pub enum BreederSettings {
    /// A genetic algorithm.
    Ga(GaSettings),
    /// Mutation and an archive.
    MuPlusLambda(MuPlusLambdaSettings),
    /// Gradient descent.
    Adam(AdamSettings),
    /// Simultaneous perturbation.
    Spsa(SpsaSettings),
    /// Chance.
    Random(RandomSettings),
    /// Cooperatively coevolved synapses.
    Cosyne(CosyneSettings),
    /// Networks that grow.
    Neat(Box<NeatSettings>),
}

/// The table `[trial]`, by its `kind`.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialSettings {
    /// The distance to an expert's score or the game's result.
    Distance(DistanceSettings),
    /// Agreement with an expert's move.
    Agreement(AgreementSettings),
    /// Games, of whichever kind.
    Games(Box<GameSettings>),
    /// A suite of positions with best moves.
    Suite(SuiteSettings),
}

/// What every trial knows beside its own settings.
#[derive(Debug, Serialize, Deserialize)]
struct Around {
    #[serde(default)]
    data: Option<String>,
    #[serde(default)]
    holdout: Option<f64>,
    #[serde(default)]
    baseline: Option<bool>,
}

/// The keys of [`Around`] and the choice itself.
const AROUND: [&str; 4] = ["kind", "data", "holdout", "baseline"];

/// The tables of one stage.
const TABLES: [&str; 4] = ["genome", "breeder", "trial", "stop"];

/// The stages of a recipe: those of its list `[[stage]]`, or the one whose tables
/// stand by themselves.
pub(super) fn read(
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
        let (settings, space) = one(document, key, parent)?;
        if stages.is_empty() {
            for founder in founders {
                settings
                    .can_found(&space, founder)
                    .map_err(|reason| document.complaint("founders", reason))?;
            }
        }
        // The records of a run have one list of genes, one unit and one hold-out.
        let first = first.get_or_insert_with(|| space.clone());
        if first.names() != space.names() {
            let reason = "all stages must breed the same weights, in the same order";
            return Err(document.complaint(&format!("{key}.genome"), reason));
        }
        stages.push(settings);
        let (before, this) = (&stages[0], &stages[stages.len() - 1]);
        if before.trial.measures() != this.trial.measures() {
            let reason = "all stages must measure the same: the figures of a run compare";
            return Err(document.complaint(&format!("{key}.trial"), reason));
        }
        if before.holdout != this.holdout {
            let reason = "all stages must hold out the same share, or one would train on \
                          what another must not see";
            return Err(document.complaint(&format!("{key}.trial.holdout"), reason));
        }
    }
    Ok(stages)
}

fn one(
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
        if document.get(&at(table)).is_none() {
            let reason = format!("is missing; write `[{}]`", at(table));
            return Err(document.complaint(&at(table), reason));
        }
    }

    // 1. The tables, each by its kind.
    let genome: GenomeSettings = document.section(&at("genome"))?;
    let breeder = breeder(document, &at("breeder"))?;
    let around: Around = document.section(&at("trial"))?;
    let trial = trial(document, &at("trial"))?;
    let stop: StopRules = document.section(&at("stop"))?;
    if around
        .holdout
        .is_some_and(|share| !(0.0..0.9).contains(&share))
    {
        let reason = "must be a share from 0 up to 0.9";
        return Err(document.complaint(&at("trial.holdout"), reason));
    }

    // 2. Whether they fit into memory, and together, found out by trying.
    let too_large = |(key, reason): memory::Misfit| document.complaint(&at(key), reason);
    memory::check_layers(parent, &genome).map_err(too_large)?;
    let space = Space::new(parent, &genome).map_err(|error| {
        document.complaint(&format!("{}.{}", at("genome"), error.key), error.reason)
    })?;
    let by_positions = matches!(
        trial,
        TrialSettings::Distance(_) | TrialSettings::Agreement(_)
    );
    if by_positions && space.breeds_search() {
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
        space
            .parent_bits()
            .map_err(|reason| document.complaint(&at("genome.start"), reason))?;
    }
    if let TrialSettings::Games(games) = &trial {
        if around.baseline == Some(true) {
            let reason = "means nothing in games: members meet each other, and who is drawn by \
                          chance beside them would change what they score";
            return Err(document.complaint(&at("trial.baseline"), reason));
        }
        let in_pairs = matches!(breeder, BreederSettings::Spsa(_));
        if games.kind == GameKind::Duels && !in_pairs {
            let reason = "\"duels\" is for kind = \"spsa\", which asks in pairs: choose another \
                          kind, such as \"round-robin\"";
            return Err(document.complaint(&at("trial.kind"), reason));
        }
    }
    let by_search = matches!(trial, TrialSettings::Games(_) | TrialSettings::Suite(_));
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
    settings
        .try_breeder(&space)
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

fn breeder(document: &Document, table: &str) -> Result<BreederSettings, Complaint> {
    const KINDS: &str = "write kind = \"ga\", \"mu-plus-lambda\", \"adam\", \"spsa\", \"cosyne\", \
                         \"neat\" or \"random\"";
    let kind = document.text(&format!("{table}.kind"))?;
    Ok(match kind.as_deref() {
        Some("ga") => BreederSettings::Ga(document.section_without(table, &["kind"])?),
        Some("mu-plus-lambda") => {
            BreederSettings::MuPlusLambda(document.section_without(table, &["kind"])?)
        }
        Some("adam") => BreederSettings::Adam(document.section_without(table, &["kind"])?),
        Some("spsa") => BreederSettings::Spsa(document.section_without(table, &["kind"])?),
        Some("cosyne") => BreederSettings::Cosyne(document.section_without(table, &["kind"])?),
        Some("neat") => BreederSettings::Neat(document.section_without(table, &["kind"])?),
        Some("random") => BreederSettings::Random(document.section_without(table, &["kind"])?),
        Some(other) => {
            let reason = format!("there is no breeder `{other}`; {KINDS}");
            return Err(document.complaint(&format!("{table}.kind"), reason));
        }
        None => return Err(document.complaint(table, format!("has no kind; {KINDS}"))),
    })
}

fn trial(document: &Document, table: &str) -> Result<TrialSettings, Complaint> {
    const KINDS: &str = "write kind = \"expert-distance\", \"move-agreement\", \"suite\", \
                         \"round-robin\", \"random-members\", \"gauntlet\", \"duels\" or \
                         \"king-of-the-hill\"";
    let kind = document.text(&format!("{table}.kind"))?;
    Ok(match kind.as_deref() {
        Some("expert-distance") => {
            TrialSettings::Distance(document.section_without(table, &AROUND)?)
        }
        Some("move-agreement") => {
            TrialSettings::Agreement(document.section_without(table, &AROUND)?)
        }
        Some(kind) if GameKind::NAMES.contains(&kind) => {
            TrialSettings::Games(document.section_without(table, &["data", "holdout", "baseline"])?)
        }
        Some("suite") => TrialSettings::Suite(document.section_without(table, &AROUND)?),
        Some(other) => {
            let reason = format!("there is no trial `{other}`; {KINDS}");
            return Err(document.complaint(&format!("{table}.kind"), reason));
        }
        None => return Err(document.complaint(table, format!("has no kind; {KINDS}"))),
    })
}

impl TrialSettings {
    fn check(&self) -> Result<(), TrialError> {
        match self {
            Self::Distance(it) => it.check(),
            Self::Agreement(it) => it.check(),
            Self::Games(it) => it.check(),
            Self::Suite(it) => it.check(),
        }
    }

    /// What is measured; figures of different kinds do not compare.
    fn measures(&self) -> (u8, Option<Distance>) {
        match self {
            Self::Distance(it) => (0, Some(it.distance)),
            Self::Agreement(_) => (1, None),
            Self::Games(_) => (2, None),
            Self::Suite(it) if it.measure == Measure::Nodes => (3, None),
            Self::Suite(_) => (4, None),
        }
    }
}

impl StageSettings {
    /// Makes the breeder once, to see whether it can be made.
    fn try_breeder(&self, space: &Space) -> Result<(), SettingsError> {
        match &space.kind {
            SpaceKind::Bits(layout) => self.try_in::<Bits>(layout.clone()),
            SpaceKind::Reals(bounds) => self.try_reals(bounds),
            SpaceKind::Synapses(synapses) => match &self.breeder {
                BreederSettings::Cosyne(settings) => {
                    Cosyne::new(*settings, synapses.clone(), None, 0).map(|_| ())
                }
                BreederSettings::Adam(_) => Err(unsuited("adam", "networks", "`cosyne`")),
                _ => self.try_reals(&synapses.bounds),
            },
            SpaceKind::Nets(nets) => self.try_nets(nets),
        }
    }

    fn try_reals(&self, bounds: &[Bounds]) -> Result<(), SettingsError> {
        match &self.breeder {
            BreederSettings::Adam(settings) => {
                Adam::new(*settings, bounds.to_vec(), None, 0).map(|_| ())
            }
            BreederSettings::Spsa(settings) => {
                Spsa::new(*settings, bounds.to_vec(), None, 0).map(|_| ())
            }
            _ => self.try_in::<RealVector>(bounds.to_vec()),
        }
    }

    fn try_nets(&self, nets: &Nets) -> Result<(), SettingsError> {
        let BreederSettings::Neat(settings) = &self.breeder else {
            let value = self.breeder.name();
            return Err(unsuited(value, "networks that grow", "`neat`"));
        };
        Neat::new((**settings).clone(), nets.shape, None, 0)?;
        // A network that paints can have any numbers; one that plays has an evaluator's.
        if nets.painter != Painter::Itself {
            return Ok(());
        }
        let kinds = [
            ("weights", Some(settings.weights)),
            ("biases", settings.biases),
        ];
        for (name, numbers) in kinds {
            if let Some(it) = numbers
                && (it.low < -most() || it.high > most())
            {
                return Err(SettingsError::Bounds {
                    name: name.to_owned(),
                    reason: format!(
                        "`low` is {} and `high` is {}; a network plays with numbers from -{most} to {most}",
                        it.low,
                        it.high,
                        most = most()
                    ),
                });
            }
        }
        Ok(())
    }

    fn try_in<G: Genome>(&self, space: G::Space) -> Result<(), SettingsError> {
        match &self.breeder {
            BreederSettings::Ga(settings) => {
                Ga::<G>::new(settings.clone(), space, None, 0).map(|_| ())
            }
            BreederSettings::Random(settings) => {
                RandomSearch::<G>::new(*settings, space, None, 0).map(|_| ())
            }
            BreederSettings::MuPlusLambda(settings) => {
                MuPlusLambda::<G>::new(settings.clone(), space, None, 0).map(|_| ())
            }
            BreederSettings::Adam(_) => Err(needs_reals("adam")),
            BreederSettings::Spsa(_) => Err(needs_reals("spsa")),
            BreederSettings::Cosyne(_) | BreederSettings::Neat(_) => Err(unsuited(
                self.breeder.name(),
                "numbers that are no network",
                "coding = \"synapses\" or \"net\"",
            )),
        }
    }
}

impl BreederSettings {
    /// As recipes write it.
    fn name(&self) -> &'static str {
        match self {
            Self::Ga(_) => "ga",
            Self::MuPlusLambda(_) => "mu-plus-lambda",
            Self::Adam(_) => "adam",
            Self::Spsa(_) => "spsa",
            Self::Random(_) => "random",
            Self::Cosyne(_) => "cosyne",
            Self::Neat(_) => "neat",
        }
    }
}

/// The error for a breeder of other genomes.
fn unsuited(value: &'static str, genomes: &'static str, instead: &'static str) -> SettingsError {
    SettingsError::Unsuited {
        key: "kind",
        value,
        genomes,
        instead,
    }
}

/// The error for a breeder that moves a point.
fn needs_reals(value: &'static str) -> SettingsError {
    SettingsError::Unsuited {
        key: "kind",
        value,
        genomes: "strings of bits",
        instead: "`ga`, `mu-plus-lambda` or `random`, or coding = \"real\"",
    }
}
