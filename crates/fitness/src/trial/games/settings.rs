//! The table `[trial]` of the kinds that play games.

use std::path::Path;
use std::time::Duration;

use mendel_arena::{
    Adjudication, Entrant, Kind, LengthRule, MaterialRule, Pace, TimeControl, Verdict,
};
use mendel_store::fingerprint;
use serde::{Deserialize, Serialize};

use super::openings::{BOOK, OpeningSource, Source};
use crate::trial::TrialError;

/// How members are judged by games: who meets whom, how often and at what pace.
///
/// All games of a generation start from the same openings, in pairs with the
/// colours changed. A score is wins less losses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GameSettings {
    pub kind: GameKind,
    /// Games of each two that meet: an even number, or among random members 1, in which
    /// the one that sits before the other has White.
    pub games: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Milliseconds for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// A clock for each game, such as `8+0.08`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<TimeControl>,
    /// Megabytes of the members' transposition tables.
    #[serde(default = "one")]
    pub hash: u32,
    #[serde(default)]
    pub openings: OpeningSource,
    /// Half-moves at random after the opening.
    #[serde(default)]
    pub random_plies: u32,
    /// Half-moves after which a game is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u32>,
    /// How it is decided then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_limit: Option<Verdict>,
    /// A side that is so many centipawns of material ahead has won, with a pawn as
    /// 100, knight 320, bishop 330, rook 500 and queen 900.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<u32>,
    /// Former bests or kings that are met, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hall: Option<HallSettings>,
    /// A member that is judged again keeps its earlier games against the same
    /// opponents.
    #[serde(default)]
    pub remember: bool,
    /// How the champion is chosen among the finalists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifySettings>,
    /// Players that stay the same, to measure each generation by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<LadderSettings>,
    /// How many others each member meets, where it does not meet all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponents: Option<usize>,
    /// Whom members meet in a gauntlet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<String>,
    /// What dethrones a king.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
}

fn one() -> u32 {
    1
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameKind {
    RoundRobin,
    /// Each member some others, chosen by chance.
    RandomMembers,
    /// Each member some players that stay the same.
    Gauntlet,
    /// The first member the second, the third the fourth: for breeders that ask
    /// with two sides of a step.
    Duels,
    /// Each member the king.
    ///
    /// # Source
    ///
    /// Harris, "Applications of Genetic Algorithms to Chess", Bard College, 2024,
    /// section 3.3.
    ///
    /// # Where this differs
    ///
    /// Games come in pairs from openings that all members of a generation share,
    /// and the likelihood of superiority may be asked for itself instead of the net
    /// score that stands for it.
    KingOfTheHill,
}

/// What a member must reach against the king to be the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// So many more wins than losses, in the games of one generation.
    NetScore(u64),
    /// It must be that likely that it is the stronger one.
    Likelihood(f64),
}

/// Former bests or kings as opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HallSettings {
    /// How many are remembered: the latest.
    pub size: usize,
    /// The share of a member's games that it plays against them. They are played
    /// beside the others.
    pub share: f64,
}

/// How the champion is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct VerifySettings {
    /// How many finalists meet.
    pub candidates: usize,
    /// Games of each two of them and of each with the parent.
    pub games: u64,
}

/// Players that stay the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LadderSettings {
    pub players: Vec<String>,
    /// The one whose rating is 0.
    pub anchor: String,
    pub games: u64,
    /// A generation is measured so often: each, each second …
    #[serde(default = "one")]
    pub every: u32,
}

impl LadderSettings {
    /// The players, the anchor first.
    pub(super) fn pool(&self) -> Vec<&str> {
        let others = self.players.iter().map(String::as_str);
        let others = others.filter(|player| *player != self.anchor);
        std::iter::once(self.anchor.as_str())
            .chain(others)
            .collect()
    }
}

/// A side that is so far ahead has won, with men as the paper about networks that are
/// bred counts them.
pub fn by_the_paper(centipawns: u32) -> MaterialRule {
    MaterialRule {
        centipawns,
        values: [100, 320, 330, 500, 900],
    }
}

const MOST_GAMES: u64 = 1_000_000;

/// The most half-moves at random.
const MOST_RANDOM: u32 = 40;

fn refuse<T>(key: &'static str, reason: impl Into<String>) -> Result<T, TrialError> {
    let reason = reason.into();
    Err(TrialError::Key { key, reason })
}

impl GameSettings {
    /// Whether the settings make sense, and everybody they name can be found.
    ///
    /// # Errors
    ///
    /// [`TrialError::Key`] names the key and what would be right.
    pub fn check(&self) -> Result<(), TrialError> {
        if !self.is_single() {
            check_games("games", self.games)?;
        }
        if self.lead == Some(0) {
            return refuse("lead", "is 0, and no game could begin; try 1500");
        }
        self.check_pace()?;
        if !(1..=65_536).contains(&self.hash) {
            return refuse("hash", "must be from 1 to 65536 megabytes");
        }
        if self.random_plies > MOST_RANDOM {
            let reason = format!("is {}; at most {MOST_RANDOM}", self.random_plies);
            return refuse("random-plies", reason);
        }
        if self.max_plies == Some(0) {
            return refuse("max-plies", "is 0, and no game could begin; try 200");
        }
        if self.at_limit.is_some() && self.max_plies.is_none() {
            return refuse("at-limit", "means nothing without `max-plies`");
        }
        self.check_kind()?;
        self.check_around()?;
        self.check_openings()
    }

    fn check_pace(&self) -> Result<(), TrialError> {
        let given = [
            ("nodes", self.nodes.is_some(), self.nodes == Some(0)),
            ("depth", self.depth.is_some(), self.depth == Some(0)),
            (
                "movetime",
                self.movetime.is_some(),
                self.movetime == Some(0),
            ),
            ("tc", self.tc.is_some(), false),
        ];
        let paces: Vec<&'static str> = given
            .iter()
            .filter(|(_, given, _)| *given)
            .map(|(key, ..)| *key)
            .collect();
        match paces[..] {
            [] => {
                return refuse(
                    "nodes",
                    "is missing: give one pace, `nodes`, `depth`, `movetime` or `tc`",
                );
            }
            [_] => {}
            [first, second, ..] => {
                let reason = format!("stands beside `{first}`: give one pace only");
                return refuse(second, reason);
            }
        }
        if let Some((key, ..)) = given.iter().find(|(_, _, nought)| *nought) {
            return refuse(key, "must be at least 1");
        }
        Ok(())
    }

    /// Keys that only some kinds have.
    fn check_kind(&self) -> Result<(), TrialError> {
        let kind = self.kind;
        if self.opponents.is_some() != (kind == GameKind::RandomMembers) {
            return match self.opponents {
                None => refuse("opponents", "is missing: how many others does each meet?"),
                Some(_) => refuse("opponents", "is for kind = \"random-members\" alone"),
            };
        }
        if self
            .opponents
            .is_some_and(|count| count == 0 || count % 2 == 1)
        {
            return refuse(
                "opponents",
                "must be an even number from 2 on: members sit in a ring and meet as many \
                 before them as behind",
            );
        }
        if self.is_single() && (self.hall.is_some() || self.remember) {
            return refuse("games", "must be even beside `hall` or `remember`");
        }
        if self.players.is_empty() == (kind == GameKind::Gauntlet) {
            return match kind {
                GameKind::Gauntlet => refuse("players", "is empty: whom do members meet?"),
                _ => refuse("players", "is for kind = \"gauntlet\" alone"),
            };
        }
        for player in &self.players {
            known("players", player)?;
        }
        match (kind, self.rule) {
            (GameKind::KingOfTheHill, None) => refuse(
                "rule",
                "is missing: write { net-score = 43 } or { likelihood = 0.9999 }",
            ),
            (GameKind::KingOfTheHill, Some(Rule::NetScore(net))) => {
                if !(1..=self.games).contains(&net) {
                    let reason = format!("asks for {net} of {} games", self.games);
                    return refuse("rule", reason);
                }
                Ok(())
            }
            (GameKind::KingOfTheHill, Some(Rule::Likelihood(likelihood))) => {
                if !(likelihood > 0.5 && likelihood < 1.0) {
                    return refuse(
                        "rule",
                        format!("has a likelihood of {likelihood}; it lies between 0.5 and 1"),
                    );
                }
                Ok(())
            }
            (_, Some(_)) => refuse("rule", "is for kind = \"king-of-the-hill\" alone"),
            (_, None) => Ok(()),
        }
    }

    /// Hall, verification and ladder.
    fn check_around(&self) -> Result<(), TrialError> {
        if let Some(hall) = self.hall {
            if self.kind == GameKind::Duels {
                return refuse("hall", "means nothing in duels: both sides are tried alone");
            }
            if !(1..=1000).contains(&hall.size) {
                return refuse("hall", "must have a size from 1 to 1000");
            }
            if !(hall.share > 0.0 && hall.share <= 0.9) {
                let reason = format!("has a share of {}; it is above 0, up to 0.9", hall.share);
                return refuse("hall", reason);
            }
        }
        if let Some(verify) = self.verify {
            if !(1..=100).contains(&verify.candidates) {
                return refuse("verify", "must have from 1 to 100 candidates");
            }
            check_games("verify", verify.games)?;
        }
        if let Some(ladder) = &self.ladder {
            check_games("ladder", ladder.games)?;
            if ladder.every == 0 {
                return refuse("ladder", "has `every = 0`; 1 is every generation");
            }
            for player in ladder.pool() {
                known("ladder", player)?;
            }
        }
        Ok(())
    }

    /// Whether there are as many openings as games need: the same opening at the
    /// same nodes is the same game again.
    fn check_openings(&self) -> Result<(), TrialError> {
        let source = Source::new(&self.openings)?;
        if self.random_plies > 0 || !self.pace().is_repeatable() {
            return Ok(());
        }
        let verify = self.verify.map(|it| ("verify", it.games));
        let ladder = self.ladder.as_ref().map(|it| ("ladder", it.games));
        let most = 2 * source.len() as u64;
        let all = [("games", self.games)].into_iter();
        for (key, games) in all.chain(verify).chain(ladder) {
            if games > most {
                return refuse(
                    key,
                    format!(
                        "asks for {games} games of two that meet, and there are openings for \
                         {most}: fewer games, more openings or some `random-plies`"
                    ),
                );
            }
        }
        Ok(())
    }

    /// What players of ours and files of openings that the settings name look like
    /// inside. Of other programs nothing is known but their names.
    pub fn fingerprints(&self) -> Vec<String> {
        let mut prints: Vec<String> = self
            .opponents()
            .into_iter()
            .filter_map(|text| match Entrant::parse(text).ok()?.kind {
                Kind::Bred(player) => Some(fingerprint(player.to_toml().as_bytes())),
                Kind::Program { .. } => None,
            })
            .collect();
        if let Some(path) = self.openings_file()
            && let Ok(bytes) = std::fs::read(path)
        {
            prints.push(fingerprint(&bytes));
        }
        prints
    }

    /// The players that members meet, as on the command line.
    pub fn opponents(&self) -> Vec<&str> {
        let ladder = self.ladder.as_ref().map(LadderSettings::pool);
        let named = self.players.iter().map(String::as_str);
        named.chain(ladder.unwrap_or_default()).collect()
    }

    /// The file of openings, if the recipe names one.
    pub fn openings_file(&self) -> Option<&Path> {
        match &self.openings {
            OpeningSource::Named(name) if name != BOOK => Some(Path::new(name)),
            _ => None,
        }
    }

    pub fn pace(&self) -> Pace {
        Pace {
            clock: self.tc,
            movetime: self.movetime.map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
        }
    }

    pub(super) fn adjudication(&self) -> Adjudication {
        Adjudication {
            length: self.max_plies.map(|plies| LengthRule {
                plies,
                verdict: self.at_limit.unwrap_or_default(),
            }),
            material: self.lead.map(by_the_paper),
            ..Adjudication::default()
        }
    }

    /// Whether an opening that was met is not met again: at a pace that repeats itself
    /// it would be the same game, and counted twice where games are remembered.
    pub(super) fn deals_openings(&self) -> bool {
        self.remember && self.random_plies == 0 && self.pace().is_repeatable()
    }

    /// Pairs of each two that meet.
    pub(super) fn pairs(&self) -> u64 {
        (self.games / 2).max(1)
    }

    /// Whether those that meet play one game only.
    pub(super) fn is_single(&self) -> bool {
        self.games == 1 && self.kind == GameKind::RandomMembers
    }
}

fn check_games(key: &'static str, games: u64) -> Result<(), TrialError> {
    if games == 0 || games > MOST_GAMES {
        return refuse(
            key,
            format!("asks for {games} games; from 2 to {MOST_GAMES}"),
        );
    }
    if games % 2 == 1 {
        return refuse(
            key,
            format!(
                "asks for {games} games, an odd number: they come in pairs, one with each colour"
            ),
        );
    }
    Ok(())
}

fn known(key: &'static str, player: &str) -> Result<(), TrialError> {
    match Entrant::parse(player) {
        Ok(_) => Ok(()),
        Err(error) => refuse(key, error.to_string()),
    }
}
