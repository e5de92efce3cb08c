//! Pictures of populations.

use mendel_lab::record::Networks;

use super::analyses::{Analyses, AnalysisKind, Picture};
use super::{counted, from_one};
use crate::analysis::population::Spread;
use crate::analysis::species::{SpeciesLifetime, SpeciesStats, extinctions, lives};
use crate::plot::{
    AreaLayer, Axis, LineChart, Scatter, ScatterSeries, Series, StackedArea, decimal, number,
};

/// More species than this are drawn as one.
const MOST_SPECIES: usize = 40;

/// Below this share of what it was, a distance has become small.
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
        // One generation has nowhere to go.
        if let [only] = &pca.clouds[..] {
            let number = from_one(only.generation);
            return vec![Picture {
                what: AnalysisKind::Pca,
                name: "pca".to_owned(),
                drawing: scatter(&format!("The genotypes of generation {number}")).draw(),
                caption: format!(
                    "{meaning} Only the members of generation {number} are kept so far, so that nothing can be seen of a way; \
                     `[report] keep-genotypes` in the recipe says how often they are."
                ),
            }];
        }
        vec![
            Picture {
                what: AnalysisKind::Pca,
                name: "pca".to_owned(),
                drawing: scatter(&self.pca_title()).draw(),
                caption: format!(
                    "{meaning} Dark is early, bright late; the last generation is ringed."
                ),
            },
            Picture {
                what: AnalysisKind::Pca,
                name: "pca-animated".to_owned(),
                drawing: scatter("The same, generation by generation").animate(),
                caption: "The population on its way, over and over; the generation before stays as a shadow.".to_owned(),
            },
        ]
    }

    /// What became of the population, as its first and last distance say.
    fn pca_title(&self) -> String {
        let plain = "All genotypes on their two strongest axes";
        match self.drew_together() {
            Some(true) => format!("{plain}: the population drew together"),
            Some(false) => format!("{plain}: the population stayed spread out"),
            None => plain.to_owned(),
        }
    }

    /// Whether the distance of members became small; `None` without two generations.
    fn drew_together(&self) -> Option<bool> {
        let (first, last) = (self.spread.first()?, self.spread.last()?);
        let measured = first.generation < last.generation && first.distance > 0.0;
        measured.then_some(last.distance < SMALL * first.distance)
    }

    pub(super) fn spread_picture(&self) -> Option<Picture> {
        let (first, last) = (self.spread.first()?, self.spread.last()?);
        let point = |it: &Spread| (f64::from(from_one(it.generation)), it.distance);
        let mut y = Axis::new("mean distance");
        let most = self.spread.iter().map(|it| it.distance);
        y.range = Some((0.0, (most.fold(0.0, f64::max) * 1.05).max(1e-9)));
        let (before, after) = (decimal(first.distance), decimal(last.distance));
        let title = if first.generation == last.generation {
            format!("Two members are {before} apart on average")
        } else {
            format!("Two members were {before} apart on average, and {after} at the end")
        };
        let chart = LineChart {
            title,
            x: Axis::whole("generation"),
            y,
            series: vec![Series::line(
                "distance",
                0,
                self.spread.iter().map(point).collect(),
            )],
            height: 260,
            ..LineChart::default()
        };
        let has_species = self
            .networks
            .iter()
            .any(|it| !it.networks.species.is_empty());
        let meaning = if has_species {
            "the distance by which NEAT tells species apart: links that only one of the two has, and how much the weights \
             of the others differ"
        } else {
            "the length of the difference of all their genes or weights"
        };
        Some(Picture {
            what: AnalysisKind::Distance,
            name: "distance".to_owned(),
            drawing: chart.draw(),
            caption: format!(
                "The mean distance of each two members of a generation, which is {meaning}."
            ),
        })
    }

    pub(super) fn species_picture(&self) -> Option<Picture> {
        let lives = lives(&self.networks);
        if lives.is_empty() {
            return None;
        }
        // The largest have a layer each, in the order in which they appeared.
        let mut largest: Vec<usize> = (0..lives.len()).collect();
        largest.sort_by_key(|&at| std::cmp::Reverse(lives[at].most));
        largest.truncate(MOST_SPECIES);
        largest.sort_unstable();
        let size = |line: &SpeciesStats, id: u32| {
            let own = line.networks.species.iter().filter(|it| it.id == id);
            own.map(|it| f64::from(it.size)).sum::<f64>()
        };
        let mut layers: Vec<AreaLayer> = largest
            .iter()
            .map(|&at| AreaLayer {
                name: format!("species {}", lives[at].id),
                values: self
                    .networks
                    .iter()
                    .map(|line| size(line, lives[at].id))
                    .collect(),
            })
            .collect();
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
        let title = format!(
            "Species through time: {} lived, {extinct} died out",
            lives.len()
        );
        let chart = StackedArea {
            title,
            x: Axis::whole("generation"),
            y: Axis::whole("members"),
            places: self.networks.iter().map(counted_from_one).collect(),
            layers,
            marks: all_gone
                .iter()
                .map(|&it| from_one(it))
                .map(|it| {
                    (
                        f64::from(it),
                        format!("all species had died out before generation {it}"),
                    )
                })
                .collect(),
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
            others => format!(
                "; the {} smallest together at the top",
                number(others as f64)
            ),
        };
        let longest = lives.iter().max_by_key(|it| it.last - it.first);
        let longest = longest.map_or_else(String::new, of_the_oldest);
        Some(Picture {
            what: AnalysisKind::Species,
            name: "species".to_owned(),
            drawing: chart.draw(),
            caption: format!(
                "Members of each species, the oldest at the bottom{together}.{longest} {restarts}"
            ),
        })
    }

    pub(super) fn empty_picture(&self) -> Option<Picture> {
        let share = |of: fn(&Networks) -> Option<f64>| -> Vec<(f64, f64)> {
            let point = |it: &SpeciesStats| Some((counted_from_one(it), 100.0 * of(&it.networks)?));
            self.networks.iter().filter_map(point).collect()
        };
        let empty = share(|it| it.empty);
        // Older runs counted both as empty.
        let large = share(|it| it.too_large);
        let last = empty.last()?.1;
        let most_large = large.iter().map(|it| it.1).fold(0.0, f64::max);
        let mut y = Axis::new("members, %");
        y.range = Some((0.0, 100.0));
        let mut series = vec![Series::line("empty", 1, empty)];
        let caption = "The share of members whose network joins no input to the output, so that it answers the same to \
                       every position.";
        let (title, caption) = match large.last() {
            Some(&(_, at_the_end)) if most_large > 0.0 => {
                series.push(Series::line("too large to play", 2, large));
                (
                    format!(
                        "Networks that are empty: {last:.1} % at the end; too large to play: {at_the_end:.1} %"
                    ),
                    format!(
                        "{caption} Apart from those: the share whose network has more nodes or connections than can play, \
                             so that one plays in its place that says nothing."
                    ),
                )
            }
            Some(_) => (
                format!("Networks that are empty: {last:.1} % at the end"),
                format!("{caption} None was too large to play."),
            ),
            None => (
                format!("Networks that are empty or too large to play: {last:.1} % at the end"),
                format!(
                    "{caption} Those that are too large to play are among them, as this run did not tell them apart."
                ),
            ),
        };
        let chart = LineChart {
            title,
            x: Axis::whole("generation"),
            y,
            series,
            height: 200,
            ..LineChart::default()
        };
        Some(Picture {
            what: AnalysisKind::Empty,
            name: "empty".to_owned(),
            drawing: chart.draw(),
            caption,
        })
    }

    /// Connections and hidden nodes, each on a scale of its own.
    pub(super) fn size_pictures(&self) -> Vec<Picture> {
        let of_one = |(at, name, file): (usize, &str, &str)| {
            let point = |it: &SpeciesStats| Some((counted_from_one(it), it.networks.size?[at]));
            let points: Vec<(f64, f64)> = self.networks.iter().filter_map(point).collect();
            let (first, last) = (points.first()?.1, points.last()?.1);
            let mut y = Axis::new("mean count");
            let most = points.iter().map(|it| it.1).fold(0.0, f64::max);
            y.range = Some((0.0, (most * 1.05).max(1.0)));
            let chart = LineChart {
                title: format!("{name} of a network: {first:.0} at first, {last:.0} at the end"),
                x: Axis::whole("generation"),
                y,
                series: vec![Series::line(name.to_lowercase(), at as u8, points)],
                height: 200,
                ..LineChart::default()
            };
            Some(Picture {
                what: AnalysisKind::Size,
                name: format!("size-{file}"),
                drawing: chart.draw(),
                caption: format!(
                    "{name} of the networks that play, in the mean of a generation; what does not count is not counted."
                ),
            })
        };
        let both = [
            (1, "Connections", "connections"),
            (0, "Hidden nodes", "nodes"),
        ];
        both.into_iter().filter_map(of_one).collect()
    }
}

/// The generation as people count it.
fn counted_from_one(line: &SpeciesStats) -> f64 {
    f64::from(from_one(line.generation))
}

/// Which species lived longest.
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
