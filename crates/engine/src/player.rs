//! Players: what evolution makes and what everybody plays with.

/// An evaluator, search parameters and where they come from.
#[derive(Clone, Debug)]
pub struct Player {
    /// What the player is called.
    pub name: String,
}

/// Why a player could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// No built-in player has that name.
    #[error("there is no player `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
    },
}

impl Player {
    /// Finds a player: a built-in name, or the path of a player file.
    ///
    /// # Errors
    ///
    /// If there is no such player or its file is not a player.
    pub fn find(name: &str) -> Result<Self, PlayerError> {
        Ok(Self {
            name: name.to_owned(),
        })
    }
}
