//! Who learns from games with people and in a GUI.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mendel_board::Color;
use mendel_crew::{CrewError, Options};
use mendel_engine::{Player, session};
use mendel_lab::online::{
    Against, Event, Finished, Founding, INSTALLATION, Learning, LearningError, PLAYER, Rules,
    Scored, Shared, SharedError, Spool,
};
use mendel_store::LockError;

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
    /// Who plays, where somebody was chosen.
    chosen: Option<Chosen>,
    board: Board,
}

#[derive(Debug)]
struct Chosen {
    /// The set that plays.
    set: Vec<i32>,
    /// Where its game is told if somebody else is at the folder then.
    spool: Spool,
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
        let folder = home::learning()?;
        Ok(Self {
            installation: home::installation(&folder)?,
            folder,
            founding: Founding::new(&player, Rules::default(), SHARED_SEED),
            against,
            seed,
            chosen: None,
            board: Board::open(crew)?,
        })
    }

    fn open(&self) -> Result<Learning, LearningError> {
        Learning::open_any(&self.folder, Some(&self.founding), &self.installation)
    }

    /// Who plays the next game.
    pub(crate) fn next(&mut self) -> anyhow::Result<Player> {
        // If that fails somebody else plays, and no set is to be told of it.
        self.chosen = None;
        let mut learning = self.open()?;
        self.board.exchange(&mut learning);
        let games = learning.events().len() as u64;
        let seed = self.seed.map_or_else(now, |seed| seed.wrapping_add(games));
        let set = learning.choose(seed);
        let player = learning.player(&set)?;
        let spool = learning.spool();
        self.chosen = Some(Chosen { set, spool });
        Ok(player)
    }

    /// The game of the set that plays is over.
    pub(crate) fn told(
        &mut self,
        own: Color,
        winner: Option<Color>,
        plies: usize,
    ) -> anyhow::Result<Event> {
        let Some(Chosen { set, spool }) = &self.chosen else {
            anyhow::bail!("no set played this game");
        };
        let result = match winner {
            None => Scored::Drawn,
            Some(side) if side == own => Scored::Won,
            Some(_) => Scored::Lost,
        };
        let game = Finished {
            set: set.clone(),
            opponent: match self.against {
                Against::Person => "a person",
                Against::Gui | Against::Program => "in a GUI",
            }
            .to_owned(),
            against: self.against,
            white: own == Color::White,
            plies: u32::try_from(plies).unwrap_or(u32::MAX),
            result,
        };
        let mut learning = match self.open() {
            Ok(learning) => learning,
            // Whoever opens the folder next finds it.
            Err(LearningError::Lock(LockError::Taken { .. })) => {
                let unique = format!("{} {}", std::process::id(), now());
                return Ok(spool.keep(game, &unique)?);
            }
            Err(error) => return Err(error.into()),
        };
        let event = learning.tell(game)?;
        self.board.exchange(&mut learning);
        Ok(event)
    }
}

/// Where games of all installations are told, if a crew is named.
#[derive(Debug)]
pub(crate) struct Board {
    options: Option<Options>,
    /// The connection, as soon as there is one.
    shared: Option<Shared>,
    tried: Instant,
}

/// A server that was not there is tried again no sooner.
const AGAIN: Duration = Duration::from_secs(30);

#[allow(
    clippy::print_stderr,
    reason = "the program's own voice beside the game"
)]
impl Board {
    /// The board of the crew that is named; none is fine. A server that is away is no
    /// reason not to play; one that does not let us in is.
    pub(crate) fn open(crew: &ServerArguments) -> anyhow::Result<Self> {
        let mut board = Self {
            options: crew.options()?,
            shared: None,
            tried: Instant::now(),
        };
        match board.connect() {
            Ok(()) => {}
            Err(SharedError::Board(
                error @ (CrewError::NoServer { .. } | CrewError::Lost { .. }),
            )) => complain(&error.into()),
            Err(SharedError::Board(error)) => return Err(failed(error)),
            Err(error) => return Err(error.into()),
        }
        Ok(board)
    }

    fn connect(&mut self) -> Result<(), SharedError> {
        self.tried = Instant::now();
        if let Some(options) = &self.options {
            self.shared = Some(Shared::open(options)?);
        }
        Ok(())
    }

    /// Tells and hears of games. What cannot be told now is told the next time, so a
    /// server that is away disturbs nobody.
    pub(crate) fn exchange(&mut self, learning: &mut Learning) {
        if self.options.is_some()
            && self.shared.is_none()
            && self.tried.elapsed() >= AGAIN
            && let Err(error) = self.connect()
        {
            complain(&error);
        }
        let Some(shared) = &mut self.shared else {
            return;
        };
        let exchanged = match shared.exchange(learning) {
            Ok(exchanged) => exchanged,
            Err(error) => return complain(&error),
        };
        if exchanged.refused > 0 {
            eprintln!("crew: {} records are no games", exchanged.refused);
        }
        if exchanged.clashing > 0 {
            let file = learning.folder().join(INSTALLATION);
            eprintln!(
                "crew: {} games cannot be told: another folder has the same name, {}, and told \
                 others by their numbers; is one a copy? write another name into {} of one of \
                 them, such as {}, and later games are told by that",
                exchanged.clashing,
                learning.installation(),
                file.display(),
                home::new_name(learning.folder()),
            );
        }
    }
}

#[allow(
    clippy::print_stderr,
    reason = "the program's own voice beside the game"
)]
fn complain(error: &SharedError) {
    eprintln!("crew: {error}; games are kept here and told the next time");
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
