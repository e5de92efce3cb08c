//! What all duels so far say about the surface: a mean and a covariance of its weights.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::algebra::{Factor, Square, dot};
use super::super::duel::Fought;
use super::super::knob::Space;
use super::features::{Form, Place, Weight};
use super::hill::Hill;
use crate::operators::normal;

/// Elo points of one unit of logistic strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Curvatures that are tried as the usual one of a knob: twice the Elo points that it
/// loses one unit of its coordinate, usually half its range, away from the top.
const USUAL_BENDS: [f64; 10] = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// The one thought most likely before anything was played, and by how much, in
/// logarithms, others are thought less so.
const LIKELY_BEND: (f64, f64) = (30.0, 1.5);

/// How far choices are from what is expected, as a share of the usual curvature.
const CHOICE: f64 = 0.7;

/// The same for curvatures: how unlike the knobs are. Where some have no effect at all, or
/// far more than others, it is the second.
const UNEVEN: f64 = 0.35;
const OTHER_UNEVEN: [f64; 1] = [1.0];

/// The same for slopes: how far from the start the top is, in scaled coordinates. Too
/// much of it, and with many knobs chance is taken for slopes; so others are tried too.
const SLOPE: f64 = 0.4;
const OTHER_SLOPES: [f64; 2] = [0.15, 1.0];

/// Both, where the prior is to say as little as possible.
const LOOSE: (f64, f64) = (2.0, 1.0);

/// The same for products of two knobs, divided by the root of how many knobs there are:
/// with more, a surface with such products would rise somewhere. The others are tried
/// too.
const CROSS: f64 = 0.5;
const OTHER_CROSSES: [f64; 2] = [0.05, 1.5];

/// Rounds of reweighting, each from where the one before ended: with all duels alike, which
/// tells what prior is likely, and then with those near the top counting more. Near it
/// duels hardly tell how steep the hill is; without the others a wrong one would seem
/// as likely as the right one.
const WIDE_PASSES: usize = 3;
const NEAR_PASSES: usize = 2;

/// How many pairs the assumed scatter of a pair's score counts for, and that scatter,
/// as a share of that of one game without draws.
const ASSUMED_SCATTER: (f64, f64) = (20.0, 0.25);

/// With points this lopsided, more says no more.
const LEAST_SPREAD: f64 = 0.04;

#[derive(Clone, Debug)]
struct Row {
    difference: Vec<f64>,
    places: [Place; 2],
    score: f64,
    pairs: f64,
}

/// The surface that the duels so far speak for, and how sure that is.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) form: Form,
    pub(super) mean: Vec<f64>,
    factor: Factor,
    tried: Vec<Posterior>,
    /// And with one that says hardly anything itself.
    loose: Posterior,
    /// The scatter of a pair's score, as a share of that of one game without draws.
    scatter: f64,
    pub(super) hill: Hill,
    pub(super) top: Place,
}

impl Fit {
    /// Fits all that was told. Duels between settings that lose more than about
    /// `reach` Elo points count less.
    pub(super) fn new(space: &Space, record: &[Fought], reach: f64) -> Self {
        let form = Form::of(space);
        let rows: Vec<Row> = record.iter().filter_map(|it| row(&form, it)).collect();
        let start = form.place(&space.start());
        let mut scatter = ASSUMED_SCATTER.1;
        let mut fit: Option<Self> = None;
        for pass in 0..WIDE_PASSES + NEAR_PASSES {
            let reach = (pass >= WIDE_PASSES).then_some(reach);
            let told = Told::new(&form, &rows, fit.as_ref(), scatter, reach);
            let tried = match &fit {
                Some(fit) if reach.is_some() => told.under(&form, &fit.tried),
                _ => Posterior::all(&form, &told),
            };
            let best = likeliest(&tried).clone();
            let loose = Posterior::new(&form, &told, best.prior.loose());
            let loose = loose.unwrap_or_else(|| best.clone());
            let hill = Hill::new(&form, &best.mean);
            let top = hill.top(&form, fit.as_ref().map_or(&start, |fit| &fit.top));
            fit = Some(Self {
                form: form.clone(),
                mean: best.mean,
                factor: best.factor,
                tried,
                loose,
                scatter,
                hill,
                top,
            });
            scatter = told.scatter;
        }
        fit.expect("there is at least one pass")
    }

    /// How much a duel counts: little, if it was between settings far below the top,
    /// where a parabola is no longer the right form.
    fn nearness(&self, row: &Row, reach: f64) -> f64 {
        let losses = row.places.each_ref().map(|place| {
            let difference = self.form.difference(&self.top, place);
            dot(&self.mean, &difference).max(0.0)
        });
        let loss = losses[0].max(losses[1]) / reach;
        1.0 / (1.0 + loss * loss)
    }

    /// The Elo difference of two places: its mean and its standard deviation, over all
    /// priors as likely as the duels make them.
    pub(super) fn worth(&self, difference: &[f64]) -> (f64, f64) {
        let most = likeliest(&self.tried).evidence;
        let [mut sum, mut mean, mut square] = [0.0; 3];
        for it in &self.tried {
            let share = libm::exp(it.evidence - most);
            let half = it.factor.forward(difference);
            let own = dot(&it.mean, difference);
            sum += share;
            mean += share * own;
            square += share * (own * own + dot(&half, &half));
        }
        mean /= sum;
        (mean, libm::sqrt((square / sum - mean * mean).max(0.0)))
    }

    /// The Elo difference of two places as far as the duels tell it, without much of what
    /// is expected of knobs: how far intervals of effects are to be trusted, this decides.
    pub(super) fn told(&self, difference: &[f64]) -> (f64, f64) {
        let half = self.loose.factor.forward(difference);
        let deviation = libm::sqrt(dot(&half, &half));
        (dot(&self.loose.mean, difference), deviation)
    }

    /// How much one pair tells about a difference that is expected to be so large: the
    /// inverse of its variance in Elo.
    pub(super) fn precision(&self, difference: f64) -> f64 {
        let score = expected_score(difference);
        let spread = (score * (1.0 - score)).max(LEAST_SPREAD);
        spread / (ELO * ELO * self.scatter)
    }

    pub(super) fn covariance(&self) -> Square {
        self.factor.inverse()
    }

    /// Weights as likely as others, over all usual curvatures as likely as the duels
    /// make them.
    pub(super) fn draw_from_all(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let most = likeliest(&self.tried).evidence;
        let share = |it: &Posterior| libm::exp(it.evidence - most);
        let mut left = rng.random::<f64>() * self.tried.iter().map(share).sum::<f64>();
        let found = self.tried.iter().find(|it| {
            left -= share(it);
            left <= 0.0
        });
        found.unwrap_or_else(|| likeliest(&self.tried)).draw(rng)
    }

    /// Weights as likely as others, drawn from what is known with the likeliest
    /// curvature.
    pub(super) fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        drawn(&self.mean, &self.factor, rng)
    }
}

/// What the duels say by themselves: their normal equations.
struct Told {
    gram: Square,
    pull: Vec<f64>,
    /// The scatter of a pair's score around what was expected.
    scatter: f64,
}

impl Told {
    /// Each duel is a measured difference with a weight, around what an earlier fit
    /// expects of it.
    fn new(form: &Form, rows: &[Row], fit: Option<&Fit>, scatter: f64, reach: Option<f64>) -> Self {
        let size = form.weights.len();
        let mut gram = Square::zeros(size);
        let mut pull = vec![0.0; size];
        let mut scattered = ASSUMED_SCATTER.0 * ASSUMED_SCATTER.1;
        let mut counted = ASSUMED_SCATTER.0;
        for row in rows {
            let expected = fit.map_or(0.0, |fit| dot(&fit.mean, &row.difference));
            let score = expected_score(expected);
            let spread = (score * (1.0 - score)).max(LEAST_SPREAD);
            let near = fit
                .zip(reach)
                .map_or(1.0, |(fit, reach)| fit.nearness(row, reach));
            let weight = near * row.pairs * spread / (ELO * ELO * scatter);
            let measured = expected + (row.score - score) * ELO / spread;
            gram.add_outer(weight, &row.difference);
            for (pull, part) in pull.iter_mut().zip(&row.difference) {
                *pull += weight * measured * part;
            }
            let off = row.score - score;
            scattered += near * row.pairs * off * off / spread;
            counted += near;
        }
        Self {
            gram,
            pull,
            scatter: scattered / counted,
        }
    }

    /// What they say under priors that are as likely as they were.
    fn under(&self, form: &Form, tried: &[Posterior]) -> Vec<Posterior> {
        let again = tried.iter().filter_map(|it| {
            let evidence = it.evidence;
            Posterior::new(form, self, it.prior).map(|now| Posterior { evidence, ..now })
        });
        again.collect()
    }
}

/// What is thought of the surface before anything was played.
#[derive(Clone, Copy, Debug)]
struct Prior {
    bend: f64,
    /// How wide the curvatures of knobs, slopes and products of two knobs scatter, as
    /// shares of it.
    uneven: f64,
    slope: f64,
    cross: f64,
}

impl Prior {
    /// One that knows the scale, but not what any knob does.
    fn loose(self) -> Self {
        Self {
            uneven: LOOSE.0,
            slope: LOOSE.1,
            ..self
        }
    }
}

#[derive(Clone, Debug)]
struct Posterior {
    mean: Vec<f64>,
    factor: Factor,
    evidence: f64,
    prior: Prior,
}

impl Posterior {
    /// With every usual curvature, and with the likeliest of them also with other widths
    /// of curvatures, then of slopes, then of products.
    fn all(form: &Form, told: &Told) -> Vec<Self> {
        let with = |prior| Self::new(form, told, prior);
        let usual = |bend| Prior {
            bend,
            uneven: UNEVEN,
            slope: SLOPE,
            cross: CROSS,
        };
        let bends = USUAL_BENDS.into_iter().map(usual);
        let mut tried: Vec<Self> = bends.filter_map(with).collect();
        let likely = likeliest(&tried).prior;
        let unevens = OTHER_UNEVEN.map(|uneven| Prior { uneven, ..likely });
        tried.extend(unevens.into_iter().filter_map(with));
        let likely = likeliest(&tried).prior;
        let slopes = OTHER_SLOPES.map(|slope| Prior { slope, ..likely });
        tried.extend(slopes.into_iter().filter_map(with));
        let likely = likeliest(&tried).prior;
        let crosses = OTHER_CROSSES.map(|cross| Prior { cross, ..likely });
        tried.extend(crosses.into_iter().filter_map(with));
        tried
    }

    fn new(form: &Form, told: &Told, prior: Prior) -> Option<Self> {
        let Prior {
            bend,
            uneven,
            slope,
            cross,
        } = prior;
        let mut precision = told.gram.clone();
        let cross = cross / libm::sqrt(form.axes.len().max(1) as f64);
        let mut pull = told.pull.clone();
        let away = libm::log(bend / LIKELY_BEND.0) / LIKELY_BEND.1;
        let mut evidence = -0.5 * away * away;
        for (place, weight) in form.weights.iter().enumerate() {
            let (mean, share) = match weight {
                Weight::Slope(_) => (0.0, slope),
                Weight::Bend(_) => (-bend, uneven),
                Weight::Cross(..) => (0.0, cross),
                Weight::Choice { .. } => (0.0, CHOICE),
            };
            let sure = 1.0 / (share * bend * share * bend);
            precision.row_mut(place)[place] += sure;
            pull[place] += sure * mean;
            evidence += 0.5 * (libm::log(sure) - sure * mean * mean);
        }
        let factor = precision.cholesky()?;
        let mean = factor.solve(&pull);
        evidence += 0.5 * (dot(&pull, &mean) - factor.log_determinant());
        Some(Self {
            mean,
            factor,
            evidence,
            prior,
        })
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        drawn(&self.mean, &self.factor, rng)
    }
}

fn drawn(mean: &[f64], factor: &Factor, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let deviates: Vec<f64> = mean.iter().map(|_| normal(rng)).collect();
    let mut drawn = factor.backward(&deviates);
    for (drawn, mean) in drawn.iter_mut().zip(mean) {
        *drawn += mean;
    }
    drawn
}

fn row(form: &Form, fought: &Fought) -> Option<Row> {
    // That a setting does not work says nothing of its strength.
    let played = fought.outcome.pairs();
    let (score, pairs) = (played.score()?, played.count() as f64);
    let places = [&fought.duel.first, &fought.duel.second].map(|it| form.place(it));
    Some(Row {
        difference: form.difference(&places[0], &places[1]),
        places,
        score,
        pairs,
    })
}

/// The share of the points that so many Elo points more bring.
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-elo / ELO))
}

fn likeliest(fits: &[Posterior]) -> &Posterior {
    let mut fits = fits.iter();
    let first = fits
        .next()
        .expect("a positive prior makes the matrix definite");
    fits.fold(first, |best, it| {
        if it.evidence > best.evidence {
            it
        } else {
            best
        }
    })
}
