//! A suite of positions with best moves, solved within nodes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_board::{Game, Move, Position};
use mendel_engine::Player;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::puzzles::{Puzzle, PuzzleChunk, Reach, Searched, Sheet, Solved};
use super::{FitnessTrial, JudgingContext, MemberWeights, PositionTrial, ScoreScale, TrialError};
use crate::genome::space::Space;

/// What of a suite is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The nodes until a position is solved; one that is not costs the limit.
    #[default]
    Nodes,
    /// The positions that are solved.
    Solved,
}

/// How a [`Suite`] is searched and a [`SuiteTrial`] judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SuiteSettings {
    /// Nodes that a position may take.
    pub nodes: u64,
    /// What is counted.
    pub measure: Measure,
    /// Size of the transposition table in MiB.
    pub hash: usize,
}

impl Default for SuiteSettings {
    fn default() -> Self {
        Self {
            nodes: 20_000,
            measure: Measure::Nodes,
            hash: 1,
        }
    }
}

/// Nobody searches a position longer than this for a fitness.
const MOST_NODES: u64 = 1_000_000_000;

/// The largest table, in MiB; each thread has one.
const LARGEST_HASH: usize = 1024;

impl SuiteSettings {
    /// Whether the settings make sense.
    ///
    /// # Errors
    ///
    /// [`TrialError::Setting`] names the key and what would be right.
    pub fn check(&self) -> Result<(), TrialError> {
        let refuse = |key, reason| Err(TrialError::Setting { key, reason });
        if !(1..=MOST_NODES).contains(&self.nodes) {
            return refuse("nodes", "must be from 1 to 1,000,000,000 for each position");
        }
        if !(1..=LARGEST_HASH).contains(&self.hash) {
            return refuse("hash", "must be from 1 to 1024 MiB");
        }
        Ok(())
    }
}

/// Positions with the moves that solve each, for players to search.
///
/// Each position is searched up to the limit, by an engine that knows nothing of
/// the others. It is solved at the node at which the best move becomes one of the
/// suite's and stays so up to the limit: a search stopped there or at any node
/// later would have played it.
#[derive(Debug)]
pub struct Suite {
    settings: SuiteSettings,
    puzzles: Vec<Puzzle>,
}

/// Positions that one unit of work searches.
const BLOCK: usize = 8;

impl Suite {
    /// A suite of positions with the moves that solve each.
    ///
    /// # Errors
    ///
    /// If there are no positions, one has no solution or one that is not legal, or
    /// a setting makes no sense.
    pub fn new<'a>(
        positions: impl IntoIterator<Item = (&'a Position, Vec<Move>)>,
        settings: SuiteSettings,
    ) -> Result<Self, TrialError> {
        settings.check()?;
        let mut puzzles = Vec::new();
        for (index, (position, solutions)) in positions.into_iter().enumerate() {
            let what = "best move";
            if solutions.is_empty() {
                return Err(TrialError::NoLabel { index, what });
            }
            if let Some(&wrong) = solutions.iter().find(|&&m| !position.is_legal(m)) {
                let named = position.uci(wrong);
                return Err(TrialError::Illegal { index, named });
            }
            let game = Game::new(position.clone());
            puzzles.push(Puzzle { game, solutions });
        }
        if puzzles.is_empty() {
            return Err(TrialError::NoPositions);
        }
        Ok(Self { settings, puzzles })
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.puzzles.len()
    }

    /// Whether there are none, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.puzzles.is_empty()
    }

    /// What each player makes of each position.
    ///
    /// # Errors
    ///
    /// If an engine cannot be started; [`TrialError::Stopped`] if `stop` was set
    /// before the end.
    pub fn solve(
        &self,
        players: &[Arc<Player>],
        threads: usize,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<Solved>, TrialError> {
        let solved = self.sheet(players).solve_here(threads, stop)?;
        Ok(self.of_players(players.len(), solved))
    }

    /// All positions for all players, in chunks.
    fn sheet<'a>(&'a self, players: &'a [Arc<Player>]) -> Sheet<'a> {
        let chunks = (0..players.len()).flat_map(|player| {
            self.puzzles.chunks(BLOCK).map(move |chunk| PuzzleChunk {
                player,
                puzzles: chunk.iter().map(Cow::Borrowed).collect(),
            })
        });
        Sheet {
            players,
            chunks: chunks.collect(),
            reach: Reach {
                nodes: Some(self.settings.nodes),
                depth: None,
            },
            hash: self.settings.hash,
        }
    }

    /// Chunks back to players.
    fn of_players(&self, players: usize, chunks: Vec<Solved>) -> Vec<Solved> {
        let each = self.len().div_ceil(BLOCK);
        let mut solved = vec![Vec::with_capacity(self.len()); players];
        for (number, chunk) in chunks.into_iter().enumerate() {
            solved[number / each].extend(chunk);
        }
        solved
    }

    /// What a position costs, in nodes.
    pub fn cost(&self, solved: Option<u64>) -> u64 {
        let limit = self.settings.nodes;
        solved.map_or(limit, |nodes| nodes.min(limit))
    }
}

/// How soon a member, as a player, solves the positions of a [`Suite`].
///
/// # Source
///
/// O. David, J. van den Herik, M. Koppel and N. Netanyahu, "Genetic Algorithms for
/// Evolving Computer Chess Programs", *IEEE Transactions on Evolutionary
/// Computation* 18(5), 2014, doi:10.1109/TEVC.2013.2285111: the nodes that all
/// positions take together, an unsolved one costing the limit.
///
/// # Where this differs
///
/// They do not say what happens if a program finds the move and leaves it again;
/// here that is not solved. The fitness is what was saved of the limit, so that a
/// roulette can weigh it, and told is the mean, so that suites of different size
/// compare.
#[derive(Debug)]
pub struct SuiteTrial {
    suite: Suite,
    parent: Player,
    space: Space,
    /// What the members of the last generation took for each position, by what they
    /// are recognised by. The suite is the same in every generation, so that nobody is
    /// judged twice.
    known: BTreeMap<String, Solved>,
}

impl SuiteTrial {
    /// A trial for members of `space`, which was made for `parent`.
    pub fn new(parent: &Player, space: &Space, suite: Suite) -> Self {
        Self {
            suite,
            parent: parent.clone(),
            space: space.clone(),
            known: BTreeMap::new(),
        }
    }

    fn players(&self, members: &[MemberWeights]) -> Result<Vec<Arc<Player>>, TrialError> {
        let player =
            |member: &MemberWeights| Ok(Arc::new(self.space.player(&self.parent, member)?));
        members.iter().map(player).collect()
    }

    fn measure(&self) -> Measure {
        self.suite.settings.measure
    }

    /// All positions as a fitness: thousands of nodes that were not needed, or the
    /// number of positions solved.
    fn fitness(&self, solved: &[Option<u64>]) -> f64 {
        match self.measure() {
            Measure::Nodes => {
                let limit = self.suite.settings.nodes;
                let saved = solved.iter().map(|&it| limit - self.suite.cost(it));
                saved.sum::<u64>() as f64 / 1000.0
            }
            Measure::Solved => solved.iter().flatten().count() as f64,
        }
    }

    /// Scores all members, of whom these are new, and remembers what they took.
    fn take(&mut self, members: &[MemberWeights], new: &[String], searched: Searched) -> Vec<f64> {
        let each = self.suite.len().div_ceil(BLOCK);
        let found = self.suite.of_players(new.len(), searched.chunks);
        self.known.extend(new.iter().cloned().zip(found));
        let keys: Vec<String> = members.iter().map(MemberWeights::key).collect();
        let scores = keys.iter().map(|key| self.fitness(&self.known[key]));
        let scores = scores.collect();

        // Positions that nobody could search this time may be searched the next time.
        let without: BTreeSet<&String> =
            searched.without.iter().map(|it| &new[it / each]).collect();
        let keys: BTreeSet<&String> = keys.iter().filter(|key| !without.contains(key)).collect();
        self.known.retain(|key, _| keys.contains(key));
        scores
    }
}

impl FitnessTrial for SuiteTrial {
    fn judge(
        &mut self,
        members: &[MemberWeights],
        context: &mut JudgingContext,
    ) -> Result<Vec<f64>, TrialError> {
        // 1. Who was judged in the generation before, or stands here twice, takes
        //    what it took.
        let mut new: Vec<MemberWeights> = members.to_vec();
        new.sort_unstable();
        new.dedup();
        new.retain(|member| !self.known.contains_key(&member.key()));

        // 2. The others search.
        let players = self.players(&new)?;
        let searched = self.suite.sheet(&players).solve(context)?;
        let new: Vec<String> = new.iter().map(MemberWeights::key).collect();
        Ok(self.take(members, &new, searched))
    }

    fn report(&self, score: f64) -> f64 {
        let count = self.suite.len() as f64;
        match self.measure() {
            Measure::Nodes => self.suite.settings.nodes as f64 / 1000.0 - score / count,
            Measure::Solved => 100.0 * score / count,
        }
    }

    fn scale(&self) -> ScoreScale {
        match self.measure() {
            Measure::Nodes => ScoreScale {
                unit: "thousand nodes a position",
                smaller_is_better: true,
            },
            Measure::Solved => ScoreScale {
                unit: "% of the positions solved",
                smaller_is_better: false,
            },
        }
    }

    fn judgements_per_member(&self) -> u64 {
        self.suite.len() as u64
    }

    fn state(&self) -> Value {
        json!({ "known": self.known })
    }

    fn restore(&mut self, state: &Value) -> Result<(), TrialError> {
        // Earlier versions remembered nothing.
        let known = match state {
            Value::Null => BTreeMap::new(),
            state => BTreeMap::<String, Solved>::deserialize(&state["known"])
                .map_err(|error| error.to_string())
                .and_then(|known| {
                    let count = self.suite.len();
                    let fits = known.values().all(|solved| solved.len() == count);
                    fits.then_some(known)
                        .ok_or_else(|| format!("it is not of {count} positions"))
                })
                .map_err(|reason| TrialError::State { reason })?,
        };
        self.known = known;
        Ok(())
    }
}

impl PositionTrial for SuiteTrial {
    fn pairs(
        &self,
        first: &[i32],
        second: &[i32],
        threads: usize,
    ) -> Result<Vec<(f64, f64)>, TrialError> {
        let members = [first, second].map(MemberWeights::from);
        let different = &members[..if first == second { 1 } else { 2 }];
        let players = self.players(different)?;
        let solved = self.suite.solve(&players, threads, &Arc::default())?;
        let told = |solved: Option<u64>| match self.measure() {
            Measure::Nodes => self.suite.cost(solved) as f64 / 1000.0,
            Measure::Solved if solved.is_some() => 100.0,
            Measure::Solved => 0.0,
        };
        let pairs = solved[0].iter().zip(&solved[solved.len() - 1]);
        Ok(pairs.map(|(&a, &b)| (told(a), told(b))).collect())
    }
}

#[cfg(test)]
#[allow(
    clippy::float_cmp,
    reason = "sums of whole numbers and their halves are exact"
)]
mod tests {
    use super::*;
    use crate::genome::space::{CodingName, GenomeSettings};

    /// So many times the back rank.
    fn trial(count: usize, nodes: u64) -> SuiteTrial {
        let parent = Player::find("gerald-eval-tuned").expect("it is built in");
        let settings = GenomeSettings::published(CodingName::Gray, "gerald-search");
        let space = Space::new(&parent, &settings).expect("it is of this player");
        let position = Position::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").expect("legal");
        let best = position.parse_uci("d1d8").expect("a move");
        let positions = (0..count).map(|_| (&position, vec![best]));
        let settings = SuiteSettings {
            nodes,
            ..SuiteSettings::default()
        };
        let suite = Suite::new(positions, settings).expect("sound");
        SuiteTrial::new(&parent, &space, suite)
    }

    /// A generation judged by a thread here; nobody may search if `stopped`.
    fn judged(
        trial: &mut SuiteTrial,
        members: &[MemberWeights],
        stopped: bool,
    ) -> Result<Vec<f64>, TrialError> {
        let mut context = JudgingContext::local(1, 1);
        context.stop = Arc::new(AtomicBool::new(stopped));
        trial.judge(members, &mut context)
    }

    #[test]
    fn a_suite_read_back_judges_nobody_again() {
        let mut began = trial(1, 400);
        let base = began.space.base().to_vec();
        let mut other = base.clone();
        let slot = began.space.slots()[0];
        other[slot] = i32::from(other[slot] <= 0);
        let members = [base.clone(), other].map(MemberWeights::from);
        let scores = judged(&mut began, &members, false).expect("nobody stops it");
        let state = serde_json::to_string(&began.state()).expect("plain data");
        let state = serde_json::from_str(&state).expect("JSON");

        // 1. Who goes on knows all of them, and so has the same left to search.
        let mut goes_on = trial(1, 400);
        let stopped = judged(&mut goes_on, &members, true);
        assert!(matches!(stopped, Err(TrialError::Stopped)), "{stopped:?}");
        goes_on.restore(&state).expect("its own state");
        let again = judged(&mut goes_on, &members, true).expect("nothing is left to search");
        assert_eq!(again, scores);
        // Only the last generation is known.
        judged(&mut goes_on, &[base.into()], true).expect("nothing is left to search");
        assert!(judged(&mut goes_on, &members, true).is_err());

        // 2. What an earlier version wrote, and what nobody wrote.
        goes_on.restore(&Value::Null).expect("nothing was known");
        assert!(goes_on.known.is_empty());
        for broken in [json!(7), json!({ "known": { "a": [1, 2] } })] {
            assert!(goes_on.restore(&broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn positions_that_nobody_could_search_are_searched_the_next_time() {
        // Two chunks for each member.
        let mut trial = trial(BLOCK + 1, 20_000);
        let members = [vec![1], vec![2], vec![1]].map(MemberWeights::from);
        let new = [members[0].key(), members[1].key()];
        let solved = |count: usize| vec![Some(5_000); count];
        let searched = Searched {
            chunks: vec![solved(BLOCK), solved(1), solved(BLOCK), vec![None]],
            without: BTreeSet::from([3]),
        };
        // It counts as unsolved now.
        assert_eq!(trial.take(&members, &new, searched), [135.0, 120.0, 135.0]);
        let known: Vec<&String> = trial.known.keys().collect();
        assert_eq!(known, [&new[0]]);
    }
}
