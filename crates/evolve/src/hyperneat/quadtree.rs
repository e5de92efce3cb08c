//! Where a pattern of weights holds information, and where not.

use serde::{Deserialize, Serialize};

use crate::settings::{SettingsError, out_of_range, within};

/// The deepest division: 4,096 cells, each of which may be linked with each.
const DEEPEST: u32 = 6;

/// Patterns that vary less than this are flat: what is left is rounding.
const FLAT: f64 = 1e-9;

/// Which weights below a cell its variance is taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variance {
    /// Of all leaves below it, as published.
    #[default]
    Leaves,
    /// Of its four quarters only, as some implementations do.
    Quarters,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// The output of the CPPN as it is, as published.
    #[default]
    Absolute,
    /// Half the spread of the pattern that is looked at, so that a faint pattern is
    /// expressed like a strong one of the same form. A pattern from −1 to 1 is the same
    /// in both.
    Relative,
}

/// How finely a pattern is looked at, and what of it is expressed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Quadtree {
    /// To this depth every cell is divided; depth 3 is a grid of eight by eight.
    pub initial_depth: u32,
    /// Deeper than this no cell is divided.
    pub max_depth: u32,
    /// Between the two, a cell is divided if its variance is above this.
    pub division: f64,
    /// A cell with a variance above this is not one node but has several in it.
    pub variance: f64,
    /// A node is expressed only if it differs by more than this from its neighbours on
    /// both sides, left and right or above and below.
    pub band: f64,
    #[serde(default)]
    pub of: Variance,
    #[serde(default)]
    pub scale: Scale,
}

impl Default for Quadtree {
    fn default() -> Self {
        Self {
            initial_depth: 3,
            max_depth: 3,
            division: 0.03,
            variance: 0.03,
            band: 0.3,
            of: Variance::Leaves,
            scale: Scale::Absolute,
        }
    }
}

/// A cell: its depth (0 is the whole square) and its place among the cells of that depth.
type Cell = (u32, i64, i64);

/// A place that a quadtree found, and the weight there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The middle of the cell, in the square from −1 to 1.
    pub x: f64,
    /// See `x`.
    pub y: f64,
    /// What the pattern says there, not scaled.
    pub weight: f64,
}

impl Quadtree {
    /// Whether the numbers make sense together.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`] names the number and what it may be.
    pub fn check(&self) -> Result<(), SettingsError> {
        within("quadtree.initial-depth", &self.initial_depth, 1..=DEEPEST)?;
        within(
            "quadtree.max-depth",
            &self.max_depth,
            self.initial_depth..=DEEPEST,
        )?;
        let thresholds = [
            ("quadtree.division", self.division),
            ("quadtree.variance", self.variance),
            ("quadtree.band", self.band),
        ];
        for (key, value) in thresholds {
            if !value.is_finite() || value < 0.0 {
                return Err(out_of_range(key, &value, "a number from 0"));
            }
        }
        Ok(())
    }

    /// The places where the pattern holds information, in the order of the quadtree:
    /// depth first, lower x and y first.
    pub fn find(&self, pattern: impl FnMut(f64, f64) -> f64) -> Vec<Found> {
        let mut search = Search::new(self, pattern);
        search.divide();
        let mut found = Vec::new();
        search.extract((0, 0, 0), &mut found);
        found
    }
}

/// One pattern being looked at. What was asked is remembered, because the neighbours of
/// a cell are most often cells themselves.
struct Search<'a, F> {
    settings: &'a Quadtree,
    pattern: F,
    /// For each depth, the weights of its cells with a rim of one cell around; not yet
    /// asked is not a number.
    known: Vec<Vec<f64>>,
    /// For each depth, which cells are divided.
    divided: Vec<Vec<bool>>,
    /// What variances and differences are measured with.
    unit: f64,
}

impl<'a, F: FnMut(f64, f64) -> f64> Search<'a, F> {
    fn new(settings: &'a Quadtree, pattern: F) -> Self {
        let depths = 0..=settings.max_depth;
        let known = depths
            .clone()
            .map(|depth| vec![f64::NAN; (side(depth) + 2).pow(2)]);
        let divided = depths.map(|depth| vec![false; side(depth).pow(2)]);
        Self {
            settings,
            pattern,
            known: known.collect(),
            divided: divided.collect(),
            unit: 1.0,
        }
    }

    /// Division: every cell to the initial depth, then where the weights vary.
    fn divide(&mut self) {
        // 1. The grid that is always looked at.
        for depth in 0..self.settings.initial_depth {
            for cell in cells(depth) {
                self.split(cell);
            }
        }
        // 2. It says how strong the pattern is.
        if self.settings.scale == Scale::Relative {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for cell in cells(self.settings.initial_depth) {
                let weight = self.weight(cell);
                (low, high) = (low.min(weight), high.max(weight));
            }
            self.unit = ((high - low) / 2.0).max(FLAT);
        }
        // 3. Deeper where it varies: the quarters of a cell are divided in their turn if
        //    their weights differ.
        let threshold = self.settings.division * self.unit * self.unit;
        for depth in self.settings.initial_depth - 1..self.settings.max_depth - 1 {
            for cell in cells(depth) {
                if !self.is_divided(cell) {
                    continue;
                }
                let quarters = quarters(cell);
                if variance(&quarters.map(|quarter| self.weight(quarter))) > threshold {
                    for quarter in quarters {
                        self.split(quarter);
                    }
                }
            }
        }
    }

    /// Pruning and extraction: below a cell whose weights vary, its quarters; else the
    /// quarter itself, if it is not part of an even surface.
    fn extract(&mut self, cell: Cell, found: &mut Vec<Found>) {
        for quarter in quarters(cell) {
            let varies = self.settings.variance * self.unit * self.unit;
            if self.variance(quarter) > varies {
                self.extract(quarter, found);
            } else if self.band(quarter) > self.settings.band * self.unit {
                let (x, y) = middle(quarter);
                let weight = self.weight(quarter);
                found.push(Found { x, y, weight });
            }
        }
    }

    /// How much the cell differs from the nearer of its two neighbours across, in the
    /// direction where that is more.
    fn band(&mut self, (depth, column, row): Cell) -> f64 {
        let here = self.weight((depth, column, row));
        let mut off = |columns: i64, rows: i64| {
            (here - self.weight((depth, column + columns, row + rows))).abs()
        };
        let across = off(-1, 0).min(off(1, 0));
        let along = off(0, -1).min(off(0, 1));
        across.max(along)
    }

    fn variance(&mut self, cell: Cell) -> f64 {
        if !self.is_divided(cell) {
            return 0.0;
        }
        let mut weights = Vec::new();
        match self.settings.of {
            Variance::Leaves => self.leaves(cell, &mut weights),
            Variance::Quarters => {
                weights.extend(quarters(cell).map(|quarter| self.weight(quarter)));
            }
        }
        variance(&weights)
    }

    fn leaves(&mut self, cell: Cell, weights: &mut Vec<f64>) {
        if !self.is_divided(cell) {
            weights.push(self.weight(cell));
            return;
        }
        for quarter in quarters(cell) {
            self.leaves(quarter, weights);
        }
    }

    fn split(&mut self, (depth, column, row): Cell) {
        let at = row as usize * side(depth) + column as usize;
        self.divided[depth as usize][at] = true;
    }

    fn is_divided(&self, (depth, column, row): Cell) -> bool {
        let at = row as usize * side(depth) + column as usize;
        self.divided[depth as usize][at]
    }

    /// The weight in the middle of a cell, which may lie one beyond the square.
    fn weight(&mut self, cell: Cell) -> f64 {
        let (depth, column, row) = cell;
        let at = (row + 1) as usize * (side(depth) + 2) + (column + 1) as usize;
        let known = self.known[depth as usize][at];
        if !known.is_nan() {
            return known;
        }
        let (x, y) = middle(cell);
        let weight = (self.pattern)(x, y);
        let weight = if weight.is_finite() { weight } else { 0.0 };
        self.known[depth as usize][at] = weight;
        weight
    }
}

fn variance(weights: &[f64]) -> f64 {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    let squares = weights
        .iter()
        .map(|weight| (weight - mean) * (weight - mean));
    squares.sum::<f64>() / weights.len() as f64
}

/// How many cells a depth has along one axis.
fn side(depth: u32) -> usize {
    1 << depth
}

fn cells(depth: u32) -> impl Iterator<Item = Cell> {
    let side = side(depth) as i64;
    (0..side).flat_map(move |row| (0..side).map(move |column| (depth, column, row)))
}

fn quarters((depth, column, row): Cell) -> [Cell; 4] {
    let (depth, column, row) = (depth + 1, 2 * column, 2 * row);
    [
        (depth, column, row),
        (depth, column + 1, row),
        (depth, column, row + 1),
        (depth, column + 1, row + 1),
    ]
}

/// The middle of a cell; a multiple of a power of two, so that it is exact and equal
/// places are equal numbers.
fn middle((depth, column, row): Cell) -> (f64, f64) {
    let width = 2.0 / side(depth) as f64;
    let middle = |at: i64| (at as f64 + 0.5) * width - 1.0;
    (middle(column), middle(row))
}
