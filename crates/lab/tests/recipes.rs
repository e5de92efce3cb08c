//! What is read of recipes without a run.

use mendel_lab::recipe::{BUILT_IN, MetricRef, Recipe, summaries};

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

const TEXT: &str = r#"name = "x"
parent = "gerald-base"

[[stage]]
genome = { coding = "real", start = "parent", spread = 500 }
breeder = { kind = "adam", learning-rate = 5.0 }
trial = { kind = "expert-distance", data = "quiet" }
stop = { generations = 8 }
[[stage]]
genome = { coding = "real", start = "parent", spread = 500 }
stop = { generations = 6 }
[stage.breeder]
kind = "adam"
learning-rate = 5.0
[stage.trial]
kind = "expert-distance"
data = "quiet"
"#;

#[test]
fn a_mistake_is_found_by_its_line_or_that_of_the_nearest_table() {
    let unknown = "stage.1.breeder.rate";
    let table = [
        ("name = \"x\"", "name = \"\"", Some(1), "name"),
        ("name = \"x\"", "", None, "name"),
        (
            "kind = \"adam\"\n",
            "kind = \"eve\"\n",
            Some(13),
            "stage.1.breeder.kind",
        ),
        (
            "= 5.0\n",
            "= \"ten\"\n",
            Some(14),
            "stage.1.breeder.learning-rate",
        ),
        ("= 5.0\n", "= 5.0\nrate = 1\n", Some(15), unknown),
        (
            "\"quiet\" }",
            "\"quiet\", holdout = 0.5 }",
            Some(15),
            "stage.1.trial.holdout",
        ),
    ];
    for (from, to, line, key) in table {
        let text = TEXT.replacen(from, to, 1);
        let error = Recipe::parse(&text, "t", &[]).expect_err(to);
        assert_eq!((error.line, error.key.as_str()), (line, key), "{error}");
    }
}

#[test]
fn a_complaint_names_file_line_key_and_reason() {
    let said = |text: &str| {
        let error = Recipe::parse(text, "`x.toml`", &[]).expect_err("it is wrong");
        error.to_string()
    };
    let error = said(&TEXT.replacen('\n', "\npopulation = 3\n", 1));
    let start = "`x.toml`, line 2: `population`: is unknown; there are `name`, `about`";
    assert!(error.starts_with(start), "{error}");
    let error = said("a = 1\nb = = 2");
    let start = "`x.toml`, line 2: this is not TOML";
    assert!(error.starts_with(start), "{error}");
}

#[test]
fn what_is_set_by_hand_is_part_of_the_recipe() {
    let parsed = |key: &str, value: toml::Value| {
        Recipe::parse(TEXT, "t", &[(key.to_owned(), value)]).map(|it| it.to_toml())
    };
    let there = parsed("stage.1.breeder.learning-rate", 7.5.into());
    assert!(there.expect("it is there").contains("learning-rate = 7.5"));
    let made = parsed("report.keep-genotypes", 3.into());
    assert!(made.expect("it is made").contains("keep-genotypes = 3"));
    assert!(parsed("name.deep", 1.into()).is_err());
    assert!(parsed("", 1.into()).is_err());
}
