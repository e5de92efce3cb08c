//! What an xboard program says it can do.

use mendel_engine::uci::{OptionKind, OptionLine};

/// The features that matter to a match; what is not said has the protocol's
/// default.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a feature of its own that is there or not"
)]
pub(super) struct Features {
    pub(super) ping: bool,
    /// Takes a position as FEN.
    pub(super) setboard: bool,
    /// Wants moves as SAN.
    pub(super) san: bool,
    /// Wants `usermove` before a move.
    pub(super) usermove: bool,
    /// Wants to know the clocks.
    pub(super) time: bool,
    /// Can play more than one game.
    pub(super) reuse: bool,
    pub(super) memory: bool,
    pub(super) smp: bool,
    pub(super) variants: String,
    pub(super) name: Option<String>,
    pub(super) options: Vec<OptionLine>,
    /// Whether more is to come: `done=0` and `done=1`.
    pub(super) done: Option<bool>,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            ping: false,
            setboard: false,
            san: false,
            usermove: false,
            time: true,
            reuse: true,
            memory: false,
            smp: false,
            variants: String::new(),
            name: None,
            options: Vec::new(),
            done: None,
        }
    }
}

impl Features {
    /// Takes note of a feature; whether it means anything to us.
    pub(super) fn note(&mut self, name: &str, value: &str) -> bool {
        let on = value == "1";
        match name {
            "ping" => self.ping = on,
            "setboard" => self.setboard = on,
            "san" => self.san = on,
            "usermove" => self.usermove = on,
            "time" => self.time = on,
            "reuse" => self.reuse = on,
            "memory" => self.memory = on,
            "smp" => self.smp = on,
            "variants" => value.clone_into(&mut self.variants),
            "myname" => self.name = Some(value.to_owned()),
            "option" => self.options.extend(read_option(value)),
            "done" => self.done = Some(on),
            // These change nothing here: we send no signals and offer no draws.
            "playother" | "sigint" | "sigterm" | "draw" | "analyze" | "colors" | "ics" | "name"
            | "pause" | "debug" => {}
            _ => return false,
        }
        true
    }

    /// What can be set. Memory and threads go by the names they have in UCI, so
    /// that one way to write them fits all programs.
    pub(super) fn offered(&self) -> Vec<OptionLine> {
        let spin = |name| OptionLine::spin(name, 1, 1, i64::from(i32::MAX));
        let mut offered = Vec::new();
        if self.memory {
            offered.push(spin(MEMORY));
        }
        if self.smp {
            offered.push(spin(CORES));
        }
        offered.extend(self.options.iter().cloned());
        offered
    }
}

/// What UCI calls the size of the tables, `memory` here.
pub(super) const MEMORY: &str = "Hash";
/// What UCI calls the number of threads, `cores` here.
pub(super) const CORES: &str = "Threads";

/// `NAME -kind values` as an option.
fn read_option(text: &str) -> Option<OptionLine> {
    let (name, kind) = text.split_once(" -")?;
    let (kind, values) = kind.split_once(' ').unwrap_or((kind, ""));
    let values = values.trim();
    let mut numbers = values.split_whitespace().map(str::parse::<i64>);
    let mut number = |otherwise| numbers.next().and_then(Result::ok).unwrap_or(otherwise);
    let kind = match kind {
        "check" => OptionKind::Check {
            default: values == "1",
        },
        "spin" | "slider" => OptionKind::Spin {
            default: number(0),
            min: number(i64::MIN),
            max: number(i64::MAX),
        },
        "combo" => {
            let is_default = |var: &&str| var.starts_with('*');
            let vars: Vec<&str> = values.split("///").map(str::trim).collect();
            let bare = |var: &str| var.trim_start_matches('*').to_owned();
            OptionKind::Combo {
                default: vars
                    .iter()
                    .find(|var| is_default(var))
                    .or(vars.first())
                    .map_or_else(String::new, |var| bare(var)),
                vars: vars.into_iter().map(bare).collect(),
            }
        }
        "button" | "save" | "reset" => OptionKind::Button,
        "string" | "file" | "path" => OptionKind::Text {
            default: values.to_owned(),
        },
        _ => return None,
    };
    Some(OptionLine {
        name: name.trim().to_owned(),
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_every_kind_are_read() {
        let table = [
            ("Resign -check 0", "Resign type check default false"),
            (
                "Resign Threshold -spin 800 200 1200",
                "Resign Threshold type spin default 800 min 200 max 1200",
            ),
            (
                "Randomizer (0-50) -slider 0 0 50",
                "Randomizer (0-50) type spin default 0 min 0 max 50",
            ),
            (
                "Rules -combo makruk /// *Cambodian /// Ai-wok",
                "Rules type combo default Cambodian var makruk var Cambodian var Ai-wok",
            ),
            ("Clear Hash -button", "Clear Hash type button"),
            (
                "Ini File -file a b.ini",
                "Ini File type string default a b.ini",
            ),
        ];
        for (text, option) in table {
            let read = read_option(text).map(|option| option.to_string());
            assert_eq!(read, Some(format!("option name {option}")), "{text}");
        }
        for text in ["", "Name", "Name -", "Name -wheel 3"] {
            assert_eq!(read_option(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_said_has_the_default_of_the_protocol() {
        let mut features = Features::default();
        assert!(features.time && features.reuse && !features.ping && !features.setboard);
        assert!(features.note("reuse", "0") && !features.reuse);
        assert!(features.note("memory", "1"));
        assert_eq!(features.offered().len(), 1);
        assert!(!features.note("teleport", "1"));
    }
}
