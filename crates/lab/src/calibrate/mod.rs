//! How many Elo each level of a player is worth: a ladder of games between the
//! levels, and games against one opponent whose rating is published.
//!
//! Each level meets its neighbours and their neighbours, at its own nodes; a few
//! games find out which two levels the opponent stands between, and those two meet
//! it for the rest. All games together give the ratings. The matches are nested
//! experiments: `ladder`, `scout-N` and `anchor`.

mod fit;
mod plan;
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use mendel_arena::statistics::{Ratings, RatingsError};
use mendel_arena::{
    Adjudication, Conclusion, DrawRule, Entrant, Format, LengthRule, Match, MatchError,
    MatchOptions, MatchPlan, MatchSummary, OpeningSetting, Openings, Order, Pace, Pairing,
    Patience, ResignRule, Verdict,
};
use mendel_engine::{StrengthTable, StrengthTableError};
use mendel_store::frame::{Experiment, Failure, Frame, Identity, OrInvalid as _, Preparation};
use mendel_store::{InputHashes, fingerprint, replace};
use serde::{Deserialize, Serialize};

pub use fit::isotonic;
use fit::{FixedRating, Game};
pub use plan::{AnchorOpponent, CalibrationPlan};

/// A level and what its games say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibratedLevel {
    /// Its number, from 1.
    pub number: usize,
    pub nodes: u64,
    /// See `margin` of a level of limited strength.
    pub margin: i32,
    /// See `noise` of a level of limited strength.
    pub noise: i32,
    /// See `oversight` of a level of limited strength.
    pub oversight: f64,
    pub games: u64,
    pub measured: f64,
    /// Half the width of its interval of 95 %, relative to the anchor.
    pub error: f64,
    /// The rating after the sequence was made monotone.
    pub elo: i32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationOutcome {
    /// The levels, the weakest first.
    pub levels: Vec<CalibratedLevel>,
    pub anchor: String,
    pub games: u64,
    /// Levels whose rating had to be changed to make the sequence monotone.
    pub pooled: usize,
    pub notes: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    #[error("{what}: {reason}")]
    Settings {
        what: &'static str,
        reason: String,
    },
    /// A match cannot be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Ratings(#[from] RatingsError),
    /// A player crashed, stalled or played illegal moves.
    #[error("`{player}` had {faults} faults; the games in `{}` have its last output", folder.display())]
    Faults {
        player: String,
        faults: u64,
        /// Where the games are.
        folder: PathBuf,
    },
    #[error("the games cannot tell the levels apart: {0}; play more games or spread the levels")]
    Flat(StrengthTableError),
}

/// Games of a look at one level, to find where the anchor stands.
const SCOUTING: u64 = 4;

/// Misdeeds that are forgiven: a slow moment of the machine.
const FAULTS: u64 = 3;

#[derive(Debug)]
pub struct Calibration {
    plan: CalibrationPlan,
    seed: u64,
    options: MatchOptions,
    id: String,
}

impl Experiment for Calibration {
    const KIND: &'static str = "calibrate";
    const SCHEMA: u32 = 1;
    const PLAN: &'static str = LEVELS;
    type Plan = CalibrationPlan;
    type ExecOptions = MatchOptions;
    type Outcome = CalibrationOutcome;

    fn prepare(
        plan: CalibrationPlan,
        seed: u64,
        options: &MatchOptions,
        _context: &Preparation,
    ) -> Result<Self, Failure> {
        let plan = plan.with_absolute_paths().or_invalid_with(PLAYERS)?;
        check(&plan).or_invalid_with(HELP)?;
        // Where the table goes has no influence on the ratings.
        let mut decisive = plan.clone();
        decisive.calibration.out = None;
        let id = fingerprint(format!("{seed}\n{}", Self::write_plan(&decisive)?).as_bytes());
        Ok(Self {
            plan,
            seed,
            options: options.clone(),
            id,
        })
    }

    fn identity(&self) -> Identity {
        let player = Entrant::parse(self.plan.player()).map(|it| it.name);
        Identity {
            id: self.id.clone(),
            name: player.unwrap_or_else(|_| self.plan.player().to_owned()),
            facts: toml::Table::new(),
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        let mut inputs = InputHashes::of_this_build();
        let anchor = self.plan.anchor().map(|it| it.entrant.as_str());
        for text in anchor.into_iter().chain([self.plan.player()]) {
            let entrant = Entrant::parse(text).or_invalid()?;
            entrant.add_inputs(&mut inputs).or_invalid()?;
        }
        Ok(inputs)
    }

    fn write_plan(plan: &CalibrationPlan) -> Result<String, Failure> {
        let plan = plan.clone().with_absolute_paths().or_invalid()?;
        toml::to_string(&plan).or_invalid()
    }

    fn run(self, frame: &mut Frame) -> Result<CalibrationOutcome, Failure> {
        // 1. The games, and the ratings that they give.
        let (rated, notes) = self.rate(frame)?;
        let outcome = fit::outcome(&self.plan, &rated, notes);
        // 2. The table, in the folder and where it was requested.
        let table = write::table(&self.plan, &outcome, &frame.manifest().command);
        StrengthTable::parse(&table, "the new table").map_err(CalibrateError::Flat)?;
        frame.write(TABLE, &table)?;
        if let Some(out) = &self.plan.calibration.out {
            replace(out, table.as_bytes())?;
        }
        Ok(outcome)
    }
}

const PLAYERS: &str =
    "a player is a built-in name, a player file or `cmd:PROGRAM ARGUMENTS?Name=Value`";
const HELP: &str = "`mendel calibrate --help` shows what can be asked for";

impl Calibration {
    /// Plays the matches and rates the levels; with the ratings what a reader must know.
    fn rate(&self, frame: &Frame) -> Result<(Ratings, Vec<String>), Failure> {
        // 1. The ladder.
        let plan = &self.plan;
        let levels = plan.level.len();
        let players: Vec<String> = (0..levels)
            .map(|index| entrant(plan, frame.path(), index))
            .collect::<Result<_, _>>()?;
        let mut table = Table::default();
        let ladder = Meet {
            stage: "ladder",
            players: players.clone(),
            format: Format::Ladder,
            games: plan.calibration.games,
            pace: Pace::default(),
        };
        table.add(&self.play(&ladder, frame)?);

        // 2. The anchor.
        let mut notes = Vec::new();
        if let Some(anchor) = plan.anchor() {
            let near = self.scout(anchor, &players, frame, &mut table)?;
            let last = levels - 1;
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
            table.add(&self.play(&meet, frame)?);
        }
        if table.late > 0 {
            notes.push(format!(
                "{} games were lost on time, which says nothing of strength; a calm machine or a longer clock helps",
                table.late
            ));
        }

        // 3. The ratings.
        let fixed = if let Some(anchor) = plan.anchor() {
            FixedRating {
                name: ANCHOR.to_owned(),
                rating: anchor.rating,
            }
        } else {
            let middle = levels / 2;
            FixedRating {
                name: name(middle),
                rating: plan.rating(middle).into(),
            }
        };
        let rated = fit::rate(levels, &table.games, &fixed).map_err(CalibrateError::from)?;
        Ok((rated, notes))
    }

    /// Finds the first level that holds its own against the anchor: so many levels
    /// are weaker.
    fn scout(
        &self,
        anchor: &AnchorOpponent,
        players: &[String],
        frame: &Frame,
        table: &mut Table,
    ) -> Result<usize, Failure> {
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
            let summary = self.play(&meet, frame)?;
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
    fn play(&self, meet: &Meet, frame: &Frame) -> Result<MatchSummary, Failure> {
        let plan = match_plan(self.seed, meet);
        let summary = frame.nested::<Match>(meet.stage, plan, self.seed, &self.options)?;
        if let Conclusion::TooManyFaults { player, faults } = &summary.conclusion {
            return Err(Failure::from(CalibrateError::Faults {
                player: player.clone(),
                faults: *faults,
                folder: frame.path().to_owned(),
            }));
        }
        Ok(summary)
    }
}

/// What all games were, by the names of both.
#[derive(Debug, Default)]
struct Table {
    games: Vec<Game>,
    /// Games lost on time.
    late: u64,
}

impl Table {
    fn add(&mut self, summary: &MatchSummary) {
        let game = |pairing: &Pairing| Game {
            first: pairing.first.clone(),
            second: pairing.second.clone(),
            tally: pairing.tally,
        };
        self.games.extend(summary.pairings.iter().map(game));
        self.late += summary.time_losses.iter().sum::<u64>();
    }
}

struct Meet<'a> {
    stage: &'a str,
    players: Vec<String>,
    format: Format,
    games: u64,
    pace: Pace,
}

/// What the anchor is called in the matches.
const ANCHOR: &str = "anchor";

fn name(index: usize) -> String {
    format!("level {}", index + 1)
}

fn check(plan: &CalibrationPlan) -> Result<(), CalibrateError> {
    let fault = |what, reason: String| Err(CalibrateError::Settings { what, reason });
    if plan.level.len() != plan.calibration.ratings.len() {
        return fault("ratings", "there must be one for each level".to_owned());
    }
    if plan.level.len() < 2 {
        return fault("levels", "there must be at least two".to_owned());
    }
    let most = 2 * Openings::own(&OpeningSetting::default()).len() as u64;
    if plan.calibration.games == 0 || plan.calibration.games > most {
        let reason = format!("is {}; it must be from 1 to {most}", plan.calibration.games);
        return fault("games", reason);
    }
    let Some(anchor) = plan.anchor() else {
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
        .map_err(MatchError::from)?
        .seat()
        .map_err(|error| MatchError::Seat { error })?;
    drop(seat);
    Ok(())
}

/// The plan, and at the same time the levels as players read them: with numbers in place of
/// ratings.
const LEVELS: &str = "levels.toml";

pub const TABLE: &str = "strength.toml";

/// A level as an entrant: the player with the nominal rating of that level.
fn entrant(plan: &CalibrationPlan, folder: &Path, index: usize) -> Result<String, CalibrateError> {
    let path = folder.join(LEVELS);
    let path = path.to_str().ok_or_else(|| CalibrateError::Settings {
        what: "folder",
        reason: format!("`{}` is not UTF-8; choose another folder", folder.display()),
    })?;
    let mark = if plan.player().contains('?') {
        '&'
    } else {
        '?'
    };
    Ok(format!(
        "{}{mark}.name={}&.nodes={}&Hash=1&Strength Table={}&UCI_LimitStrength=true&UCI_Elo={}",
        plan.player(),
        name(index),
        plan.level[index].nodes,
        escape(path),
        plan::nominal_elo(index),
    ))
}

fn opponent(anchor: &AnchorOpponent) -> String {
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

fn match_plan(seed: u64, meet: &Meet) -> MatchPlan {
    let event = format!("Mendel calibration: {}", meet.stage);
    MatchPlan {
        format: meet.format,
        max_faults: FAULTS,
        pace: meet.pace,
        opening: OpeningSetting {
            order: Order::Shuffled,
            seed,
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
        ..MatchPlan::new(event, meet.players.clone(), meet.games)
    }
}
