//! Populations: principal components, and mean distances of members.

use std::collections::BTreeMap;

use mendel_lab::record::{Genotype, Genotypes};
use serde::Serialize;

/// Maximum number of members that the axes are fitted to; all are drawn on them.
const MAX_FITTED: usize = 400;

/// Maximum number of members of a generation that are compared with each other.
const MAX_COMPARED: usize = 100;

/// Maximum number of iterations for an axis.
const MAX_ITERATIONS: usize = 2000;

/// The recorded members on their first two principal components.
///
/// The axes are the first two eigenvectors of the covariance of the members. With thousands of genes
/// and hundreds of members they are computed from the smaller Gram matrix of the members by power
/// iteration, without a library of linear algebra.
///
/// # Where this differs
///
/// The axes are fitted to members spread evenly over all generations, at most 400 of them, not to
/// each generation separately, so that all generations share the axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pca {
    /// The points of each recorded generation.
    pub clouds: Vec<GenerationPoints>,
    /// The share of the variance along each axis.
    pub shares: [f64; 2],
    /// Number of genes of a member, or of different links of all members.
    pub genes: usize,
}

/// One generation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenerationPoints {
    pub generation: u32,
    /// The members, in order.
    pub points: Vec<[f64; 2]>,
}

/// The mean distance of the members of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub generation: u32,
    /// The mean Euclidean distance of two members.
    pub distance: f64,
}

/// The vector index of each gene.
struct GeneColumns {
    /// By innovation number; empty if members have plain genes.
    links: BTreeMap<u32, usize>,
    count: usize,
}

impl GeneColumns {
    fn of(generations: &[Genotypes]) -> Self {
        let mut links = BTreeMap::new();
        let mut genes = 0;
        for member in generations.iter().flat_map(|line| &line.members) {
            match member {
                Genotype::Genes(values) => genes = genes.max(values.len()),
                Genotype::Links(list) => links.extend(list.iter().map(|link| (link.0, 0))),
            }
        }
        for (place, column) in links.values_mut().enumerate() {
            *column = place;
        }
        let count = genes.max(links.len());
        Self { links, count }
    }

    /// A member as a vector; `unit` stands for 1.
    fn row(&self, member: &Genotype, unit: f64) -> Vec<f64> {
        let mut row = vec![0.0; self.count];
        match member {
            Genotype::Genes(values) => {
                for (place, value) in row.iter_mut().zip(values) {
                    *place = f64::from(*value) / unit;
                }
            }
            Genotype::Links(list) => {
                for (innovation, weight) in list {
                    if let Some(&column) = self.links.get(innovation) {
                        row[column] = f64::from(*weight) / unit;
                    }
                }
            }
        }
        row
    }
}

/// Computes the principal components of these generations; `None` if all members are equal. `unit`
/// is the integer that stands for a gene of 1.
pub fn pca(generations: &[Genotypes], unit: f64) -> Option<Pca> {
    let columns = GeneColumns::of(generations);
    let members = || generations.iter().flat_map(|line| &line.members);

    // 1. A sample of the members of all generations, less their mean.
    let every = members().count().div_ceil(MAX_FITTED).max(1);
    let fitted = members().step_by(every);
    let mut rows: Vec<Vec<f64>> = fitted.map(|it| columns.row(it, unit)).collect();
    let mut mean = vec![0.0; columns.count];
    for row in &rows {
        add(&mut mean, row, 1.0 / rows.len() as f64);
    }
    for row in &mut rows {
        add(row, &mean, -1.0);
    }

    // 2. The Gram matrix and its two largest eigenvectors, each as a sum of members.
    let mut gram = vec![vec![0.0; rows.len()]; rows.len()];
    for one in 0..rows.len() {
        for other in 0..=one {
            let product = dot(&rows[one], &rows[other]);
            gram[one][other] = product;
            gram[other][one] = product;
        }
    }
    let variance: f64 = (0..rows.len()).map(|at| gram[at][at]).sum();
    if variance.is_nan() || variance <= 1e-12 {
        return None;
    }
    let mut axes = Vec::new();
    let mut shares = [0.0; 2];
    for share in &mut shares {
        let (value, vector) = largest(&mut gram);
        *share = (value / variance).clamp(0.0, 1.0);
        let mut direction = vec![0.0; columns.count];
        for (row, part) in rows.iter().zip(&vector) {
            add(&mut direction, row, *part);
        }
        axes.push(upright(direction));
    }

    // 3. All members on the axes.
    let place = |member: &Genotype| {
        let mut row = columns.row(member, unit);
        add(&mut row, &mean, -1.0);
        [dot(&row, &axes[0]), dot(&row, &axes[1])]
    };
    let clouds = generations.iter().map(|line| GenerationPoints {
        generation: line.generation,
        points: line.members.iter().map(place).collect(),
    });
    Some(Pca {
        clouds: clouds.collect(),
        shares,
        genes: columns.count,
    })
}

/// The mean distance of the members of each generation; of a large generation every n-th member is
/// compared.
pub fn spread(generations: &[Genotypes], unit: f64) -> Vec<Spread> {
    let columns = GeneColumns::of(generations);
    let of_one = |line: &Genotypes| {
        let every = line.members.len().div_ceil(MAX_COMPARED).max(1);
        let some = line.members.iter().step_by(every);
        let rows: Vec<Vec<f64>> = some.map(|it| columns.row(it, unit)).collect();
        let mut sum = 0.0;
        for (place, one) in rows.iter().enumerate() {
            for other in &rows[..place] {
                let squares = one.iter().zip(other).map(|(a, b)| (a - b) * (a - b));
                sum += squares.sum::<f64>().sqrt();
            }
        }
        let pairs = rows.len() * rows.len().saturating_sub(1) / 2;
        (pairs > 0).then(|| Spread {
            generation: line.generation,
            distance: sum / pairs as f64,
        })
    };
    generations.iter().filter_map(of_one).collect()
}

/// The largest eigenvalue of a positive semi-definite matrix and its eigenvector of length 1; both are
/// removed from the matrix.
fn largest(matrix: &mut [Vec<f64>]) -> (f64, Vec<f64>) {
    let count = matrix.len();
    // The longest column is not orthogonal to the eigenvector.
    let start = (0..count).reduce(|a, b| if matrix[b][b] > matrix[a][a] { b } else { a });
    let mut vector = start.map_or_else(Vec::new, |at| matrix[at].clone());
    if normalise(&mut vector) == 0.0 {
        return (0.0, vec![0.0; count]);
    }
    let mut value = 0.0;
    for _ in 0..MAX_ITERATIONS {
        let mut next: Vec<f64> = matrix.iter().map(|row| dot(row, &vector)).collect();
        value = normalise(&mut next);
        let moved = next.iter().zip(&vector).map(|(a, b)| (a - b).abs());
        let moved = moved.fold(0.0, f64::max);
        vector = next;
        if moved < 1e-12 {
            break;
        }
    }
    for (row, part) in matrix.iter_mut().zip(&vector) {
        add(row, &vector, -value * part);
    }
    (value, vector)
}

/// An axis of length 1 whose largest component is positive, so that the same members have the same
/// place each time.
fn upright(mut axis: Vec<f64>) -> Vec<f64> {
    normalise(&mut axis);
    let strongest = axis
        .iter()
        .copied()
        .fold(0.0_f64, |a, b| if b.abs() > a.abs() { b } else { a });
    if strongest < 0.0 {
        for part in &mut axis {
            *part = -*part;
        }
    }
    axis
}

/// Sets the length to 1 and returns the previous length.
fn normalise(vector: &mut [f64]) -> f64 {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        for part in vector.iter_mut() {
            *part /= length;
        }
    }
    length
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(sum: &mut [f64], other: &[f64], times: f64) {
    for (sum, part) in sum.iter_mut().zip(other) {
        *sum += times * part;
    }
}
