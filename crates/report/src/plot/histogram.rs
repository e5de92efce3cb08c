//! Several histograms over one common axis.

use super::canvas::{Canvas, Drawing, TextAnchor, WIDTH, shortened};
use super::scale::{Axis, PlotScale, extent, grouped, is_drawable};

const LEFT: f64 = 120.0;
const RIGHT: f64 = 60.0;
const TOP: f64 = 34.0;
const PANEL: f64 = 74.0;
const GAP: f64 = 14.0;
const BOTTOM: f64 = 42.0;

/// Histograms below each other, so that a shift is seen as a shift.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histograms {
    /// What they show.
    pub title: String,
    /// The common axis.
    pub x: Axis,
    /// From top to bottom.
    pub panels: Vec<Panel>,
    /// A level to compare with, and what it is.
    pub reference: Option<(f64, String)>,
}

/// One histogram with bins of equal width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Its name.
    pub name: String,
    /// Where the first bin begins.
    pub low: f64,
    /// Where the last bin ends.
    pub high: f64,
    /// How many fell into each.
    pub counts: Vec<u32>,
}

impl Histograms {
    /// Draws them.
    pub fn draw(&self) -> Drawing {
        let panels: Vec<&Panel> = self.panels.iter().filter(|p| p.is_drawable()).collect();
        let rows = panels.len().max(1) as f64;
        let foot = TOP + rows * (PANEL + GAP);
        let height = foot + BOTTOM;
        let mut canvas = Canvas::new(WIDTH, height, &self.title);
        let level = self.reference.as_ref().map(|r| r.0);
        let range = self.x.range.or_else(|| {
            let ends = panels.iter().flat_map(|panel| [panel.low, panel.high]);
            extent(ends.chain(level))
        });
        let (x0, x1) = (LEFT, WIDTH - RIGHT);
        let x = match self.x.range {
            Some(_) => PlotScale::new(range, x0, x1),
            None => PlotScale::airy(range, x0, x1),
        };

        let ticks = x.ticks(8, self.x.whole);
        for (index, panel) in panels.iter().enumerate() {
            let top = TOP + index as f64 * (PANEL + GAP);
            for (value, _) in &ticks {
                let at = x.place(*value);
                canvas.line((at, top), (at, top + PANEL), "grid");
            }
            draw_panel(&mut canvas, panel, x, top);
        }
        if let Some((value, name)) = &self.reference
            && x.holds(*value)
        {
            let at = x.place(*value);
            canvas.line((at, TOP - 8.0), (at, foot - GAP), "line l3");
            canvas.text(
                (at + 5.0, TOP + 4.0),
                TextAnchor::Start,
                "f3 halo",
                &shortened(name, 30),
            );
        }
        for (value, text) in &ticks {
            canvas.text(
                (x.place(*value), foot + 4.0),
                TextAnchor::Middle,
                "tick",
                text,
            );
        }
        canvas.text(
            (f64::midpoint(x0, x1), height - 8.0),
            TextAnchor::Middle,
            "label",
            &shortened(&self.x.label, 90),
        );
        canvas.finish()
    }
}

impl Panel {
    fn is_drawable(&self) -> bool {
        is_drawable(self.low) && is_drawable(self.high) && self.low <= self.high
    }
}

fn draw_panel(canvas: &mut Canvas, panel: &Panel, x: PlotScale, top: f64) {
    let foot = top + PANEL;
    let all: u64 = panel.counts.iter().map(|count| u64::from(*count)).sum();
    let most = panel.counts.iter().copied().max().unwrap_or(0);
    canvas.text(
        (LEFT - 10.0, top + 26.0),
        TextAnchor::End,
        "strong",
        &shortened(&panel.name, 17),
    );
    let members = format!("n = {}", grouped(all as f64, 0));
    canvas.text((LEFT - 10.0, top + 42.0), TextAnchor::End, "note", &members);

    let bins = panel.counts.len().max(1) as f64;
    canvas.open_window((LEFT, top), (WIDTH - RIGHT - LEFT, PANEL));
    for (index, count) in panel.counts.iter().enumerate() {
        if *count == 0 {
            continue;
        }
        let edge = |index: f64| {
            x.place(panel.low + (panel.high - panel.low) * (index / bins).clamp(0.0, 1.0))
        };
        let (left, right) = (edge(index as f64), edge(index as f64 + 1.0));
        // A generation of equals still has a bar that is seen.
        let width = (right - left).max(1.5);
        let tall = (PANEL - 16.0) * f64::from(*count) / f64::from(most);
        let tall = tall.max(1.0);
        canvas.rect((left, foot - tall), (width, tall), "bar f0");
    }
    canvas.close_window();
    canvas.line((LEFT, foot), (WIDTH - RIGHT, foot), "axis");
    // The scale of this panel: the height of its tallest bar.
    if most > 0 {
        let edge = WIDTH - RIGHT;
        canvas.line((edge, top + 16.0), (edge + 5.0, top + 16.0), "axis");
        let text = grouped(f64::from(most), 0);
        canvas.text((edge + 8.0, top + 20.0), TextAnchor::Start, "tick", &text);
        canvas.line((edge, top + 16.0), (edge, foot), "axis");
        canvas.text((edge + 8.0, foot + 2.0), TextAnchor::Start, "tick", "0");
    }
}
