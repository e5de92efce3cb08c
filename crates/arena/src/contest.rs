//! A match or a tournament, from its plan to its result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use mendel_board::tablebase::{Tablebase, TablebaseError};

use crate::crew::{AwayError, Crew, Desk, Errand};
use crate::folder::{FolderError, MatchFolder};
use crate::hands::{GoOn, Hands, Piece};
use crate::pgn::{self, Heading, NamesError, OpeningNames, RecordError};
use crate::plan::Plan;
use crate::same;
use crate::seats::{self, Seats};
use crate::statistics::{Anchor, Decision, Sprt, SprtError, SprtState};
use crate::task::{self, Packed};
use crate::{
    Bouts, Conclusion, Entrant, EntrantError, Fixture, GameRecord, GameSetting, OpeningError,
    Openings, Pace, Schedule, ScheduleError, SeatError, Standing, Summary,
};

/// A plan that was checked whole: everybody is there, can be started, knows its
/// options and can keep the pace, and every file could be read.
#[derive(Debug)]
pub struct Contest {
    plan: Plan,
    entrants: Vec<Entrant>,
    schedule: Schedule,
    openings: Openings,
    tablebase: Option<Arc<Tablebase>>,
    players: Vec<(String, Pace)>,
    names: Option<OpeningNames>,
    anchor: Option<Anchor>,
    sprt: Option<Sprt>,
}

/// How far a match has come.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The game that was just counted.
    pub record: &'a GameRecord,
    /// Whether it was found in the folder and not played now.
    pub found: bool,
    /// All games that count so far.
    pub standing: &'a Standing,
    /// Where the test stands.
    pub test: Option<SprtState>,
    /// Games in all, if nothing stops the match before.
    pub total: u64,
}

/// Why a match cannot be played or cannot go on. A lost game is not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContestError {
    /// A player is not named right.
    #[error(transparent)]
    Entrant(#[from] EntrantError),
    /// A player cannot take part.
    #[error("{error}{}", quoted(&.error.last_words))]
    Seat {
        /// Who, and why not.
        error: SeatError,
    },
    /// The schedule cannot be made.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The openings cannot be used.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The names of openings cannot be used.
    #[error(transparent)]
    Names(#[from] NamesError),
    /// The tables cannot be used.
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    /// The test cannot be made.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// A test compares two players.
    #[error(
        "a test needs exactly two players, and there are {players}; leave `--sprt` out or name two"
    )]
    SprtPlayers {
        /// How many there are.
        players: usize,
    },
    /// The same games would be counted twice.
    #[error(
        "there are only {openings} openings in {name}, and without clocks the same opening gives the same game: ask for at most {most} games for each two, or give a larger file with --openings"
    )]
    Repeats {
        /// How many there are.
        openings: usize,
        /// Where.
        name: String,
        /// How many games can be different.
        most: usize,
    },
    /// Something of the match is not what it was when the match began.
    #[error(
        "{what} has changed since the match began, and games of two kinds must not be counted together; begin a new match"
    )]
    Changed {
        /// What.
        what: String,
    },
    /// The anchor is nobody's name.
    #[error("nobody is called `{name}`; the players are {players}")]
    Anchor {
        /// What was asked for.
        name: String,
        /// Who plays.
        players: String,
    },
    /// No limit for a move.
    #[error("nothing limits a move: give --tc, --movetime, --nodes or --depth")]
    NoPace,
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The crew cannot play it.
    #[error(transparent)]
    Away(#[from] AwayError),
    /// A game in the folder cannot be replayed.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A game in the folder is none of this match.
    #[error("game {game} in the folder is none of this match; was match.toml changed?")]
    Stranger {
        /// Its number.
        game: u64,
    },
}

fn quoted(last_words: &[String]) -> String {
    if last_words.is_empty() {
        return String::new();
    }
    format!("\nits last words:\n  {}", last_words.join("\n  "))
}

impl Contest {
    /// Checks a plan and starts every player once.
    ///
    /// # Errors
    ///
    /// If anything in the plan cannot be done.
    pub fn new(plan: Plan) -> Result<Self, ContestError> {
        // 1. What costs nothing.
        let mut entrants = plan
            .players
            .iter()
            .map(|text| Entrant::parse(text))
            .collect::<Result<Vec<_>, _>>()?;
        tell_apart(&mut entrants);
        let schedule = Schedule::new(plan.format, entrants.len(), plan.games)?;
        let sprt = plan.sprt.map(|sprt| sprt.test()).transpose()?;
        if sprt.is_some() && entrants.len() != 2 {
            return Err(ContestError::SprtPlayers {
                players: entrants.len(),
            });
        }
        if plan.pace == Pace::default() && entrants.iter().any(|entrant| entrant.pace.is_none()) {
            return Err(ContestError::NoPace);
        }

        // 2. Files.
        let openings = match &plan.openings {
            None if plan.opening.chess960 => Openings::chess960(&plan.opening),
            None => Openings::own(&plan.opening),
            Some(path) => Openings::load(path, &plan.opening)?,
        };
        let timed = |entrant: &Entrant| !entrant.pace.unwrap_or(plan.pace).is_repeatable();
        if schedule.rounds() > openings.len() as u64 && !entrants.iter().any(timed) {
            return Err(ContestError::Repeats {
                openings: openings.len(),
                name: openings.name().to_owned(),
                most: 2 * openings.len(),
            });
        }
        let syzygy = plan.adjudication.syzygy.as_ref();
        let tablebase = syzygy
            .map(|rule| Tablebase::open(&rule.path))
            .transpose()?
            .map(Arc::new);
        let names = plan.names.as_deref().map(OpeningNames::load).transpose()?;

        // 3. Players.
        for entrant in &entrants {
            seats::check(entrant, plan.pace)?;
        }
        let plan = same::prove(plan, &entrants)?;
        let anchor = anchor_of(&plan, &entrants)?;
        let players = entrants
            .iter()
            .map(|entrant| (entrant.name.clone(), entrant.pace.unwrap_or(plan.pace)))
            .collect();
        Ok(Self {
            plan,
            entrants,
            schedule,
            openings,
            tablebase,
            players,
            names,
            anchor,
            sprt,
        })
    }

    /// The players.
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    fn heading(&self) -> Heading<'_> {
        Heading {
            event: &self.plan.event,
            site: "?",
            players: &self.players,
            names: self.names.as_ref(),
        }
    }

    /// Games in all.
    pub fn total(&self) -> u64 {
        self.schedule.len()
    }

    /// Plays what is not played yet, until the end, a decision or `stop`.
    ///
    /// Every game is on the disk before it is counted, and games are counted in
    /// the order of the schedule, so that neither concurrency nor a resumption can
    /// change the result.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written, or holds games of another match.
    pub fn run(
        &self,
        folder: &mut MatchFolder,
        crew: impl Into<Crew>,
        stop: &Arc<AtomicBool>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Summary, ContestError> {
        let mut ledger = Ledger::new(self);

        // 1. What is there already.
        let found = folder.take_found();
        let done: BTreeSet<u64> = found.iter().map(|record| record.game).collect();
        for record in &found {
            self.check(record)?;
        }
        for record in found {
            ledger.take(record, true, folder, watch)?;
        }

        // 2. What is missing.
        if ledger.conclusion == Conclusion::Unfinished {
            match crew.into() {
                Crew::Here(hands) => {
                    self.play_missing(&mut ledger, &done, folder, hands, stop, watch)?;
                }
                Crew::There(desk) => {
                    self.play_there(&mut ledger, &done, folder, &desk, stop, watch)?;
                }
            }
        }

        // 3. The result.
        let summary =
            ledger
                .standing
                .summary(self.sprt.as_ref(), self.anchor, ledger.conclusion.clone());
        if ledger.conclusion != Conclusion::Unfinished {
            let waiting: Vec<GameRecord> = ledger.waiting.into_values().map(|(it, _)| it).collect();
            folder.settle(&ledger.counted, &waiting)?;
        }
        if self.plan.final_positions {
            let heading = self.heading();
            let lines = ledger
                .counted
                .iter()
                .map(|record| Ok(format!("{}\n", pgn::write_final(record, &heading)?)));
            folder.write_last_positions(&lines.collect::<Result<String, RecordError>>()?)?;
        }
        folder.conclude(&summary)?;
        Ok(summary)
    }

    fn play_missing(
        &self,
        ledger: &mut Ledger,
        done: &BTreeSet<u64>,
        folder: &mut MatchFolder,
        hands: Hands,
        stop: &Arc<AtomicBool>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), ContestError> {
        let work = |seats: &mut Seats, index: u64, over: &Arc<AtomicBool>| {
            let Some(fixture) = self.schedule.fixture(index) else {
                return Piece::Nothing;
            };
            if done.contains(&index) {
                return Piece::Skipped;
            }
            let played = self.play(fixture, seats, over);
            played.map_or(Piece::Nothing, Piece::Done)
        };
        hands.work(stop, Seats::default, work, |record| {
            folder.append(&record)?;
            ledger.take(record, false, folder, watch)?;
            let unfinished = ledger.conclusion == Conclusion::Unfinished;
            Ok(if unfinished { GoOn::Yes } else { GoOn::No })
        })
    }

    /// The same by workers elsewhere; both games of a pair go to the same one.
    fn play_there(
        &self,
        ledger: &mut Ledger,
        done: &BTreeSet<u64>,
        folder: &mut MatchFolder,
        desk: &Desk,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), ContestError> {
        let bouts = self.bouts();
        let packed = Packed::new(&bouts).map_err(AwayError::from)?;
        let errand = Errand {
            kind: task::KIND,
            version: task::VERSION,
            total: self.schedule.pairs(),
            answer: task::GAMES_BYTES,
            luggage: &packed.luggage,
            pack: &|fixtures: &[Fixture]| {
                let task = packed.games(fixtures, |opening| self.openings.get(opening));
                (task.payload(), task.blobs())
            },
        };
        let missing = (0..self.total()).filter(|game| !done.contains(game));
        let fixtures = missing.filter_map(|game| self.schedule.fixture(game));
        let pieces = fixtures.map(|fixture| (fixture.pair, fixture));
        desk.work(&errand, pieces, stop, &mut |returned| {
            if let Some(answer) = returned.answer {
                let opening = |at| self.openings.get(at);
                let records = task::records(answer, returned.pieces, opening)
                    .map_err(|reason| returned.nonsense(reason))?;
                for record in records {
                    folder.append(&record)?;
                    ledger.take(record, false, folder, watch)?;
                }
            } else {
                let games = returned.pieces.iter().map(|fixture| fixture.game);
                ledger.skip(games, folder, watch)?;
            }
            let unfinished = ledger.conclusion == Conclusion::Unfinished;
            Ok::<_, ContestError>(if unfinished {
                mendel_crew::GoOn::Yes
            } else {
                mendel_crew::GoOn::No
            })
        })
    }

    /// What all games share; the openings are asked for one by one.
    fn bouts(&self) -> Bouts {
        Bouts {
            entrants: self.entrants.clone(),
            openings: Vec::new(),
            pace: self.plan.pace,
            patience: self.plan.patience,
            adjudication: self.plan.adjudication.clone(),
        }
    }

    fn play(
        &self,
        fixture: Fixture,
        seats: &mut Seats,
        over: &Arc<AtomicBool>,
    ) -> Option<GameRecord> {
        let pace = |player: usize| self.entrants[player].pace.unwrap_or(self.plan.pace);
        let setting = GameSetting {
            opening: self.openings.get(fixture.opening),
            white: pace(fixture.white),
            black: pace(fixture.black),
            patience: self.plan.patience,
            adjudication: self.plan.adjudication.clone(),
            tablebase: self.tablebase.clone(),
            stop: Arc::clone(over),
        };
        let date = pgn::date(SystemTime::now());
        let players = (fixture.white, fixture.black);
        let played = seats.play(&self.entrants, players, &setting)?;
        Some(played.record(fixture, date))
    }

    /// A game from the folder must be one of the schedule.
    fn check(&self, record: &GameRecord) -> Result<(), ContestError> {
        let fits = self.schedule.fixture(record.game).is_some_and(|fixture| {
            (fixture.pair, fixture.white, fixture.black)
                == (record.pair, record.white, record.black)
        });
        if fits {
            Ok(())
        } else {
            Err(ContestError::Stranger { game: record.game })
        }
    }
}

/// Counts games in the order of the schedule, whatever order they come in.
struct Ledger<'a> {
    contest: &'a Contest,
    standing: Standing,
    counted: Vec<GameRecord>,
    /// Games that came before their turn, and whether they were found.
    waiting: BTreeMap<u64, (GameRecord, bool)>,
    /// Games that nobody can play, whose turn has not come.
    skipped: BTreeSet<u64>,
    /// Whose turn it is.
    turn: u64,
    conclusion: Conclusion,
}

impl<'a> Ledger<'a> {
    fn new(contest: &'a Contest) -> Self {
        let names = contest
            .entrants
            .iter()
            .map(|entrant| entrant.name.clone())
            .collect();
        Self {
            contest,
            standing: Standing::new(names, &contest.schedule),
            counted: Vec::new(),
            waiting: BTreeMap::new(),
            skipped: BTreeSet::new(),
            turn: 0,
            conclusion: Conclusion::Unfinished,
        }
    }

    fn take(
        &mut self,
        record: GameRecord,
        found: bool,
        folder: &mut MatchFolder,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), ContestError> {
        self.waiting.insert(record.game, (record, found));
        self.count(folder, watch)
    }

    /// Does without games that nobody can play.
    fn skip(
        &mut self,
        games: impl Iterator<Item = u64>,
        folder: &mut MatchFolder,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), ContestError> {
        self.skipped.extend(games);
        self.count(folder, watch)
    }

    /// Counts all whose turn has come.
    fn count(
        &mut self,
        folder: &mut MatchFolder,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), ContestError> {
        while self.conclusion == Conclusion::Unfinished {
            let turn = self.turn;
            if self.skipped.remove(&turn) {
                self.turn += 1;
                if self.turn == self.contest.total() {
                    self.conclusion = Conclusion::AllPlayed;
                }
                continue;
            }
            let Some((record, found)) = self.waiting.remove(&turn) else {
                break;
            };
            self.turn += 1;
            self.standing.count(&record);
            let written = pgn::write(&record, &self.contest.heading())?;
            folder.print(&format!("{written}\n"))?;
            let test = self
                .contest
                .sprt
                .as_ref()
                .map(|sprt| self.standing.test(sprt));
            self.decide(turn, test);
            watch(&Progress {
                record: &record,
                found,
                standing: &self.standing,
                test,
                total: self.contest.total(),
            });
            self.counted.push(record);
        }
        Ok(())
    }

    fn decide(&mut self, game: u64, test: Option<SprtState>) {
        let (worst, faults) = self.standing.worst_faults();
        // A pair is the unit of counting, so a test looks only after pairs.
        let decision = test.filter(|_| game % 2 == 1).map(|test| test.decision);
        self.conclusion = match decision {
            Some(Decision::H1) => Conclusion::Accepted,
            Some(Decision::H0) => Conclusion::Rejected,
            _ if faults > self.contest.plan.most_faults => Conclusion::TooManyFaults {
                player: self.contest.entrants[worst].name.clone(),
                faults,
            },
            _ if game + 1 == self.contest.total() => Conclusion::AllPlayed,
            _ => Conclusion::Unfinished,
        };
    }
}

/// Players with the same name get numbers.
fn tell_apart(entrants: &mut [Entrant]) {
    for index in 1..entrants.len() {
        let (before, rest) = entrants.split_at_mut(index);
        let name = rest[0].name.clone();
        let mut number = 2;
        while before.iter().any(|other| other.name == rest[0].name) {
            rest[0].name = format!("{name} {number}");
            number += 1;
        }
    }
}

fn anchor_of(plan: &Plan, entrants: &[Entrant]) -> Result<Option<Anchor>, ContestError> {
    let Some((name, rating)) = &plan.anchor else {
        return Ok(None);
    };
    let names = || entrants.iter().map(|entrant| entrant.name.as_str());
    let player = names()
        .position(|other| other == name)
        .ok_or_else(|| ContestError::Anchor {
            name: name.clone(),
            players: names().collect::<Vec<_>>().join(", "),
        })?;
    Ok(Some(Anchor {
        player,
        rating: *rating,
    }))
}
