//! What HyperNEAT and ES-HyperNEAT find, over many seeds.
//!
//! `cargo run --release -p mendel-evolve --example hyperneat -- TASK [SEEDS]` where the
//! task is one of
//!
//! * `empty`: how many first CPPNs paint a network at all on a board of eight by eight,
//!   by what they begin with and how they are looked at;
//! * `xor`: exclusive or from random CPPNs;
//! * `retina`: the left and right retina problem;
//! * `visual`: which of two boxes is the larger, bred on a field of seven by seven, then
//!   asked on larger ones without further breeding.

#![allow(clippy::print_stdout, reason = "an example may print")]

use mendel_evolve::hyperneat::{
    Census, Channels, Connect, CppnInputs, CppnLayout, EsHyperNeat, EsHyperNeatSettings,
    Expression, HyperNeat, HyperNeatSettings, OutputLinks, Phenotype, Point, Quadtree, Scale,
    Sheet, Substrate,
};
use mendel_evolve::{
    Breeder, Function, GenerationRequest, GenerationResult, Neat, NeatSettings, NetGenome, Run,
    SettingsError, Shape, StopRules, Trial,
};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let task = words.next().unwrap_or_default();
    let seeds = words.next().map_or(Ok(20), |count| count.parse::<u64>())?;
    match task.as_str() {
        "empty" => empty(),
        "xor" => xor(seeds),
        "retina" => retina(seeds),
        "visual" => visual(seeds),
        _ => Err(format!("`{task}` is no task: use empty, xor, retina or visual").into()),
    }
}

/// NEAT for CPPNs: the usual functions, ten species.
fn neat(population: usize) -> NeatSettings {
    NeatSettings {
        population,
        functions: vec![
            Function::BipolarSigmoid,
            Function::Gauss,
            Function::Sine,
            Function::Abs,
            Function::Identity,
        ],
        output: Some(Function::Tanh),
        ..NeatSettings::stanley_2004()
    }
}

// ---------------------------------------------------------------- how many are empty

fn empty() -> Result<(), Failure> {
    println!(
        "planes  begins with                     looked at                  empty (flat in, flat out)  hidden  links"
    );
    for planes in [1, 12] {
        for (name, quadtree, outputs) in looks() {
            let substrate = Substrate::boards((8, 8), planes, 0, Channels::One);
            let es = EsHyperNeat::new(es_settings(quadtree, outputs), substrate)?;
            for (start, generation) in starts(es.cppn())? {
                let members = generation.iter().map(|net| es.decode(net));
                let members = members.collect::<Result<Vec<Phenotype>, _>>()?;
                let census = Phenotype::census(&members);
                println!(
                    "{planes:6}  {start:30}  {name:25}  {:5.1} %  ({:3}, {:3} of {})  {:8.1}  {:8.1}",
                    100.0 * census.empty_share(),
                    census.flat_from_inputs,
                    census.flat_to_outputs,
                    census.members,
                    census.hidden,
                    census.links,
                );
            }
        }
    }
    Ok(())
}

/// Ways to look at a pattern.
fn looks() -> [(&'static str, Quadtree, OutputLinks); 4] {
    let each = OutputLinks::Each(Expression::Threshold {
        link: 0.2,
        weight: 3.0,
        scale: Scale::Relative,
    });
    let relative = Quadtree {
        scale: Scale::Relative,
        ..Quadtree::default()
    };
    [
        ("published", Quadtree::default(), OutputLinks::Quadtree),
        ("published, each to output", Quadtree::default(), each),
        ("relative", relative, OutputLinks::Quadtree),
        ("relative, each to output", relative, each),
    ]
}

/// First generations of two hundred: what evolution may begin with.
fn starts(layout: CppnLayout) -> Result<Vec<(&'static str, Vec<NetGenome>)>, Failure> {
    let sigmoid = NeatSettings {
        functions: vec![Function::Sigmoid],
        output: Some(Function::Sigmoid),
        ..neat(200)
    };
    let first = |settings: NeatSettings, (shape, start): (Shape, Vec<NetGenome>)| {
        let born = Neat::new(settings, shape, start, 1)?.ask();
        let genomes = born.into_iter().map(|born| born.genome);
        Ok::<Vec<NetGenome>, Failure>(genomes.collect())
    };
    let random = |hidden: u32| (layout.shape(hidden), Vec::new());
    let local = layout.local_founders(0.25, (200, 0.5), 1);
    Ok(vec![
        ("no hidden nodes, sigmoid", first(sigmoid, random(0))?),
        ("no hidden nodes, tanh", first(neat(200), random(0))?),
        ("six hidden, all functions", first(neat(200), random(6))?),
        ("a local seed", first(neat(200), local)?),
    ])
}

fn es_settings(quadtree: Quadtree, outputs: OutputLinks) -> EsHyperNeatSettings {
    EsHyperNeatSettings {
        quadtree,
        iterations: 1,
        weight: 3.0,
        leo: None,
        outputs,
        plane: [0.0; 2],
        recurrent: false,
        cppn: CppnInputs::default(),
        biases: false,
        hidden: Function::Tanh,
        output: Function::Tanh,
    }
}

// -------------------------------------------------------------------------- breeding

/// What one run came to.
struct Outcome {
    /// The generation, from 0, that solved it.
    solved: Option<u32>,
    best: f64,
    champion: NetGenome,
    /// The share of empty networks in the first generation and in all.
    empty: [f64; 2],
}

/// Breeds until the score is reached.
fn breed(
    decode: impl Fn(&NetGenome) -> Result<Phenotype, SettingsError>,
    neat: Neat,
    score: impl Fn(&mut Phenotype) -> f64,
    (target, generations): (f64, u32),
    seed: u64,
) -> Result<Outcome, Failure> {
    let stop = StopRules {
        generations: Some(generations),
        target: Some(target),
        ..StopRules::default()
    };
    let mut trial = Scores {
        decode,
        score,
        counts: Vec::new(),
        best: (f64::NEG_INFINITY, 0, NetGenome::default()),
    };
    Run::new(neat, stop, seed)?.finish(&mut trial)?;
    let all: usize = trial.counts.iter().map(|census| census.empty).sum();
    let members: usize = trial.counts.iter().map(|census| census.members).sum();
    let (best, generation, champion) = trial.best;
    Ok(Outcome {
        solved: (best >= target).then_some(generation),
        best,
        champion,
        empty: [
            trial.counts[0].empty_share(),
            all as f64 / members.max(1) as f64,
        ],
    })
}

/// Judges each network by itself, and counts the empty ones.
struct Scores<D, F> {
    decode: D,
    score: F,
    counts: Vec<Census>,
    /// The best score, its generation and its genome.
    best: (f64, u32, NetGenome),
}

impl<D, F> Trial<NetGenome> for Scores<D, F>
where
    D: Fn(&NetGenome) -> Result<Phenotype, SettingsError>,
    F: Fn(&mut Phenotype) -> f64,
{
    type Error = SettingsError;

    fn judge(
        &mut self,
        request: GenerationRequest<'_, NetGenome>,
    ) -> Result<GenerationResult, SettingsError> {
        let members = request.offspring.iter();
        let mut members: Vec<Phenotype> = members
            .map(|member| (self.decode)(&member.genome))
            .collect::<Result<_, _>>()?;
        self.counts.push(Phenotype::census(&members));
        let scores: Vec<f64> = members.iter_mut().map(|it| (self.score)(it)).collect();
        for (member, &score) in request.offspring.iter().zip(&scores) {
            if score > self.best.0 {
                self.best = (score, request.generation, member.genome.clone());
            }
        }
        Ok(GenerationResult::of(
            scores.into_iter().map(Into::into).collect(),
        ))
    }
}

fn tell(name: &str, outcomes: &[Outcome], population: usize) {
    let mut solved: Vec<u32> = outcomes.iter().filter_map(|it| it.solved).collect();
    solved.sort_unstable();
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    };
    let generations = mean(&mut solved.iter().map(|&it| f64::from(it + 1)));
    println!(
        "{name:44} solved {:3} of {:3}; generations: mean {:6.1}, median {:4}, evaluations {:8.0}; \
         best {:7.3}; empty at first {:4.1} %, in all {:4.1} %",
        solved.len(),
        outcomes.len(),
        generations,
        solved.get(solved.len() / 2).map_or(0, |it| it + 1),
        generations * population as f64,
        mean(&mut outcomes.iter().map(|it| it.best)),
        100.0 * mean(&mut outcomes.iter().map(|it| it.empty[0])),
        100.0 * mean(&mut outcomes.iter().map(|it| it.empty[1])),
    );
}

fn points(name: &str, places: &[[f64; 3]]) -> Vec<Sheet> {
    let point = |&[x, y, z]: &[f64; 3]| Point::at(x, y, z);
    vec![Sheet::new(name, places.iter().map(point).collect())]
}

// ------------------------------------------------------------------------------- xor

fn xor(seeds: u64) -> Result<(), Failure> {
    const POPULATION: usize = 150;
    let substrate = |hidden: Vec<Sheet>, channels| Substrate {
        axes: 2,
        inputs: points("in", &[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]]),
        hidden,
        outputs: points("out", &[[0.0, 1.0, 0.0]]),
        connect: Connect::Layered,
        channels,
    };
    let row = points(
        "hidden",
        &[[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
    );
    let fixed = HyperNeatSettings {
        expression: Expression::default(),
        cppn: CppnInputs::default(),
        biases: true,
        hidden: Function::SteepSigmoid,
        output: Function::SteepSigmoid,
    };
    let fixed = HyperNeat::new(fixed, substrate(row, Channels::One))?;
    let found = |quadtree: Quadtree, outputs: OutputLinks, channels| {
        let settings = EsHyperNeatSettings {
            biases: true,
            hidden: Function::SteepSigmoid,
            output: Function::SteepSigmoid,
            ..es_settings(quadtree, outputs)
        };
        EsHyperNeat::new(settings, substrate(Vec::new(), channels))
    };
    let new = |layout: CppnLayout, seed| Neat::new(neat(POPULATION), layout.shape(0), None, seed);
    let goal = (16.0, 300);

    let outcomes = (0..seeds).map(|seed| {
        breed(
            |it| fixed.decode(it),
            new(fixed.cppn(), seed)?,
            xor_score,
            goal,
            seed,
        )
    });
    tell(
        "HyperNEAT, three hidden nodes",
        &outcomes.collect::<Result<Vec<_>, _>>()?,
        POPULATION,
    );
    for channels in [Channels::One, Channels::Layers] {
        for (name, quadtree, outputs) in looks() {
            let es = found(quadtree, outputs, channels)?;
            let outcomes = (0..seeds).map(|seed| {
                breed(
                    |it| es.decode(it),
                    new(es.cppn(), seed)?,
                    xor_score,
                    goal,
                    seed,
                )
            });
            let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
            tell(&format!("ES {channels:?}, {name}"), &outcomes, POPULATION);
        }
    }
    Ok(())
}

/// The square of four less the errors, as for NEAT; 16 if all are on the right side.
fn xor_score(member: &mut Phenotype) -> f64 {
    let mut errors = 0.0;
    let mut right = true;
    for [one, other, wanted] in [
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
    ] {
        let mut output = [0.0];
        member.network.reset();
        member.network.run(&[one, other], &mut output);
        errors += f64::abs(wanted - output[0]);
        right &= f64::abs(wanted - output[0]) < 0.5;
    }
    if right {
        16.0
    } else {
        (4.0 - errors) * (4.0 - errors)
    }
}

// ---------------------------------------------------------------------------- retina

/// The problem of Kashtan and Alon in the form of Verbancsics and Stanley: two retinas of
/// two by two pixels, each with eight patterns of sixteen that are objects; two outputs
/// say which side has one.
fn retina(seeds: u64) -> Result<(), Failure> {
    const POPULATION: usize = 300;
    let side = [-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0];
    let pixel = |at: usize| [side[at % 4], if at < 4 { 1.0 } else { -1.0 }, -1.0];
    let pixels: Vec<[f64; 3]> = (0..8).map(pixel).collect();
    let hidden: Vec<[f64; 3]> = pixels.iter().map(|&[x, y, _]| [x, y, 0.0]).collect();
    let substrate = |hidden: Vec<Sheet>| Substrate {
        axes: 3,
        inputs: points("retina", &pixels),
        hidden,
        outputs: points("objects", &[[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]),
        connect: Connect::Layered,
        channels: Channels::One,
    };
    let fixed = |expression| {
        let settings = HyperNeatSettings {
            expression,
            cppn: CppnInputs::default(),
            biases: true,
            hidden: Function::Tanh,
            output: Function::Tanh,
        };
        HyperNeat::new(settings, substrate(points("hidden", &hidden)))
    };
    let leo = Expression::Leo {
        above: 0.0,
        weight: 3.0,
    };
    let goal = (1000.0, 300);

    // 1. HyperNEAT as first published.
    let hyper = fixed(Expression::default())?;
    let random = |seed| Neat::new(neat(POPULATION), hyper.cppn().shape(0), None, seed);
    let outcomes = (0..seeds).map(|seed| {
        breed(
            |it| hyper.decode(it),
            random(seed)?,
            retina_score,
            goal,
            seed,
        )
    });
    tell(
        "HyperNEAT",
        &outcomes.collect::<Result<Vec<_>, _>>()?,
        POPULATION,
    );

    // 2. With the link expression output, and a seed of locality.
    let hyper = fixed(leo)?;
    let local = |seed| {
        let (shape, founders) = hyper.cppn().local_founders(0.5, (POPULATION, 0.5), seed);
        Neat::new(neat(POPULATION), shape, founders, seed)
    };
    let outcomes = (0..seeds).map(|seed| {
        breed(
            |it| hyper.decode(it),
            local(seed)?,
            retina_score,
            goal,
            seed,
        )
    });
    tell(
        "HyperNEAT, link expression, local seed",
        &outcomes.collect::<Result<Vec<_>, _>>()?,
        POPULATION,
    );

    // 3. ES-HyperNEAT.
    for scale in [Scale::Absolute, Scale::Relative] {
        let quadtree = Quadtree {
            scale,
            ..Quadtree::default()
        };
        let settings = EsHyperNeatSettings {
            biases: true,
            ..es_settings(quadtree, OutputLinks::Quadtree)
        };
        let es = EsHyperNeat::new(settings, substrate(Vec::new()))?;
        let random = |seed| Neat::new(neat(POPULATION), es.cppn().shape(0), None, seed);
        let outcomes = (0..seeds)
            .map(|seed| breed(|it| es.decode(it), random(seed)?, retina_score, goal, seed));
        tell(
            &format!("ES-HyperNEAT, {scale:?}"),
            &outcomes.collect::<Result<Vec<_>, _>>()?,
            POPULATION,
        );
    }
    Ok(())
}

/// Whether the four pixels of a side are an object: three or more, or one or two in the
/// outer column only. Pixels are (outer, inner) of the upper row, then of the lower.
fn is_object([outer, inner, low_outer, low_inner]: [bool; 4]) -> bool {
    let count = [outer, inner, low_outer, low_inner]
        .iter()
        .filter(|&&on| on)
        .count();
    count >= 3 || (count > 0 && !inner && !low_inner)
}

/// 1000 / (1 + E²), with E the sum of errors over all 256 patterns; 1000 if all are on the
/// right side.
fn retina_score(member: &mut Phenotype) -> f64 {
    let (mut errors, mut right) = (0.0, 0);
    for pattern in 0..256_u32 {
        let on = |at: usize| pattern >> at & 1 == 1;
        let inputs: Vec<f64> = (0..8).map(|at| if on(at) { 3.0 } else { -3.0 }).collect();
        let sides = [[on(0), on(1), on(4), on(5)], [on(3), on(2), on(7), on(6)]];
        let mut outputs = [0.0; 2];
        member.network.reset();
        member.network.run(&inputs, &mut outputs);
        for (output, side) in outputs.into_iter().zip(sides) {
            let wanted = if is_object(side) { 1.0 } else { -1.0 };
            errors += f64::abs(wanted - output) / 2.0;
            right += u32::from(output * wanted > 0.0);
        }
    }
    if right == 512 {
        1000.0
    } else {
        1000.0 / (1.0 + errors * errors / 256.0)
    }
}

// ---------------------------------------------------------------------------- visual

fn visual(seeds: u64) -> Result<(), Failure> {
    const POPULATION: usize = 100;
    let hyper = field(7)?;
    let mut outcomes = Vec::new();
    for seed in 0..seeds {
        let neat = Neat::new(neat(POPULATION), hyper.cppn().shape(0), None, seed)?;
        let score = |member: &mut Phenotype| 100.0 / (1.0 + mean_distance(member, 7));
        outcomes.push(breed(
            |it| hyper.decode(it),
            neat,
            score,
            (100.0, 100),
            seed,
        )?);
    }
    tell("HyperNEAT, 7 by 7, perfect", &outcomes, POPULATION);
    for size in [7, 11, 15, 33] {
        let larger = field(size)?;
        let mut sum = 0.0;
        for outcome in &outcomes {
            sum += mean_distance(&mut larger.decode(&outcome.champion)?, size);
        }
        println!(
            "{size:3} by {size:<3} mean distance of the champions {:.3}",
            sum / seeds as f64
        );
    }
    Ok(())
}

/// Field and answer lie one above the other, with no hidden nodes between.
fn field(size: usize) -> Result<HyperNeat, Failure> {
    let settings = HyperNeatSettings {
        expression: Expression::default(),
        cppn: CppnInputs {
            differences: true,
            ..CppnInputs::default()
        },
        biases: false,
        hidden: Function::Tanh,
        output: Function::Identity,
    };
    let substrate = Substrate {
        axes: 2,
        inputs: vec![Sheet::grid("field", size, size, [0.0; 2])],
        hidden: Vec::new(),
        outputs: vec![Sheet::grid("answer", size, size, [0.0; 2])],
        connect: Connect::Layered,
        channels: Channels::One,
    };
    Ok(HyperNeat::new(settings, substrate)?)
}

/// How far the strongest answer lies from the middle of the larger box, on average. The
/// larger box is a third of the field's cells wide where the smaller is a ninth, both
/// rounded to odd numbers as the field grows; they do not overlap.
fn mean_distance(member: &mut Phenotype, size: usize) -> f64 {
    let half = ((size + 1) / 8).max(1);
    let small = half / 3;
    let span = size - 2 * half;
    let (mut sum, mut count) = (0.0, 0);
    let mut answers = vec![0.0; size * size];
    let step = span.div_ceil(5).max(1);
    for place in (0..span * span).step_by(step) {
        let (column, row) = (half + place % span, half + place / span);
        let (other_column, other_row) = ((column + size / 2) % size, (row + size / 2) % size);
        let mut inputs = vec![0.0; size * size];
        for y in 0..size {
            for x in 0..size {
                let in_large = x.abs_diff(column) <= half && y.abs_diff(row) <= half;
                let in_small = x.abs_diff(other_column) <= small && y.abs_diff(other_row) <= small;
                inputs[y * size + x] = f64::from(u8::from(in_large || in_small));
            }
        }
        member.network.run(&inputs, &mut answers);
        let mut best = 0;
        for at in 0..answers.len() {
            if answers[at] > answers[best] {
                best = at;
            }
        }
        let (x, y) = ((best % size) as f64, (best / size) as f64);
        let (off_x, off_y) = (x - column as f64, y - row as f64);
        sum += (off_x * off_x + off_y * off_y).sqrt();
        count += 1;
    }
    sum / f64::from(count)
}
