//! Ratings of levels.

use mendel_lab::calibrate::isotonic;
use proptest::prelude::*;

#[test]
fn neighbours_in_the_wrong_order_get_their_mean() {
    let table = [
        (vec![1.0, 2.0, 3.0], vec![1.0, 2.0, 3.0]),
        (vec![1.0, 3.0, 2.0, 4.0], vec![1.0, 2.5, 2.5, 4.0]),
        (vec![3.0, 2.0, 1.0], vec![2.0, 2.0, 2.0]),
    ];
    for (values, wanted) in table {
        assert_eq!(isotonic(&values, &vec![1.0; values.len()]), wanted);
    }
    assert_eq!(isotonic(&[4.0, 0.0], &[3.0, 1.0]), [3.0, 3.0]);
}

proptest! {
    #[test]
    fn the_result_never_falls_and_keeps_the_mean(
        values in prop::collection::vec(-3000.0..3000.0_f64, 1..20),
    ) {
        let weights = vec![1.0; values.len()];
        let result = isotonic(&values, &weights);
        prop_assert_eq!(result.len(), values.len());
        prop_assert!(result.windows(2).all(|pair| pair[0] <= pair[1]));
        let (before, after): (f64, f64) = (values.iter().sum(), result.iter().sum());
        prop_assert!((before - after).abs() < 1e-6);
    }
}
