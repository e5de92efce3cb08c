//! Analyses of populations and games: data, plots, blocks of the page.

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

/// Analyses of the populations and games of a run; empty where nothing was recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Analyses {
    pub pca: Option<Pca>,
    /// Mean distances of members.
    pub spread: Vec<Spread>,
    /// Networks and species of each generation.
    pub networks: Vec<SpeciesStats>,
    /// The games, by purpose.
    pub games: Vec<PhaseGames>,
}

/// A kind of analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisKind {
    /// Genotypes on their first two principal components.
    Pca,
    /// Mean distance of members.
    Distance,
    /// Species over time.
    Species,
    /// Share of networks without a path from input to output.
    Empty,
    /// Sizes of networks.
    Size,
    /// Results against external engines.
    Exam,
    /// Lengths of lost games.
    Lengths,
    /// First moves.
    Moves,
    /// The champion's network.
    Network,
    /// Values of pieces on squares, and receptive fields.
    Squares,
}

impl AnalysisKind {
    /// All, with their names on the command line.
    pub const ALL: [(&str, Self); 10] = [
        ("pca", Self::Pca),
        ("distance", Self::Distance),
        ("species", Self::Species),
        ("empty", Self::Empty),
        ("size", Self::Size),
        ("exam", Self::Exam),
        ("lengths", Self::Lengths),
        ("moves", Self::Moves),
        ("network", Self::Network),
        ("squares", Self::Squares),
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|it| it.1 == self);
        found.map_or("", |it| it.0)
    }

    pub(super) fn picture(
        self,
        name: impl Into<String>,
        drawing: Drawing,
        caption: impl Into<String>,
    ) -> Picture {
        Picture {
            what: self,
            name: name.into(),
            drawing,
            caption: caption.into(),
        }
    }
}

impl FromStr for AnalysisKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let found = Self::ALL.into_iter().find(|it| it.0 == text);
        found.map(|it| it.1).ok_or(())
    }
}

/// A drawing with its caption.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub what: AnalysisKind,
    /// The name of its file, without `.svg`.
    pub name: String,
    pub drawing: Drawing,
    pub caption: String,
}

impl Analyses {
    /// Reads genotypes and games from the folder of a run. `unit` is the integer that stands for a
    /// gene of 1.
    ///
    /// # Errors
    ///
    /// If one of its journals cannot be read.
    pub fn read(folder: &Path, lines: &[Generation], unit: f64) -> Result<Self, ReportError> {
        let genotypes: Vec<Genotypes> = lines_of(&folder.join(record::GENOTYPES))?;
        let pairs: Vec<PlayedPair> = lines_of(&folder.join(PlayedPair::FILE))?;
        let networks = census(lines);
        // Networks are measured in each generation, others in those that were kept.
        let spread = if networks.is_empty() {
            spread(&genotypes, unit)
        } else {
            let spread = networks.iter().map(|line| Spread {
                generation: line.generation,
                distance: line.networks.distance,
            });
            spread.collect()
        };
        Ok(Self {
            pca: pca(&genotypes, unit),
            spread,
            networks,
            games: by_phase(&pairs),
        })
    }

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

/// A drawing on a page.
pub(super) fn block(picture: Picture) -> PageBlock {
    PageBlock::figure(picture.drawing, picture.caption)
}
