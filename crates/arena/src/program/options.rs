//! What was asked for against what a program offers.

use mendel_engine::uci::{OptionKind, OptionLine};

use crate::Fault;

/// An option that fits: the name as the program spells it, and the value;
/// buttons have none.
pub(crate) type Fitting = (String, Option<String>);

/// Checks `name=value` against `offered`.
///
/// # Errors
///
/// If there is no such option or it cannot have that value; the reason says what
/// it can have.
pub(crate) fn check(offered: &[OptionLine], name: &str, value: &str) -> Result<Fitting, Fault> {
    let refuse = |reason: String| Fault::Refused {
        what: format!("{name}={value}"),
        reason,
    };
    let option = offered
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| refuse(unknown(offered)))?;
    let value = fit(&option.kind, value).map_err(refuse)?;
    Ok((option.name.clone(), value))
}

fn unknown(offered: &[OptionLine]) -> String {
    let names: Vec<&str> = offered.iter().map(|option| option.name.as_str()).collect();
    if names.is_empty() {
        "it offers no options".into()
    } else {
        format!("it offers no such option, only {}", names.join(", "))
    }
}

fn fit(kind: &OptionKind, value: &str) -> Result<Option<String>, String> {
    match kind {
        OptionKind::Check { .. } => match value.to_ascii_lowercase().as_str() {
            "true" | "1" | "on" => Ok(Some("true".into())),
            "false" | "0" | "off" => Ok(Some("false".into())),
            _ => Err("it must be `true` or `false`".into()),
        },
        OptionKind::Spin { min, max, .. } => {
            let number = value.trim().parse::<i64>().ok();
            match number.filter(|number| (min..=max).contains(&number)) {
                Some(number) => Ok(Some(number.to_string())),
                None => Err(format!("it must be a whole number from {min} to {max}")),
            }
        }
        OptionKind::Combo { vars, .. } => {
            let known = vars.iter().find(|var| var.eq_ignore_ascii_case(value));
            match known {
                Some(var) => Ok(Some(var.clone())),
                None => Err(format!("it must be one of {}", vars.join(", "))),
            }
        }
        OptionKind::Button => match value {
            "" => Ok(None),
            _ => Err("it is a button and has no value: write `Name=`".into()),
        },
        OptionKind::Text { .. } if value.contains(['\n', '\r']) => {
            Err("a value cannot hold a line break".into())
        }
        OptionKind::Text { .. } if value.is_empty() => Ok(Some("<empty>".into())),
        OptionKind::Text { .. } => Ok(Some(value.into())),
    }
}

#[cfg(test)]
mod tests {
    use mendel_engine::uci::UciReply;

    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let offered: Vec<OptionLine> = [
            "option name Hash type spin default 16 min 1 max 1024",
            "option name UCI_Chess960 type check default false",
            "option name Style type combo default Solid var Solid var Wild",
            "option name Clear Hash type button",
            "option name Book File type string default <empty>",
        ]
        .iter()
        .map(|line| match UciReply::read(line) {
            Some(UciReply::Option(option)) => option,
            other => panic!("{line}: {other:?}"),
        })
        .collect();
        let fits = [
            ("hash", "64", ("Hash", Some("64"))),
            ("UCI_CHESS960", "1", ("UCI_Chess960", Some("true"))),
            ("Style", "wild", ("Style", Some("Wild"))),
            ("clear hash", "", ("Clear Hash", None)),
            ("Book File", "a b.bin", ("Book File", Some("a b.bin"))),
            ("Book File", "", ("Book File", Some("<empty>"))),
        ];
        for (name, value, (spelt, sent)) in fits {
            let expected = (spelt.to_owned(), sent.map(str::to_owned));
            assert_eq!(check(&offered, name, value), Ok(expected), "{name}={value}");
        }
        let misfits = [
            ("Hash", "0", "from 1 to 1024"),
            ("Hash", "2048", "from 1 to 1024"),
            ("Hash", "big", "from 1 to 1024"),
            ("UCI_Chess960", "maybe", "`true` or `false`"),
            ("Style", "Mild", "one of Solid, Wild"),
            ("Clear Hash", "now", "a button"),
            ("Book File", "a\nquit", "line break"),
            ("Threads", "1", "only Hash, UCI_Chess960, Style"),
        ];
        for (name, value, reason) in misfits {
            let fault = check(&offered, name, value).expect_err(name).to_string();
            assert!(fault.contains(reason), "{name}={value} gave {fault}");
        }
        assert!(check(&[], "Hash", "1").is_err());
    }
}
