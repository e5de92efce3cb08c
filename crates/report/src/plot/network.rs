//! Diagrams of networks.

use serde::Serialize;

use super::canvas::{Canvas, Drawing, TextAnchor, WIDTH, path_to, shortened, small_width};
use super::scale::{extent, is_drawable};

const TOP: f64 = 76.0;
const BOTTOM: f64 = 20.0;

/// Width and opacity of lines, from the faintest to the strongest.
const STRENGTHS: [(f64, f64); 4] = [(0.5, 0.25), (0.9, 0.4), (1.5, 0.65), (2.4, 0.9)];

/// Maximum length of the name of a node.
const MAX_NAME: usize = 32;

/// Width of the name of a layer such as `hidden 10`.
const NAME_WIDTH: f64 = 72.0;

/// A network in layers from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkDiagram {
    pub title: String,
    /// From left to right.
    pub layers: Vec<DiagramLayer>,
    /// A connection of a missing node is left out.
    pub wires: Vec<DiagramEdge>,
}

/// A column of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiagramLayer {
    pub name: String,
    /// Text below the name, such as the number of nodes.
    pub words: String,
    /// Names, from top to bottom.
    pub nodes: Vec<String>,
}

/// One connection between nodes, each given by layer and place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DiagramEdge {
    pub from: (usize, usize),
    pub to: (usize, usize),
    /// A continuous blue line if it is positive, a dashed orange one if not.
    pub weight: f64,
}

impl NetworkDiagram {
    pub fn draw(&self) -> Drawing {
        let most = self.layers.iter().map(|layer| layer.nodes.len()).max();
        let rows = most.unwrap_or(1).clamp(1, 64) as f64;
        let tall = (420.0 / rows).clamp(13.0, 34.0);
        let height = TOP + rows * tall + BOTTOM;
        let mut canvas = Canvas::new(WIDTH, height, &self.title);
        let named = |layer: Option<&DiagramLayer>| {
            let names = layer.iter().flat_map(|layer| &layer.nodes);
            // A name may have more wide letters than most.
            let widths = names.map(|name| 1.1 * small_width(&shortened(name, MAX_NAME)));
            widths.fold(0.0, f64::max)
        };
        let left = named(self.layers.first()) + 14.0;
        let right = named(self.layers.last()) + 14.0;
        let gaps = self.layers.len().saturating_sub(1).max(1) as f64;
        let gap = (WIDTH - left - right) / gaps;
        let column = |layer: usize| left + gap * layer as f64;
        let spot = |(layer, place): (usize, usize)| -> Option<(f64, f64)> {
            let nodes = &self.layers.get(layer)?.nodes;
            nodes.get(place)?;
            let cell = rows * tall / nodes.len() as f64;
            Some((column(layer), TOP + (place as f64 + 0.5) * cell))
        };

        // 1. The key.
        canvas.line((0.0, 33.0), (34.0, 33.0), "line l0");
        canvas.text((40.0, 37.0), TextAnchor::Start, "label", "positive");
        canvas.line((110.0, 33.0), (144.0, 33.0), "line l1 dashed");
        canvas.text((150.0, 37.0), TextAnchor::Start, "label", "negative");
        // The weakest and the strongest connection into each layer.
        let ends: Vec<(f64, f64)> = (0..self.layers.len())
            .map(|layer| {
                let own = self.wires.iter().filter(|wire| wire.to.0 == layer);
                let sizes = own.map(|wire| wire.weight.abs());
                extent(sizes.filter(|it| is_drawable(*it))).unwrap_or((0.0, 0.0))
            })
            .collect();
        let words = "stronger lines: larger weights, beside the others into the same layer";
        canvas.text((230.0, 37.0), TextAnchor::Start, "label", words);

        // 2. The connections, the faint ones below; one path for each strength and sign.
        for (step, (width, opacity)) in STRENGTHS.into_iter().enumerate() {
            for class in ["l0", "l1 dashed"] {
                let mut data = String::new();
                for wire in &self.wires {
                    let (least, most) = ends.get(wire.to.0).copied().unwrap_or((0.0, 0.0));
                    let share = if most > least {
                        (wire.weight.abs() - least) / (most - least)
                    } else {
                        0.5
                    };
                    let own = ((share * STRENGTHS.len() as f64) as usize).min(STRENGTHS.len() - 1);
                    let sign = if wire.weight < 0.0 { "l1 dashed" } else { "l0" };
                    let ends = spot(wire.from).zip(spot(wire.to));
                    if let Some((from, to)) = ends.filter(|_| own == step && sign == class)
                        && is_drawable(wire.weight)
                    {
                        path_to(&mut data, 'M', from);
                        bow(&mut data, from, to);
                    }
                }
                if !data.is_empty() {
                    canvas.wire(&data, class, width, opacity);
                }
            }
        }

        // 3. The nodes.
        let last = self.layers.len().saturating_sub(1);
        for (index, layer) in self.layers.iter().enumerate() {
            let (anchor, x) = match index {
                0 => (TextAnchor::Start, 0.0),
                index if index == last => (TextAnchor::End, WIDTH),
                _ => (TextAnchor::Middle, column(index)),
            };
            // With many layers only the last word of a name has room.
            let fits = index == 0 || index == last || NAME_WIDTH < gap;
            let last_word = layer.name.rsplit(' ').next().filter(|_| !fits);
            let name = last_word.unwrap_or(&layer.name);
            canvas.text((x, 55.0), anchor, "strong", &shortened(name, 30));
            let words = shortened(&layer.words, 40);
            canvas.text((x, 68.0), anchor, "small label", &words);
            for (place, name) in layer.nodes.iter().enumerate() {
                let Some((x, y)) = spot((index, place)) else {
                    continue;
                };
                canvas.open_group(name);
                canvas.circle((x, y), (tall * 0.3).clamp(3.0, 6.0), "box");
                let name = shortened(name, MAX_NAME);
                if index == 0 {
                    canvas.text((x - 8.0, y + 3.5), TextAnchor::End, "small", &name);
                } else if index == last {
                    canvas.text((x + 10.0, y + 3.5), TextAnchor::Start, "small", &name);
                } else if layer.nodes.len() <= 32 {
                    canvas.text((x + 8.0, y + 3.5), TextAnchor::Start, "small halo", &name);
                }
                canvas.close_group();
            }
        }
        canvas.finish()
    }
}

/// The rest of a line. It is bent, so that a line across several layers does not disappear behind
/// their nodes.
fn bow(data: &mut String, from: (f64, f64), to: (f64, f64)) {
    let third = (to.0 - from.0) / 3.0;
    path_to(data, 'C', (from.0 + third, from.1));
    path_to(data, ' ', (to.0 - third, to.1));
    path_to(data, ' ', to);
}
