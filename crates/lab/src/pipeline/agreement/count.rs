//! What the answers come to.

use mendel_board::{Move, Role};
use mendel_coach::Phase;

use super::draw::Drawn;
use crate::recipe::steps::{CurveSettings, Published};
use crate::record::{Agreement, Answers, Part, Tally};

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
