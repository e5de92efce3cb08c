//! Requests from the command line, checked; and the error for a wrong one.

use std::env;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use mendel_arena::{Entrant, Kind};
use mendel_board::Position;
use mendel_data::DataSet;
use mendel_engine::{Player, memory};
use mendel_evaluator::AnyEvaluator;

/// A wrong request: exit code 2.
#[derive(Debug)]
pub(crate) struct UsageError {
    /// Names the input and the reason.
    pub(crate) message: String,
    /// Remedies.
    pub(crate) hints: Vec<String>,
}

impl UsageError {
    pub(crate) fn new(message: impl fmt::Display, hint: impl Into<String>) -> Self {
        Self {
            hints: vec![hint.into()],
            ..Self::without_hint(message)
        }
    }

    /// Returns the error from a function.
    pub(crate) fn bail<T>(
        message: impl fmt::Display,
        hint: impl Into<String>,
    ) -> anyhow::Result<T> {
        Err(Self::new(message, hint).into())
    }

    /// An error whose message has the remedy.
    pub(crate) fn without_hint(message: impl fmt::Display) -> Self {
        Self {
            message: message.to_string(),
            hints: Vec::new(),
        }
    }
}

/// Makes an error a wrong request with a hint.
pub(crate) trait OrUsageError<T> {
    fn or_hint(self, hint: &str) -> Result<T, UsageError>;
}

impl<T, E: fmt::Display> OrUsageError<T> for Result<T, E> {
    fn or_hint(self, hint: &str) -> Result<T, UsageError> {
        self.map_err(|error| UsageError::new(error, hint))
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UsageError {}

/// Sets the limit of memory to `MENDEL_MEMORY`, in MiB.
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
    mendel_store::check_replace(path).map_err(UsageError::without_hint)
}

/// Of experiments that cannot be resumed with the programs and files there are now.
pub(crate) const INPUTS_HINT: &str = "`inputs.toml` in the folder has the build of this program and the SHA-256 of each program and file, as `sha256sum` prints it";

/// The position that the words of a command line stand for, the initial position without any.
/// A FEN need not be quoted.
pub(crate) fn position(words: &[String]) -> Result<Position, UsageError> {
    let text = words.join(" ");
    match text.trim() {
        "" | "startpos" => Ok(Position::initial()),
        fen => Position::from_fen(fen).or_hint(
            "a FEN looks like `rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1`; `startpos` is short for it",
        ),
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
        _ => Player::find(name).or_hint(KNOWN),
    }
}

const KNOWN: &str =
    "`mendel players` lists the built-in players; a player file is named by its path";

/// The evaluator of a player, if its moves depend on it.
pub(crate) fn evaluator(player: &Player) -> Result<&AnyEvaluator, UsageError> {
    player.used_evaluator().or_hint(NO_EVALUATOR)
}

pub(crate) const NO_EVALUATOR: &str = "`mendel eval POSITION --player PLAYER` shows the moves that its network expects; \
     `mendel players` lists the evaluators of other players";

/// A player and numbers of it: `human?Rating=1200`.
fn player_with_options(text: &str) -> Result<Player, UsageError> {
    let entrant = Entrant::parse(text).or_hint(KNOWN)?;
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
        let set = match number {
            Some(number) => player.set(&name, number).map_err(|it| it.to_string()),
            None => Err(format!("`{name}={value}` is no whole number")),
        };
        set.map_err(|reason| format!("`{text}`: {reason}"))
            .or_hint(hint)?;
    }
    player.name = entrant.name;
    Ok(player)
}

/// A data set of positions: a built-in one or a file.
pub(crate) fn data_set(name: &str) -> Result<DataSet, UsageError> {
    DataSet::find(name).or_hint(DATA_SETS)
}

pub(crate) const DATA_SETS: &str =
    "`mendel data list` names the built-in sets; a file is named by its path";

/// The command as it was given, for a record.
pub(crate) fn command_line() -> String {
    let quoted = |word: String| {
        let plain = word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./:=,+%".contains(c));
        if plain && !word.is_empty() {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words: Vec<String> = env::args().skip(1).map(quoted).collect();
    format!("mendel {}", words.join(" "))
}
