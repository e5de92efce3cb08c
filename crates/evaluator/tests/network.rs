//! The network beside the terms.

use std::sync::Arc;

use mendel_board::Position;
use mendel_board::sample::random_positions;
use mendel_evaluator::network::{HIDDEN, INPUTS, NnueCache, PIECES, Parameters};
use mendel_evaluator::{AnyEvaluator, Network, contract};

/// A network of numbers that follow from a seed.
fn network(seed: u32) -> Network {
    let mut state = seed;
    let mut next = |size: f32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 8) as f32 / (1 << 23) as f32 - 1.0) * size
    };
    let mut row = |size: f32| std::array::from_fn::<f32, HIDDEN, _>(|_| next(size));
    Network::round(&Parameters {
        first: (0..INPUTS).map(|_| row(0.2)).collect(),
        bias: row(0.5),
        out: [row(1.0), row(1.0)],
        out_bias: 0.05,
    })
}

#[test]
fn a_memory_changes_nothing() {
    let networks = [network(1), network(2)];
    let mut memory = NnueCache::default();
    let mut said = Vec::new();
    for (at, position) in random_positions(7, 300).enumerate() {
        // Also one that another network has used.
        let network = &networks[at / 10 % 2];
        let fresh = network.evaluate(&position, &mut NnueCache::default());
        let remembered = network.evaluate(&position, &mut memory);
        assert_eq!(remembered, fresh, "{}", position.fen());
        said.push(fresh);
    }
    said.sort_unstable();
    said.dedup();
    assert!(said.len() > 100, "it says the same of everything");
}

#[test]
fn the_laws_hold_with_a_network() {
    let judging = crate::classic().judging_with(Arc::new(network(3)));
    let mut used = mendel_evaluator::classic::Scratch::default();
    for position in random_positions(11, 200) {
        contract::holds(&judging, &position, &mut used);
    }
    let any = AnyEvaluator::Classic(judging);
    for position in random_positions(13, 100) {
        let row = any.coefficients(&position).expect("it is linear");
        assert_eq!(row.score(&any.pairs()), any.evaluate(&position));
    }
}

#[test]
fn a_network_survives_its_file_and_new_weights() {
    let judging = crate::classic().judging_with(Arc::new(network(4)));
    let any = AnyEvaluator::Classic(judging.clone());
    assert_eq!(AnyEvaluator::from_toml(&any.to_toml()), Ok(any.clone()));
    let mut values: Vec<i32> = any.weights().iter().map(|it| it.value).collect();
    values[0] += 1;
    let AnyEvaluator::Classic(other) = any.with_weights(&values).expect("they fit") else {
        panic!("another kind");
    };
    assert_eq!(other.network(), judging.network());
    let fixed: Vec<String> = any
        .weights()
        .into_iter()
        .filter(|it| it.fixed)
        .map(|it| it.name)
        .collect();
    assert_eq!(fixed, ["network.mg", "network.eg"]);
}

#[test]
fn what_is_no_network_is_refused() {
    let bytes = network(5).to_bytes();
    assert_eq!(bytes.len(), Network::BYTES);
    assert_eq!(Network::from_bytes(&bytes), Some(network(5)));
    assert_eq!(Network::from_bytes(&bytes[1..]), None);
    let mut loud = bytes.clone();
    let out = 2 * HIDDEN * (INPUTS + 1);
    loud[out..out + 2].copy_from_slice(&129_i16.to_le_bytes());
    assert_eq!(Network::from_bytes(&loud), None);
    let mut shifted = bytes;
    let end = shifted.len();
    shifted[end - 4..].copy_from_slice(&i32::MIN.to_le_bytes());
    assert_eq!(Network::from_bytes(&shifted), None);

    for text in ["", "AAAA", "no Base64 at all!"] {
        let mut table = crate::evaluator_table();
        table.insert("network".into(), text.into());
        let error = AnyEvaluator::from_toml(&table).expect_err(text).to_string();
        assert!(error.contains("no network"), "{error}");
    }
}

#[test]
fn training_sees_what_play_sees() {
    let network = network(6);
    let parameters = network.parameters();
    assert_eq!(Network::round(&parameters), network);
    for position in random_positions(17, 50) {
        let mut inputs = [[0; PIECES]; 2];
        let count = mendel_evaluator::network::inputs(&position, &mut inputs);
        let mut output = parameters.out_bias;
        for (inputs, out) in inputs.iter().zip(&parameters.out) {
            let mut layer = parameters.bias;
            for &input in &inputs[..count] {
                for (sum, weight) in layer.iter_mut().zip(&parameters.first[usize::from(input)]) {
                    *sum += weight;
                }
            }
            for (value, weight) in layer.iter().zip(out) {
                let cut = value.clamp(0.0, 1.0);
                output += cut * cut * weight;
            }
        }
        let exact = (output * mendel_evaluator::network::CENTIPAWNS).clamp(-3000.0, 3000.0);
        let whole = network.evaluate(&position, &mut NnueCache::default());
        assert!((exact - whole as f32).abs() <= 2.0, "{exact} and {whole}");
    }
}

#[test]
fn a_board_with_more_pieces_than_a_game_has_is_judged() {
    let network = network(7);
    let fen = "4k3/8/8/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNNN/4K3 w - - 0 1";
    let position = Position::from_fen(fen).expect("a legal position");
    let mut inputs = [[0; PIECES]; 2];
    assert_eq!(
        mendel_evaluator::network::inputs(&position, &mut inputs),
        34
    );
    let _ = network.evaluate(&position, &mut NnueCache::default());
}
