//! Files in, labelled positions and games out.
//!
//! A [`DataSet`] is what a trial measures against: positions, each with a score, a
//! best move or a result, or several of these. [`make`] plays games, experts [`label`]
//! their positions, [`import`] reads files of others, [`BUILT_IN`] are the sets that ship with
//! the program, [`SUITES`] are the built-in sets that are stored as text. A [`shard`]
//! holds whole games, from which networks learn. The files are described in
//! `docs/formats.md`.
//!
//! This crate must not depend on evolution.
//!
//! ```
//! use mendel_data::DataSet;
//!
//! let quiet = DataSet::built_in("quiet").expect("it ships")?;
//! let (train, hold_out) = quiet.split();
//! assert_eq!(train.len() + hold_out.len(), quiet.samples.len());
//! # Ok::<(), mendel_data::DataError>(())
//! ```

mod error;
mod formats;
pub mod import;
pub mod label;
pub mod make;
pub mod shard;

pub use error::{DataError, DataFile, MakeError};
pub use formats::*;
