//! Clouds of points, one after the other.

use super::canvas::{Canvas, Drawing, TextAnchor, WIDTH, shortened, text_width};
use super::heat::COLOURS;
use super::scale::{Axis, PlotScale, extent, is_drawable};

const HEIGHT: f64 = 520.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 44.0;
const LEFT: f64 = 84.0;

/// More points than this hide each other.
const MOST_POINTS: usize = 4000;

/// More pictures than this nobody waits for.
const MOST_FRAMES: usize = 60;

/// Clouds of points that follow each other, such as generations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// What it shows.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// From the first, drawn dark, to the last, drawn bright.
    pub clouds: Vec<ScatterSeries>,
}

/// One cloud.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScatterSeries {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

impl Scatter {
    /// Draws all clouds on one sheet; the last has rings around its points.
    pub fn draw(&self) -> Drawing {
        let (mut canvas, x, y) = self.frame(&self.title);
        self.draw_key(&mut canvas);
        let last = self.clouds.len().saturating_sub(1);
        let all: usize = self.clouds.iter().map(|cloud| cloud.points.len()).sum();
        let every = all.div_ceil(MOST_POINTS).max(1);
        for (index, cloud) in self.clouds.iter().enumerate() {
            canvas.open_group(&cloud.name);
            // The last is what it came to: nothing of it is left out.
            let step = if index == last { 1 } else { every };
            let points = cloud.points.iter().step_by(step).take(MOST_POINTS);
            for &(at_x, at_y) in points.filter(|it| is_drawable(it.0) && is_drawable(it.1)) {
                let at = (x.place(at_x), y.place(at_y));
                canvas.dot(at, 3.2, self.colour(index));
                if index == last {
                    canvas.circle(at, 4.6, "frame chosen");
                }
            }
            canvas.close_group();
        }
        canvas.finish()
    }

    /// Draws one cloud after the other, over and over: each stays a little, fades and
    /// makes room for the next. Viewers that move nothing show the last.
    pub fn animate(&self) -> Drawing {
        let (mut canvas, x, y) = self.frame(&self.title);
        let every = self.clouds.len().div_ceil(MOST_FRAMES).max(1);
        // Counted from the end, so that the last is among them.
        let mut shown: Vec<usize> = (0..self.clouds.len()).rev().step_by(every).collect();
        shown.reverse();
        for (frame, &index) in shown.iter().enumerate() {
            let cloud = &self.clouds[index];
            canvas.open_frame(frame, shown.len(), true);
            let every = cloud.points.len().div_ceil(MOST_POINTS / 8).max(1);
            let points = cloud.points.iter().step_by(every);
            for &(at_x, at_y) in points.filter(|it| is_drawable(it.0) && is_drawable(it.1)) {
                canvas.dot((x.place(at_x), y.place(at_y)), 4.2, self.colour(index));
            }
            canvas.close_group();
            // Names would be read through each other.
            canvas.open_frame(frame, shown.len(), false);
            let name = shortened(&cloud.name, 40);
            canvas.text((WIDTH - 12.0, TOP - 12.0), TextAnchor::End, "strong", &name);
            canvas.close_group();
        }
        canvas.finish()
    }

    /// Title and axes.
    fn frame(&self, title: &str) -> (Canvas, PlotScale, PlotScale) {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, title);
        let (x0, x1, y0, y1) = (LEFT, WIDTH - 12.0, HEIGHT - BOTTOM, TOP);
        let points = || self.clouds.iter().flat_map(|cloud| &cloud.points);
        let scale = |axis: &Axis, values: Option<(f64, f64)>, from, to| match axis.range {
            Some(range) => PlotScale::new(Some(range), from, to),
            None => PlotScale::airy(values, from, to),
        };
        let x = scale(&self.x, extent(points().map(|it| it.0)), x0, x1);
        let y = scale(&self.y, extent(points().map(|it| it.1)), y0, y1);
        for (value, text) in y.ticks(8, self.y.whole) {
            let at = y.place(value);
            canvas.line((x0, at), (x1, at), "grid");
            canvas.text((x0 - 8.0, at + 4.0), TextAnchor::End, "tick", &text);
        }
        for (value, text) in x.ticks(8, self.x.whole) {
            let at = x.place(value);
            canvas.line((at, y0), (at, y1), "grid");
            canvas.text((at, y0 + 18.0), TextAnchor::Middle, "tick", &text);
        }
        let middle = f64::midpoint(x0, x1);
        let label = shortened(&self.x.label, 90);
        canvas.text((middle, HEIGHT - 8.0), TextAnchor::Middle, "label", &label);
        let label = shortened(&self.y.label, 60);
        canvas.upright((14.0, f64::midpoint(y0, y1)), "label", &label);
        (canvas, x, y)
    }

    fn draw_key(&self, canvas: &mut Canvas) {
        let (Some(first), Some(last)) = (self.clouds.first(), self.clouds.last()) else {
            return;
        };
        let first = shortened(&first.name, 30);
        canvas.text((LEFT, 41.0), TextAnchor::Start, "label", &first);
        let start = LEFT + text_width(&first) + 14.0;
        for (index, colour) in COLOURS.iter().enumerate() {
            canvas.dot((start + index as f64 * 9.0, 37.0), 4.0, colour);
        }
        let end = start + COLOURS.len() as f64 * 9.0 + 4.0;
        canvas.circle((end + 4.0, 37.0), 4.6, "frame chosen");
        let last = shortened(&last.name, 30);
        canvas.text((end + 14.0, 41.0), TextAnchor::Start, "label", &last);
    }

    fn colour(&self, index: usize) -> &'static str {
        let last = self.clouds.len().saturating_sub(1).max(1);
        COLOURS[(index * (COLOURS.len() - 1) / last).min(COLOURS.len() - 1)]
    }
}
