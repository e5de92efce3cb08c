//! An evaluator chosen at run time.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mendel_board::Position;
use toml::{Table, Value};

use crate::graph::GraphError;
use crate::paper::{AnyPaper, Paper};
use crate::vision::{Open, Vision};
use crate::{
    Centipawns, Classic, Cwu, David, Evaluator, Explanation, Gerald, Graph, Lambda, Linear,
    Material, Mlp, Network, Random, Silent, Teaching, Term, explain,
};

/// One of the evaluators, as a player file names it.
///
/// The search matches on it once at its root and is then compiled for the one it
/// got, so that no leaf asks again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyEvaluator {
    /// Our own tapered evaluator.
    Classic(Classic),
    /// The ten weights of CWU-Chess.
    Cwu(Cwu),
    /// The 35 terms of David, van den Herik, Koppel and Netanyahu.
    David(Linear<David>),
    /// The 29 terms of GERALD.
    Gerald(Linear<Gerald>),
    /// A network of any wiring.
    Graph(Graph),
    /// The 37 terms of the λ hybrid.
    Lambda(Linear<Lambda>),
    /// The heuristic of the teaching engine.
    Teaching(Linear<Teaching>),
    /// Counts wood.
    Material(Material),
    /// A network of layers.
    Mlp(Mlp),
    /// Throws dice.
    Random(Random),
    /// A convolutional network.
    Vision(Vision),
}

/// Why an `[evaluator]` table is not an evaluator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluatorError {
    /// The kind is missing or no text.
    #[error("[evaluator] has no `kind`; write kind = {KINDS}")]
    NoKind,
    /// No evaluator is called that.
    #[error("there is no evaluator of kind `{kind}`; there are {KINDS}")]
    UnknownKind {
        /// What was found.
        kind: String,
    },
    /// The table holds a key that means nothing to this kind of evaluator.
    #[error("an evaluator of kind `{kind}` knows no `{key}`; remove it")]
    UnknownKey {
        /// The kind of evaluator.
        kind: &'static str,
        /// What was found.
        key: String,
    },
    /// The seed is missing or not a whole number from zero.
    #[error("an evaluator of kind `random` needs `seed`, a whole number from 0; found {found}")]
    Seed {
        /// What was found.
        found: String,
    },
    /// There are no weights.
    #[error("an evaluator of kind `{kind}` needs the table [evaluator.weights]")]
    NoWeights {
        /// The kind of evaluator.
        kind: &'static str,
    },
    /// No group of weights is called that.
    #[error("[evaluator.weights] knows no group `{group}`; did you mean `{nearest}`?")]
    UnknownGroup {
        /// What was found.
        group: String,
        /// A group that is spelled alike.
        nearest: &'static str,
    },
    /// A group of weights is missing.
    #[error(
        "[evaluator.weights] lacks the group `{group}`; add {length} pairs [middle game, end game]"
    )]
    MissingGroup {
        /// The group.
        group: String,
        /// How many pairs it needs.
        length: usize,
    },
    /// A group has more or fewer weights than its terms.
    #[error(
        "`{group}` in [evaluator.weights] needs {length} pairs [middle game, end game]; found {found}"
    )]
    WrongLength {
        /// The group.
        group: String,
        /// How many pairs it needs.
        length: usize,
        /// How many there are.
        found: usize,
    },
    /// Something that is no pair of whole numbers.
    #[error(
        "`{group}` in [evaluator.weights] is a list of pairs of whole numbers [middle game, end game]; found {found}"
    )]
    NotPairs {
        /// The group.
        group: String,
        /// What was found.
        found: String,
    },
    /// A weight beyond reason.
    #[error(
        "`{group}` in [evaluator.weights] holds {found} at index {index}; keep it within ±{limit}"
    )]
    OutOfRange {
        /// The group.
        group: String,
        /// Which pair of the group, from 0.
        index: usize,
        /// What was found.
        found: i64,
        /// The largest weight without sign.
        limit: i32,
    },
    /// No weight of this kind of evaluator is called that.
    #[error("[evaluator.weights] of kind `{kind}` knows no `{key}`; did you mean `{nearest}`?")]
    UnknownWeight {
        /// The kind of evaluator.
        kind: &'static str,
        /// What was found.
        key: String,
        /// A weight that is spelled alike.
        nearest: &'static str,
    },
    /// A weight is missing.
    #[error("[evaluator.weights] of kind `{kind}` lacks `{key}`; add {key} = {form}")]
    MissingWeight {
        /// The kind of evaluator.
        kind: &'static str,
        /// The weight.
        key: &'static str,
        /// How such a weight is written.
        form: &'static str,
    },
    /// Something that is no weight.
    #[error("`{key}` in [evaluator.weights] is {found}; write {key} = {form} in whole numbers")]
    NoWeight {
        /// The weight.
        key: &'static str,
        /// What was found.
        found: String,
        /// How such a weight is written.
        form: &'static str,
    },
    /// A weight beyond reason.
    #[error("`{key}` in [evaluator.weights] holds {found}; keep it within ±{limit}")]
    WeightOutOfRange {
        /// The weight.
        key: &'static str,
        /// What was found.
        found: i64,
        /// The largest weight without sign.
        limit: i32,
    },
    /// A list of weights that is too short or too long.
    #[error("an evaluator of kind `{kind}` has {needed} weights, not {found}")]
    WrongCount {
        /// The kind of evaluator.
        kind: &'static str,
        /// How many it has.
        needed: usize,
        /// How many were given.
        found: usize,
    },
    /// A text that is no network.
    #[error(
        "`network` in [evaluator] is no network of this version: {bytes} bytes in Base64; remove it, and the weight `network`, or breed a new one"
    )]
    Network {
        /// How many bytes one has.
        bytes: usize,
    },
    /// Something about a network that does not fit.
    #[error("`{key}` in [evaluator] of kind `{kind}` {found}; write {wanted}")]
    Setting {
        /// The kind of evaluator.
        kind: &'static str,
        /// The key.
        key: &'static str,
        /// What was found, as the end of a sentence.
        found: String,
        /// What would be right.
        wanted: String,
    },
    /// A text that is no list of numbers.
    #[error(
        "an evaluator of kind `{kind}` needs `numbers`, 32-bit whole numbers in Base64; found {found}"
    )]
    Numbers {
        /// The kind of evaluator.
        kind: &'static str,
        /// What was found.
        found: &'static str,
    },
    /// A number of a network beyond reason.
    #[error("number {index} (from 0) of kind `{kind}` is {found}; keep it within ±{limit}")]
    NumberOutOfRange {
        /// The kind of evaluator.
        kind: &'static str,
        /// Which number, from 0.
        index: usize,
        /// What was found.
        found: i32,
        /// The largest number without sign.
        limit: i32,
    },
    /// Numbers that are no graph.
    #[error("the numbers of an evaluator of kind `graph` do not fit: {0}")]
    Graph(#[from] GraphError),
    /// A network's file that cannot be used.
    #[error("[evaluator]: {reason}")]
    NetworkFile {
        /// What is wrong and what would be right.
        reason: String,
    },
    /// Weights for an evaluator that has none.
    #[error("an evaluator of kind `{kind}` has no weights that could be changed")]
    Fixed {
        /// The kind of evaluator.
        kind: &'static str,
    },
}

const KINDS: &str = "\"classic\", \"cwu\", \"david\", \"gerald\", \"graph\", \"lambda\", \"teaching\", \"material\", \"mlp\", \"random\" or \"vision\"";

/// Runs the same code for whichever evaluator it is.
macro_rules! with_evaluator {
    ($any:expr, $evaluator:ident => $body:expr) => {
        match $any {
            $crate::AnyEvaluator::Classic($evaluator) => $body,
            $crate::AnyEvaluator::Cwu($evaluator) => $body,
            $crate::AnyEvaluator::David($evaluator) => $body,
            $crate::AnyEvaluator::Gerald($evaluator) => $body,
            $crate::AnyEvaluator::Graph($evaluator) => $body,
            $crate::AnyEvaluator::Lambda($evaluator) => $body,
            $crate::AnyEvaluator::Teaching($evaluator) => $body,
            $crate::AnyEvaluator::Material($evaluator) => $body,
            $crate::AnyEvaluator::Mlp($evaluator) => $body,
            $crate::AnyEvaluator::Random($evaluator) => $body,
            $crate::AnyEvaluator::Vision($evaluator) => $body,
        }
    };
}
pub(crate) use with_evaluator;

impl AnyEvaluator {
    /// Reads the `[evaluator]` table of a player file that names no other file.
    ///
    /// # Errors
    ///
    /// If the table lacks something, or holds something that means nothing.
    pub fn from_toml(table: &Table) -> Result<Self, EvaluatorError> {
        let nowhere = |file: &str| Err(format!("the network `{file}` is nowhere to be looked for"));
        Self::from_toml_with(table, &nowhere)
    }

    /// Reads the `[evaluator]` table of a player file; `open` gets the networks that it
    /// names.
    ///
    /// # Errors
    ///
    /// If the table lacks something, or holds something that means nothing.
    pub fn from_toml_with(table: &Table, open: Open) -> Result<Self, EvaluatorError> {
        let kind = match table.get("kind") {
            Some(Value::String(kind)) => kind.as_str(),
            _ => return Err(EvaluatorError::NoKind),
        };
        match kind {
            "classic" => {
                knows_only(table, "classic", &["kind", "weights", "network"])?;
                let weights = table.get("weights").and_then(Value::as_table);
                let weights = weights.ok_or(EvaluatorError::NoWeights { kind: "classic" })?;
                let network = table.get("network").map(network_of).transpose()?;
                let classic = Classic::from_toml(weights)?.with_network(network.map(Arc::new));
                Ok(Self::Classic(classic))
            }
            Cwu::KIND => Cwu::from_toml(weights_of(table, Cwu::KIND)?).map(Self::Cwu),
            David::KIND => paper(table).map(Self::David),
            Gerald::KIND => paper(table).map(Self::Gerald),
            Lambda::KIND => paper(table).map(Self::Lambda),
            Teaching::KIND => paper(table).map(Self::Teaching),
            "material" => {
                knows_only(table, "material", &["kind"])?;
                Ok(Self::Material(Material))
            }
            Graph::KIND => Graph::from_toml(table).map(Self::Graph),
            Mlp::KIND => Mlp::from_toml(table).map(Self::Mlp),
            Vision::KIND => Vision::from_toml(table, open).map(Self::Vision),
            "random" => {
                knows_only(table, "random", &["kind", "seed"])?;
                let seed = table.get("seed");
                seed.and_then(Value::as_integer)
                    .and_then(|seed| u64::try_from(seed).ok())
                    .map(|seed| Self::Random(Random::new(seed)))
                    .ok_or_else(|| EvaluatorError::Seed {
                        found: seed.map_or_else(|| "nothing".to_owned(), Value::to_string),
                    })
            }
            _ => Err(EvaluatorError::UnknownKind {
                kind: kind.chars().take(60).collect(),
            }),
        }
    }

    /// The `[evaluator]` table of a player file; [`from_toml`](Self::from_toml)
    /// reads it back as the same evaluator.
    pub fn to_toml(&self) -> Table {
        let mut table = Table::new();
        table.insert("kind".to_owned(), Value::from(self.kind()));
        let weights = match self {
            Self::Classic(classic) => {
                if let Some(text) = network_text(classic) {
                    table.insert("network".to_owned(), Value::from(text));
                }
                Some(classic.to_toml())
            }
            Self::Cwu(cwu) => Some(cwu.to_toml()),
            Self::Random(random) => {
                table.insert("seed".to_owned(), Value::Integer(random.seed() as i64));
                None
            }
            Self::Graph(_) | Self::Mlp(_) | Self::Vision(_) => {
                let entries = self.entries().into_iter();
                table.extend(entries.map(|(key, value)| (key.to_owned(), value)));
                self.plus().map(Linear::to_toml)
            }
            _ => self.paper().map(AnyPaper::to_toml),
        };
        if let Some(weights) = weights {
            table.insert("weights".to_owned(), Value::Table(weights));
        }
        table
    }

    /// The tables `[evaluator]` and `[evaluator.weights]` as text for people:
    /// each weight with what it counts.
    pub fn to_toml_text(&self) -> String {
        let mut head = format!("[evaluator]\nkind = \"{}\"\n", self.kind());
        if let Self::Classic(classic) = self
            && let Some(text) = network_text(classic)
        {
            head = format!("{head}network = \"{text}\"\n");
        }
        let weights = match self {
            Self::Classic(classic) => classic.to_toml_text(),
            Self::Cwu(cwu) => cwu.to_toml_text(),
            Self::Random(random) => return format!("{head}seed = {}\n", random.seed()),
            Self::Graph(_) | Self::Mlp(_) | Self::Vision(_) => {
                let entries = self.entries().into_iter();
                let lines = entries.map(|(key, value)| format!("{key} = {value}\n"));
                head = lines.fold(head, |text, line| text + &line);
                match self.plus() {
                    Some(plus) => plus.to_toml_text(),
                    None => return head,
                }
            }
            _ => match self.paper() {
                Some(paper) => paper.to_toml_text(),
                None => return head,
            },
        };
        format!("{head}\n[evaluator.weights]\n{weights}")
    }

    /// What a player file calls this kind of evaluator.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Classic(_) => "classic",
            Self::Cwu(_) => Cwu::KIND,
            Self::Material(_) => "material",
            Self::Graph(_) => Graph::KIND,
            Self::Mlp(_) => Mlp::KIND,
            Self::Random(_) => "random",
            Self::David(_) => David::KIND,
            Self::Gerald(_) => Gerald::KIND,
            Self::Lambda(_) => Lambda::KIND,
            Self::Teaching(_) => Teaching::KIND,
            Self::Vision(_) => Vision::KIND,
        }
    }

    /// The evaluator of a paper, whichever it is.
    pub(crate) fn paper(&self) -> Option<&dyn AnyPaper> {
        match self {
            Self::David(paper) => Some(paper),
            Self::Gerald(paper) => Some(paper),
            Self::Lambda(paper) => Some(paper),
            Self::Teaching(paper) => Some(paper),
            Self::Classic(_)
            | Self::Cwu(_)
            | Self::Graph(_)
            | Self::Material(_)
            | Self::Mlp(_)
            | Self::Random(_)
            | Self::Vision(_) => None,
        }
    }

    /// What stands in the table of a network, behind its kind.
    fn entries(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Graph(graph) => graph.entries(),
            Self::Mlp(mlp) => mlp.entries(),
            Self::Vision(vision) => vision.entries(),
            _ => Vec::new(),
        }
    }

    /// The heuristic beside a network.
    fn plus(&self) -> Option<&Linear<Teaching>> {
        match self {
            Self::Vision(vision) => vision.plus(),
            _ => None,
        }
    }

    /// A short name for logs and tables.
    pub fn name(&self) -> String {
        with_evaluator!(self, evaluator => evaluator.name())
    }

    /// The terms the evaluator adds up, with their weights.
    pub fn terms(&self) -> Vec<Term> {
        with_evaluator!(self, evaluator => evaluator.terms())
    }

    /// Judges one position, as the side to move sees it. Slower than the search's
    /// way, because nothing is kept for the next call.
    pub fn evaluate(&self, position: &Position) -> Centipawns {
        fn once<E: Evaluator>(evaluator: &E, position: &Position) -> Centipawns {
            evaluator.evaluate(position, &mut E::Scratch::default(), &mut Silent)
        }
        with_evaluator!(self, evaluator => once(evaluator, position))
    }

    /// Judges one position and says why.
    pub fn explain(&self, position: &Position) -> Explanation {
        with_evaluator!(self, evaluator => explain(evaluator, position))
    }
}

/// The network of a classic evaluator as a player file writes it.
fn network_text(classic: &Classic) -> Option<String> {
    let network = classic.network()?;
    Some(BASE64_STANDARD.encode(network.to_bytes()))
}

fn network_of(value: &Value) -> Result<Network, EvaluatorError> {
    let bytes = value
        .as_str()
        .and_then(|text| BASE64_STANDARD.decode(text).ok());
    bytes
        .and_then(|bytes| Network::from_bytes(&bytes))
        .ok_or(EvaluatorError::Network {
            bytes: Network::BYTES,
        })
}

/// Reads an evaluator of a paper.
fn paper<P: Paper>(table: &Table) -> Result<Linear<P>, EvaluatorError> {
    Linear::from_toml(weights_of(table, P::KIND)?)
}

fn weights_of<'a>(table: &'a Table, kind: &'static str) -> Result<&'a Table, EvaluatorError> {
    knows_only(table, kind, &["kind", "weights"])?;
    table
        .get("weights")
        .and_then(Value::as_table)
        .ok_or(EvaluatorError::NoWeights { kind })
}

pub(crate) fn knows_only(
    table: &Table,
    kind: &'static str,
    known: &[&str],
) -> Result<(), EvaluatorError> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(EvaluatorError::UnknownKey {
            kind,
            key: key.chars().take(60).collect(),
        }),
    }
}

/// A value as it stands in the file, but never a screen full of it.
pub(crate) fn quote(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The name that shares the longest beginning, to help with typing errors.
pub(crate) fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> &'static str {
    let shared = |known: &&str| {
        let pairs = known.chars().zip(name.chars());
        pairs.take_while(|(a, b)| a == b).count()
    };
    known.max_by_key(shared).unwrap_or("")
}
