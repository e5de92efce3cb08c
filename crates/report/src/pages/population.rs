//! Plots of populations.

use mendel_lab::record::Networks;

use super::analyses::{Analyses, AnalysisKind, Picture};
use super::{counted, from_one};
use crate::analysis::population::Spread;
use crate::analysis::species::{SpeciesLifetime, SpeciesStats, extinctions, lives};
use crate::plot::{
    AreaLayer, Axis, LineChart, Scatter, ScatterSeries, Series, StackedArea, decimal, number,
};

/// Maximum number of species with their own layer; the others are one layer.
const MAX_SPECIES: usize = 40;

/// A final distance below this share of the initial one is small.
const SMALL: f64 = 0.5;

impl Analyses {
    pub(super) fn pca_pictures(&self) -> Vec<Picture> {
        let Some(pca) = &self.pca else {
            return Vec::new();
        };
        let axis = |at: usize| {
            let share = decimal(100.0 * pca.shares[at]);
            Axis::new(format!("axis {}, {share} % of the variance", at + 1))
        };
        let clouds = pca.clouds.iter().map(|cloud| ScatterSeries {
            name: format!("generation {}", from_one(cloud.generation)),
            points: cloud.points.iter().map(|it| (it[0], it[1])).collect(),
        });
        let scatter = |title: &str| Scatter {
            title: title.to_owned(),
            x: axis(0),
            y: axis(1),
            clouds: clouds.clone().collect(),
        };
        let genes = number(pca.genes as f64);
        let meaning = format!(
            "Each point is a member, of {genes} genes; near points are alike. The axes are the two along which all \
             members together differ most (principal components)."
        );
        // One generation has no course.
        if let [only] = &pca.clouds[..] {
            let number = from_one(only.generation);
            let drawing = scatter(&format!("The genotypes of generation {number}")).draw();
            let caption = format!(
                "{meaning} Only the members of generation {number} are kept so far, so that nothing can be seen of a way; \
                 `[report] keep-genotypes` in the recipe says how often they are."
            );
            return vec![AnalysisKind::Pca.picture("pca", drawing, caption)];
        }
        let still = scatter(&self.pca_title()).draw();
        let animated = scatter("The same, generation by generation").animate();
        let caption =
            format!("{meaning} Dark is early, bright late; the last generation is ringed.");
        let course =
            "The population on its way, over and over; the generation before stays as a shadow.";
        vec![
            AnalysisKind::Pca.picture("pca", still, caption),
            AnalysisKind::Pca.picture("pca-animated", animated, course),
        ]
    }

    /// The title, by the first and the last mean distance.
    fn pca_title(&self) -> String {
        let plain = "All genotypes on their two strongest axes";
        match self.drew_together() {
            Some(true) => format!("{plain}: the population drew together"),
            Some(false) => format!("{plain}: the population stayed spread out"),
            None => plain.to_owned(),
        }
    }

    /// Whether the mean distance became small; `None` without two generations.
    fn drew_together(&self) -> Option<bool> {
        let (first, last) = (self.spread.first()?, self.spread.last()?);
        let measured = first.generation < last.generation && first.distance > 0.0;
        measured.then_some(last.distance < SMALL * first.distance)
    }

    pub(super) fn spread_picture(&self) -> Option<Picture> {
        let (first, last) = (self.spread.first()?, self.spread.last()?);
        let point = |it: &Spread| (f64::from(from_one(it.generation)), it.distance);
        let points: Vec<(f64, f64)> = self.spread.iter().map(point).collect();
        let (before, after) = (decimal(first.distance), decimal(last.distance));
        let title = if first.generation == last.generation {
            format!("Two members are {before} apart on average")
        } else {
            format!("Two members were {before} apart on average, and {after} at the end")
        };
        let chart = LineChart {
            title,
            x: Axis::whole("generation"),
            y: from_zero("mean distance", &points, 1e-9),
            series: vec![Series::line("distance", 0, points)],
            height: 260,
            ..LineChart::default()
        };
        let mut networks = self.networks.iter();
        let has_species = networks.any(|it| !it.networks.species.is_empty());
        let meaning = if has_species {
            "the distance by which NEAT tells species apart: links that only one of the two has, and how much the weights \
             of the others differ"
        } else {
            "the length of the difference of all their genes or weights"
        };
        let caption =
            format!("The mean distance of each two members of a generation, which is {meaning}.");
        Some(AnalysisKind::Distance.picture("distance", chart.draw(), caption))
    }

    pub(super) fn species_picture(&self) -> Option<Picture> {
        let lives = lives(&self.networks);
        if lives.is_empty() {
            return None;
        }
        // The largest have a layer each, in the order in which they appeared.
        let mut largest: Vec<usize> = (0..lives.len()).collect();
        largest.sort_by_key(|&at| std::cmp::Reverse(lives[at].most));
        largest.truncate(MAX_SPECIES);
        largest.sort_unstable();
        let size = |line: &SpeciesStats, id: u32| {
            let own = line.networks.species.iter().filter(|it| it.id == id);
            own.map(|it| f64::from(it.size)).sum::<f64>()
        };
        let layer = |&at: &usize| {
            let id = lives[at].id;
            let sizes = self.networks.iter().map(|line| size(line, id));
            AreaLayer {
                name: format!("species {id}"),
                values: sizes.collect(),
            }
        };
        let mut layers: Vec<AreaLayer> = largest.iter().map(layer).collect();
        let others = lives.len() - largest.len();
        if others > 0 {
            let shown = |id: u32| largest.iter().any(|&at| lives[at].id == id);
            let rest = |line: &SpeciesStats| {
                let rest = line.networks.species.iter().filter(|it| !shown(it.id));
                rest.map(|it| f64::from(it.size)).sum()
            };
            layers.push(AreaLayer {
                name: format!("{others} others"),
                values: self.networks.iter().map(rest).collect(),
            });
        }
        let all_gone = extinctions(&self.networks);
        let extinct = lives.iter().filter(|it| it.extinct).count();
        let marks = all_gone.iter().map(|&it| from_one(it)).map(|it| {
            let hint = format!("all species had died out before generation {it}");
            (f64::from(it), hint)
        });
        let all = lives.len();
        let chart = StackedArea {
            title: format!("Species through time: {all} lived, {extinct} died out"),
            x: Axis::whole("generation"),
            y: Axis::whole("members"),
            places: self.networks.iter().map(counted_from_one).collect(),
            layers,
            marks: marks.collect(),
        };
        let restarts = match all_gone.len() {
            0 => "At no time was no species left that might breed.".to_owned(),
            count => format!(
                "{} no species was left that might breed, and everything began anew, at the dashed lines.",
                times(count)
            ),
        };
        let together = match others {
            0 => String::new(),
            others => {
                let others = number(others as f64);
                format!("; the {others} smallest together at the top")
            }
        };
        let longest = lives.iter().max_by_key(|it| it.last - it.first);
        let longest = longest.map_or_else(String::new, of_the_oldest);
        let caption = format!(
            "Members of each species, the oldest at the bottom{together}.{longest} {restarts}"
        );
        Some(AnalysisKind::Species.picture("species", chart.draw(), caption))
    }

    pub(super) fn empty_picture(&self) -> Option<Picture> {
        let share = |of: fn(&Networks) -> Option<f64>| -> Vec<(f64, f64)> {
            let point = |it: &SpeciesStats| Some((counted_from_one(it), 100.0 * of(&it.networks)?));
            self.networks.iter().filter_map(point).collect()
        };
        let empty = share(|it| it.empty);
        // Older runs counted too large networks as empty.
        let large = share(|it| it.too_large);
        let last = empty.last()?.1;
        let most_large = large.iter().map(|it| it.1).fold(0.0, f64::max);
        let mut series = vec![Series::line("empty", 1, empty)];
        let caption = "The share of members whose network joins no input to the output, so that it answers the same to \
                       every position.";
        let title = format!("Networks that are empty: {last:.1} % at the end");
        let (title, large_ones) = match large.last() {
            Some(&(_, at_the_end)) if most_large > 0.0 => {
                series.push(Series::line("too large to play", 2, large));
                let title = format!("{title}; too large to play: {at_the_end:.1} %");
                let words = "Apart from those: the share whose network has more nodes or connections than can play, \
                             so that one plays in its place that says nothing.";
                (title, words)
            }
            Some(_) => (title, "None was too large to play."),
            None => (
                format!("Networks that are empty or too large to play: {last:.1} % at the end"),
                "Those that are too large to play are among them, as this run did not tell them apart.",
            ),
        };
        let caption = format!("{caption} {large_ones}");
        let chart = LineChart {
            title,
            x: Axis::whole("generation"),
            y: Axis::new("members, %").between(0.0, 100.0),
            series,
            height: 200,
            ..LineChart::default()
        };
        Some(AnalysisKind::Empty.picture("empty", chart.draw(), caption))
    }

    /// Connections and hidden nodes, each with its own scale.
    pub(super) fn size_pictures(&self) -> Vec<Picture> {
        let of_one = |(at, name, file): (usize, &str, &str)| {
            let point = |it: &SpeciesStats| Some((counted_from_one(it), it.networks.size?[at]));
            let points: Vec<(f64, f64)> = self.networks.iter().filter_map(point).collect();
            let (first, last) = (points.first()?.1, points.last()?.1);
            let chart = LineChart {
                title: format!("{name} of a network: {first:.0} at first, {last:.0} at the end"),
                x: Axis::whole("generation"),
                y: from_zero("mean count", &points, 1.0),
                series: vec![Series::line(name.to_lowercase(), at as u8, points)],
                height: 200,
                ..LineChart::default()
            };
            let caption = format!(
                "{name} of the networks that play, in the mean of a generation; what does not count is not counted."
            );
            let file = format!("size-{file}");
            Some(AnalysisKind::Size.picture(file, chart.draw(), caption))
        };
        let both = [
            (1, "Connections", "connections"),
            (0, "Hidden nodes", "nodes"),
        ];
        both.into_iter().filter_map(of_one).collect()
    }
}

/// An axis from 0 to a little more than the largest value, at least to `least`.
fn from_zero(label: &str, points: &[(f64, f64)], least: f64) -> Axis {
    let most = points.iter().map(|it| it.1).fold(0.0, f64::max);
    Axis::new(label).between(0.0, (most * 1.05).max(least))
}

/// The generation, from 1.
fn counted_from_one(line: &SpeciesStats) -> f64 {
    f64::from(from_one(line.generation))
}

/// The sentence about the species that lived longest.
fn of_the_oldest(life: &SpeciesLifetime) -> String {
    format!(
        " Species {} lived longest, {}.",
        life.id,
        counted(u64::from(life.last - life.first + 1), "generation")
    )
}

fn times(count: usize) -> String {
    match count {
        1 => "Once".to_owned(),
        2 => "Twice".to_owned(),
        count => format!("{count} times"),
    }
}
