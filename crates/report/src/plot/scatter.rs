//! Scatter plots of several series, also animated.

use super::canvas::{Canvas, Drawing, TextAnchor, WIDTH, shortened, text_width};
use super::heat::COLOURS;
use super::scale::{Axis, PlotScale, extent, is_drawable};

const HEIGHT: f64 = 520.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 44.0;
const LEFT: f64 = 84.0;

/// Maximum number of points; more would hide each other.
const MAX_POINTS: usize = 4000;

/// Maximum number of frames of an animation.
const MAX_FRAMES: usize = 60;

/// Series of points that follow each other, such as generations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// From the first, drawn dark, to the last, drawn bright.
    pub clouds: Vec<ScatterSeries>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScatterSeries {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

impl ScatterSeries {
    /// Every `step`-th point, without those that cannot be drawn; at most [`MAX_POINTS`].
    fn drawable(&self, step: usize) -> impl Iterator<Item = (f64, f64)> {
        let points = self.points.iter().step_by(step).take(MAX_POINTS).copied();
        points.filter(|it| is_drawable(it.0) && is_drawable(it.1))
    }
}

impl Scatter {
    /// Draws all series on one sheet, the points of the last one with rings.
    pub fn draw(&self) -> Drawing {
        let (mut canvas, x, y) = self.frame();
        self.draw_key(&mut canvas);
        let last = self.clouds.len().saturating_sub(1);
        let all: usize = self.clouds.iter().map(|cloud| cloud.points.len()).sum();
        let every = all.div_ceil(MAX_POINTS).max(1);
        for (index, cloud) in self.clouds.iter().enumerate() {
            canvas.open_group(&cloud.name);
            // The last series is the result and is not thinned.
            for point in cloud.drawable(if index == last { 1 } else { every }) {
                let at = (x.place(point.0), y.place(point.1));
                canvas.dot(at, 3.2, self.colour(index));
                if index == last {
                    canvas.circle(at, 4.6, "frame chosen");
                }
            }
            canvas.close_group();
        }
        canvas.finish()
    }

    /// Draws one series after the other in a loop: each is visible for a time, then faint, then
    /// gone. Viewers without animation show the last.
    pub fn animate(&self) -> Drawing {
        let (mut canvas, x, y) = self.frame();
        let every = self.clouds.len().div_ceil(MAX_FRAMES).max(1);
        // Counted from the end, so that the last is among them.
        let mut shown: Vec<usize> = (0..self.clouds.len()).rev().step_by(every).collect();
        shown.reverse();
        for (frame, &index) in shown.iter().enumerate() {
            let cloud = &self.clouds[index];
            canvas.open_frame(frame, shown.len(), true);
            for point in cloud.drawable(cloud.points.len().div_ceil(MAX_POINTS / 8).max(1)) {
                let at = (x.place(point.0), y.place(point.1));
                canvas.dot(at, 4.2, self.colour(index));
            }
            canvas.close_group();
            // Two names at the same place could not be read.
            canvas.open_frame(frame, shown.len(), false);
            let name = shortened(&cloud.name, 40);
            let at = (WIDTH - 12.0, TOP - 12.0);
            canvas.text(at, TextAnchor::End, "strong", &name);
            canvas.close_group();
        }
        canvas.finish()
    }

    /// Title and axes.
    fn frame(&self) -> (Canvas, PlotScale, PlotScale) {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, &self.title);
        let (x0, x1, y0, y1) = (LEFT, WIDTH - 12.0, HEIGHT - BOTTOM, TOP);
        let points = || self.clouds.iter().flat_map(|cloud| &cloud.points);
        let x = self.x.scale(extent(points().map(|it| it.0)), x0, x1);
        let y = self.y.scale(extent(points().map(|it| it.1)), y0, y1);
        canvas.y_ticks(y, y.ticks(8, self.y.whole), (x0, x1));
        canvas.x_ticks(x, x.ticks(8, self.x.whole), (y0, y1), "grid", y0);
        canvas.x_label((x0, x1), &self.x.label, 90);
        canvas.y_label((y0, y1), &self.y.label, 60);
        (canvas, x, y)
    }

    fn draw_key(&self, canvas: &mut Canvas) {
        let (Some(first), Some(last)) = (self.clouds.first(), self.clouds.last()) else {
            return;
        };
        let (first, last) = (shortened(&first.name, 30), shortened(&last.name, 30));
        canvas.text((LEFT, 41.0), TextAnchor::Start, "label", &first);
        let start = LEFT + text_width(&first) + 14.0;
        for (index, colour) in COLOURS.iter().enumerate() {
            canvas.dot((start + index as f64 * 9.0, 37.0), 4.0, colour);
        }
        let end = start + COLOURS.len() as f64 * 9.0 + 4.0;
        canvas.circle((end + 4.0, 37.0), 4.6, "frame chosen");
        canvas.text((end + 14.0, 41.0), TextAnchor::Start, "label", &last);
    }

    fn colour(&self, index: usize) -> &'static str {
        let last = self.clouds.len().saturating_sub(1).max(1);
        COLOURS[(index * (COLOURS.len() - 1) / last).min(COLOURS.len() - 1)]
    }
}
