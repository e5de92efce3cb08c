//! The bench of tuners: its programs are what they say, and its table is the same again.

use std::sync::atomic::{AtomicBool, Ordering};

use mendel_evolve::tuners::{Duel, Outcome, Setting};
use mendel_evolve::{Purpose, generator};
use mendel_lab::tune::bench::{Landscape, Lane, Plan, START_REGRET, Synthetic, run, summary};

fn plan() -> Plan {
    Plan {
        lanes: Lane::all(),
        sizes: vec![2, 3],
        landscapes: Landscape::ALL.to_vec(),
        seeds: 1,
        games: 60,
        seed: 5,
    }
}

#[test]
fn the_start_is_as_far_below_the_best_as_said_and_nothing_is_above_the_best() {
    for landscape in Landscape::ALL {
        for size in [1, 2, 5, 40] {
            let engine = Synthetic::new(landscape, size, 3);
            let start = engine.regret(&engine.start());
            assert!(
                (start - START_REGRET).abs() < 1e-6,
                "{landscape} {size}: {start}"
            );
            assert!(
                engine.regret(engine.best()).abs() < 1e-9,
                "{landscape} {size}"
            );
            for (place, knob) in engine.knobs().iter().enumerate() {
                for value in [knob.low, knob.high] {
                    let mut moved = engine.best().clone();
                    moved.0[place] = value;
                    assert!(engine.regret(&moved) > 0.0, "{landscape} {size} {place}");
                }
            }
        }
    }
}

#[test]
fn equals_draw_half_of_their_games_and_the_stronger_one_scores_what_elo_says() {
    let engine = Synthetic::new(Landscape::Plain, 3, 1);
    let meet = |first: &Setting| {
        let duel = Duel {
            first: first.clone(),
            second: engine.start(),
            pairs: 20_000,
        };
        let mut rng = generator(1, 0, 0, Purpose::Trial);
        let Outcome::Played(pairs) = engine.play(&duel, &mut rng) else {
            panic!("it always works");
        };
        pairs.score().unwrap()
    };
    let equal = meet(&engine.start());
    assert!((equal - 0.5).abs() < 0.005, "{equal}");
    // 80 Elo are 61.3 % without the openings that decide some games by themselves.
    let ahead = meet(engine.best());
    assert!((0.59..0.615).contains(&ahead), "{ahead}");
}

#[test]
fn the_same_seed_gives_the_same_table_on_any_number_of_threads() {
    let plan = plan();
    let stop = AtomicBool::new(false);
    let of = |threads| {
        let tried = run(&plan, threads, &stop, |_, _| ()).unwrap().unwrap();
        summary(&plan, &tried)
    };
    let one = of(1);
    assert_eq!(one, of(3));
    let cells = plan.lanes.len() * plan.sizes.len() * (1 + plan.landscapes.len());
    assert_eq!(one.cells.len(), cells);
    stop.store(true, Ordering::Relaxed);
    assert_eq!(run(&plan, 2, &stop, |_, _| ()), Ok(None));
}

/// What the bench is there to show, in small: measured in full in the notebook.
#[test]
fn the_usual_tuner_beats_plain_spsa() {
    let mut plan = plan();
    plan.lanes
        .retain(|lane| ["surface", "spsa"].contains(&lane.name.as_str()));
    plan.games = 1000;
    plan.seeds = 2;
    let stop = AtomicBool::new(false);
    let tried = run(&plan, 2, &stop, |_, _| ()).unwrap().unwrap();
    for cell in summary(&plan, &tried)
        .cells
        .iter()
        .filter(|it| it.landscape.is_none())
    {
        let Some(against) = cell.against_spsa else {
            continue;
        };
        let worst = against.mean + against.error.unwrap();
        assert!(
            worst < 0.0,
            "{} with {} knobs: {against:?}",
            cell.tuner,
            cell.knobs
        );
    }
}
