//! An evaluator chosen at run time.

use mendel_board::Position;
use toml::{Table, Value};

use crate::{Centipawns, Classic, Evaluator, Explanation, Material, Random, Silent, explain};

/// One of the evaluators, as a player file names it.
///
/// The search matches on it once at its root and is then compiled for the one it
/// got, so that no leaf asks again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyEvaluator {
    /// Our own tapered evaluator.
    Classic(Classic),
    /// Counts wood.
    Material(Material),
    /// Throws dice.
    Random(Random),
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
    #[error("an evaluator of kind `classic` needs the table [evaluator.weights]")]
    NoWeights,
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
}

const KINDS: &str = "\"classic\", \"material\" or \"random\"";

impl AnyEvaluator {
    /// Reads the `[evaluator]` table of a player file.
    ///
    /// # Errors
    ///
    /// If the table lacks something, or holds something that means nothing.
    pub fn from_toml(table: &Table) -> Result<Self, EvaluatorError> {
        let kind = match table.get("kind") {
            Some(Value::String(kind)) => kind.as_str(),
            _ => return Err(EvaluatorError::NoKind),
        };
        match kind {
            "classic" => {
                knows_only(table, "classic", &["kind", "weights"])?;
                let weights = table
                    .get("weights")
                    .and_then(Value::as_table)
                    .ok_or(EvaluatorError::NoWeights)?;
                Classic::from_toml(weights).map(Self::Classic)
            }
            "material" => {
                knows_only(table, "material", &["kind"])?;
                Ok(Self::Material(Material))
            }
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
        match self {
            Self::Classic(classic) => {
                table.insert("weights".to_owned(), Value::Table(classic.to_toml()));
            }
            Self::Material(_) => {}
            Self::Random(random) => {
                table.insert("seed".to_owned(), Value::Integer(random.seed() as i64));
            }
        }
        table
    }

    /// What a player file calls this kind of evaluator.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Classic(_) => "classic",
            Self::Material(_) => "material",
            Self::Random(_) => "random",
        }
    }

    /// A short name for logs and tables.
    pub fn name(&self) -> String {
        match self {
            Self::Classic(evaluator) => evaluator.name(),
            Self::Material(evaluator) => evaluator.name(),
            Self::Random(evaluator) => evaluator.name(),
        }
    }

    /// Judges one position, as the side to move sees it. Slower than the search's
    /// way, because nothing is kept for the next call.
    pub fn evaluate(&self, position: &Position) -> Centipawns {
        fn once<E: Evaluator>(evaluator: &E, position: &Position) -> Centipawns {
            evaluator.evaluate(position, &mut E::Scratch::default(), &mut Silent)
        }
        match self {
            Self::Classic(evaluator) => once(evaluator, position),
            Self::Material(evaluator) => once(evaluator, position),
            Self::Random(evaluator) => once(evaluator, position),
        }
    }

    /// Judges one position and says why.
    pub fn explain(&self, position: &Position) -> Explanation {
        match self {
            Self::Classic(evaluator) => explain(evaluator, position),
            Self::Material(evaluator) => explain(evaluator, position),
            Self::Random(evaluator) => explain(evaluator, position),
        }
    }
}

fn knows_only(table: &Table, kind: &'static str, known: &[&str]) -> Result<(), EvaluatorError> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(EvaluatorError::UnknownKey {
            kind,
            key: key.chars().take(60).collect(),
        }),
    }
}
