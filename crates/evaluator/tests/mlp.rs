//! Networks of layers.

#![allow(clippy::float_cmp, reason = "equal means equal to the last bit")]

use mendel_board::sample::random_positions;
use mendel_board::{Color, Position};
use mendel_evaluator::mlp::{MOST, MlpCache, MlpShape, ONE};
use mendel_evaluator::{
    AnyEvaluator, Evaluator, EvaluatorError, Function, Input, Mlp, Silent, contract, cwu, features,
};
use toml::Table;

use crate::position;

/// Numbers within ±`size` that follow from a seed.
pub(crate) fn numbers(count: usize, seed: u32, size: i32) -> Vec<i32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((i64::from(state >> 8) * i64::from(2 * size + 1)) >> 24) as i32 - size
    };
    (0..count).map(|_| next()).collect()
}

pub(crate) fn mlp(shape: MlpShape, seed: u32) -> Mlp {
    // Raw values of pieces are a thousand times larger than ones.
    let size = match shape.input {
        Input::Paper => ONE / 200,
        _ => ONE / 2,
    };
    let numbers = numbers(shape.numbers(), seed, size);
    Mlp::new(shape, &numbers).expect("a network")
}

/// Networks of all kinds.
fn shapes() -> Vec<MlpShape> {
    let mut shapes = vec![
        MlpShape::paper(&[128]),
        MlpShape::paper(&[64, 64]),
        MlpShape::new(Input::Sides, &[32], Function::Relu),
        MlpShape::new(Input::Sides, &[17, 9], Function::Clipped),
        MlpShape::new(Input::Sides, &[64, 40, 8, 2], Function::Tanh),
        MlpShape::new(Input::Features, &[8], Function::Tanh),
        MlpShape::new(Input::Features, &[33, 5], Function::Gauss),
    ];
    shapes[2].biases = false;
    shapes[3].material = false;
    shapes[3].output = Function::Identity;
    shapes[4].scale = 20_000;
    shapes[5].biases = false;
    shapes
}

#[test]
fn every_network_keeps_the_laws() {
    for (seed, shape) in shapes().into_iter().enumerate() {
        let network = mlp(shape, seed as u32);
        let mut used = MlpCache::default();
        let mut said = std::collections::BTreeSet::new();
        for position in random_positions(31, 400) {
            contract::holds(&network, &position, &mut used);
            let output = network.output(&position, &mut used);
            said.insert(output.to_bits());
        }
        assert!(said.len() > 100, "{:?} says the same", network.shape());
    }
}

#[test]
fn exactly_the_networks_of_the_paper_see_colour() {
    for (seed, shape) in shapes().into_iter().enumerate() {
        let network = mlp(shape, seed as u32);
        let declared = network.sees_colour();
        assert_eq!(declared, network.shape().input == Input::Paper);
        let score = |it: &Position| network.evaluate(it, &mut MlpCache::default(), &mut Silent);
        let sees = random_positions(37, 50).any(|it| score(&it) != score(&it.mirrored()));
        assert_eq!(sees, declared, "{:?}", network.shape());
    }
}

#[test]
fn the_networks_of_the_paper_have_the_published_sizes() {
    let table: [(&[u32], usize); 2] = [(&[128], 8320), (&[64, 64], 8256)];
    for (hidden, weights) in table {
        let shape = MlpShape::paper(hidden);
        let biases = shape.neurons().iter().filter(|it| it.biased).count();
        assert_eq!((shape.numbers() - biases, biases), (weights, 128));
    }
}

/// A network as its definition has it, in double precision.
fn naive(network: &Mlp, position: &Position) -> f64 {
    let shape = network.shape();
    let mut values = inputs(shape.input, position, position.turn());
    let mut other = inputs(shape.input, position, !position.turn());
    let last = shape.layers.len() - 1;
    let layer = |at: usize, values: &[f64]| -> Vec<f64> {
        let neurons = shape.neurons();
        let neurons = neurons.iter().filter(|it| it.layer == at);
        let sum = |numbers: &[i32]| {
            let weighed = values.iter().zip(numbers).map(|(a, b)| a * f64::from(*b));
            let bias = numbers.get(values.len()).copied().unwrap_or(0);
            let sum = (weighed.sum::<f64>() + f64::from(bias)) / f64::from(ONE);
            f64::from(if at < last {
                shape.hidden.at(sum as f32)
            } else {
                shape.output.at(sum as f32)
            })
        };
        neurons
            .map(|it| sum(&network.numbers()[it.numbers.clone()]))
            .collect()
    };
    for at in 1..=last {
        values = layer(at, &values);
        if at == 1 && shape.input == Input::Sides {
            other = layer(at, &other);
            values.append(&mut other);
        }
    }
    values[0]
}

/// What a network sees, as `view` sees it where that matters.
pub(crate) fn inputs(input: Input, position: &Position, view: Color) -> Vec<f64> {
    const VALUES: [f64; 6] = [100.0, 320.0, 330.0, 500.0, 900.0, 10_000.0];
    let mut inputs = vec![0.0; input.count()];
    if input == Input::Features {
        return features::of(position).map(f64::from).to_vec();
    }
    if input == Input::Cwu {
        return cwu::normalised(position).map(f64::from).to_vec();
    }
    for (square, piece) in position.board() {
        let (square, role) = (square.to_usize(), piece.role as usize - 1);
        if input == Input::Paper {
            inputs[square] = piece.color.fold_wb(VALUES[role], -VALUES[role]);
        } else {
            let side = if piece.color == view { 0 } else { 6 };
            inputs[(side + role) * 64 + (square ^ view.fold_wb(0, 0o70))] = 1.0;
        }
    }
    inputs
}

#[test]
fn the_output_is_what_the_definition_says() {
    for (seed, shape) in shapes().into_iter().enumerate() {
        let network = mlp(shape, 100 + seed as u32);
        let mut memory = MlpCache::default();
        for position in random_positions(41, 60) {
            let exact = naive(&network, &position);
            let output = f64::from(network.output(&position, &mut memory));
            assert!(
                (exact - output).abs() < 1e-4 * exact.abs().max(1.0),
                "{:?} says {output} and not {exact} of {}",
                network.shape(),
                position.fen()
            );
        }
    }
}

#[test]
fn a_cache_shared_by_several_networks_does_not_change_outputs() {
    let networks: Vec<Mlp> = shapes().into_iter().map(|it| mlp(it, 7)).collect();
    let mut memory = MlpCache::default();
    for (at, position) in random_positions(43, 700).enumerate() {
        let network = &networks[at / 5 % networks.len()];
        let fresh = network.output(&position, &mut MlpCache::default());
        let without_cache = network.clone().without_cache();
        assert_eq!(network.output(&position, &mut memory), fresh);
        assert_eq!(without_cache.output(&position, &mut memory), fresh);
    }
}

#[test]
fn the_largest_numbers_break_nothing() {
    for shape in shapes() {
        let numbers: Vec<i32> = (0..shape.numbers())
            .map(|at| if at % 7 == 0 { -MOST } else { MOST })
            .collect();
        let wild = Mlp::new(shape, &numbers).expect("within the limit");
        let mut used = MlpCache::default();
        let crowds = [
            "qqqqkqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/8/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ b - - 0 1",
            "BNBNBNBN/NBNBNBNB/BNBNBNBN/8/8/8/8/k6K w - - 0 1",
        ];
        let crowds = crowds.map(position);
        for position in random_positions(47, 50).chain(crowds) {
            contract::holds(&wild, &position, &mut used);
        }
    }
}

#[test]
fn a_network_comes_back_from_its_file_and_its_weights() {
    for (seed, shape) in shapes().into_iter().enumerate() {
        let any = AnyEvaluator::Mlp(mlp(shape, seed as u32));
        assert_eq!(AnyEvaluator::from_toml(&any.to_toml()), Ok(any.clone()));

        let weights = any.weights();
        let names: std::collections::BTreeSet<_> = weights.iter().map(|it| &it.name).collect();
        assert_eq!(names.len(), weights.len());
        let mut values: Vec<i32> = weights.iter().map(|it| it.value).collect();
        assert_eq!(any.with_weights(&values), Ok(any.clone()));
        values[3] += 1;
        assert_ne!(any.with_weights(&values), Ok(any.clone()));
        assert_eq!(any.coefficients(&Position::initial()), None);
    }
}

#[test]
fn neurons_are_named_by_layer_place_and_input() {
    let any = AnyEvaluator::Mlp(mlp(MlpShape::new(Input::Sides, &[3], Function::Relu), 1));
    let names: Vec<String> = any.weights().into_iter().map(|it| it.name).collect();
    assert_eq!(names[28], "1.0.own-pawn-e4");
    assert_eq!(names[768], "1.0.bias");
    assert_eq!(names[769 + 767], "1.1.other-king-h8");
    assert_eq!(names.last().expect("names"), "2.0.5");
}

#[test]
fn an_explanation_has_material_and_the_network() {
    let paper = mlp(MlpShape::paper(&[128]), 3);
    let position = position("4k3/8/8/8/8/8/8/3QK3 b - - 0 1");
    let output = paper.output(&position, &mut MlpCache::default());
    let why = AnyEvaluator::Mlp(paper).explain(&position);
    let groups: Vec<&str> = why.groups().iter().map(|it| it.0).collect();
    assert_eq!(groups, ["material", "network"]);
    let network = libm::rintf(900.0 * output) as i32;
    assert_eq!(
        (why.white_score, why.score),
        (900 + network, -900 - network)
    );
}

/// A table that is in order, with one key replaced or removed.
fn read(key: &str, value: Option<&str>) -> Result<AnyEvaluator, EvaluatorError> {
    let shape = MlpShape::new(Input::Features, &[4], Function::Tanh);
    let mut table = AnyEvaluator::Mlp(mlp(shape, 1)).to_toml();
    match value {
        None => table.remove(key),
        Some(value) => {
            let parsed: Table = format!("value = {value}").parse().expect("TOML");
            table.insert(key.to_owned(), parsed["value"].clone())
        }
    };
    AnyEvaluator::from_toml(&table)
}

#[test]
fn a_bad_table_is_refused_with_the_reason() {
    let inputs = features::COUNT;
    let layers = format!("write [{inputs}, …, 1]");
    let cases = [
        (
            read("input", None),
            "`input` in [evaluator] of kind `mlp` is missing; write \"paper\"",
        ),
        (read("input", Some("\"side\"")), "is \"side\"; write"),
        (
            read("layers", None),
            "`layers` in [evaluator] of kind `mlp` is missing",
        ),
        (read("layers", Some("[]")), layers.as_str()),
        (read("layers", Some("[64, 4, 1]")), &layers),
        (read("layers", Some(&format!("[{inputs}, 4, 2]"))), &layers),
        (read("layers", Some(&format!("[{inputs}, 1]"))), &layers),
        (read("layers", Some(&format!("[{inputs}, 0, 1]"))), &layers),
        (
            read("layers", Some(&format!("[{inputs}, 4097, 1]"))),
            &layers,
        ),
        (
            read("layers", Some(&format!("[{inputs}, 1, 1, 1, 1, 1, 1]"))),
            &layers,
        ),
        (read("layers", Some("[-64, 4, 1]")), "is [-64, 4, 1]"),
        (read("layers", Some("7")), "a list such as"),
        (
            read("hidden", Some("\"tan\"")),
            "is \"tan\"; write \"identity\" or \"sigmoid\"",
        ),
        (
            read("output", Some("\"relu\"")),
            "is \"relu\"; write \"tanh\" or",
        ),
        (read("output", Some("3")), "is 3; write \"tanh\" or"),
        (
            read("biases", Some("1")),
            "`biases` in [evaluator] of kind `mlp` is 1; write true",
        ),
        (read("material", Some("\"yes\"")), "write true or false"),
        (
            read("scale", Some("0")),
            "`scale` in [evaluator] of kind `mlp` is 0",
        ),
        (read("scale", Some("1.5")), "is 1.5; write centipawns"),
        (
            read("scale", Some("9223372036854775807")),
            "from 1 to 20000",
        ),
        (
            read("numbers", None),
            "`numbers` in [evaluator] of kind `mlp` is missing",
        ),
        (read("numbers", Some("3")), "is 3; write 32-bit"),
        (read("numbers", Some("\"?\"")), "no Base64"),
        (read("numbers", Some("\"AAA=\"")), "no multiple of four"),
        (read("numbers", Some("\"AAAAAA==\"")), "weights, not 1"),
        (read("seed", Some("1")), "knows no `seed`"),
    ];
    for (result, expected) in cases {
        let message = result.expect_err(expected).to_string();
        assert!(message.contains(expected), "`{message}` lacks `{expected}`");
    }
    let shape = MlpShape::new(Input::Features, &[4], Function::Tanh);
    let mut numbers = vec![0; shape.numbers()];
    numbers[2] = i32::MIN;
    let error = Mlp::new(shape, &numbers)
        .expect_err("too large")
        .to_string();
    assert!(
        error.contains("number 2 (from 0) of kind `mlp` is -2147483648; keep it within ±262144"),
        "{error}"
    );
}
