//! The examination: in the first generation and every so many, all members meet
//! programs from elsewhere.
//!
//! A clock decides in it, so that it is no part of the record that is the same on every
//! machine: it has a file of its own and changes nothing in the run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::{
    Adjudication, AwayError, BoutGame, Bouts, Crew, EndReason, Entrant, Opening, Pace, Pair,
    Patience,
};
use mendel_board::Game;
use mendel_engine::Player;
use mendel_store::{Journal, JournalError, Record, Sync, fingerprint};
use serde::{Deserialize, Serialize};

use super::{FolderError, RunError};
use crate::chromosome::space::Space;
use crate::proof::first_that_plays;
use crate::trial::games::by_the_paper;

/// The table `[exam]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ExamSettings {
    /// It is held in the first generation, to compare with, and in every so many.
    pub every: u32,
    /// Games of each member in each row, half of them with White.
    pub games: u64,
    /// Plies for each move of a member.
    pub depth: u32,
    /// Milliseconds for each move of the other.
    pub movetime: u64,
    /// A side that is so many centipawns of material ahead has won.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<u32>,
    /// Whom members meet: of each row the first that can be started.
    pub rows: Vec<Vec<String>>,
}

impl ExamSettings {
    /// The key that is wrong, and why.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        let wrong = |key, reason: &str| Err((key, reason.to_owned()));
        if self.every == 0 {
            return wrong("every", "is 0; 25 is every 25 generations");
        }
        if self.games == 0 || !self.games.is_multiple_of(2) || self.games > 1000 {
            return wrong("games", "must be an even number from 2 to 1000");
        }
        if self.depth == 0 {
            return wrong("depth", "must be at least 1");
        }
        if self.movetime == 0 {
            return wrong("movetime", "must be at least 1 millisecond");
        }
        if self.rows.is_empty() || self.rows.iter().any(Vec::is_empty) {
            return wrong("rows", "must be lists of players, none of them empty");
        }
        for text in self.rows.iter().flatten() {
            if let Err(error) = Entrant::parse(text) {
                return Err(("rows", error.to_string()));
            }
        }
        Ok(())
    }
}

/// A line of `exam.jsonl`: a generation in one row. A clock decided: another time, or on
/// another machine, it is another line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExamLine {
    /// Generations that were bred, as papers count them: from 1.
    pub generation: u32,
    /// The row, from 0.
    pub row: usize,
    /// Whom they met, as the recipe has it; nobody if none of the row could be started.
    pub opponent: Option<String>,
    /// Games that all members lost.
    pub losses: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that they won.
    pub wins: u64,
    /// Half-moves of the lost games: with White, with Black.
    pub lost: [Vec<u32>; 2],
    /// The members' own first moves, with White and with Black, and how often each was
    /// played, by name.
    #[serde(default)]
    pub opened: [BTreeMap<String, u64>; 2],
    /// Why there are no games, or fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Record for ExamLine {
    const VERSION: u32 = 1;
}

/// A line of [`EXAM_GAMES`]: a pair of a row that is not over yet, kept for whoever goes
/// on with it, since a crew forgets what was taken from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ExamPair {
    generation: u32,
    row: usize,
    /// Whom they met: where the program was exchanged, the row begins anew.
    opponent: String,
    pair: u64,
    games: [BoutGame; 2],
}

impl Record for ExamPair {
    const VERSION: u32 = 1;
}

/// Why an examination cannot be held.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExamError {
    /// It cannot be written down.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The crew cannot play its games.
    #[error(transparent)]
    Away(#[from] AwayError),
}

impl From<ExamError> for RunError {
    fn from(error: ExamError) -> Self {
        match error {
            ExamError::Journal(error) => FolderError::from(error).into(),
            ExamError::Away(error) => error.into(),
        }
    }
}

/// The examiner of a run.
#[derive(Debug)]
pub(crate) struct Exam<'a> {
    pub(super) settings: &'a ExamSettings,
    pub(super) parent: &'a Player,
    pub(super) crew: &'a Crew,
    pub(super) stop: &'a Arc<AtomicBool>,
}

/// A move may come so much later than it should.
const MARGIN: Duration = Duration::from_secs(10);

/// The file of the examination.
pub const EXAM: &str = "exam.jsonl";

/// The file of the games of a row that is being held; gone when it was.
const EXAM_GAMES: &str = "exam-games.jsonl";

impl Exam<'_> {
    /// Examines a generation, numbered from 0, if it is its turn. Rows that were held
    /// before are not held again. Says whether it came to its end; stopped in the
    /// middle, the generation has to be gone on with.
    pub(super) fn hold(
        &self,
        folder: &Path,
        generation: u32,
        space: &Space,
        members: &[Vec<i32>],
        told: &mut dyn FnMut(&ExamLine),
    ) -> Result<bool, ExamError> {
        let generation = generation.saturating_add(1);
        if generation != 1 && !generation.is_multiple_of(self.settings.every) {
            return Ok(true);
        }
        let path = folder.join(EXAM);
        let (mut journal, lines) = Journal::<ExamLine>::open(&path, Sync::Each)?;
        for (row, players) in self.settings.rows.iter().enumerate() {
            let held = |line: &ExamLine| (line.generation, line.row) == (generation, row);
            if lines.iter().any(held) {
                continue;
            }
            let games = folder.join(EXAM_GAMES);
            let line = self.row(&games, (generation, row), players, space, members)?;
            let Some(line) = line else {
                return Ok(false);
            };
            journal.append(&line)?;
            // Where it stays, it does no harm: its lines name their row.
            let _ = std::fs::remove_file(&games);
            told(&line);
        }
        Ok(true)
    }

    /// A row, or nothing if it was stopped.
    fn row(
        &self,
        games: &Path,
        (generation, row): (u32, usize),
        players: &[String],
        space: &Space,
        members: &[Vec<i32>],
    ) -> Result<Option<ExamLine>, ExamError> {
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
        let pairs_each = self.settings.games / 2;
        let mut pairs = Vec::new();
        for member in 1..entrants.len() {
            pairs.extend((0..pairs_each).map(|_| Pair {
                id: 0,
                first: member,
                second: 0,
                opening: 0,
                only: None,
            }));
        }
        for (at, pair) in pairs.iter_mut().enumerate() {
            pair.id = at as u64;
        }
        let bouts = Bouts {
            entrants,
            openings: vec![Opening::new(Game::default())],
            pace: Pace {
                depth: Some(self.settings.depth),
                ..Pace::default()
            },
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
        let played = self.play(games, &bouts, pairs, &line)?;
        Ok(played.map(|played| {
            count(&mut line, &played);
            line
        }))
    }

    /// The games of a row, those of an earlier life among them; nothing if it was stopped.
    fn play(
        &self,
        games: &Path,
        bouts: &Bouts,
        mut pairs: Vec<Pair>,
        line: &ExamLine,
    ) -> Result<Option<Vec<[BoutGame; 2]>>, ExamError> {
        let (generation, row) = (line.generation, line.row);
        let opponent = line.opponent.clone().unwrap_or_default();
        let mut played: Vec<Option<[BoutGame; 2]>> = vec![None; pairs.len()];
        let (mut journal, known) = Journal::<ExamPair>::open(games, Sync::Each)?;
        for it in known {
            let is_ours = (it.generation, it.row) == (generation, row) && it.opponent == opponent;
            let place = usize::try_from(it.pair).ok();
            if let Some(place) = place.and_then(|at| played.get_mut(at)).filter(|_| is_ours) {
                *place = Some(it.games);
            }
        }
        pairs.retain(|pair| played[pair.id as usize].is_none());
        // Another opponent in the same row must not find these games.
        let opponent_id = fingerprint(opponent.as_bytes());
        let part = format!("g{generation}-exam-{row}-{opponent_id}");
        let crew = self.crew.for_part(&part);
        bouts.play_by(&crew, &pairs, self.stop, &mut |outcome| {
            journal.append(&ExamPair {
                generation,
                row,
                opponent: opponent.clone(),
                pair: outcome.id,
                games: outcome.games,
            })?;
            played[outcome.id as usize] = Some(outcome.games);
            Ok::<(), ExamError>(())
        })?;
        Ok(played.into_iter().collect())
    }
}

/// Counts games, those of the member with White first in each pair. What a fault or a
/// clock decided says nothing of the member, and is told apart.
fn count(line: &mut ExamLine, played: &[[BoutGame; 2]]) {
    let mut faults = 0;
    for games in played {
        for (colour, game) in games.iter().enumerate() {
            if *game == BoutGame::NONE {
                continue;
            }
            if game.reason.is_fault() || game.reason == EndReason::Time {
                faults += 1;
                continue;
            }
            if let Some(opened) = game.first.iter().nth(colour) {
                *line.opened[colour].entry(opened.to_owned()).or_default() += 1;
            }
            match game.points {
                1.. => line.wins += 1,
                0 => line.draws += 1,
                ..0 => {
                    line.losses += 1;
                    line.lost[colour].push(game.plies);
                }
            }
        }
    }
    if faults > 0 {
        line.note = Some(format!(
            "{faults} games of row {} after {} generations are not counted: a player crashed, stalled, moved \
             against the rules or was {} s late",
            line.row + 1,
            line.generation,
            MARGIN.as_secs()
        ));
    }
}

#[cfg(test)]
mod tests {
    use mendel_arena::FirstMoves;

    use super::*;

    /// Stopped after some games, it goes on with the others.
    #[test]
    fn games_of_a_row_outlive_whoever_holds_it() {
        let folder = std::env::temp_dir().join(format!("mendel-exam-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a writable folder");
        let file = folder.join(EXAM_GAMES);
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
        let exam = Exam {
            settings: &settings,
            parent: &player,
            crew: &crew,
            stop: &stop,
        };
        let one = || Entrant::bred("one", Arc::new(player.clone()), Vec::new());
        let bouts = Bouts {
            entrants: vec![one(), one()],
            openings: vec![Opening::new(Game::default())],
            pace: Pace {
                depth: Some(1),
                ..Pace::default()
            },
            patience: Patience::default(),
            adjudication: Adjudication {
                length: Some(mendel_arena::LengthRule {
                    plies: 8,
                    verdict: mendel_arena::Verdict::Draw,
                }),
                ..Adjudication::default()
            },
        };
        let pair = |id| Pair {
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
            let games = exam.play(&file, &bouts, (0..pairs).map(pair).collect(), line);
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

    #[test]
    fn what_a_clock_or_a_fault_decides_is_no_win() {
        let game = |points, reason, first: &str| BoutGame {
            points,
            plies: 30,
            reason,
            nodes: 1,
            first: FirstMoves::try_from(first.to_owned()).expect("moves"),
        };
        let mut line = ExamLine {
            generation: 25,
            ..ExamLine::default()
        };
        let played = [
            [
                game(1, EndReason::Time, "e2e4"),
                game(1, EndReason::Crash, ""),
            ],
            [
                game(-1, EndReason::Checkmate, "g1f3 d7d5"),
                game(1, EndReason::Checkmate, "d2d4 g8f6"),
            ],
        ];
        count(&mut line, &played);
        assert_eq!((line.losses, line.draws, line.wins), (1, 0, 1));
        assert_eq!(line.lost, [vec![30], vec![]]);
        let opened = line.opened.each_ref().map(|it| it.keys().next());
        assert_eq!(opened, [Some(&"g1f3".to_owned()), Some(&"g8f6".to_owned())]);
        assert!(line.note.is_some_and(|note| note.starts_with("2 games")));
    }
}
