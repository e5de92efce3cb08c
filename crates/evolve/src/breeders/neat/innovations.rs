//! Which structural change has which number.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use crate::genome::{NetGenome, Shape};
use crate::settings::SettingsError;

use super::settings::Innovations;

/// Remembers structural changes and numbers them. The links of the start are not
/// listed; their numbers follow from the shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Register {
    scope: Innovations,
    shape: Shape,
    next_node: u32,
    next_link: u32,
    /// The innovation number of each link, by its ends. Written down as a list of
    /// (from, to, innovation number).
    #[serde(with = "listed")]
    links: BTreeMap<(u32, u32), u32>,
    /// (innovation number of the link that was split, the node that splits it),
    /// sorted.
    splits: Vec<(u32, u32)>,
}

impl Register {
    pub(super) fn new(scope: Innovations, shape: Shape) -> Self {
        Self {
            scope,
            shape,
            next_node: shape.first_hidden().saturating_add(shape.hidden),
            next_link: shape.first_innovation(),
            links: BTreeMap::new(),
            splits: Vec::new(),
        }
    }

    pub(super) fn begin_generation(&mut self) {
        if self.scope == Innovations::Generation {
            self.links.clear();
            self.splits.clear();
        }
    }

    pub(super) fn link(&mut self, from: u32, to: u32) -> u32 {
        let place = match self.links.entry((from, to)) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(place) => place,
        };
        let known = match self.scope {
            Innovations::Run | Innovations::Links => self.shape.innovation(from, to),
            // The start was long ago.
            Innovations::Generation => None,
        };
        known.unwrap_or_else(|| {
            let number = self.next_link;
            self.next_link = number.saturating_add(1);
            *place.insert(number)
        })
    }

    /// The node that splits a link in this network: the one that others got for it,
    /// if the network does not have it already.
    pub(super) fn split(&mut self, link: u32, net: &NetGenome) -> u32 {
        if self.scope != Innovations::Links {
            let first = self.splits.partition_point(|&(split, _)| split < link);
            let same = self.splits[first..].iter();
            let known = same
                .take_while(|&&(split, _)| split == link)
                .find(|&&(_, node)| net.place(node).is_none());
            if let Some(&(_, node)) = known {
                return node;
            }
        }
        let node = self.next_node;
        self.next_node = node.saturating_add(1);
        if self.scope != Innovations::Links {
            let at = self.splits.partition_point(|&it| it < (link, node));
            self.splits.insert(at, (link, node));
        }
        node
    }

    /// Takes over the numbers of a network that is given from outside.
    pub(super) fn absorb(&mut self, net: &NetGenome) -> Result<(), SettingsError> {
        for node in &net.nodes {
            self.next_node = self.next_node.max(node.id.saturating_add(1));
        }
        for link in &net.links {
            let (ends, number) = ((link.from, link.to), link.innovation);
            let start = self.shape.innovation(link.from, link.to);
            let is_start = start == Some(number);
            let free = number >= self.shape.first_innovation();
            let fresh = start.is_none() || self.scope == Innovations::Generation;
            let place = self.links.get(&ends);
            let known = place == Some(&number);
            let taken = self
                .links
                .iter()
                .any(|(&it, &of_it)| of_it == number && it != ends);
            if !is_start && !known {
                match place {
                    None if free && fresh && !taken => {
                        self.links.insert(ends, number);
                    }
                    _ => {
                        return Err(SettingsError::Start {
                            reason: format!(
                                "innovation {number} cannot be the link from {} to {}: all \
                                 networks of a run must number the same links alike",
                                link.from, link.to
                            ),
                        });
                    }
                }
            }
            self.next_link = self.next_link.max(number.saturating_add(1));
        }
        Ok(())
    }
}

/// Links and their numbers as one list.
mod listed {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        links: &BTreeMap<(u32, u32), u32>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            links
                .iter()
                .map(|(&(from, to), &number)| (from, to, number)),
        )
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<(u32, u32), u32>, D::Error> {
        let list = Vec::<(u32, u32, u32)>::deserialize(deserializer)?;
        Ok(list
            .into_iter()
            .map(|(from, to, number)| ((from, to), number))
            .collect())
    }
}
