//! What follows from the plan of a tuning: limits, openings, knobs, hashes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mendel_arena::{Adjudication, DrawRule, Entrant, EntrantError, Kind, Opening, Openings};
use mendel_engine::uci::{OptionKind, OptionLine};
use mendel_evolve::tuners::{AnyTuner, Knob};
use mendel_store::FileError;
use mendel_store::frame::{Failure, Folder, OrInvalid as _};
use mendel_store::{InputHashes, fingerprint};

use super::{ENGINE, HELP, refuse};
use crate::games;
use crate::record::{Limit, Param, ParamKind, TunePlan};

impl Limit {
    /// The limits of the options that are tuned.
    pub(super) fn of(offers: &[OptionLine], params: &[Param]) -> Vec<Self> {
        let tuned = |name: &str| params.iter().any(|it| it.name.eq_ignore_ascii_case(name));
        let limit = |option: &OptionLine| match option.kind {
            OptionKind::Spin { min, max, .. } if tuned(&option.name) => Some(Self {
                name: option.name.clone(),
                low: min,
                high: max,
            }),
            _ => None,
        };
        offers.iter().filter_map(limit).collect()
    }

    /// Whether a value of a parameter is at one of these bounds.
    pub(super) fn is_reached(&self, param: &Param, value: i64) -> bool {
        self.name.eq_ignore_ascii_case(&param.name) && (value <= self.low || value >= self.high)
    }
}

/// Options that are set unless the user sets them: their defaults could cost memory, make two
/// games of the same players differ or keep the engine from thinking.
const FIXED: [(&str, &str); 6] = [
    ("Hash", "16"),
    ("Threads", "1"),
    ("Number of Threads", "1"),
    ("Max CPUs", "1"),
    ("OwnBook", "false"),
    ("Ponder", "false"),
];

/// The share of the openings that are tuned with; the rest is held out.
const TUNED_WITH: f64 = 0.4;

const VALIDATED: f64 = 0.15;

/// Fewer games than these tell nothing of any parameter.
pub const LEAST_GAMES: u64 = 20;

impl TunePlan {
    pub const FILE: &'static str = "tune.toml";

    /// How often a proposal is validated unless there are too few games.
    pub const VALIDATIONS: u32 = 5;

    /// The most games of a proof by default.
    pub const PROOF_GAMES: u64 = 1000;

    /// Splits the games into those of the tuner and of the validations, in pairs. No
    /// validation and no proof has more pairs than `most`.
    #[must_use]
    pub fn with_games(mut self, games: u64, most: Option<u64>) -> Self {
        let most = most.unwrap_or(u64::MAX);
        let pairs = games / 2;
        let each = (pairs as f64 * VALIDATED / f64::from(Self::VALIDATIONS)).round() as u64;
        let each = each.min(most);
        self.proof_games = self.proof_games.min(most.saturating_mul(2));
        self.games = 2 * pairs;
        self.validations = if each == 0 { 0 } else { Self::VALIDATIONS };
        self.validation_games = 2 * each;
        self
    }

    /// Reads the plan of a tuning's folder.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be understood.
    pub fn read(folder: &Path) -> Result<Self, FileError> {
        let folder = Folder::at(folder);
        let text = folder.read(Self::FILE)?;
        toml::from_str(&text).map_err(|error| FileError::Content {
            path: folder.file(Self::FILE),
            reason: error.to_string(),
        })
    }

    /// As it is written.
    ///
    /// # Panics
    ///
    /// Never: plain values can be written.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a plan is plain data")
    }

    /// A hash of everything that decides the games before the proof.
    pub fn id(&self) -> String {
        let mut plain = self.clone();
        // A longer proof is one of the same tuning.
        plain.proof_games = 0;
        fingerprint(plain.to_toml().as_bytes())
    }

    pub fn tuner_pairs(&self) -> u64 {
        (self.games / 2).saturating_sub(u64::from(self.validations) * self.validation_games / 2)
    }

    pub fn knobs(&self) -> Vec<Knob> {
        let knob = |param: &Param| match param.kind {
            ParamKind::Combo | ParamKind::Check => {
                let choices = param.high as usize + 1;
                Knob::choice(&param.name, choices, param.start as usize)
            }
            ParamKind::Spin => Knob {
                step: Some(param.step),
                ..Knob::integer(&param.name, param.low, param.high, param.start)
            },
        };
        self.params.iter().map(knob).collect()
    }

    /// Whether the same two settings play the same game again from the same opening.
    pub fn repeats(&self, engine: &Entrant) -> bool {
        engine.pace.unwrap_or(self.pace).is_repeatable()
    }

    /// The most pairs that two settings can play from openings held out: where games
    /// repeat, one from each.
    pub(super) fn most_pairs(&self, engine: &Entrant, held_out: &[Opening]) -> Option<u64> {
        self.repeats(engine).then_some(held_out.len() as u64)
    }

    /// The engine as it starts.
    ///
    /// # Errors
    ///
    /// If the text names no player any more.
    pub fn entrant(&self) -> Result<Entrant, EntrantError> {
        Entrant::parse(&self.engine)
    }

    pub(super) fn new_tuner(&self) -> Result<AnyTuner, Failure> {
        let pairs = self.tuner_pairs();
        let tuner = AnyTuner::new(self.tuner, self.knobs(), pairs, self.batch, self.seed);
        tuner.map_err(|error| refuse(format!("`--tuner` {error}"), HELP))
    }

    pub(super) fn inputs(&self) -> Result<InputHashes, Failure> {
        let mut inputs = InputHashes::of_this_build();
        let engine = self.entrant().or_invalid_with(ENGINE)?;
        engine.add_inputs(&mut inputs)?;
        if let Some(path) = &self.openings {
            inputs.add_file(path)?;
        }
        Ok(inputs)
    }

    /// The openings to tune with, and those held out: no position is in both, and none
    /// there twice.
    ///
    /// # Errors
    ///
    /// If they cannot be read or are too few.
    pub fn parts(&self) -> Result<(Vec<Opening>, Vec<Opening>), Failure> {
        let setting = games::shuffled(self.seed);
        let openings = match &self.openings {
            None => Openings::own(&setting),
            Some(path) => Openings::load(path, &setting).or_invalid_with(HELP)?,
        };
        let mut seen = BTreeSet::new();
        let all: Vec<Opening> = (0..openings.len() as u64)
            .map(|at| openings.get(at))
            .filter(|it| seen.insert(games::epd(it.game().position())))
            .collect();
        if all.len() < 2 {
            let reason = match openings.len() {
                1 => "has one opening".to_owned(),
                lines => format!("has {lines} openings that all lead to the same position"),
            };
            let what = format!("`--openings` {reason}; at least two are needed, to hold one out");
            return Err(refuse(what, HELP));
        }
        let count = (all.len() as f64 * TUNED_WITH).round() as usize;
        let (tuned, held) = all.split_at(count.clamp(1, all.len() - 1));
        Ok((tuned.to_vec(), held.to_vec()))
    }
}

pub(super) fn usual_adjudication() -> Adjudication {
    games::by_both_sides(
        DrawRule {
            from_move: 40,
            moves: 8,
            score: 10,
        },
        900,
        300,
    )
}

/// The engine with the options of [`FIXED`] that the user has not set.
pub(super) fn fixed(entrant: &Entrant, offers: &[OptionLine]) -> Entrant {
    if matches!(entrant.kind, Kind::Bred(_)) {
        return entrant.clone();
    }
    let said = |name: &str| {
        let mut options = entrant.options.iter();
        options.any(|(option, _)| option.eq_ignore_ascii_case(name))
    };
    let mut set: Vec<(&str, String)> = Vec::new();
    for option in offers.iter().filter(|option| !said(&option.name)) {
        let fixed = FIXED.iter();
        let mut fixed = fixed.filter(|(name, _)| name.eq_ignore_ascii_case(&option.name));
        let Some((_, value)) = fixed.next() else {
            continue;
        };
        let value = match (&option.kind, value.parse::<i64>()) {
            (OptionKind::Spin { min, max, .. }, Ok(value)) => value.max(*min).min(*max).to_string(),
            (OptionKind::Check { .. }, Err(_)) => (*value).to_owned(),
            _ => continue,
        };
        set.push((&option.name, value));
    }
    entrant.with_options(set.iter().map(|(name, value)| (*name, value.as_str())))
}

/// A hash of the player, or of the program where it is a file.
pub(super) fn hash_of(entrant: &Entrant) -> Option<String> {
    match &entrant.kind {
        Kind::Bred(player) => Some(fingerprint(player.to_toml().as_bytes())),
        Kind::Program {
            command, directory, ..
        } => {
            let program = Path::new(&command[0]);
            if program.components().count() == 1 && !command[0].starts_with('.') {
                // As the system looks for it.
                let folders = std::env::var_os("PATH").unwrap_or_default();
                let mut places = std::env::split_paths(&folders).map(|it| it.join(program));
                return hash_of_file(&places.find(|it| it.is_file())?);
            }
            let inside = directory.as_ref().map(|it| it.join(program));
            hash_of_file(inside.as_deref().unwrap_or(program))
        }
    }
}

pub(super) fn hash_of_file(path: &Path) -> Option<String> {
    let bytes = path.is_file().then(|| fs::read(path).ok()).flatten()?;
    Some(fingerprint(&bytes))
}
