//! What is to be made.

use std::path::PathBuf;

use mendel_arena::Entrant;
use mendel_store::InputHashes;
use mendel_store::frame::Failure;
use serde::{Deserialize, Serialize};

use super::Kind;
use crate::MakeError;
use crate::label::{Ask, Evaluation, ExpertPlan};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataPlan {
    /// The file to write; a relative path is one in the folder of the experiment.
    pub out: PathBuf,
    pub kind: Kind,
    pub positions: u64,
    /// Decides openings, random moves and which positions are drawn.
    pub seed: u64,
    /// Who plays the games: a built-in player or a player file, with options.
    pub player: String,
    pub nodes: u64,
    /// Positions taken from a game, at most.
    pub per_game: u32,
    /// The least number of plies between two positions of a game.
    pub spacing: u32,
    /// The most random plies after the opening.
    pub random_plies: u32,
    pub only_quiet: bool,
    /// Leave the game by one random move and play captures out: a position as a
    /// search meets it, and no game's result belongs to it.
    #[serde(default)]
    pub stray: bool,
    /// Keep the score and the move of the player's own search.
    pub with_search: bool,
    /// Positions of this set instead of games.
    pub from: Option<PathBuf>,
    /// Who labels; `None` where results are enough.
    pub expert: Option<ExpertPlan>,
    pub hold_out: f64,
}

impl DataPlan {
    /// The defaults for a kind of set, without an expert.
    pub fn usual(kind: Kind, positions: u64, out: impl Into<PathBuf>) -> Self {
        let (per_game, spacing) = match kind {
            Kind::Selfplay => (14, 3),
            Kind::Moves => (6, 6),
            _ => (8, 4),
        };
        Self {
            out: out.into(),
            kind,
            positions,
            seed: 1,
            player: "mendel".to_owned(),
            nodes: 2000,
            per_game,
            spacing,
            random_plies: 4,
            only_quiet: kind.is_about_quiet_positions(),
            stray: false,
            with_search: kind == Kind::Selfplay,
            from: None,
            expert: None,
            hold_out: super::DataSetHeader::HOLD_OUT,
        }
    }

    /// Checks the numbers and that they fit together.
    ///
    /// # Errors
    ///
    /// [`MakeError::Plan`] if a number is out of range or contradicts another.
    pub fn check(&self) -> Result<(), MakeError> {
        let wrong = |reason: &str| {
            Err(MakeError::Plan {
                reason: reason.to_owned(),
            })
        };
        if self.positions == 0 || self.nodes == 0 || self.per_game == 0 {
            return wrong("positions, nodes and positions a game are integers above 0");
        }
        if self.positions > 100_000_000 {
            return wrong("a data set holds at most 100000000 positions; ask for fewer");
        }
        if self.random_plies > 100 {
            return wrong("more than 100 random plies leave no game; ask for fewer");
        }
        if !(0.0..1.0).contains(&self.hold_out) {
            return wrong("the share held out is at least 0 and below 1");
        }
        if let Some(expert) = &self.expert
            && !(expert.scale.is_finite() && expert.scale.abs() <= 1000.0)
        {
            return wrong("the scale is a number such as 2.0");
        }
        if self.stray && (self.kind != Kind::Quiet || self.with_search) {
            return wrong(
                "positions that left their game are for `quiet` alone, and without the player's search",
            );
        }
        match (self.kind, &self.expert) {
            (Kind::Quiet | Kind::Moves, None) => wrong("an expert has to label the positions"),
            (Kind::Imported, _) => wrong("an imported set is not made but imported"),
            (Kind::Moves, Some(expert)) if matches!(expert.ask, Ask::Static { .. }) => {
                wrong("a static evaluation names no best move; give the expert nodes or a depth")
            }
            _ => Ok(()),
        }
    }

    pub(super) fn inputs(&self) -> Result<InputHashes, Failure> {
        let mut inputs = InputHashes::of_this_build();
        if let Some(from) = &self.from {
            inputs.add_file(from)?;
        } else {
            Entrant::parse(&self.player)?.add_inputs(&mut inputs)?;
        }
        if let Some(expert) = &self.expert {
            expert.entrant()?.add_inputs(&mut inputs)?;
        }
        Ok(inputs)
    }

    /// The command that makes this set, whatever the defaults will be.
    pub fn command(&self) -> String {
        let mut words = vec![format!(
            "mendel data make {} --positions {} --seed {}",
            self.kind.as_str(),
            self.positions,
            self.seed
        )];
        if let Some(from) = &self.from {
            words.push(format!("--from {}", from.display()));
        } else {
            words.push(format!(
                "--player {} --nodes {} --per-game {} --spacing {} --random-plies {}",
                self.player, self.nodes, self.per_game, self.spacing, self.random_plies
            ));
            words.push(format!("--only-quiet {}", self.only_quiet));
            if self.stray {
                words.push("--stray true".to_owned());
            }
            words.push(format!("--with-search {}", self.with_search));
        }
        if let Some(expert) = &self.expert {
            words.push(format!("--expert '{}'", expert.player));
            words.push(match expert.ask {
                Ask::Static { evaluation } => format!("--expert-eval {}", evaluation.as_str()),
                Ask::Nodes { nodes } => format!("--expert-nodes {nodes}"),
                Ask::Depth { depth } => format!("--expert-depth {depth}"),
            });
            words.push(format!("--scale {}", expert.scale));
        }
        words.push(format!("--hold-out {}", self.hold_out));
        words.join(" ")
    }

    pub(super) fn description(&self) -> String {
        let quiet = if self.only_quiet { "quiet " } else { "" };
        let source = match &self.from {
            Some(from) => format!("positions of {}", from.display()),
            None => format!(
                "{quiet}positions {}games of {} at {} nodes a move",
                if self.stray {
                    "a random move and its captures away from "
                } else {
                    "from "
                },
                self.player,
                self.nodes
            ),
        };
        let label = match self
            .expert
            .as_ref()
            .map(|expert| (expert.ask, expert.scale))
        {
            None => "with the games' results".to_owned(),
            Some((Ask::Static { evaluation }, scale)) => {
                let of = match evaluation {
                    Evaluation::Classical => "the expert's classical static evaluation",
                    Evaluation::Nnue => "the expert's neural static evaluation",
                };
                format!("with {of} times {scale}")
            }
            Some((Ask::Nodes { nodes }, _)) => {
                format!("with the expert's move and score at {nodes} nodes")
            }
            Some((Ask::Depth { depth }, _)) => {
                format!("with the expert's move and score at depth {depth}")
            }
        };
        format!("{source}, {label}")
    }
}
