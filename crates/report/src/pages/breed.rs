//! The page of a run.

use std::fmt;

use mendel_lab::record::{MatchProof, Measured, PARENT, Proof};

use super::exam::share_blocks;
use super::lineage::words;
use super::paper::{PaperComparison, published};
use super::read::{RunQuality, RunRecord};
use super::{counted, elo, elo_interval, from_one, interval_text, is_proved, signed_decimal};
use crate::analysis::exam::examined;
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, IntervalPlot, IntervalRow, decimal, number};

/// A recipe longer than this is folded.
const LONG_RECIPE: usize = 30;

impl RunRecord {
    /// The page that shows the run to a person.
    pub fn page(&self) -> HtmlPage {
        let manifest = &self.manifest;
        let genes = self.genes();
        let mut blocks = vec![self.verdict()];
        blocks.push(PageBlock::Warnings(self.warnings_with(&genes)));
        blocks.extend(self.asked());
        section(&mut blocks, "Proof", self.proof_blocks());
        section(&mut blocks, "Paper and ours", self.paper_blocks());
        section(&mut blocks, "Examination", self.exam_blocks());
        let strength = self.ladder_block().into_iter().collect();
        section(&mut blocks, "Strength", strength);
        section(&mut blocks, "Fitness", self.fitness_blocks());
        let population = self.histogram_block().into_iter();
        let population = population.chain(self.diversity_block());
        let population = population.chain(self.analyses.population_blocks());
        section(&mut blocks, "Population", population.collect());
        section(&mut blocks, "Games", self.analyses.game_blocks());
        section(&mut blocks, "Champion", self.champion_blocks());
        section(&mut blocks, "Genes", self.gene_blocks(&genes));
        section(&mut blocks, "Lineage", self.lineage_blocks());
        section(&mut blocks, "To repeat it", self.repeat_blocks());
        HtmlPage {
            title: format!("{}, seed {}", manifest.recipe, manifest.seed),
            subtitle: format!("A run of Mendel {}, {}", manifest.version, manifest.id),
            blocks,
            foot:
                "Made by `mendel report` from the run’s own records; the page needs nothing else."
                    .to_owned(),
        }
    }

    /// The result, first and large.
    fn verdict(&self) -> PageBlock {
        let Some(proof) = &self.proof else {
            let nothing = "Nothing was measured on other data or in games.";
            let small = match self.reached() {
                Some(RunQuality {
                    value,
                    parent: Some(parent),
                    beside,
                    on,
                    ..
                }) => format!(
                    "Best fitness {} on {}, where {beside} has {}. {nothing}",
                    number(value),
                    on.unwrap_or("the data it was bred on"),
                    number(parent)
                ),
                _ => nothing.to_owned(),
            };
            return PageBlock::Verdict {
                tone: Tone::Plain,
                large: "no proof yet".to_owned(),
                small,
            };
        };
        let parent = proof.matches.iter().find(|it| it.role == PARENT);
        let mut parts = Vec::new();
        if let Some(result) = parent {
            parts.push(format!(
                "against {} in {}: {}, Elo {} {}",
                result.opponent,
                counted(result.games, "game"),
                tally(result),
                elo_of(result),
                elo_interval(result.interval)
            ));
        }
        if let Some(holdout) = &proof.holdout {
            parts.push(format!(
                "on {} it never saw: {}, {} {}",
                counted(holdout.positions, "position"),
                number(holdout.champion),
                self.manifest.measured_beside(),
                number(holdout.parent)
            ));
        }
        let small = parts.join("; ");
        let mut letters = small.chars();
        let small = letters.next().map_or_else(String::new, |first| {
            format!("{}{}", first.to_uppercase(), letters.as_str())
        });
        PageBlock::Verdict {
            tone: if is_proved(proof) {
                Tone::Good
            } else {
                Tone::Bad
            },
            large: proof.verdict.clone(),
            small,
        }
    }

    /// What was asked for and what it took.
    fn asked(&self) -> Vec<PageBlock> {
        let manifest = &self.manifest;
        let mut facts = vec![
            ("recipe", manifest.recipe.clone()),
            ("seed", manifest.seed.to_string()),
        ];
        if !manifest.parent.is_empty() {
            facts.push(("parent", manifest.parent.clone()));
        }
        for data in &manifest.data {
            let positions = counted(data.positions, "position");
            facts.push(("data", format!("{}, {positions}", data.name)));
        }
        facts.push(("fitness", self.fitness_label()));
        if let Some(reached) = self.reached() {
            facts.push(("best", reached.to_string()));
        }
        if let Some(last) = self.generations.last() {
            if let Some(random) = self.random_best() {
                facts.push(("random search", number(random)));
            }
            let count = counted(self.generations.len() as u64, "generation");
            let judgements = counted(last.judgements, "judgement");
            facts.push(("length", format!("{count}, {judgements}")));
        }
        if let Some(takeover) = self.takeover() {
            facts.push(("takeover", takeover));
        }
        if self.generations.iter().any(|line| line.king.is_some()) {
            let kings = self.kings();
            let list: Vec<String> = kings.iter().map(u32::to_string).collect();
            facts.push((
                "kings",
                match list.len() {
                    0 => "nobody dethroned the parent".to_owned(),
                    count => format!(
                        "{}, by generation {}",
                        counted(count as u64, "new king"),
                        list.join(", ")
                    ),
                },
            ));
        }
        if let Some(seconds) = self.seconds_of("generation") {
            let proof = self
                .seconds_of("proof")
                .map_or_else(String::new, |seconds| {
                    format!(", {} for the proof", duration(seconds))
                });
            facts.push(("time", format!("{} for breeding{proof}", duration(seconds))));
        }
        let facts = facts
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        vec![
            PageBlock::Heading("What was asked".to_owned()),
            PageBlock::Facts(facts.collect()),
            PageBlock::Code(self.command()),
        ]
    }

    fn proof_blocks(&self) -> Vec<PageBlock> {
        let Some(proof) = &self.proof else {
            return Vec::new();
        };
        let mut blocks = Vec::new();
        if !proof.matches.is_empty() {
            blocks.push(match_figure(&proof.matches));
            blocks.push(PageBlock::Table(match_table(&proof.matches)));
        }
        blocks.extend(measured_blocks(proof));
        blocks
    }

    fn paper_blocks(&self) -> Vec<PageBlock> {
        let Some(paper) = &self.paper else {
            return Vec::new();
        };
        let mut blocks = vec![PageBlock::Text(if paper.source.is_empty() {
            paper.title.clone()
        } else {
            format!("{}. {}", paper.title, paper.source)
        })];
        // The examination has a table of its own, with a column for each opponent.
        let (figures, comparisons) = (paper.figure.iter(), self.comparisons());
        let is_examined = |name: &Option<String>| name.as_deref().and_then(examined).is_some();
        let plain = figures
            .zip(comparisons)
            .filter(|it| !is_examined(&it.0.ours));
        let comparisons: Vec<PaperComparison> = plain.map(|it| it.1).collect();
        if !comparisons.is_empty() {
            let mut table = HtmlTable::new(["what", "paper", "ours", "unit"]);
            for figure in comparisons {
                let paper = published(&figure.paper);
                table.row([figure.what, paper, figure.words, figure.unit]);
            }
            blocks.push(PageBlock::Table(table));
        }
        if !self.exam.published.is_empty() {
            blocks.extend(share_blocks(&self.exam));
        }
        blocks.push(PageBlock::List(paper.notes.clone()));
        blocks
    }

    fn lineage_blocks(&self) -> Vec<PageBlock> {
        let Some(ancestry) = &self.ancestry else {
            return Vec::new();
        };
        let founders = match ancestry.founders {
            0 => String::new(),
            count => format!(", {count} of them in the first generation"),
        };
        let made: Vec<String> = ancestry
            .origins
            .iter()
            .map(|(origin, count)| format!("{} {}", number(*count as f64), words(*origin)))
            .collect();
        let text = format!(
            "The champion was born in generation {}. It has {}{founders}. How they and it came to be: {}.",
            from_one(ancestry.born.generation),
            counted(ancestry.ancestors as u64, "ancestor"),
            made.join(", ")
        );
        let drawn = ancestry.latest.len();
        let older = ancestry.by_generation.len() - drawn;
        let more = match older {
            0 => String::new(),
            older => format!(
                " {} before these are not drawn.",
                counted(older as u64, "generation")
            ),
        };
        vec![
            PageBlock::Text(text),
            PageBlock::Figure {
                drawing: ancestry.graph().draw(),
                caption: format!(
                    "From the oldest drawn generation at the top to the champion at the bottom; the number is the member’s place \
                     in its generation. The strong line follows first parents.{more}"
                ),
            },
        ]
    }

    fn repeat_blocks(&self) -> Vec<PageBlock> {
        let manifest = &self.manifest;
        let mut facts = vec![
            ("id".to_owned(), manifest.id.clone()),
            ("version".to_owned(), manifest.version.clone()),
        ];
        for data in &manifest.data {
            facts.push(("data".to_owned(), format!("{} ({})", data.name, data.hash)));
        }
        let mut blocks = vec![
            PageBlock::Text(
                "The same recipe, data, seed and version give the same run, bit for bit:"
                    .to_owned(),
            ),
            PageBlock::Code(self.command()),
            PageBlock::Facts(facts),
        ];
        if !self.recipe.is_empty() {
            let code = PageBlock::Code(self.recipe.clone());
            let lines = self.recipe.lines().count();
            if lines > LONG_RECIPE {
                blocks.push(PageBlock::Details {
                    summary: format!("The recipe, {lines} lines"),
                    blocks: vec![code],
                });
            } else {
                blocks.push(code);
            }
        }
        blocks
    }
}

/// `133 on all training positions, from generation 7; the parent has 158`.
impl fmt::Display for RunQuality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&number(self.value))?;
        if let Some(on) = self.on {
            write!(f, " on {on}")?;
        }
        if let Some(generation) = self.generation {
            write!(f, ", from generation {}", from_one(generation))?;
        }
        if let Some(parent) = self.parent {
            write!(f, "; {} has {}", self.beside, number(parent))?;
        }
        Ok(())
    }
}

/// A heading and what belongs under it, if there is anything.
fn section(blocks: &mut Vec<PageBlock>, heading: &str, body: Vec<PageBlock>) {
    if !body.is_empty() {
        blocks.push(PageBlock::Heading(heading.to_owned()));
        blocks.extend(body);
    }
}

fn tally(result: &MatchProof) -> String {
    // Never broken over lines.
    format!(
        "+{}\u{a0}={}\u{a0}−{}",
        result.wins, result.draws, result.losses
    )
}

fn match_figure(matches: &[MatchProof]) -> PageBlock {
    let rows = matches.iter().filter_map(|result| {
        let [low, high] = result.interval;
        Some(IntervalRow {
            name: format!("against {}", result.opponent),
            value: result.elo?,
            // An open end is not drawn; the words say so.
            interval: low.zip(high),
            marks: Vec::new(),
            words: format!("{} {}", elo_of(result), elo_interval(result.interval)),
            chosen: result.role == PARENT,
        })
    });
    let chart = IntervalPlot {
        title: "The champion’s matches".to_owned(),
        x: Axis::new("Elo difference, with 95 % intervals"),
        rows: rows.collect(),
        reference: Some((0.0, "equal".to_owned())),
    };
    PageBlock::Figure {
        drawing: chart.draw(),
        caption: String::new(),
    }
}

fn match_table(matches: &[MatchProof]) -> HtmlTable {
    let mut table = HtmlTable::new([
        "opponent",
        "games",
        "result",
        "Elo",
        "95 %",
        "test",
        "conditions",
    ]);
    for result in matches {
        let test = result.sprt.as_ref().map_or_else(String::new, |test| {
            format!(
                "[{}, {}]: {} at {:.2}",
                number(test.elo0),
                number(test.elo1),
                test.decision,
                test.llr
            )
        });
        let role = match result.role.as_str() {
            "" => String::new(),
            role => format!(" ({role})"),
        };
        table.row([
            format!("{}{role}", result.opponent),
            number(result.games as f64),
            tally(result),
            elo_of(result),
            elo_interval(result.interval),
            test,
            result.conditions.clone(),
        ]);
    }
    table
}

/// An Elo difference; without bound if one side took all points.
fn elo_of(result: &MatchProof) -> String {
    match result.elo {
        Some(value) => elo(value),
        None if result.wins > result.losses => "+∞".to_owned(),
        None => "−∞".to_owned(),
    }
}

/// Parent and champion on positions.
fn measured_blocks(proof: &Proof) -> Vec<PageBlock> {
    let mut table = HtmlTable::new([
        "positions",
        "count",
        "parent",
        "champion",
        "difference",
        "95 %",
    ]);
    let rows = [
        ("bred with", &proof.training),
        ("never seen", &proof.holdout),
    ];
    let mut units: Vec<&str> = Vec::new();
    for (name, measured) in rows {
        let Some(it) = measured else { continue };
        let Measured {
            positions,
            parent,
            champion,
            ..
        } = it;
        units.push(&it.unit);
        table.row([
            name.to_owned(),
            number(*positions as f64),
            decimal(*parent),
            decimal(*champion),
            signed_decimal(champion - parent),
            it.interval
                .map_or_else(|| "–".to_owned(), |it| interval_text(it, signed_decimal)),
        ]);
    }
    let Some(unit) = units.last() else {
        return Vec::new();
    };
    vec![
        PageBlock::Text(format!("On positions, {unit}:")),
        PageBlock::Table(table),
    ]
}

/// A time as people say it.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 120.0 {
        format!("{} s", number(seconds))
    } else if seconds < 7200.0 {
        format!("{} min", number(seconds / 60.0))
    } else {
        format!("{} h", number(seconds / 3600.0))
    }
}
