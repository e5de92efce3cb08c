//! Duels of settings, played or found in the memo.

use mendel_arena::task::PairTask;
use mendel_arena::{
    EndReason, Entrant, GamePair, GamePairs, Opening, PairGame, options_line, play_pairs,
};
use mendel_crew::Crew;
use mendel_store::frame::{Failure, Memo, StopFlag};

use super::journal::{PairPurpose, TunedPair};
use super::used_openings::UsedOpenings;
use crate::games::RecordedPairs;
use crate::record::{LeftOut, Param, TunePlan};

/// Plays the pairs of duels, or finds them in the memo.
#[derive(Debug)]
pub(super) struct DuelRunner<'a> {
    pub(super) plan: &'a TunePlan,
    pub(super) engine: &'a Entrant,
    pub(super) openings: &'a [Opening],
    pub(super) crew: &'a Crew,
    pub(super) stop: &'a StopFlag,
}

/// Two settings that are to play, each a value for every parameter.
#[derive(Clone, Debug)]
pub(super) struct ParamDuel {
    pub(super) first: Vec<i64>,
    pub(super) second: Vec<i64>,
    pub(super) pairs: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct DuelResult {
    /// Pairs by the points of the first: 0, ½, 1, 1½, 2.
    pub(super) pairs: [u64; 5],
    /// How the first and the second failed, where they did, in both tries of a pair.
    pub(super) failed: [Option<String>; 2],
    /// Pairs in which the start failed in both tries: they are left out, also for its
    /// opponent.
    pub(super) left_out: Vec<LeftOut>,
}

/// The duels of a round, or of a validation.
#[derive(Clone, Copy, Debug)]
pub(super) struct TuneRound<'a> {
    pub(super) purpose: PairPurpose,
    pub(super) number: u32,
    pub(super) opening: u64,
    pub(super) duels: &'a [ParamDuel],
}

impl TuneRound<'_> {
    /// What a crew's jobs of it are called.
    fn part(&self, again: bool) -> String {
        let purpose = match self.purpose {
            PairPurpose::Duel => "duel",
            PairPurpose::Validation => "validation",
        };
        let again = if again { "-again" } else { "" };
        format!("{purpose}-{}{again}", self.number)
    }
}

/// The options of a setting as they are written.
pub(super) fn line(params: &[Param], values: &[i64]) -> String {
    let texts = texts(params, values);
    options_line(pairs(&texts))
}

fn texts<'a>(params: &'a [Param], values: &[i64]) -> Vec<(&'a str, String)> {
    let each = params.iter().zip(values);
    each.map(|(param, &value)| (param.name.as_str(), param.text(value)))
        .collect()
}

fn pairs<'a>(texts: &'a [(&'a str, String)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    texts.iter().map(|(name, value)| (*name, value.as_str()))
}

pub(super) fn set(engine: &Entrant, params: &[Param], values: &[i64]) -> Entrant {
    let texts = texts(params, values);
    engine.with_options(pairs(&texts))
}

impl DuelRunner<'_> {
    /// Plays all pairs that are not in the memo; `played` is called for each. A pair in
    /// which a player fails is played once more, and values are infeasible only if they fail
    /// again. Where the same opening would give the same game, the second try is from another:
    /// a fault of the program in one position is no fault of the values.
    ///
    /// # Errors
    ///
    /// If a pair cannot be written down, or it was stopped.
    pub(super) fn play(
        &self,
        round: TuneRound,
        used: &mut UsedOpenings,
        memo: &mut Memo<TunedPair>,
        played: &mut dyn FnMut(),
    ) -> Result<Vec<DuelResult>, Failure> {
        // 1. Each setting once, and all pairs in a fixed order, without those whose games are
        //    known.
        let params = &self.plan.params;
        let mut settings: Vec<&[i64]> = Vec::new();
        let mut all: Vec<(usize, GamePair)> = Vec::new();
        let mut numbers = round.opening..;
        for (at, duel) in round.duels.iter().enumerate() {
            for values in [&duel.first, &duel.second] {
                if !settings.contains(&values.as_slice()) {
                    settings.push(values);
                }
            }
            let seat = |values: &[i64]| settings.iter().position(|it| *it == values);
            let both = seat(&duel.first).zip(seat(&duel.second));
            let (first, second) = both.expect("both were seated");
            for number in numbers.by_ref().take(duel.pairs as usize) {
                let Some(opening) = used.opening(&duel.first, &duel.second, number) else {
                    played();
                    continue;
                };
                let pair = GamePair {
                    id: all.len() as u64,
                    first,
                    second,
                    opening,
                    only: None,
                };
                all.push((at, pair));
            }
        }
        let lines: Vec<String> = settings.iter().map(|it| line(params, it)).collect();
        let task = PairTask::new(&GamePairs {
            entrants: settings
                .iter()
                .map(|it| set(self.engine, params, it))
                .collect(),
            openings: self.openings.to_vec(),
            pace: self.plan.pace,
            patience: self.plan.patience,
            adjudication: self.plan.adjudication.clone(),
        });

        // 2. What is not in the memo is played, and what failed once more.
        let mut outcomes = vec![[PairGame::NONE; 2]; all.len()];
        for again in [false, true] {
            let pairs: Vec<GamePair> = all
                .iter()
                .map(|(_, pair)| *pair)
                .filter(|pair| !again || has_failure(&outcomes[pair.id as usize]))
                .map(|pair| if again { self.second_try(&pair) } else { pair })
                .collect();
            let mut memo = RecordedPairs {
                memo: &mut *memo,
                record: |pair: &GamePair, games| TunedPair {
                    purpose: round.purpose,
                    round: round.number,
                    pair: pair.id,
                    again,
                    first: lines[pair.first].clone(),
                    second: lines[pair.second].clone(),
                    opening: pair.opening,
                    games,
                },
                games: |it| it.games,
            };
            let crew = self.crew.part(&round.part(again));
            let found = play_pairs(&crew, &task, &pairs, self.stop, &mut memo, &mut |_, _| {
                if !again {
                    played();
                }
                Ok::<(), Failure>(())
            })?;
            for (pair, games) in pairs.iter().zip(found.ok_or(Failure::Stopped)?) {
                // A pair that no worker could play is tried again by the next process.
                outcomes[pair.id as usize] = games.unwrap_or([PairGame::NONE; 2]);
            }
        }

        // 3. The points, or which values fail.
        let outcomes = all.iter().zip(outcomes);
        Ok(self.judge(round.duels.len(), &settings, outcomes))
    }

    /// The pair as it is played after a failure: where the same opening would give the same
    /// game, from another.
    fn second_try(&self, pair: &GamePair) -> GamePair {
        let count = self.openings.len();
        GamePair {
            opening: if self.plan.repeats(self.engine) {
                (pair.opening + count / 2) % count
            } else {
                pair.opening
            },
            ..*pair
        }
    }

    fn judge<'p>(
        &self,
        duels: usize,
        settings: &[&[i64]],
        outcomes: impl Iterator<Item = (&'p (usize, GamePair), [PairGame; 2])>,
    ) -> Vec<DuelResult> {
        let start: Vec<i64> = self.plan.params.iter().map(|it| it.start).collect();
        let mut met = vec![DuelResult::default(); duels];
        for ((at, pair), games) in outcomes {
            if games == [PairGame::NONE; 2] {
                // No worker could play it, and it is done without.
                continue;
            }
            let met = &mut met[*at];
            let failed = failures(&games);
            let seats = [pair.first, pair.second];
            let own = failed.iter().zip(seats).find_map(|(failure, seat)| {
                let failure = failure.as_ref()?;
                (settings[seat] == start).then_some(failure)
            });
            if let Some(failure) = own {
                let opening = &self.openings[self.second_try(pair).opening];
                met.left_out.push(LeftOut {
                    opening: opening.game().position().fen(),
                    game: failure.game,
                    reason: failure.how.clone(),
                });
                continue;
            }
            let points = games[0].points + games[1].points;
            if failed.iter().all(Option::is_none) {
                met.pairs[(points + 2).clamp(0, 4) as usize] += 1;
            }
            for (known, found) in met.failed.iter_mut().zip(failed) {
                *known = known.take().or(found.map(|it| it.how));
            }
        }
        met
    }
}

fn has_failure(games: &[PairGame; 2]) -> bool {
    failures(games).iter().any(Option::is_some)
}

#[derive(Clone, Debug)]
struct PairFailure {
    how: String,
    /// Which game, from 1.
    game: u32,
}

/// How the first and the second failed.
fn failures(games: &[PairGame; 2]) -> [Option<PairFailure>; 2] {
    let mut failed = [None, None];
    for (number, game) in (1..).zip(games) {
        let how = match game.reason {
            EndReason::Crash => "it ended or could not be started",
            EndReason::IllegalMove => "it played an illegal move, or none",
            EndReason::Stall => "it did not answer",
            EndReason::Flood => "it flooded its output",
            _ => continue,
        };
        let loser = usize::from(game.points > 0);
        let how = format!("{how}, after {} half-moves", game.plies);
        failed[loser] = failed[loser]
            .take()
            .or(Some(PairFailure { how, game: number }));
    }
    failed
}
