//! The examination: in the first generation and every so many, all members meet
//! programs from elsewhere.
//!
//! A clock decides in it, so that it is no part of the record that is the same on every
//! machine: it has a file of its own and changes nothing in the run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::task::PairTask;
use mendel_arena::{
    Adjudication, Entrant, GamePair, GamePairs, Opening, Pace, PairGame, Patience, play_pairs,
};
use mendel_board::Game;
use mendel_crew::Crew;
use mendel_engine::Player;
use mendel_fitness::genome::space::Space;
use mendel_fitness::trial::MemberWeights;
use mendel_fitness::trial::games::by_the_paper;
use mendel_store::frame::{Failure, Folder, Memo, MemoRecord};
use mendel_store::{Record, Sync, fingerprint};
use serde::{Deserialize, Serialize};

use crate::games::RecordedPairs;
use crate::proof::first_that_plays;
use crate::recipe::ExamSettings;
use crate::record::{EXAM, ExamLine};

/// A line of [`PAIRS`]: a pair of a row that is not over yet, kept for whoever goes
/// on with it, since a crew forgets what was taken from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ExternalTestPair {
    generation: u32,
    row: usize,
    /// Whom they met: where the program was exchanged, the row begins anew.
    opponent: String,
    pair: u64,
    games: [PairGame; 2],
}

impl Record for ExternalTestPair {}

impl MemoRecord for ExternalTestPair {
    /// Generation, row and pair.
    type Key = (u32, usize, u64);

    fn key(&self) -> Self::Key {
        (self.generation, self.row, self.pair)
    }

    fn same_inputs(&self, wanted: &Self) -> bool {
        self.opponent == wanted.opponent
    }
}

/// The examiner of a run.
#[derive(Debug)]
pub(crate) struct ExternalTest<'a> {
    pub(super) settings: &'a ExamSettings,
    pub(super) parent: &'a Player,
    pub(super) crew: Crew,
    pub(super) stop: &'a Arc<AtomicBool>,
}

/// A move may come so much later than it should.
const MARGIN: Duration = Duration::from_secs(10);

/// The file of the games of a row that is being held; gone when it was.
const PAIRS: &str = "external-test-pairs.jsonl";

impl ExternalTest<'_> {
    /// Examines a generation, numbered from 0, if it is its turn. Rows that were held
    /// before are not held again. Says whether it came to its end; stopped in the
    /// middle, the generation has to be gone on with.
    pub(super) fn hold(
        &self,
        folder: &Folder,
        generation: u32,
        space: &Space,
        members: &[MemberWeights],
        told: &mut dyn FnMut(&ExamLine),
    ) -> Result<bool, Failure> {
        let generation = generation.saturating_add(1);
        if generation != 1 && !generation.is_multiple_of(self.settings.every) {
            return Ok(true);
        }
        let (mut journal, lines) = folder.journal_where::<ExamLine>(EXAM, Sync::Each, |_| true)?;
        for (row, players) in self.settings.rows.iter().enumerate() {
            let held = |line: &ExamLine| (line.generation, line.row) == (generation, row);
            if lines.iter().any(held) {
                continue;
            }
            let mut memo = folder.memo::<ExternalTestPair>(PAIRS, Sync::Each)?;
            let line = self.row(&mut memo, (generation, row), players, space, members)?;
            let Some(line) = line else {
                return Ok(false);
            };
            journal.append(&line)?;
            memo.discard();
            told(&line);
        }
        Ok(true)
    }

    /// A row, or nothing if it was stopped.
    fn row(
        &self,
        memo: &mut Memo<ExternalTestPair>,
        (generation, row): (u32, usize),
        players: &[String],
        space: &Space,
        members: &[MemberWeights],
    ) -> Result<Option<ExamLine>, Failure> {
        let mut line = ExamLine {
            generation,
            row,
            opponent: first_that_plays(players).map(str::to_owned),
            ..ExamLine::default()
        };
        let other = line
            .opponent
            .as_ref()
            .and_then(|it| Entrant::parse(it).ok());
        let Some(mut other) = other else {
            let names = players.join("`, `");
            line.note = Some(format!(
                "not held: none of `{names}` could be started; install Stockfish to hold it"
            ));
            return Ok(Some(line));
        };

        // 1. Everybody at a seat: the other first.
        other.pace = Some(Pace {
            movetime: Some(Duration::from_millis(self.settings.movetime)),
            ..Pace::default()
        });
        let hash = || vec![("Hash".to_owned(), "1".to_owned())];
        let mut entrants = vec![other];
        for (at, member) in members.iter().enumerate() {
            let Ok(player) = space.player(self.parent, member) else {
                line.note = Some(format!("not held: member {at} is no player"));
                return Ok(Some(line));
            };
            entrants.push(Entrant::bred(
                format!("member {at}"),
                Arc::new(player),
                hash(),
            ));
        }
        let pairs_each = self.settings.games as usize / 2;
        let met = (1..entrants.len()).flat_map(|member| std::iter::repeat_n(member, pairs_each));
        let pair = |(id, first)| GamePair {
            id,
            first,
            second: 0,
            opening: 0,
            only: None,
        };
        let pairs: Vec<GamePair> = (0..).zip(met).map(pair).collect();
        let bouts = GamePairs {
            entrants,
            openings: vec![Opening::new(Game::default())],
            pace: Pace::depth(self.settings.depth),
            // Late is not lost: how much the machine has to do besides must not decide.
            patience: Patience {
                margin: MARGIN,
                ..Patience::default()
            },
            adjudication: Adjudication {
                material: self.settings.lead.map(by_the_paper),
                ..Adjudication::default()
            },
        };

        // 2. The games, counted in their order.
        let Some(played) = self.play(memo, &bouts, &pairs, &line)? else {
            return Ok(None);
        };
        let faults = line.count(&played);
        if faults > 0 {
            line.note = Some(format!(
                "{faults} games of row {} after {generation} generations are not counted: a player crashed, stalled, moved \
                 against the rules or was {} s late",
                row + 1,
                MARGIN.as_secs()
            ));
        }
        Ok(Some(line))
    }

    /// The games of a row, those of an earlier life among them; nothing if it was stopped.
    fn play(
        &self,
        memo: &mut Memo<ExternalTestPair>,
        bouts: &GamePairs,
        pairs: &[GamePair],
        line: &ExamLine,
    ) -> Result<Option<Vec<[PairGame; 2]>>, Failure> {
        let (generation, row) = (line.generation, line.row);
        let opponent = line.opponent.clone().unwrap_or_default();
        // Another opponent in the same row must not find these games.
        let opponent_id = fingerprint(opponent.as_bytes());
        let part = format!("g{generation}-exam-{row}-{opponent_id}");
        let (crew, task) = (self.crew.part(&part), PairTask::new(bouts));
        let mut memo = RecordedPairs {
            memo,
            record: |pair: &GamePair, games| ExternalTestPair {
                generation,
                row,
                opponent: opponent.clone(),
                pair: pair.id,
                games,
            },
            games: |it| it.games,
        };
        let told = &mut |_: &GamePair, _: Option<&_>| Ok::<(), Failure>(());
        let played = play_pairs(&crew, &task, pairs, self.stop, &mut memo, told)?;
        // What no worker could play is tried again by the next process.
        let games = |it: Option<[PairGame; 2]>| it.unwrap_or([PairGame::NONE; 2]);
        Ok(played.map(|played| played.into_iter().map(games).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stopped after some games, it goes on with the others.
    #[test]
    fn games_of_a_row_outlive_whoever_holds_it() {
        let folder = std::env::temp_dir().join(format!("mendel-exam-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a writable folder");
        let file = folder.join(PAIRS);
        let files = Folder::at(&folder);
        let memo = || {
            let memo = files.memo::<ExternalTestPair>(PAIRS, Sync::Each);
            memo.expect("a writable folder")
        };
        let settings = ExamSettings {
            every: 1,
            games: 2,
            depth: 1,
            movetime: 10,
            lead: None,
            rows: vec![vec!["random".to_owned()]],
        };
        let player = Player::find("random").expect("it ships with the program");
        let (crew, stop) = (Crew::threads(1), Arc::default());
        let test = ExternalTest {
            settings: &settings,
            parent: &player,
            crew,
            stop: &stop,
        };
        let one = || Entrant::bred("one", Arc::new(player.clone()), Vec::new());
        let bouts = GamePairs {
            entrants: vec![one(), one()],
            openings: vec![Opening::new(Game::default())],
            pace: Pace::depth(1),
            patience: Patience::default(),
            adjudication: Adjudication {
                length: Some(mendel_arena::LengthRule {
                    plies: 8,
                    verdict: mendel_arena::Verdict::Draw,
                }),
                ..Adjudication::default()
            },
        };
        let pair = |id| GamePair {
            id,
            first: 0,
            second: 1,
            opening: 0,
            only: None,
        };
        let line = ExamLine {
            generation: 1,
            opponent: Some("random".to_owned()),
            ..ExamLine::default()
        };
        let hold = |pairs: u64, line: &ExamLine| {
            let pairs: Vec<GamePair> = (0..pairs).map(pair).collect();
            let games = test.play(&mut memo(), &bouts, &pairs, line);
            let lines = std::fs::read_to_string(&file).expect("it is there");
            (
                games.expect("played").map(|it| it.len()),
                lines.lines().count(),
            )
        };
        let (first, after_one) = hold(1, &line);
        let (second, after_all) = hold(3, &line);
        assert_eq!((first, second), (Some(1), Some(3)));
        assert_eq!(after_all - after_one, 2, "the first is not played again");
        // Another opponent is another row.
        let other = ExamLine {
            opponent: Some("material".to_owned()),
            ..line
        };
        assert_eq!(hold(1, &other).1 - after_all, 1);
        std::fs::remove_dir_all(&folder).expect("it was ours");
    }
}
