//! Parts of a whole through time.

use super::canvas::{
    BOTTOM, Canvas, Drawing, LEFT, PENS, TOP, TextAnchor, WIDTH, path_to, shortened, small_width,
};
use super::scale::{Axis, PlotScale, is_drawable};

const HEIGHT: f64 = 330.0;
const RIGHT: f64 = 12.0;

/// Layers on top of each other: how large each part is, and all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StackedArea {
    /// What it shows.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards, from 0.
    pub y: Axis,
    /// The places of the values, from left to right.
    pub places: Vec<f64>,
    /// From the bottom to the top.
    pub layers: Vec<AreaLayer>,
    /// Places that are marked from top to bottom, and what they are.
    pub marks: Vec<(f64, String)>,
}

/// One part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AreaLayer {
    /// Its name, written in it where there is room.
    pub name: String,
    /// How large it is at each place; what is missing or no size is 0.
    pub values: Vec<f64>,
}

impl StackedArea {
    /// Draws it.
    pub fn draw(&self) -> Drawing {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, &self.title);
        let (x0, x1, y0, y1) = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, TOP);
        let columns: Vec<usize> = (0..self.places.len())
            .filter(|&column| is_drawable(self.places[column]))
            .collect();

        // 1. How high the layers lie, each on those below it.
        let mut floors = vec![vec![0.0; columns.len()]];
        for layer in &self.layers {
            let below = &floors[floors.len() - 1];
            let size = |column: &usize| layer.values.get(*column).copied().unwrap_or(0.0);
            let sizes = columns.iter().map(size).map(|size| {
                if is_drawable(size) && size > 0.0 {
                    size.min(1e12)
                } else {
                    0.0
                }
            });
            let above = below.iter().zip(sizes).map(|(floor, size)| floor + size);
            floors.push(above.collect());
        }
        let top = floors[floors.len() - 1].iter().copied().fold(0.0, f64::max);

        // 2. The axes.
        let first = columns.first().map(|&at| self.places[at]);
        let last = columns.last().map(|&at| self.places[at]);
        let x = PlotScale::new(self.x.range.or(first.zip(last)), x0, x1);
        let y = PlotScale::new(self.y.range.or(Some((0.0, top))), y0, y1);
        for (value, text) in y.ticks(5, self.y.whole) {
            let at = y.place(value);
            canvas.line((x0, at), (x1, at), "grid");
            canvas.text((x0 - 8.0, at + 4.0), TextAnchor::End, "tick", &text);
        }
        for (value, text) in x.ticks(8, self.x.whole) {
            let at = x.place(value);
            canvas.line((at, y0), (at, y0 + 5.0), "axis");
            canvas.text((at, y0 + 18.0), TextAnchor::Middle, "tick", &text);
        }
        let middle = f64::midpoint(x0, x1);
        let label = shortened(&self.x.label, 80);
        canvas.text((middle, HEIGHT - 8.0), TextAnchor::Middle, "label", &label);
        let label = shortened(&self.y.label, 36);
        canvas.upright((14.0, f64::midpoint(y0, y1)), "label", &label);

        // 3. The layers, and their names where they are widest.
        canvas.open_window((x0, y1), (x1 - x0, y0 - y1));
        let xs: Vec<f64> = columns.iter().map(|&at| x.place(self.places[at])).collect();
        let mut names = Vec::new();
        for (index, layer) in self.layers.iter().enumerate() {
            let (below, above) = (&floors[index], &floors[index + 1]);
            let edge = |heights: &[f64]| -> Vec<(f64, f64)> {
                let heights = heights.iter().map(|height| y.place(*height));
                xs.iter().copied().zip(heights).collect()
            };
            let (below, above) = (edge(below), edge(above));
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

/// The outlines of a layer, one for each stretch in which there is anything of it.
fn stretches(below: &[(f64, f64)], above: &[(f64, f64)]) -> Vec<String> {
    let is_there = |at: usize| below[at].1 - above[at].1 > 1e-9;
    let mut found = Vec::new();
    let mut at = 0;
    while at < below.len() {
        if !is_there(at) {
            at += 1;
            continue;
        }
        // From the place before it was there to the place where it is gone.
        let from = at.saturating_sub(1);
        while at < below.len() && is_there(at) {
            at += 1;
        }
        let to = at.min(below.len() - 1);
        let mut data = String::new();
        let outline = above[from..=to].iter().chain(below[from..=to].iter().rev());
        for (index, &point) in outline.enumerate() {
            path_to(&mut data, if index == 0 { 'M' } else { 'L' }, point);
        }
        data.push('Z');
        found.push(data);
    }
    found
}

/// A name, its place, and how much room there is.
type AreaLabel = ((f64, f64), String, f64);

/// Where a name has most room, if it has any.
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

/// Those with most room first, without those that would be written over them.
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
