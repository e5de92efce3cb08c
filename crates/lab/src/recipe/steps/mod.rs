//! The steps of a pipeline as a recipe writes them.

mod tables;

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use super::document::{Complaint, Document, gather_texts};
pub use tables::{
    AccuracySettings, AgreementSettings, Anchor, BreedSettings, ChanceSettings, CurveSettings,
    DataSettings, JudgementSettings, MatchSettings, NetworkSettings, OpeningsFrom, PartSettings,
    Source,
};
pub(crate) use tables::{BOOK, Wanted};

/// The steps, and how often those that are marked are repeated.
#[derive(Clone, Debug)]
pub struct Settings {
    pub rounds: u32,
    pub steps: Vec<StepSettings>,
}

#[derive(Clone, Debug)]
pub struct StepSettings {
    /// What it is called; others refer to it by this name.
    pub name: String,
    pub each_round: bool,
    pub what: StepKind,
}

#[derive(Clone, Debug)]
pub enum StepKind {
    /// Breeds: another recipe, or tables of its own.
    Breed(Box<BreedSettings>),
    Data(Box<DataSettings>),
    Network(Box<NetworkSettings>),
    Chance(Box<ChanceSettings>),
    Match(Box<MatchSettings>),
    Agreement(Box<AgreementSettings>),
    Judgement(Box<JudgementSettings>),
}

impl StepKind {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Breed(_) => "breed",
            Self::Data(_) => "data",
            Self::Network(_) => "network",
            Self::Chance(_) => "chance",
            Self::Match(_) => "match",
            Self::Agreement(_) => "agreement",
            Self::Judgement(_) => "judgement",
        }
    }
}

/// The champion of the step before that bred one; before any did, the parent.
pub(crate) const PREVIOUS: &str = "previous";
/// The player that the whole pipeline starts from.
pub(crate) const PARENT: &str = "parent";

/// The most steps, all rounds together: their numbers have two digits.
pub(crate) const MOST_TURNS: usize = 99;

/// The keys of every step.
const EVERY: [&str; 2] = ["name", "each-round"];
/// The keys of every step that breeds.
const BREEDING: [&str; 5] = ["runs", "parent", "data", "founders", "proof"];
/// The tables of a breeding step that make a recipe.
pub(crate) const TABLES: [&str; 6] = ["genome", "breeder", "trial", "stop", "stage", "report"];

/// The keys of a breeding step besides its tables.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Around {
    #[serde(default = "one")]
    runs: u32,
    #[serde(default)]
    set: Table,
    parent: Option<String>,
    data: Option<String>,
    #[serde(default)]
    founders: Names,
}

fn one() -> u32 {
    1
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Names {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

impl Names {
    pub(crate) fn list(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

impl Settings {
    /// Reads the list `[[step]]` and `rounds` of a recipe. Whether the steps fit
    /// together is checked by [`pipeline::check`](crate::pipeline::check).
    pub(super) fn read(document: &Document) -> Result<Self, Complaint> {
        let reason = "stands beside `[[step]]`; move it into a step";
        for key in [
            "genome", "breeder", "trial", "stop", "stage", "founders", "sweep", "proof",
        ] {
            document.require(document.get(key).is_none(), key, reason)?;
        }
        let Some(Value::Array(steps)) = document.get("step") else {
            return Err(document.complaint("step", "must be a list: write `[[step]]`"));
        };
        let reason = "is empty; a pipeline has at least one step";
        document.require(!steps.is_empty(), "step", reason)?;
        let rounds = match document.get("rounds") {
            None => 1,
            Some(Value::Integer(rounds @ 1..=99)) => *rounds as u32,
            Some(_) => {
                return Err(document.complaint("rounds", "must be a whole number from 1 to 99"));
            }
        };
        let mut read: Vec<StepSettings> = Vec::with_capacity(steps.len());
        for at in 0..steps.len() {
            let step = StepSettings::read(document, at)?;
            let reason = format!("`{}` is the name of another step", step.name);
            let is_new = read.iter().all(|before| before.name != step.name);
            document.require(is_new, &format!("step.{at}.name"), reason)?;
            read.push(step);
        }
        let settings = Self {
            rounds,
            steps: read,
        };
        settings.check_rounds(document)?;
        Ok(settings)
    }

    fn check_rounds(&self, document: &Document) -> Result<(), Complaint> {
        let marked: Vec<bool> = self.steps.iter().map(|step| step.each_round).collect();
        let first = marked.iter().position(|&it| it);
        let last = marked.iter().rposition(|&it| it);
        let (Some(first), Some(last)) = (first, last) else {
            let reason = "repeats the steps with `each-round = true`, and no step has that key";
            return document.require(document.get("rounds").is_none(), "rounds", reason);
        };
        if let Some(gap) = (first..last).find(|&at| !marked[at]) {
            let reason = "stands between steps that are repeated: mark it with \
                          `each-round = true` too, or move it";
            return Err(document.complaint(&format!("step.{gap}"), reason));
        }
        let reason = format!("makes more than {MOST_TURNS} steps; ask for fewer");
        document.require(self.turns().len() <= MOST_TURNS, "rounds", reason)
    }

    /// The steps in the order in which they are done, all rounds.
    pub fn turns(&self) -> Vec<Turn> {
        let marked = |at: &usize| self.steps[*at].each_round;
        let count = self.steps.len();
        let before = (0..count).find(marked).unwrap_or(count);
        let repeated = (1..=self.rounds).flat_map(|round| {
            let steps = (before..count).filter(marked);
            steps.map(move |at| (at, Some(round)))
        });
        let after = (before..count).filter(|at| !marked(at));
        let order = (0..before).map(|at| (at, None)).chain(repeated);
        let order = order.chain(after.map(|at| (at, None)));
        let turn = |(number, (step, round))| Turn {
            number,
            step,
            round,
        };
        (1..).zip(order).map(turn).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its place among all, from 1.
    pub number: usize,
    /// Which step of the file, from 0.
    pub step: usize,
    /// In which round, where it is repeated.
    pub round: Option<u32>,
}

/// Reads the table of a step.
type ReadTable = fn(&Document, &str) -> Result<StepKind, Complaint>;

/// The kinds of steps with one table.
const KINDS: [(&str, ReadTable); 6] = [
    ("data", |it, key| it.section(key).map(StepKind::Data)),
    ("chance", |it, key| it.section(key).map(StepKind::Chance)),
    ("match", |it, key| it.section(key).map(StepKind::Match)),
    ("network", |it, key| it.section(key).map(StepKind::Network)),
    ("agreement", |it, key| {
        it.section(key).map(StepKind::Agreement)
    }),
    ("judgement", |it, key| {
        it.section(key).map(StepKind::Judgement)
    }),
];

impl StepSettings {
    fn read(document: &Document, at: usize) -> Result<Self, Complaint> {
        let key = |name: &str| format!("step.{at}.{name}");
        let place = format!("step.{at}");
        let Some(Value::Table(table)) = document.get(&place) else {
            return Err(document.complaint(&place, "must be a table: write `[[step]]`"));
        };

        // 1. Its name.
        let Some(name) = document.text(&key("name"))? else {
            return Err(document.complaint(&place, "has no `name`"));
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let is_short = (1..=40).contains(&name.len()) && name.chars().all(plain);
        let reason = "must be a short name of letters, digits, `-` and `_`";
        document.require(is_short, &key("name"), reason)?;
        let is_free = ![PREVIOUS, PARENT].contains(&name.as_str());
        let reason = format!("`{name}` means something else here; choose another name");
        document.require(is_free, &key("name"), reason)?;
        let each_round = match table.get("each-round") {
            None => false,
            Some(Value::Boolean(it)) => *it,
            Some(_) => return Err(document.complaint(&key("each-round"), "is true or false")),
        };

        // 2. What it does: the table or key that only this kind has.
        let is_data = matches!(table.get("data"), Some(Value::Table(_)));
        let breeds = table.contains_key("recipe")
            || TABLES.iter().any(|table_of| table.contains_key(*table_of));
        let mut named = KINDS.into_iter().filter(|(kind, _)| match *kind {
            "data" => is_data,
            kind => table.contains_key(kind),
        });
        let what = match (named.next(), named.next(), breeds) {
            (Some((kind, read)), None, false) => {
                document.knows_only(&place, &[EVERY[0], EVERY[1], kind])?;
                read(document, &key(kind))?
            }
            (None, None, true) => StepKind::Breed(Box::new(breeding(document, &place, table)?)),
            _ => {
                let reason = "must do one thing: give it `recipe = \"NAME\"`, or the tables genome, \
                              breeder, trial and stop, or `[step.data]`, `[step.network]`, \
                              `[step.chance]`, `[step.match]`, `[step.agreement]` or `[step.judgement]`";
                return Err(document.complaint(&place, reason));
            }
        };
        Ok(Self {
            name,
            each_round,
            what,
        })
    }
}

fn breeding(document: &Document, place: &str, table: &Table) -> Result<BreedSettings, Complaint> {
    let key = |name: &str| format!("{place}.{name}");
    let recipe = document.text(&key("recipe"))?;
    let known = if recipe.is_some() {
        let [runs, others @ ..] = &BREEDING;
        [&EVERY[..], &["recipe", runs, "set"], others].concat()
    } else {
        [&EVERY[..], &BREEDING, &TABLES].concat()
    };
    document.knows_only(place, &known)?;
    let others = [&TABLES[..], &EVERY, &["recipe", "proof"]].concat();
    let around: Around = document.section_without(place, &others)?;
    let runs = (1..=99).contains(&around.runs);
    document.require(runs, &key("runs"), "must be from 1 to 99")?;
    // `proof` is a switch, or for tables of its own how the champion is proved.
    let (proof, proof_table) = match table.get("proof") {
        None => (recipe.is_some(), None),
        Some(Value::Boolean(it)) => (*it, None),
        Some(Value::Table(it)) if recipe.is_none() => (true, Some(it.clone())),
        Some(_) => {
            let reason = "is true or false; with tables of its own also a table `[step.proof]`";
            return Err(document.complaint(&key("proof"), reason));
        }
    };
    let source = if let Some(name) = recipe {
        let set = around.set.into_iter().collect();
        Source::Recipe { name, set }
    } else {
        let mut tables: Table = TABLES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), table.get(*name)?.clone())))
            .collect();
        tables.extend(proof_table.map(|proof| ("proof".to_owned(), proof.into())));
        // What was published of the weights is for the page of the step's run.
        if let Some(Value::Table(paper)) = document.get("paper")
            && paper.contains_key("weights")
        {
            let kept = ["title", "source", "weights"].into_iter();
            let kept = kept.filter_map(|key| Some((key.to_owned(), paper.get(key)?.clone())));
            tables.insert("paper".to_owned(), Value::Table(kept.collect()));
        }
        Source::Tables(tables)
    };
    Ok(BreedSettings {
        source,
        runs: around.runs,
        parent: around.parent,
        data: around.data,
        founders: around.founders.list().to_vec(),
        proof,
    })
}

/// The keys of steps that may hold paths, which are made absolute like those of the recipe.
pub(crate) fn path_keys(steps: &[Value]) -> Vec<String> {
    /// Behind `step.N.`; a list or a table of tables is gone into.
    const KEYS: [&str; 11] = [
        "recipe",
        "parent",
        "data",
        "founders",
        "trial",
        "stage",
        "chance",
        "match",
        "network",
        "agreement",
        "judgement",
    ];
    /// Keys below those that hold paths.
    const LEAVES: [&str; 8] = [
        "trial", "data", "from", "player", "expert", "players", "openings", "recipe",
    ];
    let mut keys = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        for name in KEYS {
            if let Some(value) = step.get(name) {
                gather_texts(value, &format!("step.{at}.{name}"), &LEAVES, &mut keys);
            }
        }
    }
    keys
}

/// What stands for each player in tables, as a recipe publishes it.
pub(crate) type Published = BTreeMap<String, String>;
