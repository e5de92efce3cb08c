//! Players as they are written on the command line.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mendel_engine::{Player, PlayerError};
use percent_encoding::percent_decode_str;

use crate::Pace;

/// A player as the user names it: a player of ours, or another program.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// What it is called in tables; unique in a match.
    pub name: String,
    /// As it was written.
    pub text: String,
    pub kind: Kind,
    /// Its own pace, where it differs from the match's.
    pub pace: Option<Pace>,
    /// Engine options in the order given: `Hash`, `Threads` …
    pub options: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// Plays in this process.
    Bred(Arc<Player>),
    /// A program of its own.
    Program {
        /// The program and its arguments; never empty.
        command: Vec<String>,
        /// What it speaks; `None` means UCI is tried first, then xboard.
        protocol: Option<Protocol>,
        /// Where it runs; here if nothing is said.
        directory: Option<PathBuf>,
        environment: BTreeMap<String, String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Uci,
    /// The Chess Engine Communication Protocol of xboard, version 2.
    Xboard,
}

/// A text that names no player; says why and how players are written.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct EntrantError {
    message: String,
    /// The built-in player or the player file that cannot be used.
    source: Option<Box<PlayerError>>,
}

impl EntrantError {
    fn new(message: String) -> Self {
        let source = None;
        Self { message, source }
    }

    fn command(text: &str, reason: impl Display) -> Self {
        Self::new(format!("`{text}` is not a command: {reason}"))
    }
}

impl From<PlayerError> for EntrantError {
    fn from(error: PlayerError) -> Self {
        Self {
            message: error.to_string(),
            source: Some(Box::new(error)),
        }
    }
}

/// What the runner understands itself; everything else is for the engine.
const RUNNER_KEYS: [&str; 7] = [
    ".name",
    ".dir",
    ".env.NAME",
    ".tc",
    ".movetime",
    ".nodes",
    ".depth",
];

impl Entrant {
    /// Reads an entrant: a built-in name, a player file, or `cmd:PROGRAM ARGS`
    /// (`uci:` and `xboard:` force a protocol), with options after the last `?`
    /// as `Name=Value&Name=Value`, percent-decoded.
    ///
    /// Keys with a leading dot are for the runner: `.name`, `.dir`, `.env.NAME`
    /// and the entrant's own pace, `.tc`, `.movetime` (milliseconds), `.nodes`,
    /// `.depth`. Before the options, `%3F` stands for `?` and `%25` for `%`.
    ///
    /// # Errors
    ///
    /// If the text is not a player; the player file is read, but no program is
    /// started.
    pub fn parse(text: &str) -> Result<Self, EntrantError> {
        let text = text.trim();

        // 1. Who, and with what.
        let settings = match text.rsplit_once('?') {
            None => Settings::default(),
            Some((_, settings)) => Settings::read(text, settings)?,
        };
        let who = who(text);

        // 2. A program or a player of ours.
        let forced = [
            ("cmd:", None),
            ("uci:", Some(Protocol::Uci)),
            ("xboard:", Some(Protocol::Xboard)),
        ];
        let program = forced
            .into_iter()
            .find_map(|(prefix, protocol)| Some((who.strip_prefix(prefix)?, protocol)));
        let (name, kind) = if let Some((line, protocol)) = program {
            let command = split_command(line)?;
            let name = program_name(&command[0]);
            let kind = Kind::Program {
                command,
                protocol,
                directory: settings.directory,
                environment: settings.environment,
            };
            (name, kind)
        } else {
            if settings.directory.is_some() || !settings.environment.is_empty() {
                let reason = "`.dir` and `.env` are for programs: `cmd:`, `uci:` or `xboard:`";
                return Err(options_error(text, reason));
            }
            let player = Player::find(&who)?;
            (player.name.clone(), Kind::Bred(Arc::new(player)))
        };
        Ok(Self {
            name: settings.name.unwrap_or(name),
            text: text.to_owned(),
            kind,
            pace: settings.pace,
            options: settings.options,
        })
    }

    /// The name, player file or command in the text, without the options.
    pub(crate) fn who(&self) -> String {
        who(&self.text)
    }

    /// A player that is in memory only: bred a moment ago, and in no file.
    pub fn bred(
        name: impl Into<String>,
        player: Arc<Player>,
        options: Vec<(String, String)>,
    ) -> Self {
        let name = one_line(&name.into());
        Self {
            text: name.clone(),
            name,
            kind: Kind::Bred(player),
            pace: None,
            options,
        }
    }
}

/// What stands after the `?`.
#[derive(Debug, Default)]
struct Settings {
    name: Option<String>,
    directory: Option<PathBuf>,
    environment: BTreeMap<String, String>,
    pace: Option<Pace>,
    options: Vec<(String, String)>,
}

impl Settings {
    fn read(text: &str, settings: &str) -> Result<Self, EntrantError> {
        let mut read = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for pair in settings.split('&') {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                let reason = if settings.is_empty() {
                    "nothing follows the last `?`".to_owned()
                } else {
                    format!("`{pair}` has no `=`")
                };
                options_error(text, reason)
            })?;
            let (key, value) = (decode(text, key)?, decode(text, value)?);
            let key = key.trim();
            if key.is_empty() {
                return Err(options_error(text, format!("`{pair}` has no name")));
            }
            // Engines do not mind capitals, environments do.
            let known_as = if key.starts_with(".env.") {
                key.to_owned()
            } else {
                key.to_lowercase()
            };
            if seen.contains(&known_as) {
                return Err(options_error(text, format!("`{key}` is given twice")));
            }
            seen.push(known_as);
            if key.starts_with('.') {
                read.set(text, key, value)?;
            } else {
                read.options.push((key.to_owned(), value));
            }
        }
        Ok(read)
    }

    fn set(&mut self, text: &str, key: &str, value: String) -> Result<(), EntrantError> {
        if value.is_empty() && !key.starts_with(".env.") {
            return Err(options_error(text, format!("`{key}` needs a value")));
        }
        let whole = || {
            let number = value.parse::<u64>().ok().filter(|&number| number > 0);
            let reason = || format!("`{key}={value}`: not a whole number above 0");
            number.ok_or_else(|| options_error(text, reason()))
        };
        let mut pace = self.pace.unwrap_or_default();
        match key {
            ".name" => {
                let name = one_line(&value);
                if name.is_empty() {
                    return Err(options_error(text, "`.name` is blank"));
                }
                self.name = Some(name);
                return Ok(());
            }
            ".dir" => {
                self.directory = Some(PathBuf::from(value));
                return Ok(());
            }
            ".tc" => {
                let clock = value.parse();
                pace.clock = Some(clock.map_err(|error: mendel_engine::TimeControlError| {
                    options_error(text, format!("`{key}`: {error}"))
                })?);
            }
            ".movetime" => pace.movetime = Some(Duration::from_millis(whole()?)),
            ".nodes" => pace.nodes = Some(whole()?),
            ".depth" => {
                let depth = u32::try_from(whole()?).ok().filter(|&depth| depth <= 1000);
                let reason = || format!("`{key}={value}`: more than any search reaches");
                pace.depth = Some(depth.ok_or_else(|| options_error(text, reason()))?);
            }
            _ => {
                let name = key
                    .strip_prefix(".env.")
                    .filter(|name| !name.is_empty() && !name.contains(['=', '\0']));
                let Some(name) = name else {
                    let known = RUNNER_KEYS.join(", ");
                    return Err(EntrantError::new(format!(
                        "`{text}`: there is no `{key}`; keys with a leading dot are {known}"
                    )));
                };
                self.environment.insert(name.to_owned(), value);
                return Ok(());
            }
        }
        self.pace = Some(pace);
        Ok(())
    }
}

/// The same player with absolute paths: of a player file, of a program, and of the files that
/// arguments, environment and options name. A text without relative paths stays as it is.
///
/// # Errors
///
/// As [`Entrant::parse`], or if the current folder is not known.
pub fn absolute_player(text: &str) -> Result<String, EntrantError> {
    let text = text.trim();
    let entrant = Entrant::parse(text)?;
    let here = std::env::current_dir().map_err(|error| {
        EntrantError::command(text, format!("the current folder is not known: {error}"))
    })?;
    let (who, settings) = match text.rsplit_once('?') {
        None => (text, None),
        Some((who, settings)) => (who, Some(settings)),
    };
    // 1. Who. Paths of a program are meant from where it runs.
    let mut base = here.clone();
    let who = match &entrant.kind {
        Kind::Bred(player) if player.home.is_some() => {
            let path = PathBuf::from(entrant.who());
            if path.is_absolute() {
                who.to_owned()
            } else {
                escape_path(&joined(&here, &path).to_string_lossy())
            }
        }
        Kind::Bred(_) => who.to_owned(),
        Kind::Program {
            command, directory, ..
        } => {
            if let Some(directory) = directory {
                base = joined(&here, directory);
            }
            absolute_command(who, command, &here, &base)
        }
    };
    // 2. With what.
    let Some(settings) = settings else {
        return Ok(who);
    };
    let mut pairs = Vec::new();
    for pair in settings.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decode(text, key)?, decode(text, value)?);
        let absolute = match name.trim() {
            ".dir" => {
                Some(joined(&here, Path::new(&value))).filter(|_| Path::new(&value).is_relative())
            }
            name if name.starts_with('.') && !name.starts_with(".env.") => None,
            _ => absolute_file(&value, &base),
        };
        pairs.push(match absolute {
            Some(path) => format!("{key}={}", escape_value(&path.to_string_lossy())),
            None => pair.to_owned(),
        });
    }
    Ok(format!("{who}?{}", pairs.join("&")))
}

/// The scheme, the program and its arguments, with absolute paths.
fn absolute_command(who: &str, command: &[String], here: &Path, base: &Path) -> String {
    let mut words = command.to_vec();
    let is_path = words[0].contains('/') && Path::new(&words[0]).is_relative();
    if is_path {
        words[0] = joined(here, Path::new(&words[0]))
            .to_string_lossy()
            .into_owned();
    }
    for word in &mut words[1..] {
        if let Some(path) = absolute_file(word, base) {
            *word = path.to_string_lossy().into_owned();
        } else if let Some((option, value)) = word.split_once('=')
            && let Some(path) = absolute_file(value, base)
        {
            *word = format!("{option}={}", path.display());
        }
    }
    let scheme = who.split_once(':').map_or("cmd", |(scheme, _)| scheme);
    match shlex::try_join(words.iter().map(String::as_str)) {
        Ok(line) if words != command => format!("{scheme}:{}", escape_path(&line)),
        _ => who.to_owned(),
    }
}

/// A path below a folder, without `.` in it.
fn joined(base: &Path, path: &Path) -> PathBuf {
    let path = base.join(path);
    std::path::absolute(&path).unwrap_or(path)
}

/// The absolute path of a value that names a file by a relative one.
fn absolute_file(value: &str, base: &Path) -> Option<PathBuf> {
    // A number is not meant as a file, also where a file has its name.
    let is_number = value.parse::<f64>().is_ok();
    let path = Path::new(value);
    let is_file = !value.is_empty() && path.is_relative() && base.join(path).is_file();
    (is_file && !is_number).then(|| joined(base, path))
}

/// Escapes what has a meaning in front of the options.
fn escape_path(text: &str) -> String {
    text.replace('%', "%25").replace('?', "%3F")
}

/// Escapes what has a meaning in an option.
fn escape_value(text: &str) -> String {
    escape_path(text).replace('&', "%26").replace('#', "%23")
}

fn options_error(text: &str, reason: impl Display) -> EntrantError {
    EntrantError::new(format!(
        "`{text}`: {reason}; options are written ?Name=Value&Name=Value, special characters as %20, \
         and a ? that begins no options as %3F"
    ))
}

/// Percent-decodes a name or a value. No system takes a zero byte in a path or
/// an environment.
fn decode(text: &str, part: &str) -> Result<String, EntrantError> {
    let decoded = percent_decode_str(part)
        .decode_utf8()
        .map_err(|_| options_error(text, format!("`{part}` does not decode to UTF-8")))?;
    if decoded.contains('\0') {
        return Err(options_error(text, format!("`{part}` holds a zero byte")));
    }
    Ok(decoded.into_owned())
}

/// Before the options only what would be mistaken for them is escaped, so that
/// commands can be written as they are in a shell.
fn unescape(who: &str) -> String {
    who.replace("%3F", "?")
        .replace("%3f", "?")
        .replace("%25", "%")
}

fn who(text: &str) -> String {
    unescape(text.rsplit_once('?').map_or(text, |(who, _)| who))
}

fn split_command(line: &str) -> Result<Vec<String>, EntrantError> {
    let error = |reason| EntrantError::command(line, reason);
    let command = shlex::split(line)
        .ok_or_else(|| error("a quote is not closed or a backslash ends the line"))?;
    if line.contains('\0') {
        return Err(error("it holds a zero byte"));
    }
    match command.first() {
        Some(program) if !program.is_empty() => Ok(command),
        _ => Err(error("it names no program")),
    }
}

pub(crate) fn program_name(program: &str) -> String {
    let name = Path::new(program).file_name();
    one_line(&name.map_or_else(|| program.into(), |name| name.to_string_lossy()))
}

/// Names stand in tables and PGN headers.
pub(crate) fn one_line(name: &str) -> String {
    name.split(char::is_control)
        .collect::<Vec<_>>()
        .join(" ")
        .trim()
        .to_owned()
}
