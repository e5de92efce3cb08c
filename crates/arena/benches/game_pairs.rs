//! How much of a generation judged by games is search, and how long it takes.
//!
//! `cargo bench -p mendel-arena --bench game_pairs [PAIRS] [NODES] [THREADS]`. Twenty
//! members in this process meet each other, with tables of 1 MiB: as [`GamePairs`] on
//! THREADS threads, and once more one after the other with a stopwatch around every
//! thought. Both play the same games node by node, which is checked. With the
//! stopwatch every game gets new engines, more than games make, and thoughts and
//! whole are taken in the same turn, so that others at the machine slow both.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use mendel_arena::task::PairTask;
use mendel_arena::{
    Adjudication, Contestant, Entrant, Fault, GamePair, GamePairs, GameSetting, OpeningSetting,
    Openings, Pace, Patience, Reply, Turn, map_pairs, play,
};
use mendel_crew::{Crew, CrewError, Done, Mapped};
use mendel_engine::Player;
use rustix::time::{ClockId, clock_gettime};

const MEMBERS: usize = 20;
/// Games that a generation may need, and minutes for them.
const GENERATION: f64 = 20.0 * 200.0;
const LIMIT: f64 = 15.0;
/// Passes everything on and adds up what the thoughts cost.
struct Timed {
    player: Box<dyn Contestant>,
    thought: Duration,
}

impl Contestant for Timed {
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        self.player.new_game(chess960)
    }

    fn supports(&self, pace: &Pace) -> Result<(), Fault> {
        self.player.supports(pace)
    }

    fn ask(&mut self, turn: &Turn) -> Result<Reply, Fault> {
        let begun = cpu_time();
        let reply = self.player.ask(turn);
        self.thought += cpu_time().saturating_sub(begun);
        reply
    }

    fn game_over(&mut self, result: &str, reason: &str) {
        self.player.game_over(result, reason);
    }

    fn recent_output(&self) -> Vec<String> {
        self.player.recent_output()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse().ok());
    let pairs = numbers.next().unwrap_or(30);
    let nodes = numbers.next().unwrap_or(1000);
    let threads = numbers.next().unwrap_or(2) as usize;
    let setup = setup(nodes)?;
    let pairs: Vec<GamePair> = (0..pairs)
        .map(|id| {
            let first = id as usize % MEMBERS;
            let apart = 1 + id as usize / MEMBERS % (MEMBERS - 1);
            GamePair {
                id,
                first,
                second: (first + apart) % MEMBERS,
                opening: id as usize % setup.openings.len(),
                only: None,
            }
        })
        .collect();
    let mut out = io::stdout().lock();

    // 1. The share of search.
    let games = 2 * pairs.len();
    let per_game = |time: Duration| time.as_secs_f64() / games as f64;
    let begun = cpu_time();
    let (thought, expected) = think(&setup, &pairs)?;
    let whole = cpu_time().saturating_sub(begun);
    writeln!(
        out,
        "{games} games at {nodes} nodes with a stopwatch: {:.1} % of the CPU is search, \
         {:.1} ms of CPU a game",
        100.0 * thought.as_secs_f64() / whole.as_secs_f64(),
        1000.0 * per_game(whole)
    )?;

    // 2. The time of a generation.
    let (begun, cpu) = (Instant::now(), cpu_time());
    let (searched, plies) = run(&setup, &pairs, threads);
    let (took, cpu) = (begun.elapsed(), cpu_time().saturating_sub(cpu));
    assert_eq!(searched, expected, "both play the same games");
    let generation = |time: Duration| per_game(time) * GENERATION / 60.0;
    writeln!(
        out,
        "{games} games, {plies} half-moves, {searched} nodes as games on {threads} threads: \
         {:.1} ms of CPU and {:.1} ms of time a game",
        1000.0 * per_game(cpu),
        1000.0 * per_game(took)
    )?;
    writeln!(
        out,
        "{GENERATION} games take {:.1} minutes of as many free cores, {:.1} at this speed \
         (at most {LIMIT})",
        generation(cpu) / threads.max(1) as f64,
        generation(took)
    )?;
    Ok(())
}

/// Members that differ a little, as those of a generation do.
fn setup(nodes: u64) -> Result<GamePairs, Box<dyn std::error::Error>> {
    let book = Openings::own(&OpeningSetting::default());
    let mut entrants = Vec::new();
    for member in 0..MEMBERS {
        let mut player = Player::find("mendel")?;
        player.params.set("aspiration_window", 10 + member as i64)?;
        let options = vec![("Hash".to_owned(), "1".to_owned())];
        entrants.push(Entrant::bred(
            format!("member {member}"),
            Arc::new(player),
            options,
        ));
    }
    Ok(GamePairs {
        entrants,
        openings: (0..20).map(|index| book.get(index)).collect(),
        pace: Pace {
            nodes: Some(nodes),
            ..Pace::default()
        },
        patience: Patience::default(),
        adjudication: Adjudication::default(),
    })
}

/// Plays the pairs; how many nodes were searched and half-moves made.
fn run(setup: &GamePairs, pairs: &[GamePair], threads: usize) -> (u64, u64) {
    let (mut nodes, mut plies) = (0, 0);
    let (crew, task) = (Crew::threads(threads), PairTask::new(setup));
    let mapped = map_pairs(
        &crew,
        &task,
        pairs,
        &AtomicBool::new(false),
        &mut |_, done| {
            let Done::Output(games) = done else {
                return Ok(());
            };
            for game in games {
                nodes += game.nodes;
                plies += u64::from(game.plies);
            }
            Ok::<(), CrewError>(())
        },
    );
    assert!(matches!(mapped, Ok(Mapped::All)), "threads play all games");
    (nodes, plies)
}

/// Plays the same games with a stopwatch: CPU time of the thoughts, and nodes.
fn think(
    games: &GamePairs,
    pairs: &[GamePair],
) -> Result<(Duration, u64), Box<dyn std::error::Error>> {
    let (mut nodes, mut thought) = (0, Duration::ZERO);
    for pair in pairs {
        for (white, black) in [(pair.first, pair.second), (pair.second, pair.first)] {
            let seat = |player: usize| -> Result<Timed, Box<dyn std::error::Error>> {
                let player = games.entrants[player].seat()?;
                let thought = Duration::ZERO;
                Ok(Timed { player, thought })
            };
            let (mut white, mut black) = (seat(white)?, seat(black)?);
            let setting = GameSetting {
                opening: games.openings[pair.opening].clone(),
                white: games.pace,
                black: games.pace,
                ..GameSetting::default()
            };
            let played = play(&mut white, &mut black, &setting).ok_or("it was stopped")?;
            nodes += played.moves.iter().filter_map(|it| it.nodes).sum::<u64>();
            thought += white.thought + black.thought;
        }
    }
    Ok((thought, nodes))
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
