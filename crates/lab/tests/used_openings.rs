//! Which opening a pair of games of a tuning is played from.

use mendel_lab::tune::UsedOpenings;

#[test]
fn the_same_game_is_not_played_twice() {
    let mut used = UsedOpenings::new(3, true);
    let (one, other, third) = ([1, 2], [1, 3], [2, 2]);
    assert_eq!(used.opening(&one, &other, 4), Some(1));
    assert_eq!(used.opening(&other, &one, 4), Some(2), "it is in use");
    assert_eq!(used.opening(&one, &third, 4), Some(1), "others may");
    assert_eq!(used.opening(&one, &other, 0), Some(0));
    assert_eq!(used.opening(&one, &other, 0), None, "all are used up");
    assert_eq!(
        used.opening(&one, &one, 0),
        None,
        "it is as strong as itself"
    );
    assert_eq!(used.spared_games(), 4);
}

#[test]
fn with_a_clock_every_game_is_new() {
    let mut used = UsedOpenings::new(3, false);
    for number in 0..9 {
        let opening = used.opening(&[1], &[1], number);
        assert_eq!(opening, Some(number as usize % 3));
    }
    assert_eq!(used.spared_games(), 0);
}
