//! Plots of plain data, as SVG text.
//!
//! The same data give the same bytes. A drawing works in light and dark colour schemes; what a
//! colour says, a dash, a place or a word says too. Any data can be drawn: what is not a finite
//! number is left out.
//!
//! ```
//! use mendel_report::plot::{Axis, LineChart, Series};
//!
//! let chart = LineChart {
//!     title: "Peas in the garden".to_owned(),
//!     x: Axis::new("year"),
//!     y: Axis::new("yellow peas, share"),
//!     series: vec![Series::line("harvest", 0, vec![(1856.0, 1.0), (1857.0, 0.751)])],
//!     ..LineChart::default()
//! };
//! let drawing = chart.draw();
//! assert!(drawing.standalone().contains("Peas in the garden"));
//! ```

mod area;
mod boards;
mod canvas;
mod graph;
mod heat;
mod histogram;
mod intervals;
mod line;
mod network;
mod scale;
mod scatter;
mod sparkline;
mod stacked_bars;

pub use area::{AreaLayer, StackedArea};
pub use boards::{BoardHeatMaps, HeatBoard};
pub use canvas::{Drawing, STYLE, escape};
pub use graph::{Arc, Layer, LayeredGraph, PlotNode};
pub use heat::{HeatMap, HeatMark, HeatRow};
pub use histogram::{Histograms, Panel};
pub use intervals::{IntervalPlot, IntervalRow};
pub use line::{LineChart, Reference, Series};
pub use network::{DiagramEdge, DiagramLayer, NetworkDiagram};
pub(crate) use scale::extent;
pub use scale::{Axis, decimal, number};
pub use scatter::{Scatter, ScatterSeries};
pub use sparkline::spark;
pub use stacked_bars::{BarGroup, BarRow, StackedBars};
