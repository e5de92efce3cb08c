//! Genomes in, players and scores out.
//!
//! A [`genome`] becomes the numbers of a player, and a [`trial`] measures how good the
//! players of a generation are. [`breeders`] and [`trials`] list what recipes can name. Trials that compare positions multiply [`matrix`] rows;
//! [`nnue`] trains the network that is added to the terms of an evaluator.
//!
//! This crate must not depend on folders of experiments or on their records.
//!
//! ```
//! use mendel_engine::Player;
//! use mendel_fitness::genome::LAMBDA;
//!
//! let lambda = Player::find("lambda-ga").expect("it is built in");
//! let bits: u32 = LAMBDA.iter().map(|(_, bits)| bits).sum();
//! assert_eq!(bits, 244);
//! // Every weight but the pawn's has a gene.
//! assert_eq!(lambda.evaluator.weights().len(), LAMBDA.len() + 1);
//! ```

pub mod breeders;
pub mod genome;
pub mod matrix;
pub mod nnue;
pub mod trial;
pub mod trials;
