//! What the runner itself costs per move of a UCI program, in CPU time of this
//! process alone, beside python-chess's engine module in the same run.
//!
//! `cargo bench -p mendel-arena --bench runner_cost [MOVES]`. The program at the
//! other end answers at once, and both sides ask it the same: whole games with
//! every move checked, scores read, one `isready` more on our side.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use mendel_arena::{Contestant, Entrant, Pace, Reply, Turn};
use mendel_board::Game;
use rustix::time::{ClockId, clock_gettime};

const ENGINE: &str = env!("CARGO_BIN_EXE_bad-engine");
const OTHER_SIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/runner_cost.py");

/// Maximum length of a game.
const PLIES: usize = 120;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moves = std::env::args().find_map(|argument| argument.parse().ok());
    let moves: u32 = moves.unwrap_or(5000);
    let mut out = io::stdout().lock();

    let (ours, wall) = our_cost(moves)?;
    writeln!(
        out,
        "mendel        {ours:7.1} µs of CPU a move, {wall:7.1} µs of time, {moves} moves"
    )?;

    let python = Command::new("python3")
        .args([OTHER_SIDE, ENGINE, &moves.to_string(), &PLIES.to_string()])
        .output()?;
    if !python.status.success() || !Path::new(OTHER_SIDE).exists() {
        let reason = String::from_utf8_lossy(&python.stderr);
        let reason = reason.lines().last().unwrap_or("no reason given");
        writeln!(out, "python-chess  not measured: {reason}")?;
        return Ok(());
    }
    let said = String::from_utf8(python.stdout)?;
    let mut numbers = said.split_whitespace().map(str::parse::<f64>);
    let mut next = || numbers.next().ok_or("python-chess says too little");
    let (theirs, wall) = (next()??, next()??);
    writeln!(
        out,
        "python-chess  {theirs:7.1} µs of CPU a move, {wall:7.1} µs of time, {moves} moves"
    )?;
    writeln!(out, "ratio         {:7.1}", theirs / ours)?;
    Ok(())
}

/// Microseconds of CPU and of time a move.
fn our_cost(moves: u32) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let mut seat = Entrant::parse(&format!("uci:'{ENGINE}' fine"))?.seat()?;
    // Warm up, as the other side does.
    play(&mut *seat, 200)?;
    let (cpu, begun) = (cpu_time(), Instant::now());
    play(&mut *seat, moves)?;
    let per_move = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(moves);
    let spent = cpu_time().saturating_sub(cpu);
    Ok((per_move(spent), per_move(begun.elapsed())))
}

/// Plays one game after the other until enough moves were made.
fn play(seat: &mut dyn Contestant, moves: u32) -> Result<(), Box<dyn std::error::Error>> {
    let pace = Pace {
        nodes: Some(1),
        ..Pace::default()
    };
    let mut game = Game::default();
    seat.new_game(false)?;
    for _ in 0..moves {
        if game.moves().len() >= PLIES || game.position().legal_moves().is_empty() {
            game = Game::default();
            seat.new_game(false)?;
        }
        let turn = Turn {
            game: &game,
            pace,
            clock: None,
            deadline: Duration::from_secs(10),
            stop: None,
        };
        match seat.ask(&turn)? {
            Reply::Move(answer) => game.play(answer.m)?,
            Reply::Resigns => return Err("the engine resigned".into()),
        }
    }
    Ok(())
}

/// CPU time of this process, without its children.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
