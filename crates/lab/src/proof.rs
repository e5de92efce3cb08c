//! What a champion is worth: positions it never saw, and games it did not train
//! on.

use std::fmt;
use std::path::Path;

use mendel_arena::statistics::{Decision, Outcomes, SprtState};
use mendel_arena::{
    Conclusion, Entrant, Kind, Match, MatchOptions, MatchPlan, MatchSummary, SprtPlan,
    absolute_player,
};
use mendel_store::frame::{Failure, Frame, Manifest, OrInvalid as _};

use crate::games;
use crate::recipe::ProofSettings;
use crate::record::elo_words;

pub use crate::record::{FOUNDER, MatchProof, Measured, OUTSIDE, PARENT, Proof, Tested, UNMOVED};

#[derive(Debug)]
pub(crate) struct ProofMatch<'a> {
    pub(crate) champion: &'a Path,
    pub(crate) opponent: &'a str,
    /// `parent`, `founder` or `outside`.
    pub(crate) role: &'static str,
    pub(crate) seed: u64,
}

impl ProofMatch<'_> {
    /// Plays the match inside an experiment, or reads its result. A match that was started
    /// keeps its opponent, also where another one could play now.
    pub(crate) fn play(
        &self,
        frame: &Frame,
        subfolder: &str,
        settings: &ProofSettings,
        options: &MatchOptions,
    ) -> Result<MatchProof, Failure> {
        let folder = frame.file(subfolder);
        let plan = match Manifest::find(&folder).or_invalid()? {
            Some(_) => MatchPlan::read(&folder)?,
            None => self.plan(settings),
        };
        let seed = plan.seed();
        let summary = frame.nested::<Match>(subfolder, plan, seed, options)?;
        let plan = MatchPlan::read(&folder)?;
        let opponent = plan.players.get(1).map_or(self.opponent, String::as_str);
        let opponent = if absolute_player(self.opponent).is_ok_and(|text| text == opponent) {
            self.opponent
        } else {
            opponent
        };
        let mut opponent = opponent.to_owned();
        if Path::new(&opponent).is_absolute() {
            // Where its file lies is part of no record.
            opponent = summary.players.get(1).cloned().unwrap_or(opponent);
        }
        Ok(self.judge(settings, &summary, opponent))
    }

    fn plan(&self, settings: &ProofSettings) -> MatchPlan {
        let most_games = match self.role {
            PARENT => settings.games,
            FOUNDER => settings.founder_games.unwrap_or(settings.games),
            _ => settings.outside_games,
        };
        let tested = self.role == PARENT && !settings.play_all;
        let champion = self.champion.to_string_lossy().into_owned();
        let players = vec![champion, self.opponent.to_owned()];
        MatchPlan {
            pace: settings.pace(),
            opening: games::in_order(self.seed),
            sprt: tested.then(|| settings.sprt()),
            ..MatchPlan::new("Mendel proof", players, most_games)
        }
    }

    fn judge(
        &self,
        settings: &ProofSettings,
        summary: &MatchSummary,
        opponent: String,
    ) -> MatchProof {
        let test = settings.sprt();
        let test = (self.role == PARENT).then_some(&test);
        MatchProof::of(summary, test, opponent, self.role, settings.conditions())
    }
}

/// The first of some outside players that can take part.
pub fn first_that_plays(players: &[String]) -> Option<&str> {
    let plays = |text: &&String| {
        let Ok(entrant) = Entrant::parse(text) else {
            return false;
        };
        matches!(entrant.kind, Kind::Bred(_)) || entrant.seat().is_ok()
    };
    players.iter().find(plays).map(String::as_str)
}

impl MatchProof {
    /// Why a match is shorter than it might have been.
    pub(crate) const STOPPED: &str = "stopped by the test";

    /// The proof of a match of two, with the bounds of the test, if there is one.
    pub(crate) fn of(
        summary: &MatchSummary,
        sprt: Option<&SprtPlan>,
        opponent: String,
        role: &str,
        conditions: String,
    ) -> Self {
        let pairing = &summary.pairings[0];
        let tally = pairing.tally;
        let test = sprt.and_then(|it| it.test().ok());
        let judge = |pairs| test.map(|test| test.judge(&Outcomes::Pairs(pairs)));
        let state = judge(pairing.pairs);
        let faults = [0, 1].map(|player| summary.faults.get(player).copied().unwrap_or(0));
        let without = judge(without_wins(pairing.pairs, faults[1]));
        let accepted = |state: &SprtState| state.decision == Decision::H1;
        Self {
            opponent,
            role: role.to_owned(),
            games: tally.games(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            elo: pairing.elo.elo,
            interval: [pairing.elo.low, pairing.elo.high],
            conditions,
            conclusion: match &summary.conclusion {
                Conclusion::Accepted | Conclusion::Rejected => Self::STOPPED.to_owned(),
                Conclusion::TooManyFaults { player, faults } => {
                    format!("{player} misbehaved {faults} times")
                }
                _ => ALL_PLAYED.to_owned(),
            },
            faults,
            rests_on_faults: state.as_ref().is_some_and(accepted)
                && !without.as_ref().is_some_and(accepted),
            sprt: sprt.zip(state).map(|(plan, state)| Tested {
                elo0: plan.elo0,
                elo1: plan.elo1,
                llr: state.llr,
                decision: match state.decision {
                    Decision::H1 => "accepted",
                    Decision::H0 => "rejected",
                    Decision::Continue => "undecided",
                }
                .to_owned(),
            }),
        }
    }

    /// Whether it proves that the first player is the better one.
    pub(crate) fn is_proved(&self) -> bool {
        let test = self.sprt.as_ref().map(|test| test.decision.as_str());
        let above = self.interval[0].is_some_and(|low| low > 0.0);
        test == Some("accepted") && above && !self.rests_on_faults
    }

    /// What the match proves: better, and not by chance.
    pub(crate) fn verdict(&self) -> String {
        if self.rests_on_faults {
            return format!("not proved: {self}; without those the test would not be accepted");
        }
        if self.is_proved() {
            return format!("proved {self}");
        }
        let test = self.sprt.as_ref().map(|test| test.decision.as_str());
        let test = test.unwrap_or("missing");
        format!("not proved: {self}; the test is {test}")
    }
}

pub(crate) const ALL_PLAYED: &str = "all played";

/// Pairs by their half points, if `wins` of the games won had been lost; the worst case is that
/// these games belong to the best pairs.
pub fn without_wins(mut pairs: [u64; 5], wins: u64) -> [u64; 5] {
    for _ in 0..wins {
        let Some(best) = (2..pairs.len()).rev().find(|&it| pairs[it] > 0) else {
            break;
        };
        pairs[best] -= 1;
        pairs[best - 2] += 1;
    }
    pairs
}

/// `+71 [+52, +91] in 1000 games`.
impl fmt::Display for MatchProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = if self.wins > self.losses {
            "+∞"
        } else {
            "−∞"
        };
        let words = elo_words(self.elo, all, self.interval);
        write!(f, "{words} in {} games", self.games)?;
        let [own, theirs] = self.faults;
        if own + theirs > 0 {
            let opponent = &self.opponent;
            write!(
                f,
                ", {theirs} of them lost by {opponent} and {own} by the other through a fault"
            )?;
        }
        // An estimate from a match that a test ended leans to the test's side.
        if !self.conclusion.is_empty() && self.conclusion != ALL_PLAYED {
            write!(f, ", {}", self.conclusion)?;
        }
        Ok(())
    }
}
