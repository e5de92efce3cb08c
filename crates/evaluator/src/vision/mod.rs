//! Convolutional networks: what they see, what they are, their files, and how they are
//! run on one thread of a processor.
//!
//! Training uses the same views and shapes and writes the same files, so what is
//! trained is what plays.
//!
//! # Source
//!
//! The two networks of the λ-hybrid paper (Technion, 2023) are [`Shape::chessnet`] and
//! [`Shape::chess_pos_eval_net`], the one of "Teaching chess" (UT Austin, 2024) is
//! [`Shape::teaching`].
//!
//! # Where this differs
//!
//! Batch normalisation is part of the weights. [`View::Sides`] and [`Head::Pairs`] are
//! our own.

#![allow(
    clippy::needless_range_loop,
    reason = "counted loops over arrays are unrolled and kept in registers, iterators not always"
)]

mod convolution;
mod dense;
mod evaluator;
mod file;
mod head;
mod net;
mod scene;
mod shape;
mod winograd;

pub use self::evaluator::{CnnCache, LoadedNet, Open, Vision};
pub use self::file::{File, NetFileError};
pub use self::net::{MOST_BATCH, Net, Workspace};
pub use self::scene::{Scene, encode, ends};
pub use self::shape::{
    Activation, Head, MOST_BLOCKS, MOST_NUMBERS, MOST_PLIES, MOST_WIDTH, SQUARES, Shape, Tensor,
    VALUE_PLANES, View,
};
