//! Agreement with an expert's moves.

use std::ops::Range;
use std::sync::Arc;

use mendel_board::{Move, Position};
use mendel_data::settle;
use mendel_engine::Player;
use serde::{Deserialize, Serialize};

use super::likelihood::likelihood;
use super::sample::{Drawn, Sampling};
use super::search_agreement::Deeper;
use super::{
    Draw, FitnessTrial, JudgingContext, MemberWeights, PositionTrial, ScoreScale, TrialError,
};
use crate::matrix::{Batch, Rows, RowsError, Scored, Slopes};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgreementFitness {
    #[default]
    Count,
    /// Its square, which favours the best more strongly in a roulette.
    ///
    /// # Source
    ///
    /// O. David, J. van den Herik, M. Koppel and N. Netanyahu, "Genetic Algorithms
    /// for Evolving Computer Chess Programs", *IEEE Transactions on Evolutionary
    /// Computation* 18(5), 2014, doi:10.1109/TEVC.2013.2285111.
    Square,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaf {
    /// The one after the move.
    #[default]
    Static,
    /// The one after the move and the captures that follow by the parent's own
    /// judgement: played out once, before anything is bred.
    ///
    /// # Source
    ///
    /// Hoki and Kaneko, "Large-Scale Optimization for Evaluation Functions with
    /// Minimax Search", *Journal of Artificial Intelligence Research* 49, 2014: the
    /// leaves of the principal variations stay while the weights move.
    ///
    /// # Where this differs
    ///
    /// Captures only, and never searched again with the new weights.
    Quiet,
}

/// How [`MoveAgreement`] judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct AgreementSettings {
    /// How deep a member looks: 1 is the static score after each legal move, more
    /// is a search of so many plies by the player's engine.
    pub depth: u32,
    pub leaf: Leaf,
    pub fitness: AgreementFitness,
    /// How many positions a member is judged by; all if not given.
    pub sample: Option<usize>,
    pub draw: Draw,
    /// For breeders that climb, which cannot climb a count: moves are taken as
    /// drawn with chances that fall by e with each so many centipawns, and the
    /// likelihood of the expert's moves is what rises.
    pub temperature: f64,
}

impl Default for AgreementSettings {
    fn default() -> Self {
        Self {
            depth: 1,
            leaf: Leaf::Static,
            fitness: AgreementFitness::Count,
            sample: None,
            draw: Draw::Generation,
            temperature: 60.0,
        }
    }
}

impl AgreementSettings {
    /// Whether the settings make sense.
    ///
    /// # Errors
    ///
    /// [`TrialError::Setting`] names the key and what would be right.
    pub fn check(&self) -> Result<(), TrialError> {
        let refuse = |key, reason| Err(TrialError::Setting { key, reason });
        if self.depth == 0 {
            return refuse("depth", "is 0; write 1 for one ply or more for a search");
        }
        if self.sample == Some(0) {
            return refuse("sample", "is 0; leave it out to judge by all positions");
        }
        if !(self.temperature > 0.0 && self.temperature.is_finite()) {
            return refuse("temperature", "is no number of centipawns above 0");
        }
        Ok(())
    }
}

/// How often a member would play the expert's move.
///
/// At one ply a member plays the move after which the position is worth most to
/// it; of moves of equal worth it plays the one whose UCI text comes first. At more
/// plies the player's engine searches, each position with a fresh memory.
///
/// # Source
///
/// David et al. (see [`AgreementFitness::Square`]), who compare with the moves of
/// grandmasters; one ply and positions one a game as in the λ-hybrid engine's
/// paper, see the recipe `lambda-ga`.
///
/// # Where this differs
///
/// Neither says what happens to moves of equal worth.
#[derive(Debug)]
pub struct MoveAgreement {
    settings: AgreementSettings,
    sampling: Sampling,
    means: Means,
}

#[derive(Debug)]
enum Means {
    OnePly(Box<OnePly>),
    Deeper(Box<Deeper>),
}

/// Positions that captures after one move may lead to before they are a brawl.
const MOST_CAPTURES: u32 = 300;

/// Every position after every legal move, as rows.
#[derive(Debug)]
struct OnePly {
    rows: Arc<Rows>,
    /// Each position's rows; the expert's move comes first.
    groups: Vec<Range<usize>>,
    /// For each row 1 if its move is played rather than the expert's where both
    /// are worth the same, 0 if not.
    handicaps: Vec<i32>,
    all: Prepared,
}

/// Some positions' rows, ready to be judged.
#[derive(Debug)]
struct Prepared {
    batch: Batch,
    /// Where each position's rows begin in the batch, and the end of the last.
    starts: Vec<usize>,
    /// Each piece's positions.
    pieces: Vec<Range<usize>>,
    handicaps: Vec<i32>,
}

impl MoveAgreement {
    /// Plays every legal move of every position once, unless the engine is to
    /// search.
    ///
    /// # Errors
    ///
    /// If the player's evaluator has no weights, a move is not legal or a setting
    /// makes no sense.
    pub fn new<'a>(
        player: &Player,
        positions: impl IntoIterator<Item = (&'a Position, Move)>,
        settings: AgreementSettings,
        threads: usize,
    ) -> Result<Self, TrialError> {
        let positions: Vec<(&Position, Move)> = positions.into_iter().collect();
        for (index, &(position, expert)) in positions.iter().enumerate() {
            if !position.is_legal(expert) {
                let named = position.uci(expert);
                return Err(TrialError::Illegal { index, named });
            }
        }
        settings.check()?;
        let means = match settings.depth {
            0 | 1 => {
                let means = OnePly::new(player, &positions, settings.leaf, threads)?;
                Means::OnePly(Box::new(means))
            }
            depth => Means::Deeper(Box::new(Deeper::new(player, &positions, depth)?)),
        };
        Ok(Self {
            sampling: Sampling::new(positions.len(), settings.sample, settings.draw)?,
            settings,
            means,
        })
    }

    pub fn settings(&self) -> &AgreementSettings {
        &self.settings
    }

    fn fitness(&self, count: f64) -> f64 {
        match self.settings.fitness {
            AgreementFitness::Count => count,
            AgreementFitness::Square => count * count,
        }
    }

    fn count(
        &self,
        members: &[MemberWeights],
        drawn: &Drawn,
        context: &mut JudgingContext,
    ) -> Result<Vec<f64>, TrialError> {
        let threads = context.threads;
        let means = match &self.means {
            Means::OnePly(means) => means,
            Means::Deeper(means) => return means.count(members, drawn, context),
        };
        let count = |prepared: &Prepared| {
            prepared.batch.sums(members, threads, |scored| {
                let positions = prepared.pieces[scored.piece].clone();
                let agrees = |&position: &usize| prepared.agrees(position, scored);
                positions.filter(agrees).count() as f64
            })
        };
        Ok(match drawn {
            Drawn::All => count(&means.all)?,
            Drawn::Shared(drawn) => count(&means.prepare(drawn)?)?,
            Drawn::Own(drawn) => means.all.batch.sums(members, threads, |scored| {
                let own = &drawn[scored.member];
                let positions = means.all.pieces[scored.piece].clone();
                let from = own.partition_point(|&position| position < positions.start);
                let here = own[from..].iter().take_while(|&&it| it < positions.end);
                here.filter(|&&position| means.all.agrees(position, scored))
                    .count() as f64
            })?,
        })
    }
}

impl OnePly {
    fn new(
        player: &Player,
        positions: &[(&Position, Move)],
        leaf: Leaf,
        threads: usize,
    ) -> Result<Self, TrialError> {
        // 1. The moves, the expert's first.
        let mut groups = Vec::with_capacity(positions.len());
        let mut handicaps = Vec::new();
        let mut expanded = Vec::with_capacity(positions.len());
        for &(position, expert) in positions {
            let named = position.uci(expert);
            let first = handicaps.len();
            handicaps.push(0);
            let mut moves = vec![expert];
            for m in position.legal_moves() {
                if m != expert {
                    handicaps.push(i32::from(position.uci(m) < named));
                    moves.push(m);
                }
            }
            groups.push(first..handicaps.len());
            expanded.push((position, moves));
        }

        // 2. The positions after them.
        let rows = Rows::counted(&player.evaluator, &expanded, threads, |source, count| {
            let (position, moves) = source;
            let mut judge = player.evaluator.judge();
            for &m in moves {
                let after = position.after(m);
                match leaf {
                    Leaf::Static => count(&after, false),
                    Leaf::Quiet => {
                        let leaf = settle(&mut judge, &after, MOST_CAPTURES);
                        // The score is the opponent's, whoever moves at the end.
                        count(&leaf, leaf.turn() != after.turn());
                    }
                }
            }
        })?;
        let rows = Arc::new(rows);
        let every: Vec<usize> = (0..groups.len()).collect();
        Ok(Self {
            all: prepare(&rows, &groups, &handicaps, &every)?,
            rows,
            groups,
            handicaps,
        })
    }

    fn prepare(&self, positions: &[usize]) -> Result<Prepared, RowsError> {
        prepare(&self.rows, &self.groups, &self.handicaps, positions)
    }
}

fn prepare(
    rows: &Arc<Rows>,
    groups: &[Range<usize>],
    handicaps: &[i32],
    positions: &[usize],
) -> Result<Prepared, RowsError> {
    let chosen = || positions.iter().map(|&position| groups[position].clone());
    let batch = rows.groups(chosen().map(|group| (group.start, group.end)))?;
    let mut starts = vec![0];
    let mut gathered = Vec::with_capacity(batch.len());
    for group in chosen() {
        gathered.extend_from_slice(&handicaps[group]);
        starts.push(gathered.len());
    }
    let at = |row: usize| starts.partition_point(|&start| start < row);
    let begins: Vec<usize> = batch.pieces().map(at).collect();
    let ends = begins.iter().skip(1).copied().chain([positions.len()]);
    let pieces = begins.iter().zip(ends).map(|(&begin, end)| begin..end);
    Ok(Prepared {
        pieces: pieces.collect(),
        batch,
        starts,
        handicaps: gathered,
    })
}

impl Prepared {
    /// Whether the member plays the expert's move. Scores are the opponent's, so
    /// the least is the best.
    #[inline]
    fn agrees(&self, position: usize, judged: Scored<'_>) -> bool {
        let rows = self.starts[position]..self.starts[position + 1];
        let scores = &judged.scores[rows.start - judged.first..rows.end - judged.first];
        let handicaps = &self.handicaps[rows];
        let others = scores.iter().zip(handicaps).map(|(score, tie)| score - tie);
        // The expert's own row is among them and does no harm.
        others.min() >= scores.first().copied()
    }
}

impl FitnessTrial for MoveAgreement {
    fn judge(
        &mut self,
        members: &[MemberWeights],
        context: &mut JudgingContext,
    ) -> Result<Vec<f64>, TrialError> {
        let drawn = self.sampling.draw(context.seed, members.len());
        let counts = self.count(members, &drawn, context)?;
        Ok(counts.into_iter().map(|it| self.fitness(it)).collect())
    }

    fn scale(&self) -> ScoreScale {
        ScoreScale {
            unit: "% of the expert's moves found",
            smaller_is_better: false,
        }
    }

    fn report(&self, score: f64) -> f64 {
        let count = match self.settings.fitness {
            AgreementFitness::Count => score,
            AgreementFitness::Square => score.max(0.0).sqrt(),
        };
        100.0 * count / self.sampling.size() as f64
    }

    fn judgements_per_member(&self) -> u64 {
        self.sampling.size() as u64
    }
}

impl PositionTrial for MoveAgreement {
    fn pairs(
        &self,
        first: &[i32],
        second: &[i32],
        threads: usize,
    ) -> Result<Vec<(f64, f64)>, TrialError> {
        let members = [first, second];
        let found = match &self.means {
            Means::Deeper(means) => means.found(&members, threads)?,
            Means::OnePly(means) => means.found(&members, threads)?,
        };
        let percent = |found: bool| if found { 100.0 } else { 0.0 };
        let pairs = found[0].iter().zip(&found[1]);
        Ok(pairs.map(|(&a, &b)| (percent(a), percent(b))).collect())
    }

    /// The gradient of the mean logarithm of the likelihood of the expert's moves.
    fn gradients(
        &mut self,
        members: &[Vec<f64>],
        seed: u64,
        threads: usize,
    ) -> Result<Option<Vec<Slopes>>, TrialError> {
        let Means::OnePly(means) = &self.means else {
            return Ok(None);
        };
        let temperature = self.settings.temperature;
        let climb = |prepared: &Prepared, member: &Vec<f64>| {
            likelihood(
                &prepared.batch,
                &prepared.starts,
                member,
                temperature,
                threads,
            )
        };
        let drawn = self.sampling.draw(seed, members.len());
        let mut slopes = Vec::with_capacity(members.len());
        for (at, member) in members.iter().enumerate() {
            slopes.push(match &drawn {
                Drawn::All => climb(&means.all, member)?,
                Drawn::Shared(drawn) => climb(&means.prepare(drawn)?, member)?,
                Drawn::Own(drawn) => climb(&means.prepare(&drawn[at])?, member)?,
            });
        }
        Ok(Some(slopes))
    }

    /// Unknown where the engine searches.
    fn ties(&self, member: &[i32], threads: usize) -> Result<Option<f64>, TrialError> {
        let Means::OnePly(means) = &self.means else {
            return Ok(None);
        };
        let scores = means.all.batch.scores(&[member], threads)?;
        let is_tie = |group: &&Range<usize>| {
            let scores = &scores[0][(*group).clone()];
            let best = scores.iter().min();
            scores.iter().filter(|&score| Some(score) == best).count() > 1
        };
        let ties = means.groups.iter().filter(is_tie).count();
        Ok(Some(ties as f64 / means.groups.len() as f64))
    }
}

impl OnePly {
    /// For each member and position whether the expert's move is found.
    fn found(&self, members: &[&[i32]], threads: usize) -> Result<Vec<Vec<bool>>, RowsError> {
        let scores = self.all.batch.scores(members, threads)?;
        let of = |(member, scores): (usize, &Vec<i32>)| {
            let judged = Scored {
                member,
                piece: 0,
                first: 0,
                scores,
            };
            let positions = 0..self.groups.len();
            positions
                .map(|position| self.all.agrees(position, judged))
                .collect()
        };
        Ok(scores.iter().enumerate().map(of).collect())
    }
}
