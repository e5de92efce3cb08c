//! How accurately the players of a match played.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use mendel_arena::{Entrant, GameRecord, Pace};
use mendel_board::{Game as Moves, Position};
use mendel_store::{Journal, Record, Sync};
use serde::{Deserialize, Serialize};

use super::error::StepError;
use super::record::{Game, Played};
use super::{Event, Working};
use crate::analysis::{Analyser, AnalysisError};
use crate::proof::first_that_plays;

/// `accuracy = true`, or a table with these.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct AccuracySettings {
    /// Who judges the positions; the first that can be started.
    pub players: Vec<String>,
    /// With so many nodes for each position.
    pub nodes: u64,
}

impl Default for AccuracySettings {
    fn default() -> Self {
        Self {
            players: ["cmd:stockfish", "cmd:/usr/games/stockfish", "mendel"]
                .map(str::to_owned)
                .into(),
            nodes: 50_000,
        }
    }
}

impl AccuracySettings {
    /// What is wrong with the settings.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.nodes == 0 || self.players.is_empty() {
            return Err("needs nodes from 1 on and somebody who judges".to_owned());
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
struct Judged {
    /// Its place in the schedule.
    game: u64,
    /// Who judged.
    judge: String,
    /// White's and Black's accuracy; none where there is nothing to judge.
    accuracy: [Option<f64>; 2],
}

impl Record for Judged {
    const VERSION: u32 = 1;
}

/// The journal of the games that were looked at.
const FILE: &str = "accuracy.jsonl";

impl Working<'_> {
    /// Looks at the games of a match, each once; `false` if it was stopped.
    pub(super) fn accuracy(
        &self,
        settings: &AccuracySettings,
        path: &Path,
        played: &mut Played,
        watch: &mut dyn FnMut(Event),
    ) -> Result<bool, StepError> {
        // 1. Who judges, and what was judged before.
        let Some(judge) = first_that_plays(&settings.players) else {
            let names = settings.players.join("`, `");
            let note = format!("no accuracy: none of `{names}` could be started");
            played.notes.push(note);
            return Ok(true);
        };
        let entrant = Entrant::parse(judge).expect("it was started");
        let name = Analyser::new(&entrant, settings.pace())?.name().to_owned();
        let games: Vec<GameRecord> = Journal::read(&path.join("games.jsonl"))?;
        let (mut journal, found) = Journal::<Judged>::open(&path.join(FILE), Sync::Each)?;
        let mine = found.into_iter().filter(|it| it.judge == name);
        let mut judged: BTreeMap<u64, [Option<f64>; 2]> =
            mine.map(|it| (it.game, it.accuracy)).collect();

        // 2. The rest.
        let missing: Vec<&GameRecord> = games
            .iter()
            .filter(|it| !judged.contains_key(&it.game))
            .collect();
        let all = Hall {
            entrant: &entrant,
            pace: settings.pace(),
            games: &missing,
            threads: self.work.threads,
            stop: &self.work.stop,
        };
        let whole = all.judge(&mut |game, accuracy| {
            journal.append(&Judged {
                game,
                judge: name.clone(),
                accuracy,
            })?;
            judged.insert(game, accuracy);
            watch(Event::Accuracy {
                done: judged.len() as u64,
                total: games.len() as u64,
            });
            Ok(())
        })?;
        if !whole {
            return Ok(false);
        }

        // 3. The table, in the order of the schedule.
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
        Ok(true)
    }
}

/// Games to be looked at by several who judge alike.
struct Hall<'a> {
    entrant: &'a Entrant,
    pace: Pace,
    games: &'a [&'a GameRecord],
    threads: usize,
    stop: &'a Arc<AtomicBool>,
}

impl Hall<'_> {
    /// Hands each game to `done` as it is judged; `false` if it was stopped.
    fn judge(
        &self,
        done: &mut dyn FnMut(u64, [Option<f64>; 2]) -> Result<(), StepError>,
    ) -> Result<bool, StepError> {
        let next = AtomicUsize::new(0);
        // An error ends the others, too; `stop` belongs to the caller.
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..self.threads.clamp(1, self.games.len().max(1)) {
                let (sender, next, over) = (sender.clone(), &next, &over);
                scope.spawn(move || {
                    let mut analyser = None;
                    while !over.load(Ordering::Relaxed) {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(record) = self.games.get(at) else {
                            return;
                        };
                        let judged = self.one(record, &mut analyser);
                        if sender.send((record.game, judged)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut result = Ok(true);
            for (game, judged) in receiver {
                let taken = match judged {
                    Ok(accuracy) => done(game, accuracy),
                    Err(AnalysisError::Stopped) => {
                        result = result.map(|_| false);
                        over.store(true, Ordering::Relaxed);
                        continue;
                    }
                    Err(error) => Err(error.into()),
                };
                if let Err(error) = taken {
                    over.store(true, Ordering::Relaxed);
                    result = Err(error);
                }
            }
            result
        })
    }

    fn one(
        &self,
        record: &GameRecord,
        analyser: &mut Option<Analyser>,
    ) -> Result<[Option<f64>; 2], AnalysisError> {
        if analyser.is_none() {
            *analyser = Some(Analyser::new(self.entrant, self.pace)?);
        }
        let analyser = analyser.as_mut().expect("it was made above");
        let Some(game) = replayed(record) else {
            return Ok([None; 2]);
        };
        match analyser.accuracy(&game, record.opening.len(), self.stop) {
            Ok(accuracy) => Ok([Some(accuracy.white), Some(accuracy.black)]),
            // One game without a figure is no reason to have none at all.
            Err(AnalysisError::TooShort { .. } | AnalysisError::Mute { .. }) => Ok([None; 2]),
            Err(error) => Err(error),
        }
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
