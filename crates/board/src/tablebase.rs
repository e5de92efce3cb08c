//! Endgame tables in the Syzygy format: who wins, and how far the next capture
//! or pawn move is.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::path::Path;
use std::{env, fmt, fs, io, ops};

use shakmaty::{Chess, Move, Position as _};
use shakmaty_syzygy::{AmbiguousWdl, Dtz, Material, Metric, SyzygyError, Tablebase as Tables};

use crate::{BoardFileError, Game, Position};

/// Endgame tables from one or more folders. Files are opened when first needed;
/// any number of threads may probe at once.
#[derive(Debug)]
pub struct Tablebase {
    tables: Tables<Chess>,
    files: usize,
}

/// The value of a position for the side to move, under the fifty-move rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    Loss,
    /// Lost, but the fifty-move rule saves it.
    BlessedLoss,
    Draw,
    /// Won, but the fifty-move rule spoils it.
    CursedWin,
    Win,
}

/// What the tables say of one legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    pub m: Move,
    /// What it leads to, for the side that plays it and with the half-moves
    /// already counted towards the fifty-move rule.
    pub wdl: Wdl,
    /// Half-moves from here to the next capture, pawn move or mate, this move
    /// included: positive if winning, negative if losing, 0 if drawn, and
    /// beyond 100 if cursed or blessed. `None` where only WDL tables are there.
    pub dtz: Option<i32>,
    /// Whether rounding in the tables leaves the fifty-move rule in doubt.
    doubtful: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error("{pieces} pieces are too many: the largest table has {most}")]
    TooManyPieces { pieces: usize, most: usize },
    #[error("tables know no positions with castling rights")]
    Castling,
    #[error("the table `{0}` is missing")]
    Missing(TableName),
    #[error("the table `{table}` cannot be read: {reason}; fetch the file again")]
    Broken { table: TableName, reason: String },
}

/// The name of a table, such as `KQvK.rtbw`.
#[derive(Clone, Debug)]
pub struct TableName {
    material: Material,
    metric: Metric,
}

impl Tablebase {
    /// Opens all tables in `paths`: folders separated as in the platform's
    /// `PATH`, by a colon or, on Windows, by a semicolon.
    ///
    /// # Errors
    ///
    /// If a folder cannot be read, a table is visibly damaged or there is no table.
    pub fn open(paths: &str) -> Result<Self, BoardFileError> {
        let mut tablebase = Self {
            tables: Tables::new(),
            files: 0,
        };
        for folder in env::split_paths(paths) {
            if !folder.as_os_str().is_empty() {
                tablebase.add_folder(&folder)?;
            }
        }
        if tablebase.files == 0 {
            return Err(BoardFileError::NoTables {
                paths: paths.to_owned(),
            });
        }
        Ok(tablebase)
    }

    fn add_folder(&mut self, folder: &Path) -> Result<(), BoardFileError> {
        let failed = |path: &Path, source| BoardFileError::Read {
            what: "the tablebase",
            path: path.display().to_string(),
            source,
        };
        for entry in fs::read_dir(folder).map_err(|source| failed(folder, source))? {
            let path = entry.map_err(|source| failed(folder, source))?.path();
            let is_table = |extension| extension == OsStr::new("rtbw") || extension == "rtbz";
            if !path.extension().is_some_and(is_table) {
                continue;
            }
            match self.tables.add_file(&path) {
                Ok(()) => self.files += 1,
                // A name that is no material, or more pieces than can be read.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                Err(source) => return Err(failed(&path, source)),
            }
        }
        Ok(())
    }

    /// The number of pieces, kings included, in the largest table.
    #[inline]
    pub fn pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    pub fn files(&self) -> usize {
        self.files
    }

    /// Whether `position` may be in a table at all: few pieces and no castling.
    /// Costs next to nothing.
    #[inline]
    pub fn may_know(&self, position: &Position) -> bool {
        position.board().occupied().count() <= self.pieces() && !position.has_castling_rights()
    }

    fn check(&self, position: &Position) -> Result<(), ProbeError> {
        if self.may_know(position) {
            Ok(())
        } else if position.has_castling_rights() {
            Err(ProbeError::Castling)
        } else {
            Err(ProbeError::TooManyPieces {
                pieces: position.board().occupied().count(),
                most: self.pieces(),
            })
        }
    }

    /// The value of `position` as if its last move had been a capture or a pawn
    /// move. Needs WDL tables alone; this is the probe for the search tree,
    /// where it is asked exactly when the half-move clock stands at 0.
    ///
    /// # Errors
    ///
    /// If the position is in no table.
    pub fn wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.check(position)?;
        let wdl = self.tables.probe_wdl_after_zeroing(position.chess())?;
        Ok(AmbiguousWdl::from(wdl).into())
    }

    /// Half-moves to the next capture or pawn move under best play: positive if
    /// winning, negative if losing, 0 if drawn, beyond 100 if cursed or blessed;
    /// rounding in the tables may make it one too small.
    ///
    /// # Errors
    ///
    /// If the position is in no table.
    pub fn dtz(&self, position: &Position) -> Result<i32, ProbeError> {
        self.check(position)?;
        let dtz = self.tables.probe_dtz(position.chess())?;
        Ok(dtz.ignore_rounding().0)
    }

    /// What the tables say of each legal move of `position`, the best first:
    /// the first keeps what can be kept and makes progress. Without DTZ tables
    /// the value is right only where the half-move clock stands at 0, and
    /// progress is not seen.
    ///
    /// # Errors
    ///
    /// If the position, or one behind a legal move, is in no table.
    pub fn root_moves(&self, position: &Position) -> Result<Vec<RootMove>, ProbeError> {
        self.check(position)?;
        let judge = |with_dtz: bool| -> Result<Vec<RootMove>, ProbeError> {
            let moves = position.legal_moves();
            let judged = moves.iter().map(|&m| self.judge(position, m, with_dtz));
            judged.collect()
        };
        let mut moves = match judge(true) {
            Err(ProbeError::Missing(table)) if matches!(table.metric, Metric::Dtz) => judge(false)?,
            judged => judged?,
        };
        moves.sort_by_key(RootMove::rank);
        Ok(moves)
    }

    /// Moves that preserve the tablebase result: all of the best value, the best first. Where the position
    /// has been on the board before, only those that make progress.
    ///
    /// # Errors
    ///
    /// If the position, or one behind a legal move, is in no table.
    pub fn keep(&self, game: &Game) -> Result<Vec<RootMove>, ProbeError> {
        let mut moves = self.root_moves(game.position())?;
        let Some(&best) = moves.first() else {
            return Ok(moves);
        };
        let only_progress = best.doubtful || (best.wdl == Wdl::Win && game.repetitions() > 1);
        moves.retain(|other| {
            let as_good = other.wdl == best.wdl && other.doubtful == best.doubtful;
            as_good && !(only_progress && other.dtz != best.dtz)
        });
        Ok(moves)
    }

    fn judge(&self, position: &Position, m: Move, with_dtz: bool) -> Result<RootMove, ProbeError> {
        let mut after = position.chess().clone();
        after.play_unchecked(m);
        if after.is_checkmate() {
            return Ok(RootMove {
                m,
                wdl: Wdl::Win,
                dtz: Some(1),
                doubtful: false,
            });
        }
        if !with_dtz {
            let wdl = -self.tables.probe_wdl_after_zeroing(&after)?;
            return Ok(RootMove {
                m,
                wdl: AmbiguousWdl::from(wdl).into(),
                dtz: None,
                doubtful: false,
            });
        }

        // The tables speak of the opponent, who is to move now.
        let distance = self.tables.probe_dtz(&after)?;
        let value = -AmbiguousWdl::from_dtz_and_halfmoves(distance, after.halfmoves());
        let dtz = if m.is_zeroing() {
            Dtz::before_zeroing(value.after_zeroing())
        } else {
            (-distance.ignore_rounding()).add_plies_saturating(1)
        };
        Ok(RootMove {
            m,
            wdl: value.into(),
            dtz: Some(dtz.0),
            doubtful: value.is_ambiguous(),
        })
    }
}

impl RootMove {
    /// Sorts the best move first: by value, a sure one before a doubtful one of
    /// the same kind, then the quickest win or the slowest loss.
    fn rank(&self) -> (Reverse<Wdl>, bool, i32) {
        let doubt_is_bad = self.wdl > Wdl::Draw;
        (
            Reverse(self.wdl),
            self.doubtful == doubt_is_bad,
            self.dtz.unwrap_or(0),
        )
    }
}

impl ops::Neg for Wdl {
    type Output = Self;

    /// The same value for the other side.
    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::BlessedLoss => Self::CursedWin,
            Self::Draw => Self::Draw,
            Self::CursedWin => Self::BlessedLoss,
            Self::Win => Self::Loss,
        }
    }
}

impl From<AmbiguousWdl> for Wdl {
    fn from(wdl: AmbiguousWdl) -> Self {
        match wdl {
            AmbiguousWdl::Loss | AmbiguousWdl::MaybeLoss => Self::Loss,
            AmbiguousWdl::BlessedLoss => Self::BlessedLoss,
            AmbiguousWdl::Draw => Self::Draw,
            AmbiguousWdl::CursedWin => Self::CursedWin,
            AmbiguousWdl::MaybeWin | AmbiguousWdl::Win => Self::Win,
        }
    }
}

impl From<SyzygyError> for ProbeError {
    fn from(error: SyzygyError) -> Self {
        match error {
            SyzygyError::Castling => Self::Castling,
            // Checked before any probe, so only a position behind a move could
            // come here, and none has more pieces than the one before it.
            SyzygyError::TooManyPieces => Self::TooManyPieces { pieces: 0, most: 0 },
            SyzygyError::MissingTable { metric, material } => {
                Self::Missing(TableName { material, metric })
            }
            SyzygyError::ProbeFailed {
                metric,
                material,
                error,
            } => Self::Broken {
                table: TableName { material, metric },
                reason: match *error {
                    shakmaty_syzygy::ProbeError::Read { error } => error.to_string(),
                    shakmaty_syzygy::ProbeError::Magic { magic } => {
                        format!("it begins with the bytes {magic:02x?}")
                    }
                    shakmaty_syzygy::ProbeError::CorruptedTable { .. } => "it is damaged".into(),
                },
            },
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extension = match self.metric {
            Metric::Wdl => "rtbw",
            Metric::Dtz => "rtbz",
        };
        write!(f, "{}.{extension}", self.material)
    }
}
