//! A position in, centipawns out.
//!
//! An [`Evaluator`] judges one quiet position, as the side to move sees it. It
//! is independent of search: no depth, no bounds, no time. While it adds up its
//! terms it reports them to a [`Trace`]; in play the reports are compiled away, for
//! tables and breeding every term is recorded. So what is explained and what is bred
//! is what is played.
//!
//! ```
//! use mendel_board::Position;
//! use mendel_evaluator::{Centipawns, Evaluator, Material, Silent};
//!
//! let a_queen_up = Position::from_fen("4k3/8/8/8/8/8/8/3QK3 b - - 0 1")?;
//! let score = Material.evaluate(&a_queen_up, &mut (), &mut Silent);
//! assert_eq!(score, Centipawns(-900));
//! # Ok::<(), mendel_board::NotationError>(())
//! ```

#![allow(
    clippy::inline_always,
    clippy::missing_panics_doc,
    reason = "inlined code is compiled for the processor of its caller, and a term must cost an \
              addition, not a call; an `expect` here says why it cannot fail"
)]

mod accumulator;
mod any;
pub mod classic;
mod coefficients;
pub mod contract;
pub mod cwu;
pub mod david;
mod error;
mod explain;
pub mod features;
pub mod function;
pub mod gerald;
pub mod graph;
mod input;
pub mod lambda;
mod linear;
mod material;
pub mod mlp;
pub mod network;
mod neural;
mod packed;
mod player_file;
pub mod policy;
mod random;
mod side;
mod side_view;
mod simd;
mod snapshot;
mod squares;
pub mod teaching;
mod trace;
pub mod vision;

use mendel_board::Position;

pub use any::{AnyEvaluator, Judge};
pub use classic::Classic;
pub use coefficients::{Coefficients, Counting, Phase, Weight};
pub use cwu::Cwu;
pub use david::David;
pub use error::EvaluatorError;
pub use explain::{Exact, Explanation, Row, Term, explain};
pub use function::Function;
pub use gerald::Gerald;
pub use graph::Graph;
pub use input::Input;
pub use lambda::Lambda;
pub use linear::{Feature, LinearEvaluator, LinearModel, MAX_TERMS};
pub use material::Material;
pub use mlp::Mlp;
pub use network::Network;
pub use policy::Policy;
pub use random::Random;
pub use teaching::Teaching;
pub use trace::{Breakdown, Share, Silent, Trace};
pub use vision::Vision;

/// A score in centipawns, as the side to move sees it.
///
/// Kept apart from a bare `i32` so that a White-relative number cannot slip
/// into the search unnoticed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Centipawns(pub i32);

impl Centipawns {
    /// The largest score of an evaluator, below those of a mate.
    pub(crate) const LIMIT: Self = Self(20_000);
}

/// Judges one quiet position.
///
/// # Contract
///
/// * The score belongs to the side to move: swap the colours and turn the
///   board over, and the number stays the same; unless it
///   [`sees_colour`](Self::sees_colour).
/// * No memory: equal positions get equal scores, whatever came before. The
///   scratch may save work, never change a score.
/// * No mates: forced wins are the search's business, so scores stay within
///   ±[`LIMIT`](Self::LIMIT).
/// * What is told to the trace, with the weights of [`terms`](Self::terms), adds
///   up to the score.
///
/// [`contract`] tests each of these for any implementation.
pub trait Evaluator: Send + Sync {
    /// The largest score an evaluator may give.
    const LIMIT: Centipawns = Centipawns::LIMIT;

    /// What one thread keeps between calls to be quick, such as a pawn table.
    type Scratch: Default + Send;

    /// A short name for logs and tables, such as `material` or `classic`.
    fn name(&self) -> String;

    /// Whether the score of a position may change when the colours are swapped. Only
    /// published networks may say so; nothing of our own does.
    fn sees_colour(&self) -> bool {
        false
    }

    /// The terms the evaluator adds up, with their weights, in the order of the
    /// numbers it tells a [`Trace`].
    fn terms(&self) -> Vec<Term>;

    /// Judges `position`, telling `trace` what each term counted.
    fn evaluate(
        &self,
        position: &Position,
        scratch: &mut Self::Scratch,
        trace: &mut impl Trace,
    ) -> Centipawns;
}
