//! An evaluator chosen at run time.

use std::fmt;

use mendel_board::Position;
use toml::{Table, Value};

use crate::player_file::{PlayerEvaluator, shortened};
use crate::vision::{Open, Vision};
use crate::{
    Centipawns, Classic, Coefficients, Counting, Cwu, David, Evaluator, EvaluatorError,
    Explanation, Gerald, Graph, Lambda, LinearEvaluator, Material, Mlp, Random, Silent, Teaching,
    Term, Weight, explain,
};

/// Makes the enum of all evaluators from the one list of them, and
/// [`with_evaluator!`], which runs code for the one chosen.
macro_rules! evaluators {
    ($d:tt $($(#[doc = $about:literal])+ $name:ident($evaluator:ty),)+) => {
        /// One of the evaluators, as a player file names it.
        ///
        /// The search matches on it once at its root and is then compiled for the one it
        /// got, so that no leaf has to match again.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum AnyEvaluator {
            $($(#[doc = $about])+ $name($evaluator),)+
        }

        /// Runs the same code for each kind of evaluator: `with_evaluator!(any, it => …)`.
        #[macro_export]
        macro_rules! with_evaluator {
            ($d any:expr, $d evaluator:ident => $d body:expr) => {
                match $d any {
                    $($d crate::AnyEvaluator::$name($d evaluator) => $d body,)+
                }
            };
        }

        impl AnyEvaluator {
            /// What player files call the kinds.
            pub const KINDS: &[&str] = &[$(<$evaluator as PlayerEvaluator>::KIND),+];

            fn read(kind: &str, table: &Table) -> Option<Result<Self, EvaluatorError>> {
                $(if kind == <$evaluator as PlayerEvaluator>::KIND {
                    return Some(<$evaluator>::read(table).map(Self::$name));
                })+
                None
            }

            /// The same kind of evaluator with other weights, in the order of
            /// [`weights`](Self::weights).
            ///
            /// # Errors
            ///
            /// If there are more or fewer than it has, or one is out of range.
            pub fn with_weights(&self, values: &[i32]) -> Result<Self, EvaluatorError> {
                match self {
                    $(Self::$name(it) => it.with_weights(values).map(Self::$name),)+
                }
            }
        }
    };
}

evaluators! {
    $
    /// Our own tapered evaluator.
    Classic(Classic),
    /// The ten weights of CWU-Chess.
    Cwu(Cwu),
    /// The 35 terms of David, van den Herik, Koppel and Netanyahu.
    David(LinearEvaluator<David>),
    /// The 29 terms of GERALD.
    Gerald(LinearEvaluator<Gerald>),
    /// A network of any wiring.
    Graph(Graph),
    /// The 37 terms of the λ hybrid.
    Lambda(LinearEvaluator<Lambda>),
    /// The heuristic of the teaching engine.
    Teaching(LinearEvaluator<Teaching>),
    /// Material only.
    Material(Material),
    /// A network of layers.
    Mlp(Mlp),
    /// A score by chance.
    Random(Random),
    /// A convolutional network.
    Vision(Vision),
}

impl AnyEvaluator {
    /// Reads the `[evaluator]` table of a player file that names no other file.
    ///
    /// # Errors
    ///
    /// If a key is missing, unknown or has a wrong value.
    pub fn from_toml(table: &Table) -> Result<Self, EvaluatorError> {
        let kinds = || match Self::KINDS {
            [others @ .., last] => format!("\"{}\" or \"{last}\"", others.join("\", \"")),
            [] => String::new(),
        };
        let Some(Value::String(kind)) = table.get("kind") else {
            return Err(EvaluatorError::NoKind { kinds: kinds() });
        };
        Self::read(kind, table).unwrap_or_else(|| {
            Err(EvaluatorError::UnknownKind {
                kind: shortened(kind),
                kinds: kinds(),
            })
        })
    }

    /// Reads the `[evaluator]` table of a player file; `open` gets the networks that it
    /// names.
    ///
    /// # Errors
    ///
    /// As for [`from_toml`](Self::from_toml), and if a network cannot be opened.
    pub fn from_toml_with(table: &Table, open: Open) -> Result<Self, EvaluatorError> {
        if table.get("kind").and_then(Value::as_str) == Some(Vision::KIND) {
            return Vision::read_with(table, open).map(Self::Vision);
        }
        Self::from_toml(table)
    }

    /// The `[evaluator]` table of a player file; [`from_toml`](Self::from_toml)
    /// reads it back as the same evaluator.
    pub fn to_toml(&self) -> Table {
        let mut table = Table::new();
        table.insert("kind".to_owned(), Value::from(self.kind()));
        with_evaluator!(self, evaluator => {
            let entries = evaluator.entries().into_iter();
            table.extend(entries.map(|(key, value)| (key.to_owned(), value)));
            let weights = evaluator.weights_toml().into_iter();
            table.extend(weights.map(|weights| ("weights".to_owned(), Value::Table(weights))));
        });
        table
    }

    /// What a player file calls this kind of evaluator.
    pub fn kind(&self) -> &'static str {
        fn kind_of<E: PlayerEvaluator>(_: &E) -> &'static str {
            E::KIND
        }
        with_evaluator!(self, evaluator => kind_of(evaluator))
    }

    pub fn name(&self) -> String {
        with_evaluator!(self, evaluator => evaluator.name())
    }

    /// The terms the evaluator adds up, with their weights.
    pub fn terms(&self) -> Vec<Term> {
        with_evaluator!(self, evaluator => evaluator.terms())
    }

    /// Evaluates one position, relative to the side to move. Slower than the search's
    /// way and [`judge`](Self::judge), because no cache is kept for the next call.
    pub fn evaluate(&self, position: &Position) -> Centipawns {
        self.judge().evaluate(position)
    }

    /// Evaluates one position and explains the score.
    pub fn explain(&self, position: &Position) -> Explanation {
        with_evaluator!(self, evaluator => explain(evaluator, position))
    }

    /// The weights that can be bred, term by term, of each term the middle game
    /// first; empty where there are none to breed.
    ///
    /// Of a network these are all its numbers, in parts of [`ONE`](crate::mlp::ONE)
    /// instead of centipawns; of CWU-Chess all ten, in parts of
    /// [`cwu::ONE`](crate::cwu::ONE).
    pub fn weights(&self) -> Vec<Weight> {
        with_evaluator!(self, evaluator => evaluator.weights())
    }

    /// The weights as pairs, middle game and end game, in the order of the terms.
    pub fn pairs(&self) -> Vec<[i32; 2]> {
        let pair = |term: &Term| [term.middle_game, term.end_game];
        self.terms().iter().map(pair).collect()
    }

    /// Extracts coefficients from positions; `None` if the evaluator is not linear.
    pub fn counting(&self) -> Option<Counting<'_>> {
        fn of<E: PlayerEvaluator>(evaluator: &E) -> Option<Counting<'_>> {
            E::IS_LINEAR.then(|| Counting::new(evaluator))
        }
        with_evaluator!(self, evaluator => of(evaluator))
    }

    /// One position as coefficients; for many, [`counting`](Self::counting) is
    /// far quicker. `None` if the evaluator is not linear.
    pub fn coefficients(&self, position: &Position) -> Option<Coefficients> {
        Some(self.counting()?.coefficients(position))
    }

    /// Evaluates many positions with the caches of one thread.
    pub fn judge(&self) -> Judge<'_> {
        with_evaluator!(self, evaluator => Judge::new(evaluator))
    }
}

/// An evaluator with the caches of one thread: make one for each thread, not one for
/// each position.
pub struct Judge<'a>(Box<dyn FnMut(&Position) -> Centipawns + Send + 'a>);

impl fmt::Debug for Judge<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge").finish_non_exhaustive()
    }
}

impl<'a> Judge<'a> {
    fn new<E: Evaluator>(evaluator: &'a E) -> Self {
        let mut cache = E::Scratch::default();
        Self(Box::new(move |position| {
            evaluator.evaluate(position, &mut cache, &mut Silent)
        }))
    }

    /// Evaluates one position, relative to the side to move.
    pub fn evaluate(&mut self, position: &Position) -> Centipawns {
        (self.0)(position)
    }
}
