//! An xboard program in one of the protocol's dialects, with faults.

use std::io;

use mendel_board::{Game, Position};
use mendel_engine::xboard::XboardCommand;

use crate::{choose, say, sleep_forever};

struct Engine<'a> {
    dialect: &'a str,
    misdeed: &'a str,
    game: Game,
    forced: bool,
    level: Option<String>,
}

/// `dialect`: `full`, `plain` (no `setboard`, bare moves), `san`, `once` (plays one
/// game), `old` (knows no features).
pub(crate) fn run(dialect: &str, misdeed: &str) -> io::Result<()> {
    let mut engine = Engine {
        dialect,
        misdeed,
        game: Game::default(),
        forced: false,
        level: None,
    };
    for line in io::stdin().lines() {
        if !engine.obey(&line?)? {
            break;
        }
    }
    Ok(())
}

impl Engine<'_> {
    /// Does what a line says; `false` means to leave.
    fn obey(&mut self, line: &str) -> io::Result<bool> {
        match line.parse() {
            Ok(XboardCommand::Protover(_)) => self.greet()?,
            Ok(XboardCommand::New) => {
                self.game = Game::default();
                self.forced = false;
            }
            Ok(XboardCommand::Force) => self.forced = true,
            Ok(XboardCommand::Ping(number)) if self.dialect != "old" => {
                say(&format!("pong {number}"))?;
            }
            Ok(XboardCommand::SetBoard(fen)) if self.dialect == "full" => {
                match Position::from_fen(&fen) {
                    Ok(position) => self.game = Game::new(position),
                    Err(error) => say(&format!("tellusererror Illegal position: {error}"))?,
                }
            }
            Ok(XboardCommand::Go) => {
                self.forced = false;
                self.think()?;
            }
            Ok(XboardCommand::UserMove(text)) => self.take(&text)?,
            Ok(
                XboardCommand::Level(_)
                | XboardCommand::SecondsPerMove(_)
                | XboardCommand::Depth(_),
            ) => {
                self.level = Some(line.to_owned());
            }
            Ok(XboardCommand::Quit) => return Ok(false),
            Ok(_) => {}
            // SAN is no command of the grammar.
            Err(_) if self.game.position().parse_san(line).is_ok() => self.take(line)?,
            Err(_) => say(&format!("Error (unknown command): {line}"))?,
        }
        Ok(true)
    }

    fn greet(&self) -> io::Result<()> {
        match self.dialect {
            "full" => say("feature done=0\n\
                 feature ping=1 setboard=1 usermove=1 memory=1 colors=0\n\
                 feature myname=\"Bad Engine\" option=\"Style -combo *Solid /// Wild\" done=1"),
            "plain" => say("feature ping=1 myname=\"Plain Engine\" done=1"),
            "san" => say("feature ping=1 san=1 done=1"),
            "once" => say("feature ping=1 usermove=1 reuse=0 done=1"),
            "undone" => say("feature done=0"),
            _ => Ok(()),
        }
    }

    fn take(&mut self, text: &str) -> io::Result<()> {
        if self.misdeed == "refuse" {
            return say(&format!("Illegal move: {text}"));
        }
        match self.game.position().parse_move(text) {
            Ok(m) => {
                let _ = self.game.play(m);
                if self.forced { Ok(()) } else { self.think() }
            }
            Err(_) => say(&format!("Illegal move: {text}")),
        }
    }

    fn think(&mut self) -> io::Result<()> {
        match self.misdeed {
            "resign" => return say("resign"),
            "claim-loss" => {
                let turn = self.game.position().turn();
                return say(turn.fold_wb("0-1 {White resigns}", "1-0 {Black resigns}"));
            }
            "claim-draw" => return say("1/2-1/2 {I am tired}"),
            "offer" => say("offer draw")?,
            "illegal" => return say("move e2e5"),
            "stall" => sleep_forever(),
            _ => {}
        }
        let Some(best) = choose(self.game.position()) else {
            return say("1/2-1/2 {Stalemate}");
        };
        let m = self.game.position().parse_uci(&best);
        let m = m.map_err(io::Error::other)?;
        let san = self.game.position().san(m);
        let level = self.level.as_deref().unwrap_or("no level");
        say(&format!("# {level}\n  3    17     2      345\t{san}"))?;
        match self.dialect {
            "san" => say(&format!("move {san}"))?,
            "old" => say(&format!("1. ... {best}\nMy move is: {best}"))?,
            _ => say(&format!("move {best}"))?,
        }
        self.game.play(m).map_err(io::Error::other)
    }
}
