//! How much of a game between two players in this process is search.
//!
//! `cargo bench -p mendel-arena --bench in_process [GAMES] [NODES]`. The CPU time
//! inside the players' thoughts, against the CPU time of whole games: moves
//! checked, clocks, adjudicator, records, and a fresh memory for each game.

use std::io::{self, Write};
use std::time::Duration;

use mendel_arena::{
    Contestant, Entrant, Fault, Fixture, GameSetting, OpeningSetting, Openings, Pace, Reply, Turn,
    play,
};
use rustix::time::{ClockId, clock_gettime};

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
    let games = numbers.next().unwrap_or(50);
    let nodes = numbers.next().unwrap_or(1000);
    let seat = || -> Result<Timed, Box<dyn std::error::Error>> {
        let player = Entrant::parse("mendel")?.seat()?;
        let thought = Duration::ZERO;
        Ok(Timed { player, thought })
    };
    let (mut white, mut black) = (seat()?, seat()?);
    let openings = Openings::own(&OpeningSetting::default());
    let pace = Pace {
        nodes: Some(nodes),
        ..Pace::default()
    };

    let begun = cpu_time();
    let mut moves = 0;
    for game in 0..games {
        let setting = GameSetting {
            opening: openings.get(game),
            white: pace,
            black: pace,
            ..GameSetting::default()
        };
        let played = play(&mut white, &mut black, &setting).ok_or("it was stopped")?;
        let fixture = Fixture {
            game,
            pair: game / 2,
            white: 0,
            black: 1,
            opening: game,
        };
        moves += played.record(fixture, String::new()).moves.len();
    }
    let whole = cpu_time().saturating_sub(begun);

    let thought = white.thought + black.thought;
    let share = 100.0 * thought.as_secs_f64() / whole.as_secs_f64();
    let per_move = 1e6 * whole.saturating_sub(thought).as_secs_f64() / moves.max(1) as f64;
    writeln!(
        io::stdout(),
        "{games} games, {moves} moves at {nodes} nodes: {share:.1} % of the CPU is search, \
         the rest is {per_move:.1} µs a move"
    )?;
    Ok(())
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
