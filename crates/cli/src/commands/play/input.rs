//! The input of a person in `mendel play`.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlayInput {
    Nothing,
    /// Any text that is not a command; probably a move.
    Move(String),
    Undo,
    Hint,
    Flip,
    Fen,
    Pgn,
    New,
    Resign,
    Help,
    Quit,
}

pub(super) const HELP: &str = "\
  e4, Nf3, e2e4   play a move
  undo            take back your last move and the answer to it
  hint            what the engine would play
  flip            turn the board
  fen, pgn        the position, or the game, as text
  new             start again
  resign          give up
  quit            leave
";

impl PlayInput {
    /// Reads a line; commands may have capitals.
    pub(super) fn read(line: &str) -> Self {
        match line.trim().to_lowercase().as_str() {
            "" => Self::Nothing,
            "undo" | "u" => Self::Undo,
            "hint" | "h" => Self::Hint,
            "flip" => Self::Flip,
            "fen" => Self::Fen,
            "pgn" => Self::Pgn,
            "new" => Self::New,
            "resign" => Self::Resign,
            "help" | "?" => Self::Help,
            "quit" | "exit" | "q" => Self::Quit,
            _ => Self::Move(line.trim().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_a_command_is_a_move() {
        for (line, input) in [
            ("  ", PlayInput::Nothing),
            ("UNDO", PlayInput::Undo),
            (" hint ", PlayInput::Hint),
            ("?", PlayInput::Help),
            ("exit", PlayInput::Quit),
            ("Bb5", PlayInput::Move("Bb5".to_owned())),
            ("b5", PlayInput::Move("b5".to_owned())),
        ] {
            assert_eq!(PlayInput::read(line), input, "{line}");
        }
    }
}
