//! The training of the network beside the terms.

use mendel_data::{DataSet, Sample};
use mendel_engine::Player;
use mendel_evaluator::AnyEvaluator;
use mendel_fitness::nnue::{Epoch, Training, TrainingSettings};

fn terms() -> AnyEvaluator {
    Player::find("mendel-hand-set")
        .expect("it is built in")
        .evaluator
}

fn settings() -> TrainingSettings {
    TrainingSettings {
        epochs: 6,
        batch: 256,
        ..TrainingSettings::default()
    }
}

/// A training on some positions, the last fifth held out.
fn training(set: &DataSet, threads: usize) -> Training {
    let samples: Vec<&Sample> = set.samples.iter().take(20_000).collect();
    let (seen, held) = samples.split_at(16_000);
    Training::new(&terms(), None, seen, held, settings(), 9, threads)
}

fn epochs(training: &mut Training, from: u32, to: u32) -> Vec<Epoch> {
    (from..=to).map(|number| training.epoch(number)).collect()
}

#[test]
fn a_network_explains_what_the_terms_leave_over() {
    let set = DataSet::find("quiet-nnue").expect("it is built in");
    let mut training = training(&set, 2);
    let told = epochs(&mut training, 1, 6);
    let last = told.last().expect("six epochs");
    assert!(last.training < told[0].training, "{told:?}");
    assert!(
        last.holdout < training.before(),
        "it learned nothing that holds elsewhere: {} and {}",
        last.holdout,
        training.before()
    );
}

#[test]
fn a_training_is_the_same_on_any_number_of_threads_and_after_a_break() {
    let set = DataSet::find("quiet-nnue").expect("it is built in");
    let mut whole = training(&set, 1);
    let told = epochs(&mut whole, 1, 3);

    let mut first = training(&set, 3);
    let before = epochs(&mut first, 1, 2);
    assert_eq!(before[..], told[..2]);
    let saved = first.save(&before);
    let mut second = training(&set, 2);
    assert_eq!(second.restore(&saved), Some(before));
    assert_eq!(epochs(&mut second, 3, 3), told[2..]);
    assert_eq!(second.network(), whole.network());

    assert_eq!(second.restore(&saved[..saved.len() - 1]), None);
    assert_eq!(second.restore(b"nothing"), None);
    assert_eq!(second.network(), whole.network());
}
