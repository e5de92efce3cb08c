//! Who learns from games with people and in a GUI.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use mendel_board::Color;
use mendel_engine::{Player, session};
use mendel_lab::online::{
    Against, Event, Finished, Founding, Learning, PLAYER, Rules, Scored, Shared, SharedError,
};

use crate::crew::{ServerArguments, failed};
use crate::home;
use crate::request::Wrong;

/// A population that plays one game after the other. Its folder is held only between
/// games, so that several may learn at once.
#[derive(Debug)]
pub(crate) struct Pupil {
    folder: PathBuf,
    founding: Founding,
    installation: String,
    against: Against,
    /// What chance begins from, where it was asked for.
    seed: Option<u64>,
    /// The set that plays.
    set: Vec<i32>,
    board: Board,
}

impl Pupil {
    /// The population at home that learns the weights of `player`.
    pub(crate) fn new(
        player: Option<&str>,
        against: Against,
        seed: Option<u64>,
        crew: &ServerArguments,
    ) -> anyhow::Result<Self> {
        if player.is_some_and(|name| name != PLAYER) {
            return Err(Wrong::new(
                "`--learn` plays with the sets that are learned, and no other player",
                "leave out `--player`",
            )
            .into());
        }
        let player = Player::find(PLAYER)?;
        Ok(Self {
            folder: home::learning()?,
            founding: Founding::new(&player, Rules::default(), SHARED_SEED),
            installation: home::installation()?,
            against,
            seed,
            set: Vec::new(),
            board: Board::open(crew)?,
        })
    }

    fn open(&self) -> anyhow::Result<Learning> {
        let founding = Some(&self.founding);
        Ok(Learning::open_any(
            &self.folder,
            founding,
            &self.installation,
        )?)
    }

    /// Who plays the next game.
    pub(crate) fn next(&mut self) -> anyhow::Result<Player> {
        let mut learning = self.open()?;
        self.board.exchange(&mut learning);
        let played = learning.events().len() as u64;
        let seed = self.seed.map_or_else(now, |seed| seed.wrapping_add(played));
        self.set = learning.choose(seed);
        Ok(learning.player(&self.set)?)
    }

    /// The game of the set that plays is over.
    pub(crate) fn told(
        &mut self,
        own: Color,
        winner: Option<Color>,
        plies: usize,
    ) -> anyhow::Result<Event> {
        let result = match winner {
            None => Scored::Drawn,
            Some(side) if side == own => Scored::Won,
            Some(_) => Scored::Lost,
        };
        let mut learning = self.open()?;
        let event = learning.tell(Finished {
            set: self.set.clone(),
            opponent: match self.against {
                Against::Person => "a person",
                Against::Gui | Against::Program => "in a GUI",
            }
            .to_owned(),
            against: self.against,
            white: own == Color::White,
            plies: u32::try_from(plies).unwrap_or(u32::MAX),
            result,
        })?;
        self.board.exchange(&mut learning);
        Ok(event)
    }
}

/// Where games of all installations are told, if a crew is named.
#[derive(Debug)]
pub(crate) struct Board(Option<Shared>);

impl Board {
    /// The board of the crew that is named; none is fine.
    pub(crate) fn open(crew: &ServerArguments) -> anyhow::Result<Self> {
        let Some(options) = crew.options()? else {
            return Ok(Self(None));
        };
        match Shared::open(&options) {
            Ok(shared) => Ok(Self(Some(shared))),
            Err(SharedError::Board(error)) => Err(failed(error)),
            Err(error) => Err(error.into()),
        }
    }

    /// Tells and hears of games. What cannot be told now is told the next time, so a
    /// server that is away disturbs nobody.
    #[allow(
        clippy::print_stderr,
        reason = "the program's own voice beside the game"
    )]
    pub(crate) fn exchange(&mut self, learning: &mut Learning) {
        let Some(shared) = &mut self.0 else {
            return;
        };
        match shared.exchange(learning) {
            Ok(exchanged) if exchanged.refused > 0 => {
                eprintln!("crew: {} records are no games", exchanged.refused);
            }
            Ok(_) => {}
            Err(error) => {
                eprintln!("crew: {error}; games are kept here and told the next time");
            }
        }
    }
}

/// The seed of the population that all installations share.
pub(crate) const SHARED_SEED: u64 = 1;

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_nanos() as u64)
}

/// A GUI is not disturbed by what cannot be learned: it is said on stderr.
#[allow(
    clippy::print_stderr,
    reason = "the program's own voice beside the protocol"
)]
impl session::Pupil for Pupil {
    fn begin(&mut self) -> Arc<Player> {
        match self.next() {
            Ok(player) => Arc::new(player),
            Err(error) => {
                eprintln!("cannot learn: {error}");
                let player = Player::parse(&self.founding.player, PLAYER);
                Arc::new(player.expect("a player that was written can be read"))
            }
        }
    }

    fn end(&mut self, own: Color, winner: Option<Color>, plies: usize) {
        if let Err(error) = self.told(own, winner, plies) {
            eprintln!("cannot learn: {error}");
        }
    }
}
