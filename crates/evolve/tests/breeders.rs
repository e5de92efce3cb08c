//! What breeders do with what they are told.

use mendel_evolve::problems::{BitHill, RealHill};
use mendel_evolve::{
    Adam, AdamSettings, Archive, Bits, Breeder, Crossover, EvolveError, Founders, Ga, GaSettings,
    GenerationRequest, GenerationResult, HallOfFame, JudgedMember, MemberId, MuPlusLambda,
    MuPlusLambdaSettings, Mutation, Offspring, Origin, RandomSearch, RandomSettings, Reach,
    RealVector, Run, RunProgress, Selection, Spsa, SpsaSettings, StopRules, Stopped, Trial,
    generation_seed,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn settings() -> GaSettings {
    GaSettings {
        population: 30,
        selection: Selection::Tournament { size: 2 },
        crossover: Crossover::SinglePoint,
        crossover_rate: 0.5,
        mutation: Mutation::BitFlip,
        mutation_rate: 0.01,
        elites: 3,
        hall_of_fame: None,
        founders: Founders::Random,
    }
}

fn ga(settings: GaSettings) -> Ga<Bits> {
    Ga::new(settings, BitHill::layout(50), None, 1).unwrap()
}

fn judged(scores: impl IntoIterator<Item = f64>) -> Vec<JudgedMember> {
    let judge = |score| JudgedMember {
        score,
        gradient: None,
    };
    scores.into_iter().map(judge).collect()
}

fn id(generation: u32, member: u32) -> MemberId {
    MemberId { generation, member }
}

/// Every member says how it came to be, and it is true.
#[test]
fn lineage_is_what_happened() {
    let mut ga = ga(settings());
    let before = ga.ask();
    assert!(
        before
            .iter()
            .all(|born| born.origin == Origin::Random && born.parents.is_empty())
    );
    let scores: Vec<f64> = before
        .iter()
        .map(|born| born.genome.ones() as f64)
        .collect();
    ga.tell(before.clone(), &judged(scores));
    let born = ga.ask();
    assert_eq!(born.len(), 30);
    let mut seen = [0; 4];
    for child in &born {
        let parents: Vec<&Bits> = child
            .parents
            .iter()
            .map(|parent| {
                assert_eq!(parent.generation, 0);
                &before[parent.member as usize].genome
            })
            .collect();
        match child.origin {
            Origin::Elite | Origin::Copy => {
                assert_eq!(parents, [&child.genome]);
                seen[usize::from(child.origin == Origin::Copy)] += 1;
            }
            Origin::Mutation => {
                assert!(parents.len() == 1 && *parents[0] != child.genome);
                seen[2] += 1;
            }
            Origin::Crossover => {
                assert_eq!(parents.len(), 2);
                seen[3] += 1;
            }
            other => panic!("{other:?} cannot be"),
        }
    }
    assert!(
        seen[0] == 3 && seen.iter().all(|&count| count > 0),
        "{seen:?}"
    );
}

#[test]
fn elites_are_the_best_in_order() {
    let mut ga = ga(settings());
    let born = ga.ask();
    let scores = (0..30).map(|place| f64::from([0, 5, 9, 5][place.min(3)]));
    ga.tell(born.clone(), &judged(scores));
    let next = ga.ask();
    for (place, old) in [(0, 2), (1, 1), (2, 3)] {
        assert_eq!(next[place].genome, born[old].genome);
        assert_eq!(next[place].parents, [id(0, old as u32)]);
        assert_eq!(next[place].origin, Origin::Elite);
    }
}

#[test]
fn who_was_best_and_left_comes_back_from_the_hall_of_fame() {
    let mut ga = ga(GaSettings {
        elites: 0,
        mutation_rate: 0.3,
        hall_of_fame: Some(HallOfFame {
            size: 3,
            reintroduce: 1,
        }),
        ..settings()
    });
    let first = ga.ask();
    // The fourth is best; its children all differ from it.
    ga.tell(
        first.clone(),
        &judged((0..30).map(|place| f64::from(u8::from(place == 3)))),
    );
    let second = ga.ask();
    let back = |born: &[Offspring<Bits>]| {
        let returned = born.iter().filter(|born| born.origin == Origin::HallOfFame);
        returned
            .map(|born| born.parents.clone())
            .collect::<Vec<_>>()
    };
    assert!(back(&second).is_empty(), "it has not left yet");
    assert!(second.iter().all(|born| born.genome != first[3].genome));
    ga.tell(second, &judged([0.5; 30]));
    let third = ga.ask();
    assert_eq!(back(&third), [[id(0, 3)]]);
    assert!(third.iter().any(|born| born.genome == first[3].genome));
    // It is judged again, and that counts.
    ga.tell(
        third,
        &judged((0..30).map(|place| if place == 0 { 0.25 } else { 0.1 })),
    );
    let known: Vec<f64> = ga
        .hall_of_fame()
        .iter()
        .map(|famous| famous.score)
        .collect();
    assert_eq!(known, [0.5, 0.25]);
}

#[test]
fn what_was_given_is_in_the_first_generation() {
    let given = vec![Bits::zeros(50), "50:fffffffffffc0".parse().unwrap()];
    let random = Ga::<Bits>::new(settings(), BitHill::layout(50), given.clone(), 1).unwrap();
    let born = random.ask();
    for (born, given) in born.iter().zip(&given) {
        assert_eq!((&born.genome, born.origin), (given, Origin::Given));
    }
    assert!(born[2..].iter().all(|born| born.origin == Origin::Random));
    // The others are those of a run without a start: runs can be compared.
    assert_eq!(born[2..], ga(settings()).ask()[2..]);

    let mutants = GaSettings {
        founders: Founders::Mutants,
        ..settings()
    };
    let mutants = Ga::<Bits>::new(mutants, BitHill::layout(50), given.clone(), 1).unwrap();
    for (place, born) in mutants.ask().iter().enumerate().skip(2) {
        let differ = (0..50).filter(|&at| born.genome.get(at) != given[place % 2].get(at));
        assert!(differ.count() < 8 && matches!(born.origin, Origin::Mutation | Origin::Copy));
    }
}

/// Five founders have ten pairs; each bit of a child is one of its parents'.
#[test]
fn each_two_founders_have_one_child() {
    let given: Vec<Bits> = [
        "3ffffffff",
        "0f0f0f0f0",
        "00ff00ff0",
        "333333333",
        "000000fff",
    ]
    .iter()
    .map(|hex| format!("36:{hex}").parse().unwrap())
    .collect();
    let crossed = |population, given: &[Bits]| {
        let settings = GaSettings {
            population,
            elites: 0,
            founders: Founders::Crosses,
            crossover_rate: 0.0,
            mutation_rate: 1.0,
            ..settings()
        };
        let layout = BitHill::layout(36);
        let ga = Ga::<Bits>::new(settings, layout, given.to_vec(), 1).unwrap();
        ga.ask()
    };
    let born = crossed(18, &given);
    let pairs = (0..5).flat_map(|one| (one + 1..5).map(move |other| [one, other]));
    let mut between = 0;
    for (child, [one, other]) in born[5..15].iter().zip(pairs) {
        assert_eq!(child.origin, Origin::Crossover);
        assert_eq!(child.parents, [id(0, one), id(0, other)]);
        let parents = [one, other].map(|place| &given[place as usize]);
        for at in 0..36 {
            let bit = child.genome.get(at);
            assert!(parents.iter().any(|parent| parent.get(at) == bit), "{at}");
        }
        between += usize::from(parents.iter().all(|parent| **parent != child.genome));
    }
    assert!(between >= 7, "only {between} children are new");
    assert!(born[..5].iter().all(|it| it.origin == Origin::Given));
    assert!(born[15..].iter().all(|it| it.origin == Origin::Random));
    // A smaller population has the first pairs, and one founder alone has none.
    assert_eq!(crossed(9, &given), born[..9]);
    let alone = crossed(4, &given[..1]);
    assert!(alone[1..].iter().all(|it| it.origin == Origin::Random));
}

#[test]
fn survivors_that_are_pushed_out_are_archived() {
    let settings = MuPlusLambdaSettings {
        parents: 2,
        children: 3,
        mutation: Mutation::NonUniform {
            shape: 5.0,
            generations: 100,
        },
        mutation_rate: 1.0,
        archive: Some(Archive {
            size: 9,
            probability: 1.0,
        }),
    };
    let space = RealHill::Sphere.space(3);
    let mut breeder = MuPlusLambda::<RealVector>::new(settings, space, None, 1).unwrap();
    let first = breeder.ask();
    assert_eq!(first.len(), 5);
    breeder.tell(first.clone(), &judged([1.0, 5.0, 2.0, 4.0, 3.0]));
    assert!(breeder.archive().is_empty());

    let second = breeder.ask();
    let surviving: Vec<_> = second[..2].iter().map(|born| &born.parents[0]).collect();
    assert_eq!(surviving, [&id(0, 1), &id(0, 3)]);
    assert!(
        second[2..]
            .iter()
            .all(|born| born.origin == Origin::Mutation)
    );
    assert_eq!(second[2].parents, [id(0, 1)]);
    assert_eq!(second[3].parents, [id(0, 3)]);
    assert_eq!(second[4].parents, [id(0, 1)], "child 2 of two parents");
    breeder.tell(second, &judged([5.0, 4.0, 1.0, 6.0, 1.0]));

    let famous: Vec<_> = breeder.archive().iter().map(|famous| famous.id).collect();
    assert_eq!(famous, [id(0, 3)], "the second survivor gave way");
    let third = breeder.ask();
    for born in &third[2..] {
        assert_eq!(born.origin, Origin::HallOfFame);
        assert_eq!(born.genome, first[3].genome);
    }
}

#[test]
fn the_first_step_of_adam_has_the_length_of_the_learning_rate() {
    let space = RealHill::Sphere.space(2);
    let mut adam = Adam::new(AdamSettings::new(0.25), space, None, 0).unwrap();
    assert!(adam.wants_gradients());
    let judged = JudgedMember {
        score: 0.0,
        gradient: Some(vec![700.0, -0.01]),
    };
    let start = adam.ask();
    assert_eq!(start[0].genome, RealVector(vec![-1.2, -1.2]));
    adam.tell(start, &[judged]);
    let moved = adam.ask().remove(0);
    assert!(
        (moved.genome.0[0] - (-0.95)).abs() < 1e-6,
        "uphill: {moved:?}"
    );
    assert!(
        (moved.genome.0[1] - (-1.45)).abs() < 1e-6,
        "downhill: {moved:?}"
    );
    assert_eq!(
        (moved.origin, moved.parents),
        (Origin::Step, vec![id(0, 0)])
    );
}

#[test]
fn adam_stays_within_its_bounds() {
    let space = RealHill::Sphere.space(1);
    let mut adam = Adam::new(AdamSettings::new(100.0), space, None, 0).unwrap();
    for slope in [f64::MAX, f64::NAN, f64::NEG_INFINITY, -1.0, 0.0] {
        let judged = JudgedMember {
            score: 0.0,
            gradient: Some(vec![slope; 3]),
        };
        adam.tell(adam.ask(), &[judged]);
        let x = adam.ask()[0].genome.0[0];
        assert!((-5.12..=5.12).contains(&x), "{x} after {slope}");
    }
}

/// Tells a breeder anything, and asks it again.
fn survives<B: Breeder + Serialize + DeserializeOwned>(
    mut breeder: B,
    told: &[Vec<f64>],
    cut: usize,
) {
    for scores in told {
        let mut born = breeder.ask();
        born.truncate(cut);
        breeder.tell(born, &judged(scores.iter().copied()));
    }
    // Nobody may have been told about at all; then it begins again.
    assert!(!breeder.ask().is_empty());
    let text = serde_json::to_string(&breeder).unwrap();
    assert!(serde_json::from_str::<B>(&text).is_ok(), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_judgement_panics(
        told in prop::collection::vec(prop::collection::vec(any::<f64>(), 0..40), 1..5),
        cut in 0_usize..40,
        selection in 0_usize..6,
    ) {
        let selection = [
            Selection::Roulette,
            Selection::RouletteShifted,
            Selection::RouletteSquared,
            Selection::Tournament { size: 3 },
            Selection::Rank { pressure: 2.0 },
            Selection::Truncation { share: 0.2 },
        ][selection];
        let hall = HallOfFame { size: 3, reintroduce: 2 };
        let settings = GaSettings { selection, hall_of_fame: Some(hall), ..settings() };
        survives(ga(settings), &told, cut);
        let archive = Archive { size: 3, probability: 0.5 };
        let settings = MuPlusLambdaSettings {
            parents: 3, children: 4, mutation: Mutation::BitFlip, mutation_rate: 0.5, archive: Some(archive),
        };
        survives(MuPlusLambda::<Bits>::new(settings, BitHill::layout(9), None, 1).unwrap(), &told, cut);
        let settings = RandomSettings { population: 3 };
        survives(RandomSearch::<Bits>::new(settings, BitHill::layout(9), None, 1).unwrap(), &told, cut);
        let space = RealHill::Sphere.space(2);
        survives(Adam::new(AdamSettings::new(0.1), space.clone(), None, 1).unwrap(), &told, cut);
        let settings = SpsaSettings::new(3, 9, Reach::Range(0.1), 0.5);
        survives(Spsa::new(settings, space, None, 1).unwrap(), &told, cut);
    }
}

/// Judges as it is told, and fails in one generation.
struct Script {
    scores: Vec<Vec<f64>>,
    generation: usize,
}

#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the judge fell asleep")]
struct Asleep;

impl Trial<RealVector> for Script {
    type Error = Asleep;

    fn judge(
        &mut self,
        _request: GenerationRequest<'_, RealVector>,
    ) -> Result<GenerationResult, Asleep> {
        let scores = self.scores.get(self.generation).cloned().ok_or(Asleep)?;
        self.generation += 1;
        Ok(GenerationResult::of(judged(scores)))
    }
}

fn scripted(scores: &[[f64; 2]]) -> (Run<RandomSearch<RealVector>>, Script) {
    let settings = RandomSettings { population: 2 };
    let search = RandomSearch::new(settings, RealHill::Sphere.space(1), None, 1).unwrap();
    let stop = StopRules {
        no_progress: Some(2),
        ..StopRules::default()
    };
    let scores = scores.iter().map(|scores| scores.to_vec()).collect();
    let script = Script {
        scores,
        generation: 0,
    };
    (Run::new(search, stop, 1).unwrap(), script)
}

#[test]
fn the_best_score_is_that_of_all_generations_and_the_first_of_equals() {
    let (mut run, mut script) = scripted(&[
        [1.0, f64::NAN],
        [f64::INFINITY, 4.0],
        [4.0, 2.0],
        [4.0, 4.0],
    ]);
    let why = run.finish(&mut script).unwrap();
    assert_eq!(why, Stopped::NoProgress);
    let RunProgress {
        generations,
        judgements,
        best,
        best_at,
        ..
    } = run.progress;
    assert_eq!((generations, judgements), (4, 8));
    assert_eq!((best, best_at), (Some(4.0), 2));
}

#[test]
fn a_failed_trial_leaves_the_run_where_it_was() {
    let (mut run, mut script) = scripted(&[[1.0, 2.0]]);
    let error = run.finish(&mut script).unwrap_err();
    assert_eq!(error, EvolveError::Trial(Asleep));
    assert_eq!((run.progress.generations, run.breeder.generation()), (1, 1));
    assert_eq!(run.progress.best, Some(2.0));
}

#[test]
fn a_run_without_a_number_has_no_best_score() {
    let (mut run, mut script) = scripted(&[[f64::NAN; 2], [f64::NAN; 2]]);
    assert_eq!(run.finish(&mut script), Ok(Stopped::NoProgress));
    assert_eq!((run.progress.generations, run.progress.best), (2, None));
}

#[test]
fn a_run_that_continues_others_continues_their_seeds() {
    struct Seeds(Vec<(u32, u64)>);
    impl Trial<RealVector> for Seeds {
        type Error = std::convert::Infallible;
        fn judge(
            &mut self,
            request: GenerationRequest<'_, RealVector>,
        ) -> Result<GenerationResult, Self::Error> {
            self.0.push((request.generation, request.seed));
            let count = request.offspring.len();
            let mut result = GenerationResult::of(judged(vec![0.0; count]));
            result.takeover = request.generation == 7;
            Ok(result)
        }
    }
    let (mut run, _) = scripted(&[]);
    run.first_generation = 7;
    let mut trial = Seeds(Vec::new());
    run.step(&mut trial).unwrap();
    run.step(&mut trial).unwrap();
    let seed = |generation| (generation, generation_seed(run.seed, generation));
    assert_eq!(trial.0, [seed(7), seed(8)]);
    assert_eq!(run.progress.crowned_at, 1, "counted within the run");
}

#[test]
fn a_trial_that_leaves_members_out_or_has_no_gradient_is_an_error() {
    let (mut run, mut script) = scripted(&[[1.0, 2.0]]);
    script.scores[0].pop();
    let error = run.step(&mut script).unwrap_err();
    assert!(matches!(
        error,
        EvolveError::Count {
            found: 1,
            needed: 2,
            ..
        }
    ));

    let adam = Adam::new(AdamSettings::new(0.1), RealHill::Sphere.space(1), None, 1).unwrap();
    let stop = StopRules {
        generations: Some(5),
        ..StopRules::default()
    };
    let mut script = Script {
        scores: vec![vec![1.0]],
        generation: 0,
    };
    let error = Run::new(adam, stop, 1)
        .unwrap()
        .finish(&mut script)
        .unwrap_err();
    assert_eq!(error, EvolveError::NoGradient { generation: 0 });
}
