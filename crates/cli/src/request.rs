//! What was asked for, turned into what can be worked with; or why it cannot.

use std::env;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use mendel_arena::{Entrant, Kind};
use mendel_board::Position;
use mendel_engine::{Player, memory};
use mendel_evaluator::AnyEvaluator;
use mendel_store::{InputHashes, InputsError};

/// The request was wrong: exit code 2, and hints on how to make it right.
#[derive(Debug)]
pub(crate) struct UsageError {
    /// What is wrong, naming the input.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hints: Vec<String>,
}

impl UsageError {
    /// What is wrong, and what to do.
    pub(crate) fn new(message: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self {
            message: message.to_string(),
            hints: vec![hint.into()],
        }
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UsageError {}

/// Sets the memory that `MENDEL_MEMORY` says is available.
pub(crate) fn limit_memory() -> Result<(), UsageError> {
    let Some(text) = env::var_os("MENDEL_MEMORY") else {
        return Ok(());
    };
    let number = text.to_str().and_then(|text| text.parse::<u64>().ok());
    let mebibytes = number.filter(|it| (1..=1 << 40).contains(it));
    let mebibytes = mebibytes.ok_or_else(|| {
        let message = format!("MENDEL_MEMORY is `{}`", text.display());
        UsageError::new(message, "it is a whole number of MiB, at least 1")
    })?;
    memory::set_limit(mebibytes << 20);
    Ok(())
}

/// Refuses a file that cannot be written, before the work that would fill it.
pub(crate) fn writable(path: &Path) -> Result<(), UsageError> {
    mendel_store::check_replace(path).map_err(|error| UsageError {
        // It says what to do.
        message: error.to_string(),
        hints: Vec::new(),
    })
}

/// An experiment cannot be resumed with what its folder or this machine has now.
pub(crate) fn changed(error: InputsError) -> anyhow::Error {
    if matches!(error, InputsError::Replace(_)) {
        return error.into();
    }
    let hint = format!(
        "`{}` in the folder has the build of this program and the SHA-256 of each program and file, as `sha256sum` prints it",
        InputHashes::FILE
    );
    UsageError::new(error, hint).into()
}

/// The position that the words of a command line stand for; none is the initial
/// position. A FEN need not be quoted.
pub(crate) fn position(words: &[String]) -> Result<Position, UsageError> {
    let text = words.join(" ");
    match text.trim() {
        "" | "startpos" => Ok(Position::initial()),
        fen => Position::from_fen(fen).map_err(|error| {
            UsageError::new(
                error,
                "a FEN looks like `rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1`; `startpos` is short for it",
            )
        }),
    }
}

/// The player that `--player` or else `MENDEL_PLAYER` names, with its options.
pub(crate) fn player(name: Option<&str>) -> Result<Player, UsageError> {
    let from_environment = env::var("MENDEL_PLAYER").ok();
    let name = name
        .or(from_environment.as_deref())
        .unwrap_or(Player::DEFAULT);
    match name.rsplit_once('?') {
        Some(_) if !Path::new(name).is_file() => player_with_options(name),
        _ => Player::find(name).map_err(|error| UsageError::new(error, KNOWN)),
    }
}

const KNOWN: &str =
    "`mendel players` lists the built-in players; a player file is named by its path";

/// The evaluator of a player, where its moves depend on it.
pub(crate) fn evaluator(player: &Player) -> Result<&AnyEvaluator, UsageError> {
    player
        .used_evaluator()
        .map_err(|error| UsageError::new(error, NO_EVALUATOR))
}

/// What to do where a player uses no evaluator.
pub(crate) const NO_EVALUATOR: &str = "`mendel eval POSITION --player PLAYER` shows the moves that its network expects; \
     `mendel players` lists the evaluators of other players";

/// A player and numbers of it: `human?Rating=1200`.
fn player_with_options(text: &str) -> Result<Player, UsageError> {
    let entrant = Entrant::parse(text).map_err(|error| UsageError::new(error, KNOWN))?;
    let (Kind::Bred(player), None) = (entrant.kind, entrant.pace) else {
        return Err(UsageError::new(
            format!("`{text}` is not a player of this program with numbers of its own"),
            "write NAME?Option=Value&Option=Value",
        ));
    };
    let mut player = Arc::unwrap_or_clone(player);
    for (name, value) in entrant.options {
        let number = match value.to_ascii_lowercase().as_str() {
            "true" => Some(1),
            "false" => Some(0),
            number => number.parse().ok(),
        };
        let hint = "what a player offers: `mendel uci --tunable --player NAME`, then `uci`";
        let number = number.ok_or_else(|| {
            UsageError::new(
                format!("`{text}`: `{name}={value}` is no whole number"),
                hint,
            )
        })?;
        let set = player.set(&name, number);
        set.map_err(|error| UsageError::new(format!("`{text}`: {error}"), hint))?;
    }
    player.name = entrant.name;
    Ok(player)
}

/// The command as it was given, for a record.
pub(crate) fn command_line() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let quoted = |word: &String| {
        let plain = word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./:=,+%".contains(c));
        if plain && !word.is_empty() {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words: Vec<String> = words.iter().map(quoted).collect();
    format!("mendel {}", words.join(" "))
}
