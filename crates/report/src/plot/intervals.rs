//! Estimates with their intervals.

use super::canvas::{
    Canvas, Drawing, TextAnchor, WIDTH, bold_width, path_to, px, shortened, widest,
};
use super::scale::{Axis, PlotScale, extent, is_drawable};

const TOP: f64 = 40.0;
const ROW: f64 = 30.0;
const BOTTOM: f64 = 44.0;

/// Rows of points with error bars over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalPlot {
    pub title: String,
    pub x: Axis,
    /// From top to bottom.
    pub rows: Vec<IntervalRow>,
    /// A level for comparison, and its name.
    pub reference: Option<(f64, String)>,
}

/// One estimate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalRow {
    pub name: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    /// The single measurements of the estimate.
    pub marks: Vec<f64>,
    /// The estimate as text, at the right.
    pub words: String,
    /// Whether it is highlighted.
    pub chosen: bool,
}

impl IntervalPlot {
    pub fn draw(&self) -> Drawing {
        let names = widest(self.rows.iter().map(|row| &row.name), bold_width, 270.0);
        let words = widest(self.rows.iter().map(|row| &row.words), bold_width, 240.0);
        let (x0, x1) = (names + 18.0, WIDTH - words - 16.0);
        let foot = TOP + self.rows.len().max(1) as f64 * ROW;
        let mut canvas = Canvas::new(WIDTH, foot + BOTTOM, &self.title);

        let level = self.reference.as_ref().map(|r| r.0);
        let values = self.rows.iter().flat_map(|row| {
            let interval = row.interval.into_iter().flat_map(|(a, b)| [a, b]);
            let marks = row.marks.iter().copied();
            interval.chain(marks).chain([row.value])
        });
        let x = self.x.scale(extent(values.chain(level)), x0, x1);
        canvas.x_ticks(x, x.ticks(6, self.x.whole), (TOP, foot), "grid", foot);
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
            row.draw(&mut canvas, x, x0, TOP + (index as f64 + 0.5) * ROW);
        }
        canvas.x_label((x0, x1), &self.x.label, 70);
        canvas.finish()
    }
}

impl IntervalRow {
    fn draw(&self, canvas: &mut Canvas, x: PlotScale, x0: f64, y: f64) {
        let class = if self.chosen { "strong" } else { "" };
        let (name, words) = (shortened(&self.name, 35), shortened(&self.words, 30));
        canvas.text((x0 - 10.0, y + 4.0), TextAnchor::End, class, &name);
        canvas.text((WIDTH, y + 4.0), TextAnchor::End, class, &words);
        let mut marks = String::new();
        for mark in self.marks.iter().filter(|mark| is_drawable(**mark)) {
            path_to(&mut marks, 'M', (x.place(*mark), y + 3.0));
            marks.push_str("v8");
        }
        if !marks.is_empty() {
            canvas.path(&marks, "line l1");
        }
        if let Some((low, high)) = self.interval
            && is_drawable(low)
            && is_drawable(high)
        {
            let (low, high) = (px(x.place(low)), px(x.place(high)));
            let (y, top) = (px(y), px(y - 4.0));
            let bar = format!("M{low} {y}H{high}M{low} {top}v8M{high} {top}v8");
            canvas.path(&bar, "line l0");
        }
        if is_drawable(self.value) {
            canvas.circle((x.place(self.value), y), 4.5, "f0");
        }
    }
}
