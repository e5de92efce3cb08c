//! Chess boards as heat maps.

use super::canvas::{Canvas, Drawing, TextAnchor, WIDTH, shortened, text_width};
use super::scale::{is_drawable, number};

const TOP: f64 = 58.0;
const GAP: f64 = 20.0;
const HEAD: f64 = 34.0;
const FOOT: f64 = 16.0;

/// From far below the middle to far above it: an orange, a light grey and a blue that can be
/// distinguished without seeing red and green, with equal steps between them.
const DIVERGING: [&str; 15] = [
    "#b4500f", "#bd662e", "#c67d4d", "#d0936c", "#d9a98b", "#e2bfaa", "#ebd6c9", "#f2f2f2",
    "#d1dde8", "#b0c8de", "#8fb2d4", "#6e9dca", "#4d87c0", "#2c72b7", "#0b5cad",
];

/// Boards side by side, each square coloured by its value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoardHeatMaps {
    pub title: String,
    /// Boards in a row.
    pub columns: usize,
    /// From left to right and from top to bottom.
    pub boards: Vec<HeatBoard>,
    /// Names of the strongest orange, the middle and the strongest blue.
    pub key: [String; 3],
}

/// One board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatBoard {
    pub name: String,
    /// Text below the name.
    pub words: String,
    /// The value of the middle colour.
    pub middle: f64,
    /// The distance of the strongest colours from the middle; `None`: that of the values.
    pub reach: Option<f64>,
    /// From a1, b1 … to h8; what is not a number stays empty.
    pub values: Vec<f64>,
}

impl BoardHeatMaps {
    pub fn draw(&self) -> Drawing {
        let columns = self.columns.clamp(1, 16);
        let rows = self.boards.len().div_ceil(columns);
        let cell = (WIDTH - GAP * (columns as f64 - 1.0)) / columns as f64;
        let left = if cell > 120.0 { 12.0 } else { 0.0 };
        let square = ((cell - left) / 8.0).floor().min(26.0);
        let step = HEAD + 8.0 * square + FOOT + GAP / 2.0;
        let mut canvas = Canvas::new(WIDTH, TOP + rows as f64 * step, &self.title);
        self.draw_key(&mut canvas);
        for (index, board) in self.boards.iter().enumerate() {
            let x = (index % columns) as f64 * (cell + GAP);
            let y = TOP + (index / columns) as f64 * step;
            let letters = ((cell + GAP - 8.0) / 7.4) as usize;
            let (name, at) = (shortened(&board.name, letters), x + left);
            canvas.text((at, y + 12.0), TextAnchor::Start, "strong", &name);
            let words = shortened(&board.words, letters + 4);
            canvas.text((at, y + 27.0), TextAnchor::Start, "small label", &words);
            board.draw(&mut canvas, (x + left, y + HEAD), square, left > 0.0);
        }
        canvas.finish()
    }

    fn draw_key(&self, canvas: &mut Canvas) {
        let low = shortened(&self.key[0], 34);
        canvas.text((0.0, 41.0), TextAnchor::Start, "label", &low);
        let start = text_width(&low) + 8.0;
        for (index, colour) in DIVERGING.iter().enumerate() {
            let at = (start + index as f64 * 10.0, 32.0);
            canvas.fill(at, (10.1, 10.0), colour);
        }
        let end = start + DIVERGING.len() as f64 * 10.0 + 8.0;
        let middle = if self.key[1].is_empty() {
            shortened(&self.key[2], 40)
        } else {
            shortened(&format!("{}; grey: {}", self.key[2], self.key[1]), 80)
        };
        canvas.text((end, 41.0), TextAnchor::Start, "label", &middle);
    }
}

impl HeatBoard {
    fn draw(&self, canvas: &mut Canvas, (x, y): (f64, f64), square: f64, named: bool) {
        let side = 8.0 * square;
        let values = || self.values.iter().take(64).copied().enumerate();
        let far = values().map(|it| (it.1 - self.middle).abs());
        let far = far.filter(|it| is_drawable(*it)).fold(0.0, f64::max);
        let reach = self.reach.filter(|it| is_drawable(*it) && *it > 0.0);
        let reach = reach.unwrap_or(far);
        for (at, value) in values() {
            if !is_drawable(value) {
                continue;
            }
            let share = if reach > 0.0 {
                ((value - self.middle) / reach).clamp(-1.0, 1.0)
            } else {
                0.0
            };
            let half = (DIVERGING.len() / 2) as f64;
            let colour = DIVERGING[(half + share * half).round() as usize];
            let (file, rank) = ((at % 8) as f64, (at / 8) as f64);
            let corner = (x + file * square, y + side - (rank + 1.0) * square);
            let letter = char::from(b'a' + (at % 8) as u8);
            canvas.open_group(&format!("{letter}{}: {}", at / 8 + 1, number(value)));
            canvas.fill(corner, (square + 0.1, square + 0.1), colour);
            canvas.close_group();
        }
        canvas.rect((x, y), (side, side), "frame");
        if named {
            for at in 0..8_u8 {
                let middle = (f64::from(at) + 0.5) * square;
                let file = char::from(b'a' + at).to_string();
                let place = (x + middle, y + side + 11.0);
                canvas.text(place, TextAnchor::Middle, "small label", &file);
                let rank = (at + 1).to_string();
                let place = (x - 4.0, y + side - middle + 3.5);
                canvas.text(place, TextAnchor::End, "small label", &rank);
            }
        }
    }
}
