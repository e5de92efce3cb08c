//! What is read of recipes without a run.

use mendel_lab::recipe::{BUILT_IN, MetricRef, summaries};

#[test]
fn a_figure_is_refused_with_what_would_be_right() {
    let steps = ["games", "runs"];
    for right in [
        "seconds",
        "runs: training.champion",
        "games: mendel: score",
        "games: a - b: elo",
    ] {
        assert!(MetricRef::parse(right, &steps).is_ok(), "{right}");
    }
    for (wrong, words) in [
        ("time", "`seconds`"),
        ("nobody: seconds", "there are `games`, `runs`"),
        ("runs: elo", "training.champion"),
        ("games: a: goals", "`score`"),
        ("games: a - b: accuracy", "`elo`"),
        ("a: b: c: d", "FIRST - SECOND"),
    ] {
        let error = MetricRef::parse(wrong, &steps).expect_err(wrong);
        assert!(error.contains(words), "{wrong}: {error}");
    }
}

#[test]
fn every_built_in_recipe_is_in_the_list() {
    for (summary, (name, _)) in summaries().iter().zip(BUILT_IN) {
        assert_eq!(summary.name, *name);
        assert!(
            !summary.about.is_empty() && !summary.parent.is_empty(),
            "{name}"
        );
    }
}
