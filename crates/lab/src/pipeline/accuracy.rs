//! How accurately the players of a match played.

use std::collections::BTreeMap;

use mendel_arena::{Entrant, GameRecord, Pace};
use mendel_board::{Game as Moves, Position};
use mendel_coach::{Analyser, AnalysisError};
use mendel_crew::{CompletedOutput, HandlerError, JobProgress, Site, Task, TaskFailure};
#[cfg(test)]
use mendel_crew::{Done, Flow, Mapped};
use mendel_store::frame::{Failure, Memo, MemoRecord};
use mendel_store::{Journal, Record, Sync};
use serde::{Deserialize, Serialize};

use super::StepRun;
use crate::proof::first_that_plays;
use crate::recipe::steps::AccuracySettings;
use crate::record::{Game, Played};

impl AccuracySettings {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.nodes == 0 || self.players.is_empty() {
            return Err("needs nodes from 1 on and a player that judges".to_owned());
        }
        for text in &self.players {
            Entrant::parse(text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn pace(&self) -> Pace {
        Pace {
            nodes: Some(self.nodes),
            ..Pace::default()
        }
    }
}

/// A line of `accuracy.jsonl`: a game that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct AccuracyRecord {
    game: u64,
    judge: String,
    /// White's and Black's accuracy; none where there is nothing to judge.
    accuracy: [Option<f64>; 2],
}

impl Record for AccuracyRecord {
    const VERSION: u32 = 1;
}

impl MemoRecord for AccuracyRecord {
    type Key = (String, u64);

    fn key(&self) -> Self::Key {
        (self.judge.clone(), self.game)
    }
}

const FILE: &str = "accuracy.jsonl";

impl StepRun<'_> {
    pub(super) fn accuracy(
        &self,
        settings: &AccuracySettings,
        played: &mut Played,
    ) -> Result<(), Failure> {
        // 1. Who judges, and what was judged before.
        let Some(judge) = first_that_plays(&settings.players) else {
            let names = settings.players.join("`, `");
            let note = format!("no accuracy: none of `{names}` could be started");
            played.notes.push(note);
            return Ok(());
        };
        let entrant = Entrant::parse(judge).expect("it was started");
        let name = Analyser::new(&entrant, settings.pace())?.name().to_owned();
        let folder = self.folder()?;
        let games: Vec<GameRecord> = Journal::read(&folder.file("games.jsonl"))?;
        let mut memo: Memo<AccuracyRecord> = folder.memo(FILE, Sync::Each)?;
        let record = |game: u64, accuracy| AccuracyRecord {
            game,
            judge: name.clone(),
            accuracy,
        };

        // 2. The rest.
        let is_missing = |it: &&GameRecord| memo.find(&record(it.game, [None; 2])).is_none();
        let missing: Vec<GameRecord> = games.iter().filter(is_missing).cloned().collect();
        let task = AccuracyTask {
            entrant: &entrant,
            pace: settings.pace(),
            failure: TaskFailure::default(),
        };
        let (total, done) = (games.len() as u64, games.len() - missing.len());
        self.complete(
            (&task, &task.failure),
            missing,
            &mut memo,
            ("games judged", done as u64, total),
            |game, accuracy| (record(game.game, accuracy), 1),
        )?;

        // 3. The table, in the order of the schedule.
        let own = memo.iter().filter(|it| it.judge == name);
        let judged: BTreeMap<u64, [Option<f64>; 2]> =
            own.map(|it| (it.game, it.accuracy)).collect();
        played.judge = Some(format!("{name} with {} nodes a position", settings.nodes));
        played.games = games
            .iter()
            .map(|record| Game {
                white: played.players[record.white].clone(),
                black: played.players[record.black].clone(),
                result: record.ending.result().to_owned(),
                reason: record.ending.words.clone(),
                plies: record.moves.len() as u64,
                accuracy: judged[&record.game],
            })
            .collect();
        let without = played.games.iter().filter(|it| it.accuracy[0].is_none());
        let without = without.count();
        if without > 0 {
            played.notes.push(format!(
                "{without} games have no accuracy: they are too short, or the judge gave no score"
            ));
        }
        for standing in &mut played.standings {
            let own = played.games.iter().flat_map(|game| {
                let sides = [(&game.white, 0), (&game.black, 1)];
                sides
                    .into_iter()
                    .filter(|(name, _)| **name == standing.player)
                    .filter_map(|(_, side)| game.accuracy[side])
            });
            let own: Vec<f64> = own.collect();
            let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
            standing.accuracy = (!own.is_empty()).then_some(mean);
        }
        Ok(())
    }
}

/// Judges games. It is not portable yet.
struct AccuracyTask<'a> {
    entrant: &'a Entrant,
    pace: Pace,
    failure: TaskFailure<AnalysisError>,
}

impl Task for AccuracyTask<'_> {
    const KIND: &'static str = "accuracy";
    const VERSION: u32 = 1;
    type Item = GameRecord;
    type Output = [Option<f64>; 2];
    type TaskState = Analyser;

    fn item_id(&self, record: &GameRecord) -> u64 {
        record.game
    }

    fn new_state(&self, _: Site) -> Result<Analyser, HandlerError> {
        let analyser = Analyser::new(self.entrant, self.pace);
        analyser.map_err(|error| self.failure.record(error))
    }

    fn run(
        &self,
        analyser: &mut Analyser,
        record: &GameRecord,
        progress: &JobProgress,
    ) -> Result<CompletedOutput<[Option<f64>; 2]>, HandlerError> {
        let Some(game) = replayed(record) else {
            return progress.complete([None; 2]);
        };
        let opening = record.opening.len();
        match analyser.accuracy(&game, opening, &progress.stop_flag()) {
            Ok(accuracy) => progress.complete([Some(accuracy.white), Some(accuracy.black)]),
            // One game without a figure is no reason to have none at all.
            Err(AnalysisError::TooShort { .. } | AnalysisError::Mute { .. }) => {
                progress.complete([None; 2])
            }
            Err(AnalysisError::Stopped) => Err(HandlerError::Stopped),
            Err(error) => Err(self.failure.record(error)),
        }
    }

    fn accept(
        &self,
        _: &GameRecord,
        accuracy: [Option<f64>; 2],
    ) -> Result<[Option<f64>; 2], String> {
        Ok(accuracy)
    }
}

/// The moves of a record; `None` if it is no game, which the match has ruled out.
fn replayed(record: &GameRecord) -> Option<Moves> {
    let start = Position::from_fen(&record.start)
        .or_else(|_| Position::from_fen960(&record.start))
        .ok()?;
    let mut game = Moves::new(start);
    let moves = record.opening.iter();
    for text in moves.chain(record.moves.iter().map(|it| &it.m)) {
        let m = game.position().parse_uci(text).ok()?;
        game.play(m).ok()?;
    }
    Some(game)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use mendel_arena::task::GameTask;
    use mendel_arena::{
        Adjudication, Fixture, LengthRule, OpeningSetting, Openings, Patience, Verdict,
    };
    use mendel_crew::{Crew, CrewError};
    use mendel_engine::Player;
    use mendel_testkit::stop_at_random_moments;

    use super::*;

    fn nodes(nodes: u64) -> Pace {
        Pace {
            nodes: Some(nodes),
            ..Pace::default()
        }
    }

    /// Short games between two players of ours.
    fn records(player: &Entrant) -> Vec<GameRecord> {
        let book = Openings::own(&OpeningSetting::default());
        let adjudication = Adjudication {
            length: Some(LengthRule {
                plies: 10,
                verdict: Verdict::Draw,
            }),
            ..Adjudication::default()
        };
        let players = [player.clone(), player.clone()];
        let limits = (nodes(100), Patience::default());
        let opening = |at| book.get(at);
        let task = GameTask::new(&players, 3, opening, limits, &adjudication, None);
        let games = (0..6).map(|game| Fixture {
            game,
            pair: game / 2,
            white: 0,
            black: 1,
            opening: game,
        });
        let (mut records, stop) = (Vec::new(), AtomicBool::new(false));
        let mapped = Crew::threads(1).map(&task, games, &stop, &mut |_, done| {
            if let Done::Output(record) = done {
                records.push(record);
            }
            Ok::<_, CrewError>(Flow::Continue)
        });
        assert!(matches!(mapped, Ok(Mapped::All)), "{mapped:?}");
        records
    }

    #[test]
    fn games_whose_judging_is_stopped_at_random_moments_are_those_of_an_unbroken_run() {
        let player = Player::find("mendel").expect("it ships with the program");
        let options = vec![("Hash".to_owned(), "1".to_owned())];
        let judge = Entrant::bred("mendel", Arc::new(player), options);
        let records = records(&judge);
        let task = AccuracyTask {
            entrant: &judge,
            pace: nodes(1000),
            failure: TaskFailure::default(),
        };
        let judged = |threads, stop: &AtomicBool, memo: &mut BTreeMap<u64, [Option<f64>; 2]>| {
            let open: Vec<GameRecord> = records
                .iter()
                .filter(|record| !memo.contains_key(&record.game))
                .cloned()
                .collect();
            let crew = Crew::threads(threads);
            let mapped = crew.map(&task, open.into_iter(), stop, &mut |record, done| {
                if let Done::Output(accuracy) = done {
                    memo.insert(record.game, accuracy);
                }
                Ok::<_, CrewError>(Flow::Continue)
            });
            mapped.expect("it is judged or stopped")
        };
        let (mut unbroken, start) = (BTreeMap::new(), Instant::now());
        let mapped = judged(2, &AtomicBool::new(false), &mut unbroken);
        let typical = start.elapsed();
        assert_eq!((mapped, unbroken.len()), (Mapped::All, records.len()));
        let mut memo = BTreeMap::new();
        stop_at_random_moments(0xACE5, typical, |attempt| {
            if attempt.starts_again {
                memo.clear();
            }
            judged(1 + attempt.number % 2, &attempt.stop, &mut memo) == Mapped::All
        });
        assert_eq!(memo, unbroken);
    }
}
