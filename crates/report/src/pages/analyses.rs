//! Populations and games: figures, pictures, blocks of the page.

use std::path::Path;
use std::str::FromStr;

use mendel_lab::record::{self, Generation, Genotypes};
use mendel_lab::trial::games::PlayedPair;
use serde::Serialize;

use super::games::{length_picture, length_table, move_picture};
use super::read::lines_of;
use crate::analysis::games::{PhaseGames, by_phase};
use crate::analysis::population::{Pca, Spread, pca, spread};
use crate::analysis::species::{SpeciesStats, census};
use crate::error::ReportError;
use crate::page::PageBlock;
use crate::plot::Drawing;

/// What can be said of a run's populations and games; what was not written down is
/// empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Analyses {
    /// Where the members of each generation lie.
    pub pca: Option<Pca>,
    /// How far apart they are.
    pub spread: Vec<Spread>,
    /// The networks of each generation, and their species.
    pub networks: Vec<SpeciesStats>,
    /// The games, by what they were played for.
    pub games: Vec<PhaseGames>,
}

/// One thing to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisKind {
    /// Genotypes on their two strongest axes.
    Pca,
    /// The distance of members.
    Distance,
    /// Species through time.
    Species,
    /// The share of networks that say nothing.
    Empty,
    /// How large networks are.
    Size,
    /// How generations did against programs from elsewhere.
    Exam,
    /// How long lost games were.
    Lengths,
    /// How games began.
    Moves,
    /// The champion's network.
    Network,
    /// What it makes of the board.
    Squares,
}

impl AnalysisKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Pca,
        Self::Distance,
        Self::Species,
        Self::Empty,
        Self::Size,
        Self::Exam,
        Self::Lengths,
        Self::Moves,
        Self::Network,
        Self::Squares,
    ];

    /// What a command calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pca => "pca",
            Self::Distance => "distance",
            Self::Species => "species",
            Self::Empty => "empty",
            Self::Size => "size",
            Self::Exam => "exam",
            Self::Lengths => "lengths",
            Self::Moves => "moves",
            Self::Network => "network",
            Self::Squares => "squares",
        }
    }
}

impl FromStr for AnalysisKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|it| it.name() == text).ok_or(())
    }
}

/// A drawing, what it is of, and what to see in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it is of.
    pub what: AnalysisKind,
    /// A name for its file.
    pub name: String,
    /// The drawing.
    pub drawing: Drawing,
    /// What to see in it.
    pub caption: String,
}

impl Analyses {
    /// Reads what a run's folder holds beside the lines of its generations. `unit` is
    /// how a gene of one is written.
    ///
    /// # Errors
    ///
    /// If one of its journals cannot be read.
    pub fn read(folder: &Path, lines: &[Generation], unit: f64) -> Result<Self, ReportError> {
        let genotypes: Vec<Genotypes> = lines_of(&folder.join(record::GENOTYPES))?;
        let pairs: Vec<PlayedPair> = lines_of(&folder.join(PlayedPair::FILE))?;
        let networks = census(lines);
        // Of networks each generation says it; of others those that were kept.
        let spread = if networks.is_empty() {
            spread(&genotypes, unit)
        } else {
            let told = |line: &SpeciesStats| Spread {
                generation: line.generation,
                distance: line.networks.distance,
            };
            networks.iter().map(told).collect()
        };
        Ok(Self {
            pca: pca(&genotypes, unit),
            spread,
            networks,
            games: by_phase(&pairs),
        })
    }

    /// All pictures there are.
    pub fn pictures(&self) -> Vec<Picture> {
        let mut pictures = self.pca_pictures();
        pictures.extend(self.spread_picture());
        pictures.extend(self.species_picture());
        pictures.extend(self.empty_picture());
        pictures.extend(self.size_pictures());
        pictures.extend(self.games.iter().filter_map(length_picture));
        pictures.extend(self.games.iter().filter_map(move_picture));
        pictures
    }

    pub(super) fn population_blocks(&self) -> Vec<PageBlock> {
        let of_games =
            |it: &Picture| matches!(it.what, AnalysisKind::Lengths | AnalysisKind::Moves);
        let pictures = self.pictures().into_iter().filter(|it| !of_games(it));
        pictures.map(block).collect()
    }

    pub(super) fn game_blocks(&self) -> Vec<PageBlock> {
        let mut blocks = Vec::new();
        for games in &self.games {
            blocks.extend(length_picture(games).map(block));
            blocks.extend(length_table(games).map(PageBlock::Table));
            blocks.extend(move_picture(games).map(block));
        }
        blocks
    }
}

/// A picture on a page.
pub(super) fn block(picture: Picture) -> PageBlock {
    PageBlock::Figure {
        drawing: picture.drawing,
        caption: picture.caption,
    }
}
