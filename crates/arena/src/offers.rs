//! What an entrant can be set to, and the same entrant set otherwise.

use mendel_engine::uci::{OptionKind, OptionLine};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::bred;
use crate::program::{Program, check};
use crate::{Entrant, Kind, SeatError};

/// What has a meaning behind the `?` of an entrant, or none anywhere.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'&').add(b'=');

/// Options as they stand behind the `?` of an entrant: `Name=Value&Name=Value`.
pub fn options_line<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let escape = |text| utf8_percent_encode(text, ESCAPED);
    let pairs = options
        .into_iter()
        .map(|(name, value)| format!("{}={}", escape(name), escape(value)));
    pairs.collect::<Vec<_>>().join("&")
}

impl Entrant {
    /// The options it offers, in its own order, each with the value that it has now
    /// as its default. A program is started for it.
    ///
    /// # Errors
    ///
    /// If it cannot take its seat with the options that it has.
    ///
    /// # Panics
    ///
    /// Never: what is no player in this process is a program.
    pub fn offers(&self) -> Result<Vec<OptionLine>, SeatError> {
        let error = |fault, last_words| SeatError {
            name: self.name.clone(),
            fault,
            last_words,
        };
        let mut offered = match &self.kind {
            Kind::Bred(player) => {
                bred::offers(player, &self.options).map_err(|fault| error(fault, Vec::new()))?
            }
            Kind::Program { .. } => {
                let mut program = Program::new(self).expect("it is a program");
                program.offers().map_err(|fault| {
                    use crate::Contestant as _;
                    error(fault, program.last_words())
                })?
            }
        };
        for (name, value) in &self.options {
            let fitting = check(&offered, name, value);
            let (name, value) = fitting.map_err(|fault| error(fault, Vec::new()))?;
            let option = offered.iter_mut().find(|option| option.name == name);
            if let Some((option, value)) = option.zip(value) {
                set_default(&mut option.kind, value);
            }
        }
        Ok(offered)
    }

    /// The same entrant with some options set otherwise; what it was set to before
    /// stays where nothing else is said.
    #[must_use]
    pub fn with_options<'a>(&self, options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let options: Vec<(&str, &str)> = options.into_iter().collect();
        let is_new = |name: &str| options.iter().any(|it| it.0.eq_ignore_ascii_case(name));
        let mut entrant = self.clone();
        entrant.options.retain(|(name, _)| !is_new(name));
        let added = options.iter();
        let added = added.map(|&(name, value)| (name.to_owned(), value.to_owned()));
        entrant.options.extend(added);

        // What it is written as stays what it can be read from.
        let (who, settings) = self.text.rsplit_once('?').unwrap_or((&self.text, ""));
        let stays = |pair: &&str| {
            let name = pair.split('=').next().unwrap_or_default();
            let name = percent_decode_str(name).decode_utf8_lossy();
            !pair.is_empty() && !is_new(name.trim())
        };
        let mut pairs: Vec<String> = settings
            .split('&')
            .filter(stays)
            .map(str::to_owned)
            .collect();
        if !options.is_empty() {
            pairs.push(options_line(options.iter().copied()));
        }
        entrant.text = if pairs.is_empty() {
            who.to_owned()
        } else {
            format!("{who}?{}", pairs.join("&"))
        };
        entrant
    }
}

/// Says that an option has a value now, which was checked.
fn set_default(kind: &mut OptionKind, value: String) {
    match kind {
        OptionKind::Check { default } => *default = value == "true",
        OptionKind::Spin { default, .. } => *default = value.parse().unwrap_or(*default),
        OptionKind::Combo { default, .. } | OptionKind::Text { default } => *default = value,
        OptionKind::Button => {}
    }
}
