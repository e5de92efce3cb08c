//! Fitness, strength and diversity of each generation.

use std::fmt::Write as _;

use mendel_lab::record::manifest::StandIn;
use mendel_lab::record::{Generation, Histogram};

use super::read::RunRecord;
use super::{better, from_one};
use crate::page::PageBlock;
use crate::plot::{Axis, Histograms, LineChart, Panel, Reference, Series, extent, number};

impl RunRecord {
    /// The unit of the fitness and whether smaller or larger is better.
    pub(super) fn fitness_label(&self) -> String {
        let unit = self.unit();
        let way = better(self.manifest.smaller_is_better);
        // Some units contain it.
        if unit.contains(way) {
            unit.to_owned()
        } else {
            format!("{unit} ({way})")
        }
    }

    fn unit(&self) -> &str {
        match self.manifest.unit.as_str() {
            "" => "fitness",
            unit => unit,
        }
    }

    fn curve(&self, value: impl Fn(&Generation) -> f64) -> Vec<(f64, f64)> {
        let points = self.generations.iter();
        points.map(|line| (place(line), value(line))).collect()
    }

    /// The best of random search, where it ran.
    fn random_curve(&self) -> Vec<(f64, f64)> {
        let point = |line: &Generation| Some((place(line), line.random_best?));
        self.generations.iter().filter_map(point).collect()
    }

    /// The name of the level for comparison.
    fn beside(&self) -> String {
        let name = self.manifest.stand_in.map_or("parent", StandIn::name);
        name.to_owned()
    }

    fn references(&self) -> Vec<Reference> {
        let baseline = self.manifest.baseline;
        Vec::from_iter(baseline.map(|it| Reference::new(self.beside(), 3, it)))
    }

    /// Best, mean, worst, parent and random search.
    pub(super) fn fitness_blocks(&self) -> Vec<PageBlock> {
        if self.generations.is_empty() {
            return Vec::new();
        }
        let window = self.window();
        let band = |it: &Generation| (place(it), it.mean - it.deviation, it.mean + it.deviation);
        let mean = Series {
            band: self.generations.iter().map(band).collect(),
            ..Series::line("mean", 1, self.curve(|line| line.mean))
        };
        let whole = LineChart {
            title: "Fitness of each generation".to_owned(),
            x: Axis::whole("generation"),
            y: Axis {
                range: window.map(|(range, _)| range),
                ..Axis::new(self.fitness_label())
            },
            series: vec![
                Series::line("best", 0, self.curve(|line| line.best)),
                mean,
                Series::line("worst", 2, self.curve(|line| line.worst)),
                Series::line("random search", 4, self.random_curve()),
            ],
            references: self.references(),
            height: 380,
            ..LineChart::default()
        };
        let mut caption =
            "Best, mean and worst member of each generation; the band is one standard deviation around the mean."
                .to_owned();
        if self.random_best().is_some() {
            caption.push_str(" Random search is the best of as many members drawn at random.");
        }
        if window.is_some_and(|(_, cuts)| cuts) {
            caption.push_str(" What lies beyond the frame is cut off.");
        }
        let figure = PageBlock::figure(whole.draw(), caption);
        [figure].into_iter().chain(self.close_up()).collect()
    }

    /// The best, the parent and random search at a larger scale, if the whole plot is too coarse.
    fn close_up(&self) -> Option<PageBlock> {
        let late = &self.generations[self.generations.len() / 5..];
        let ends = late.iter().map(|line| line.best);
        let (mut low, mut high) = extent(ends.chain(self.manifest.baseline))?;
        let (least, largest) = self.window()?.0;
        if self.generations.len() < 10 || high - low > 0.5 * (largest - least) {
            return None;
        }
        let mut series = vec![Series::line("best", 0, self.curve(|line| line.best))];
        // Random search is shown if it is near enough.
        let room = high - low;
        let beyond = low - room..=high + room;
        let mut caption = String::new();
        match self.random_best() {
            Some(random) if beyond.contains(&random) => {
                (low, high) = (low.min(random), high.max(random));
                let curve = self.random_curve();
                series.push(Series::line("random search", 4, curve));
            }
            Some(random) => {
                caption = format!("Random search lies beyond, at {}.", number(random));
            }
            None => {}
        }
        let air = ((high - low) * 0.08).max(1e-9);
        let chart = LineChart {
            title: "The same from near".to_owned(),
            x: Axis::whole("generation"),
            y: Axis::new(self.unit()).between(low - air, high + air),
            series,
            references: self.references(),
            height: 280,
            ..LineChart::default()
        };
        Some(PageBlock::figure(chart.draw(), caption))
    }

    /// The visible range of the fitness, and whether values lie outside. Only the better half of the worst members must fit, so that
    /// one outlier does not flatten all curves.
    fn window(&self) -> Option<((f64, f64), bool)> {
        let mut worst: Vec<f64> = self.generations.iter().map(|line| line.worst).collect();
        worst.sort_by(f64::total_cmp);
        let middle = worst.get(worst.len() / 2).copied();
        let lines = self.generations.iter();
        let values = lines.flat_map(|it| [it.best, it.mean].into_iter().chain(it.random_best));
        let all = extent(values.clone().chain(self.manifest.baseline).chain(worst));
        let seen = extent(values.chain(self.manifest.baseline).chain(middle));
        let ((low, high), all) = (seen?, all?);
        let air = ((high - low) * 0.04).max(1e-9);
        let range = (low - air, high + air);
        Some((range, all.0 < range.0 || all.1 > range.1))
    }

    /// Strength of the best or the king against fixed players.
    pub(super) fn ladder_block(&self) -> Option<PageBlock> {
        // 1. The points and their range.
        let lines = &self.generations;
        let measured = || lines.iter().filter_map(|it| Some((place(it), it.ladder?)));
        let ends = measured().flat_map(|(_, point)| [point.low, point.high]);
        let (low, high) = extent(ends)?;
        let air = ((high - low) * 0.05).max(1.0);

        // 2. A vertical line for each new king.
        let kings = self.kings();
        let points = measured().map(|(at, point)| (at, point.elo)).collect();
        let band = measured().map(|(at, point)| (at, point.low, point.high));
        let mut series = vec![Series {
            band: band.collect(),
            ..Series::line("ladder", 0, points)
        }];
        series.extend(kings.iter().map(|&generation| {
            let at = f64::from(generation);
            Series::line("", 4, vec![(at, low - air), (at, high + air)])
        }));
        let chart = LineChart {
            title: "Strength".to_owned(),
            x: Axis::whole("generation"),
            y: Axis::new("Elo above the ladder’s anchor").between(low - air, high + air),
            series,
            height: 320,
            ..LineChart::default()
        };
        let mut caption = "Measured by games against players that stay the same, all from the \
                           same openings; the band is the 95 % interval."
            .to_owned();
        if !kings.is_empty() {
            let list: Vec<String> = kings.iter().map(u32::to_string).collect();
            let many = if kings.len() == 1 { "" } else { "s" };
            let _ = write!(
                caption,
                " The upright lines are new kings, in generation{many} {}.",
                list.join(", ")
            );
        }
        Some(PageBlock::figure(chart.draw(), caption))
    }

    /// The generations with a new king, from 1.
    pub(super) fn kings(&self) -> Vec<u32> {
        let crowned = |line: &&Generation| line.king.is_some_and(|king| king.new);
        let lines = self.generations.iter().filter(crowned);
        lines.map(|line| from_one(line.generation)).collect()
    }

    /// Histograms of the fitness in some generations.
    pub(super) fn histogram_block(&self) -> Option<PageBlock> {
        let mut chosen = self.chosen_generations();
        chosen.retain(|line| line.histogram.counts.iter().any(|count| *count > 0));
        if chosen.is_empty() {
            return None;
        }
        let middles = chosen.iter().map(|line| central(&line.histogram));
        let ends = middles.flat_map(|(low, high)| [low, high]);
        let (low, high) = extent(ends.chain(self.manifest.baseline))?;
        let air = ((high - low) * 0.03).max(1e-9);
        let all = self.generations.len();
        let panels = chosen.iter().map(|line| Panel {
            name: format!("{} of {all}", from_one(line.generation)),
            low: line.histogram.low,
            high: line.histogram.high,
            counts: line.histogram.counts.clone(),
        });
        let histograms = Histograms {
            title: "The population in some generations".to_owned(),
            x: Axis::new(self.fitness_label()).between(low - air, high + air),
            panels: panels.collect(),
            reference: self.manifest.baseline.map(|b| (b, self.beside())),
        };
        let caption = "How many members have which fitness; at the right how many the tallest bar counts. The outermost hundredth at either end may lie outside.";
        Some(PageBlock::figure(histograms.draw(), caption))
    }

    /// The generations that the recipe asks for, or the first, the last and two between.
    fn chosen_generations(&self) -> Vec<&Generation> {
        let lines = &self.generations;
        let Some(last) = lines.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut places: Vec<usize> = if self.histograms.is_empty() {
            vec![0, last / 3, last * 2 / 3, last]
        } else {
            let find = |wanted: &u32| {
                let mut lines = lines.iter();
                lines.position(|line| from_one(line.generation) == *wanted)
            };
            self.histograms.iter().filter_map(find).collect()
        };
        if places.is_empty() {
            places = vec![0, last];
        }
        places.sort_unstable();
        places.dedup();
        places.truncate(12);
        places.into_iter().map(|place| &lines[place]).collect()
    }

    /// Diversity of the members.
    pub(super) fn diversity_block(&self) -> Option<PageBlock> {
        let curve = self.curve(|line| line.diversity);
        let most = curve.iter().map(|point| point.1).fold(0.0, f64::max);
        if curve.len() < 2 {
            return None;
        }
        // Growing networks have a size; they are compared by their links.
        let lines = self.generations.iter();
        let mut networks = lines.filter_map(|it| it.networks.as_ref());
        let (label, meaning) = if networks.any(|it| it.size.is_some()) {
            (
                "share of links",
                "How likely a link of one member is missing in another, whatever it weighs",
            )
        } else {
            (
                "share of the widest",
                "The mean distance of the members from their mean, as a share of the widest possible",
            )
        };
        let chart = LineChart {
            title: "Diversity".to_owned(),
            x: Axis::whole("generation"),
            y: Axis::new(label).between(0.0, (most * 1.08).max(1e-3)),
            series: vec![Series::line("diversity", 0, curve)],
            height: 220,
            ..LineChart::default()
        };
        let caption =
            format!("{meaning}: 0 means that all are alike and nothing is left to choose from.");
        Some(PageBlock::figure(chart.draw(), caption))
    }
}

/// The place of a generation on the axis.
fn place(line: &Generation) -> f64 {
    f64::from(from_one(line.generation))
}

/// The range without the outermost hundredth at either end.
fn central(histogram: &Histogram) -> (f64, f64) {
    let Histogram { low, high, counts } = histogram;
    let all: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    let width = (high - low) / counts.len().max(1) as f64;
    let outer = |counts: &mut dyn Iterator<Item = &u32>| {
        let mut seen = 0;
        counts
            .take_while(|count| {
                seen += u64::from(**count);
                seen * 100 < all
            })
            .count() as f64
    };
    let from = outer(&mut counts.iter());
    let to = outer(&mut counts.iter().rev());
    (low + from * width, high - to * width)
}
