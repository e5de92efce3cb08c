//! Numbers in, better numbers out.
//!
//! A [`Breeder`] proposes genomes and is told how they did. A [`Trial`] judges them and
//! gives them a meaning. This crate knows no chess, no files and no threads.
//!
//! | part | what it does |
//! |---|---|
//! | [`Bits`] with a [`Layout`], [`RealVector`] with [`Bounds`], [`NetGenome`] with a [`Shape`] | what is changed |
//! | [`Network`] | a network of nodes and links, run |
//! | [`Trial`] | judges a generation of genomes |
//! | [`Ga`], [`MuPlusLambda`], [`Adam`], [`Spsa`], [`Cosyne`], [`Neat`], [`RandomSearch`] | make the next generation |
//! | [`Selection`], [`Crossover`], [`Mutation`], [`Hall`] | what they make it with |
//! | [`hyperneat`] | networks that paint networks: HyperNEAT and ES-HyperNEAT |
//! | [`tuners`] | knobs of a program, tuned by duels |
//! | [`Run`], [`StopRules`] | the loop, and when it ends |
//! | [`generator`], [`generation_seed`] | all random numbers |
//!
//! Scores are better the larger they are. A breeder, and a whole [`Run`], is its own
//! state: serialised after any generation and read back, it proposes the same genomes.
//!
//! ```
//! use mendel_evolve::{Bounds, GenerationRequest, GenerationResult, RandomSearch};
//! use mendel_evolve::{RandomSettings, RealVector, Run, StopRules, Trial};
//!
//! /// The nearer to 3, the better.
//! struct NearThree;
//!
//! impl Trial<RealVector> for NearThree {
//!     type Error = std::convert::Infallible;
//!     fn judge(
//!         &mut self,
//!         request: GenerationRequest<'_, RealVector>,
//!     ) -> Result<GenerationResult, Self::Error> {
//!         let members = request.offspring.iter().map(|member| &member.genome.0);
//!         let judged = members.map(|x| (-(x[0] - 3.0).abs()).into());
//!         Ok(GenerationResult::of(judged.collect()))
//!     }
//! }
//!
//! let space = vec![Bounds::new("x", -10.0, 10.0)];
//! let search = RandomSearch::new(RandomSettings { population: 20 }, space, None, 7)?;
//! let stop = StopRules { generations: Some(50), target: Some(-0.1), ..StopRules::default() };
//! let mut run = Run::new(search, stop, 7)?;
//! run.finish(&mut NearThree)?;
//! assert!(run.progress.best.is_some_and(|best| best > -0.1));
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
//!     Bits, Coding, Crossover, Founders, Ga, GaSettings, Gene, GenerationRequest,
//!     GenerationResult, Layout, Mutation, Run, Selection, StopRules, Trial,
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
//! struct ExpertDistance {
//!     layout: Layout,
//!     flats: Vec<(Flat, i64)>,
//!     /// The least error so far, and the weights with it.
//!     best: (f64, Vec<i64>),
//! }
//!
//! impl ExpertDistance {
//!     fn error(&self, weights: &[i64]) -> f64 {
//!         let errors = self.flats.iter().map(|(flat, asked)| (rent(weights, flat) - asked).abs());
//!         errors.sum::<i64>() as f64 / self.flats.len() as f64
//!     }
//! }
//!
//! impl Trial<Bits> for ExpertDistance {
//!     type Error = std::convert::Infallible;
//!     fn judge(
//!         &mut self,
//!         request: GenerationRequest<'_, Bits>,
//!     ) -> Result<GenerationResult, Self::Error> {
//!         let mut judged = Vec::new();
//!         for member in request.offspring {
//!             let weights = self.layout.decode(&member.genome);
//!             let error = self.error(&weights);
//!             judged.push((-error).into());
//!             if error < self.best.0 {
//!                 self.best = (error, weights);
//!             }
//!         }
//!         Ok(GenerationResult::of(judged))
//!     }
//! }
//!
//! // A hundred flats; the last forty are kept to see what was really learned.
//! let flat = |n: i64| [25 + n * 37 % 90, 1 + n * 7 % 4, 1 + n * 11 % 30, n * 5 % 7, n * 3 % 2];
//! let priced: Vec<(Flat, i64)> = (0..100).map(flat).map(|f| (f, expert(&f))).collect();
//! let (seen, unseen) = priced.split_at(60);
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
//! let distance = |flats: &[(Flat, i64)]| ExpertDistance {
//!     layout: layout.clone(),
//!     flats: flats.to_vec(),
//!     best: (f64::INFINITY, Vec::new()),
//! };
//! let (mut seen, unseen) = (distance(seen), distance(unseen));
//! let ga = Ga::<Bits>::new(settings, layout.clone(), None, 2024)?;
//! let stop = StopRules { generations: Some(100), ..StopRules::default() };
//! let mut run = Run::new(ga, stop, 2024)?;
//!
//! run.step(&mut seen)?;
//! let first = seen.best.0;
//! run.finish(&mut seen)?;
//! let (error, weights) = &seen.best;
//! assert!(*error < first / 4.0, "{error} of {first}");
//! let learned = unseen.error(weights);
//! assert!(learned < 20.0, "flats never seen are priced within 20 a month: {learned}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod breeder;
mod breeders;
mod function;
mod genome;
mod hall;
pub mod hyperneat;
mod network;
mod operators;
#[cfg(feature = "problems")]
pub mod problems;
mod run;
mod seed;
mod settings;
mod stop;
mod trial;
pub mod tuners;

pub use bounds::Bounds;
pub use breeder::{
    Breeder, JudgedMember, MemberId, Offspring, Origin, SpeciesReport, SpeciesState,
};
pub use breeders::{
    Adam, AdamSettings, Archive, Cosyne, CosyneSettings, CosyneSpace, Fans, Founders, Ga,
    GaSettings, Gains, HallOfFame, MuPlusLambda, MuPlusLambdaSettings, Neat, NeatSettings,
    Permutation, RandomSearch, RandomSettings, Reach, Species, Spsa, SpsaSettings,
    SynapseCrossover, SynapseMutation, WeightStart, neat,
};
pub use function::Function;
pub use genome::{
    Bits, Change, Coding, Connected, Gene, Genome, Layout, Link, NetGenome, Node, RealVector, Shape,
};
pub use hall::{Famous, Hall};
pub use network::{Drawn, Network};
pub use operators::{Chooser, Crossover, Measure, Mutation, Piece, Selection, normal};
pub use run::{EvolveError, Run};
pub use seed::{Purpose, generation_seed, generator};
pub use settings::SettingsError;
pub use stop::{RunProgress, StopRules, Stopped};
pub use trial::{GenerationRequest, GenerationResult, Trial};
