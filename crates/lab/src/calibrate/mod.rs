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

use std::path::Path;

use mendel_arena::statistics::Ratings;
use mendel_arena::{
    Conclusion, DrawRule, Entrant, Format, Match, MatchError, MatchOptions, MatchPlan, MatchSummary,
};
use mendel_engine::StrengthTable;
use mendel_store::frame::{Experiment, Failure, Frame, Identity, OrInvalid as _, Preparation};
use mendel_store::{InputHashes, fingerprint, replace};
use serde::{Deserialize, Serialize};

use self::fit::LevelResults;
use crate::games;

pub use fit::isotonic;
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

/// Games against one level while the level nearest to the anchor is searched.
const SCOUTING: u64 = 4;

/// Faults of a player that do not end a match: a slow moment of the machine is possible.
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
        check(&plan)?;
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
        let player = &self.plan.calibration.player;
        let name = Entrant::parse(player).map(|it| it.name);
        Identity {
            id: self.id.clone(),
            name: name.unwrap_or_else(|_| player.clone()),
            facts: toml::Table::new(),
        }
    }

    fn inputs(&self) -> Result<InputHashes, Failure> {
        let mut inputs = InputHashes::of_this_build();
        let settings = &self.plan.calibration;
        let anchor = settings.anchor.iter().map(|it| &it.entrant);
        for text in anchor.chain([&settings.player]) {
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
        StrengthTable::parse(&table, "the new table").map_err(|error| {
            Failure::failed(format!(
                "the games cannot tell the levels apart: {error}; play more games or spread the levels"
            ))
        })?;
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
        let mut results = LevelResults::new(levels);
        let ladder = MatchPlan {
            format: Format::Ladder,
            ..self.match_plan("ladder", players.clone(), plan.calibration.games)
        };
        self.play(frame, "ladder", ladder, &mut results)?;

        // 2. The anchor.
        let mut notes = Vec::new();
        if let Some(anchor) = &plan.calibration.anchor {
            let near = self.scout(anchor, &players, frame, &mut results)?;
            let last = levels - 1;
            if near == 0 || near > last {
                let place = if near == 0 { "below" } else { "above" };
                notes.push(format!(
                    "{} stands {place} all levels, so that the ratings are extrapolated",
                    anchor.name
                ));
            }
            let upper = near.clamp(1, last);
            let nearest = &players[upper - 1..=upper];
            let games = anchor.games.div_ceil(2);
            self.meet(frame, "anchor", anchor, nearest, games, &mut results)?;
        }
        if results.lost_on_time > 0 {
            notes.push(format!(
                "{} games were lost on time, which says nothing of strength; a calm machine or a longer clock helps",
                results.lost_on_time
            ));
        }

        // 3. The ratings.
        let rated = if let Some(anchor) = &plan.calibration.anchor {
            results.ratings(ANCHOR, anchor.rating)?
        } else {
            let middle = levels / 2;
            results.ratings(&name(middle), plan.calibration.ratings[middle].into())?
        };
        Ok((rated, notes))
    }

    /// Finds how many levels are weaker than the anchor, by a binary search.
    fn scout(
        &self,
        anchor: &AnchorOpponent,
        players: &[String],
        frame: &Frame,
        results: &mut LevelResults,
    ) -> Result<usize, Failure> {
        let (mut low, mut high) = (0, players.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let (stage, games) = (format!("scout-{}", middle + 1), SCOUTING.min(anchor.games));
            let level = &players[middle..=middle];
            let summary = self.meet(frame, &stage, anchor, level, games, results)?;
            if summary.pairings[0].tally.ratio().unwrap_or(0.5) > 0.5 {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// A match of the anchor against some levels.
    fn meet(
        &self,
        frame: &Frame,
        stage: &str,
        anchor: &AnchorOpponent,
        levels: &[String],
        games: u64,
        results: &mut LevelResults,
    ) -> Result<MatchSummary, Failure> {
        let mut players = vec![opponent(anchor)];
        players.extend_from_slice(levels);
        let plan = MatchPlan {
            format: Format::Gauntlet,
            pace: anchor.pace,
            ..self.match_plan(stage, players, games)
        };
        self.play(frame, stage, plan, results)
    }

    fn play(
        &self,
        frame: &Frame,
        stage: &str,
        plan: MatchPlan,
        results: &mut LevelResults,
    ) -> Result<MatchSummary, Failure> {
        let summary = frame.nested::<Match>(stage, plan, self.seed, &self.options)?;
        if let Conclusion::TooManyFaults { player, faults } = &summary.conclusion {
            return Err(Failure::failed(format!(
                "`{player}` had {faults} faults; the games in `{}` have its last output",
                frame.path().display()
            )));
        }
        results.add(&summary)?;
        Ok(summary)
    }

    fn match_plan(&self, stage: &str, players: Vec<String>, games: u64) -> MatchPlan {
        MatchPlan {
            max_faults: FAULTS,
            opening: games::shuffled(self.seed),
            patience: games::tolerant(),
            // Far beyond what the weakest level spoils.
            adjudication: games::by_both_sides(
                DrawRule {
                    from_move: 50,
                    moves: 8,
                    score: 8,
                },
                1500,
                400,
            ),
            ..MatchPlan::new(format!("Mendel calibration: {stage}"), players, games)
        }
    }
}

const ANCHOR: &str = "anchor";

fn name(index: usize) -> String {
    format!("level {}", index + 1)
}

fn check(plan: &CalibrationPlan) -> Result<(), Failure> {
    let require = |holds: bool, reason: &str| {
        if holds {
            return Ok(());
        }
        Err(Failure::invalid(reason.to_owned()).with_hint(HELP))
    };
    let of_games = |what: &str, games: u64| {
        let most = games::most_games();
        let reason = format!("{what}: is {games}; it must be from 1 to {most}");
        require((1..=most).contains(&games), &reason)
    };
    let (levels, settings) = (plan.level.len(), &plan.calibration);
    let each = levels == settings.ratings.len();
    require(each, "ratings: there must be one for each level")?;
    require(levels >= 2, "levels: there must be at least two")?;
    of_games("games", settings.games)?;
    let Some(anchor) = &settings.anchor else {
        return Ok(());
    };
    of_games("anchor games", anchor.games)?;
    let rating = "anchor rating: must be a number, such as 1940";
    require(anchor.rating.is_finite(), rating)?;
    // Found now and not after the ladder.
    let anchor = Entrant::parse(&opponent(anchor)).or_invalid_with(HELP)?;
    let seat = anchor.seat().map_err(|error| MatchError::Seat { error });
    seat.map(drop).or_invalid_with(HELP)
}

/// The plan, and at the same time the levels as players read them: with numbers in place of
/// ratings.
const LEVELS: &str = "levels.toml";

pub const TABLE: &str = "strength.toml";

/// A level as an entrant: the player with the nominal rating of that level.
fn entrant(plan: &CalibrationPlan, folder: &Path, index: usize) -> Result<String, Failure> {
    let path = folder.join(LEVELS);
    let path = path.to_str().ok_or_else(|| {
        let reason = format!("`{}` is not UTF-8; choose another folder", folder.display());
        Failure::failed(format!("folder: {reason}"))
    })?;
    let options = format!(
        ".name={}&.nodes={}&Hash=1&Strength Table={}&UCI_LimitStrength=true&UCI_Elo={}",
        name(index),
        plan.level[index].nodes,
        escape(path),
        plan::nominal_elo(index),
    );
    Ok(with_options(&plan.calibration.player, &options))
}

fn opponent(anchor: &AnchorOpponent) -> String {
    with_options(&anchor.entrant, &format!(".name={ANCHOR}"))
}

fn with_options(player: &str, options: &str) -> String {
    let mark = if player.contains('?') { '&' } else { '?' };
    format!("{player}{mark}{options}")
}

/// Escapes what has a meaning behind the `?` of an entrant.
fn escape(text: &str) -> String {
    text.replace('%', "%25")
        .replace('?', "%3F")
        .replace('&', "%26")
}
