//! A network that has a say in the choice of moves.
//!
//! ```toml
//! [policy]
//! use = "choose"       # or "bonus", "prior", "weigh"
//! file = "human"       # a built-in network, or `NAME.net` in the folder of the player file
//! rating = 1500
//! temperature = 1.0
//! ```
//!
//! # Source
//!
//! Way [`Choose`](Way::Choose) with the paper's network and way [`Bonus`](Way::Bonus) are
//! those of the λ-hybrid paper (Technion, 2023). Way [`Weigh`](Way::Weigh) chooses moves
//! with the likelihood p · exp(v / c) of Jacob, Wu, Farina et al., "Modeling Strong and
//! Human-Like Gameplay with KL-Regularized Search", ICML 2022: p is what people play, v
//! what a search finds, and c how much a search counts.
//!
//! # Where this differs
//!
//! [`Bonus`](Way::Bonus) leaves proved wins and losses as they are, so that a mate is
//! always played and never walked into for the network's sake. [`Prior`](Way::Prior) is
//! our own. [`Weigh`](Way::Weigh) searches by alpha-beta with the logarithms of p as
//! offsets at the root, where the source searches by Monte-Carlo trees with p at every
//! node; its c falls with the rating.

use std::ops::RangeInclusive;
use std::sync::Arc;

use mendel_board::{Game, Move, mix};
use mendel_evaluator::Policy;
use mendel_evaluator::policy::{Draw, Outlook};
use mendel_evaluator::vision::{Head, Scene, View, Workspace};
use toml::{Table, Value};

use crate::networks::NetworkSource;
use crate::params::SettingError;
use crate::search::RootMove;
use crate::strength::uniform;
use crate::uci::OptionLine;
use crate::words::quote;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It chooses the moves alone; nothing is searched.
    Choose,
    /// The move that it names gains λ · 3000 centipawns at the root of the search.
    Bonus,
    /// The search looks at likely moves first, and unlikely ones have to be better by
    /// some centipawns.
    Prior,
    /// A look ahead as with [`Prior`](Self::Prior), and then a move drawn by what was
    /// found and by how likely it is.
    Weigh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The rating of the people whose moves are expected.
    Rating,
    /// Hundredths: 100 draws moves as people play them, less draws more of the likely
    /// ones, 0 takes the likeliest.
    Temperature,
    /// Whether the move that the network names is drawn, or the likeliest.
    Sampling,
    /// Hundredths of the bonus.
    Lambda,
    /// Centipawns that a move has to be better by than one e times as likely; where
    /// moves are weighed, 0 is what fits the rating.
    Prior,
    Lookahead,
    /// Chance: the same seed and the same game, the same move.
    Seed,
}

/// Centipawns that the named move gains for λ = 1.
const WHOLE_BONUS: i64 = 3000;

/// Moves less likely than e to the minus this, next to the likeliest, are all alike.
const LEAST_LOG: f64 = 7.0;

/// Where moves are weighed: from one rating to the other the centipawns for each factor
/// of e fall in a line from one number to the other. Of 20 to 250 these agreed best with
/// what people played (`notebook/2026-11-15-people.md`).
const FALL: [(i64, i64); 2] = [(2000, 100), (2500, 20)];

/// Where moves are weighed, one less likely than e to the minus this, next to the best, is
/// not drawn.
const LEAST_WEIGHT: i64 = 5;

/// Where moves are weighed, what is won or lost by this many centipawns is won or lost.
const DECIDED: i32 = 1000;

/// A network that has a say in the choice of moves.
#[derive(Clone, Debug)]
pub struct Guidance {
    pub way: Way,
    file: String,
    checksum: u64,
    policy: Arc<Policy>,
    settings: [i64; Setting::ALL.len()],
}

impl Way {
    pub const ALL: [Self; 4] = [Self::Choose, Self::Bonus, Self::Prior, Self::Weigh];

    /// What a player file calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Choose => "choose",
            Self::Bonus => "bonus",
            Self::Prior => "prior",
            Self::Weigh => "weigh",
        }
    }

    /// Whether it plays as strong as people of a rating do, and no strength can be set.
    pub fn is_of_people(self) -> bool {
        matches!(self, Self::Choose | Self::Weigh)
    }
}

impl Setting {
    pub const ALL: [Self; 7] = [
        Self::Rating,
        Self::Temperature,
        Self::Sampling,
        Self::Lambda,
        Self::Prior,
        Self::Lookahead,
        Self::Seed,
    ];

    /// Names in UCI and in a player file, range, and default.
    fn row(self) -> (&'static str, &'static str, RangeInclusive<i64>, i64) {
        match self {
            Self::Rating => ("Rating", "rating", 600..=3000, 1500),
            Self::Temperature => ("Temperature", "temperature", 0..=500, 100),
            Self::Sampling => ("Sampling", "sampling", 0..=1, 1),
            Self::Lambda => ("Lambda", "lambda", 0..=100, 50),
            Self::Prior => ("Prior", "prior", 0..=500, 10),
            Self::Lookahead => ("Lookahead", "lookahead", 1..=1_000_000_000, 20_000),
            Self::Seed => ("Policy Seed", "seed", 0..=i64::MAX, 0),
        }
    }

    /// The name in UCI.
    pub fn option(self) -> &'static str {
        self.row().0
    }

    /// The name in a player file.
    fn key(self) -> &'static str {
        self.row().1
    }

    pub fn range(self) -> RangeInclusive<i64> {
        self.row().2
    }

    fn default(self) -> i64 {
        self.row().3
    }

    /// Whether a player file writes it as 1.5 where UCI writes 150.
    fn in_hundredths(self) -> bool {
        matches!(self, Self::Temperature | Self::Lambda)
    }

    fn form(self) -> String {
        let range = self.range();
        let (low, high) = (range.start(), range.end());
        match self {
            Self::Sampling => "true or false".to_owned(),
            Self::Seed => "a whole number from 0".to_owned(),
            _ if self.in_hundredths() => format!("a number from {low} to {}", high / 100),
            _ => format!("a whole number from {low} to {high}"),
        }
    }

    fn read(self, value: &Value) -> Result<i64, SettingError> {
        let number = match value {
            Value::Boolean(flag) if self == Self::Sampling => Some(i64::from(*flag)),
            Value::Float(number) if self.in_hundredths() => {
                let near = (-1e6..=1e6).contains(number);
                near.then(|| libm::rint(number * 100.0) as i64)
            }
            Value::Integer(number) if self.in_hundredths() => number.checked_mul(100),
            Value::Integer(number) if self != Self::Sampling => Some(*number),
            _ => None,
        };
        let fitting = number.filter(|number| self.range().contains(number));
        fitting.ok_or_else(|| key_error(self.key(), format!("must be {}", self.form())))
    }

    fn written(self, value: i64) -> Value {
        match self {
            Self::Sampling => Value::Boolean(value == 1),
            _ if self.in_hundredths() => Value::Float(value as f64 / 100.0),
            _ => Value::Integer(value),
        }
    }
}

fn key_error(key: &str, reason: impl Into<String>) -> SettingError {
    SettingError(format!("[policy]: `{}` {}", quote(key), reason.into()))
}

impl Guidance {
    pub(crate) fn from_toml(table: &Table, library: NetworkSource) -> Result<Self, SettingError> {
        let text = |key: &str, wanted: &str| match table.get(key) {
            Some(Value::String(text)) => Ok(text.as_str()),
            _ => Err(key_error(key, format!("is missing; write {wanted}"))),
        };

        // 1. The network and what it does.
        let ways = Way::ALL.map(Way::name).join("\", \"");
        let named = text("use", &format!("one of \"{ways}\""))?;
        let way = Way::ALL.into_iter().find(|way| way.name() == named);
        let way = way.ok_or_else(|| {
            let reason = format!("is `{}`; write one of \"{ways}\"", quote(named));
            key_error("use", reason)
        })?;
        let file = text(
            "file",
            "the name of a network, or that of a file `NAME.net` beside the player file",
        )?;
        let network = library.naming(file);
        let (policy, checksum) =
            network.map_err(|error| SettingError(format!("[policy]: {error}")))?;
        let mut guidance = Self {
            way,
            file: file.to_owned(),
            checksum,
            policy,
            settings: Setting::ALL.map(Setting::default),
        };

        // 2. Its settings; none that would mean nothing.
        let known = guidance.known();
        for (key, value) in table {
            match known.iter().find(|setting| setting.key() == key) {
                Some(setting) => guidance.settings[*setting as usize] = setting.read(value)?,
                None if ["use", "file"].contains(&key.as_str()) => {}
                None if key == "checksum" => guidance.compare(value)?,
                None => {
                    let keys: Vec<&str> = known.iter().map(|setting| setting.key()).collect();
                    let keys = keys.join(", ");
                    let reason = format!("means nothing here; there are use, file, {keys}");
                    return Err(key_error(key, reason));
                }
            }
        }
        Ok(guidance)
    }

    /// Whether the network is the one that was there when the file was written.
    fn compare(&self, value: &Value) -> Result<(), SettingError> {
        let found = self.checksum_text();
        if value.as_str() == Some(found.as_str()) {
            return Ok(());
        }
        let reason = format!(
            "is not that of `{}`, {found}; remove it, or put the network back that was there",
            quote(&self.file)
        );
        Err(key_error("checksum", reason))
    }

    fn checksum_text(&self) -> String {
        format!("{:016x}", self.checksum)
    }

    pub(crate) fn to_toml(&self) -> Table {
        let mut table = Table::new();
        table.insert("use".into(), self.way.name().into());
        table.insert("file".into(), self.file.clone().into());
        table.insert("checksum".into(), self.checksum_text().into());
        for setting in self.known() {
            table.insert(setting.key().into(), setting.written(self.get(setting)));
        }
        table
    }

    /// The network's name in the player file.
    pub fn file(&self) -> &str {
        &self.file
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The settings that mean something to this network in this way.
    pub fn known(&self) -> Vec<Setting> {
        let shape = self.policy.net().shape();
        let from_to = shape.head == Head::FromTo;
        let means = |setting: &Setting| match setting {
            Setting::Rating => matches!(shape.view, View::Sides { .. }),
            Setting::Temperature => self.way == Way::Weigh || (self.way == Way::Choose && !from_to),
            Setting::Sampling => self.way == Way::Bonus || (self.way == Way::Choose && from_to),
            Setting::Lambda => self.way == Way::Bonus,
            Setting::Prior => matches!(self.way, Way::Prior | Way::Weigh),
            Setting::Lookahead => self.way == Way::Weigh,
            Setting::Seed => self.way != Way::Prior,
        };
        Setting::ALL.into_iter().filter(means).collect()
    }

    /// The value of a setting; the usual one where it means nothing.
    pub fn get(&self, setting: Setting) -> i64 {
        self.settings[setting as usize]
    }

    /// Whether UCI has an option of this name for it, however it is capitalised.
    pub(crate) fn offers(&self, name: &str) -> bool {
        let mut known = self.known().into_iter();
        known.any(|setting| setting.option().eq_ignore_ascii_case(name))
    }

    /// Sets the option that UCI calls `name`, however it is capitalised.
    ///
    /// # Errors
    ///
    /// If it means nothing here, or cannot have that value; nothing is changed then.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), SettingError> {
        let known = self.known();
        let setting = known
            .iter()
            .find(|setting| setting.option().eq_ignore_ascii_case(name));
        let Some(setting) = setting else {
            let names: Vec<&str> = known.iter().map(|setting| setting.option()).collect();
            let reason = format!("is no option of it; there are {}", names.join(", "));
            return Err(key_error(name, reason));
        };
        let range = setting.range();
        if !range.contains(&value) {
            let (low, high) = (range.start(), range.end());
            let reason = format!("is {value}; write a whole number from {low} to {high}");
            return Err(key_error(setting.option(), reason));
        }
        self.settings[*setting as usize] = value;
        Ok(())
    }

    /// The settings as UCI declares them, with the values they have now.
    pub fn options(&self) -> Vec<OptionLine> {
        let line = |setting: Setting| {
            let (range, now) = (setting.range(), self.get(setting));
            match setting {
                Setting::Sampling => OptionLine::check(setting.option(), now == 1),
                _ => OptionLine::spin(setting.option(), now, *range.start(), *range.end()),
            }
        };
        self.known().into_iter().map(line).collect()
    }

    /// What the network expects now, at its rating and temperature.
    pub fn outlook(&self, game: &Game, workspace: &mut Workspace) -> Outlook {
        let temperature = match self.way {
            Way::Choose => self.get(Setting::Temperature) as f32 / 100.0,
            Way::Bonus | Way::Prior | Way::Weigh => 1.0,
        };
        self.policy
            .outlook(&self.scene(game), temperature, workspace)
    }

    fn scene<'a>(&self, game: &'a Game) -> Scene<'a> {
        let rating = self.get(Setting::Rating) as u16;
        Scene {
            position: game.position(),
            before: game.moves(),
            ratings: Some([rating; 2]),
            repeated: game.repetitions() > 1,
        }
    }

    /// The chance in a move. All that was played is part of it: a position that comes
    /// again need not get the same move, or two players would repeat it for ever.
    fn lot(&self, game: &Game) -> u64 {
        let keys = game.positions().iter();
        let played = keys.fold(0, |mixed, position| mix(mixed ^ position.key()));
        mix(played ^ mix(self.get(Setting::Seed) as u64))
    }

    /// The move that it plays alone, one of `moves`, and what it expects where it says
    /// so: win, draw and loss.
    pub(crate) fn choose(
        &self,
        game: &Game,
        moves: &[Move],
        workspace: &mut Workspace,
    ) -> (Option<Move>, Option<[f32; 3]>) {
        let asked = |m: &Move| moves.contains(m);
        if self.policy.net().shape().head == Head::FromTo
            && let Some(named) = self.name(game, workspace).filter(asked)
        {
            return (Some(named), None);
        }
        let outlook = self.outlook(game, workspace);
        let drawn = outlook.draw(game.position(), Draw::Seed(self.lot(game)));
        // Where not all legal moves are asked for, the likeliest of those that are.
        let likeliest = outlook.moves.iter().map(|it| it.0).find(asked);
        let chosen = drawn.filter(asked).or(likeliest);
        (chosen.or(moves.first().copied()), outlook.result)
    }

    /// The move that the network names: a mate in one, or the paper's choice.
    fn name(&self, game: &Game, workspace: &mut Workspace) -> Option<Move> {
        let draw = match self.get(Setting::Sampling) {
            0 => Draw::Best,
            _ => Draw::Seed(self.lot(game)),
        };
        self.policy.choose(&self.scene(game), draw, workspace)
    }

    /// What root moves gain or lose in the search, the first to be looked at first;
    /// empty where the network has no say.
    pub(crate) fn advise(
        &self,
        game: &Game,
        moves: &[Move],
        workspace: &mut Workspace,
    ) -> Vec<(Move, i32)> {
        match self.way {
            Way::Choose => Vec::new(),
            Way::Bonus => {
                let bonus = (WHOLE_BONUS * self.get(Setting::Lambda) / 100) as i32;
                let named = self.name(game, workspace).filter(|_| bonus > 0);
                let mut advice: Vec<_> = moves.iter().map(|m| (*m, 0)).collect();
                let Some(at) = moves.iter().position(|m| Some(*m) == named) else {
                    return Vec::new();
                };
                advice[at].1 = bonus;
                advice[..=at].rotate_right(1);
                advice
            }
            Way::Prior | Way::Weigh => {
                let outlook = self.outlook(game, workspace);
                let mut likely = outlook.moves;
                likely.retain(|it| moves.contains(&it.0));
                let most = likely.first().map_or(1.0, |it| it.1);
                let each = self.each() as f64;
                let offset = |share: f32| {
                    let ratio = f64::from(share) / f64::from(most).max(f64::MIN_POSITIVE);
                    let log = libm::log(ratio.max(f64::MIN_POSITIVE));
                    libm::rint(each * log.max(-LEAST_LOG)) as i32
                };
                let advised = likely.iter().map(|(m, share)| (*m, offset(*share)));
                advised.collect()
            }
        }
    }

    /// Centipawns for each factor of e.
    fn each(&self) -> i64 {
        let rating = self.get(Setting::Rating);
        match self.get(Setting::Prior) {
            0 if self.way == Way::Weigh => {
                let [(from, high), (to, low)] = FALL;
                let fallen = (rating.clamp(from, to) - from) * (high - low) / (to - from);
                high - fallen
            }
            each => each,
        }
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.get(Setting::Lookahead) as u64
    }

    /// How far below the best root moves need an exact score to be weighed.
    pub(crate) fn window(&self) -> i32 {
        (LEAST_WEIGHT * self.each() * self.get(Setting::Temperature) / 100) as i32
    }

    /// The move that people play who looked ahead: an index into `seen`, the root moves
    /// whose scores are known.
    pub(crate) fn weigh(&self, game: &Game, seen: &[RootMove]) -> usize {
        // 1. What each is worth in units of the temperature.
        let unit = self.each() as f64 * self.get(Setting::Temperature) as f64 / 100.0;
        let worth = |root: &RootMove| {
            let found = root.searched().clamp(-DECIDED, DECIDED);
            f64::from(found + root.advice) / unit
        };
        let best = seen.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
        let weights = seen.iter().map(|root| libm::exp(worth(root) - best));
        let weights: Vec<f64> = weights.collect();

        // 2. One of them by lot.
        let mut left = uniform(self.lot(game)) * weights.iter().sum::<f64>();
        let falls = |weight: &f64| {
            left -= weight;
            left < 0.0
        };
        weights.iter().position(falls).unwrap_or(0)
    }
}
