//! Progress of long work on stderr, or as JSON lines. That of experiments of all kinds is made
//! from their events alone.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use mendel_store::frame::{EventReader, Events, ExperimentEvent, Folder};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::exec_options::OutputArgs;
use crate::output;

/// Interval of the lines of progress without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Time of the first line of progress: soon, but with an estimate.
const FIRST_LINE: Duration = Duration::from_millis(1500);

/// Minimum interval between two lines of progress of one part with `--json`.
const JSON_INTERVAL: Duration = Duration::from_millis(250);

const BAR: &str = "{bar:20} {wide_msg}";

/// Steps of the bar.
const STEPS: u64 = 1000;

/// The texts of the records of one kind: called with the name and the data of each record, in
/// their order.
pub(crate) type RecordView = Box<dyn FnMut(&str, &Value) -> RecordText + Send>;

/// The view of a kind of experiments, by its name.
type ViewOf = fn(&str) -> Option<RecordView>;

static VIEW_OF: OnceLock<ViewOf> = OnceLock::new();

/// Sets the views of the kinds, once at the start: the kinds are above this module.
pub(crate) fn view_by(view_of: ViewOf) {
    let _ = VIEW_OF.set(view_of);
}

#[derive(Debug, Default)]
pub(crate) struct RecordText {
    /// Shown next to the progress until the next one.
    pub(crate) status: Option<String>,
    pub(crate) line: Option<String>,
}

impl RecordText {
    pub(crate) fn status(status: Option<String>) -> Self {
        Self { status, line: None }
    }

    pub(crate) fn line(line: Option<String>) -> Self {
        Self { status: None, line }
    }
}

/// The data of a record, if they have this form.
pub(crate) fn record<T: DeserializeOwned>(data: &Value) -> Option<T> {
    T::deserialize(data).ok()
}

pub(crate) fn no_records() -> RecordView {
    Box::new(|_, _| RecordText::default())
}

/// Progress of the experiments of this process.
pub(crate) struct Progress {
    display: Display,
    json: bool,
    /// Folder of the experiment; those inside it are parts of it.
    root: PathBuf,
    /// The experiment, and those inside it that run now.
    levels: Vec<Level>,
    /// Start of the measurement of the whole: its outermost part, the time, the fraction done.
    first: Option<(String, Instant, f64)>,
    /// The last time that each part was printed with `--json`.
    printed: HashMap<(PathBuf, String), Instant>,
}

/// Display of long work on stderr: a bar on a terminal, a line now and then elsewhere.
pub(crate) enum Display {
    Nothing,
    Bar(ProgressBar),
    Lines {
        start: Instant,
        last: Option<Instant>,
    },
}

impl Display {
    /// `template` is that of the bar.
    pub(crate) fn new(quiet: bool, template: &str) -> Self {
        if quiet {
            Self::Nothing
        } else if io::stderr().is_terminal() {
            Self::Bar(bar(template, quiet))
        } else {
            Self::Lines {
                start: Instant::now(),
                last: None,
            }
        }
    }

    pub(crate) fn log(&self, text: &str) {
        match self {
            Self::Nothing => {}
            Self::Bar(bar) => bar.println(text),
            Self::Lines { .. } => output::log(text),
        }
    }

    /// Whether a line of progress is due where there is no bar; it is then printed.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let Self::Lines { start, last } = self else {
            return false;
        };
        let is_due = match last {
            None => now - *start >= FIRST_LINE,
            Some(last) => now - *last >= LINE_INTERVAL,
        };
        if is_due {
            *last = Some(now);
        }
        is_due
    }

    pub(crate) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// A bar on stderr; one that is not drawn if `quiet` or without a terminal.
pub(crate) fn bar(template: &str, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(0).with_style(style.expect("a test reads each template"))
}

struct Level {
    folder: PathBuf,
    view: RecordView,
    status: String,
    /// The parts of its work in the order of their first events; a later one is inside an
    /// earlier one that is not finished.
    parts: Vec<Part>,
}

struct Part {
    name: String,
    done: u64,
    total: Option<u64>,
    /// Whether the part around it has advanced since.
    is_over: bool,
    /// The time of its first report, and how much was done then.
    first: (Instant, u64),
}

impl Progress {
    pub(crate) fn new(args: OutputArgs) -> Self {
        let display = Display::new(args.quiet || args.json, BAR);
        if let Display::Bar(bar) = &display {
            bar.set_length(STEPS);
        }
        Self {
            display,
            json: args.json,
            root: PathBuf::new(),
            levels: Vec::new(),
            first: None,
            printed: HashMap::new(),
        }
    }

    /// Shows the experiment of this folder from now on.
    pub(crate) fn start(&mut self, root: &Path) {
        root.clone_into(&mut self.root);
    }

    pub(crate) fn is_root(&self, folder: &Path) -> bool {
        self.root == folder
    }

    pub(crate) fn finish(&self) {
        self.display.finish();
    }

    /// Shows an event of an experiment or of one inside it.
    pub(crate) fn add(&mut self, folder: &Path, event: &ExperimentEvent, now: Instant) {
        if self.json {
            self.print(folder, event, now);
        }
        if matches!(self.display, Display::Nothing) {
            return;
        }
        // 1. The experiment.
        let level = self.level(folder);
        let name = self.inner_name(folder);
        // 2. The event.
        match event {
            ExperimentEvent::Started {
                kind,
                name: title,
                resumed,
                ..
            } => {
                if let Some(view) = VIEW_OF.get().and_then(|view_of| view_of(kind)) {
                    self.levels[level].view = view;
                }
                let resumed = if *resumed { "resumed " } else { "" };
                match name {
                    None => self.display.log(&format!(
                        "{resumed}{kind} {title}, kept in {}",
                        folder.display()
                    )),
                    Some(name) => self
                        .display
                        .log(&format!("{name}: {resumed}{kind} {title}")),
                }
            }
            ExperimentEvent::Progress { part, done, total } => {
                self.levels[level].progress(part, *done, *total, now);
            }
            ExperimentEvent::Record { name, data } => {
                let level = &mut self.levels[level];
                let shown = (level.view)(name, data);
                if let Some(status) = shown.status {
                    level.status = status;
                }
                if let Some(line) = shown.line {
                    self.display.log(&line);
                }
            }
            ExperimentEvent::Note { text } => self.display.log(text),
            ExperimentEvent::Finished { .. }
            | ExperimentEvent::Stopped
            | ExperimentEvent::Failed { .. }
                if level > 0 =>
            {
                self.levels.truncate(level);
            }
            _ => {}
        }
        // 3. The progress.
        self.draw(now);
    }

    /// The index of the experiment in this folder; experiments in other folders are over.
    fn level(&mut self, folder: &Path) -> usize {
        if let Some(level) = self.levels.iter().position(|level| level.folder == folder) {
            return level;
        }
        self.levels
            .retain(|level| folder.starts_with(&level.folder));
        self.levels.push(Level {
            folder: folder.to_owned(),
            view: no_records(),
            status: String::new(),
            parts: Vec::new(),
        });
        self.levels.len() - 1
    }

    /// The name of an experiment inside another.
    fn inner_name(&self, folder: &Path) -> Option<String> {
        let name = folder.strip_prefix(&self.root).ok()?.to_string_lossy();
        (!name.is_empty()).then(|| name.into_owned())
    }

    fn draw(&mut self, now: Instant) {
        let Some((fraction, text)) = self.text(now) else {
            return;
        };
        if let Display::Bar(bar) = &self.display {
            bar.set_position((fraction * STEPS as f64) as u64);
            bar.set_message(text);
        } else if self.display.is_due(now) {
            self.display.log(&text);
        }
    }

    /// The fraction of the whole that is done, and a text: `3/12 runs · 40/300 generations, 5 s
    /// left (1 m for all)  best 0.31`.
    fn text(&mut self, now: Instant) -> Option<(f64, String)> {
        // 1. The parts, each inside the one before it.
        let parts: Vec<&Part> = self.levels.iter().flat_map(Level::active).collect();
        let (inner, outer) = parts.split_last()?;
        let fraction = fraction(&parts);
        // 2. The time left.
        let whole = parts[0].name.clone();
        let first = match &self.first {
            Some((name, since, before)) if *name == whole && *before <= fraction => {
                (*since, *before)
            }
            _ => (parts[0].first.0, parts[0].fraction_at_first()),
        };
        let left = inner.left(now);
        // An inner part may start after the end of the outer ones, as a proof does.
        let all = left_of(fraction, first, now)
            .filter(|all| !outer.is_empty() && left.is_none_or(|left| *all >= left))
            .map(human);
        let left = left.map(human);
        // 3. In words.
        let counts: Vec<String> = parts.iter().map(|part| part.words()).collect();
        let mut text = counts.join(" · ");
        if let Some(left) = left {
            text = format!("{text}, {left} left");
        }
        if let Some(all) = all {
            text = format!("{text} ({all} for all)");
        }
        let mut levels = self.levels.iter().rev();
        if let Some(level) = levels.find(|level| !level.status.is_empty()) {
            text = format!("{text}  {}", level.status);
        }
        self.first = Some((whole, first.0, first.1));
        Some((fraction, text))
    }

    /// Prints an event as a line of JSON: the fields of a record are next to its name.
    fn print(&mut self, folder: &Path, event: &ExperimentEvent, now: Instant) {
        let is_root = self.is_root(folder);
        let mut line = match event {
            // The result is printed instead.
            ExperimentEvent::Finished { .. } if is_root => return,
            ExperimentEvent::Progress { part, done, total } => {
                let key = (folder.to_owned(), part.clone());
                let last = self.printed.get(&key);
                let is_early = last.is_some_and(|last| now - *last < JSON_INTERVAL);
                if is_early && Some(*done) != *total {
                    return;
                }
                self.printed.insert(key, now);
                json!(event)
            }
            ExperimentEvent::Record { name, data } => {
                let mut line = json!({ "event": name });
                match (line.as_object_mut(), data) {
                    (Some(line), Value::Object(data)) => line.extend(data.clone()),
                    _ => line["data"] = data.clone(),
                }
                line
            }
            event => json!(event),
        };
        if let Some(name) = self.inner_name(folder).filter(|_| !is_root) {
            line["in"] = json!(name);
        } else if matches!(event, ExperimentEvent::Started { .. }) {
            line["folder"] = json!(folder);
        }
        let mut out = output::stdout();
        // A reader that has gone makes the program fail at its end; the folder is complete.
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }
}

impl Level {
    fn progress(&mut self, name: &str, done: u64, total: Option<u64>, now: Instant) {
        let Some(index) = self.parts.iter().position(|part| part.name == name) else {
            self.parts.push(Part {
                name: name.to_owned(),
                done,
                total,
                is_over: false,
                first: (now, done),
            });
            return;
        };
        let part = &mut self.parts[index];
        let is_new = part.is_over || done < part.done || part.total != total;
        let has_advanced = done != part.done;
        (part.done, part.total, part.is_over) = (done, total, false);
        if is_new {
            part.first = (now, done);
        }
        if has_advanced {
            for inner in &mut self.parts[index + 1..] {
                inner.is_over = true;
            }
        }
    }

    /// The parts in progress, from the outermost.
    fn active(&self) -> impl Iterator<Item = &Part> {
        let last = self.parts.iter().rposition(|part| !part.is_over);
        let parts = self.parts.iter().enumerate();
        let is_active = move |(index, part): &(usize, &Part)| {
            !part.is_over && (Some(*index) == last || part.total.is_none_or(|it| part.done < it))
        };
        parts.filter(is_active).map(|(_, part)| part)
    }
}

impl Part {
    fn words(&self) -> String {
        words(&self.name, self.done, self.total)
    }

    fn fraction_at_first(&self) -> f64 {
        self.total
            .map_or(0.0, |total| self.first.1 as f64 / total.max(1) as f64)
    }

    fn left(&self, now: Instant) -> Option<Duration> {
        let total = self.total.filter(|&total| total > 0)? as f64;
        let first = (self.first.0, self.first.1 as f64 / total);
        left_of(self.done as f64 / total, first, now)
    }
}

/// The fraction of the outermost part that is done, with the parts inside its current unit.
fn fraction(parts: &[&Part]) -> f64 {
    let Some((outer, inner)) = parts.split_first() else {
        return 0.0;
    };
    let Some(total) = outer.total.filter(|&total| total > 0) else {
        return 0.0;
    };
    let begun = if inner.is_empty() || outer.done >= total {
        0.0
    } else {
        fraction(inner)
    };
    ((outer.done as f64 + begun) / total as f64).min(1.0)
}

/// Time for the rest at the speed since `since`, when the fraction was `before`.
fn left_of(fraction: f64, (since, before): (Instant, f64), now: Instant) -> Option<Duration> {
    let done = fraction - before;
    let elapsed = (now - since).as_secs_f64();
    if done <= 0.0 || elapsed < 0.05 {
        return None;
    }
    Duration::try_from_secs_f64(elapsed * (1.0 - fraction) / done).ok()
}

fn words(part: &str, done: u64, total: Option<u64>) -> String {
    match total {
        Some(total) => format!("{done}/{total} {part}"),
        None => format!("{done} {part}"),
    }
}

fn human(left: Duration) -> String {
    HumanDuration(left).to_string()
}

/// The last progress in the events of a folder, such as `40/300 positions`.
pub(crate) fn last_progress(folder: &Folder) -> String {
    let mut reader = EventReader::new(folder.file(Events::FILE));
    let mut last = String::new();
    while let Ok(lines) = reader.read()
        && !lines.is_empty()
    {
        for line in lines {
            if let ExperimentEvent::Progress { part, done, total } = line.event {
                last = words(&part, done, total);
            }
        }
    }
    last
}
