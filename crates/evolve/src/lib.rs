//! Numbers in, better numbers out.
//!
//! A [`Breeder`] asks with genomes and is told how they did; who judges them,
//! and what they mean, it does not know. This crate knows no chess, no files and
//! no threads.
//!
//! | part | what it does |
//! |---|---|
//! | [`Bits`] with a [`Layout`], [`Reals`] with [`Bounds`], [`Net`] with a [`Shape`] | what is changed |
//! | [`Network`] | a network of nodes and links, run |
//! | [`Codec`] | turns a genome into the thing it describes |
//! | [`Trial`] | judges a generation of such things |
//! | [`Ga`], [`MuPlusLambda`], [`Adam`], [`Spsa`], [`Cosyne`], [`Neat`], [`RandomSearch`] | make the next generation |
//! | [`Selection`], [`Crossover`], [`Mutation`], [`Hall`] | what they make it with |
//! | [`hyperneat`] | networks that paint networks: HyperNEAT and ES-HyperNEAT |
//! | [`tuners`] | knobs of a program, tuned by duels |
//! | [`Run`], [`StopRules`], [`Observer`] | the loop, when it ends, who watches |
//! | [`generator`], [`generation_seed`] | all the chance there is |
//!
//! Scores are better the larger they are. A breeder, and a whole [`Run`], is its own
//! state: written down after any generation and read back, it goes on with the very
//! genomes it would have proposed.
//!
//! ```
//! use mendel_evolve::{Plain, RandomSearch, RandomSettings, Reals, Run, StopRules, Trial};
//! use mendel_evolve::{Bounds, Judged};
//!
//! /// The nearer to 3, the better.
//! struct NearThree;
//!
//! impl Trial<Reals> for NearThree {
//!     type Error = std::convert::Infallible;
//!     fn judge(&mut self, members: &[Reals], _seed: u64) -> Result<Vec<Judged>, Self::Error> {
//!         let score = |member: &Reals| -(member.0[0] - 3.0).abs();
//!         let judge = |member| Judged { score: score(member), slope: None };
//!         Ok(members.iter().map(judge).collect())
//!     }
//! }
//!
//! let space = vec![Bounds::new("x", -10.0, 10.0)];
//! let search = RandomSearch::new(RandomSettings { population: 20 }, space, None, 7)?;
//! let stop = StopRules { generations: Some(50), target: Some(-0.1), ..StopRules::default() };
//! let mut run = Run::new(search, stop, 7)?;
//! let finished = run.finish(&Plain::new(), &mut NearThree, &mut [])?;
//! assert!(finished.champion.score > -0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Learning from an expert
//!
//! "Expert distance" is a way to find the numbers of a formula: ask an expert to
//! score examples, and breed numbers with which the formula scores them alike. The
//! expert need not explain anything. It was proposed for chess; here it learns how an
//! agent prices flats, with a Gray-coded layout and the genetic algorithm of
//! that thesis at a tenth of its size.
//!
//! # Source
//!
//! Harris, "Applications of Genetic Algorithms to Chess", Bard College, 2024,
//! chapter 4, where the author expects the method to work elsewhere; before it
//! David-Tabibi, Koppel and Netanyahu, "Expert-driven genetic algorithms for
//! simulating evaluation functions", *Genetic Programming and Evolvable Machines*
//! 12(1), 2011.
//!
//! # Where this differs
//!
//! Nowhere in the method; the flats are ours.
//!
//! ```
//! use mendel_evolve::{
//!     Bits, Coding, Crossover, Founders, Ga, GaSettings, Gene, Judged, Layout, Mutation, Run,
//!     Selection, StopRules, Trial,
//! };
//!
//! /// A flat: square metres, rooms, minutes to the station, floor, has a balcony.
//! type Flat = [i64; 5];
//!
//! /// What the agent asks a month. We see the rents only, not this rule, which is
//! /// no weighted sum: high floors cost more, but not the highest.
//! fn expert(flat: &Flat) -> i64 {
//!     let [area, rooms, minutes, floor, balcony] = *flat;
//!     200 + 9 * area + 45 * rooms - 14 * minutes + 20 * floor.min(4) + 60 * balcony
//! }
//!
//! /// Our formula: a weighted sum with the weights that are bred.
//! fn rent(weights: &[i64], flat: &Flat) -> i64 {
//!     weights[0] + weights[1..].iter().zip(flat).map(|(weight, count)| weight * count).sum::<i64>()
//! }
//!
//! struct ExpertDistance(Vec<(Flat, i64)>);
//!
//! impl ExpertDistance {
//!     fn error(&self, weights: &[i64]) -> f64 {
//!         let errors = self.0.iter().map(|(flat, asked)| (rent(weights, flat) - asked).abs());
//!         errors.sum::<i64>() as f64 / self.0.len() as f64
//!     }
//! }
//!
//! impl Trial<Vec<i64>> for ExpertDistance {
//!     type Error = std::convert::Infallible;
//!     fn judge(&mut self, members: &[Vec<i64>], _seed: u64) -> Result<Vec<Judged>, Self::Error> {
//!         let judge = |weights: &Vec<i64>| Judged { score: -self.error(weights), slope: None };
//!         Ok(members.iter().map(judge).collect())
//!     }
//! }
//!
//! // A hundred flats; the last forty are kept to see what was really learned.
//! let flat = |n: i64| [25 + n * 37 % 90, 1 + n * 7 % 4, 1 + n * 11 % 30, n * 5 % 7, n * 3 % 2];
//! let priced: Vec<(Flat, i64)> = (0..100).map(flat).map(|f| (f, expert(&f))).collect();
//! let (seen, unseen) = priced.split_at(60);
//! let (mut seen, unseen) = (ExpertDistance(seen.to_vec()), ExpertDistance(unseen.to_vec()));
//!
//! let gene = |name: &str, bits, offset| Gene { offset, ..Gene::new(name, bits) };
//! let layout = Layout::new(
//!     vec![
//!         gene("base", 9, 0),
//!         gene("square metre", 5, 0),
//!         gene("room", 7, 0),
//!         gene("minute", 6, -32),
//!         gene("floor", 6, 0),
//!         gene("balcony", 7, 0),
//!     ],
//!     Coding::Gray,
//! )?;
//! let settings = GaSettings {
//!     population: 100,
//!     selection: Selection::RouletteShifted,
//!     crossover: Crossover::SinglePoint,
//!     crossover_rate: 0.75,
//!     mutation: Mutation::BitFlip,
//!     mutation_rate: 0.01,
//!     elites: 1,
//!     hall_of_fame: None,
//!     founders: Founders::Random,
//! };
//! let ga = Ga::<Bits>::new(settings, layout.clone(), None, 2024)?;
//! let stop = StopRules { generations: Some(100), ..StopRules::default() };
//! let mut run = Run::new(ga, stop, 2024)?;
//!
//! run.step(&layout, &mut seen, &mut [])?;
//! let first = run.champion().expect("the first generation has a best").score;
//! let champion = run.finish(&layout, &mut seen, &mut [])?.champion;
//! let learned = unseen.error(&layout.decode(&champion.genome));
//! assert!(-champion.score < -first / 4.0, "{} of {}", -champion.score, -first);
//! assert!(learned < 20.0, "flats never seen are priced within 20 a month: {learned}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod breeder;
mod breeders;
mod codec;
mod diversity;
mod function;
mod genome;
mod hall;
pub mod hyperneat;
mod network;
mod observer;
mod operators;
#[cfg(feature = "problems")]
pub mod problems;
mod run;
mod seed;
mod settings;
mod stop;
mod trial;
pub mod tuners;

pub use breeder::{Born, Breeder, Judged, MemberId, Origin};
pub use breeders::{
    Adam, AdamSettings, Archive, Cosyne, CosyneSettings, CosyneSpace, Fans, Founders, Ga,
    GaSettings, Gains, HallOfFame, MuPlusLambda, MuPlusLambdaSettings, Neat, NeatSettings,
    Permutation, RandomSearch, RandomSettings, Reach, Species, Spsa, SpsaSettings,
    SynapseCrossover, SynapseMutation, WeightStart, neat,
};
pub use codec::{Codec, Plain};
pub use function::Function;
pub use genome::{
    Bits, BitsError, Bounds, Change, Coding, Connected, Gene, Genome, Layout, LayoutError, Link,
    Net, Node, Reals, Shape,
};
pub use hall::{Famous, Hall};
pub use network::{Drawn, Network, NetworkError};
pub use observer::Observer;
pub use operators::{Chooser, Crossover, Measure, Mutation, Piece, Selection, normal};
pub use run::{Champion, Finished, Run, RunError};
pub use seed::{Purpose, generation_seed, generator};
pub use settings::SettingsError;
pub use stop::{Progress, StopRules, Stopped};
pub use trial::Trial;
