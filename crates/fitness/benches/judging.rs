//! How fast populations are judged.
//!
//! `cargo bench -p mendel-fitness --bench judging [THREADS]`. The judging of two
//! published experiments without their breeding: GERALD's evaluation (1000 members,
//! 300 generations, 1600 of 8000 positions) and the λ-hybrid engine's (75 members,
//! 150 generations, all legal moves of 1000 positions); and for comparison what
//! asking the evaluator for each position would take.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use mendel_board::Position;
use mendel_board::sample::random_positions;
use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use mendel_fitness::trial::{
    AgreementSettings, DistanceSettings, ExpertDistance, FitnessTrial, JudgingContext, Labelled,
    MemberWeights, MoveAgreement,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::time::{ClockId, clock_gettime};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let threads = std::env::args().find_map(|argument| argument.parse().ok());
    let threads = threads.unwrap_or(2);
    distance("gerald-base", 1600, (1000, 300), threads)?;
    distance("mendel", 1600, (1000, 3), threads)?;
    agreement("lambda-ga", 1000, (75, 150), threads)?;
    agreement("mendel", 1000, (75, 3), threads)
}

/// Distance to an expert, a sample of five times as many positions a generation.
fn distance(
    name: &str,
    sample: usize,
    (members, generations): (usize, u64),
    threads: usize,
) -> Outcome {
    let Ok(player) = Player::find(name) else {
        return missing(name);
    };
    let positions: Vec<Position> = random_positions(1, 5 * sample).collect();
    let labelled = positions.iter().map(|position| Labelled {
        position,
        score: Some((position.key() % 1000) as i32 - 500),
        result: None,
    });
    let settings = DistanceSettings {
        sample: Some(sample),
        ..DistanceSettings::default()
    };
    let begun = Instant::now();
    let mut trial = ExpertDistance::new(&player.evaluator, labelled, settings, threads)?;
    let made = begun.elapsed();
    let rows = sample as f64;
    let title = format!("{name}: distance, {members} members, {sample} positions a generation");
    let population = population(&player.evaluator, members);
    let speed = run(
        &mut trial,
        &title,
        (&population, generations, threads),
        rows,
    )?;
    compare(
        &player.evaluator,
        &positions,
        (positions.len(), made, speed),
    )
}

/// Agreement with moves, all legal ones of each position.
fn agreement(
    name: &str,
    count: usize,
    (members, generations): (usize, u64),
    threads: usize,
) -> Outcome {
    let Ok(player) = Player::find(name) else {
        return missing(name);
    };
    let positions: Vec<Position> = random_positions(2, 2 * count)
        .filter(|position| !position.legal_moves().is_empty())
        .take(count)
        .collect();
    let moves = positions.iter().map(|position| {
        let moves = position.legal_moves();
        (position, moves[position.key() as usize % moves.len()])
    });
    let begun = Instant::now();
    let mut trial = MoveAgreement::new(&player, moves, AgreementSettings::default(), threads)?;
    let made = begun.elapsed();
    let rows: usize = positions.iter().map(|it| it.legal_moves().len()).sum();
    let title = format!("{name}: agreement, {members} members, {rows} moves of {count} positions");
    let population = population(&player.evaluator, members);
    let speed = run(
        &mut trial,
        &title,
        (&population, generations, threads),
        rows as f64,
    )?;
    compare(&player.evaluator, &positions, (rows, made, speed))
}

fn missing(name: &str) -> Outcome {
    writeln!(io::stdout(), "{name}: there is no such player yet")?;
    Ok(())
}

/// Members that differ, so that nothing is the same twice.
fn population(evaluator: &AnyEvaluator, members: usize) -> Vec<MemberWeights> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let weights = evaluator.weights();
    let member = |_| {
        let near = |weight: &mendel_evaluator::Weight| weight.value + rng.random_range(-8..=8);
        weights.iter().map(near).collect::<Vec<i32>>().into()
    };
    (0..members).map(member).collect()
}

fn run(
    trial: &mut dyn FitnessTrial,
    title: &str,
    (population, generations, threads): (&[MemberWeights], u64, usize),
    rows: f64,
) -> Result<f64, Box<dyn std::error::Error>> {
    let (wall, cpu) = (Instant::now(), cpu_time());
    let mut context = JudgingContext::local(0, threads);
    for generation in 0..generations {
        context.seed = generation;
        context.generation = generation as u32;
        black_box(trial.judge(population, &mut context)?);
    }
    let (wall, cpu) = (wall.elapsed(), cpu_time().saturating_sub(cpu));
    let judgements = rows * population.len() as f64 * generations as f64;
    let speed = judgements / 1e6 / cpu.as_secs_f64();
    writeln!(
        io::stdout(),
        "{title}, {generations} generations on {threads} threads: {:.2} s, {:.2} s of CPU; \
         {:.0} million judgements, {speed:.0} million a second of CPU",
        wall.as_secs_f64(),
        cpu.as_secs_f64(),
        judgements / 1e6,
    )?;
    Ok(speed)
}

/// What one call of the evaluator takes, and one position as a row.
fn compare(
    evaluator: &AnyEvaluator,
    positions: &[Position],
    (rows, made, speed): (usize, Duration, f64),
) -> Outcome {
    let mut judge = evaluator.judge();
    let begun = cpu_time();
    for position in positions {
        black_box(judge.evaluate(position));
    }
    let each = cpu_time().saturating_sub(begun).as_secs_f64() / positions.len() as f64;
    writeln!(
        io::stdout(),
        "    that is {:.0} times the evaluator itself, which judges {:.2} million a second; \
         making {rows} rows took {:.0} ms",
        speed * 1e6 * each,
        1e-6 / each,
        1e3 * made.as_secs_f64(),
    )?;
    Ok(())
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
