//! What makes no sense is refused, with the name of what it is.

use mendel_evolve::tuners::{
    AnyTuner, CmaEsPlan, GeneticPlan, Knob, RandomPlan, SpsaPlan, SurfacePlan, TunerPlan,
};

fn refused(plan: TunerPlan, knobs: Vec<Knob>, pairs: u64) -> String {
    AnyTuner::new(plan, knobs, pairs, 4, 1)
        .unwrap_err()
        .to_string()
}

#[test]
fn knobs_that_make_no_sense_are_named() {
    let plan = TunerPlan::default;
    let low = refused(plan(), vec![Knob::integer("Odd", 5, 1, 3)], 10);
    assert!(low.contains("`Odd`") && low.contains("rise"), "{low}");
    let outside = refused(plan(), vec![Knob::real("Odd", 0.0, 1.0, 2.0)], 10);
    assert!(
        outside.contains("`Odd`") && outside.contains("starts at 2"),
        "{outside}"
    );
    let fraction = Knob {
        start: 0.5,
        ..Knob::integer("Odd", 0, 1, 0)
    };
    let fraction = refused(plan(), vec![fraction], 10);
    assert!(fraction.contains("whole"), "{fraction}");
    let many = refused(plan(), vec![Knob::choice("Odd", 1000, 0)], 10);
    assert!(many.contains("at most 64"), "{many}");
    let none = refused(plan(), vec![Knob::integer("Fixed", 2, 2, 2)], 10);
    assert!(none.contains("nothing"), "{none}");
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let knobs = || vec![Knob::integer("K", 0, 10, 5)];
    let plans = [
        (
            TunerPlan::Surface(SurfacePlan {
                reach: 0.0,
                ..SurfacePlan::default()
            }),
            "reach",
        ),
        (
            TunerPlan::Spsa(SpsaPlan {
                r_end: f64::NAN,
                ..SpsaPlan::default()
            }),
            "r-end",
        ),
        (
            TunerPlan::CmaEs(CmaEsPlan {
                sigma: -1.0,
                ..CmaEsPlan::default()
            }),
            "sigma",
        ),
        (
            TunerPlan::Genetic(GeneticPlan {
                population: 1,
                ..GeneticPlan::default()
            }),
            "population",
        ),
        (
            TunerPlan::Random(RandomPlan { candidates: 1 }),
            "candidates",
        ),
    ];
    for (plan, key) in plans {
        let said = refused(plan, knobs(), 10);
        assert!(said.contains(&format!("`{key}`")), "{said}");
    }
    let said = refused(TunerPlan::default(), knobs(), 0);
    assert!(said.contains("`pairs`"), "{said}");
}

#[test]
fn names_lead_to_tuners_and_back() {
    for plan in TunerPlan::all() {
        assert_eq!(TunerPlan::named(plan.name()), Some(plan));
        let written = serde_json::to_value(plan).unwrap();
        assert_eq!(written["kind"], plan.name());
        assert_eq!(serde_json::from_value::<TunerPlan>(written).unwrap(), plan);
    }
    assert_eq!(TunerPlan::named("gradient"), None);
    let wrong = serde_json::from_str::<TunerPlan>(r#"{"kind":"spsa","r-ends":1}"#);
    assert!(wrong.unwrap_err().to_string().contains("r-ends"));
}
