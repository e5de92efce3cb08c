//! A match or a tournament: an experiment of games between players.

mod plan;
mod play;
mod schedule_counter;
mod standings;

use std::io;
use std::path::Path;
use std::sync::Arc;

use mendel_board::eco::OpeningNames;
use mendel_board::tablebase::Tablebase;
use mendel_crew::Crew;
use mendel_store::FileError;
use mendel_store::InputHashes;
use mendel_store::Journal;
use mendel_store::fingerprint;
use mendel_store::frame::Experiment;
use mendel_store::frame::Failure;
use mendel_store::frame::Folder;
use mendel_store::frame::Frame;
use mendel_store::frame::Identity;
use mendel_store::frame::OrInvalid as _;
use mendel_store::frame::Preparation;

use self::schedule_counter::GAMES;
use self::schedule_counter::ScheduleCounter;
use crate::CrewFile;
use crate::Entrant;
use crate::GameRecord;
use crate::MatchError;
use crate::Openings;
use crate::Pace;
use crate::Schedule;
use crate::pgn::Heading;
use crate::player_pool;
use crate::statistics::Anchor;
use crate::statistics::Sprt;

pub use self::plan::{MatchPlan, SprtPlan};
pub use self::standings::{Conclusion, MatchSummary, Pairing, Standings};

/// A match whose plan was checked: all players can be started, have the options of the plan and
/// can keep its pace, and every file could be read.
#[derive(Debug)]
pub struct Match {
    plan: MatchPlan,
    options: MatchOptions,
    id: String,
    entrants: Vec<Entrant>,
    schedule: Schedule,
    openings: Openings,
    tablebase: Option<Arc<Tablebase>>,
    players: Vec<(String, Pace)>,
    names: Option<OpeningNames>,
    anchor: Option<Anchor>,
    sprt: Option<Sprt>,
}

/// How a match is played; changes no game.
#[derive(Clone, Debug)]
pub struct MatchOptions {
    /// Threads of this process, or workers elsewhere.
    pub crew: Crew,
    /// Games of each two players, where more are requested than the plan has.
    pub games: Option<u64>,
}

impl MatchOptions {
    /// Plays `threads` games at once on this machine.
    pub fn threads(threads: usize) -> Self {
        Self::by(&Crew::threads(threads))
    }

    /// Games that this crew plays.
    pub fn by(crew: &Crew) -> Self {
        Self {
            crew: crew.clone(),
            games: None,
        }
    }
}

impl Default for MatchOptions {
    fn default() -> Self {
        Self::threads(1)
    }
}

impl Experiment for Match {
    const KIND: &'static str = "match";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = MatchPlan::FILE;
    type Plan = MatchPlan;
    type ExecOptions = MatchOptions;
    type Outcome = MatchSummary;

    fn prepare(
        plan: MatchPlan,
        _seed: u64,
        options: &MatchOptions,
        _context: &Preparation,
    ) -> Result<Self, Failure> {
        let text = Self::write_plan(&plan)?;
        let mut plan = plan
            .with_absolute_paths()
            .map_err(MatchError::into_invalid)?;
        plan.games = plan.games.max(options.games.unwrap_or(0));
        let prepared = Self::new(plan).map_err(MatchError::into_invalid)?;
        Ok(Self {
            options: options.clone(),
            id: fingerprint(text.as_bytes()),
            ..prepared
        })
    }

    fn identity(&self) -> Identity {
        let names = self.entrants.iter().map(|entrant| entrant.name.as_str());
        Identity {
            id: self.id.clone(),
            name: names.collect::<Vec<_>>().join(" – "),
            facts: toml::Table::new(),
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        self.plan.inputs().map_err(MatchError::into_invalid)
    }

    fn write_plan(plan: &MatchPlan) -> Result<String, Failure> {
        let plan = plan.clone().with_absolute_paths();
        toml::to_string(&plan.map_err(MatchError::into_invalid)?).or_invalid()
    }

    /// More games than the plan has may be requested later.
    fn satisfies(outcome: &MatchSummary, options: &MatchOptions) -> bool {
        let pairs = options.games.unwrap_or(0).div_ceil(2);
        let requested = 2 * pairs * outcome.pairings.len() as u64;
        outcome.conclusion != Conclusion::AllPlayed || outcome.games >= requested
    }

    fn run(self, frame: &mut Frame) -> Result<MatchSummary, Failure> {
        self.finish(frame)
            .map_err(MatchError::into_failure)?
            .ok_or(Failure::Stopped)
    }
}

impl Match {
    /// Reads every file of a plan and starts every player once.
    ///
    /// # Errors
    ///
    /// If the plan cannot be carried out.
    pub fn new(plan: MatchPlan) -> Result<Self, MatchError> {
        // 1. What needs no file and no program.
        let entrants = entrants_of(&plan)?;
        let schedule = Schedule::new(plan.format, entrants.len(), plan.games)?;
        let sprt = plan.sprt.map(|sprt| sprt.test()).transpose()?;
        if sprt.is_some() && entrants.len() != 2 {
            return Err(MatchError::SprtPlayers {
                players: entrants.len(),
            });
        }
        if plan.pace == Pace::default() && entrants.iter().any(|entrant| entrant.pace.is_none()) {
            return Err(MatchError::NoPace);
        }

        // 2. Files.
        let openings = match &plan.openings {
            None if plan.opening.chess960 => Openings::chess960(&plan.opening),
            None => Openings::own(&plan.opening),
            Some(path) => Openings::load(path, &plan.opening)?,
        };
        let timed = |entrant: &Entrant| !entrant.pace.unwrap_or(plan.pace).is_repeatable();
        if schedule.rounds() > openings.len() as u64 && !entrants.iter().any(timed) {
            return Err(MatchError::Repeats {
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
            player_pool::check(entrant, plan.pace)?;
        }
        let anchor = anchor_of(&plan, &entrants)?;
        let players = entrants
            .iter()
            .map(|entrant| (entrant.name.clone(), entrant.pace.unwrap_or(plan.pace)))
            .collect();
        Ok(Self {
            plan,
            options: MatchOptions::default(),
            id: String::new(),
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

    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    pub fn plan(&self) -> &MatchPlan {
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

    pub fn total(&self) -> u64 {
        self.schedule.len()
    }

    /// Plays the games that the folder lacks, until the end, a decision or the stop flag; `None`
    /// if it was stopped.
    fn finish(&self, frame: &Frame) -> Result<Option<MatchSummary>, MatchError> {
        // 1. The games of the folder.
        let mut counter = ScheduleCounter::open(self, frame)?;
        // 2. The missing ones.
        if counter.is_unfinished() {
            let played = counter.played();
            let crew = self.options.crew.bind(CrewFile::of(frame.path()));
            self.play_missing(&mut counter, &played, &crew, frame.stop())?;
        }
        // 3. The result.
        counter.write_final_positions()?;
        if counter.is_unfinished() {
            return Ok(None);
        }
        Ok(Some(counter.finish()?))
    }

    /// The standings of a match from the games in its folder, also while it is played.
    ///
    /// # Errors
    ///
    /// If the plan or a game cannot be read.
    pub fn standings(folder: &Folder) -> Result<MatchSummary, Failure> {
        if let Some(summary) = folder.read_result()? {
            return Ok(summary);
        }
        let plan = MatchPlan::read(folder.path())?;
        let entrants = entrants_of(&plan)?;
        let names = entrants
            .iter()
            .map(|entrant| entrant.name.clone())
            .collect();
        let schedule = Schedule::new(plan.format, entrants.len(), plan.games)?;
        let mut standings = Standings::new(names, &schedule);
        if folder.has(GAMES) {
            let mut games = Journal::<GameRecord>::read(&folder.file(GAMES))?;
            games.sort_by_key(|record| record.game);
            games.dedup_by_key(|record| record.game);
            for record in &games {
                if record.white.max(record.black) >= entrants.len() {
                    return Err(MatchError::Stranger { game: record.game }.into());
                }
                standings.count(record);
            }
        }
        let sprt = plan.sprt.and_then(|sprt| sprt.test().ok());
        let anchor = anchor_of(&plan, &entrants)?;
        Ok(standings.summary(sprt.as_ref(), anchor, Conclusion::Unfinished))
    }

    /// Checks that a game of the folder is one of the schedule.
    fn check(&self, record: &GameRecord) -> Result<(), MatchError> {
        let fits = self.schedule.fixture(record.game).is_some_and(|fixture| {
            (fixture.pair, fixture.white, fixture.black)
                == (record.pair, record.white, record.black)
        });
        if fits {
            Ok(())
        } else {
            Err(MatchError::Stranger { game: record.game })
        }
    }
}

/// The players of a plan, with names of which each occurs once.
fn entrants_of(plan: &MatchPlan) -> Result<Vec<Entrant>, MatchError> {
    let entrants = plan.players.iter().map(|text| Entrant::parse(text));
    let mut entrants: Vec<Entrant> = entrants.collect::<Result<_, _>>()?;
    number_equal_names(&mut entrants);
    Ok(entrants)
}

/// Players with the same name get numbers.
fn number_equal_names(entrants: &mut [Entrant]) {
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

fn anchor_of(plan: &MatchPlan, entrants: &[Entrant]) -> Result<Option<Anchor>, MatchError> {
    let Some((name, rating)) = &plan.anchor else {
        return Ok(None);
    };
    let names = || entrants.iter().map(|entrant| entrant.name.as_str());
    let player = names()
        .position(|other| other == name)
        .ok_or_else(|| MatchError::Anchor {
            name: name.clone(),
            players: names().collect::<Vec<_>>().join(", "),
        })?;
    Ok(Some(Anchor {
        player,
        rating: *rating,
    }))
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> FileError + '_ {
    |source| FileError::Io {
        path: path.to_owned(),
        source,
    }
}
