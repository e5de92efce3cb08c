//! Started players that stay ready between their games.

use std::collections::VecDeque;

use crate::{
    Contestant, Entrant, Fault, GameSetting, MatchError, Pace, Played, Reply, SeatError, Turn, play,
};

/// More idle players are ended; external engines would fill the memory.
pub(crate) const MAX_IDLE_PLAYERS: usize = 8;

/// Started players by their index, most recently used first.
#[derive(Default)]
pub struct PlayerPool(VecDeque<(usize, Box<dyn Contestant>)>);

impl std::fmt::Debug for PlayerPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let players = self.0.iter().map(|(player, _)| player);
        f.debug_list().entries(players).finish()
    }
}

impl PlayerPool {
    /// Plays a game between two of `entrants`, White first, and keeps both for the
    /// next. A player that could not be started last time is tried again.
    pub(crate) fn play(
        &mut self,
        entrants: &[Entrant],
        (white, black): (usize, usize),
        setting: &GameSetting,
    ) -> Option<Played> {
        let (mut one, one_sits) = self.get_or_start(entrants, white);
        let (mut other, other_sits) = self.get_or_start(entrants, black);
        let played = play(one.as_mut(), other.as_mut(), setting);
        let both = [(white, one, one_sits), (black, other, other_sits)];
        for (player, contestant, _) in both.into_iter().filter(|(_, _, sits)| *sits) {
            self.0.push_front((player, contestant));
        }
        self.0.truncate(MAX_IDLE_PLAYERS);
        played
    }

    pub(crate) fn put(&mut self, player: usize, contestant: Box<dyn Contestant>) {
        self.0.push_front((player, contestant));
        self.0.truncate(MAX_IDLE_PLAYERS);
    }

    /// A player, and whether it could be started.
    fn get_or_start(&mut self, entrants: &[Entrant], player: usize) -> (Box<dyn Contestant>, bool) {
        let sits = self.0.iter().position(|(who, _)| *who == player);
        if let Some((_, contestant)) = sits.and_then(|seat| self.0.remove(seat)) {
            return (contestant, true);
        }
        match entrants[player].seat() {
            Ok(contestant) => (contestant, true),
            Err(error) => (Box::new(FailedPlayer(error)), false),
        }
    }
}

/// Whether `entrant` can be started and keep its pace, or `pace` if it has none.
pub(crate) fn check(entrant: &Entrant, pace: Pace) -> Result<(), MatchError> {
    let started = start_checked(entrant, pace);
    started
        .map(drop)
        .map_err(|error| MatchError::Seat { error })
}

/// Starts `entrant` and checks that it can keep its pace, or `pace` if it has none.
pub(crate) fn start_checked(
    entrant: &Entrant,
    pace: Pace,
) -> Result<Box<dyn Contestant>, SeatError> {
    let contestant = entrant.seat()?;
    let pace = entrant.pace.unwrap_or(pace);
    let kept = contestant.supports(&pace);
    kept.map_err(|fault| entrant.seat_error(fault, Vec::new()))?;
    Ok(contestant)
}

/// Stands in for a player that could not be started: it loses its games, with the reason.
#[derive(Debug)]
struct FailedPlayer(SeatError);

impl Contestant for FailedPlayer {
    fn new_game(&mut self, _: bool) -> Result<(), Fault> {
        Err(self.0.fault.clone())
    }

    fn ask(&mut self, _: &Turn) -> Result<Reply, Fault> {
        Err(self.0.fault.clone())
    }

    fn recent_output(&self) -> Vec<String> {
        self.0.last_words.clone()
    }
}
