//! Starts players, and finds out which options they offer.

use std::time::Duration;

use mendel_engine::uci::{OptionKind, OptionLine};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::bred::{self, InProcessPlayer};
use crate::program::{Program, check};
use crate::{Analyst, Contestant, Entrant, Fault, Kind};

/// Characters with a meaning behind the `?` of a player, and control characters.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'&').add(b'=');

const IS_PROGRAM: &str = "its kind says that it is a program";

/// A player that cannot be started. No game is lost by it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` {fault}")]
pub struct SeatError {
    pub name: String,
    pub fault: Fault,
    /// The last lines that were sent and received, and what the program wrote to stderr.
    pub last_words: Vec<String>,
}

/// Options as they stand behind the `?` of a player: `Name=Value&Name=Value`.
pub fn options_line<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let escape = |text| utf8_percent_encode(text, ESCAPED);
    let pairs = options
        .into_iter()
        .map(|(name, value)| format!("{}={}", escape(name), escape(value)));
    pairs.collect::<Vec<_>>().join("&")
}

impl Entrant {
    /// Starts the player for games. A program must answer, and its options are checked
    /// against those that it offers.
    ///
    /// # Errors
    ///
    /// If it cannot be started, refuses an option, or cannot keep its own pace.
    pub fn seat(&self) -> Result<Box<dyn Contestant>, SeatError> {
        Ok(self.started(None)?)
    }

    /// Starts the player as [`seat`](Self::seat) does, for questions about positions.
    ///
    /// # Errors
    ///
    /// As [`seat`](Self::seat).
    pub fn start_analyst(&self) -> Result<Box<dyn Analyst>, SeatError> {
        self.started(None)
    }

    /// As [`start_analyst`](Self::start_analyst), with another limit for the start: on a busy
    /// machine a program starts slowly.
    ///
    /// # Errors
    ///
    /// As [`seat`](Self::seat).
    pub fn start_analyst_within(
        &self,
        ready_timeout: Duration,
    ) -> Result<Box<dyn Analyst>, SeatError> {
        self.started(Some(ready_timeout))
    }

    fn started(&self, ready_timeout: Option<Duration>) -> Result<Box<dyn Analyst>, SeatError> {
        let started: Box<dyn Analyst> = match &self.kind {
            Kind::Bred(player) => Box::new(
                InProcessPlayer::new(player.clone(), &self.options)
                    .map_err(|fault| self.seat_error(fault, Vec::new()))?,
            ),
            Kind::Program { .. } => {
                let mut program = Program::new(self).expect(IS_PROGRAM);
                if let Some(timeout) = ready_timeout {
                    program = program.with_patience(timeout);
                }
                let ready = program.start();
                ready.map_err(|fault| self.seat_error(fault, program.recent_output()))?;
                Box::new(program)
            }
        };
        let kept = self.pace.map_or(Ok(()), |pace| started.supports(&pace));
        kept.map_err(|fault| self.seat_error(fault, started.recent_output()))?;
        Ok(started)
    }

    pub(crate) fn seat_error(&self, fault: Fault, last_words: Vec<String>) -> SeatError {
        SeatError {
            name: self.name.clone(),
            fault,
            last_words,
        }
    }

    /// The options that the player offers, in its own order, each with its present value as
    /// the default. A program is started for it.
    ///
    /// # Errors
    ///
    /// If the player cannot be started with the options that it has.
    pub fn offers(&self) -> Result<Vec<OptionLine>, SeatError> {
        let mut offered = match &self.kind {
            Kind::Bred(player) => bred::offers(player, &self.options)
                .map_err(|fault| self.seat_error(fault, Vec::new()))?,
            Kind::Program { .. } => {
                let mut program = Program::new(self).expect(IS_PROGRAM);
                let offered = program.offers();
                offered.map_err(|fault| self.seat_error(fault, program.recent_output()))?
            }
        };
        for (name, value) in &self.options {
            let fitting = check(&offered, name, value);
            let (name, value) = fitting.map_err(|fault| self.seat_error(fault, Vec::new()))?;
            let option = offered.iter_mut().find(|option| option.name == name);
            if let Some((option, value)) = option.zip(value) {
                set_default(&mut option.kind, value);
            }
        }
        Ok(offered)
    }

    /// The same player with some options set otherwise; its other options stay.
    #[must_use]
    pub fn with_options<'a>(&self, options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let options: Vec<(&str, &str)> = options.into_iter().collect();
        let is_new = |name: &str| options.iter().any(|it| it.0.eq_ignore_ascii_case(name));
        let mut entrant = self.clone();
        entrant.options.retain(|(name, _)| !is_new(name));
        let added = options.iter();
        let added = added.map(|&(name, value)| (name.to_owned(), value.to_owned()));
        entrant.options.extend(added);

        // The player can still be read from its text.
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

/// Sets the default of an option to a value that was checked.
fn set_default(kind: &mut OptionKind, value: String) {
    match kind {
        OptionKind::Check { default } => *default = value == "true",
        OptionKind::Spin { default, .. } => *default = value.parse().unwrap_or(*default),
        OptionKind::Combo { default, .. } | OptionKind::Text { default } => *default = value,
        OptionKind::Button => {}
    }
}
