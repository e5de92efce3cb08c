//! Layered graphs, such as those of ancestors.

use super::canvas::{Canvas, Drawing, TextAnchor, WIDTH, px, shortened, text_width, widest};

const TOP: f64 = 30.0;
const STEP: f64 = 46.0;
const BOX: f64 = 22.0;

/// A graph in layers from top to bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayeredGraph {
    pub title: String,
    pub layers: Vec<Layer>,
    pub arcs: Vec<Arc>,
}

/// One row of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Text at the left.
    pub name: String,
    /// Text at the right.
    pub note: String,
    /// From left to right.
    pub nodes: Vec<PlotNode>,
}

/// One node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotNode {
    pub label: String,
    /// The tooltip.
    pub hint: String,
    /// Whether it is highlighted.
    pub chosen: bool,
}

/// An arc between two nodes, each given by layer and place. An arc of a missing node is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arc {
    pub from: (usize, usize),
    pub to: (usize, usize),
    /// Whether it is highlighted.
    pub chosen: bool,
}

impl LayeredGraph {
    pub fn draw(&self) -> Drawing {
        let left = widest(self.layers.iter().map(|it| &it.name), text_width, 200.0) + 16.0;
        let right = widest(self.layers.iter().map(|it| &it.note), text_width, 200.0) + 16.0;
        let height = TOP + self.layers.len().max(1) as f64 * STEP + 4.0;
        let mut canvas = Canvas::new(WIDTH, height, &self.title);
        let spot = |(layer, place): (usize, usize)| -> Option<(f64, f64)> {
            let nodes = &self.layers.get(layer)?.nodes;
            nodes.get(place)?;
            let cell = (WIDTH - left - right) / nodes.len() as f64;
            let x = left + (place as f64 + 0.5) * cell;
            Some((x, TOP + (layer as f64 + 0.5) * STEP))
        };

        // 1. The arcs, the highlighted ones on top.
        for chosen in [false, true] {
            for arc in self.arcs.iter().filter(|arc| arc.chosen == chosen) {
                if let (Some(from), Some(to)) = (spot(arc.from), spot(arc.to)) {
                    let (start, end) = (from.1 + BOX / 2.0, to.1 - BOX / 2.0);
                    let middle = px(f64::midpoint(start, end));
                    let (x1, x2) = (px(from.0), px(to.0));
                    let (start, end) = (px(start), px(end));
                    let data = format!("M{x1} {start}C{x1} {middle} {x2} {middle} {x2} {end}");
                    canvas.path(&data, if chosen { "arc main" } else { "arc" });
                }
            }
        }

        // 2. The layers.
        for (index, layer) in self.layers.iter().enumerate() {
            let y = TOP + (index as f64 + 0.5) * STEP + 4.0;
            let (name, note) = (shortened(&layer.name, 30), shortened(&layer.note, 30));
            canvas.text((0.0, y), TextAnchor::Start, "label", &name);
            canvas.text((WIDTH, y), TextAnchor::End, "note", &note);
            let cell = (WIDTH - left - right) / layer.nodes.len().max(1) as f64;
            let wide = (cell - 6.0).clamp(4.0, 76.0);
            for (place, node) in layer.nodes.iter().enumerate() {
                let Some((x, y)) = spot((index, place)) else {
                    continue;
                };
                canvas.open_group(&node.hint);
                let class = if node.chosen { "box chosen" } else { "box" };
                canvas.rect((x - wide / 2.0, y - BOX / 2.0), (wide, BOX), class);
                let class = if node.chosen { "strong" } else { "" };
                let label = shortened(&node.label, (wide / 6.5) as usize);
                canvas.text((x, y + 4.0), TextAnchor::Middle, class, &label);
                canvas.close_group();
            }
        }
        canvas.finish()
    }
}
