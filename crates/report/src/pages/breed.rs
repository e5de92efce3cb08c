//! The page of a run.

use std::fmt;

use mendel_lab::record::{MatchProof, PARENT, Proof};

use super::exam::share_blocks;
use super::lineage::names;
use super::paper::paper_blocks;
use super::read::{RunQuality, RunRecord};
use super::{
    counted, duration, elo_interval, elo_of, from_one, interval_text, is_proved, or_dash,
    signed_decimal,
};
use crate::analysis::exam::examined;
use crate::metrics::PaperComparison;
use crate::page::{HtmlPage, HtmlTable, PageBlock, Tone};
use crate::plot::{Axis, IntervalPlot, IntervalRow, decimal, number};

/// Maximum number of lines of a recipe that is not folded.
const MAX_OPEN_LINES: usize = 30;

impl RunRecord {
    pub fn page(&self) -> HtmlPage {
        let manifest = &self.manifest;
        let genes = self.genes();
        let mut page = HtmlPage::new(
            format!("{}, seed {}", manifest.recipe, manifest.seed),
            format!("A run of Mendel {}, {}", manifest.version, manifest.id),
            "Made by `mendel report` from the run’s own records; the page needs nothing else.",
        );
        let warnings = PageBlock::Warnings(self.warnings_with(&genes));
        page.blocks = vec![self.verdict(), warnings];
        page.section("What was asked", self.asked());
        page.section("Proof", self.proof_blocks());
        page.section("Paper and ours", self.paper_blocks());
        page.section("Examination", self.exam_blocks());
        page.section("Strength", self.ladder_block());
        page.section("Fitness", self.fitness_blocks());
        let population = self.histogram_block().into_iter();
        let population = population.chain(self.diversity_block());
        let population = population.chain(self.analyses.population_blocks());
        page.section("Population", population);
        page.section("Games", self.analyses.game_blocks());
        page.section("Champion", self.champion_blocks());
        page.section("Genes", self.gene_blocks(&genes));
        page.section("Lineage", self.lineage_blocks());
        page.section("To repeat it", self.repeat_blocks());
        page
    }

    fn verdict(&self) -> PageBlock {
        let Some(proof) = &self.proof else {
            let nothing = "Nothing was measured on other data or in games.";
            let quality = self.reached().and_then(|it| Some((it, it.parent?)));
            let small = quality.map_or_else(
                || nothing.to_owned(),
                |(it, parent)| {
                    format!(
                        "Best fitness {} on {}, where {} has {}. {nothing}",
                        number(it.value),
                        it.on.unwrap_or("the data it was bred on"),
                        it.beside,
                        number(parent)
                    )
                },
            );
            return PageBlock::verdict(Tone::Plain, "no proof yet", small);
        };
        let parent = proof.matches.iter().find(|it| it.role == PARENT);
        let parent = parent.map(|it| {
            format!(
                "against {} in {}: {}, Elo {} {}",
                it.opponent,
                counted(it.games, "game"),
                tally(it),
                elo_of(it.elo, it.wins, it.losses),
                elo_interval(it.interval)
            )
        });
        let holdout = proof.holdout.as_ref().map(|it| {
            format!(
                "on {} it never saw: {}, {} {}",
                counted(it.positions, "position"),
                number(it.champion),
                self.manifest.measured_beside(),
                number(it.parent)
            )
        });
        let parts: Vec<String> = parent.into_iter().chain(holdout).collect();
        let small = parts.join("; ");
        let mut letters = small.chars();
        let small = letters.next().map_or_else(String::new, |first| {
            format!("{}{}", first.to_uppercase(), letters.as_str())
        });
        let is_good = is_proved(proof);
        let tone = if is_good { Tone::Good } else { Tone::Bad };
        PageBlock::verdict(tone, &proof.verdict, small)
    }

    /// The request, the result and the time.
    fn asked(&self) -> [PageBlock; 2] {
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
        facts.extend(self.reached().map(|it| ("best", it.to_string())));
        if let Some(last) = self.last() {
            facts.extend(self.random_best().map(|it| ("random search", number(it))));
            let count = counted(self.generations.len() as u64, "generation");
            let judgements = counted(last.judgements, "judgement");
            facts.push(("length", format!("{count}, {judgements}")));
        }
        facts.extend(self.takeover().map(|it| ("takeover", it)));
        if self.generations.iter().any(|line| line.king.is_some()) {
            let list: Vec<String> = self.kings().iter().map(u32::to_string).collect();
            let kings = match list.len() {
                0 => "nobody dethroned the parent".to_owned(),
                count => format!(
                    "{}, by generation {}",
                    counted(count as u64, "new king"),
                    list.join(", ")
                ),
            };
            facts.push(("kings", kings));
        }
        if let Some(seconds) = self.seconds_of("generation") {
            let proof = self.seconds_of("proof");
            let proof = proof.map(|it| format!(", {} for the proof", duration(it)));
            let breeding = duration(seconds);
            let proof = proof.unwrap_or_default();
            facts.push(("time", format!("{breeding} for breeding{proof}")));
        }
        [PageBlock::facts(facts), PageBlock::Code(self.command())]
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
        // The external tests have their own table, with a column for each opponent.
        let is_examined = |name: &Option<String>| name.as_deref().and_then(examined).is_some();
        let figures = paper.figure.iter().zip(self.comparisons());
        let plain = figures.filter(|it| !is_examined(&it.0.ours));
        let comparisons: Vec<PaperComparison> = plain.map(|it| it.1).collect();
        let shares = if self.exam.published.is_empty() {
            Vec::new()
        } else {
            share_blocks(&self.exam)
        };
        paper_blocks(paper, &comparisons, shares)
    }

    fn lineage_blocks(&self) -> Vec<PageBlock> {
        let Some(ancestry) = &self.ancestry else {
            return Vec::new();
        };
        let founders = match ancestry.founders {
            0 => String::new(),
            count => format!(", {count} of them in the first generation"),
        };
        let made = ancestry.origins.iter();
        let made = made.map(|(it, count)| format!("{} {}", number(*count as f64), names(*it).1));
        let made: Vec<String> = made.collect();
        let text = format!(
            "The champion was born in generation {}. It has {}{founders}. How they and it came to be: {}.",
            from_one(ancestry.born.generation),
            counted(ancestry.ancestors as u64, "ancestor"),
            made.join(", ")
        );
        let more = match ancestry.by_generation.len() - ancestry.latest.len() {
            0 => String::new(),
            older => format!(
                " {} before these are not drawn.",
                counted(older as u64, "generation")
            ),
        };
        let caption = format!(
            "From the oldest drawn generation at the top to the champion at the bottom; the number is the member’s place \
             in its generation. The strong line follows first parents.{more}"
        );
        let figure = PageBlock::figure(ancestry.graph().draw(), caption);
        vec![PageBlock::Text(text), figure]
    }

    fn repeat_blocks(&self) -> Vec<PageBlock> {
        let manifest = &self.manifest;
        let mut facts = vec![
            ("id", manifest.id.clone()),
            ("version", manifest.version.clone()),
        ];
        for data in &manifest.data {
            facts.push(("data", format!("{} ({})", data.name, data.hash)));
        }
        let mut blocks = vec![
            PageBlock::text(
                "The same recipe, data, seed and version give the same run, bit for bit:",
            ),
            PageBlock::Code(self.command()),
            PageBlock::facts(facts),
        ];
        let code = PageBlock::Code(self.recipe.clone());
        match self.recipe.lines().count() {
            0 => {}
            lines if lines > MAX_OPEN_LINES => {
                let summary = format!("The recipe, {lines} lines");
                blocks.push(PageBlock::details(summary, code));
            }
            _ => blocks.push(code),
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

fn tally(it: &MatchProof) -> String {
    // Never broken over lines.
    format!("+{}\u{a0}={}\u{a0}−{}", it.wins, it.draws, it.losses)
}

fn match_figure(matches: &[MatchProof]) -> PageBlock {
    let rows = matches.iter().filter_map(|it| {
        let [low, high] = it.interval;
        let elo = elo_of(it.elo, it.wins, it.losses);
        Some(IntervalRow {
            name: format!("against {}", it.opponent),
            value: it.elo?,
            // An open end is not drawn; the text names it.
            interval: low.zip(high),
            marks: Vec::new(),
            words: format!("{elo} {}", elo_interval(it.interval)),
            chosen: it.role == PARENT,
        })
    });
    let chart = IntervalPlot {
        title: "The champion’s matches".to_owned(),
        x: Axis::new("Elo difference, with 95 % intervals"),
        rows: rows.collect(),
        reference: Some((0.0, "equal".to_owned())),
    };
    PageBlock::figure(chart.draw(), "")
}

fn match_table(matches: &[MatchProof]) -> HtmlTable {
    let mut table = HtmlTable::named("opponent|games|result|Elo|95 %|test|conditions");
    for it in matches {
        let test = it.sprt.as_ref().map_or_else(String::new, |test| {
            let (low, high) = (number(test.elo0), number(test.elo1));
            format!("[{low}, {high}]: {} at {:.2}", test.decision, test.llr)
        });
        let role = match it.role.as_str() {
            "" => String::new(),
            role => format!(" ({role})"),
        };
        table.row([
            format!("{}{role}", it.opponent),
            number(it.games as f64),
            tally(it),
            elo_of(it.elo, it.wins, it.losses),
            elo_interval(it.interval),
            test,
            it.conditions.clone(),
        ]);
    }
    table
}

/// Parent and champion on positions.
fn measured_blocks(proof: &Proof) -> Vec<PageBlock> {
    let mut table = HtmlTable::named("positions|count|parent|champion|difference|95 %");
    let mut unit = None;
    for (name, measured) in [
        ("bred with", &proof.training),
        ("never seen", &proof.holdout),
    ] {
        let Some(it) = measured else { continue };
        unit = Some(&it.unit);
        table.row([
            name.to_owned(),
            number(it.positions as f64),
            decimal(it.parent),
            decimal(it.champion),
            signed_decimal(it.champion - it.parent),
            or_dash(it.interval, |it| interval_text(it, signed_decimal)),
        ]);
    }
    let Some(unit) = unit else {
        return Vec::new();
    };
    let text = PageBlock::text(format!("On positions, {unit}:"));
    vec![text, PageBlock::Table(table)]
}
