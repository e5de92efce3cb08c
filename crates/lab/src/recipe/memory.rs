//! How much memory a stage needs, estimated before it is taken.
//!
//! Measured by the peak of resident memory of runs that differ in one number (x86-64, two
//! generations, see [`PER_REAL`] and its neighbours), a stage needs
//!
//! ```text
//! genes * PER_NAME + members * (PER_MEMBER + sizes of one member) + meetings * PER_MEETING
//! ```
//!
//! A member is counted with its parent, its child and its place in the checkpoint. What grows
//! during a run, such as the networks of NEAT, is counted as it is at the start.

use mendel_engine::{Player, memory};
use mendel_evaluator::AnyEvaluator;
use mendel_evolve::{Connected, Shape};
use mendel_fitness::genome::space::{CodingName, GenomeSettings, Space, SpaceKind};
use mendel_fitness::trial::games::GameKind;

pub(super) use super::Misfit;
use super::stage::StageSettings;

/// Bytes for each gene of a network, once: its bounds and its name.
const PER_NAME: u64 = 512;
/// Bytes for each member, whatever it is.
const PER_MEMBER: u64 = 256;
/// Bytes for each number of a member whose genome is real numbers. Measured: 30 to 32 for
/// `CoSyNE` with 4,225 and 16,641 weights and 16 to 600 members, which keeps half of them as
/// parents; 47 for a genetic algorithm with 1,526 numbers and 500 to 2,500 members.
const PER_REAL: u64 = 48;
/// Bytes for each number of a member whose genome is bits. Measured: 13 and 14 for 1,526 and
/// 58 numbers, and 2,500 and 50,000 members.
const PER_CODED: u64 = 16;
/// Bytes for each node and each link of a network that grows. Measured: 100 for a node and
/// 113 for a link, with 769 and 4,160 links and 50 to 550 members.
const PER_LINK: u64 = 128;

/// Bytes for each two members that meet in games: twice in the plan of a generation, once
/// among the games, once among the results. Counted, not measured.
const PER_MEETING: u64 = 128;

/// Refuses layers of a network that do not fit, before they are made: two members are the
/// least.
pub(super) fn check_layers(parent: &Player, genome: &GenomeSettings) -> Result<(), Misfit> {
    let (CodingName::Synapses, Some(network)) = (genome.coding, &genome.network) else {
        return Ok(()); // what the parent has is in memory
    };
    let mut before = network.input.count() as u64;
    let mut genes: u64 = 0;
    for layer in network.hidden.iter().copied().chain([1]).map(u64::from) {
        genes = genes.saturating_add(before.saturating_add(1).saturating_mul(layer));
        before = layer;
    }
    if matches!(&parent.evaluator, AnyEvaluator::Mlp(it) if it.numbers().len() as u64 == genes) {
        return Ok(());
    }
    let needed = synapses(genes, 2);
    memory::check(needed).map_err(|shortage| {
        let reason = format!("a network of {genes} weights {shortage}; make the layers smaller");
        ("genome.network.hidden", reason)
    })
}

/// Refuses a population that does not fit, before one of it is made.
pub(super) fn check_members(settings: &StageSettings, space: &Space) -> Result<(), Misfit> {
    let (members, key) = settings.breeder.settings.population();
    // Random search beside it has as many.
    let members = (members as u64).saturating_mul(if settings.baseline { 2 } else { 1 });
    let numbers = space.base().len() as u64;
    let (what, needed) = match &space.kind {
        SpaceKind::Bits(_) => (numbers, of(members, numbers, PER_CODED)),
        SpaceKind::Reals(_) => (numbers, of(members, numbers, PER_REAL)),
        SpaceKind::Synapses(_) => (numbers, synapses(numbers, members)),
        SpaceKind::Nets(nets) => {
            let parts = parts(&nets.shape);
            (parts, of(members, parts, PER_LINK))
        }
    };
    let needed = needed.saturating_add(meetings(settings, members).saturating_mul(PER_MEETING));
    memory::check(needed).map_err(|shortage| {
        let reason =
            format!("a population with members of {what} numbers each {shortage}; breed fewer, or smaller ones");
        (key, reason)
    })?;
    // Two members play a game.
    let Some(games) = settings.trial.games() else {
        return Ok(());
    };
    memory::check((u64::from(games.hash) << 20).saturating_mul(2)).map_err(|shortage| {
        let reason = format!(
            "a game with two tables of {} MiB {shortage}; ask for less",
            games.hash
        );
        ("trial.hash", reason)
    })
}

/// How many pairs of members meet in a generation.
fn meetings(settings: &StageSettings, members: u64) -> u64 {
    let Some(games) = settings.trial.games() else {
        return 0;
    };
    let others = members.saturating_sub(1);
    let met = match games.kind {
        GameKind::RoundRobin => others,
        GameKind::RandomMembers => others.min(games.opponents.unwrap_or(usize::MAX) as u64),
        GameKind::Gauntlet | GameKind::Duels | GameKind::KingOfTheHill => 1,
    };
    members.saturating_mul(met) / 2
}

/// Bytes of members that have `parts` parts of `bytes` bytes each.
fn of(members: u64, parts: u64, bytes: u64) -> u64 {
    let one = parts.saturating_mul(bytes).saturating_add(PER_MEMBER);
    members.saturating_mul(one)
}

fn synapses(genes: u64, members: u64) -> u64 {
    let names = genes.saturating_mul(PER_NAME);
    names.saturating_add(of(members, genes, PER_REAL))
}

/// Nodes and links of a network that grows, at the start.
fn parts(shape: &Shape) -> u64 {
    let nodes = [shape.inputs, shape.outputs, shape.hidden].map(u64::from);
    let links = u64::from(shape.first_innovation());
    let links = match shape.connected {
        Connected::Full { .. } | Connected::FullWithLoops { .. } => links,
        Connected::Partial { share, .. } => (links as f64 * share) as u64,
        Connected::OneInput => nodes[1] + nodes[2],
        Connected::None => 0,
    };
    nodes.iter().sum::<u64>() + links
}

#[cfg(test)]
mod tests {
    use super::{of, synapses};

    /// MiB at the peak of runs, as measured, less those of the smallest of its kind; and
    /// the estimate of the difference.
    #[test]
    fn the_estimate_is_not_below_what_was_measured_and_not_twice_as_much() {
        const MIB: f64 = (1 << 20) as f64;
        let table = [
            // 64 hidden neurons over 64 inputs, 20, 120 and 600 members.
            (54.9 - 42.0, synapses(4225, 120) - synapses(4225, 20)),
            (112.4 - 42.0, synapses(4225, 600) - synapses(4225, 20)),
            // 256 hidden neurons, judged by games, 16 and 400 members.
            (260.0 - 67.2, synapses(16_641, 400) - synapses(16_641, 16)),
            // The numbers of `mendel`, as reals, 500 and 2,500 members.
            (212.7 - 75.2, of(2000, 1526, super::PER_REAL)),
            // Those of `gerald-base` as bits.
            (83.2 - 44.0, of(50_000, 58, super::PER_CODED)),
            // Networks that grow: 768 links and 769 nodes; 4,224 and 129.
            (122.4 - 44.5, of(500, 1538, super::PER_LINK)),
            (181.5 - 66.2, of(250, 4418, super::PER_LINK)),
        ];
        for (measured, estimated) in table {
            let estimated = estimated as f64 / MIB;
            assert!(
                (measured..2.0 * measured).contains(&estimated),
                "{estimated} MiB estimated, {measured} measured"
            );
        }
    }
}
