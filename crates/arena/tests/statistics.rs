//! The statistics against values computed by other means, and their laws.
//!
//! The values in `reference/` were written by `tools/reference_statistics.py`.

use mendel_arena::Side;
use mendel_arena::statistics::{
    Anchor, CrossTable, Decision, EloEstimate, EloModel, Meeting, Outcomes, Points, Score, Sprt,
    StatisticsError, Tally, elo_to_score,
};
use proptest::prelude::*;
use serde::Deserialize;

fn outcomes(counts: &[u64]) -> Outcomes {
    match counts.len() {
        5 => Outcomes::Pairs(counts.try_into().expect("five")),
        3 => Outcomes::Games(counts.try_into().expect("three")),
        _ => panic!("{counts:?} are neither pairs nor games"),
    }
}

/// Equal to one part in a million; errors are counted from 1 on.
#[track_caller]
fn assert_close(what: &str, found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-6 * expected.abs().max(1.0),
        "{what}: {found}, but {expected} is expected"
    );
}

#[track_caller]
fn assert_same(what: &str, found: Option<f64>, expected: Option<f64>) {
    match (found, expected) {
        (Some(found), Some(expected)) => assert_close(what, found, expected),
        _ => assert_eq!(found, expected, "{what}"),
    }
}

#[derive(Deserialize)]
struct EloRow {
    counts: Vec<u64>,
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    normalized: Option<f64>,
    normalized_error: Option<f64>,
    superiority: f64,
}

#[test]
fn elo_agrees_with_the_reference() {
    let rows: Vec<EloRow> =
        serde_json::from_str(include_str!("reference/elo.json")).expect("a table");
    assert!(rows.len() >= 40);
    for row in rows {
        let found = EloEstimate::of(&outcomes(&row.counts));
        let what = |name: &str| format!("{name} of {:?}", row.counts);
        assert_same(&what("elo"), found.elo, row.elo);
        assert_same(&what("low"), found.low, row.low);
        assert_same(&what("high"), found.high, row.high);
        let error = row.low.zip(row.high).map(|(low, high)| (high - low) / 2.0);
        assert_same(&what("error"), found.error, error);
        assert_same(&what("nElo"), found.normalized, row.normalized);
        assert_same(
            &what("its error"),
            found.normalized_error,
            row.normalized_error,
        );
        assert_close(&what("superiority"), found.superiority, row.superiority);
    }
}

#[derive(Deserialize)]
struct SprtRow {
    counts: Vec<u64>,
    model: EloModel,
    elo0: f64,
    elo1: f64,
    llr: f64,
}

#[test]
fn the_likelihood_ratio_agrees_with_the_reference() {
    let rows: Vec<SprtRow> =
        serde_json::from_str(include_str!("reference/sprt.json")).expect("a table");
    assert!(rows.len() >= 400);
    for row in rows {
        let sprt = Sprt::new(row.model, row.elo0, row.elo1, 0.05, 0.05).expect("bounds");
        let state = sprt.judge(&outcomes(&row.counts));
        let what = format!(
            "LLR of {:?}, {:?} {},{}",
            row.counts, row.model, row.elo0, row.elo1
        );
        assert_close(&what, state.llr, row.llr);
    }
}

/// What fastchess prints for matches in which everything happened (its
/// `app/tests/sprt_test.cpp`, two decimals, within 1 %).
#[test]
fn the_likelihood_ratio_agrees_with_fastchess() {
    use EloModel::{Logistic, Normalized};
    for (counts, model, elo0, elo1, llr) in [
        (&[36027, 68692, 36433][..], Normalized, 0.0, 2.0, 0.92),
        (&[10650, 20431, 10871], Normalized, -1.75, 0.25, 2.30),
        (&[21184, 40708, 21404], Logistic, 0.5, 2.5, -1.57),
        (&[57030, 106_593, 57433], Logistic, 0.0, 2.0, -2.59),
        (&[365, 16618, 36229, 16974, 390], Normalized, 0.0, 2.0, 2.25),
        (
            &[127, 4883, 10712, 5150, 104],
            Normalized,
            -1.75,
            0.25,
            3.01,
        ),
        (&[223, 9863, 21279, 10037, 246], Logistic, 0.5, 2.5, -3.07),
        (&[871, 26175, 55983, 26678, 821], Logistic, 0.0, 2.0, -4.98),
    ] {
        let sprt = Sprt::new(model, elo0, elo1, 0.05, 0.05).expect("bounds");
        let found = sprt.judge(&outcomes(counts)).llr;
        assert!(
            (found - llr).abs() <= 0.01 * (1.0 + llr.abs()),
            "{counts:?}: {found}, but {llr} is expected"
        );
    }
}

#[derive(Deserialize)]
struct PoolRow {
    players: usize,
    tallies: Vec<(usize, usize, u64, u64, u64)>,
    prior_games: f64,
    anchor: Option<(usize, f64)>,
    ratings: Vec<f64>,
    errors: Vec<f64>,
}

/// A table of this many games, without playing millions of them one by one.
fn cross_table(players: usize, tallies: &[(usize, usize, u64, u64, u64)]) -> CrossTable {
    let mut table = CrossTable::new(players);
    for &(white, black, wins, draws, losses) in tallies {
        for (points, count) in [
            (Points::Win, wins),
            (Points::Draw, draws),
            (Points::Loss, losses),
        ] {
            let game = Meeting {
                pair: 0,
                white,
                black,
                points,
            };
            for _ in 0..count {
                table.count(&game).expect("players of the pool");
            }
        }
    }
    table
}

#[test]
fn ratings_agree_with_the_reference() {
    let rows: Vec<PoolRow> =
        serde_json::from_str(include_str!("reference/ratings.json")).expect("a table");
    assert!(rows.len() >= 14);
    for row in rows {
        let anchor = row.anchor.map(|(player, rating)| Anchor { player, rating });
        let found = cross_table(row.players, &row.tallies)
            .ratings(anchor)
            .expect("an anchor of the pool");
        assert_close("prior", found.prior_games, row.prior_games);
        for rating in found.ratings {
            let what = format!("player {} of {:?}", rating.player, row.tallies);
            assert_same(&what, rating.rating, Some(row.ratings[rating.player]));
            assert_same(&what, rating.error, Some(row.errors[rating.player]));
        }
    }
}

#[test]
fn nothing_played_proves_nothing() {
    for nothing in [Outcomes::Pairs([0; 5]), Outcomes::Games([0; 3])] {
        let elo = EloEstimate::of(&nothing);
        let none = EloEstimate {
            superiority: 0.5,
            ..EloEstimate::default()
        };
        assert_eq!(elo, none);
        let sprt = Sprt::new(EloModel::Normalized, 0.0, 5.0, 0.05, 0.05).expect("bounds");
        let state = sprt.judge(&nothing);
        assert!(state.llr.abs() < 1e-300);
        assert_eq!(state.decision, Decision::Continue);
        assert_eq!(state.games_left, None);
    }
    for players in 0..3 {
        let ratings = CrossTable::new(players).ratings(None).expect("no anchor");
        assert_eq!(ratings.ratings.len(), players);
        assert!(ratings.ratings.iter().all(|rating| rating.rating.is_none()));
    }
}

#[test]
fn a_test_stops_at_its_bounds() {
    let sprt = Sprt::new(EloModel::Normalized, 0.0, 5.0, 0.05, 0.05).expect("bounds");
    let (lower, upper) = sprt.llr_bounds();
    assert_close("lower", lower, -2.944_438_979_166_44);
    assert_close("upper", upper, 2.944_438_979_166_44);
    let decision = |counts| sprt.judge(&Outcomes::Pairs(counts)).decision;
    assert_eq!(decision([100, 500, 1000, 500, 100]), Decision::Continue);
    assert_eq!(decision([1000, 5000, 10000, 5000, 1000]), Decision::H0);
    assert_eq!(decision([1000, 5000, 10000, 5600, 1100]), Decision::H1);
}

#[test]
fn bounds_that_make_no_test_are_refused() {
    let sprt = |elo0, elo1, alpha, beta| Sprt::new(EloModel::Logistic, elo0, elo1, alpha, beta);
    for (elo0, elo1) in [
        (5.0, 0.0),
        (1.0, 1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
        (-2000.0, 0.0),
    ] {
        let error = sprt(elo0, elo1, 0.05, 0.05).expect_err("no bounds");
        assert!(matches!(error, StatisticsError::Bounds { .. }), "{error}");
    }
    for chance in [0.0, 0.5, -0.1, 1.0, f64::NAN] {
        let error = sprt(0.0, 1.0, chance, 0.05).expect_err("no chance");
        assert!(error.to_string().contains("alpha"), "{error}");
        let error = sprt(0.0, 1.0, 0.05, chance).expect_err("no chance");
        assert!(error.to_string().contains("beta"), "{error}");
    }
}

/// Pairs come in any order, are open for a while, and are counted by colour.
#[test]
fn a_score_counts_games_by_colour_and_in_pairs() {
    let mut score = Score::default();
    score.count(1, Side::White, Points::Win);
    score.count(0, Side::Black, Points::Loss);
    assert_eq!((score.pairs, score.unpaired()), ([0; 5], 2));
    assert_eq!(score.outcomes(), Outcomes::Games([1, 0, 1]));
    assert_eq!(score.estimated(), score.total());
    score.count(0, Side::White, Points::Draw);
    assert_eq!((score.pairs, score.unpaired()), ([0, 1, 0, 0, 0], 1));
    assert_eq!(score.outcomes(), Outcomes::Pairs([0, 1, 0, 0, 0]));
    let whole = Tally {
        wins: 0,
        draws: 1,
        losses: 1,
    };
    assert_eq!(
        score.estimated(),
        whole,
        "the game that is open is left out"
    );
    score.count(1, Side::Black, Points::Win);
    assert_eq!((score.pairs, score.unpaired()), ([0, 1, 0, 0, 1], 0));
    assert_eq!((score.white.games(), score.black.games()), (2, 2));
    assert_eq!(score.total().ratio(), Some(0.625));
    assert_eq!(score.total().draw_ratio(), Some(0.25));
}

#[test]
fn a_list_of_games_is_counted_for_each_player() {
    let game = |pair, white, black, points| Meeting {
        pair,
        white,
        black,
        points,
    };
    let games = [
        game(0, 0, 1, Points::Win),
        game(0, 1, 0, Points::Draw),
        game(1, 0, 2, Points::Loss),
        game(1, 2, 0, Points::Loss),
        game(2, 1, 2, Points::Draw),
        game(3, 1, 1, Points::Win),
    ];
    assert_eq!(Score::of(0, Some(1), &games).pairs, [0, 0, 0, 1, 0]);
    assert_eq!(Score::of(1, Some(0), &games).pairs, [0, 1, 0, 0, 0]);
    assert_eq!(Score::of(0, None, &games).pairs, [0, 0, 1, 1, 0]);
    assert_eq!(Score::of(2, None, &games).total().games(), 3);
    assert_eq!(Score::of(1, None, &games).unpaired(), 1);
    assert!(CrossTable::of(2, &games).is_err(), "there is no player 2");
}

/// Two players' ratings differ by the Elo of their score.
#[test]
fn a_pool_of_two_is_a_match() {
    let table = cross_table(2, &[(0, 1, 31, 40, 22)]);
    let ratings = table.ratings(None).expect("no anchor").ratings;
    let difference = ratings[0].rating.expect("played") - ratings[1].rating.expect("played");
    let elo = EloEstimate::of(&Outcomes::Games([22, 40, 31])).elo;
    assert_same("difference", Some(difference), elo);
    assert_close("score", elo_to_score(difference), 51.0 / 93.0);
}

#[test]
fn a_player_without_games_has_no_rating_and_changes_none() {
    let few = cross_table(2, &[(0, 1, 3, 2, 1)])
        .ratings(None)
        .expect("ratings");
    let more = cross_table(3, &[(0, 2, 3, 2, 1)]);
    for anchor in [
        None,
        Some(Anchor {
            player: 1,
            rating: 9.0,
        }),
    ] {
        let more = more.ratings(anchor).expect("ratings");
        assert_eq!(
            more.anchor, None,
            "an anchor that has not played fixes no rating"
        );
        assert_eq!(more.ratings[1].rating, None);
        assert_same("first", more.ratings[0].rating, few.ratings[0].rating);
        assert_same("last", more.ratings[2].error, few.ratings[1].error);
    }
    assert!(
        more.ratings(Some(Anchor {
            player: 3,
            rating: 0.0
        }))
        .is_err()
    );
    assert!(
        more.ratings(Some(Anchor {
            player: 0,
            rating: f64::NAN
        }))
        .is_err()
    );
}

/// Counts of any size, with many zeros.
fn any_count() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0_u64..10, 0_u64..2000, 0_u64..=10_000_000]
}

fn any_outcomes() -> impl Strategy<Value = Outcomes> {
    prop_oneof![
        prop::array::uniform5(any_count()).prop_map(Outcomes::Pairs),
        prop::array::uniform3(any_count()).prop_map(Outcomes::Games),
    ]
}

fn any_model() -> impl Strategy<Value = EloModel> {
    prop_oneof![Just(EloModel::Normalized), Just(EloModel::Logistic)]
}

fn is_close(a: Option<f64>, b: Option<f64>, slack: f64) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= slack * (1.0 + a.abs() + b.abs()),
        _ => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// No counts give a NaN, an infinity, or an interval without its estimate.
    #[test]
    fn every_sample_has_an_estimate(outcomes in any_outcomes()) {
        let elo = EloEstimate::of(&outcomes);
        for number in [elo.elo, elo.low, elo.high, elo.error, elo.normalized, elo.normalized_error] {
            prop_assert!(number.is_none_or(f64::is_finite), "{elo:?}");
        }
        prop_assert!((0.0..=1.0).contains(&elo.superiority), "{elo:?}");
        if let (Some(low), Some(value)) = (elo.low, elo.elo) {
            prop_assert!(low <= value, "{elo:?}");
        }
        if let (Some(value), Some(high)) = (elo.elo, elo.high) {
            prop_assert!(value <= high, "{elo:?}");
        }
        let counts = outcomes.counts();
        let total: u64 = counts.iter().sum();
        prop_assert_eq!(elo.low.is_none(), counts[0] == total);
        prop_assert_eq!(elo.high.is_none(), counts[counts.len() - 1] == total);
    }

    /// The interval excludes zero exactly when superiority passes 97.5 %.
    #[test]
    fn interval_and_superiority_agree(outcomes in any_outcomes()) {
        let elo = EloEstimate::of(&outcomes);
        if (elo.superiority - 0.975).abs() > 1e-9 {
            prop_assert_eq!(elo.low.is_some_and(|low| low > 0.0), elo.superiority > 0.975);
        }
    }

    #[test]
    fn the_other_player_sees_the_opposite(outcomes in any_outcomes()) {
        let (one, other) = (EloEstimate::of(&outcomes), EloEstimate::of(&outcomes.reversed()));
        let minus = |x: Option<f64>| x.map(|x| -x);
        prop_assert!(is_close(one.elo, minus(other.elo), 1e-9), "{one:?} {other:?}");
        prop_assert!(is_close(one.low, minus(other.high), 1e-9), "{one:?} {other:?}");
        prop_assert!(is_close(one.error, other.error, 1e-9), "{one:?} {other:?}");
        prop_assert!(is_close(one.normalized, minus(other.normalized), 1e-9), "{one:?} {other:?}");
        prop_assert!(is_close(one.normalized_error, other.normalized_error, 1e-6), "{one:?} {other:?}");
        prop_assert!((one.superiority + other.superiority - 1.0).abs() < 1e-9, "{one:?} {other:?}");
    }

    /// One outcome turned into the next better one: nothing gets worse.
    #[test]
    fn a_better_result_is_never_worth_less(outcomes in any_outcomes(), at in 0_usize..4) {
        let mut better = outcomes;
        let counts: &mut [u64] = match &mut better {
            Outcomes::Pairs(counts) => counts,
            Outcomes::Games(counts) => counts,
        };
        prop_assume!(at + 1 < counts.len() && counts[at] > 0);
        counts[at] -= 1;
        counts[at + 1] += 1;
        let (old, new) = (EloEstimate::of(&outcomes), EloEstimate::of(&better));
        let least = |x: Option<f64>| x.unwrap_or(f64::NEG_INFINITY);
        let most = |x: Option<f64>| x.unwrap_or(f64::INFINITY);
        prop_assert!(least(old.low) <= least(new.low) + 1e-9, "{old:?} {new:?}");
        prop_assert!(most(old.high) <= most(new.high) + 1e-9, "{old:?} {new:?}");
        prop_assert!(old.superiority <= new.superiority + 1e-12, "{old:?} {new:?}");
        let sprt = Sprt::new(EloModel::Logistic, -3.0, 7.0, 0.05, 0.05).expect("bounds");
        let (old, new) = (sprt.judge(&outcomes), sprt.judge(&better));
        prop_assert!(old.llr <= new.llr + 1e-7, "{old:?} {new:?}");
    }

    #[test]
    fn every_sample_has_a_likelihood_ratio(
        outcomes in any_outcomes(),
        model in any_model(),
        elo0 in -1000.0..999.0_f64,
        width in prop_oneof![0.001..10.0_f64, 0.001..1000.0],
    ) {
        let elo1 = (elo0 + width).min(1000.0);
        let sprt = Sprt::new(model, elo0, elo1, 0.05, 0.05).expect("bounds");
        let state = sprt.judge(&outcomes);
        prop_assert!(state.llr.is_finite(), "{state:?}");
        prop_assert!(state.games_left.is_none_or(|left| left.is_finite() && left >= 0.0), "{state:?}");
        prop_assert_eq!(state.decision == Decision::H1, state.llr >= state.upper);
        prop_assert_eq!(state.decision == Decision::H0, state.llr <= state.lower);
        let other = Sprt::new(model, -elo1, -elo0, 0.05, 0.05).expect("bounds");
        let mirrored = other.judge(&outcomes.reversed());
        prop_assert!(
            (state.llr + mirrored.llr).abs() <= 1e-7 * (1.0 + state.llr.abs()),
            "{state:?} {mirrored:?}"
        );
    }

    /// A strength in the middle of the bounds is where the test cannot decide; far
    /// below it decides for the lower, far above for the higher.
    #[test]
    fn the_likelihood_ratio_follows_the_score(
        counts in prop::array::uniform5(1_u64..2000),
        model in any_model(),
    ) {
        let elo = EloEstimate::of(&Outcomes::Pairs(counts));
        let value = match model {
            EloModel::Normalized => elo.normalized,
            EloModel::Logistic => elo.elo,
        }.expect("both sides scored");
        prop_assume!(value.abs() < 900.0);
        let llr = |elo0, elo1| {
            let sprt = Sprt::new(model, elo0, elo1, 0.05, 0.05).expect("bounds");
            sprt.judge(&Outcomes::Pairs(counts)).llr
        };
        prop_assert!(llr(value - 50.0, value) > 0.0);
        prop_assert!(llr(value, value + 50.0) < 0.0);
        prop_assert!(llr(value - 50.0, value - 40.0) > 0.0);
        prop_assert!(llr(value + 40.0, value + 50.0) < 0.0);
    }

    /// Any pool has finite ratings that do not depend on the order of its games, and
    /// are carried along when the players change places.
    #[test]
    fn every_pool_has_ratings(
        games in prop::collection::vec((0_usize..6, 0_usize..6, 0_u8..3), 0..60),
        turn in 0_usize..6,
    ) {
        let meeting = |&(white, black, points): &(usize, usize, u8), turn: usize| Meeting {
            pair: 0,
            white: (white + turn) % 6,
            black: (black + turn) % 6,
            points: [Points::Loss, Points::Draw, Points::Win][points as usize],
        };
        let forwards: Vec<Meeting> = games.iter().map(|game| meeting(game, 0)).collect();
        let backwards: Vec<Meeting> = forwards.iter().rev().copied().collect();
        let turned: Vec<Meeting> = games.iter().map(|game| meeting(game, turn)).collect();
        let rate = |games: &[Meeting], anchor| {
            CrossTable::of(6, games).expect("players of the pool").ratings(anchor).expect("ratings")
        };
        let ratings = rate(&forwards, None);
        prop_assert_eq!(&ratings, &rate(&backwards, None));
        let turned = rate(&turned, None);
        let anchored = rate(&forwards, Some(Anchor { player: 0, rating: 1000.0 }));
        let shift = anchored.ratings[0].rating.zip(ratings.ratings[0].rating).map(|(a, b)| a - b);
        for (player, rating) in ratings.ratings.iter().enumerate() {
            prop_assert_eq!(rating.rating.is_some(), rating.tally.games() > 0);
            prop_assert!(rating.rating.is_none_or(|rating| rating.abs() < 5000.0), "{rating:?}");
            prop_assert!(rating.error.is_none_or(|error| (0.0..10_000.0).contains(&error)), "{rating:?}");
            let other = turned.ratings[(player + turn) % 6];
            prop_assert!(is_close(rating.rating, other.rating, 1e-6), "{rating:?} {other:?}");
            prop_assert!(is_close(rating.error, other.error, 1e-6), "{rating:?} {other:?}");
            if let Some(shift) = shift {
                let other = anchored.ratings[player].rating.map(|rating| rating - shift);
                prop_assert!(is_close(rating.rating, other, 1e-6), "{rating:?} {other:?}");
            }
        }
    }
}
