//! CPPNs that begin local, and a problem that is solved from random ones.

use mendel_evolve::hyperneat::{
    Channels, Cppn, CppnInputs, CppnLayout, EsHyperNeat, EsHyperNeatSettings, Expression,
    HyperNeat, HyperNeatSettings, OutputLinks, Pattern, Phenotype, Point, Quadtree, Scale, Sheet,
    Substrate,
};
use mendel_evolve::{
    Function, GenerationRequest, GenerationResult, Neat, NeatSettings, NetGenome, Run,
    SettingsError, StopRules, Stopped, Trial,
};

use super::{es_settings, flat, is};

#[test]
fn a_local_seed_paints_bells_and_expresses_what_is_near() {
    let mut substrate = Substrate::boards((8, 8), 2, 0, Channels::Layers);
    substrate.axes = 3;
    let settings = EsHyperNeatSettings {
        leo: Some(0.0),
        ..es_settings(Quadtree::default(), 1)
    };
    let es = EsHyperNeat::new(settings, substrate).expect("good settings");
    for one in [true, false] {
        let layout = CppnLayout {
            beside: CppnInputs {
                one,
                ..CppnInputs::default()
            },
            ..es.cppn()
        };
        let (shape, net) = layout.local(0.25);
        net.check(&shape).expect("a network of its shape");
        let mut cppn = Cppn::new(&net, layout).expect("a CPPN");
        let here = Point::at(0.125, -0.375, -1.0);
        let answer = |cppn: &mut Cppn, x: f64, y: f64| cppn.link(2, here, Point::at(x, y, 0.0));
        let same = answer(&mut cppn, 0.125, -0.375);
        assert!(is(same.weight, 1.0) && is(same.expression, 0.5), "{same:?}");
        // One cell beside: 1 + e^−1 − 1 and − 1.5.
        let beside = answer(&mut cppn, 0.375, -0.375);
        let bell = libm::exp(-1.0);
        assert!(is(beside.weight, bell) && is(beside.expression, bell - 0.5));
        let far = answer(&mut cppn, -0.875, 0.875);
        assert!(far.weight < -0.99 && far.expression < -0.99);
    }
    let (shape, founders) = es.cppn().local_founders(0.25, (10, 0.5), 7);
    assert!(founders.iter().all(|net| net.check(&shape).is_ok()));
    assert_eq!(founders[0], es.cppn().local(0.25).1);
    assert_ne!(founders[1], founders[2]);
    assert_eq!(founders, es.cppn().local_founders(0.25, (10, 0.5), 7).1);
}

/// Exclusive or: the square of four less the errors, or 16 if all are on the right side.
struct Xor<D>(D);

impl<D: Fn(&NetGenome) -> Phenotype> Trial<NetGenome> for Xor<D> {
    type Error = std::convert::Infallible;

    fn judge(
        &mut self,
        request: GenerationRequest<'_, NetGenome>,
    ) -> Result<GenerationResult, Self::Error> {
        let table = [
            [0.0, 0.0, 0.0],
            [0.0, 1.0, 1.0],
            [1.0, 0.0, 1.0],
            [1.0, 1.0, 0.0],
        ];
        let judged = request.offspring.iter().map(|member| {
            let mut network = (self.0)(&member.genome).network;
            let mut error = |[one, other, wanted]: [f64; 3]| {
                let mut output = [0.0];
                network.run(&[one, other], &mut output);
                (wanted - output[0]).abs()
            };
            let errors = table.map(&mut error);
            let left = 4.0 - errors.iter().sum::<f64>();
            let solved = errors.iter().all(|&error| error < 0.5);
            if solved { 16.0 } else { left * left }.into()
        });
        Ok(GenerationResult::of(judged.collect()))
    }
}

/// Whether exclusive or is solved from random CPPNs.
fn solves(
    decode: impl Fn(&NetGenome) -> Result<Phenotype, SettingsError>,
    layout: CppnLayout,
    seed: u64,
) -> bool {
    let settings = NeatSettings {
        population: 150,
        functions: vec![
            Function::BipolarSigmoid,
            Function::Gauss,
            Function::Sine,
            Function::Abs,
            Function::Identity,
        ],
        output: Some(Function::Tanh),
        ..NeatSettings::stanley_2004()
    };
    let neat = Neat::new(settings, layout.shape(0), None, seed).expect("good settings");
    let stop = StopRules {
        generations: Some(100),
        target: Some(16.0),
        ..StopRules::default()
    };
    let mut run = Run::new(neat, stop, seed).expect("a run that ends");
    let mut trial = Xor(|genome: &NetGenome| decode(genome).expect("a CPPN of the layout"));
    run.finish(&mut trial) == Ok(Stopped::Target)
}

#[test]
fn exclusive_or_is_solved_on_a_fixed_substrate() {
    let mut substrate = flat(&[(-1.0, -1.0), (1.0, -1.0)], &[(0.0, 1.0)]);
    let row = [-1.0, 0.0, 1.0].map(|x| Point::flat(x, 0.0));
    substrate.hidden = vec![Sheet::new("hidden", row.to_vec())];
    let settings = HyperNeatSettings {
        expression: Expression::default(),
        cppn: CppnInputs::default(),
        biases: true,
        hidden: Function::SteepSigmoid,
        output: Function::SteepSigmoid,
    };
    let hyper = HyperNeat::new(settings, substrate).expect("good settings");
    for seed in 0..5 {
        let solved = solves(|it| hyper.decode(it), hyper.cppn(), seed);
        assert!(solved, "seed {seed}");
    }
}

#[test]
fn exclusive_or_is_solved_with_hidden_nodes_that_are_found() {
    let quadtree = Quadtree {
        scale: Scale::Relative,
        ..Quadtree::default()
    };
    let settings = EsHyperNeatSettings {
        biases: true,
        hidden: Function::SteepSigmoid,
        output: Function::SteepSigmoid,
        outputs: OutputLinks::Each(Expression::default()),
        ..es_settings(quadtree, 1)
    };
    let mut substrate = flat(&[(-1.0, -1.0), (1.0, -1.0)], &[(0.0, 1.0)]);
    substrate.channels = Channels::Layers;
    let es = EsHyperNeat::new(settings, substrate).expect("good settings");
    for seed in 0..2 {
        let solved = solves(|it| es.decode(it), es.cppn(), seed);
        assert!(solved, "seed {seed}");
    }
}
