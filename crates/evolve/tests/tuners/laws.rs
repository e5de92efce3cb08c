//! What holds for every tuner.

use mendel_evolve::tuners::{
    AnyTuner, Duel, Knob, KnobKind, Outcome, Pairs, Setting, SpsaPlan, Tuner, TunerPlan,
};

use super::{Hill, finish};

/// SPSA with steps that fit so few games.
fn bold(plan: TunerPlan) -> TunerPlan {
    match plan {
        TunerPlan::Spsa(usual) => TunerPlan::Spsa(SpsaPlan {
            r_end: 0.05,
            ..usual
        }),
        other => other,
    }
}

#[test]
fn without_chance_every_tuner_comes_near_the_top() {
    let hill = Hill::new(3);
    let start = hill.loss(&hill.start());
    for plan in TunerPlan::all().into_iter().map(bold) {
        let mut tuner = hill.tuner(plan, 1500, 3);
        finish(&mut tuner, |duel, _, _| hill.surely(duel));
        let left = hill.loss(&tuner.proposal());
        // Who only learns that a point beats the start cannot tell the good ones apart.
        let share = if plan.name() == "random" { 1.0 } else { 0.1 };
        assert!(left < share * start, "{}: {left} of {start}", plan.name());
    }
}

#[test]
fn with_chance_the_surface_comes_near_the_top() {
    let hill = Hill::new(5);
    let start = hill.loss(&hill.start());
    let mut tuner = hill.tuner(TunerPlan::default(), 1000, 5);
    finish(&mut tuner, |duel, round, number| {
        hill.play(duel, round, number)
    });
    let left = hill.loss(&tuner.proposal());
    assert!(left < 0.15 * start, "{left} of {start}");
}

#[test]
fn the_same_seed_asks_the_same_and_another_does_not() {
    let hill = Hill::new(4);
    for plan in TunerPlan::all() {
        let run = |seed| {
            let mut tuner = hill.tuner(plan, 120, seed);
            finish(&mut tuner, |duel, round, number| {
                hill.play(duel, round, number)
            });
            tuner.record().to_vec()
        };
        assert_eq!(run(7), run(7), "{}", plan.name());
        assert_ne!(run(7), run(8), "{}", plan.name());
    }
}

#[test]
fn asked_twice_it_answers_the_same() {
    let hill = Hill::new(3);
    for plan in TunerPlan::all() {
        let tuner = hill.tuner(plan, 100, 1);
        assert_eq!(tuner.ask(), tuner.ask(), "{}", plan.name());
    }
}

/// Written down and read back after every single round, or told all rounds again, it
/// goes the way of the one that was never stopped.
#[test]
fn a_tuner_goes_on_exactly() {
    let hill = Hill::new(4);
    for plan in TunerPlan::all() {
        let play = |duel: &Duel, round: u32, number: usize| hill.play(duel, round, number);
        let mut whole = hill.tuner(plan, 150, 9);
        finish(&mut whole, play);

        let mut stopped = hill.tuner(plan, 150, 9);
        let mut told_again = hill.tuner(plan, 150, 9);
        loop {
            let text = serde_json::to_string(&stopped).unwrap();
            stopped = serde_json::from_str(&text).unwrap();
            let duels = stopped.ask();
            if duels.is_empty() {
                break;
            }
            let round = stopped.round();
            let outcomes: Vec<Outcome> = duels
                .iter()
                .enumerate()
                .map(|(number, duel)| play(duel, round, number))
                .collect();
            told_again.tell(duels.clone(), &outcomes);
            stopped.tell(duels, &outcomes);
        }
        assert_eq!(stopped, whole, "{}", plan.name());
        assert_eq!(told_again, whole, "{}", plan.name());
        assert_eq!(stopped.proposal(), whole.proposal(), "{}", plan.name());
    }
}

fn mixed() -> Vec<Knob> {
    vec![
        Knob::integer("few", 0, 3, 1),
        Knob::real("real", -1.0, 1.0, 0.9),
        Knob::choice("mode", 3, 2),
        Knob::choice("switch", 2, 0),
        Knob::integer("fixed", 5, 5, 5),
        Knob::integer("wide", -1000, 3000, -1000),
    ]
}

fn allowed(knobs: &[Knob], setting: &Setting) -> bool {
    let fits = |(knob, value): (&Knob, &f64)| {
        let whole = knob.kind == KnobKind::Real || value.fract() == 0.0;
        whole && (knob.low..=knob.high).contains(value)
    };
    setting.0.len() == knobs.len() && knobs.iter().zip(&setting.0).all(fits)
}

/// The strength of a setting of the mixed knobs: mode 1 and the switch are worth most.
fn mixed_ahead(duel: &Duel) -> bool {
    let worth = |it: &Setting| {
        let mode = if it.0[2] as usize == 1 { 100.0 } else { 0.0 };
        mode + 80.0 * it.0[3] - 40.0 * it.0[1] * it.0[1] - 10.0 * it.0[0]
    };
    worth(&duel.first) > worth(&duel.second)
}

#[test]
fn only_values_that_are_allowed_are_played_and_proposed_and_the_budget_holds() {
    for plan in TunerPlan::all().into_iter().map(bold) {
        let mut tuner = AnyTuner::new(plan, mixed(), 611, 4, 2).unwrap();
        finish(&mut tuner, |duel, _, _| {
            assert!(duel.pairs > 0);
            assert!(allowed(&mixed(), &duel.first), "{}: {duel:?}", plan.name());
            assert!(allowed(&mixed(), &duel.second), "{}: {duel:?}", plan.name());
            let won = if mixed_ahead(duel) { 4 } else { 0 };
            let mut pairs = [0; 5];
            pairs[won] = u64::from(duel.pairs);
            Outcome::Played(mendel_evolve::tuners::Pairs(pairs))
        });
        assert_eq!(tuner.spent(), 611, "{}", plan.name());
        assert!(allowed(&mixed(), &tuner.proposal()), "{}", plan.name());
    }
}

#[test]
fn the_surface_finds_the_best_of_several_choices() {
    let mut tuner = AnyTuner::new(TunerPlan::default(), mixed(), 800, 4, 2).unwrap();
    finish(&mut tuner, |duel, _, _| {
        let mut pairs = [0; 5];
        // Three of four pairs go to the better one.
        let lost = u64::from(duel.pairs) / 4;
        let (won, other) = if mixed_ahead(duel) { (4, 0) } else { (0, 4) };
        pairs[won] = u64::from(duel.pairs) - lost;
        pairs[other] += lost;
        Outcome::Played(mendel_evolve::tuners::Pairs(pairs))
    });
    let found = tuner.proposal();
    let chosen: Vec<usize> = found.0[2..4].iter().map(|it| *it as usize).collect();
    assert_eq!(chosen, [1, 1], "{found:?}");
}

fn infeasible(first: bool, second: bool) -> Outcome {
    Outcome::Infeasible {
        first,
        second,
        clean: Pairs::default(),
    }
}

/// Everything above 40 in the first knob crashes; the top is at 36.
#[test]
fn what_does_not_work_is_not_proposed() {
    let hill = Hill::new(2);
    for plan in TunerPlan::all().into_iter().map(bold) {
        let crashes = |it: &Setting| it.0[0] > 40.0;
        let mut tuner = hill.tuner(plan, 500, 4);
        finish(&mut tuner, |duel, _, _| {
            let [first, second] = [&duel.first, &duel.second].map(crashes);
            if first || second {
                infeasible(first, second)
            } else {
                hill.surely(duel)
            }
        });
        let found = tuner.proposal();
        assert!(!crashes(&found), "{}: {found:?}", plan.name());
        assert!(
            hill.loss(&found) <= hill.loss(&hill.start()),
            "{}: {found:?}",
            plan.name()
        );
    }
}

#[test]
fn if_nothing_but_the_start_works_the_start_is_proposed() {
    let hill = Hill::new(2);
    for plan in TunerPlan::all() {
        let mut tuner = hill.tuner(plan, 60, 4);
        let start = hill.start();
        finish(&mut tuner, |duel, _, _| {
            let [first, second] = [&duel.first, &duel.second].map(|it| *it != start);
            if first || second {
                infeasible(first, second)
            } else {
                hill.surely(duel)
            }
        });
        let refused = tuner
            .record()
            .iter()
            .flat_map(|it| [&it.duel.first, &it.duel.second]);
        let found = tuner.proposal();
        assert!(
            found == start || !refused.into_iter().any(|it| *it == found),
            "{}",
            plan.name()
        );
    }
}

/// The first knob does nothing but crash above 30 of 60; the second is of the usual kind.
#[test]
fn a_crash_is_no_score_and_is_kept_away_from() {
    let mut hill = Hill::new(2);
    hill.steep[0] = 0.0;
    let crashes = |it: &Setting| it.0[0] > 30.0;
    for plan in TunerPlan::all().into_iter().map(bold) {
        let mut tuner = hill.tuner(plan, 600, 4);
        finish(&mut tuner, |duel, round, number| {
            match [&duel.first, &duel.second].map(crashes) {
                [false, false] => hill.play(duel, round, number),
                [first, second] => infeasible(first, second),
            }
        });
        let best = tuner.best();
        let knob = &best.knobs[0];
        assert!(!knob.visible, "{}: {knob:?}", plan.name());
        assert!(
            (knob.gain.low..=knob.gain.high).contains(&0.0),
            "{}: {knob:?}",
            plan.name()
        );
        assert!(!crashes(&best.setting), "{}", plan.name());
        if ["surface", "spsa"].contains(&plan.name()) {
            let late = &tuner.record()[tuner.record().len() / 2..];
            let bad = late.iter().filter(|it| it.outcome.failed() != [false; 2]);
            let (bad, all) = (bad.count(), late.len());
            assert!(bad * 20 <= all, "{}: {bad} of {all}", plan.name());
        }
    }
}

#[test]
fn pairs_without_a_crash_count_also_where_another_had_one() {
    let hill = Hill::new(1);
    let estimate = |clean: Pairs| {
        let mut tuner = hill.tuner(TunerPlan::default(), 40, 4);
        let duels = tuner.ask();
        let outcome = Outcome::Infeasible {
            first: true,
            second: false,
            clean,
        };
        let outcomes = vec![outcome; duels.len()];
        tuner.tell(duels, &outcomes);
        tuner.best()
    };
    let none = estimate(Pairs::default());
    assert_eq!(none.pairs, 0);
    assert!(none.gain.value.abs() < 1e-9, "a crash is no game: {none:?}");
    let some = estimate(Pairs([0, 0, 0, 0, 3]));
    assert!(some.pairs > 0, "{some:?}");
}

#[test]
fn what_is_refused_outside_of_a_duel_is_not_proposed() {
    let hill = Hill::new(2);
    for plan in TunerPlan::all().into_iter().map(bold) {
        let mut tuner = hill.tuner(plan, 300, 4);
        finish(&mut tuner, |duel, _, _| hill.surely(duel));
        let found = tuner.proposal();
        if found == hill.start() {
            continue;
        }
        tuner.refuse(&found);
        assert_ne!(tuner.proposal(), found, "{}", plan.name());
    }
}
