//! The genes: where they began, where they came to, what was published.

use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use serde::Serialize;

use super::read::RunRecord;
use super::{from_one, signed};
use crate::page::{HtmlTable, PageBlock};
use crate::plot::{Axis, HeatMap, HeatRow, number};

/// The names of genes that are numbers of the search begin with this.
const SEARCH: &str = "search.";

/// More rows than this are not looked at.
const MOST_ROWS: usize = 64;

/// The table that is open at once has so many rows.
const OPEN_ROWS: usize = 12;

/// One gene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GeneRow {
    /// Its name.
    pub name: String,
    /// The parent's value.
    pub base: Option<f64>,
    /// The champion's.
    pub bred: Option<f64>,
    /// The published one.
    pub paper: Option<f64>,
    /// Between what it may lie.
    pub bounds: Option<[f64; 2]>,
}

impl GeneRow {
    /// What breeding changed.
    pub fn change(&self) -> Option<f64> {
        Some(self.bred? - self.base?)
    }

    /// Whether the champion's value is as low or as high as it could be.
    pub fn at_bound(&self) -> bool {
        match (self.bred, self.bounds) {
            // A gene that cannot move is not at its edge.
            (Some(value), Some([low, high])) => low < high && (value <= low || value >= high),
            _ => false,
        }
    }

    /// How far it moved, in shares of its range where it has one.
    fn moved(&self) -> f64 {
        let change = self.change().unwrap_or(0.0).abs();
        match self.bounds {
            Some([low, high]) if low < high => change / (high - low),
            _ => change,
        }
    }
}

/// What a player has for a gene of this name: a weight of its evaluator or a
/// number of its search.
fn value_in(player: &Player, weights: &[(String, i32)], gene: &str) -> Option<f64> {
    let value = match gene.strip_prefix(SEARCH) {
        Some(name) => player.params.get(name),
        None => weights
            .iter()
            .find(|(name, _)| name == gene)
            .map(|(_, value)| *value),
    };
    value.map(f64::from)
}

/// The values a player has for these genes.
fn values_in(player: Option<&Player>, genes: &[String]) -> Vec<Option<f64>> {
    let Some(player) = player else {
        return vec![None; genes.len()];
    };
    let weights = player.used_evaluator().map(AnyEvaluator::weights);
    let weights = weights.unwrap_or_default();
    let weights: Vec<(String, i32)> = weights.into_iter().map(|w| (w.name, w.value)).collect();
    let value = |gene: &String| value_in(player, &weights, gene);
    genes.iter().map(value).collect()
}

impl RunRecord {
    /// The genes in the order of the manifest.
    pub fn genes(&self) -> Vec<GeneRow> {
        let names = &self.manifest.genes;
        // A player that was renamed or removed since only leaves its column empty.
        let player = |name: &str| Player::find(name).ok();
        let paper = self.paper.as_ref().and_then(|paper| paper.weights.as_ref());
        let paper = values_in(paper.and_then(|name| player(name)).as_ref(), names);
        let parent = player(&self.manifest.parent);
        let base = values_in(parent.as_ref(), names);
        let bred = values_in(self.champion.as_ref(), names);
        let best = self.best().map(|line| &line.genes);
        let at = |list: &[f64], index: usize| list.get(index).copied();
        let row = |(index, name): (usize, &String)| GeneRow {
            name: name.clone(),
            base: at(&self.manifest.parent_genes, index).or(base[index]),
            bred: bred[index].or_else(|| at(best?, index)),
            paper: paper[index],
            bounds: self.manifest.bounds.get(index).copied(),
        };
        names.iter().enumerate().map(row).collect()
    }

    /// Every gene through time, and the table.
    pub(super) fn gene_blocks(&self, genes: &[GeneRow]) -> Vec<PageBlock> {
        if genes.is_empty() || self.generations.is_empty() {
            return Vec::new();
        }
        let mut by_movement: Vec<usize> = (0..genes.len()).collect();
        by_movement.sort_by(|a, b| genes[*b].moved().total_cmp(&genes[*a].moved()));
        let mut blocks = Vec::new();
        blocks.push(self.heat_map(genes, &by_movement));
        if genes.len() <= OPEN_ROWS {
            let all: Vec<&GeneRow> = genes.iter().collect();
            blocks.push(PageBlock::Table(table_of(&all)));
            return blocks;
        }
        if genes.iter().any(|gene| gene.change().is_some()) {
            let open = by_movement.iter().take(OPEN_ROWS);
            let open: Vec<&GeneRow> = open.map(|index| &genes[*index]).collect();
            let words = format!("The {OPEN_ROWS} genes that moved furthest:");
            blocks.push(PageBlock::Text(words));
            blocks.push(PageBlock::Table(table_of(&open)));
        }
        let all: Vec<&GeneRow> = genes.iter().collect();
        blocks.push(PageBlock::Details {
            summary: format!("All {} genes: base, bred and published", genes.len()),
            blocks: vec![PageBlock::Table(table_of(&all))],
        });
        blocks
    }

    fn heat_map(&self, genes: &[GeneRow], by_movement: &[usize]) -> PageBlock {
        let mut shown: Vec<usize> = by_movement.iter().copied().take(MOST_ROWS).collect();
        shown.sort_unstable();
        let rows = shown.iter().map(|&index| {
            let values: Vec<f64> = self.generations.iter().map(|g| g.genes[index]).collect();
            let ends = values.first().zip(values.last());
            let words = ends.map(|(first, last)| format!("{} → {}", number(*first), number(*last)));
            HeatRow {
                name: genes[index].name.clone(),
                range: genes[index].bounds.map(|[low, high]| (low, high)),
                words: words.unwrap_or_default(),
                values,
            }
        });
        let bounded = genes.iter().all(|gene| gene.bounds.is_some());
        let first = self.generations.first().map_or(0, |line| line.generation);
        let map = HeatMap {
            title: "Every gene of the best player, generation by generation".to_owned(),
            x: Axis::whole("generation"),
            first: f64::from(from_one(first)),
            apart: 1.0,
            rows: rows.collect(),
            key: ("lowest".to_owned(), "highest value".to_owned()),
            head: "first → last".to_owned(),
            marks: Vec::new(),
        };
        let scale = if bounded {
            "Each row runs from the least to the largest value its gene can take."
        } else {
            "Each row runs from the least to the largest value its gene took; see the numbers at the right for its size."
        };
        let left_out = genes.len() - shown.len();
        let caption = if left_out > 0 {
            format!(
                "{scale} Shown are the {MOST_ROWS} genes that moved furthest; {left_out} are left out here and stand in the table."
            )
        } else {
            scale.to_owned()
        };
        PageBlock::Figure {
            drawing: map.draw(),
            caption,
        }
    }
}

/// Columns that nobody fills are left out.
fn table_of(genes: &[&GeneRow]) -> HtmlTable {
    let has = |value: fn(&GeneRow) -> Option<f64>| genes.iter().any(|gene| value(gene).is_some());
    let has_base = has(|gene| gene.base);
    let has_paper = has(|gene| gene.paper);
    let has_bounds = has(|gene| gene.bounds.map(|bounds| bounds[0]));
    let mut head = vec!["gene"];
    head.extend(has_base.then_some("base"));
    head.push("bred");
    head.extend(has_base.then_some("change"));
    head.extend(has_paper.then_some("paper"));
    head.extend(has_bounds.then_some("range"));
    let mut table = HtmlTable::new(head);
    for gene in genes {
        let write = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
        let mut row = vec![gene.name.clone()];
        row.extend(has_base.then(|| write(gene.base)));
        row.push(write(gene.bred));
        row.extend(has_base.then(|| gene.change().map_or_else(|| "–".to_owned(), signed)));
        row.extend(has_paper.then(|| write(gene.paper)));
        if has_bounds {
            let words = gene.bounds.map_or_else(String::new, |[low, high]| {
                let mark = if gene.at_bound() { ", at its edge" } else { "" };
                format!("{} to {}{mark}", number(low), number(high))
            });
            row.push(words);
        }
        table.row(row);
    }
    table
}
