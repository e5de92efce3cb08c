//! The seats at one table: players that stay ready between their games.

use std::collections::VecDeque;

use crate::contest::ContestError;
use crate::{Contestant, Entrant, Fault, GameSetting, Pace, Played, Reply, SeatError, Turn, play};

/// So many stay; in a larger pool the programs of others would fill the memory.
pub(crate) const MOST_SEATS: usize = 8;

/// Contestants by the index of their entrant, who has just played in front.
#[derive(Default)]
pub(crate) struct Seats(VecDeque<(usize, Box<dyn Contestant>)>);

impl Seats {
    /// Plays a game between two of `entrants`, White first, and keeps both for the
    /// next. Who could not be started last time is tried again.
    pub(crate) fn play(
        &mut self,
        entrants: &[Entrant],
        (white, black): (usize, usize),
        setting: &GameSetting,
    ) -> Option<Played> {
        let (mut one, one_sits) = self.take(entrants, white);
        let (mut other, other_sits) = self.take(entrants, black);
        let played = play(one.as_mut(), other.as_mut(), setting);
        let both = [(white, one, one_sits), (black, other, other_sits)];
        for (player, contestant, _) in both.into_iter().filter(|(_, _, sits)| *sits) {
            self.0.push_front((player, contestant));
        }
        self.0.truncate(MOST_SEATS);
        played
    }

    /// Keeps one that has taken its seat already.
    pub(crate) fn keep(&mut self, player: usize, contestant: Box<dyn Contestant>) {
        self.0.push_front((player, contestant));
        self.0.truncate(MOST_SEATS);
    }

    /// A contestant, and whether it really is there.
    fn take(&mut self, entrants: &[Entrant], player: usize) -> (Box<dyn Contestant>, bool) {
        let sits = self.0.iter().position(|(who, _)| *who == player);
        if let Some((_, contestant)) = sits.and_then(|seat| self.0.remove(seat)) {
            return (contestant, true);
        }
        match entrants[player].seat() {
            Ok(contestant) => (contestant, true),
            Err(error) => (Box::new(Absent(error)), false),
        }
    }
}

/// Whether `entrant` can be seated and keep its pace, or `pace` if it has none.
pub(crate) fn check(entrant: &Entrant, pace: Pace) -> Result<(), ContestError> {
    let seated = seat(entrant, pace);
    seated
        .map(drop)
        .map_err(|error| ContestError::Seat { error })
}

/// `entrant` in its seat, able to keep its pace, or `pace` if it has none.
pub(crate) fn seat(entrant: &Entrant, pace: Pace) -> Result<Box<dyn Contestant>, SeatError> {
    let contestant = entrant.seat()?;
    let pace = entrant.pace.unwrap_or(pace);
    match contestant.can_keep(&pace) {
        Ok(()) => Ok(contestant),
        Err(fault) => Err(SeatError {
            name: entrant.name.clone(),
            fault,
            last_words: Vec::new(),
        }),
    }
}

/// A player that could be started before the match and not any more: it loses its
/// games, with the reason.
#[derive(Debug)]
struct Absent(SeatError);

impl Contestant for Absent {
    fn new_game(&mut self, _: bool) -> Result<(), Fault> {
        Err(self.0.fault.clone())
    }

    fn can_keep(&self, _: &Pace) -> Result<(), Fault> {
        Ok(())
    }

    fn ask(&mut self, _: &Turn) -> Result<Reply, Fault> {
        Err(self.0.fault.clone())
    }

    fn game_over(&mut self, _: &str, _: &str) {}

    fn last_words(&self) -> Vec<String> {
        self.0.last_words.clone()
    }

    fn own_name(&self) -> Option<&str> {
        None
    }
}
