//! Stacked areas: parts of a whole over time.

use super::canvas::{
    BOTTOM, Canvas, Drawing, LEFT, PENS, TOP, TextAnchor, WIDTH, outline, shortened, small_width,
};
use super::scale::{Axis, PlotScale, is_drawable, size_of};

const HEIGHT: f64 = 330.0;
const RIGHT: f64 = 12.0;

/// Layers on top of each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StackedArea {
    pub title: String,
    pub x: Axis,
    /// The vertical axis, from 0.
    pub y: Axis,
    /// The places of the values on the horizontal axis.
    pub places: Vec<f64>,
    /// From the bottom to the top.
    pub layers: Vec<AreaLayer>,
    /// Places of vertical lines, with tooltips.
    pub marks: Vec<(f64, String)>,
}

/// One part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AreaLayer {
    /// The name, written in the layer where there is room.
    pub name: String,
    /// The size at each place; what is missing or not a size is 0.
    pub values: Vec<f64>,
}

impl StackedArea {
    pub fn draw(&self) -> Drawing {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, &self.title);
        let (x0, x1, y0, y1) = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, TOP);
        let columns: Vec<usize> = (0..self.places.len())
            .filter(|&column| is_drawable(self.places[column]))
            .collect();

        // 1. The heights of the layers, each on those below it.
        let mut floors = vec![vec![0.0; columns.len()]];
        for layer in &self.layers {
            let below = &floors[floors.len() - 1];
            let size = |column: &usize| layer.values.get(*column).copied().map_or(0.0, size_of);
            let sizes = columns.iter().map(size);
            let above = below.iter().zip(sizes).map(|(floor, size)| floor + size);
            floors.push(above.collect());
        }
        let top = floors[floors.len() - 1].iter().copied().fold(0.0, f64::max);

        // 2. The axes.
        let first = columns.first().map(|&at| self.places[at]);
        let last = columns.last().map(|&at| self.places[at]);
        let x = PlotScale::new(self.x.range.or(first.zip(last)), x0, x1);
        let y = PlotScale::new(self.y.range.or(Some((0.0, top))), y0, y1);
        canvas.y_ticks(y, y.ticks(5, self.y.whole), (x0, x1));
        canvas.x_ticks(x, x.ticks(8, self.x.whole), (y0, y0 + 5.0), "axis", y0);
        canvas.x_label((x0, x1), &self.x.label, 80);
        canvas.y_label((y0, y1), &self.y.label, 36);

        // 3. The layers, and their names where they are widest.
        canvas.open_window((x0, y1), (x1 - x0, y0 - y1));
        let xs: Vec<f64> = columns.iter().map(|&at| x.place(self.places[at])).collect();
        let mut names = Vec::new();
        for (index, layer) in self.layers.iter().enumerate() {
            let edge = |heights: &[f64]| -> Vec<(f64, f64)> {
                let heights = heights.iter().map(|height| y.place(*height));
                xs.iter().copied().zip(heights).collect()
            };
            let (below, above) = (edge(&floors[index]), edge(&floors[index + 1]));
            let pen = index % usize::from(PENS);
            canvas.open_group(&layer.name);
            for data in stretches(&below, &above) {
                canvas.path(&data, &format!("area f{pen}"));
            }
            canvas.close_group();
            names.extend(label_in(&layer.name, &below, &above));
        }
        for (at, text) in apart(names) {
            canvas.text(at, TextAnchor::Middle, "small halo", &text);
        }
        canvas.close_window();

        // 4. The marks.
        for (place, name) in &self.marks {
            if is_drawable(*place) && x.holds(*place) {
                let at = x.place(*place);
                canvas.open_group(name);
                canvas.line((at, y1), (at, y0), "line l5");
                canvas.close_group();
            }
        }
        canvas.finish()
    }
}

/// The outlines of a layer, one for each stretch in which it has a size.
fn stretches(below: &[(f64, f64)], above: &[(f64, f64)]) -> Vec<String> {
    let is_there = |at: usize| below[at].1 - above[at].1 > 1e-9;
    let mut found = Vec::new();
    let mut at = 0;
    while at < below.len() {
        if !is_there(at) {
            at += 1;
            continue;
        }
        // From the last place without a size to the next one.
        let from = at.saturating_sub(1);
        while at < below.len() && is_there(at) {
            at += 1;
        }
        let to = at.min(below.len() - 1);
        let points = above[from..=to].iter().chain(below[from..=to].iter().rev());
        found.push(outline(points.copied()));
    }
    found
}

/// Position, text and free height of a name.
type AreaLabel = ((f64, f64), String, f64);

/// The place with most room for a name, if the name fits there.
fn label_in(name: &str, below: &[(f64, f64)], above: &[(f64, f64)]) -> Option<AreaLabel> {
    let height = |at: usize| below[at].1 - above[at].1;
    let (first, last) = (below.first()?.0, below.last()?.0);
    let half = half_width(name);
    let room = |at: usize| {
        let (left, right) = (below[at].0 - half, below[at].0 + half);
        if left < first || right > last {
            return 0.0;
        }
        let covered = (0..below.len()).filter(|&it| (left..=right).contains(&below[it].0));
        covered.map(height).fold(f64::INFINITY, f64::min)
    };
    let most = (0..below.len()).reduce(|a, b| if room(b) > room(a) { b } else { a })?;
    let middle = f64::midpoint(below[most].1, above[most].1) + 3.5;
    let fits = room(most) >= 11.0 && !name.is_empty();
    fits.then(|| ((below[most].0, middle), shortened(name, 30), room(most)))
}

fn half_width(name: &str) -> f64 {
    small_width(name) / 2.0 + 2.0
}

/// The names without those that would overlap one with more room.
fn apart(mut labels: Vec<AreaLabel>) -> Vec<((f64, f64), String)> {
    labels.sort_by(|a, b| b.2.total_cmp(&a.2));
    let mut kept: Vec<((f64, f64), String)> = Vec::new();
    for ((x, y), text, _) in labels {
        let clear = |other: &((f64, f64), String)| {
            let wide = half_width(&other.1) + half_width(&text);
            (other.0.0 - x).abs() > wide || (other.0.1 - y).abs() > 11.0
        };
        if kept.iter().all(clear) {
            kept.push(((x, y), text));
        }
    }
    kept
}
