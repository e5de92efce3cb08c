//! Curves over a common axis.

use super::canvas::{
    BOTTOM, Canvas, Drawing, LEFT, PENS, TOP, TextAnchor, WIDTH, bold_width, outline, path_to, px,
    shortened, text_width,
};
use super::scale::{Axis, PlotScale, extent, is_drawable, number};

/// Approximate maximum number of points of a curve; more are not visible.
const MAX_POINTS: usize = 600;

/// Curves, each with its name at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    pub title: String,
    pub x: Axis,
    /// Curves that leave the range of this axis are cut at the frame.
    pub y: Axis,
    /// The curves; the first is drawn last, on top.
    pub series: Vec<Series>,
    /// Levels for comparison.
    pub references: Vec<Reference>,
    /// Places at which the first curve is infinitely high (`true`) or low: an arrow at the edge.
    pub beyond: Vec<(f64, bool)>,
    /// The height in pixels; 0 is the default.
    pub height: u32,
}

/// One curve, a band or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The label at the end of the curve; empty for none.
    pub name: String,
    /// Colour and dash, 0 to 5; 0 is the strongest line, 2 the faintest.
    pub pen: u8,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
    /// A band, such as an interval: place, low, high.
    pub band: Vec<(f64, f64, f64)>,
}

impl Series {
    /// A curve without a band.
    pub fn line(name: impl Into<String>, pen: u8, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            pen,
            points,
            band: Vec::new(),
        }
    }
}

/// A horizontal line across the whole chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    pub name: String,
    pub pen: u8,
    pub value: f64,
}

impl Reference {
    pub fn new(name: impl Into<String>, pen: u8, value: f64) -> Self {
        let name = name.into();
        Self { name, pen, value }
    }
}

/// A label at the right edge.
struct LineLabel {
    /// Height of the end of the curve.
    end: f64,
    /// Height of the text.
    at: f64,
    pen: u8,
    text: String,
}

impl LineChart {
    pub fn draw(&self) -> Drawing {
        let height = f64::from(if self.height == 0 {
            330
        } else {
            self.height.clamp(120, 2000)
        });
        let labels = self.labels();
        let room = labels.iter().map(|(_, _, text)| bold_width(text));
        let right = room.fold(24.0, f64::max).min(250.0) + 22.0;
        let (x1, y0, y1) = (WIDTH - right, height - BOTTOM, TOP);
        let mut canvas = Canvas::new(WIDTH, height, &self.title);

        // 1. The axes.
        let y = self.y.scale(self.y_range(), y0, y1);
        let ticks = y.ticks((height / 60.0) as u32, self.y.whole);
        let widest = ticks.iter().map(|(_, text)| text_width(text));
        // Long numbers must not overlap the label of the axis.
        let x0 = LEFT.max(widest.fold(0.0, f64::max) + 30.0);
        let x = PlotScale::new(self.x_range(), x0, x1);
        canvas.y_ticks(y, ticks, (x0, x1));
        canvas.x_ticks(x, x.ticks(8, self.x.whole), (y0, y0 + 5.0), "axis", y0);
        canvas.line((x0, y0), (x1, y0), "axis");
        canvas.x_label((x0, x1), &self.x.label, 80);
        canvas.y_label((y0, y1), &self.y.label, ((y0 - y1) / 6.5) as usize);

        // 2. The curves, cut at the frame.
        canvas.open_window((x0, y1), (x1 - x0, y0 - y1));
        for series in self.series.iter().rev() {
            draw_band(&mut canvas, series, x, y);
        }
        for reference in self.references.iter().filter(|r| is_drawable(r.value)) {
            let (at, pen) = (y.place(reference.value), reference.pen % PENS);
            canvas.line((x0, at), (x1, at), &format!("line l{pen}"));
        }
        for series in self.series.iter().rev() {
            draw_curve(&mut canvas, series, x, y);
        }
        canvas.close_window();
        for &(place, above) in self.beyond.iter().filter(|it| is_drawable(it.0)) {
            let pen = self.series.first().map_or(0, |it| it.pen % PENS);
            let (edge, way) = if above { (y1, 9.0) } else { (y0, -9.0) };
            let (x, foot) = (x.place(place), edge + way);
            let arrow = outline([(x, edge), (x - 5.0, foot), (x + 5.0, foot)]);
            canvas.path(&arrow, &format!("f{pen}"));
        }

        // 3. The names, where the curves end.
        let labels = labels.into_iter().map(|(value, pen, text)| LineLabel {
            end: y.place(value).clamp(y1, y0),
            at: 0.0,
            pen,
            text,
        });
        for label in spread(labels.collect(), y1, y0) {
            let (end, at, pen) = (px(label.end), px(label.at), label.pen);
            let elbow = format!("M{} {end}L{} {at}", px(x1 + 2.0), px(x1 + 12.0));
            canvas.path(&elbow, &format!("line l{pen}"));
            let at = (x1 + 16.0, label.at + 4.0);
            let class = format!("strong f{pen}");
            canvas.text(at, TextAnchor::Start, &class, &label.text);
        }
        canvas.finish()
    }

    /// Value, pen and text of each label.
    fn labels(&self) -> Vec<(f64, u8, String)> {
        let ends = self.series.iter().filter_map(|series| {
            let point = series.points.iter().rfind(|p| is_drawable(p.1));
            let band = series.band.iter().rfind(|b| is_drawable(b.1 + b.2));
            let end = point
                .map(|p| p.1)
                .or_else(|| band.map(|b| f64::midpoint(b.1, b.2)))?;
            Some((&series.name, series.pen, end))
        });
        let levels = self.references.iter().filter(|r| is_drawable(r.value));
        ends.chain(levels.map(|r| (&r.name, r.pen, r.value)))
            .filter(|(name, _, _)| !name.is_empty())
            .map(|(name, pen, value)| {
                let text = format!("{} {}", shortened(name, 24), number(value));
                (value, pen % PENS, text)
            })
            .collect()
    }

    fn x_range(&self) -> Option<(f64, f64)> {
        self.x.range.or_else(|| {
            extent(self.series.iter().flat_map(|series| {
                let points = series.points.iter().map(|p| p.0);
                let beyond = self.beyond.iter().map(|it| it.0);
                points.chain(series.band.iter().map(|b| b.0)).chain(beyond)
            }))
        })
    }

    fn y_range(&self) -> Option<(f64, f64)> {
        let values = self.series.iter().flat_map(|series| {
            let points = series.points.iter().map(|p| p.1);
            points.chain(series.band.iter().flat_map(|b| [b.1, b.2]))
        });
        extent(values.chain(self.references.iter().map(|r| r.value)))
    }
}

fn draw_band(canvas: &mut Canvas, series: &Series, x: PlotScale, y: PlotScale) {
    let is_whole = |b: &&(f64, f64, f64)| [b.0, b.1, b.2].into_iter().all(is_drawable);
    let drawable: Vec<_> = series.band.iter().filter(is_whole).collect();
    if drawable.is_empty() {
        return;
    }
    let every = drawable.len().div_ceil(MAX_POINTS);
    let last = drawable.len() - 1;
    let kept: Vec<_> = (0..drawable.len())
        .filter(|index| index % every == 0 || *index == last)
        .map(|index| drawable[index])
        .collect();
    let there = kept.iter().map(|b| (b.0, b.1));
    let back = kept.iter().rev().map(|b| (b.0, b.2));
    let data = outline(there.chain(back).map(|it| (x.place(it.0), y.place(it.1))));
    canvas.path(&data, &format!("band f{}", series.pen % PENS));
}

fn draw_curve(canvas: &mut Canvas, series: &Series, x: PlotScale, y: PlotScale) {
    let pen = series.pen % PENS;
    let points = thinned(&series.points);
    let mut data = String::new();
    let mut drawn = 0;
    for (index, point) in points.iter().enumerate() {
        // A gap in the values is a gap in the curve.
        if !is_drawable(point.0) || !is_drawable(point.1) {
            continue;
        }
        let follows = index > 0 && is_drawable(points[index - 1].1);
        let command = if follows { 'L' } else { 'M' };
        path_to(&mut data, command, (x.place(point.0), y.place(point.1)));
        drawn += 1;
    }
    if drawn == 1
        && let Some(point) = points.iter().find(|p| is_drawable(p.0) && is_drawable(p.1))
    {
        let at = (x.place(point.0), y.place(point.1));
        canvas.circle(at, 4.0, &format!("f{pen}"));
    } else if drawn > 1 {
        canvas.path(&data, &format!("line l{pen}"));
    }
}

/// At most about [`MAX_POINTS`] points: both ends, and the lowest and the highest point of each
/// stretch, so that no peak is lost.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MAX_POINTS {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(MAX_POINTS / 2);
    let mut kept = vec![points[0]];
    for chunk in points[1..points.len() - 1].chunks(stretch) {
        let order = |a: &usize, b: &usize| chunk[*a].1.total_cmp(&chunk[*b].1);
        let low = (0..chunk.len()).min_by(order);
        let high = (0..chunk.len()).max_by(order);
        if let (Some(low), Some(high)) = (low, high) {
            kept.push(chunk[low.min(high)]);
            if low != high {
                kept.push(chunk[low.max(high)]);
            }
        }
    }
    kept.push(points[points.len() - 1]);
    kept
}

/// Moves labels apart, keeping their order, between `top` and `bottom`.
fn spread(mut labels: Vec<LineLabel>, top: f64, bottom: f64) -> Vec<LineLabel> {
    const GAP: f64 = 15.0;
    labels.sort_by(|a, b| a.end.total_cmp(&b.end));
    let mut least = top;
    for label in &mut labels {
        label.at = label.end.max(least);
        least = label.at + GAP;
    }
    let mut most = bottom;
    for label in labels.iter_mut().rev() {
        label.at = label.at.min(most);
        most = label.at - GAP;
    }
    labels
}
