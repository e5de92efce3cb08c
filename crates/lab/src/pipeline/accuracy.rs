//! How accurately the players of a match played.

use std::collections::BTreeMap;

use mendel_arena::pgn::replay;
use mendel_arena::{Entrant, GameRecord, Pace};
use mendel_coach::{Analyser, AnalysisError};
use mendel_crew::{CompletedOutput, HandlerError, JobProgress, Site, Task, TaskFailure};
use mendel_store::frame::{Failure, Memo, MemoRecord};
use mendel_store::{Journal, Record, Sync};
use serde::{Deserialize, Serialize};

use super::StepRun;
use crate::proof::first_that_plays;
use crate::recipe::steps::AccuracySettings;
use crate::recipe::{Misfit, check_players, require};
use crate::record::{Game, Played};

impl AccuracySettings {
    pub(super) fn check(&self) -> Result<(), Misfit> {
        let judges = self.nodes > 0 && !self.players.is_empty();
        let reason = "needs nodes from 1 on and a player that judges";
        require(judges, "accuracy", reason)?;
        check_players("accuracy", &self.players)
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

impl Record for AccuracyRecord {}

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
        let name = Analyser::new(&entrant, Pace::nodes(settings.nodes))?
            .name()
            .to_owned();
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
            pace: Pace::nodes(settings.nodes),
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
        // The match has ruled out that it is no game.
        let Ok(game) = replay(record) else {
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
