//! The table `[proof]`: how a champion is proved.

use mendel_arena::{Pace, SprtPlan};
use serde::Deserialize;

use super::{Misfit, check_players, require};
use crate::games;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ProofSettings {
    /// The most games against the parent.
    pub games: u64,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    /// Normalised Elo of the two hypotheses of the test.
    pub sprt: [f64; 2],
    /// Play all games, also when the test is decided before: a better estimate.
    pub play_all: bool,
    /// Outside players of about the champion's strength; the first that can be
    /// started is met.
    pub outside: Vec<String>,
    pub outside_games: u64,
    /// Whether each founder of the recipe is met, too.
    pub founders: bool,
    /// Games against each founder; as many as against the parent if not given.
    pub founder_games: Option<u64>,
}

impl Default for ProofSettings {
    fn default() -> Self {
        Self {
            games: 400,
            nodes: None,
            depth: None,
            sprt: [0.0, 15.0],
            play_all: false,
            outside: Vec::new(),
            outside_games: 100,
            founders: false,
            founder_games: None,
        }
    }
}

/// Default number of nodes for each move.
const NODES: u64 = 1000;

impl ProofSettings {
    pub(crate) fn check(&self) -> Result<(), Misfit> {
        let none = "must be at least 1; `--no-proof` plays none";
        require(self.games > 0, "games", none)?;
        let moves = self.nodes != Some(0) && self.depth != Some(0);
        require(moves, "nodes", "must be at least 1")?;
        let none = "must be at least 1; leave `outside` out to play none";
        let outside = self.outside.is_empty() || self.outside_games > 0;
        require(outside, "outside-games", none)?;
        let none = "must be at least 1; leave `founders` out to play none";
        require(self.founder_games != Some(0), "founder-games", none)?;
        let most = games::most_games();
        for (key, games) in [
            ("games", self.games),
            ("outside-games", self.outside_games),
            ("founder-games", self.founder_games.unwrap_or(1)),
        ] {
            let reason = format!("is {games}; our book has openings for {most}");
            require(games <= most, key, reason)?;
        }
        check_players("outside", &self.outside)?;
        let test = self.sprt().test();
        test.map(|_| ())
            .map_err(|error| ("sprt", error.to_string()))
    }

    pub(crate) fn sprt(&self) -> SprtPlan {
        games::sprt(self.sprt)
    }

    pub(crate) fn pace(&self) -> Pace {
        Pace {
            nodes: self.nodes.or(self.depth.is_none().then_some(NODES)),
            depth: self.depth,
            ..Pace::default()
        }
    }

    pub(crate) fn conditions(&self) -> String {
        let pace = self.pace();
        let nodes = pace.nodes.map(|nodes| format!("{nodes} nodes a move"));
        let depth = pace.depth.map(|depth| format!("depth {depth}"));
        let pace: Vec<String> = nodes.into_iter().chain(depth).collect();
        format!("{}, pairs from our own book", pace.join(", "))
    }
}
