//! Positions with scores, as lines of text.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use mendel_board::{PackedPosition, Position};
use mendel_store::Fingerprint;
use rand::seq::SliceRandom as _;

use super::error::TrainError;
use crate::stream::{Part, Purpose, Split, generator};

/// Maximum line length of a score file.
const MAX_LINE_LEN: u64 = 1 << 12;

/// Positions with scores from White's side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scores {
    positions: Vec<PackedPosition>,
    centipawns: Vec<i16>,
    /// Which game each is from.
    games: Vec<u32>,
    print: Fingerprint,
}

impl Scores {
    /// Reads files of lines `FEN,centipawns`, plain or squeezed by zstd. A head line
    /// is passed over. Mates and larger scores become `largest`.
    ///
    /// Lines that follow each other are of one game as long as the move number does
    /// not fall; so games can be parted where the file does not name them.
    pub(crate) fn read(files: &[PathBuf], largest: u16) -> Result<Self, TrainError> {
        let mut scores = Self::default();
        for path in files {
            let fail = |source| TrainError::ReadScores {
                path: path.clone(),
                source,
            };
            let file = File::open(path).map_err(fail)?;
            let is_squeezed = path.extension().is_some_and(|it| it == "zst");
            let reader: Box<dyn Read> = if is_squeezed {
                Box::new(zstd::Decoder::new(file).map_err(fail)?)
            } else {
                Box::new(file)
            };
            scores.read_lines(path, BufReader::new(reader), largest)?;
        }
        Ok(scores)
    }

    fn read_lines(
        &mut self,
        path: &Path,
        mut reader: impl BufRead,
        largest: u16,
    ) -> Result<(), TrainError> {
        let mut game = self.games.last().map_or(0, |game| game + 1);
        let mut last = 0;
        let mut text = String::new();
        for line in 1.. {
            text.clear();
            let read = reader.by_ref().take(MAX_LINE_LEN).read_line(&mut text);
            let read = read.map_err(|source| TrainError::ReadScores {
                path: path.to_owned(),
                source,
            })?;
            if read == 0 {
                break;
            }
            let is_head = line == 1 && text.starts_with("FEN");
            if is_head || text.trim().is_empty() {
                continue;
            }
            let entry = parse(text.trim(), largest);
            let (position, score) = entry.map_err(|reason| TrainError::ScoreLine {
                path: path.to_owned(),
                line,
                reason,
            })?;
            if position.fullmoves() < last {
                game += 1;
            }
            last = position.fullmoves();
            self.print.add(text.trim().as_bytes());
            self.positions.push(PackedPosition::from(&position));
            self.centipawns.push(score);
            self.games.push(game);
        }
        Ok(())
    }

    /// How many positions and games there are.
    pub(crate) fn counts(&self) -> (usize, u32) {
        (
            self.positions.len(),
            self.games.last().map_or(0, |game| game + 1),
        )
    }

    /// A short name for the contents.
    pub(crate) fn fingerprint(&self) -> String {
        self.print.text()
    }

    pub(crate) fn part(&self, split: &Split, part: Part) -> Result<Vec<u32>, TrainError> {
        let mine = |game: u32| part == Part::All || split.part_for(&game.to_le_bytes()) == part;
        let indices: Vec<u32> = (0..self.games.len() as u32)
            .filter(|&index| mine(self.games[index as usize]))
            .collect();
        if indices.is_empty() {
            return Err(TrainError::EmptyPart { part });
        }
        Ok(indices)
    }

    /// A position and its score in centipawns.
    pub(crate) fn get(&self, index: u32) -> (Position, f32) {
        let position = self.positions[index as usize].unpack();
        (
            position.expect("it was packed from a legal position"),
            f32::from(self.centipawns[index as usize]),
        )
    }

    /// Mean and standard deviation of scores.
    pub(crate) fn spread(&self, indices: &[u32]) -> (f64, f64) {
        let count = indices.len().max(1) as f64;
        let values = || {
            indices
                .iter()
                .map(|&at| f64::from(self.centipawns[at as usize]))
        };
        let mean = values().sum::<f64>() / count;
        let square = values().map(|it| (it - mean) * (it - mean)).sum::<f64>() / count;
        (mean, libm::sqrt(square).max(1.0))
    }
}

/// The order of an epoch.
pub(crate) fn shuffled(indices: &[u32], seed: u64, epoch: u64) -> Vec<u32> {
    let mut order = indices.to_vec();
    order.shuffle(&mut generator(Purpose::Order, seed, [epoch, 0], &[]));
    order
}

fn parse(line: &str, largest: u16) -> Result<(Position, i16), String> {
    let (fen, score) = line.rsplit_once([',', ';']).ok_or("there is no comma")?;
    let position = Position::from_fen(fen.trim()).map_err(|error| error.to_string())?;
    let largest = i32::from(largest.min(i16::MAX as u16));
    let score = score.trim();
    let score = match score.strip_prefix('#') {
        Some(mate) if mate.starts_with('-') => -largest,
        Some(_) => largest,
        None => score
            .parse::<i32>()
            .map_err(|error| format!("`{score}`: {error}"))?,
    };
    Ok((position, score.clamp(-largest, largest) as i16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_and_large_scores_are_the_largest() {
        let score = |text: &str| parse(&format!("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1,{text}"), 2500);
        for (text, wanted) in [
            ("+36", 36),
            ("-112", -112),
            ("#+3", 2500),
            ("#-3", -2500),
            ("#0", 2500),
            ("9999", 2500),
        ] {
            assert_eq!(score(text).expect("it is a score").1, wanted, "{text}");
        }
        assert!(score("much").is_err());
        assert!(parse("nothing", 2500).is_err());
    }

    #[test]
    fn games_end_where_the_move_number_falls_and_are_parted_whole() {
        let lines: Vec<String> = (0..400)
            .map(|line| format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {},{line}", line % 20 + 1))
            .collect();
        let mut scores = Scores::default();
        let text = format!("FEN,Evaluation\n{}\n", lines.join("\n"));
        let read = scores.read_lines(Path::new("x"), text.as_bytes(), 2500);
        read.expect("all lines are fine");
        assert_eq!(scores.counts(), (400, 20));
        let split = Split {
            validation: 0.3,
            test: 0.2,
            seed: 1,
        };
        let parts = [Part::Train, Part::Validation, Part::Test]
            .map(|part| scores.part(&split, part).expect("none is empty"));
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 400);
        for part in &parts {
            assert_eq!(part.len() % 20, 0, "a game is on both sides");
        }
    }

    #[test]
    fn a_wrong_line_is_named() {
        let mut scores = Scores::default();
        let text = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,5\n4k3,1\n";
        let error = scores.read_lines(Path::new("my.csv"), text.as_bytes(), 2500);
        let error = error.expect_err("the second line is wrong").to_string();
        assert!(error.starts_with("line 2 of `my.csv`"), "{error}");
    }
}
