//! Programs that are not there: their best setting is known, and they lose and draw
//! games as chess programs do.

use std::fmt;
use std::str::FromStr;

use mendel_arena::statistics::elo_to_score;
use mendel_evolve::tuners::{Duel, Knob, Outcome, Pairs, Setting};
use mendel_evolve::{Purpose, generator, normal};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// How many Elo points the start is below the best.
pub const START_REGRET: f64 = 80.0;

/// What the first move is worth, in Elo.
const FIRST_MOVE: f64 = 30.0;

/// How far openings favour a side: the standard deviation, in Elo.
const OPENINGS: f64 = 60.0;

/// How strength falls away from the best setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landscape {
    /// Knobs matter about alike and do not depend on each other.
    Plain,
    /// What is best for one knob depends on the others.
    Correlated,
    /// Some knobs matter a thousand times as much as others.
    IllScaled,
    /// Knobs with few values.
    Coarse,
    /// Too much is worse than too little, or the other way round; far away it is
    /// bad in the same way everywhere.
    Crooked,
}

impl Landscape {
    pub const ALL: [Self; 5] = [
        Self::Plain,
        Self::Correlated,
        Self::IllScaled,
        Self::Coarse,
        Self::Crooked,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Correlated => "correlated",
            Self::IllScaled => "ill-scaled",
            Self::Coarse => "coarse",
            Self::Crooked => "crooked",
        }
    }

    /// Beyond how many Elo points a loss grows much slower.
    fn ceiling(self) -> f64 {
        if self == Self::Crooked { 120.0 } else { 400.0 }
    }
}

impl fmt::Display for Landscape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Landscape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|it| it.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("`{text}` is no landscape: use one of {names}")
        })
    }
}

#[derive(Clone, Debug)]
pub struct Synthetic {
    knobs: Vec<Knob>,
    best: Setting,
    landscape: Landscape,
    /// The directions in which it loses on its own, as rows over the knobs, each as long
    /// as it matters.
    ways: Vec<Vec<f64>>,
    /// How a knob loses below and above its best value: the share and the power.
    sides: Vec<[(f64, f64); 2]>,
    scale: f64,
}

impl Synthetic {
    /// The program with `size` knobs that the seed determines.
    pub fn new(landscape: Landscape, size: usize, seed: u64) -> Self {
        let kind = Landscape::ALL
            .iter()
            .position(|it| *it == landscape)
            .unwrap_or(0);
        let mut rng = generator(seed, size as u32, kind as u32, Purpose::Start);
        let knobs: Vec<Knob> = (0..size)
            .map(|place| knob(landscape, place, &mut rng))
            .collect();
        // As likely above the start as below: were the start anywhere between the bounds,
        // half of what it loses would come back for nothing by a drift to their middle.
        let best = knobs.iter().map(|knob| {
            let room = knob.start.min(knob.high - knob.start);
            let off = 0.95 * (2.0 * rng.random::<f64>() - 1.0);
            let best = knob.hold(knob.start + off * room);
            // Never at a bound, where half of the hill would be missing.
            best.clamp(knob.low + 1.0, knob.high - 1.0)
        });
        let best = Setting(best.collect());
        let ways = ways(landscape, size, &mut rng);
        let sides = (0..size).map(|_| sides(landscape, &mut rng)).collect();
        let mut engine = Self {
            knobs,
            best,
            landscape,
            ways,
            sides,
            scale: 1.0,
        };
        // A start that happens to be the best one would make the scale infinite.
        if engine.start() == engine.best {
            let knob = &mut engine.knobs[0];
            knob.start = if knob.start > 0.0 {
                knob.start - 1.0
            } else {
                1.0
            };
        }
        let ceiling = landscape.ceiling();
        let wanted = ceiling * (libm::exp(START_REGRET / ceiling) - 1.0);
        engine.scale = wanted / engine.badness(&engine.start());
        engine
    }

    pub fn knobs(&self) -> &[Knob] {
        &self.knobs
    }

    pub fn start(&self) -> Setting {
        Setting(self.knobs.iter().map(|knob| knob.start).collect())
    }

    pub fn best(&self) -> &Setting {
        &self.best
    }

    /// How many Elo points a setting is below the best.
    pub fn regret(&self, setting: &Setting) -> f64 {
        let ceiling = self.landscape.ceiling();
        ceiling * libm::log1p(self.scale * self.badness(setting) / ceiling)
    }

    /// The loss before it is scaled and bent.
    fn badness(&self, setting: &Setting) -> f64 {
        let off = self.knobs.iter().zip(&self.sides).enumerate();
        let off = off.map(|(place, (knob, sides))| {
            let off = (setting.0[place] - self.best.0[place]) / (knob.high - knob.low);
            let (share, power) = sides[usize::from(off > 0.0)];
            // As far off as a parabola would have to be to lose as much.
            share * libm::copysign(libm::pow(off.abs(), power / 2.0), off)
        });
        let off: Vec<f64> = off.collect();
        let lost = self.ways.iter().map(|way| {
            let along: f64 = way.iter().zip(&off).map(|(part, off)| part * off).sum();
            along * along
        });
        lost.sum()
    }

    pub fn play(&self, duel: &Duel, rng: &mut ChaCha8Rng) -> Outcome {
        let ahead = self.regret(&duel.second) - self.regret(&duel.first);
        let mut pairs = Pairs::default();
        for _ in 0..duel.pairs {
            // Both get the same opening, each with either side once.
            let favour = FIRST_MOVE + OPENINGS * normal(rng);
            let halves = game(ahead + favour, rng) + game(ahead - favour, rng);
            pairs.0[halves] += 1;
        }
        Outcome::Played(pairs)
    }
}

/// Half points of a game between programs so far apart. Equal ones draw half of their
/// games.
fn game(elo: f64, rng: &mut ChaCha8Rng) -> usize {
    let score = elo_to_score(elo);
    (0..2).filter(|_| rng.random::<f64>() < score).count()
}

fn knob(landscape: Landscape, place: usize, rng: &mut ChaCha8Rng) -> Knob {
    let (least, most) = if landscape == Landscape::Coarse {
        (6, 24)
    } else {
        (100, 2000)
    };
    let high = rng.random_range(least..=most);
    let start = rng.random_range(high * 3 / 10..=high - high * 3 / 10);
    Knob::integer(format!("K{place}"), 0, high, start)
}

/// In which directions a program loses.
fn ways(landscape: Landscape, size: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let along = |place: usize, weight: f64| {
        let mut way = vec![0.0; size];
        way[place] = weight;
        way
    };
    match landscape {
        Landscape::Plain | Landscape::Coarse | Landscape::Crooked => (0..size)
            .map(|place| along(place, libm::exp(0.5 * normal(rng))))
            .collect(),
        Landscape::IllScaled => (0..size)
            .map(|place| along(place, libm::pow(1000.0, 0.5 * (rng.random::<f64>() - 0.5))))
            .collect(),
        Landscape::Correlated => {
            // Turned axes, of which the first matters 30 times as much as the last.
            let mut ways: Vec<Vec<f64>> = Vec::with_capacity(size);
            for place in 0..size {
                let mut way: Vec<f64> = (0..size).map(|_| normal(rng)).collect();
                for other in &ways {
                    let shadow: f64 = way.iter().zip(other).map(|(a, b)| a * b).sum();
                    let length: f64 = other.iter().map(|it| it * it).sum();
                    for (part, other) in way.iter_mut().zip(other) {
                        *part -= shadow / length * other;
                    }
                }
                let length = way.iter().map(|it| it * it).sum::<f64>().sqrt();
                let rank = place as f64 / (size.max(2) - 1) as f64;
                let weight = libm::pow(30.0, -0.5 * rank) / length;
                ways.push(way.iter().map(|it| weight * it).collect());
            }
            ways
        }
    }
}

/// How a knob loses on both sides of its best value.
fn sides(landscape: Landscape, rng: &mut ChaCha8Rng) -> [(f64, f64); 2] {
    if landscape != Landscape::Crooked {
        return [(1.0, 2.0); 2];
    }
    [(); 2].map(|()| (libm::exp(0.4 * normal(rng)), 1.5 + rng.random::<f64>()))
}
