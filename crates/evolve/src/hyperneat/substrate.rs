//! Where the nodes of a network lie.

use serde::{Deserialize, Serialize};

use crate::settings::{SettingsError, out_of_range, within};

/// The most axes a substrate can have: two of a sheet and two more to tell sheets
/// apart.
pub const MOST_AXES: usize = 4;

/// The most points of one substrate: a guard against a slip of the keyboard.
const MOST_POINTS: usize = 100_000;

/// A place in a substrate: x and y in a sheet, within −1 to 1, and up to two more axes
/// that say which sheet it is. Axes that a substrate does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point(pub [f64; MOST_AXES]);

impl Point {
    pub fn flat(x: f64, y: f64) -> Self {
        Self([x, y, 0.0, 0.0])
    }

    pub fn at(x: f64, y: f64, z: f64) -> Self {
        Self([x, y, z, 0.0])
    }

    pub fn x(&self) -> f64 {
        self.0[0]
    }

    pub fn y(&self) -> f64 {
        self.0[1]
    }
}

/// Points that belong together: a row of sensors, the squares of a board that one kind of
/// piece stands on, a layer of hidden nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sheet {
    /// A name for drawings and messages.
    pub name: String,
    /// Its points, in the order of the network's inputs, hidden nodes or outputs.
    pub points: Vec<Point>,
}

impl Sheet {
    pub fn new(name: impl Into<String>, points: Vec<Point>) -> Self {
        Self {
            name: name.into(),
            points,
        }
    }

    /// The middles of the cells of a grid over −1 to 1, row by row from the lowest x and
    /// y, all with the same two further coordinates.
    ///
    /// Middles, and not a grid that reaches to the edges: a quadtree asks at the middles
    /// of its cells, so that a board of eight by eight is exactly its third level.
    pub fn grid(name: impl Into<String>, columns: usize, rows: usize, further: [f64; 2]) -> Self {
        let middle = |at: usize, of: usize| (2 * at + 1) as f64 / of as f64 - 1.0;
        let point = |row: usize, column: usize| {
            let (x, y) = (middle(column, columns), middle(row, rows));
            Point([x, y, further[0], further[1]])
        };
        let points = (0..rows).flat_map(|row| (0..columns).map(move |column| point(row, column)));
        Self::new(name, points.collect())
    }
}

/// Which output of the CPPN answers for which links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channels {
    /// One output for all: the coordinates alone tell layers and sheets apart.
    #[default]
    One,
    /// One for each pair of layers that is linked, as in checkers (Gauci and Stanley 2010).
    Layers,
    /// One for each pair of sheets that is linked: "multi-plane". Sheets that lie one
    /// above the other need no axis of their own then.
    Sheets,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connect {
    /// Each layer feeds the next.
    #[default]
    Layered,
    /// Each layer feeds the next, and the inputs feed the outputs too.
    Direct,
    /// Each layer feeds all that come after it.
    All,
}

/// Where inputs, hidden nodes and outputs lie, and what may be linked.
///
/// The inputs are one layer, the outputs one, and each hidden sheet is one. Nodes are
/// numbered as a network numbers them: inputs, outputs, hidden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Substrate {
    /// How many coordinates of a point the CPPN is told, from 1 to [`MOST_AXES`].
    pub axes: usize,
    pub inputs: Vec<Sheet>,
    /// The hidden layers, from the inputs to the outputs. None where the nodes are to
    /// be found.
    #[serde(default)]
    pub hidden: Vec<Sheet>,
    pub outputs: Vec<Sheet>,
    #[serde(default)]
    pub connect: Connect,
    /// Which output of the CPPN answers for which links.
    #[serde(default)]
    pub channels: Channels,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joint {
    /// The sheet it comes from, counted through inputs, hidden, outputs.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) channel: usize,
}

impl Substrate {
    /// A board game: `planes` boards of `columns` by `rows` as inputs, sheets of the same
    /// size as hidden layers, and one output in the middle.
    ///
    /// The third axis tells layers apart: the inputs lie at −1, the output at 1 and hidden
    /// layers evenly between. With [`Channels::Sheets`] the planes have outputs of their
    /// own and share their coordinates; else the fourth axis tells the planes apart,
    /// evenly from −1 to 1.
    pub fn boards(
        (columns, rows): (usize, usize),
        planes: usize,
        hidden: usize,
        channels: Channels,
    ) -> Self {
        let own_outputs = channels == Channels::Sheets;
        let spread = |at: usize, of: usize| match (own_outputs, of) {
            (true, _) | (_, 0 | 1) => 0.0,
            _ => 2.0 * at as f64 / (of - 1) as f64 - 1.0,
        };
        let height = |layer: usize| 2.0 * layer as f64 / (hidden + 1) as f64 - 1.0;
        let plane = |at: usize| {
            let further = [-1.0, spread(at, planes)];
            Sheet::grid(format!("plane {at}"), columns, rows, further)
        };
        let layer =
            |at: usize| Sheet::grid(format!("hidden {at}"), columns, rows, [height(at + 1), 0.0]);
        Self {
            axes: if own_outputs { 3 } else { 4 },
            inputs: (0..planes).map(plane).collect(),
            hidden: (0..hidden).map(layer).collect(),
            outputs: vec![Sheet::new("output", vec![Point::at(0.0, 0.0, 1.0)])],
            connect: Connect::Layered,
            channels,
        }
    }

    pub fn input_count(&self) -> usize {
        count(&self.inputs)
    }

    pub fn output_count(&self) -> usize {
        count(&self.outputs)
    }

    /// Whether there is something to link, within reason.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`] names what cannot be and what could.
    pub fn check(&self) -> Result<(), SettingsError> {
        within("axes", &self.axes, 1..=MOST_AXES)?;
        for (key, sheets) in [("inputs", &self.inputs), ("outputs", &self.outputs)] {
            if count(sheets) == 0 {
                return Err(out_of_range(key, &"no points", "at least one point"));
            }
        }
        for sheet in self.sheets() {
            let finite = |point: &Point| point.0.iter().all(|axis| axis.is_finite());
            if !sheet.points.iter().all(finite) {
                let value = format!("a point of `{}` that is no number", sheet.name);
                return Err(out_of_range("points", &value, "finite coordinates"));
            }
        }
        let points: usize = self.sheets().map(|sheet| sheet.points.len()).sum();
        within("points", &points, 2..=MOST_POINTS)
    }

    pub(crate) fn sheets(&self) -> impl Iterator<Item = &Sheet> {
        self.inputs.iter().chain(&self.hidden).chain(&self.outputs)
    }

    /// For each sheet, in the order of [`sheets`](Self::sheets), the number of its first
    /// node in a network.
    pub(crate) fn first_nodes(&self) -> Vec<usize> {
        let (inputs, outputs) = (self.input_count(), self.output_count());
        let starts = |sheets: &[Sheet], mut next: usize| {
            let start = |sheet: &Sheet| {
                let first = next;
                next += sheet.points.len();
                first
            };
            sheets.iter().map(start).collect::<Vec<_>>()
        };
        [
            starts(&self.inputs, 0),
            starts(&self.hidden, inputs + outputs),
            starts(&self.outputs, inputs),
        ]
        .concat()
    }

    /// The pairs of sheets to link, with who answers for them.
    pub(crate) fn joints(&self) -> Vec<Joint> {
        let layers = self.layers();
        let last = layers.len() - 1;
        let mut joints = Vec::new();
        let mut channel = 0;
        for from in 0..last {
            for to in from + 1..=last {
                let linked = match self.connect {
                    Connect::Layered => to == from + 1,
                    Connect::Direct => to == from + 1 || (from == 0 && to == last),
                    Connect::All => true,
                };
                if !linked {
                    continue;
                }
                for source in layers[from].clone() {
                    for target in layers[to].clone() {
                        joints.push(Joint {
                            from: source,
                            to: target,
                            channel,
                        });
                        channel += usize::from(self.channels == Channels::Sheets);
                    }
                }
                channel += usize::from(self.channels == Channels::Layers);
            }
        }
        joints
    }

    /// The sheets of each layer, from the inputs to the outputs.
    fn layers(&self) -> Vec<std::ops::Range<usize>> {
        let (inputs, hidden) = (self.inputs.len(), self.hidden.len());
        let given = (inputs..inputs + hidden).map(|sheet| sheet..sheet + 1);
        let last = inputs + hidden..inputs + hidden + self.outputs.len();
        let first = std::iter::once(0..inputs);
        first.chain(given).chain(std::iter::once(last)).collect()
    }
}

fn count(sheets: &[Sheet]) -> usize {
    sheets.iter().map(|sheet| sheet.points.len()).sum()
}
