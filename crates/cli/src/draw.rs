//! The board as text.

use std::env;
use std::io::IsTerminal;

use mendel_board::{Color, File, Move, Piece, Position, Rank, Role, Square};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoardStyle {
    /// Letters and signs only, for files and pipes.
    Plain,
    /// Squares in colour, the last move marked.
    Coloured,
}

impl BoardStyle {
    /// Colours if `stream` is a terminal and `NO_COLOR` is not set
    /// (<https://no-color.org>).
    pub(crate) fn for_stream(stream: &impl IsTerminal) -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if stream.is_terminal() && !refused {
            Self::Coloured
        } else {
            Self::Plain
        }
    }
}

pub(crate) fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// The position with White below, or above where `flipped`; nine lines.
pub(crate) fn board(
    position: &Position,
    last: Option<Move>,
    flipped: bool,
    ink: BoardStyle,
) -> String {
    let mut ranks: Vec<Rank> = Rank::ALL.to_vec();
    let mut files: Vec<File> = File::ALL.to_vec();
    if flipped {
        files.reverse();
    } else {
        ranks.reverse();
    }
    let mut lines = Vec::new();
    for &rank in &ranks {
        let squares = files.iter().map(|&file| {
            let square = Square::from_coords(file, rank);
            let piece = position.board().piece_at(square);
            let marked = last.is_some_and(|m| m.from() == Some(square) || m.to() == square);
            match ink {
                BoardStyle::Plain if marked && piece.is_none() => "× ".to_owned(),
                BoardStyle::Plain => format!("{} ", glyph(piece)),
                BoardStyle::Coloured => coloured(square, piece, marked),
            }
        });
        let squares: String = squares.collect();
        lines.push(format!("  {} {}", rank.char(), squares.trim_end()));
    }
    let files: Vec<String> = files.iter().map(|file| file.char().to_string()).collect();
    lines.push(format!("    {}\n", files.join(" ")));
    lines.join("\n")
}

/// Two boards of shares side by side, White below: whole percents where there is at
/// least one, and the more the darker where there are colours. Ten lines.
pub(crate) fn shares(boards: [(&str, &[f32; 64]); 2], ink: BoardStyle) -> String {
    const BETWEEN: &str = "       ";
    const WIDTH: usize = 2 + 8 * 3;
    let [one, other] = boards.map(|it| it.0);
    let mut lines = vec![format!("  {one:<WIDTH$}{BETWEEN}{other}")];
    for rank in (0..8).rev() {
        let squares = 8 * rank..8 * rank + 8;
        let row = |board: &[f32; 64]| {
            let shares = board[squares.clone()].iter().map(|it| share(*it, ink));
            format!("{} {}", rank + 1, shares.collect::<Vec<_>>().concat())
        };
        let [one, other] = boards.map(|it| row(it.1));
        lines.push(format!("  {one}{BETWEEN}{other}"));
    }
    let files = "    a  b  c  d  e  f  g  h";
    lines.push(format!("  {files}{BETWEEN}{files}"));
    lines.join("\n") + "\n"
}

fn share(share: f32, ink: BoardStyle) -> String {
    // From white to deep orange.
    const PAPER: [u8; 6] = [255, 230, 223, 216, 209, 202];
    let percent = (100.0 * share.clamp(0.0, 1.0)).round() as usize;
    let sign = match percent {
        0 => "·".to_owned(),
        percent => percent.to_string(),
    };
    match ink {
        BoardStyle::Plain => format!("{sign:>3}"),
        BoardStyle::Coloured => {
            // Few squares have much: the steps are 1, 4, 9, 16 and 25 percent.
            let steps = (1..PAPER.len()).filter(|step| step * step <= percent);
            let paper = PAPER[steps.count()];
            format!("\x1b[48;5;{paper}m\x1b[38;5;16m{sign:>3}\x1b[0m")
        }
    }
}

fn glyph(piece: Option<Piece>) -> char {
    let pieces = match piece.map(|it| it.color) {
        None => return '·',
        Some(Color::White) => ['♙', '♘', '♗', '♖', '♕', '♔'],
        Some(Color::Black) => ['♟', '♞', '♝', '♜', '♛', '♚'],
    };
    let role = piece.and_then(|it| Role::ALL.iter().position(|role| *role == it.role));
    role.map_or('·', |role| pieces[role])
}

/// A square of two columns. Both sides get the filled signs, which read better
/// on colour; the ink says whose they are.
fn coloured(square: Square, piece: Option<Piece>, marked: bool) -> String {
    const LIGHT: [u8; 2] = [180, 186];
    const DARK: [u8; 2] = [101, 143];
    const WHITE: u8 = 231;
    const BLACK: u8 = 16;
    let shades = if square.is_light() { LIGHT } else { DARK };
    let paper = shades[usize::from(marked)];
    let ink = match piece {
        Some(Piece {
            color: Color::White,
            ..
        }) => WHITE,
        _ => BLACK,
    };
    let sign = piece.map_or(' ', |piece| glyph(Some(piece.role.of(Color::Black))));
    format!("\x1b[48;5;{paper}m\x1b[38;5;{ink}m{sign} \x1b[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_stands_as_white_or_as_black_sees_it() {
        let mut position = Position::initial();
        let m = position.parse_san("e4").unwrap();
        position.play(m);
        let white = board(&position, Some(m), false, BoardStyle::Plain);
        assert_eq!(white.lines().count(), 9);
        assert!(white.starts_with("  8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜\n"), "{white}");
        assert!(white.contains("  4 · · · · ♙ · · ·\n"), "{white}");
        assert!(white.contains("  2 ♙ ♙ ♙ ♙ × ♙ ♙ ♙\n"), "{white}");
        assert!(white.ends_with("    a b c d e f g h\n"), "{white}");
        let black = board(&position, Some(m), true, BoardStyle::Plain);
        assert!(black.starts_with("  1 ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖\n"), "{black}");
        assert!(black.ends_with("    h g f e d c b a\n"), "{black}");
    }

    #[test]
    fn shares_stand_on_their_squares_in_percent() {
        let (mut from, mut to) = ([0.0; 64], [0.004; 64]);
        (from[12], from[6], to[28]) = (0.756, 0.02, 1.0);
        let text = shares([("from", &from), ("to", &to)], BoardStyle::Plain);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[0], "  from                             to");
        let none = "  ·  ·  ·  ·  ·  ·  ·  ·";
        assert_eq!(
            lines[7],
            format!("  2   ·  ·  ·  · 76  ·  ·  ·       2 {none}")
        );
        assert_eq!(
            lines[5],
            format!("  4 {none}       4   ·  ·  ·  ·100  ·  ·  ·")
        );
        assert_eq!(
            lines[8],
            format!("  1   ·  ·  ·  ·  ·  ·  2  ·       1 {none}")
        );
        assert_eq!(lines[9].find(" a"), lines[7].find(" ·"));
        let coloured = shares([("from", &from), ("to", &to)], BoardStyle::Coloured);
        assert!(
            coloured.contains("\x1b[48;5;202m\x1b[38;5;16m 76"),
            "{coloured}"
        );
    }

    #[test]
    fn only_a_terminal_gets_colours() {
        let position = Position::initial();
        assert!(!board(&position, None, false, BoardStyle::Plain).contains('\x1b'));
        assert!(board(&position, None, false, BoardStyle::Coloured).contains("\x1b[48;5;"));
    }
}
