//! What comes of the events: the sets that play, and how each did.

use std::collections::BTreeMap;

use mendel_evolve::{Bits, Change, Crossover, Genome as _, Layout, Mutation, Piece, Selection};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::event::{Event, Scored};
use crate::chromosome::space::{Space, SpaceKind};

/// How a population is kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rules {
    /// How many sets there are.
    pub size: usize,
    /// After so many games a set has been judged enough.
    pub enough: u32,
    /// The chance of each weight of a child that a bit of it changes.
    pub mutation_rate: f64,
    /// Who the first sets are.
    pub start: Start,
}

/// Who the first sets of a population are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The player's own weights, and mutants of them.
    Bred,
    /// Drawn by chance.
    Random,
}

impl std::fmt::Display for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bred => "the player's own weights",
            Self::Random => "random sets",
        })
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            size: 16,
            enough: 4,
            mutation_rate: 0.2,
            start: Start::Bred,
        }
    }
}

/// Results of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Won.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost.
    pub losses: u32,
}

impl Tally {
    /// Games in all.
    pub fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    fn count(&mut self, result: Scored) {
        match result {
            Scored::Won => self.wins += 1,
            Scored::Drawn => self.draws += 1,
            Scored::Lost => self.losses += 1,
        }
    }

    /// The share of points to be expected: that of its games and of one more that it
    /// shares, so that a single win is no proof.
    pub fn merit(self) -> f64 {
        let points = f64::from(self.wins) + 0.5 * f64::from(self.draws);
        (points + 0.5) / (f64::from(self.games()) + 1.0)
    }
}

/// A set that plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its weights.
    pub set: Vec<i32>,
    /// How it did.
    pub tally: Tally,
    /// The how-manieth child it is; 0 for those that were there first, and for those
    /// that came from another installation.
    pub born: u32,
}

/// The sets that play. Equal founding and equal events give equal populations.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    rules: Rules,
    seed: u64,
    members: Vec<Member>,
    /// How sets did that play no more.
    departed: BTreeMap<Vec<i32>, Tally>,
    births: u32,
}

/// The streams of chance.
const FOUNDERS: u64 = 0;
const CHOICE: u64 = u64::MAX;

impl Population {
    /// The first sets. The space's genomes are strings of bits.
    pub(super) fn new(space: &Space, rules: Rules, seed: u64) -> Self {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        chance.set_stream(FOUNDERS);
        let mut members = Vec::with_capacity(rules.size);
        let layout = layout(space);
        for place in 0..rules.size {
            let mut genome = match (rules.start, space.parent_bits()) {
                (Start::Bred, Ok(parent)) => parent,
                _ => <Bits as mendel_evolve::Genome>::random(layout, &mut chance),
            };
            if rules.start == Start::Bred && place > 0 {
                mutate(&mut genome, layout, rules.mutation_rate, &mut chance);
            }
            members.push(Member {
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

    /// The sets.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// How many children were born.
    pub fn births(&self) -> u32 {
        self.births
    }

    /// The set with the greatest merit among those judged enough, else among all.
    pub fn best(&self) -> Option<&Member> {
        let judged = self.members.iter().filter(|it| self.is_judged(it));
        let all = self.members.iter();
        let best = |a, b| if merit(b) > merit(a) { b } else { a };
        judged.reduce(best).or_else(|| all.reduce(best))
    }

    fn is_judged(&self, member: &Member) -> bool {
        member.tally.games() >= self.rules.enough
    }

    /// The set that plays next: two times of three one that has not been judged enough,
    /// else one of those that have, by how they did.
    pub fn choose(&self, seed: u64) -> &Member {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        chance.set_stream(CHOICE);
        let green: Vec<&Member> = self
            .members
            .iter()
            .filter(|it| !self.is_judged(it))
            .collect();
        let ripe: Vec<&Member> = self
            .members
            .iter()
            .filter(|it| self.is_judged(it))
            .collect();
        let explores = chance.random_range(0..3) < 2;
        if ripe.is_empty() || (explores && !green.is_empty()) {
            // Who has begun goes on, so that it is soon known what it is worth.
            let most = green.iter().map(|it| it.tally.games()).max().unwrap_or(0);
            let next = green.iter().find(|it| it.tally.games() == most);
            return next.unwrap_or(&&self.members[0]);
        }
        let merits: Vec<f64> = ripe.iter().map(|it| merit(it)).collect();
        ripe[EXPLOIT.chooser(&merits).choose(&mut chance)]
    }

    /// A game was played.
    pub(super) fn fold(&mut self, space: &Space, event: &Event) {
        // 1. The set is judged anew; one from elsewhere joins.
        let known = self.members.iter().position(|it| it.set == event.set);
        let place = known.unwrap_or_else(|| {
            self.members.push(Member {
                set: event.set.clone(),
                tally: self.departed.remove(&event.set).unwrap_or_default(),
                born: 0,
            });
            self.members.len() - 1
        });
        self.members[place].tally.count(event.result);

        // 2. Too many: the worst leaves, and nobody takes its place.
        if self.members.len() > self.rules.size {
            self.dismiss();
            return;
        }

        // 3. The set that played has just been judged enough: a child takes the place of
        //    the worst of those that have.
        let judged = |it: &&Member| self.is_judged(it);
        let ripe = self.members.iter().filter(judged).count();
        let just = self.members[place].tally.games() == self.rules.enough;
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
                (merit(it), -f64::from(it.tally.games()))
            };
            if key(at) < key(worst) { at } else { worst }
        })
    }

    fn dismiss(&mut self) {
        let worst = self.worst().unwrap_or_else(|| {
            let all = 0..self.members.len();
            let least = |a: usize, b: usize| {
                let (one, other) = (merit(&self.members[a]), merit(&self.members[b]));
                if other < one { b } else { a }
            };
            all.reduce(least).unwrap_or(0)
        });
        let gone = self.members.remove(worst);
        self.departed.insert(gone.set, gone.tally);
    }

    /// A child of two that were judged, unlike all sets that ever played.
    fn child(&mut self, space: &Space) -> Member {
        self.births += 1;
        let mut chance = ChaCha8Rng::seed_from_u64(self.seed);
        chance.set_stream(u64::from(self.births));
        let layout = layout(space);
        let parents: Vec<&Member> = self
            .members
            .iter()
            .filter(|it| self.is_judged(it))
            .collect();
        let merits: Vec<f64> = parents.iter().map(|it| merit(it)).collect();
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
        Member {
            set,
            tally: Tally::default(),
            born: self.births,
        }
    }
}

/// How those that were judged are chosen to play: the better of some.
const EXPLOIT: Selection = Selection::Tournament { size: 3 };
/// How parents are chosen.
const MATING: Selection = Selection::Tournament { size: 2 };
/// So many sets must have been judged before one is replaced.
const PARENTS: usize = 3;
/// A child that is like another is made again so often at most.
const TRIES: u32 = 20;

fn merit(member: &Member) -> f64 {
    member.tally.merit()
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

/// A set as a genome. Its numbers fit: they were checked when its event came.
fn genome(space: &Space, set: &[i32]) -> Bits {
    let genes = space.genes_of(set);
    let values: Vec<i64> = genes.iter().map(|&gene| gene as i64).collect();
    let encoded = layout(space).encode(&values);
    encoded.unwrap_or_else(|_| Bits::zeros(layout(space).bits()))
}
