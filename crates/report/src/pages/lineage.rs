//! The ancestors of the champion.

use std::collections::{BTreeMap, BTreeSet};

use mendel_evolve::{MemberId, Origin};
use mendel_lab::record::Lineage;
use serde::Serialize;

use super::{counted, from_one};
use crate::plot::{Arc, Layer, LayeredGraph, PlotNode};

/// Maximum number of drawn generations.
const MAX_LAYERS: usize = 12;

/// Maximum number of drawn ancestors of one generation; the others are counted.
const MAX_NODES: usize = 6;

/// The ancestors of a champion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ancestry {
    /// The champion where its genome first appeared; copies by elitism are followed back to their
    /// original.
    pub born: MemberId,
    /// Number of ancestors in the first generation.
    pub founders: usize,
    /// Number of all ancestors.
    pub ancestors: usize,
    /// Origins of the champion and its ancestors, counted.
    pub origins: Vec<(Origin, usize)>,
    /// The drawn generations of ancestors, from young to old.
    #[serde(skip)]
    pub latest: Vec<Vec<Ancestor>>,
    /// Number of ancestors in each generation, from young to old.
    pub by_generation: Vec<(u32, usize)>,
}

/// One ancestor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    pub id: MemberId,
    pub origin: Origin,
    pub parents: Vec<MemberId>,
}

impl Ancestry {
    /// Walks back from `champion`; `None` if the lineage does not contain it.
    pub fn of(champion: MemberId, lineage: &[Lineage]) -> Option<Self> {
        let by_generation: BTreeMap<u32, &Lineage> =
            lineage.iter().map(|line| (line.generation, line)).collect();
        let find = |id: MemberId| {
            let line = by_generation.get(&id.generation)?;
            let parents = line.parents.get(id.member as usize)?.iter().copied();
            // A parent is older than its child; otherwise the walk would not end.
            let parents = parents.filter(|parent| parent.generation < id.generation);
            Some(Ancestor {
                id,
                origin: *line.origins.get(id.member as usize)?,
                parents: parents.collect(),
            })
        };
        // 1. An elite is its original.
        let mut born = find(champion)?;
        while matches!(born.origin, Origin::Elite | Origin::HallOfFame)
            && let [original] = born.parents[..]
            && let Some(earlier) = find(original)
        {
            born = earlier;
        }
        // 2. From the youngest generation to the oldest, so that all children of a member are found
        //    before the member.
        let mut waiting = BTreeMap::from([(born.id.generation, BTreeSet::from([born.id.member]))]);
        let mut layers = Vec::new();
        let mut counts = Vec::new();
        let mut origins: Vec<(Origin, usize)> = Vec::new();
        while let Some((generation, members)) = waiting.pop_last() {
            let members = members.iter();
            let found = members.filter_map(|&member| find(MemberId { generation, member }));
            let ancestors: Vec<Ancestor> = found.collect();
            for ancestor in &ancestors {
                match origins.iter_mut().find(|(o, _)| *o == ancestor.origin) {
                    Some((_, count)) => *count += 1,
                    None => origins.push((ancestor.origin, 1)),
                }
                for parent in &ancestor.parents {
                    let generation = waiting.entry(parent.generation).or_default();
                    generation.insert(parent.member);
                }
            }
            counts.push((generation, ancestors.len()));
            if layers.len() < MAX_LAYERS {
                layers.push(ancestors);
            }
        }
        let all: usize = counts.iter().map(|(_, count)| count).sum();
        let first = counts.last().filter(|(generation, _)| *generation == 0);
        Some(Self {
            born: born.id,
            founders: first.map_or(0, |(_, count)| *count),
            ancestors: all.saturating_sub(1),
            origins,
            latest: layers,
            by_generation: counts,
        })
    }

    /// The latest generations as a graph, the champion at the bottom.
    pub fn graph(&self) -> LayeredGraph {
        let (mut drawn, line) = self.drawn();
        // The oldest at the top.
        drawn.reverse();
        let counts: BTreeMap<u32, usize> = self.by_generation.iter().copied().collect();
        let layers = drawn.iter().filter_map(|nodes| {
            let generation = nodes.first()?.id.generation;
            let count = counts.get(&generation).copied().unwrap_or(0);
            Some(Layer {
                name: format!("generation {}", from_one(generation)),
                note: note(count, nodes, self.born),
                nodes: nodes.iter().map(|a| node(a, &line)).collect(),
            })
        });
        LayeredGraph {
            title: "The champion’s ancestors".to_owned(),
            layers: layers.collect(),
            arcs: arcs(&drawn, &line),
        }
    }

    /// The drawn ancestors, from young to old: of each generation the parents of those already drawn,
    /// in the order of their children. And the main line, which follows first parents.
    fn drawn(&self) -> (Vec<Vec<&Ancestor>>, BTreeSet<MemberId>) {
        let mut drawn: Vec<Vec<&Ancestor>> = Vec::new();
        let mut line: BTreeSet<MemberId> = BTreeSet::from([self.born]);
        let mut next = self.born;
        for layer in &self.latest {
            let children = drawn.iter().flatten();
            let below = children.flat_map(|child| child.parents.iter().copied());
            let below: Vec<MemberId> = below.collect();
            let place = |a: &&Ancestor| {
                let place = below.iter().position(|id| *id == a.id);
                // The main line first, so that it is never left out.
                (a.id != next, place.unwrap_or(usize::MAX), a.id)
            };
            let is_drawn = |a: &&Ancestor| drawn.is_empty() || below.contains(&a.id);
            let mut nodes: Vec<&Ancestor> = layer.iter().filter(is_drawn).collect();
            nodes.sort_by_key(place);
            nodes.truncate(MAX_NODES);
            if let Some(main) = nodes.iter().find(|a| a.id == next) {
                line.insert(main.id);
                if let Some(parent) = main.parents.first() {
                    next = *parent;
                }
            }
            drawn.push(nodes);
        }
        (drawn, line)
    }
}

/// The arcs from parents to children, where both are drawn.
fn arcs(drawn: &[Vec<&Ancestor>], line: &BTreeSet<MemberId>) -> Vec<Arc> {
    let rows = drawn.iter().enumerate();
    let spots: BTreeMap<MemberId, (usize, usize)> = rows
        .flat_map(|(row, nodes)| {
            let places = nodes.iter().enumerate();
            places.map(move |(place, a)| (a.id, (row, place)))
        })
        .collect();
    let of_child = |child: &&Ancestor| -> Vec<Arc> {
        let arc = |parent: &MemberId| {
            Some(Arc {
                from: *spots.get(parent)?,
                to: *spots.get(&child.id)?,
                chosen: line.contains(parent) && line.contains(&child.id),
            })
        };
        child.parents.iter().filter_map(arc).collect()
    };
    drawn.iter().flatten().flat_map(of_child).collect()
}

fn node(ancestor: &Ancestor, line: &BTreeSet<MemberId>) -> PlotNode {
    let MemberId { generation, member } = ancestor.id;
    let (short, way) = names(ancestor.origin);
    PlotNode {
        label: format!("{short} {member}"),
        hint: format!(
            "member {member} of generation {}: {way}",
            from_one(generation)
        ),
        chosen: line.contains(&ancestor.id),
    }
}

fn note(count: usize, nodes: &[&Ancestor], born: MemberId) -> String {
    if nodes.iter().any(|a| a.id == born) {
        return "the champion".to_owned();
    }
    let text = counted(count as u64, "ancestor");
    if nodes.len() < count {
        format!("{text}, {} shown", nodes.len())
    } else {
        text
    }
}

/// The origin of a member: abbreviated, and in words.
pub(super) fn names(origin: Origin) -> (&'static str, &'static str) {
    match origin {
        Origin::Random => ("rand", "at random"),
        Origin::Given => ("given", "given from outside"),
        Origin::Elite => ("elite", "kept as elite"),
        Origin::Crossover => ("cross", "by crossover"),
        Origin::Mutation => ("mut", "by mutation"),
        Origin::Copy => ("copy", "as a copy"),
        Origin::HallOfFame => ("fame", "from the hall of fame"),
        Origin::Step => ("step", "by a step along the gradient"),
        Origin::Probe => ("probe", "beside the point a breeder was at"),
        Origin::Permutation => ("perm", "by weights that changed places"),
        _ => ("?", "in another way"),
    }
}
