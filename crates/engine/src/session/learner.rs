//! Learning from the games of a session.

use std::sync::Arc;

use mendel_board::{Color, Game};

use crate::{Best, Player, Score};

/// Learns from the games of a session: chooses the player of each, and gets its result.
///
/// A GUI that speaks UCI does not say how a game ends, so that the session looks for
/// itself: it knows an end by the rules of the game, and a mate that nothing could avert.
/// xboard says it.
pub trait Pupil: Send {
    /// Returns the player of a game that starts.
    fn begin(&mut self) -> Arc<Player>;

    /// The game in which the player had `own` is over after `plies` plies.
    fn end(&mut self, own: Color, winner: Option<Color>, plies: usize);
}

/// A pupil, and what is known of the game it plays.
#[derive(Default)]
pub(crate) struct LearnerSession {
    pupil: Option<Box<dyn Pupil>>,
    /// The player's colour, known from its first move on.
    own: Option<Color>,
    /// Whether the end of this game was told.
    told: bool,
    /// Plies of the game when a mate was seen that it cannot avert.
    doomed: Option<usize>,
}

impl LearnerSession {
    pub(crate) fn new(pupil: Option<Box<dyn Pupil>>) -> Self {
        Self {
            pupil,
            ..Self::default()
        }
    }

    /// Starts another game; returns its player if a learner chooses it.
    pub(crate) fn begin(&mut self) -> Option<Arc<Player>> {
        self.close();
        (self.own, self.told, self.doomed) = (None, false, None);
        Some(self.pupil.as_mut()?.begin())
    }

    /// It is asked for a move; the game did not end where it seemed to.
    pub(crate) fn asked(&mut self, game: &Game) {
        self.doomed = None;
        self.own = Some(game.position().turn());
    }

    /// It has answered, and the game stands so.
    pub(crate) fn answered(&mut self, game: &Game, best: &Best) {
        let score = best.info.as_ref().map(|info| info.score);
        if score == Some(Score::Mate(-1)) {
            self.doomed = Some(game.moves().len() + 1);
        }
        self.look(game);
    }

    /// The game stands so; it may be over by the rules.
    pub(crate) fn look(&mut self, game: &Game) {
        if let Some(outcome) = game.outcome() {
            self.end(outcome.winner, game.moves().len());
        }
    }

    pub(crate) fn end(&mut self, winner: Option<Color>, plies: usize) {
        if let (Some(pupil), Some(own), false) = (&mut self.pupil, self.own, self.told) {
            pupil.end(own, winner, plies);
            self.told = true;
        }
    }

    /// Nothing more comes of this game.
    pub(crate) fn close(&mut self) {
        if let (Some(plies), Some(own)) = (self.doomed, self.own) {
            self.end(Some(!own), plies);
        }
    }
}
