//! Evaluators in and out of player files.

use mendel_board::sample::random_positions;
use mendel_evaluator::classic::{COUNT, GROUPS, Scratch};
use mendel_evaluator::gerald::FEATURES;
use mendel_evaluator::{
    AnyEvaluator, Evaluator, EvaluatorError, Explanation, Gerald, LinearEvaluator, Material,
    Random, Silent,
};
use toml::{Table, Value};

use crate::{classic, evaluator_table, gerald};

fn read(text: &str) -> Result<AnyEvaluator, EvaluatorError> {
    AnyEvaluator::from_toml(&text.parse().expect("TOML"))
}

/// The table of the player `mendel` with one group of weights replaced.
fn with_group(name: &str, value: Option<&str>) -> Result<AnyEvaluator, EvaluatorError> {
    let mut table = evaluator_table();
    let weights = table["weights"].as_table_mut().expect("a table");
    match value {
        None => weights.remove(name),
        Some(value) => {
            let parsed: Table = format!("value = {value}").parse().expect("TOML");
            weights.insert(name.to_owned(), parsed["value"].clone())
        }
    };
    AnyEvaluator::from_toml(&table)
}

#[test]
fn every_evaluator_comes_back_from_its_table() {
    let every = [
        AnyEvaluator::Classic(classic()),
        AnyEvaluator::Gerald(gerald()),
        AnyEvaluator::Cwu(crate::cwu::cwu()),
        AnyEvaluator::Mlp(crate::cwu::hidden()),
        AnyEvaluator::Material(Material),
        AnyEvaluator::Random(Random::new(u64::MAX)),
    ];
    for evaluator in every {
        let text = evaluator.to_toml().to_string();
        assert_eq!(read(&text).as_ref(), Ok(&evaluator), "{text}");
    }
    assert_eq!(
        AnyEvaluator::Classic(classic()).to_toml(),
        evaluator_table()
    );
}

#[test]
fn groups_follow_each_other_without_gaps() {
    let mut next = 0;
    for group in GROUPS {
        assert_eq!(group.first, next, "{}", group.name);
        assert!(group.about().ends_with('.'), "{}", group.name);
        next += group.length;
    }
    assert_eq!(next, COUNT);
    assert_eq!(classic().terms().len(), COUNT);
}

#[test]
fn a_bad_table_is_refused_with_the_reason() {
    let cases = [
        (read(""), "has no `kind`"),
        (read("kind = 3"), "has no `kind`"),
        (read("kind = \"clasic\""), "`clasic`; there are \"classic\""),
        (read("kind = \"material\"\nseed = 1"), "knows no `seed`"),
        (
            read("kind = \"random\""),
            "`seed` in [evaluator] of kind `random` is missing",
        ),
        (
            read("kind = \"random\"\nseed = -1"),
            "`seed` in [evaluator] of kind `random` is -1",
        ),
        (read("kind = \"classic\""), "[evaluator.weights]"),
        (
            with_group("tempo", None),
            "lacks the group `tempo`; add 1 pairs",
        ),
        (
            with_group("temper", Some("[[1, 1]]")),
            "no group `temper`; did you mean `tempo`",
        ),
        (
            with_group("tempo", Some("[[1, 1], [2, 2]]")),
            "`tempo` in [evaluator.weights] needs 1 pairs [middle game, end game]; found 2",
        ),
        (with_group("tempo", Some("7")), "found 7"),
        (with_group("tempo", Some("[[1, 2, 3]]")), "found [1, 2, 3]"),
        (with_group("tempo", Some("[[1.5, 2]]")), "found [1.5, 2]"),
        (
            with_group("tempo", Some("[[1, 2001]]")),
            "holds 2001 at index 0; keep it within ±2000",
        ),
        (
            with_group("tempo", Some("[[-9223372036854775808, 0]]")),
            "within ±2000",
        ),
        (
            with_group(
                "material",
                Some("[[1, 1], [1, 1], [1, 1], [1, 1], [3001, 1]]"),
            ),
            "holds 3001 at index 4",
        ),
    ];
    for (result, expected) in cases {
        let message = result.expect_err(expected).to_string();
        assert!(message.contains(expected), "`{message}` lacks `{expected}`");
    }
    assert!(
        with_group(
            "material",
            Some("[[1, 1], [1, 1], [1, 1], [1, 1], [3000, -3000]]")
        )
        .is_ok()
    );
}

/// The player `gerald-base` with one weight replaced.
fn with_weight(name: &str, value: Option<&str>) -> Result<AnyEvaluator, EvaluatorError> {
    let mut table = AnyEvaluator::Gerald(gerald()).to_toml();
    let weights = table["weights"].as_table_mut().expect("a table");
    match value {
        None => weights.remove(name),
        Some(value) => {
            let parsed: Table = format!("value = {value}").parse().expect("TOML");
            weights.insert(name.to_owned(), parsed["value"].clone())
        }
    };
    AnyEvaluator::from_toml(&table)
}

#[test]
fn a_bad_weight_of_a_paper_is_refused_with_the_reason() {
    let cases = [
        (
            read("kind = \"gerald\""),
            "`gerald` needs the table [evaluator.weights]",
        ),
        (
            with_weight("bishop_pear", Some("[1, 1]")),
            "kind `gerald` knows no `bishop_pear`; did you mean `bishop_pair`?",
        ),
        (
            with_weight("bishop_pair", None),
            "lacks `bishop_pair`; add bishop_pair = [middle game, end game]",
        ),
        (
            with_weight("bishop_pair", Some("7")),
            "`bishop_pair` in [evaluator.weights] is 7; write bishop_pair = [",
        ),
        (
            with_weight("bishop_pair", Some("[1, 2, 3]")),
            "is [1, 2, 3]",
        ),
        (with_weight("bishop_pair", Some("[1, 2.5]")), "is [1, 2.5]"),
        (
            with_weight("bishop_pair", Some("[1, -2001]")),
            "`bishop_pair` in [evaluator.weights] holds -2001; keep it within ±2000",
        ),
        (
            with_weight("queen", Some("[9223372036854775807, 1]")),
            "within ±3000",
        ),
    ];
    for (result, expected) in cases {
        let message = result.expect_err(expected).to_string();
        assert!(message.contains(expected), "`{message}` lacks `{expected}`");
    }
    assert!(with_weight("queen", Some("[3000, -3000]")).is_ok());
}

#[test]
fn the_largest_weights_there_may_be_break_nothing() {
    let mut table = evaluator_table();
    let weights = table["weights"].as_table_mut().expect("a table");
    for group in GROUPS {
        let pair = Value::Array(vec![Value::from(group.limit), Value::from(-group.limit)]);
        weights.insert(
            group.name.to_owned(),
            Value::Array(vec![pair; group.length]),
        );
    }
    let Ok(AnyEvaluator::Classic(wild)) = AnyEvaluator::from_toml(&table) else {
        panic!("the weights are within the limits");
    };
    let mut used = Scratch::default();
    let pairs: Vec<[i32; 2]> = FEATURES
        .iter()
        .map(|feature| [feature.limit, -feature.limit])
        .collect();
    let paper = LinearEvaluator::<Gerald>::from_pairs(&pairs).expect("within the limits");
    for position in random_positions(3, 500) {
        mendel_evaluator::contract::holds(&wild, &position, &mut used);
        mendel_evaluator::contract::holds(&paper, &position, &mut ());
    }
    for fen in [
        "qqqqkqqq/qqqqqqqq/8/8/8/8/4P3/4K3 b - - 0 1",
        "BNBNBNBN/NBNBNBNB/BNBNBNBN/8/8/8/8/k6K w - - 0 1",
    ] {
        mendel_evaluator::contract::holds(&wild, &crate::position(fen), &mut used);
        mendel_evaluator::contract::holds(&paper, &crate::position(fen), &mut ());
    }
}

#[test]
fn a_scratch_used_by_another_evaluator_changes_no_score() {
    let Ok(AnyEvaluator::Classic(other)) =
        with_group("pawn_isolated", Some("[[-99, -99], [99, 99]]"))
    else {
        panic!("the weights are within the limits");
    };
    let ours = classic();
    let mut shared = Scratch::default();
    let mut differ = 0;
    for position in random_positions(5, 300) {
        let theirs = other.evaluate(&position, &mut shared, &mut Silent);
        let score = ours.evaluate(&position, &mut shared, &mut Silent);
        assert_eq!(
            score,
            ours.evaluate(&position, &mut Scratch::default(), &mut Silent)
        );
        differ += usize::from(score != theirs);
    }
    assert!(differ > 100, "the two evaluators hardly differ");
}

#[test]
fn an_explanation_is_about_white_and_survives_json_like_formats() {
    let fen = "4k3/8/8/8/8/8/8/3QK3 b - - 0 1";
    let why = AnyEvaluator::Material(Material).explain(&crate::position(fen));
    assert_eq!((why.white_score, why.score), (900, -900));
    assert_eq!(why.rows.len(), 1);
    assert_eq!(why.rows[0].contribution.to_string(), "900.00");
    assert_eq!(why.groups()[0].0, "material");

    let text = toml::to_string(&why).expect("an explanation is plain data");
    let again: Explanation = toml::from_str(&text).expect("what was written can be read");
    assert_eq!(again, why);
}

#[test]
fn the_dice_of_two_seeds_differ_and_stay_small() {
    let (one, two) = (Random::new(1), Random::new(2));
    let mut differ = 0;
    for position in random_positions(9, 100) {
        let score = one.evaluate(&position, &mut (), &mut Silent);
        assert!(score.0.abs() <= Random::RANGE);
        differ += usize::from(score != two.evaluate(&position, &mut (), &mut Silent));
    }
    assert!(differ > 90);
}
