//! Who belongs together.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::genome::{NetGenome, Shape};

use super::distance::Distance;
use super::settings::{Placement, Threshold};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Species {
    /// No other species of the run has it.
    pub id: u32,
    /// Its members, as places in the generation that is asked for next.
    pub members: Vec<u32>,
    /// The generation it was first seen in.
    pub founded: u32,
    /// The best score it ever had; none before it was judged.
    pub best: Option<f64>,
    /// The generation in which it had that; before it was judged, the one it was
    /// founded in.
    pub improved: u32,
    /// Stands for it when the next generation is placed.
    pub(super) representative: NetGenome,
}

impl Species {
    /// For how many generations it has been there before this one.
    pub fn age(&self, generation: u32) -> u32 {
        generation.saturating_sub(self.founded)
    }

    /// Generations since it last became better.
    pub(super) fn stagnant(&self, generation: u32) -> u32 {
        generation.saturating_sub(self.improved)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SpeciesSet {
    pub(super) all: Vec<Species>,
    pub(super) threshold: f64,
    next: u32,
}

pub(super) struct Rules<'a> {
    pub(super) distance: &'a Distance,
    pub(super) shape: &'a Shape,
    pub(super) placement: Placement,
    pub(super) generation: u32,
}

impl Rules<'_> {
    /// The distance of two, if it is below a limit; otherwise something that is not.
    fn far(&self, limit: f64, one: &NetGenome, other: &NetGenome) -> f64 {
        self.distance.below(limit, self.shape, one, other)
    }
}

impl SpeciesSet {
    pub(super) fn new(threshold: f64) -> Self {
        Self {
            all: Vec::new(),
            threshold,
            next: 0,
        }
    }

    /// Draws who stands for each species, from the members it has now.
    pub(super) fn draw_representatives(&mut self, nets: &[&NetGenome], rng: &mut ChaCha8Rng) {
        for species in &mut self.all {
            if species.members.is_empty() {
                continue;
            }
            let place = species.members[rng.random_range(0..species.members.len())];
            if let Some(net) = nets.get(place as usize) {
                species.representative.clone_from(net);
            }
        }
    }

    /// Places a generation. Species that nobody belongs to are gone.
    pub(super) fn place(&mut self, nets: &[&NetGenome], rules: &Rules<'_>) {
        for species in &mut self.all {
            species.members.clear();
        }
        let mut placed = vec![false; nets.len()];
        if rules.placement == Placement::Nearest {
            self.keep_all(nets, &mut placed, rules);
        }
        let mut last = 0;
        for (place, net) in nets.iter().enumerate().filter(|&(place, _)| !placed[place]) {
            let at = self.home(net, last, rules).unwrap_or_else(|| {
                self.all.push(Species {
                    id: self.next,
                    members: Vec::new(),
                    founded: rules.generation,
                    best: None,
                    improved: rules.generation,
                    representative: (*net).clone(),
                });
                self.next = self.next.saturating_add(1);
                self.all.len() - 1
            });
            last = at;
            self.all[at].members.push(place as u32);
        }
        self.all.retain(|species| !species.members.is_empty());
    }

    /// Each species, in its turn, gets the member nearest to the one that stood for
    /// it, who stands for it from now on.
    fn keep_all(&mut self, nets: &[&NetGenome], placed: &mut [bool], rules: &Rules<'_>) {
        for species in &mut self.all {
            let mut nearest: Option<(f64, usize)> = None;
            for place in (0..nets.len()).filter(|&place| !placed[place]) {
                let least = nearest.map_or(f64::INFINITY, |(least, _)| least);
                let distance = rules.far(least, &species.representative, nets[place]);
                if nearest.is_none_or(|(least, _)| distance < least) {
                    nearest = Some((distance, place));
                }
                // A copy: nobody is nearer.
                if distance <= 0.0 {
                    break;
                }
            }
            if let Some((_, place)) = nearest {
                placed[place] = true;
                species.members.push(place as u32);
                species.representative.clone_from(nets[place]);
            }
        }
    }

    /// The species a member belongs to, if it is near enough to one; of equally near
    /// ones the first. `guess` makes the search shorter and nothing else: siblings lie
    /// side by side, so that the home of the last member is often the next one's.
    fn home(&self, net: &NetGenome, guess: usize, rules: &Rules<'_>) -> Option<usize> {
        let far = |limit: f64, at: usize| rules.far(limit, &self.all[at].representative, net);
        if rules.placement == Placement::First {
            return (0..self.all.len()).find(|&at| far(self.threshold, at) < self.threshold);
        }
        let mut nearest: Option<(f64, usize)> = None;
        let others = (0..self.all.len()).filter(|&at| at != guess);
        let guess = Some(guess).filter(|&guess| guess < self.all.len());
        for at in guess.into_iter().chain(others) {
            let least = nearest.map_or(self.threshold, |(least, _)| least);
            let distance = far(least, at);
            let nearer = match nearest {
                None => distance < self.threshold,
                Some(nearest) => (distance, at) < nearest,
            };
            if nearer {
                nearest = Some((distance, at));
            }
        }
        nearest.map(|(_, at)| at)
    }

    /// Moves the threshold towards as many species as there should be.
    pub(super) fn adjust(&mut self, threshold: &Threshold) {
        if let Threshold::Dynamic {
            species,
            step,
            floor,
            ..
        } = *threshold
        {
            let moved = match self.all.len().cmp(&species) {
                std::cmp::Ordering::Less => self.threshold - step,
                std::cmp::Ordering::Equal => self.threshold,
                std::cmp::Ordering::Greater => self.threshold + step,
            };
            self.threshold = moved.max(floor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mutate::founder;
    use super::super::settings::NeatSettings;
    use super::*;
    use crate::seed::{Purpose, generator};

    #[test]
    fn where_the_search_for_a_home_begins_does_not_matter() {
        let (settings, shape) = (NeatSettings::neat_python(), Shape::new(3, 2));
        let draw = |at: u32| {
            let mut rng = generator(5, 0, at, Purpose::Start);
            founder(&settings, &shape, &mut rng)
        };
        let rules = Rules {
            distance: &settings.distance,
            shape: &shape,
            placement: Placement::Nearest,
            generation: 0,
        };
        // Each twice, so that some are equally near.
        let species = |at: u32| Species {
            id: at,
            members: Vec::new(),
            founded: 0,
            best: None,
            improved: 0,
            representative: draw(at / 2),
        };
        for threshold in [0.5, 1.0, 9.0] {
            let mut set = SpeciesSet::new(threshold);
            set.all = (0..12).map(species).collect();
            for at in 0..40 {
                let net = draw(at);
                let far = |at: usize| {
                    let one = &set.all[at].representative;
                    settings.distance.between(&shape, one, &net)
                };
                let near = (0..12).filter(|&at| far(at) < threshold);
                let nearest = near.min_by(|&one, &other| far(one).total_cmp(&far(other)));
                for guess in 0..13 {
                    assert_eq!(set.home(&net, guess, &rules), nearest, "{at} {guess}");
                }
            }
        }
    }
}
