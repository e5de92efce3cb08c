//! What a person may type.

/// What a person may type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Nothing but blanks.
    Nothing,
    /// Anything that is no command: hopefully a move.
    Move(String),
    /// Take back.
    Undo,
    /// What would the engine play?
    Hint,
    /// Turn the board.
    Flip,
    /// The position as FEN.
    Fen,
    /// The game as PGN.
    Pgn,
    /// Start again.
    New,
    /// Give up.
    Resign,
    /// What can be typed?
    Help,
    /// Leave.
    Quit,
}

/// The answer to `help`.
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

impl Order {
    /// Understands a line; capitals make no difference to a command.
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
    fn what_is_no_command_is_a_move() {
        for (line, order) in [
            ("  ", Order::Nothing),
            ("UNDO", Order::Undo),
            (" hint ", Order::Hint),
            ("?", Order::Help),
            ("exit", Order::Quit),
            ("Bb5", Order::Move("Bb5".to_owned())),
            ("b5", Order::Move("b5".to_owned())),
        ] {
            assert_eq!(Order::read(line), order, "{line}");
        }
    }
}
