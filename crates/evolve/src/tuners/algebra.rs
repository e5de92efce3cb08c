//! The little linear algebra that tuners need, in a fixed order of additions.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Square {
    size: usize,
    cells: Vec<f64>,
}

impl Square {
    pub(super) fn zeros(size: usize) -> Self {
        Self {
            size,
            cells: vec![0.0; size * size],
        }
    }

    pub(super) fn identity(size: usize) -> Self {
        let mut matrix = Self::zeros(size);
        for place in 0..size {
            matrix.row_mut(place)[place] = 1.0;
        }
        matrix
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..(row + 1) * self.size]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.cells[row * self.size..(row + 1) * self.size]
    }

    /// Adds `weight · v vᵀ` below and on the diagonal.
    pub(super) fn add_outer(&mut self, weight: f64, v: &[f64]) {
        for (place, value) in v.iter().enumerate() {
            let scaled = weight * value;
            // Most numbers of a sparse row are zero.
            if scaled != 0.0 {
                let row = &mut self.cells[place * self.size..=place * self.size + place];
                for (cell, other) in row.iter_mut().zip(v) {
                    *cell += scaled * other;
                }
            }
        }
    }

    /// Writes what is below the diagonal above it too.
    pub(super) fn mirror(&mut self) {
        for row in 0..self.size {
            for column in 0..row {
                self.cells[column * self.size + row] = self.cells[row * self.size + column];
            }
        }
    }

    pub(super) fn times(&self, v: &[f64]) -> Vec<f64> {
        (0..self.size).map(|row| dot(self.row(row), v)).collect()
    }

    /// The factor `L` of `L Lᵀ`, from what is on and below the diagonal; none if the
    /// matrix is not positive definite.
    pub(super) fn cholesky(mut self) -> Option<Factor> {
        let size = self.size;
        for row in 0..size {
            let (above, rest) = self.cells.split_at_mut(row * size);
            let current = &mut rest[..size];
            for column in 0..row {
                let other = &above[column * size..=column * size + column];
                let sum = dot(&current[..column], other);
                current[column] = (current[column] - sum) / other[column];
            }
            let left = current[row] - dot(&current[..row], &current[..row]);
            if !(left.is_finite() && left > 0.0) {
                return None;
            }
            current[row] = libm::sqrt(left);
            current[row + 1..].fill(0.0);
        }
        Some(Factor(self))
    }
}

/// The lower triangle of a Cholesky factorisation.
#[derive(Clone, Debug)]
pub(super) struct Factor(Square);

impl Factor {
    pub(super) fn row(&self, row: usize) -> &[f64] {
        self.0.row(row)
    }

    /// Solves `L x = v`.
    pub(super) fn forward(&self, v: &[f64]) -> Vec<f64> {
        let mut solved = Vec::with_capacity(v.len());
        for (row, value) in v.iter().enumerate() {
            let row_cells = self.0.row(row);
            let sum = dot(&row_cells[..row], &solved);
            solved.push((value - sum) / row_cells[row]);
        }
        solved
    }

    /// Solves `Lᵀ x = v`.
    pub(super) fn backward(&self, v: &[f64]) -> Vec<f64> {
        let mut solved = v.to_vec();
        for row in (0..solved.len()).rev() {
            let cells = self.0.row(row);
            let value = solved[row] / cells[row];
            solved[row] = value;
            for (other, cell) in solved[..row].iter_mut().zip(cells) {
                *other -= cell * value;
            }
        }
        solved
    }

    /// Solves `L Lᵀ x = v`.
    pub(super) fn solve(&self, v: &[f64]) -> Vec<f64> {
        self.backward(&self.forward(v))
    }

    /// The logarithm of the determinant of `L Lᵀ`.
    pub(super) fn log_determinant(&self) -> f64 {
        let size = self.0.size();
        2.0 * (0..size)
            .map(|row| libm::log(self.0.row(row)[row]))
            .sum::<f64>()
    }

    /// The inverse of `L Lᵀ`.
    pub(super) fn inverse(&self) -> Square {
        let size = self.0.size();
        // 1. The rows of L⁻¹, each from those above it.
        let mut inverse = Square::zeros(size);
        for row in 0..size {
            let mut sums = vec![0.0; row];
            for (above, factor) in self.0.row(row)[..row].iter().enumerate() {
                let known = &inverse.row(above)[..=above];
                for (sum, cell) in sums.iter_mut().zip(known) {
                    *sum += factor * cell;
                }
            }
            let pivot = self.0.row(row)[row];
            let target = inverse.row_mut(row);
            for (cell, sum) in target.iter_mut().zip(sums) {
                *cell = -sum / pivot;
            }
            target[row] = 1.0 / pivot;
        }
        // 2. L⁻ᵀ L⁻¹.
        let mut product = Square::zeros(size);
        for row in 0..size {
            product.add_outer(1.0, &inverse.row(row)[..=row]);
        }
        product.mirror();
        product
    }
}

/// The sum of the products, in eight lanes: a fixed order that the compiler can put
/// into registers.
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    const LANES: usize = 8;
    let len = one.len().min(other.len());
    let (one, other) = (&one[..len], &other[..len]);
    let mut lanes = [0.0; LANES];
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest = ones.remainder().iter().zip(others.remainder());
    let rest: f64 = rest.map(|(one, other)| one * other).sum();
    for (one, other) in ones.zip(others) {
        for ((lane, one), other) in lanes.iter_mut().zip(one).zip(other) {
            *lane += one * other;
        }
    }
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Square {
        let mut matrix = Square::identity(11);
        for row in 0..7 {
            let v: Vec<f64> = (0..11)
                .map(|it| libm::sin(f64::from(it * 3 + row * 5)))
                .collect();
            matrix.add_outer(0.7, &v);
        }
        matrix.mirror();
        matrix
    }

    #[test]
    fn what_is_solved_and_inverted_multiplies_back() {
        let matrix = sample();
        let factor = matrix.clone().cholesky().unwrap();
        let wanted: Vec<f64> = (0..11).map(f64::from).collect();
        let solved = factor.solve(&matrix.times(&wanted));
        let inverse = factor.inverse();
        for (place, wanted) in wanted.iter().enumerate() {
            assert!((solved[place] - wanted).abs() < 1e-9, "{place}");
            let column = matrix.times(inverse.row(place));
            for (other, cell) in column.iter().enumerate() {
                let expected = f64::from(u8::from(other == place));
                assert!((cell - expected).abs() < 1e-9, "{place} {other}");
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        let mut matrix = sample();
        matrix.row_mut(5)[5] = -1.0;
        assert!(matrix.cholesky().is_none());
    }
}
