//! Computes what a tuning found.

use mendel_arena::statistics::Outcomes;
use mendel_evolve::tuners::{AnyTuner, Estimate, Interval, Tuner as _};

use super::play::line;
use crate::record::{
    Infeasible, Landscape, MOST_ELO, ParamFound, TunePlan, TuneResult, Validation,
};

fn clipped(it: Interval) -> Interval {
    let clip = |elo: f64| elo.clamp(-MOST_ELO, MOST_ELO);
    Interval {
        value: clip(it.value),
        low: clip(it.low),
        high: clip(it.high),
    }
}

/// Number of the most important parameters that landscapes show in pairs.
const SHOWN: usize = 4;

/// Maximum number of values of a parameter in a landscape.
const VALUES: usize = 15;

fn landscapes(plan: &TunePlan, tuner: &AnyTuner, estimate: &Estimate) -> Vec<Landscape> {
    let matters = |at: &usize| estimate.knobs[*at].matters.value;
    let mut places: Vec<usize> = (0..plan.params.len().min(estimate.knobs.len())).collect();
    places.sort_by(|a, b| matters(b).total_cmp(&matters(a)));
    places.truncate(SHOWN);
    let values = |at: usize| -> Vec<f64> {
        let param = &plan.params[at];
        let steps = (param.width() as usize).clamp(1, VALUES - 1);
        let value = |step| param.low as f64 + param.width() * step as f64 / steps as f64;
        (0..=steps).map(value).map(libm::rint).collect()
    };
    let mut landscapes = Vec::new();
    for (number, &first) in places.iter().enumerate() {
        for &second in &places[number + 1..] {
            let (x, y) = (values(first), values(second));
            let mut elo = tuner.landscape((first, &x), (second, &y));
            for it in elo.iter_mut().flatten() {
                *it = it.clamp(-MOST_ELO, MOST_ELO);
            }
            landscapes.push(Landscape {
                first: plan.params[first].name.clone(),
                second: plan.params[second].name.clone(),
                elo,
                x,
                y,
            });
        }
    }
    landscapes
}

pub(super) fn found(
    plan: &TunePlan,
    tuner: &AnyTuner,
    values: &[i64],
    curve: Vec<Validation>,
    infeasible: Vec<Infeasible>,
) -> TuneResult {
    let estimate = &tuner.best();
    let each = plan.params.iter().zip(values).zip(&estimate.knobs);
    let params = each.map(|((param, &value), knob)| ParamFound {
        name: param.name.clone(),
        start: param.text(param.start),
        value: param.text(value),
        number: value,
        interval: [knob.best.low, knob.best.high],
        gain: clipped(knob.gain),
        matters: clipped(knob.matters),
        // Of two values one is always at a bound.
        at_bound: knob.at_bound && param.width() > 1.0,
        at_limit: param.width() > 1.0 && plan.limits.iter().any(|it| it.is_reached(param, value)),
        kind: param.kind,
        visible: knob.visible,
    });
    let options = line(&plan.params, values);
    let better = plan
        .entrant()
        .map(|engine| super::play::set(&engine, &plan.params, values).text);
    TuneResult {
        id: plan.id(),
        engine: plan.engine.clone(),
        engine_tuned: better.unwrap_or_default(),
        options,
        keeps_start: false,
        tuner: plan.tuner.name().to_owned(),
        games: plan.games,
        spared_games: 0,
        params: params.collect(),
        aside: plan.aside.clone(),
        infeasible,
        gain: clipped(estimate.gain),
        left: clipped(estimate.left),
        games_left: needed(plan, values, &curve),
        curve,
        landscapes: landscapes(plan, tuner, estimate),
        proof: None,
        most_games: None,
        left_out: Vec::new(),
        verdict: String::new(),
    }
}

/// Games that the test is expected to take, by the last validation of these values.
/// What the surface makes of the gain is no guide to that.
fn needed(plan: &TunePlan, values: &[i64], curve: &[Validation]) -> Option<f64> {
    let last = curve.last().filter(|it| it.proposal == values)?;
    let test = plan.sprt.test().ok()?;
    test.length(&Outcomes::Pairs(last.pairs))
}
