//! Blocks searched by workers elsewhere.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mendel_arena::task::{Luggage, Visitor};
use mendel_arena::{AwayError, Desk, Entrant, Errand};
use mendel_crew::GoOn;
use mendel_store::fingerprint;

use super::journal::{Judged, JudgedJournal};
use super::task::{self, Answer, JudgeTask, TaskBlock};
use super::{Searched, Sheet, Solved};
use crate::trial::TrialError;

impl Sheet<'_> {
    /// What came of each block: found in the journal, or searched by the crew.
    pub(super) fn solve_there(
        &self,
        desk: &Desk,
        generation: u32,
        stop: &Arc<AtomicBool>,
        journal: &mut JudgedJournal,
    ) -> Result<Searched, TrialError> {
        // 1. Everybody ready to travel.
        let mut luggage = Luggage::new();
        let mut visitors = Vec::with_capacity(self.players.len());
        for (place, player) in self.players.iter().enumerate() {
            let options = vec![("Hash".to_owned(), self.hash.to_string())];
            let entrant = Entrant::bred(format!("member {place}"), Arc::clone(player), options);
            let visitor = Visitor::pack(&entrant, &mut luggage).map_err(AwayError::from)?;
            visitors.push(visitor);
        }
        let task = |numbers: &[u64]| {
            let block = |&number: &u64| TaskBlock::new(number, &self.blocks[number as usize]);
            JudgeTask::new(&visitors, self.reach, numbers.iter().map(block).collect())
        };

        // 2. What is in the journal is not searched again.
        let total = self.blocks.len() as u64;
        let keys: Vec<String> = (0..total)
            .map(|number| fingerprint(&task(&[number]).payload()))
            .collect();
        let mut solved: Vec<Option<Solved>> = (0..total)
            .map(|number| journal.find(generation, number, &keys[number as usize]))
            .collect();
        let open: Vec<u64> = (0..total)
            .filter(|&number| solved[number as usize].is_none())
            .collect();

        // 3. The rest is, and each block is written down before it is counted.
        let errand = Errand {
            kind: task::KIND,
            version: task::VERSION,
            total,
            // Shorter than its positions.
            answer: 0,
            luggage: &luggage,
            pack: &|numbers: &[u64]| {
                let task = task(numbers);
                (task.payload(), task.blobs())
            },
        };
        let pieces = open.into_iter().map(|number| (number, number));
        // Members that are known need no judging, and who goes on from the checkpoint of an
        // earlier version knows none: jobs of other blocks must have other names.
        let all = fingerprint(keys.concat().as_bytes());
        let desk = desk.for_part(&format!("g{generation}-judge-{all}"));
        let mut without = BTreeSet::new();
        desk.work(&errand, pieces, stop, &mut |returned| {
            let answers: Vec<Answer> = match returned.answer {
                None => returned
                    .pieces
                    .iter()
                    .map(|&it| self.unsolved(it))
                    .collect(),
                Some(answer) => serde_json::from_slice(answer)
                    .map_err(|error| returned.nonsense(error.to_string()))?,
            };
            // All of it makes sense, or none of it is taken.
            let found = returned.pieces.iter().map(|&block| {
                let wanted = self.blocks[block as usize].puzzles.len();
                let fits = |it: &&Answer| it.block == block && it.solved.len() == wanted;
                let missing = || returned.nonsense(format!("block {block} is not in it"));
                answers.iter().find(fits).ok_or_else(missing)
            });
            let found = found.collect::<Result<Vec<&Answer>, _>>()?;
            for Answer { block, solved: it } in found {
                // What nobody could do may be done by whoever goes on.
                if returned.answer.is_some() {
                    journal.keep(&Judged {
                        generation,
                        block: *block,
                        key: keys[*block as usize].clone(),
                        solved: it.clone(),
                    })?;
                } else {
                    without.insert(*block as usize);
                }
                solved[*block as usize] = Some(it.clone());
            }
            Ok::<_, TrialError>(GoOn::Yes)
        })?;
        let blocks: Option<Vec<Solved>> = solved.into_iter().collect();
        debug_assert!(
            blocks.is_some() || stop.load(Ordering::Relaxed),
            "nobody asked to stop"
        );
        let blocks = blocks.ok_or(TrialError::Stopped)?;
        Ok(Searched { blocks, without })
    }

    /// Of a block that is to be done without.
    fn unsolved(&self, block: u64) -> Answer {
        let solved = vec![None; self.blocks[block as usize].puzzles.len()];
        Answer { block, solved }
    }
}
