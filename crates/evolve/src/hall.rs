//! Members worth remembering after they left.

use serde::{Deserialize, Serialize};

use crate::breeder::MemberId;

/// The best members that were ever let in, best first; of equals the older.
///
/// A score is that of the day it was earned, or of the last time the member was
/// judged: where opponents evolve or the sample changes, scores of different
/// generations are compared as they stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hall<G> {
    size: usize,
    members: Vec<Famous<G>>,
}

/// A member of a [`Hall`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Famous<G> {
    pub genome: G,
    /// How it did when it was last judged.
    pub score: f64,
    /// Where it was when it came in.
    pub id: MemberId,
}

impl<G: PartialEq> Hall<G> {
    pub fn new(size: usize) -> Self {
        Self {
            size,
            members: Vec::new(),
        }
    }

    pub fn members(&self) -> &[Famous<G>] {
        &self.members
    }

    pub fn knows(&self, genome: &G) -> bool {
        self.members.iter().any(|member| member.genome == *genome)
    }

    /// Lets a member in, if there is room or it is better than the last. A genome
    /// that is in already only has its score renewed.
    pub fn admit(&mut self, member: Famous<G>) {
        if self.renew(&member.genome, member.score) {
            return;
        }
        self.members.push(member);
        self.sort();
        self.members.truncate(self.size);
    }

    /// Writes down a new score of a genome; returns whether it is in.
    pub fn renew(&mut self, genome: &G, score: f64) -> bool {
        let known = self
            .members
            .iter_mut()
            .find(|known| known.genome == *genome);
        let Some(known) = known else {
            return false;
        };
        known.score = score;
        self.sort();
        true
    }

    fn sort(&mut self) {
        self.members.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score.then(one.id.cmp(&other.id))
        });
    }
}
