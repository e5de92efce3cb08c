//! Heat maps: rows of values as colours.

use super::canvas::{
    Canvas, Drawing, TextAnchor, WIDTH, path_to, px, shortened, small_width, text_width, widest,
};
use super::scale::{Axis, PlotScale, extent, is_drawable};

const TOP: f64 = 62.0;
const BOTTOM: f64 = 44.0;

/// Maximum number of columns; more would be narrower than a pixel.
const MAX_COLUMNS: usize = 200;

/// From the least to the largest: Viridis, by Nathaniel Smith and Stéfan van der Walt (CC0), at
/// sixteen equal steps. Its lightness rises all the way, so that it can be read without seeing
/// colours and on white as on black.
pub(super) const COLOURS: [&str; 16] = [
    "#440154", "#481a6c", "#472f7d", "#414487", "#39568c", "#31688e", "#2a788e", "#23888e",
    "#1f988b", "#22a884", "#35b779", "#54c568", "#7ad151", "#a5db36", "#d2e21b", "#fde725",
];

/// Rows of values as colours, each row with its own scale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    pub title: String,
    pub x: Axis,
    /// The place of the first column on the axis.
    pub first: f64,
    /// The distance of two columns; 0 is the default, 1.
    pub apart: f64,
    /// From top to bottom.
    pub rows: Vec<HeatRow>,
    /// Names of the darkest and the brightest colour.
    pub key: (String, String),
    /// The heading of the texts at the right.
    pub head: String,
    pub marks: Vec<HeatMark>,
}

/// A marked place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatMark {
    pub x: f64,
    /// Row from the top; may lie between two rows.
    pub row: f64,
    /// A cross instead of a ring.
    pub cross: bool,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatRow {
    /// Text at the left.
    pub name: String,
    /// One value for each column.
    pub values: Vec<f64>,
    /// The values of the darkest and the brightest colour; `None`: the least and the largest value
    /// of the row.
    pub range: Option<(f64, f64)>,
    /// Text at the right, such as the first and the last value.
    pub words: String,
}

impl HeatMap {
    pub fn draw(&self) -> Drawing {
        let columns = self.rows.iter().map(|row| row.values.len());
        let columns = columns.max().unwrap_or(0);
        let tall = match self.rows.len() {
            0..=20 => 18.0,
            21..=40 => 15.0,
            _ => 12.0,
        };
        let is_small = tall < 14.0;
        let width = if is_small { small_width } else { text_width };
        let names = widest(self.rows.iter().map(|row| &row.name), width, 230.0);
        let texts = self.rows.iter().map(|row| &row.words);
        let words = widest(texts.chain([&self.head]), width, 230.0);
        let (x0, x1) = (names + 14.0, WIDTH - words - 12.0);
        let foot = TOP + self.rows.len() as f64 * tall;
        let mut canvas = Canvas::new(WIDTH, foot + BOTTOM, &self.title);

        // 1. The key.
        self.draw_key(&mut canvas, x0);
        canvas.text((WIDTH, TOP - 8.0), TextAnchor::End, "label", &self.head);

        // 2. The rows, one path for each colour.
        let shown = columns.min(MAX_COLUMNS);
        let edge = |column: usize| x0 + (x1 - x0) * column as f64 / shown.max(1) as f64;
        let mut paths = vec![String::new(); COLOURS.len()];
        let class = if is_small { " small" } else { "" };
        for (index, row) in self.rows.iter().enumerate() {
            let middle = TOP + (index as f64 + 0.5) * tall;
            let base = middle + tall * 0.3;
            let name = shortened(&row.name, if is_small { 40 } else { 34 });
            canvas.text((x0 - 6.0, base), TextAnchor::End, class.trim_start(), &name);
            let words = shortened(&row.words, 30);
            canvas.text(
                (WIDTH, base),
                TextAnchor::End,
                &format!("tick{class}"),
                &words,
            );
            for (from, to, level) in runs(row, columns, shown) {
                let (left, right) = (edge(from), edge(to));
                let path = &mut paths[level];
                path_to(path, 'M', (left, middle));
                path.push('h');
                path.push_str(&px(right - left + 0.1));
            }
        }
        for (path, colour) in paths.iter().zip(COLOURS) {
            if !path.is_empty() {
                canvas.stroke(path, colour, tall - 1.0);
            }
        }

        // 3. The axis.
        let apart = if self.apart > 0.0 { self.apart } else { 1.0 };
        let last = self.first + apart * columns.saturating_sub(1) as f64;
        let half = (x1 - x0) / columns.max(1) as f64 / 2.0;
        let x = PlotScale::new(Some((self.first, last)), x0 + half, x1 - half);
        let mut ticks = x.ticks(8, self.x.whole);
        ticks.retain(|it| columns > 0 && (self.first..=last).contains(&it.0));
        canvas.x_ticks(x, ticks, (foot + 1.0, foot + 5.0), "axis", foot);
        for mark in self.marks.iter().filter(|it| is_drawable(it.x + it.row)) {
            let at = (x.place(mark.x), TOP + (mark.row + 0.5) * tall);
            let mut path = String::new();
            if mark.cross {
                path_to(&mut path, 'M', (at.0 - 5.0, at.1 - 5.0));
                path.push_str("l10 10m0 -10l-10 10");
            } else {
                path_to(&mut path, 'M', (at.0 - 5.0, at.1));
                path.push_str("a5 5 0 1 0 10 0a5 5 0 1 0 -10 0");
            }
            // Visible on the darkest and on the brightest colour.
            canvas.stroke(&path, "#ffffff", 4.5);
            canvas.stroke(&path, "#000000", 2.0);
        }
        canvas.x_label((x0, x1), &self.x.label, 70);
        canvas.finish()
    }

    fn draw_key(&self, canvas: &mut Canvas, x0: f64) {
        let low = shortened(&self.key.0, 30);
        let start = x0 + text_width(&low) + 8.0;
        canvas.text((x0, 41.0), TextAnchor::Start, "label", &low);
        for (index, colour) in COLOURS.iter().enumerate() {
            let left = start + index as f64 * 9.0;
            canvas.stroke(&format!("M{} 37h9.1", px(left)), colour, 10.0);
        }
        let end = start + COLOURS.len() as f64 * 9.0 + 8.0;
        let high = shortened(&self.key.1, 30);
        canvas.text((end, 41.0), TextAnchor::Start, "label", &high);
    }
}

/// Neighbouring columns of one colour as one stretch: from, to, colour. Several values in one
/// column are represented by their mean.
fn runs(row: &HeatRow, columns: usize, shown: usize) -> Vec<(usize, usize, usize)> {
    let range = row
        .range
        .filter(|(low, high)| low < high)
        .or_else(|| extent(row.values.iter().copied()));
    let Some((low, high)) = range else {
        return Vec::new();
    };
    let level = |value: f64| {
        if high <= low {
            return COLOURS.len() / 2;
        }
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        ((share * COLOURS.len() as f64) as usize).min(COLOURS.len() - 1)
    };
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for column in 0..shown {
        let (from, to) = (column * columns / shown, (column + 1) * columns / shown);
        let to = to.min(row.values.len());
        let values = row.values.get(from..to).unwrap_or(&[]);
        let (sum, count) = values
            .iter()
            .filter(|value| is_drawable(**value))
            .fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
        if count == 0 {
            continue;
        }
        let level = level(sum / f64::from(count));
        match runs.last_mut() {
            Some(last) if last.1 == column && last.2 == level => last.1 = column + 1,
            _ => runs.push((column, column + 1, level)),
        }
    }
    runs
}
