//! What all duels so far say about the surface: a mean and a covariance of its weights.

use rand_chacha::ChaCha8Rng;

use super::super::algebra::{Factor, Square, dot};
use super::super::duel::{Fought, Outcome};
use super::super::knob::Space;
use super::features::{Form, Place, Weight};
use super::hill::Hill;
use crate::operators::normal;

/// Elo points of one unit of logistic strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Curvatures that are tried as the usual one of a knob: twice the Elo points that it
/// loses one unit of its coordinate, usually half its range, away from the top.
const USUAL_BENDS: [f64; 9] = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

/// The one thought most likely before anything was played, and by how much, in
/// logarithms, others are thought less so.
const LIKELY_BEND: (f64, f64) = (30.0, 1.5);

/// How far slopes, curvatures and choices are from what is expected, as shares of the
/// usual curvature.
const SLOPE: f64 = 0.7;
const BEND: f64 = 0.5;
const CHOICE: f64 = 0.7;

/// The same for products of two knobs, divided by the root of how many knobs there are:
/// with more, a surface with such products would rise somewhere. The others are tried
/// too.
const CROSS: f64 = 0.5;
const OTHER_CROSSES: [f64; 2] = [0.05, 1.5];

/// Rounds of reweighting; each begins where the one before ended.
const PASSES: usize = 4;

/// How many pairs the assumed scatter of a pair's score counts for, and that scatter,
/// as a share of that of one game without draws.
const ASSUMED_SCATTER: (f64, f64) = (20.0, 0.25);

/// With points this lopsided, more says no more.
const LEAST_SPREAD: f64 = 0.04;

/// A duel as the fit sees it.
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
    /// What the duels say with every usual curvature and width of products.
    tried: Vec<Posterior>,
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
        for _ in 0..PASSES {
            // 1. Each duel as a measured difference with a weight.
            let size = form.weights.len();
            let mut gram = Square::zeros(size);
            let mut pull = vec![0.0; size];
            let mut scattered = ASSUMED_SCATTER.0 * ASSUMED_SCATTER.1;
            let mut counted = ASSUMED_SCATTER.0;
            for row in &rows {
                let expected = fit
                    .as_ref()
                    .map_or(0.0, |fit| dot(&fit.mean, &row.difference));
                let score = expected_score(expected);
                let spread = (score * (1.0 - score)).max(LEAST_SPREAD);
                let near = fit.as_ref().map_or(1.0, |fit| fit.nearness(row, reach));
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
            // 2. The weights for each usual curvature; the most likely one is taken.
            let from = fit.as_ref().map_or(&start, |fit| &fit.top);
            let with = |bend, cross| Posterior::new(&form, &gram, &pull, bend, cross);
            let bends = USUAL_BENDS.into_iter();
            let mut tried: Vec<Posterior> = bends.filter_map(|bend| with(bend, CROSS)).collect();
            let bend = likeliest(&tried).bend;
            let crosses = OTHER_CROSSES.into_iter();
            tried.extend(crosses.filter_map(|cross| with(bend, cross)));
            let best = likeliest(&tried).clone();
            let hill = Hill::new(&form, &best.mean);
            let top = hill.top(&form, from);
            fit = Some(Self {
                form: form.clone(),
                mean: best.mean,
                factor: best.factor,
                tried,
                scatter,
                hill,
                top,
            });
            scatter = scattered / counted;
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
    /// usual curvatures as likely as the duels make them.
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

    /// How much one pair tells about a difference that is expected to be so large: the
    /// inverse of its variance in Elo.
    pub(super) fn precision(&self, difference: f64) -> f64 {
        let score = expected_score(difference);
        let spread = (score * (1.0 - score)).max(LEAST_SPREAD);
        spread / (ELO * ELO * self.scatter)
    }

    /// The covariance of the weights.
    pub(super) fn covariance(&self) -> Square {
        self.factor.inverse()
    }

    /// Weights as likely as others, drawn from what is known.
    pub(super) fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let deviates: Vec<f64> = self.mean.iter().map(|_| normal(rng)).collect();
        let mut drawn = self.factor.backward(&deviates);
        for (drawn, mean) in drawn.iter_mut().zip(&self.mean) {
            *drawn += mean;
        }
        drawn
    }
}

/// What the duels say with one usual curvature.
#[derive(Clone, Debug)]
struct Posterior {
    mean: Vec<f64>,
    factor: Factor,
    evidence: f64,
    bend: f64,
}

impl Posterior {
    fn new(form: &Form, gram: &Square, pull: &[f64], bend: f64, cross: f64) -> Option<Self> {
        let mut precision = gram.clone();
        let cross = cross / libm::sqrt(form.axes.len().max(1) as f64);
        let mut pull = pull.to_vec();
        let away = libm::log(bend / LIKELY_BEND.0) / LIKELY_BEND.1;
        let mut evidence = -0.5 * away * away;
        for (place, weight) in form.weights.iter().enumerate() {
            let (mean, share) = match weight {
                Weight::Slope(_) => (0.0, SLOPE),
                Weight::Bend(_) => (-bend, BEND),
                Weight::Cross(..) => (0.0, cross),
                Weight::Choice { .. } => (0.0, CHOICE),
            };
            let prior = 1.0 / (share * bend * share * bend);
            precision.row_mut(place)[place] += prior;
            pull[place] += prior * mean;
            evidence += 0.5 * (libm::log(prior) - prior * mean * mean);
        }
        let factor = precision.cholesky()?;
        let mean = factor.solve(&pull);
        evidence += 0.5 * (dot(&pull, &mean) - factor.log_determinant());
        Some(Self {
            mean,
            factor,
            evidence,
            bend,
        })
    }
}

fn row(form: &Form, fought: &Fought) -> Option<Row> {
    let score = fought.outcome.score()?;
    let pairs = match fought.outcome {
        Outcome::Played(pairs) => pairs.count() as f64,
        // That it does not work says something, but not how bad it is.
        Outcome::Infeasible { .. } => 1.0,
    };
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

/// The one under which the duels are most likely.
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
