//! What is measured of a network.

use mendel_board::Role;
use serde::{Deserialize, Serialize};

use super::phase::{Facts, Phase};

/// The least rating of each band but the first, which has what is below or unknown.
pub const BANDS: [u16; 6] = [1, 1200, 1600, 2000, 2400, 2500];

/// Pieces in the order of the λ paper's figures.
const ROLES: [(Role, &str); 6] = [
    (Role::Pawn, "pawn"),
    (Role::Rook, "rook"),
    (Role::Knight, "knight"),
    (Role::Bishop, "bishop"),
    (Role::Queen, "queen"),
    (Role::King, "king"),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four questions, four answers"
)]
pub struct Right {
    /// The square that the piece left: the largest of all 64.
    pub from: bool,
    /// The square it went to: the largest of all 64.
    pub to: bool,
    /// The move, when only legal ones may be chosen.
    pub first: bool,
    /// The move is among the three likeliest legal ones.
    pub third: bool,
}

/// Rights and wrongs, added up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Moves {
    all: Count,
    by_role: [Count; 6],
    by_phase: [Count; 3],
    by_band: [Count; BANDS.len() + 1],
}

/// How many there were, and how many were right in what way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Count {
    seen: u64,
    from: u64,
    both: u64,
    first: u64,
    third: u64,
}

/// Distances of scores, added up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Scores {
    all: Sums,
    by_phase: [Sums; 3],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sums {
    seen: u64,
    squares: f64,
    distances: f64,
    wanted: f64,
    wanted_squares: f64,
}

/// A figure and its name, such as `from` or `phase.ending.first`.
pub type Figure = (String, f64);

impl Count {
    fn add(&mut self, right: Right) {
        self.seen += 1;
        self.from += u64::from(right.from);
        self.both += u64::from(right.from && right.to);
        self.first += u64::from(right.first);
        self.third += u64::from(right.third);
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl Moves {
    pub fn add(&mut self, facts: &Facts, right: Right) {
        self.all.add(right);
        if let Some(index) = ROLES.iter().position(|(role, _)| Some(*role) == facts.role) {
            self.by_role[index].add(right);
        }
        self.by_phase[facts.phase as usize].add(right);
        let band = BANDS.iter().filter(|least| facts.rating >= **least).count();
        self.by_band[band].add(right);
    }

    pub fn len(&self) -> u64 {
        self.all.seen
    }

    pub fn is_empty(&self) -> bool {
        self.all.seen == 0
    }

    /// The figures of the λ paper by the names of its text: `from`; each piece, which
    /// is the share of right *to* squares among right *from* squares of that piece;
    /// `overall`, the mean of these weighted by the number of moves that each was
    /// counted over; `overall-by-moves`, the mean weighted by all moves of the piece,
    /// since the paper's words allow both.
    pub fn squares(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        let mut push = |name: &str, value: Option<f64>| {
            figures.extend(value.map(|value| (name.to_owned(), value)));
        };
        push("from", share(self.all.from, self.all.seen));
        let (mut right, mut counted) = (0, 0);
        let (mut sum, mut moves) = (0.0, 0);
        for ((_, name), count) in ROLES.iter().zip(&self.by_role) {
            let value = share(count.both, count.from);
            push(name, value);
            right += count.both;
            counted += count.from;
            if let Some(value) = value {
                sum += value * count.seen as f64;
                moves += count.seen;
            }
        }
        push("overall", share(right, counted));
        push("overall-by-moves", (moves > 0).then(|| sum / moves as f64));
        figures.extend(self.agreement());
        figures
    }

    /// Agreement with what was played: the first choice (`first`), one of the first
    /// three (`third`); by phase and by rating.
    pub fn agreement(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        let mut push = |stem: &str, count: &Count| {
            for (name, right) in [("first", count.first), ("third", count.third)] {
                let value = share(right, count.seen);
                figures.extend(value.map(|value| (format!("{stem}{name}"), value)));
            }
        };
        push("", &self.all);
        for (phase, count) in Phase::ALL.iter().zip(&self.by_phase) {
            push(&format!("phase.{}.", phase.as_str()), count);
        }
        for (index, count) in self.by_band.iter().enumerate() {
            let name = match index {
                0 => "unknown".to_owned(),
                _ => format!("{}+", BANDS[index - 1]),
            };
            push(&format!("rating.{name}."), count);
        }
        figures
    }
}

impl Scores {
    pub fn add(&mut self, facts: &Facts, answered: f64, wanted: f64) {
        for sums in [&mut self.all, &mut self.by_phase[facts.phase as usize]] {
            let distance = answered - wanted;
            sums.seen += 1;
            sums.squares += distance * distance;
            sums.distances += distance.abs();
            sums.wanted += wanted;
            sums.wanted_squares += wanted * wanted;
        }
    }

    /// `mse`, the mean square of distances; `r2`, the share of the scores' variance
    /// that is explained; `mae`, the mean distance; by phase, too. All in the unit that
    /// is learnt.
    pub fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        let mut push = |stem: &str, sums: &Sums| {
            if sums.seen == 0 {
                return;
            }
            let count = sums.seen as f64;
            let mean = sums.wanted / count;
            let variance = sums.wanted_squares / count - mean * mean;
            let mse = sums.squares / count;
            figures.push((format!("{stem}mse"), mse));
            if variance > 0.0 {
                figures.push((format!("{stem}r2"), 1.0 - mse / variance));
            }
            figures.push((format!("{stem}mae"), sums.distances / count));
        };
        push("", &self.all);
        for (phase, sums) in Phase::ALL.iter().zip(&self.by_phase) {
            push(&format!("phase.{}.", phase.as_str()), sums);
        }
        figures
    }
}
