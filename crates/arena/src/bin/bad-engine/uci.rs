//! Faults in UCI.

use std::io::{self, BufRead, Write};
use std::process::Command as Process;
use std::thread;
use std::time::Duration;

use mendel_board::{Game, Position};
use mendel_engine::uci::{StartPosition, UciCommand};
use rustix::process::{Signal, getpid, kill_process};

use crate::{choose, play_all, say, sleep_forever};

pub(crate) fn run(misdeed: &str, at: u32) -> io::Result<()> {
    at_start(misdeed)?;
    let mut game = Game::default();
    let (mut moves, mut games, mut ready) = (0, 0, 0);
    for line in io::stdin().lock().lines() {
        match UciCommand::read(&line?).0 {
            Some(UciCommand::Uci) => greet(misdeed)?,
            Some(UciCommand::IsReady) => match misdeed {
                "no-readyok" => {}
                "late-readyok" if moves >= at => {}
                "stuck" => {
                    say("readyok")?;
                    ready += 1;
                    // After the options, after the new game, and no more.
                    if ready > 2 {
                        sleep_forever();
                    }
                }
                _ => say("readyok")?,
            },
            Some(UciCommand::NewGame) => {
                games += 1;
                if misdeed == "die-between" && games > 1 {
                    return Ok(());
                }
            }
            Some(UciCommand::Position { start, moves }) => {
                game = Game::new(match start {
                    StartPosition::Initial => Position::initial(),
                    StartPosition::Fen(fen) => {
                        Position::from_fen(&fen).unwrap_or_else(|_| Position::initial())
                    }
                });
                play_all(&mut game, &moves);
                if misdeed == "early" {
                    say("bestmove h7h8")?;
                }
            }
            Some(UciCommand::Go(_)) => {
                moves += 1;
                if moves >= at {
                    misbehave(misdeed, &game)?;
                }
                answer(&game)?;
                if misdeed == "twice" {
                    answer(&game)?;
                }
                if misdeed == "deaf" && moves >= at {
                    sleep_forever();
                }
            }
            Some(UciCommand::SetOption { name, value }) => {
                let value = value.unwrap_or_default();
                writeln!(io::stderr(), "{name} is now {value}")?;
            }
            Some(UciCommand::Quit) if misdeed != "ignore-quit" => return Ok(()),
            _ => {}
        }
    }
    if misdeed == "ignore-quit" {
        sleep_forever();
    }
    Ok(())
}

fn at_start(misdeed: &str) -> io::Result<()> {
    match misdeed {
        "exit-at-start" => {
            writeln!(io::stderr(), "no licence found")?;
            exit(3);
        }
        // The grandchild keeps all three pipes.
        "grandchild" | "grandchild-and-exit" => {
            Process::new("sleep").arg("3600").spawn()?;
        }
        "flood-at-start" => flood_stdout(),
        "deaf-from-start" => sleep_forever(),
        "slow" => thread::sleep(Duration::from_millis(2500)),
        _ => {}
    }
    Ok(())
}

fn greet(misdeed: &str) -> io::Result<()> {
    if misdeed == "no-uciok" {
        return Ok(());
    }
    if misdeed == "xboard-only" {
        return say("Error (unknown command): uci");
    }
    say("id name Bad Engine 1.0")?;
    say("id author nobody")?;
    say("option name Hash type spin default 16 min 1 max 1024")?;
    say("option name Style type combo default Solid var Solid var Wild")?;
    say("option name MultiPV type spin default 1 min 1 max 4")?;
    say("option name Clear Hash type button")?;
    say("uciok")
}

/// The harmless answer, with unusual fields.
fn answer(game: &Game) -> io::Result<()> {
    let best = choose(game.position());
    let best = best.as_deref().unwrap_or("(none)");
    say(&format!(
        "info depth 1 score cp 13 nodes 20 time 0 pv {best}\nbestmove {best} ponder a1a1"
    ))
}

fn misbehave(misdeed: &str, game: &Game) -> io::Result<()> {
    match misdeed {
        "abort" => {
            writeln!(io::stderr(), "assertion failed: it will not work")?;
            std::process::abort();
        }
        "segfault" => kill_process(getpid(), Signal::SEGV)?,
        "exit" | "grandchild-and-exit" => exit(7),
        "stall" => {
            say("info string thinking very hard")?;
            sleep_forever();
        }
        "illegal" => say("bestmove e2e5")?,
        "none" => say("bestmove")?,
        "null" => say("bestmove 0000")?,
        "garbage" => say("bestmove \u{fffd}\u{1b}[31m%s%n")?,
        "babble" => {
            say("Thinking...\n\ninfo\nbestmov e2e4\nreadyok\ninfo score cp x depth\nid name")?;
        }
        "binary" => {
            let mut out = io::stdout().lock();
            out.write_all(&[0xff, 0xfe, 0, 7, b'\r', b'\n'])?;
        }
        "flood-stdout" => flood_stdout(),
        "flood-stderr" => loop {
            let _ = io::stderr().write_all(&[b'x'; 4096]);
        },
        "long-line" => {
            let mut out = io::stdout().lock();
            for _ in 0..100 {
                let _ = out.write_all(&vec![b'x'; 1 << 20]);
            }
        }
        "close-stdout" => {
            let null = std::fs::File::options().write(true).open("/dev/null")?;
            rustix::stdio::dup2_stdout(&null)?;
            sleep_forever();
        }
        "late" => thread::sleep(Duration::from_secs(6)),
        "bounds" => {
            let best = choose(game.position()).unwrap_or_default();
            say(&format!(
                "info depth 5 multipv 1 score cp 50 nodes 500 pv {best}\n\
                 info depth 5 multipv 2 score cp -70 nodes 500 pv {best}\n\
                 info depth 6 score cp 90 lowerbound nodes 900 pv {best}\n\
                 bestmove {best}"
            ))?;
        }
        _ => {}
    }
    Ok(())
}

#[expect(clippy::exit, reason = "to leave in the middle is the misdeed")]
fn exit(status: i32) -> ! {
    std::process::exit(status)
}

/// Lines without end.
fn flood_stdout() -> ! {
    let mut out = io::stdout().lock();
    loop {
        let _ = out.write_all("info string blah blah blah\n".repeat(1000).as_bytes());
    }
}
