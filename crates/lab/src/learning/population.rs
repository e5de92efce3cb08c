//! The sets that play, and how each did: computed from the games.

use std::collections::BTreeMap;

use mendel_arena::statistics::Tally;
use mendel_evolve::{Bits, Change, Crossover, Genome as _, Layout, Mutation, Piece, Selection};
use mendel_fitness::genome::space::{Space, SpaceKind};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::record::learning::{LearnedGame, PopulationMember};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PopulationRules {
    pub size: usize,
    /// Number of games after which a set has been judged enough.
    pub enough: u32,
    /// The chance of each weight of a child that a bit of it changes.
    pub mutation_rate: f64,
    pub start: InitialWeights,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InitialWeights {
    /// The player's own weights, and mutants of them.
    Bred,
    Random,
}

impl std::fmt::Display for InitialWeights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bred => "the player's own weights",
            Self::Random => "random sets",
        })
    }
}

impl Default for PopulationRules {
    fn default() -> Self {
        Self {
            size: 16,
            enough: 4,
            mutation_rate: 0.2,
            start: InitialWeights::Bred,
        }
    }
}

/// The sets that play. Equal configs and equal games give equal populations.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    rules: PopulationRules,
    seed: u64,
    members: Vec<PopulationMember>,
    /// How sets did that play no more.
    departed: BTreeMap<Vec<i32>, Tally>,
    births: u32,
}

/// The streams of chance.
const FOUNDERS: u64 = 0;
const CHOICE: u64 = u64::MAX;

impl Population {
    /// The first sets. The space's genomes are strings of bits.
    pub(super) fn new(space: &Space, rules: PopulationRules, seed: u64) -> Self {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        chance.set_stream(FOUNDERS);
        let mut members = Vec::with_capacity(rules.size);
        let layout = layout(space);
        for place in 0..rules.size {
            let mut genome = match (rules.start, space.parent_bits()) {
                (InitialWeights::Bred, Ok(parent)) => parent,
                _ => <Bits as mendel_evolve::Genome>::random(layout, &mut chance),
            };
            if rules.start == InitialWeights::Bred && place > 0 {
                mutate(&mut genome, layout, rules.mutation_rate, &mut chance);
            }
            members.push(PopulationMember {
                set: space.from_bits(&genome),
                tally: Tally::default(),
                born: 0,
            });
        }
        Self {
            rules,
            seed,
            members,
            departed: BTreeMap::new(),
            births: 0,
        }
    }

    pub fn members(&self) -> &[PopulationMember] {
        &self.members
    }

    pub fn births(&self) -> u32 {
        self.births
    }

    /// The set with the greatest merit among those judged enough, else among all.
    pub fn best(&self) -> Option<&PopulationMember> {
        let judged = self.members.iter().filter(|it| self.is_judged(it));
        let all = self.members.iter();
        judged.reduce(better).or_else(|| all.reduce(better))
    }

    fn is_judged(&self, member: &PopulationMember) -> bool {
        member.tally.games() >= u64::from(self.rules.enough)
    }

    /// The set that plays next: two times of three one that has not been judged enough,
    /// else one of those that have, by how they did.
    pub fn choose(&self, seed: u64) -> &PopulationMember {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        chance.set_stream(CHOICE);
        let (ripe, green): (Vec<&PopulationMember>, Vec<&PopulationMember>) =
            self.members.iter().partition(|it| self.is_judged(it));
        let explores = chance.random_range(0..3) < 2;
        if ripe.is_empty() || (explores && !green.is_empty()) {
            // A set that has played plays again, so that its worth is known soon.
            let most = green.iter().map(|it| it.tally.games()).max().unwrap_or(0);
            let next = green.iter().find(|it| it.tally.games() == most);
            return next.unwrap_or(&&self.members[0]);
        }
        let merits: Vec<f64> = ripe.iter().map(|it| it.merit()).collect();
        ripe[EXPLOIT.chooser(&merits).choose(&mut chance)]
    }

    pub(super) fn fold(&mut self, space: &Space, event: &LearnedGame) {
        // 1. The result of the set; a set from elsewhere joins.
        let known = self.members.iter().position(|it| it.set == event.set);
        let place = known.unwrap_or_else(|| {
            self.members.push(PopulationMember {
                set: event.set.clone(),
                tally: self.departed.remove(&event.set).unwrap_or_default(),
                born: 0,
            });
            self.members.len() - 1
        });
        self.members[place].tally.count(event.result.into());

        // 2. Too many: the worst leaves and is not replaced.
        if self.members.len() > self.rules.size {
            self.dismiss();
            return;
        }

        // 3. The set that played has just been judged enough: a child takes the place of
        //    the worst of those that have.
        let judged = |it: &&PopulationMember| self.is_judged(it);
        let ripe = self.members.iter().filter(judged).count();
        let just = self.members[place].tally.games() == u64::from(self.rules.enough);
        if let Some(worst) = self.worst().filter(|_| just && ripe >= PARENTS) {
            let child = self.child(space);
            let gone = std::mem::replace(&mut self.members[worst], child);
            self.departed.insert(gone.set, gone.tally);
        }
    }

    /// The judged set with the least merit, of equals the one with more games; of equals
    /// again the first.
    fn worst(&self) -> Option<usize> {
        let judged = (0..self.members.len()).filter(|&at| self.is_judged(&self.members[at]));
        judged.reduce(|worst, at| {
            let key = |at: usize| {
                let it = &self.members[at];
                (it.merit(), -(it.tally.games() as f64))
            };
            if key(at) < key(worst) { at } else { worst }
        })
    }

    fn dismiss(&mut self) {
        let worst = self.worst().unwrap_or_else(|| {
            let all = 0..self.members.len();
            let least = |a: usize, b: usize| {
                let (one, other) = (self.members[a].merit(), self.members[b].merit());
                if other < one { b } else { a }
            };
            all.reduce(least).unwrap_or(0)
        });
        let gone = self.members.remove(worst);
        self.departed.insert(gone.set, gone.tally);
    }

    /// A child of two that were judged, unlike all sets that ever played.
    fn child(&mut self, space: &Space) -> PopulationMember {
        self.births += 1;
        let mut chance = ChaCha8Rng::seed_from_u64(self.seed);
        chance.set_stream(u64::from(self.births));
        let layout = layout(space);
        let parents: Vec<&PopulationMember> = self
            .members
            .iter()
            .filter(|it| self.is_judged(it))
            .collect();
        let merits: Vec<f64> = parents.iter().map(|it| it.merit()).collect();
        let chooser = MATING.chooser(&merits);
        let mut set = Vec::new();
        for _ in 0..TRIES {
            let pair = [chooser.choose(&mut chance), chooser.choose(&mut chance)];
            let genomes = pair.map(|at| genome(space, &parents[at].set));
            let way = Crossover::uniform(Piece::Gene);
            let [mut child, _] = Bits::cross(&way, layout, [&genomes[0], &genomes[1]], &mut chance);
            mutate(&mut child, layout, self.rules.mutation_rate, &mut chance);
            set = space.from_bits(&child);
            let plays = self.members.iter().any(|it| it.set == set);
            if !plays && !self.departed.contains_key(&set) {
                break;
            }
        }
        PopulationMember {
            set,
            tally: Tally::default(),
            born: self.births,
        }
    }
}

/// How those that were judged are chosen to play: the better of some.
const EXPLOIT: Selection = Selection::Tournament { size: 3 };
const MATING: Selection = Selection::Tournament { size: 2 };
/// Number of sets that must have been judged before one is replaced.
const PARENTS: usize = 3;
/// Attempts to make a child that is unlike all others.
const TRIES: u32 = 20;

/// The member with more merit, of equals the first.
fn better<'a>(first: &'a PopulationMember, second: &'a PopulationMember) -> &'a PopulationMember {
    if second.merit() > first.merit() {
        second
    } else {
        first
    }
}

fn layout(space: &Space) -> &Layout {
    match &space.kind {
        SpaceKind::Bits(layout) => layout,
        _ => unreachable!("the space was made of bits"),
    }
}

fn mutate(genome: &mut Bits, layout: &Layout, rate: f64, chance: &mut ChaCha8Rng) {
    let how = Change {
        mutation: &Mutation::GeneBit,
        rate,
        generation: 0,
        space: layout,
    };
    genome.mutate(&how, chance);
}

/// A set as a genome. Its numbers fit: they were checked when its game was merged.
fn genome(space: &Space, set: &[i32]) -> Bits {
    let genes = space.genes_of(set);
    let values: Vec<i64> = genes.iter().map(|&gene| gene as i64).collect();
    let encoded = layout(space).encode(&values);
    encoded.unwrap_or_else(|_| Bits::zeros(layout(space).bits()))
}
