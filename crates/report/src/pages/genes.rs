//! The genes: values of the parent, the champion and the paper.

use std::collections::BTreeMap;

use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use serde::Serialize;

use super::read::RunRecord;
use super::{from_one, or_dash, signed};
use crate::page::{HtmlTable, PageBlock};
use crate::plot::{Axis, HeatMap, HeatRow, number};

/// Prefix of genes that are parameters of the search.
const SEARCH: &str = "search.";

/// Maximum number of rows of the heat map.
const MAX_ROWS: usize = 64;

/// Maximum number of rows of the table that is not folded.
const OPEN_ROWS: usize = 12;

/// One gene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GeneRow {
    pub name: String,
    /// The value of the parent.
    pub base: Option<f64>,
    /// The value of the champion.
    pub bred: Option<f64>,
    /// The published value.
    pub paper: Option<f64>,
    /// The least and the largest possible value.
    pub bounds: Option<[f64; 2]>,
}

impl GeneRow {
    /// The change by breeding.
    pub fn change(&self) -> Option<f64> {
        Some(self.bred? - self.base?)
    }

    /// Whether the value of the champion is the least or the largest possible.
    pub fn at_bound(&self) -> bool {
        match (self.bred, self.bounds) {
            // A constant gene is not at its bound.
            (Some(value), Some([low, high])) => low < high && (value <= low || value >= high),
            _ => false,
        }
    }

    /// The absolute change, as a share of the range if there is one.
    fn moved(&self) -> f64 {
        let change = self.change().unwrap_or(0.0).abs();
        match self.bounds {
            Some([low, high]) if low < high => change / (high - low),
            _ => change,
        }
    }
}

/// The values of these genes in a player: weights of its evaluator, or parameters of its search.
fn values_in(player: Option<&Player>, genes: &[String]) -> Vec<Option<f64>> {
    let weights = player.and_then(|it| it.used_evaluator().ok());
    let weights = weights.map(AnyEvaluator::weights).unwrap_or_default();
    let weights = weights.into_iter().rev().map(|it| (it.name, it.value));
    let weights: BTreeMap<String, i32> = weights.collect();
    let value = |gene: &String| match gene.strip_prefix(SEARCH) {
        Some(name) => player?.params.get(name),
        None => weights.get(gene).copied(),
    };
    let values = genes.iter().map(value);
    values.map(|value| value.map(f64::from)).collect()
}

impl RunRecord {
    /// The genes in the order of the manifest.
    pub fn genes(&self) -> Vec<GeneRow> {
        let names = &self.manifest.genes;
        // The column of a player that does not exist any more is empty.
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

    /// The heat map of the genes, and their table.
    pub(super) fn gene_blocks(&self, genes: &[GeneRow]) -> Vec<PageBlock> {
        if genes.is_empty() || self.generations.is_empty() {
            return Vec::new();
        }
        let mut by_movement: Vec<usize> = (0..genes.len()).collect();
        by_movement.sort_by(|a, b| genes[*b].moved().total_cmp(&genes[*a].moved()));
        let mut blocks = vec![self.heat_map(genes, &by_movement)];
        let all: Vec<&GeneRow> = genes.iter().collect();
        if genes.len() <= OPEN_ROWS {
            blocks.push(PageBlock::Table(table_of(&all)));
            return blocks;
        }
        if genes.iter().any(|gene| gene.change().is_some()) {
            let open = by_movement.iter().take(OPEN_ROWS);
            let open: Vec<&GeneRow> = open.map(|index| &genes[*index]).collect();
            let text = format!("The {OPEN_ROWS} genes that moved furthest:");
            blocks.push(PageBlock::Text(text));
            blocks.push(PageBlock::Table(table_of(&open)));
        }
        let summary = format!("All {} genes: base, bred and published", genes.len());
        let table = PageBlock::Table(table_of(&all));
        blocks.push(PageBlock::details(summary, table));
        blocks
    }

    fn heat_map(&self, genes: &[GeneRow], by_movement: &[usize]) -> PageBlock {
        let mut shown: Vec<usize> = by_movement.iter().copied().take(MAX_ROWS).collect();
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
                "{scale} Shown are the {MAX_ROWS} genes that moved furthest; {left_out} are left out here and stand in the table."
            )
        } else {
            scale.to_owned()
        };
        PageBlock::figure(map.draw(), caption)
    }
}

/// Whether a column is shown, its name and its cells.
type GeneColumn = (bool, &'static str, fn(&GeneRow) -> String);

/// The table; columns without values are left out.
fn table_of(genes: &[&GeneRow]) -> HtmlTable {
    let has = |value: fn(&GeneRow) -> Option<f64>| genes.iter().any(|gene| value(gene).is_some());
    let has_base = has(|gene| gene.base);
    let has_paper = has(|gene| gene.paper);
    let has_bounds = has(|gene| gene.bounds.map(|bounds| bounds[0]));
    let columns: [GeneColumn; 6] = [
        (true, "gene", |gene| gene.name.clone()),
        (has_base, "base", |gene| or_dash(gene.base, number)),
        (true, "bred", |gene| or_dash(gene.bred, number)),
        (has_base, "change", |gene| or_dash(gene.change(), signed)),
        (has_paper, "paper", |gene| or_dash(gene.paper, number)),
        (has_bounds, "range", range),
    ];
    let shown = columns.iter().filter(|column| column.0);
    let mut table = HtmlTable::new(shown.clone().map(|column| column.1));
    for gene in genes {
        table.row(shown.clone().map(|column| (column.2)(gene)));
    }
    table
}

fn range(gene: &GeneRow) -> String {
    gene.bounds.map_or_else(String::new, |[low, high]| {
        let mark = if gene.at_bound() { ", at its edge" } else { "" };
        format!("{} to {}{mark}", number(low), number(high))
    })
}
