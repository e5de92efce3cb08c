//! Estimates with their intervals, side by side.

use super::canvas::{Canvas, Drawing, TextAnchor, WIDTH, bold_width, path_to, px, shortened};
use super::scale::{Axis, PlotScale, extent, is_drawable};

const TOP: f64 = 40.0;
const ROW: f64 = 30.0;
const BOTTOM: f64 = 44.0;

/// Rows of points with error bars over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalPlot {
    /// What it shows.
    pub title: String,
    /// The common axis.
    pub x: Axis,
    /// From top to bottom.
    pub rows: Vec<IntervalRow>,
    /// A level to compare with, and what it is.
    pub reference: Option<(f64, String)>,
}

/// One estimate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalRow {
    /// What was measured.
    pub name: String,
    /// The estimate.
    pub value: f64,
    /// From where to where it may lie.
    pub interval: Option<(f64, f64)>,
    /// The single measurements behind it.
    pub marks: Vec<f64>,
    /// The same in words, at the right.
    pub words: String,
    /// Whether it is the one to look at.
    pub chosen: bool,
}

impl IntervalPlot {
    /// Draws it.
    pub fn draw(&self) -> Drawing {
        let widest = |texts: &mut dyn Iterator<Item = &str>, most: f64| {
            texts.map(bold_width).fold(0.0, f64::max).min(most)
        };
        let names = widest(&mut self.rows.iter().map(|row| row.name.as_str()), 270.0);
        let words = widest(&mut self.rows.iter().map(|row| row.words.as_str()), 240.0);
        let (x0, x1) = (names + 18.0, WIDTH - words - 16.0);
        let foot = TOP + self.rows.len().max(1) as f64 * ROW;
        let height = foot + BOTTOM;
        let mut canvas = Canvas::new(WIDTH, height, &self.title);

        let level = self.reference.as_ref().map(|r| r.0);
        let values = self.rows.iter().flat_map(|row| {
            let interval = row.interval.into_iter().flat_map(|(a, b)| [a, b]);
            let marks = row.marks.iter().copied();
            interval.chain(marks).chain([row.value])
        });
        let x = match self.x.range {
            Some(range) => PlotScale::new(Some(range), x0, x1),
            None => PlotScale::airy(extent(values.chain(level)), x0, x1),
        };
        for (value, text) in x.ticks(6, self.x.whole) {
            let at = x.place(value);
            canvas.line((at, TOP), (at, foot), "grid");
            canvas.text((at, foot + 18.0), TextAnchor::Middle, "tick", &text);
        }
        if let Some((value, name)) = &self.reference
            && x.holds(*value)
        {
            let at = x.place(*value);
            canvas.line((at, TOP - 4.0), (at, foot), "line l3");
            let name = shortened(name, 30);
            canvas.text((at, TOP - 8.0), TextAnchor::Middle, "f3 halo", &name);
        }
        canvas.line((x0, foot), (x1, foot), "axis");
        for (index, row) in self.rows.iter().enumerate() {
            draw_row(&mut canvas, row, x, x0, TOP + (index as f64 + 0.5) * ROW);
        }
        canvas.text(
            (f64::midpoint(x0, x1), height - 8.0),
            TextAnchor::Middle,
            "label",
            &shortened(&self.x.label, 70),
        );
        canvas.finish()
    }
}

fn draw_row(canvas: &mut Canvas, row: &IntervalRow, x: PlotScale, x0: f64, y: f64) {
    let class = if row.chosen { "strong" } else { "" };
    let name = shortened(&row.name, 35);
    canvas.text((x0 - 10.0, y + 4.0), TextAnchor::End, class, &name);
    canvas.text(
        (WIDTH, y + 4.0),
        TextAnchor::End,
        class,
        &shortened(&row.words, 30),
    );
    let mut marks = String::new();
    for mark in row.marks.iter().filter(|mark| is_drawable(**mark)) {
        path_to(&mut marks, 'M', (x.place(*mark), y + 3.0));
        marks.push_str("v8");
    }
    if !marks.is_empty() {
        canvas.path(&marks, "line l1");
    }
    if let Some((low, high)) = row.interval
        && is_drawable(low)
        && is_drawable(high)
    {
        let (low, high) = (px(x.place(low)), px(x.place(high)));
        let (y, top) = (px(y), px(y - 4.0));
        let bar = format!("M{low} {y}H{high}M{low} {top}v8M{high} {top}v8");
        canvas.path(&bar, "line l0");
    }
    if is_drawable(row.value) {
        canvas.circle((x.place(row.value), y), 4.5, "f0");
    }
}
