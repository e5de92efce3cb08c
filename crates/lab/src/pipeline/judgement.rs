//! A step that compares what evaluators say of positions with what an expert said.

use mendel_arena::{Entrant, Kind};
use mendel_board::{Position, mix};
use mendel_coach::Phase;
use mendel_crew::parallel_with;
use mendel_store::frame::Failure;

use super::contest::meant;
use super::curve::check_curve;
use super::refer::StepOutputs;
use super::{Output, PipelineStep, StepRun, check_sets, experts, hashes};
use crate::recipe::steps::JudgementSettings;
use crate::recipe::{Misfit, require};
use crate::record::{Judged, Judgement, Nearness};

impl PipelineStep for JudgementSettings {
    fn check(&self, made: &StepOutputs) -> Result<(), Misfit> {
        require(self.positions > 0, "positions", "must be at least 1")?;
        let limit = (1..=30_000).contains(&self.limit);
        require(limit, "limit", "must be from 1 to 30000 centipawns")?;
        let players = self.players(made);
        require(!players.is_empty(), "players", "names no player")?;
        for text in &players {
            let entrant = Entrant::parse(text).map_err(|error| ("players", error.to_string()))?;
            let Kind::Bred(player) = &entrant.kind else {
                let reason = format!("`{text}` is a program, whose evaluator cannot be asked");
                return Err(("players", reason));
            };
            player
                .used_evaluator()
                .map_err(|error| ("players", error.to_string()))?;
        }
        check_curve(self.curve.as_ref(), players.len())?;
        check_sets(&self.data, made, "scores")
    }

    fn players(&self, made: &StepOutputs) -> Vec<String> {
        let meant = meant(&self.players, made).into_iter();
        meant.filter_map(|it| it.into_iter().next()).collect()
    }

    fn run(&self, step: &StepRun) -> Result<Output, Failure> {
        // 1. The positions: chance orders them, the first are taken.
        let sets = step.sets(&self.data)?;
        let limit = self.limit as i32;
        let cut = |score: i32| f64::from(score.clamp(-limit, limit));
        let samples = sets.iter().flat_map(|set| &set.samples);
        let mut drawn: Vec<(&Position, f64)> = samples
            .filter_map(|it| Some((&it.position, cut(it.score?.into()))))
            .collect();
        let seed = step.seed(0);
        let mut order: Vec<(u64, usize)> = (0..drawn.len())
            .map(|at| (mix(seed ^ mix(at as u64)), at))
            .collect();
        order.sort_unstable();
        order.truncate(self.positions);
        drawn = order.into_iter().map(|(_, at)| drawn[at]).collect();
        if drawn.is_empty() {
            let names = self.data.list().join("`, `");
            return Err(Failure::failed(format!(
                "no position of `{names}` has a score; give other positions with `--data FILE`"
            )));
        }

        // 2. What each evaluator says.
        let mut players = Vec::new();
        for text in self.players(step.made) {
            let entrant = Entrant::parse(&text).map_err(Box::new)?;
            let Kind::Bred(player) = &entrant.kind else {
                continue;
            };
            let said = parallel_with(
                step.options.threads(),
                drawn.len(),
                || player.evaluator.judge(),
                |judge, at| cut(judge.evaluate(drawn[at].0).0),
            );
            let pairs = |phase: Option<Phase>| -> Vec<(f64, f64)> {
                let all = drawn.iter().zip(&said);
                all.filter(|((position, _), _)| phase.is_none_or(|it| Phase::of(position) == it))
                    .map(|((_, expert), said)| (*said, *expert))
                    .collect()
            };
            players.push(Judged {
                player: entrant.name.clone(),
                all: Nearness::of("all", &pairs(None)),
                phases: Phase::ALL
                    .map(|phase| Nearness::of(phase.name(), &pairs(Some(phase))))
                    .into(),
            });
        }

        // 3. The record.
        let mut experts: Vec<String> = experts(&sets).collect();
        experts.dedup();
        let curve = self.curve.as_ref().map(|curve| {
            let line = |of: &dyn Fn(&Judged) -> Option<Nearness>| {
                let value =
                    |it: &Judged| of(it).and_then(|it| Some((it.correlation?, it.interval)));
                players.iter().map(value).collect::<Vec<_>>()
            };
            let mut lines = vec![("all", line(&|it| Some(it.all.clone())))];
            for (at, phase) in Phase::ALL.iter().enumerate() {
                lines.push((phase.name(), line(&|it| it.phases.get(at).cloned())));
            }
            curve.through("correlation with the expert", lines)
        });
        Ok(Output::Judgement(Judgement {
            conditions: format!(
                "Scores of {}, cut at ±{limit} centipawns",
                if experts.is_empty() {
                    "the set".to_owned()
                } else {
                    experts.join(", ")
                }
            ),
            hash: hashes(&sets),
            positions: drawn.len() as u64,
            players,
            curve,
            notes: Vec::new(),
        }))
    }
}
