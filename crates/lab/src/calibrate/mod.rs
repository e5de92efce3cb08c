//! How many Elo each level of a player is worth: a ladder of games between the
//! levels, hung up at one opponent whose rating is published.
//!
//! Each level meets its neighbours and their neighbours, at its own nodes; a few
//! games find out which two levels the opponent stands between, and those two meet
//! it for the rest. All games together give the ratings. The folder holds ordinary
//! matches, so that a calibration that was interrupted goes on where it stood.

mod fit;
mod write;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mendel_arena::statistics::RatingsError;
use mendel_arena::{
    Adjudication, Conclusion, Contest, ContestError, DrawRule, Entrant, FolderError, Format, Hands,
    LengthRule, MatchFolder, OpeningSetting, Openings, Order, Pace, Pairing, Patience, Plan,
    ResignRule, Summary, Verdict,
};
use mendel_engine::{Level, StrengthTable, StrengthTableError};
use mendel_store::{ReplaceError, replace};
use serde::Serialize;

pub use fit::isotonic;
use fit::{Game, Hook};

/// What is calibrated, and by which games.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The player, as on the command line.
    pub player: String,
    /// The levels, the weakest first, with the ratings they have so far.
    pub levels: Vec<(i32, Level)>,
    /// Games for each two levels that meet, rounded up to pairs.
    pub games: u64,
    /// Whose rating is known; without it the level in the middle keeps its own.
    pub anchor: Option<Opponent>,
    /// The order of the openings.
    pub seed: u64,
}

/// An opponent whose rating is published.
#[derive(Clone, Debug)]
pub struct Opponent {
    /// How it is started, as on the command line.
    pub entrant: String,
    /// What it is called.
    pub name: String,
    /// Its rating.
    pub rating: f64,
    /// Who says so.
    pub source: String,
    /// Games against the two levels nearest to it, together.
    pub games: u64,
    /// What it may use for a move; the levels use their nodes.
    pub pace: Pace,
}

/// Who plays the games, and who may stop it.
#[derive(Clone, Debug)]
pub struct Work<'a> {
    /// Where the games are kept.
    pub folder: &'a Path,
    /// Games at once.
    pub threads: usize,
    /// Ends the calibration after the games under way are put away.
    pub stop: &'a Arc<AtomicBool>,
}

/// How far a calibration has come.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// What is being played.
    pub stage: &'a str,
    /// Games of the stage so far.
    pub done: u64,
    /// Games of the stage in all.
    pub total: u64,
}

/// A level and what its games say.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its number, from 1.
    pub number: usize,
    /// Moves made in a thought.
    pub nodes: u64,
    /// See [`Level::margin`].
    pub margin: i32,
    /// See [`Level::noise`].
    pub noise: i32,
    /// See [`Level::oversight`].
    pub oversight: f64,
    /// Its games.
    pub games: u64,
    /// The rating that its games give.
    pub measured: f64,
    /// Half the width of its interval of 95 %, relative to the anchor.
    pub error: f64,
    /// The rating after the sequence was made monotone.
    pub elo: i32,
}

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The levels, the weakest first.
    pub levels: Vec<Row>,
    /// What the ratings hang on, in words.
    pub anchor: String,
    /// All games.
    pub games: u64,
    /// Levels whose rating had to be changed to make the sequence monotone.
    pub pooled: usize,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// The text of the table.
    #[serde(skip)]
    pub table: String,
}

/// Why there is no calibration.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// Something in the settings cannot be.
    #[error("{what}: {reason}")]
    Settings {
        /// Which setting.
        what: &'static str,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// Another calibration is in the folder.
    #[error(
        "there is another calibration in `{}`: its settings or its levels differ; choose another folder, or give the same settings to go on",
        folder.display()
    )]
    Other {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder cannot be used.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// What could not be used.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The match cannot be played.
    #[error(transparent)]
    Contest(#[from] ContestError),
    /// The match folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The games give no ratings.
    #[error(transparent)]
    Ratings(#[from] RatingsError),
    /// A player crashed, stalled or cheated.
    #[error("`{player}` misbehaved in {faults} games; the matches in `{}` say how", folder.display())]
    Faults {
        /// Which.
        player: String,
        /// How often.
        faults: u64,
        /// Where the games are.
        folder: PathBuf,
    },
    /// The levels are all alike.
    #[error("the games cannot tell the levels apart: {0}; play more games or spread the levels")]
    Flat(StrengthTableError),
    /// It was stopped.
    #[error("stopped; the games so far are in `{}`", folder.display())]
    Stopped {
        /// The folder.
        folder: PathBuf,
    },
}

/// Games of a look at one level, to find where the anchor stands.
const SCOUTING: u64 = 4;

/// Misdeeds that are forgiven: a slow moment of the machine.
const FAULTS: u64 = 3;

/// Plays what is not played yet and rates the levels; `command` is written into
/// the table.
///
/// # Errors
///
/// If the settings make no calibration, a player cannot play, or it was stopped.
pub fn calibrate(
    settings: &Settings,
    command: &str,
    work: &Work,
    watch: &mut dyn FnMut(&Step),
) -> Result<Outcome, CalibrateError> {
    // 1. The folder, and that it is ours.
    check(settings)?;
    let folder = claim(settings, work.folder)?;

    // 2. The ladder.
    let players: Vec<String> = (0..settings.levels.len())
        .map(|index| entrant(settings, &folder, index))
        .collect::<Result<_, _>>()?;
    let mut table = Table::default();
    let ladder = Meet {
        stage: "ladder",
        players: players.clone(),
        format: Format::Ladder,
        games: settings.games,
        pace: Pace::default(),
    };
    table.add(&play(settings, &ladder, &folder, work, watch)?);

    // 3. The anchor.
    let mut notes = Vec::new();
    if let Some(anchor) = &settings.anchor {
        let near = scout(settings, anchor, &players, &folder, work, watch, &mut table)?;
        let last = settings.levels.len() - 1;
        if near == 0 || near > last {
            let place = if near == 0 { "below" } else { "above" };
            notes.push(format!(
                "{} stands {place} all levels, so that the ratings are extrapolated",
                anchor.name
            ));
        }
        let upper = near.clamp(1, last);
        let meet = Meet {
            stage: "anchor",
            players: vec![
                opponent(anchor),
                players[upper - 1].clone(),
                players[upper].clone(),
            ],
            format: Format::Gauntlet,
            games: anchor.games.div_ceil(2),
            pace: anchor.pace,
        };
        table.add(&play(settings, &meet, &folder, work, watch)?);
    }

    if table.late > 0 {
        notes.push(format!(
            "{} games were lost on time, which says nothing of strength; a calm machine or a longer clock helps",
            table.late
        ));
    }

    // 4. The ratings.
    let hook = if let Some(anchor) = &settings.anchor {
        Hook {
            name: ANCHOR.to_owned(),
            rating: anchor.rating,
        }
    } else {
        let middle = settings.levels.len() / 2;
        Hook {
            name: name(middle),
            rating: settings.levels[middle].0.into(),
        }
    };
    let rated = fit::rate(settings.levels.len(), &table.games, &hook)?;
    let mut outcome = fit::outcome(settings, &rated, notes);
    outcome.table = write::table(settings, &outcome, command);
    StrengthTable::parse(&outcome.table, "the new table").map_err(CalibrateError::Flat)?;
    Ok(outcome)
}

/// What all games were, by the names of both.
#[derive(Debug, Default)]
struct Table {
    games: Vec<Game>,
    /// Games lost on time.
    late: u64,
}

impl Table {
    fn add(&mut self, summary: &Summary) {
        let game = |pairing: &Pairing| Game {
            first: pairing.first.clone(),
            second: pairing.second.clone(),
            tally: pairing.tally,
        };
        self.games.extend(summary.pairings.iter().map(game));
        self.late += summary.time_losses.iter().sum::<u64>();
    }
}

/// A match of a calibration.
struct Meet<'a> {
    stage: &'a str,
    players: Vec<String>,
    format: Format,
    games: u64,
    pace: Pace,
}

/// What the anchor is called in the matches.
const ANCHOR: &str = "anchor";

/// What a level is called in the matches.
fn name(index: usize) -> String {
    format!("level {}", index + 1)
}

fn check(settings: &Settings) -> Result<(), CalibrateError> {
    let fault = |what, reason: String| Err(CalibrateError::Settings { what, reason });
    if settings.levels.len() < 2 {
        return fault("levels", "there must be at least two".to_owned());
    }
    let most = 2 * Openings::own(&OpeningSetting::default()).len() as u64;
    if settings.games == 0 || settings.games > most {
        let reason = format!("is {}; it must be from 1 to {most}", settings.games);
        return fault("games", reason);
    }
    let Some(anchor) = &settings.anchor else {
        return Ok(());
    };
    if anchor.games == 0 || anchor.games > most {
        let reason = format!("is {}; it must be from 1 to {most}", anchor.games);
        return fault("anchor games", reason);
    }
    if !anchor.rating.is_finite() {
        return fault("anchor rating", "must be a number, such as 1940".to_owned());
    }
    // Better now than after the ladder.
    let seat = Entrant::parse(&opponent(anchor))
        .map_err(ContestError::from)?
        .seat()
        .map_err(|error| ContestError::Seat { error })?;
    drop(seat);
    Ok(())
}

/// Makes the folder ours, or finds that it is.
fn claim(settings: &Settings, folder: &Path) -> Result<PathBuf, CalibrateError> {
    let io = |source| CalibrateError::Io {
        path: folder.to_owned(),
        source,
    };
    fs::create_dir_all(folder).map_err(io)?;
    let folder = folder.canonicalize().map_err(io)?;
    for (name, text) in [
        (LEVELS, write::nominal(&settings.levels)),
        ("settings.toml", write::settings(settings)),
    ] {
        let path = folder.join(name);
        match fs::read_to_string(&path) {
            Ok(there) if there == text => {}
            Ok(_) => return Err(CalibrateError::Other { folder }),
            Err(_) => replace(&path, text.as_bytes())?,
        }
    }
    Ok(folder)
}

/// The levels that are measured, with numbers in place of ratings.
const LEVELS: &str = "levels.toml";

/// A level as an entrant: the player with the nominal rating of that level.
fn entrant(settings: &Settings, folder: &Path, index: usize) -> Result<String, CalibrateError> {
    let path = folder.join(LEVELS);
    let path = path.to_str().ok_or_else(|| CalibrateError::Settings {
        what: "folder",
        reason: format!("`{}` is not UTF-8; choose another folder", folder.display()),
    })?;
    let mark = if settings.player.contains('?') {
        '&'
    } else {
        '?'
    };
    Ok(format!(
        "{}{mark}.name={}&.nodes={}&Hash=1&Strength Table={}&UCI_LimitStrength=true&UCI_Elo={}",
        settings.player,
        name(index),
        settings.levels[index].1.nodes,
        escape(path),
        write::nominal_elo(index),
    ))
}

/// The anchor as an entrant.
fn opponent(anchor: &Opponent) -> String {
    let mark = if anchor.entrant.contains('?') {
        '&'
    } else {
        '?'
    };
    format!("{}{mark}.name={ANCHOR}", anchor.entrant)
}

/// Escapes what has a meaning behind the `?` of an entrant.
fn escape(text: &str) -> String {
    text.replace('%', "%25")
        .replace('?', "%3F")
        .replace('&', "%26")
}

/// Finds the first level that holds its own against the anchor: so many levels
/// are weaker.
fn scout(
    settings: &Settings,
    anchor: &Opponent,
    players: &[String],
    folder: &Path,
    work: &Work,
    watch: &mut dyn FnMut(&Step),
    table: &mut Table,
) -> Result<usize, CalibrateError> {
    let (mut low, mut high) = (0, players.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let meet = Meet {
            stage: &format!("scout-{}", middle + 1),
            players: vec![opponent(anchor), players[middle].clone()],
            format: Format::Gauntlet,
            games: SCOUTING.min(anchor.games),
            pace: anchor.pace,
        };
        let summary = play(settings, &meet, folder, work, watch)?;
        let ratio = summary.pairings[0].tally.ratio().unwrap_or(0.5);
        table.add(&summary);
        if ratio > 0.5 {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// Plays a match, or what is missing of it.
fn play(
    settings: &Settings,
    meet: &Meet,
    folder: &Path,
    work: &Work,
    watch: &mut dyn FnMut(&Step),
) -> Result<Summary, CalibrateError> {
    let path = folder.join(meet.stage);
    let (contest, mut there) = if path.join("match.toml").is_file() {
        let (there, plan) = MatchFolder::resume(&path)?;
        (Contest::new(plan)?, there)
    } else {
        let contest = Contest::new(plan(settings, meet))?;
        let there = MatchFolder::create(&path, contest.plan())?;
        (contest, there)
    };
    let total = contest.total();
    let mut say = |done| {
        watch(&Step {
            stage: meet.stage,
            done,
            total,
        });
    };
    say(0);
    let hands = Hands {
        concurrency: work.threads,
        pin: false,
    };
    let summary = contest.run(&mut there, hands, work.stop, &mut |progress| {
        say(progress.standing.games());
    })?;
    match &summary.conclusion {
        Conclusion::TooManyFaults { player, faults } => Err(CalibrateError::Faults {
            player: player.clone(),
            faults: *faults,
            folder: folder.to_owned(),
        }),
        Conclusion::Unfinished if work.stop.load(Ordering::Relaxed) => {
            Err(CalibrateError::Stopped {
                folder: folder.to_owned(),
            })
        }
        _ => Ok(summary),
    }
}

fn plan(settings: &Settings, meet: &Meet) -> Plan {
    Plan {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        event: format!("Mendel calibration: {}", meet.stage),
        players: meet.players.clone(),
        format: meet.format,
        games: meet.games,
        openings: None,
        names: None,
        anchor: None,
        directory: std::env::current_dir().unwrap_or_default(),
        most_faults: FAULTS,
        final_positions: false,
        fingerprints: BTreeMap::new(),
        pace: meet.pace,
        opening: OpeningSetting {
            order: Order::Shuffled,
            seed: settings.seed,
            ..OpeningSetting::default()
        },
        // What is measured is chess: an opponent that is late by a moment of a busy
        // machine has not shown that it is weak.
        patience: Patience {
            margin: Duration::from_secs(1),
            ..Patience::default()
        },
        // Only what both see, and far beyond what the weakest level spoils.
        adjudication: Adjudication {
            draw: Some(DrawRule {
                from_move: 50,
                moves: 8,
                score: 8,
            }),
            resign: Some(ResignRule {
                moves: 4,
                score: 1500,
                two_sided: true,
            }),
            length: Some(LengthRule {
                plies: 400,
                verdict: Verdict::Draw,
            }),
            ..Adjudication::default()
        },
        sprt: None,
    }
}
