//! The numbers of the search.

use mendel_engine::{Profile, SearchParams};

#[test]
fn every_default_lies_in_its_range_and_every_step_fits() {
    let params = SearchParams::default();
    for tunable in SearchParams::TUNABLES {
        let range = tunable.low..=tunable.high;
        assert!(range.contains(&tunable.default), "{tunable:?}");
        assert!(
            tunable.step >= 1 && tunable.step <= tunable.high - tunable.low,
            "{tunable:?}"
        );
        assert_eq!(params.get(tunable.name), Some(tunable.default));
    }
}

#[test]
fn every_profile_can_be_made_and_read_back_by_name() {
    for profile in Profile::ALL {
        SearchParams::of(profile);
        assert_eq!(profile.name().parse(), Ok(profile));
    }
    assert_eq!(SearchParams::of(Profile::Full), SearchParams::default());
}

#[test]
fn a_refused_number_names_itself_its_range_and_its_neighbour() {
    let mut params = SearchParams::default();
    let error = params.set("null_reduction", 99).unwrap_err().to_string();
    assert_eq!(
        error,
        "null_reduction = 99 is out of range: it must be from 0 to 7"
    );
    let error = params.set("null_reductoin", 3).unwrap_err().to_string();
    assert!(error.contains("did you mean `null_reduction`"), "{error}");
    assert_eq!(params, SearchParams::default());
}

/// The parameters of two published searches, with the largest value their
/// bits can express: each must be a value of ours.
#[test]
fn the_published_search_parameters_are_a_subset_of_ours() {
    // GERALD, Table 3.3.1; the bit widths give the largest values.
    let gerald = [
        ("aspiration_window", 63),
        ("aspiration_depth", 7),
        ("razoring_margin", 255),
        ("killer_bonus", 1023),
        ("reduction_count", 7),
        ("null_reduction", 7),
        ("use_lazy_evaluation", 1),
        ("reverse_futility_margin", 255),
        ("delta_margin", 1023),
        ("reduction_depth", 7),
        ("late_move_count", 15),
        ("null_depth_factor", 31),
    ];
    // David, van den Herik, Koppel and Netanyahu 2014, Table I.
    let david = [
        ("use_null_move", 1),
        ("null_reduction", 7),
        ("use_null_adaptivity", 1),
        ("null_adaptive_depth", 7),
        ("futility_depth", 3),
        ("futility_margin_1", 1023),
        ("futility_margin_2", 1023),
        ("futility_margin_3", 1023),
        ("use_multi_cut", 1),
        ("multi_cut_reduction", 7),
        ("multi_cut_depth", 7),
        ("multi_cut_moves", 31),
        ("multi_cut_cuts", 7),
        ("extension_check", 4),
        ("extension_one_reply", 4),
        ("extension_recapture", 4),
        ("extension_passed_pawn", 4),
        ("extension_mate_threat", 4),
    ];
    let mut params = SearchParams::default();
    for (name, largest) in gerald.into_iter().chain(david) {
        params.set(name, largest).expect("a published value");
        // Every published gene can be zero, but a window of zero is no window.
        let smallest = i64::from(name == "aspiration_window");
        params.set(name, smallest).expect("a published value");
    }
}
