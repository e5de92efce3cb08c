//! Several histograms over one common axis.

use super::canvas::{Canvas, Drawing, TextAnchor, WIDTH, shortened};
use super::scale::{Axis, PlotScale, extent, grouped, is_drawable};

const LEFT: f64 = 120.0;
const RIGHT: f64 = 60.0;
const TOP: f64 = 34.0;
const PANEL: f64 = 74.0;
const GAP: f64 = 14.0;
const BOTTOM: f64 = 42.0;

/// Histograms below each other, so that a shift is visible as a shift.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histograms {
    pub title: String,
    pub x: Axis,
    /// From top to bottom.
    pub panels: Vec<Panel>,
    /// A level for comparison, and its name.
    pub reference: Option<(f64, String)>,
}

/// One histogram with bins of equal width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    pub name: String,
    /// The start of the first bin.
    pub low: f64,
    /// The end of the last bin.
    pub high: f64,
    pub counts: Vec<u32>,
}

impl Histograms {
    pub fn draw(&self) -> Drawing {
        let panels: Vec<&Panel> = self.panels.iter().filter(|p| p.is_drawable()).collect();
        let foot = TOP + panels.len().max(1) as f64 * (PANEL + GAP);
        let mut canvas = Canvas::new(WIDTH, foot + BOTTOM, &self.title);
        let level = self.reference.as_ref().map(|r| r.0);
        let ends = panels.iter().flat_map(|panel| [panel.low, panel.high]);
        let (x0, x1) = (LEFT, WIDTH - RIGHT);
        let x = self.x.scale(extent(ends.chain(level)), x0, x1);

        let ticks = x.ticks(8, self.x.whole);
        for (index, panel) in panels.iter().enumerate() {
            let top = TOP + index as f64 * (PANEL + GAP);
            for (value, _) in &ticks {
                let at = x.place(*value);
                canvas.line((at, top), (at, top + PANEL), "grid");
            }
            panel.draw(&mut canvas, x, top);
        }
        if let Some((value, name)) = &self.reference
            && x.holds(*value)
        {
            let (at, name) = (x.place(*value), shortened(name, 30));
            canvas.line((at, TOP - 8.0), (at, foot - GAP), "line l3");
            canvas.text((at + 5.0, TOP + 4.0), TextAnchor::Start, "f3 halo", &name);
        }
        for (value, text) in &ticks {
            let at = (x.place(*value), foot + 4.0);
            canvas.text(at, TextAnchor::Middle, "tick", text);
        }
        canvas.x_label((x0, x1), &self.x.label, 90);
        canvas.finish()
    }
}

impl Panel {
    fn is_drawable(&self) -> bool {
        is_drawable(self.low) && is_drawable(self.high) && self.low <= self.high
    }

    fn draw(&self, canvas: &mut Canvas, x: PlotScale, top: f64) {
        let foot = top + PANEL;
        let all: u64 = self.counts.iter().map(|count| u64::from(*count)).sum();
        let most = self.counts.iter().copied().max().unwrap_or(0);
        let (name, edge) = (shortened(&self.name, 17), WIDTH - RIGHT);
        canvas.text((LEFT - 10.0, top + 26.0), TextAnchor::End, "strong", &name);
        let members = format!("n = {}", grouped(all as f64, 0));
        canvas.text((LEFT - 10.0, top + 42.0), TextAnchor::End, "note", &members);

        let bins = self.counts.len().max(1) as f64;
        canvas.open_window((LEFT, top), (edge - LEFT, PANEL));
        for (index, count) in self.counts.iter().enumerate().filter(|it| *it.1 > 0) {
            let place = |index: f64| {
                x.place(self.low + (self.high - self.low) * (index / bins).clamp(0.0, 1.0))
            };
            let (left, right) = (place(index as f64), place(index as f64 + 1.0));
            // A generation of equals still has a visible bar.
            let width = (right - left).max(1.5);
            let tall = (PANEL - 16.0) * f64::from(*count) / f64::from(most);
            let tall = tall.max(1.0);
            canvas.rect((left, foot - tall), (width, tall), "bar f0");
        }
        canvas.close_window();
        canvas.line((LEFT, foot), (edge, foot), "axis");
        // The scale of this panel: the height of its tallest bar.
        if most > 0 {
            canvas.line((edge, top + 16.0), (edge + 5.0, top + 16.0), "axis");
            let text = grouped(f64::from(most), 0);
            canvas.text((edge + 8.0, top + 20.0), TextAnchor::Start, "tick", &text);
            canvas.line((edge, top + 16.0), (edge, foot), "axis");
            canvas.text((edge + 8.0, foot + 2.0), TextAnchor::Start, "tick", "0");
        }
    }
}
