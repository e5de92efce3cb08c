//! Trials against the same thing done the slow way.

#![allow(
    clippy::float_cmp,
    reason = "counts and sums of whole numbers are exact"
)]

use mendel_board::sample::random_positions;
use mendel_board::{Move, Position};
use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use mendel_fitness::trial::{
    AgreementFitness, AgreementSettings, Distance, DistanceSettings, Draw, ExpertDistance,
    FitnessTrial, JudgingContext, Labelled, MemberWeights, MoveAgreement, PositionTrial, Target,
    TrialError,
};

use crate::matrix::{evaluators, near};

/// The scores of a generation outside of a run.
fn judged(
    trial: &mut dyn FitnessTrial,
    members: &[Vec<i32>],
    seed: u64,
    threads: usize,
) -> Result<Vec<f64>, TrialError> {
    let members: Vec<MemberWeights> = members.iter().cloned().map(Into::into).collect();
    trial.judge(&members, &mut JudgingContext::local(seed, threads))
}

/// Positions with scores and results that mean nothing.
fn labels(positions: &[Position]) -> Vec<(i32, f64)> {
    let label = |position: &Position| {
        let score = (position.key() % 1601) as i32 - 800;
        (score, [0.0, 0.5, 1.0][position.key() as usize % 3])
    };
    positions.iter().map(label).collect()
}

fn trial(
    evaluator: &AnyEvaluator,
    positions: &[Position],
    settings: DistanceSettings,
) -> ExpertDistance {
    let labels = labels(positions);
    let labelled = positions
        .iter()
        .zip(labels)
        .map(|(position, label)| Labelled {
            position,
            score: Some(label.0),
            result: Some(label.1),
        });
    ExpertDistance::new(evaluator, labelled, settings, 2).expect("sound settings")
}

/// The mean distance over all positions, the slow way.
fn slowly(
    evaluator: &AnyEvaluator,
    positions: &[Position],
    each: impl Fn(f64, (i32, f64)) -> f64,
) -> f64 {
    let labels = labels(positions);
    let sum: f64 = positions
        .iter()
        .zip(labels)
        .map(|(position, label)| each(f64::from(evaluator.evaluate(position).0), label))
        .sum();
    sum / positions.len() as f64
}

fn expected(score: f64, k: f64) -> f64 {
    1.0 / (1.0 + libm::pow(10.0, -k * score / 400.0))
}

#[test]
fn every_distance_is_the_mean_over_the_positions() {
    type Each = fn(f64, (i32, f64)) -> f64;
    let cases: [(Target, Distance, Option<u16>, Each); 5] = [
        (
            Target::Score,
            Distance::Absolute,
            None,
            |own, (score, _)| (own - f64::from(score)).abs(),
        ),
        (
            Target::Score,
            Distance::Absolute,
            Some(200),
            |own, (score, _)| (own - f64::from(score.clamp(-200, 200))).abs(),
        ),
        (Target::Score, Distance::Squared, None, |own, (score, _)| {
            (own - f64::from(score)).powi(2)
        }),
        (Target::Score, Distance::Sigmoid, None, |own, (score, _)| {
            (expected(own, 1.3) - expected(f64::from(score), 1.3)).powi(2)
        }),
        (
            Target::Result,
            Distance::Sigmoid,
            None,
            |own, (_, result)| (expected(own, 1.3) - result).powi(2),
        ),
    ];
    let positions: Vec<Position> = random_positions(3, 500).collect();
    for evaluator in evaluators() {
        let own: Vec<i32> = evaluator
            .weights()
            .iter()
            .map(|weight| weight.value)
            .collect();
        for (target, distance, clip, each) in cases {
            let settings = DistanceSettings {
                target,
                distance,
                clip,
                k: 1.3,
                ..DistanceSettings::default()
            };
            let mut trial = trial(&evaluator, &positions, settings);
            let scores =
                judged(&mut trial, std::slice::from_ref(&own), 1, 2).expect("sound weights");
            let expected = slowly(&evaluator, &positions, each);
            let found = trial.report(scores[0]);
            assert!(
                (found - expected).abs() <= 1e-9 * expected,
                "{distance:?}: {found}"
            );
            assert!(trial.scale().smaller_is_better && scores[0] < 0.0);
        }
    }
}

#[test]
fn a_member_that_is_the_expert_has_no_error() {
    let positions: Vec<Position> = random_positions(4, 300).collect();
    for evaluator in evaluators() {
        let labelled = positions.iter().map(|position| Labelled {
            position,
            score: Some(evaluator.evaluate(position).0),
            result: None,
        });
        let settings = DistanceSettings::default();
        let mut trial = ExpertDistance::new(&evaluator, labelled, settings, 1).expect("labelled");
        let own: Vec<i32> = evaluator
            .weights()
            .iter()
            .map(|weight| weight.value)
            .collect();
        let mut other = own.clone();
        other[0] += 50;
        let scores =
            judged(&mut trial, &[own.clone(), other.clone()], 1, 1).expect("sound weights");
        assert!(scores[0] == 0.0 && scores[1] < 0.0, "{scores:?}");
        let compared = trial.compare(&own, &other, &[], 1).expect("sound weights");
        assert_eq!((compared.positions, compared.first), (300, 0.0));
        assert!(compared.difference > 0.0 && compared.interval.is_some_and(|it| it[0] > 0.0));
    }
}

#[test]
fn samples_come_from_the_seed_and_from_nothing_else() {
    let positions: Vec<Position> = random_positions(5, 900).collect();
    let evaluator = evaluators().remove(0);
    let members = near(&evaluator, 70, 2);
    for draw in [Draw::Generation, Draw::Member, Draw::Never] {
        let settings = DistanceSettings {
            sample: Some(100),
            draw,
            ..DistanceSettings::default()
        };
        let mut trial = trial(&evaluator, &positions, settings);
        assert_eq!(trial.judgements_per_member(), 100);
        let first = judged(&mut trial, &members, 1, 1).expect("sound weights");
        assert_eq!(
            first,
            judged(&mut trial, &members, 1, 3).expect("sound weights")
        );
        let second = judged(&mut trial, &members, 2, 1).expect("sound weights");
        assert_eq!(first == second, draw == Draw::Never, "{draw:?}");
        // The same member twice tells whether both saw the same positions.
        let twins = [members[0].clone(), members[0].clone()];
        let twins = judged(&mut trial, &twins, 1, 1).expect("sound weights");
        assert_eq!(twins[0] != twins[1], draw == Draw::Member, "{draw:?}");
    }
}

/// Each member's own sample, added up with the sample of everything else, is the
/// whole: so no position is judged twice or left out.
#[test]
fn a_members_own_sample_has_the_mean_of_its_positions() {
    let positions: Vec<Position> = random_positions(6, 600).collect();
    let evaluator = evaluators().remove(0);
    let member = near(&evaluator, 1, 3);
    let mut all = trial(&evaluator, &positions, DistanceSettings::default());
    let whole = judged(&mut all, &member, 1, 1).expect("sound weights")[0];
    let settings = DistanceSettings {
        sample: Some(599),
        draw: Draw::Member,
        ..DistanceSettings::default()
    };
    let mut most = trial(&evaluator, &positions, settings);
    let without_one = judged(&mut most, &member, 1, 1).expect("sound weights")[0];
    let left_out = -(600.0 * whole - 599.0 * without_one);
    let labels = labels(&positions);
    let own = evaluator.with_weights(&member[0]).expect("sound weights");
    let mut errors = positions
        .iter()
        .zip(labels)
        .map(|(position, label)| f64::from(own.evaluate(position).0.abs_diff(label.0)));
    assert!(
        errors.any(|error| (error - left_out).abs() < 1e-6),
        "{left_out}"
    );
}

#[test]
fn slopes_point_where_the_score_grows() {
    let positions: Vec<Position> = random_positions(7, 400).collect();
    let evaluator = evaluators().remove(0);
    for (target, distance) in [
        (Target::Score, Distance::Absolute),
        (Target::Score, Distance::Squared),
        (Target::Score, Distance::Sigmoid),
        (Target::Result, Distance::Sigmoid),
    ] {
        let settings = DistanceSettings {
            target,
            distance,
            ..DistanceSettings::default()
        };
        let mut trial = trial(&evaluator, &positions, settings);
        let weights: Vec<f64> = near(&evaluator, 1, 4)[0]
            .iter()
            .map(|&it| f64::from(it))
            .collect();
        let mut at = |weights: &[f64]| {
            let found = trial
                .gradients(&[weights.to_vec()], 1, 2)
                .expect("sound weights");
            found.expect("a distance has slopes").remove(0)
        };
        let here = at(&weights);
        // A small step along the slopes gains what they promise.
        let length: f64 = here
            .slopes
            .iter()
            .map(|slope| slope * slope)
            .sum::<f64>()
            .sqrt();
        let step = 0.01;
        let moved = weights
            .iter()
            .zip(&here.slopes)
            .map(|(weight, slope)| weight + step * slope / length);
        let gain = at(&moved.collect::<Vec<_>>()).sum - here.sum;
        let promised = step * length;
        assert!(
            (gain / promised - 1.0).abs() < 0.1,
            "{distance:?}: {gain} for {promised}"
        );
    }
}

#[test]
fn senseless_distances_are_refused() {
    let evaluator = evaluators().remove(0);
    let position = Position::initial();
    let with = |score, result, settings| {
        let labelled = Labelled {
            position: &position,
            score,
            result,
        };
        ExpertDistance::new(&evaluator, [labelled], settings, 1).map(|_| ())
    };
    let plain = DistanceSettings::default();
    let to_result = DistanceSettings {
        target: Target::Result,
        distance: Distance::Sigmoid,
        ..plain.clone()
    };
    assert!(with(Some(1), None, plain.clone()).is_ok());
    assert!(matches!(
        with(None, Some(1.0), plain.clone()),
        Err(TrialError::NoLabel { index: 0, .. })
    ));
    assert!(matches!(
        with(Some(1), None, to_result.clone()),
        Err(TrialError::NoLabel { .. })
    ));
    for (key, settings) in [
        (
            "distance",
            DistanceSettings {
                distance: Distance::Absolute,
                ..to_result.clone()
            },
        ),
        (
            "k",
            DistanceSettings {
                k: 0.0,
                ..to_result.clone()
            },
        ),
        (
            "k",
            DistanceSettings {
                k: f64::NAN,
                ..to_result
            },
        ),
        (
            "clip",
            DistanceSettings {
                clip: Some(0),
                ..plain.clone()
            },
        ),
        (
            "sample",
            DistanceSettings {
                sample: Some(0),
                ..plain.clone()
            },
        ),
    ] {
        let refused = with(Some(1), Some(1.0), settings);
        assert!(
            matches!(refused, Err(TrialError::Setting { key: found, .. }) if found == key),
            "{key}"
        );
    }
    let too_many = DistanceSettings {
        sample: Some(2),
        ..plain
    };
    assert!(matches!(
        with(Some(1), None, too_many),
        Err(TrialError::Sample { asked: 2, found: 1 })
    ));
}

#[test]
fn settings_are_read_as_a_recipe_writes_them() {
    let text = "target = 'result'\ndistance = 'sigmoid'\nk = 1.1\nsample = 1600\ndraw = 'member'";
    let settings: DistanceSettings = toml::from_str(text).expect("all keys are known");
    assert_eq!(
        (settings.target, settings.distance),
        (Target::Result, Distance::Sigmoid)
    );
    assert_eq!((settings.sample, settings.draw), (Some(1600), Draw::Member));
    assert!(toml::from_str::<DistanceSettings>("distanse = 'squared'").is_err());
    let settings: AgreementSettings =
        toml::from_str("depth = 2\nfitness = 'square'").expect("known");
    assert_eq!(
        (settings.depth, settings.fitness),
        (2, AgreementFitness::Square)
    );
}

/// Positions with a legal move each that means nothing.
fn with_moves(count: usize) -> Vec<(Position, Move)> {
    let positions = random_positions(8, 2 * count);
    let with_move = positions.filter_map(|position| {
        let moves = position.legal_moves();
        let index = position.key() as usize % moves.len().max(1);
        moves.get(index).copied().map(|m| (position, m))
    });
    with_move.take(count).collect()
}

fn borrowed(positions: &[(Position, Move)]) -> impl Iterator<Item = (&Position, Move)> {
    positions.iter().map(|(position, m)| (position, *m))
}

/// The move at one ply, the slow way.
fn choice(evaluator: &AnyEvaluator, position: &Position) -> (Move, bool) {
    let mut moves: Vec<(i32, String, Move)> = position
        .legal_moves()
        .iter()
        .map(|&m| (evaluator.evaluate(&position.after(m)).0, position.uci(m), m))
        .collect();
    moves.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let is_tie = moves.len() > 1 && moves[0].0 == moves[1].0;
    (moves[0].2, is_tie)
}

fn players() -> Vec<Player> {
    let any = Player::find("mendel").expect("built in");
    let player = |evaluator| Player {
        evaluator,
        ..any.clone()
    };
    evaluators().into_iter().map(player).collect()
}

#[test]
fn agreement_counts_the_positions_where_the_same_move_is_chosen() {
    for player in players() {
        let mut positions = with_moves(250);
        // Every other expert is the player itself, so that there is agreement.
        for (position, expert) in positions.iter_mut().step_by(2) {
            *expert = choice(&player.evaluator, position).0;
        }
        let name = player.evaluator.name();
        let settings = AgreementSettings::default();
        let mut trial =
            MoveAgreement::new(&player, borrowed(&positions), settings, 2).expect(&name);
        let own: Vec<i32> = player
            .evaluator
            .weights()
            .iter()
            .map(|weight| weight.value)
            .collect();
        let mut members = near(&player.evaluator, 5, 9);
        members.retain(|member| player.evaluator.with_weights(member).is_ok());
        members.insert(0, own);
        let scores = judged(&mut trial, &members, 1, 2).expect(&name);
        assert!(scores[0] >= 125.0, "{name}: {}", scores[0]);
        for (member, score) in members.iter().zip(&scores) {
            let evaluator = player.evaluator.with_weights(member).expect(&name);
            let chosen: Vec<(Move, bool)> = positions
                .iter()
                .map(|(position, _)| choice(&evaluator, position))
                .collect();
            let agree = positions
                .iter()
                .zip(&chosen)
                .filter(|((_, m), (own, _))| m == own);
            assert_eq!(*score, agree.count() as f64, "{name}");
            let ties = chosen.iter().filter(|(_, is_tie)| *is_tie).count() as f64 / 250.0;
            assert_eq!(trial.ties(member, 2).expect(&name), Some(ties), "{name}");
            let compared = trial.compare(&members[0], member, &[], 2).expect(&name);
            assert!(
                (compared.second - trial.report(*score)).abs() < 1e-9,
                "{name}"
            );
            assert!(
                (compared.first - trial.report(scores[0])).abs() < 1e-9,
                "{name}"
            );
        }
    }
}

#[test]
fn a_sample_of_moves_is_judged_like_the_whole() {
    let player = players().remove(0);
    let positions = with_moves(120);
    let members = near(&player.evaluator, 3, 10);
    let count = |draw, sample, threads| {
        let settings = AgreementSettings {
            sample,
            draw,
            fitness: AgreementFitness::Square,
            ..AgreementSettings::default()
        };
        let mut trial =
            MoveAgreement::new(&player, borrowed(&positions), settings, 1).expect("sound settings");
        let scores = judged(&mut trial, &members, 5, threads).expect("sound weights");
        scores
            .iter()
            .map(|&score| score.sqrt())
            .collect::<Vec<f64>>()
    };
    let whole = count(Draw::Generation, None, 1);
    for draw in [Draw::Generation, Draw::Member] {
        let most = count(draw, Some(119), 1);
        assert_eq!(most, count(draw, Some(119), 4));
        for (whole, most) in whole.iter().zip(most) {
            assert!(most == *whole || most == whole - 1.0, "{most} of {whole}");
        }
    }
}

#[test]
fn deeper_agreement_sees_what_one_ply_does_not() {
    let player = Player::find("mendel").expect("built in");
    // The queen can take a pawn that is protected; a search declines.
    let positions = [
        (
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5Q2/PPPP1PPP/RNB1KBNR w KQkq - 2 3",
            "f3f7",
        ),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
    ];
    let positions: Vec<(Position, Move)> = positions
        .iter()
        .map(|(fen, m)| {
            let position = Position::from_fen(fen).expect("a position");
            let m = position.parse_uci(m).expect("a move");
            (position, m)
        })
        .collect();
    let settings = AgreementSettings {
        depth: 3,
        ..AgreementSettings::default()
    };
    let own: Vec<i32> = player
        .evaluator
        .weights()
        .iter()
        .map(|weight| weight.value)
        .collect();
    let mut trial = MoveAgreement::new(&player, borrowed(&positions), settings, 1).expect("legal");
    // The mate is found, the blunder is not made.
    let scores = judged(&mut trial, &[own.clone(), own.clone()], 1, 2).expect("sound weights");
    assert_eq!(scores, [1.0, 1.0]);
    assert_eq!(trial.ties(&own, 1).expect("nothing to refuse"), None);
    let compared = trial.compare(&own, &own, &[], 2).expect("sound weights");
    assert_eq!((compared.first, compared.difference), (50.0, 0.0));
}

#[test]
fn moves_that_are_not_legal_are_refused() {
    let player = players().remove(0);
    let after = Position::initial().after(Position::initial().parse_uci("e2e4").expect("legal"));
    let expert = Position::initial().parse_uci("d2d4").expect("legal");
    let with = |depth, position: &Position| {
        let settings = AgreementSettings {
            depth,
            ..AgreementSettings::default()
        };
        MoveAgreement::new(&player, [(position, expert)], settings, 1).map(|_| ())
    };
    assert!(with(1, &Position::initial()).is_ok());
    assert!(matches!(
        with(1, &after),
        Err(TrialError::Illegal { index: 0, .. })
    ));
    assert!(matches!(
        with(2, &after),
        Err(TrialError::Illegal { index: 0, .. })
    ));
    assert!(matches!(
        with(0, &Position::initial()),
        Err(TrialError::Setting { key: "depth", .. })
    ));
    let nobody = MoveAgreement::new(&player, [], AgreementSettings::default(), 1).map(|_| ());
    assert!(matches!(nobody, Err(TrialError::NoPositions)));
}
