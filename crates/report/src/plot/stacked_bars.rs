//! 100 % stacked bar charts.

use super::canvas::{
    Canvas, Drawing, TextAnchor, WIDTH, bold_width, shortened, small_width, text_width, widest,
};
use super::scale::size_of;

const TOP: f64 = 54.0;
const ROW: f64 = 17.0;
const BAR: f64 = 13.0;
const GAP: f64 = 9.0;
const BOTTOM: f64 = 24.0;

/// The pens of the parts, in order. Parts always lie in this order, so that the first three can be
/// distinguished without their colours.
const PENS: [usize; 4] = [1, 2, 0, 3];

/// Bars of equal length in groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StackedBars {
    pub title: String,
    /// The names of the parts, from left to right.
    pub parts: Vec<String>,
    /// From top to bottom.
    pub groups: Vec<BarGroup>,
}

/// Bars that are to be compared with each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarGroup {
    pub name: String,
    /// From top to bottom.
    pub rows: Vec<BarRow>,
}

/// One bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarRow {
    pub name: String,
    /// The size of each part; what is not a size is 0.
    pub values: Vec<f64>,
    /// The sizes as text, at the right.
    pub words: String,
}

impl StackedBars {
    pub fn draw(&self) -> Drawing {
        let rows = || self.groups.iter().flat_map(|group| &group.rows);
        let groups = widest(self.groups.iter().map(|it| &it.name), bold_width, 120.0);
        let names = widest(rows().map(|row| &row.name), text_width, 210.0);
        let words = widest(rows().map(|row| &row.words), small_width, 190.0);
        let (x0, x1) = (groups + names + 24.0, WIDTH - words - 10.0);
        let gaps = self.groups.len().saturating_sub(1) as f64 * GAP;
        let height = TOP + rows().count() as f64 * ROW + gaps + BOTTOM;
        let mut canvas = Canvas::new(WIDTH, height, &self.title);

        // 1. The legend.
        let mut at = x0;
        for (index, name) in self.parts.iter().enumerate() {
            let name = shortened(name, 24);
            canvas.rect((at, 30.0), (12.0, 12.0), &pen(index));
            canvas.text((at + 17.0, 40.0), TextAnchor::Start, "label", &name);
            at += 17.0 + text_width(&name) + 18.0;
        }

        // 2. The bars.
        let mut y = TOP;
        for group in &self.groups {
            let name = shortened(&group.name, 16);
            canvas.text((0.0, y + 10.5), TextAnchor::Start, "strong", &name);
            for row in &group.rows {
                let name = shortened(&row.name, 32);
                canvas.text((x0 - 10.0, y + 10.5), TextAnchor::End, "label", &name);
                canvas.open_group(&format!("{}, {}: {}", group.name, row.name, row.words));
                row.draw(&mut canvas, (x0, x1), y);
                canvas.close_group();
                let words = shortened(&row.words, 34);
                canvas.text((x1 + 8.0, y + 10.5), TextAnchor::Start, "small", &words);
                y += ROW;
            }
            y += GAP;
        }
        let foot = height - BOTTOM + 2.0;
        for percent in [0, 25, 50, 75, 100] {
            let at = x0 + (x1 - x0) * f64::from(percent) / 100.0;
            canvas.line((at, foot - 2.0), (at, foot + 3.0), "axis");
            let text = format!("{percent} %");
            canvas.text((at, foot + 16.0), TextAnchor::Middle, "tick", &text);
        }
        canvas.finish()
    }
}

impl BarRow {
    fn draw(&self, canvas: &mut Canvas, (x0, x1): (f64, f64), y: f64) {
        let all: f64 = self.values.iter().copied().map(size_of).sum();
        canvas.rect((x0, y), (x1 - x0, BAR), "frame");
        if all <= 0.0 {
            return;
        }
        let mut from = x0;
        for (index, value) in self.values.iter().enumerate() {
            let wide = (x1 - x0) * size_of(*value) / all;
            if wide > 0.0 {
                canvas.rect((from, y), (wide, BAR), &pen(index));
            }
            from += wide;
        }
    }
}

fn pen(index: usize) -> String {
    format!("bar f{}", PENS[index % PENS.len()])
}
