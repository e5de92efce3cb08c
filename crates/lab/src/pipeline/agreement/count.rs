//! What the answers come to.

use mendel_board::{Move, Role};
use serde::{Deserialize, Serialize};

use super::draw::Drawn;
use crate::analysis::Phase;
use crate::pipeline::curve::{Curve, CurveSettings};
use crate::pipeline::settings::Published;

/// How often players choose the moves that are known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// What a move may use and where the positions are from, in words.
    pub conditions: String,
    /// A hash of the sets.
    pub hash: String,
    /// How many positions.
    pub positions: u64,
    /// What each player came to, in the order of the players.
    pub players: Vec<Answers>,
    /// The result along a number of the players.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
    /// Who could not take part, and what else a reader must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What one player came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// Who.
    pub player: String,
    /// All positions.
    pub all: Tally,
    /// By the piece of the move that is known.
    pub pieces: Vec<Part>,
    /// By part of the game.
    pub phases: Vec<Part>,
    /// By band of ratings, where there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<Part>,
    /// What was published for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
}

/// Some of the positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Which.
    pub name: String,
    /// What they came to.
    #[serde(flatten)]
    pub tally: Tally,
}

/// How many moves were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Positions.
    pub positions: u64,
    /// Moves with the right piece, by the square that it leaves.
    pub from: u64,
    /// Right moves.
    pub right: u64,
}

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

impl Tally {
    /// Right moves, in per cent.
    pub fn share(&self) -> Option<f64> {
        percent(self.right, self.positions)
    }

    /// Right squares to leave from, in per cent.
    pub fn from_share(&self) -> Option<f64> {
        percent(self.from, self.positions)
    }

    /// Right moves of those with the right piece, in per cent.
    pub fn to_share(&self) -> Option<f64> {
        percent(self.right, self.from)
    }

    /// Where the share of right moves lies with 95 %, in per cent.
    ///
    /// # Source
    ///
    /// E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
    /// Inference", *Journal of the American Statistical Association* 22, 1927.
    pub fn interval(&self) -> Option<[f64; 2]> {
        wilson(self.right, self.positions)
    }

    fn add(&mut self, from: bool, right: bool) {
        self.positions += 1;
        self.from += u64::from(from);
        self.right += u64::from(right);
    }
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

fn wilson(part: u64, whole: u64) -> Option<[f64; 2]> {
    if whole == 0 {
        return None;
    }
    let (n, share) = (whole as f64, part as f64 / whole as f64);
    let square = Z * Z / n;
    let middle = (share + square / 2.0) / (1.0 + square);
    let spread = libm::sqrt(share * (1.0 - share) / n + square / (4.0 * n));
    let reach = Z * spread / (1.0 + square);
    Some([middle - reach, middle + reach].map(|end| 100.0 * end.clamp(0.0, 1.0)))
}

/// Pieces in the order of the published tables.
const ROLES: [(Role, &str); 6] = [
    (Role::Pawn, "pawns"),
    (Role::Rook, "rooks"),
    (Role::Knight, "knights"),
    (Role::Bishop, "bishops"),
    (Role::Queen, "queens"),
    (Role::King, "kings"),
];

/// Compares the moves of each player with those that are known.
pub(super) fn count(drawn: &Drawn, names: &[String], answers: &[Vec<String>]) -> Agreement {
    let part = |name: &str| Part {
        name: name.to_owned(),
        tally: Tally::default(),
    };
    let bands = drawn.groups.iter().filter_map(|it| it.name.as_deref());
    let bands: Vec<Part> = bands.map(part).collect();
    let mut notes = Vec::new();
    let mut players = Vec::with_capacity(names.len());
    for (name, moves) in names.iter().zip(answers) {
        let mut own = Answers {
            player: name.clone(),
            pieces: ROLES.iter().map(|it| part(it.1)).collect(),
            phases: Phase::ALL.iter().map(|it| part(it.name())).collect(),
            bands: bands.clone(),
            ..Answers::default()
        };
        let mut silent = 0;
        for (question, text) in drawn.questions.iter().zip(moves) {
            silent += u64::from(text.is_empty());
            let known = question.right.iter();
            let chosen = question.game.position().parse_uci(text).ok();
            let right = chosen.is_some_and(|m| known.clone().any(|it| *it == m));
            let leaves = chosen.and_then(Move::from);
            let from = leaves.is_some() && known.clone().any(|it| it.from() == leaves);
            let role = question.right.first().map(|it| it.role());
            own.all.add(from, right);
            let piece = ROLES.iter().position(|it| Some(it.0) == role);
            let phase = Phase::ALL.iter().position(|it| *it == question.phase);
            let parts = [
                piece.and_then(|at| own.pieces.get_mut(at)),
                phase.and_then(|at| own.phases.get_mut(at)),
                own.bands.get_mut(question.group),
            ];
            for part in parts.into_iter().flatten() {
                part.tally.add(from, right);
            }
        }
        if silent > 0 {
            notes.push(format!("{name} gave no move in {silent} positions"));
        }
        players.push(own);
    }
    Agreement {
        positions: drawn.questions.len() as u64,
        players,
        notes,
        ..Agreement::default()
    }
}

impl Agreement {
    /// What was published stands beside ours.
    pub(super) fn publish(&mut self, published: &Published) {
        for it in &mut self.players {
            it.paper = published.get(&it.player).cloned();
        }
    }

    /// Draws what came out along a number of the players: all positions, and each part.
    /// `places` says for each value which player it is.
    pub(super) fn draw(&mut self, curve: Option<&CurveSettings>, places: &[Option<usize>]) {
        let Some(curve) = curve else {
            return;
        };
        let line = |tally: &dyn Fn(&Answers) -> Option<Tally>| {
            let value = |place: &Option<usize>| {
                let tally = tally(self.players.get((*place)?)?)?;
                Some((tally.share()?, tally.interval()))
            };
            places.iter().map(value).collect::<Vec<_>>()
        };
        let all = curve.through("right moves, %", [("ours", line(&|it| Some(it.all)))]);
        let bare = CurveSettings {
            paper: Vec::new(),
            ..curve.clone()
        };
        let parts = |of: &str, parts: &dyn Fn(&Answers) -> &Vec<Part>| {
            let first = self.players.first().map(parts);
            let names = first.into_iter().flatten().enumerate();
            let lines = names.map(|(at, part)| {
                let tally = |it: &Answers| parts(it).get(at).map(|it| it.tally);
                (part.name.as_str(), line(&tally))
            });
            bare.through(of, lines)
        };
        let phases = parts("right moves by part of the game, %", &|it| &it.phases);
        let bands = parts("right moves by rating, %", &|it| &it.bands);
        let drawn = [all, phases, bands].into_iter();
        self.curves = drawn.filter(|it| !it.lines.is_empty()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the closed formula, worked out by hand for two of them.
    #[test]
    fn an_interval_holds_its_share_and_stays_within_bounds() {
        let interval = |part, whole| wilson(part, whole).expect("there are some");
        let [low, high] = interval(0, 10);
        assert!(low.abs() < 1e-9 && (high - 27.753).abs() < 1e-3, "{high}");
        let [low, high] = interval(2341, 10_000);
        assert!((low - 22.59).abs() < 0.01 && (high - 24.25).abs() < 0.01);
        let [low, high] = interval(10, 10);
        assert!(low > 70.0 && (high - 100.0).abs() < 1e-9);
        assert_eq!(wilson(0, 0), None);
    }
}
