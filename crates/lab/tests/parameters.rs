//! Which options are tuned, and the file of parameters.

use mendel_engine::uci::{OptionLine, UciReply};
use mendel_lab::tune::{Aside, Infeasible, Param, ParamFile, choose, left_out};
use mendel_store::frame::Failure;

fn offers() -> Vec<OptionLine> {
    [
        "option name Hash type spin default 16 min 1 max 1024",
        "option name Futility Margin type spin default 100 min 0 max 500",
        "option name Razor Margin type spin default 300 min 0 max 2147483647",
        "option name Null Move type combo default Always var Always var Fail High var Never",
        "option name Lazy type check default true",
        "option name Fixed type spin default 1 min 1 max 1",
        "option name Clear Hash type button",
        "option name BookFile type string default book.bin",
        "option name UCI_Chess960 type check default false",
    ]
    .iter()
    .map(|line| match UciReply::read(line) {
        Some(UciReply::Option(option)) => option,
        other => panic!("{line}: {other:?}"),
    })
    .collect()
}

fn names(patterns: &[&str]) -> Result<Vec<String>, Failure> {
    let patterns: Vec<String> = patterns.iter().map(|&it| it.to_owned()).collect();
    let chosen = choose("engine", &offers(), &patterns)?;
    Ok(chosen.into_iter().map(|it| it.name).collect())
}

#[test]
fn what_says_how_it_plays_is_chosen_and_the_rest_only_by_its_whole_name() {
    let all = ["Futility Margin", "Razor Margin", "Null Move", "Lazy"];
    assert_eq!(names(&[]).expect("some"), all);
    assert_eq!(names(&["*"]).expect("some"), all);
    assert_eq!(names(&["*margin"]).expect("two"), all[..2]);
    assert_eq!(
        names(&["lazy", "futility*"]).expect("two"),
        ["Futility Margin", "Lazy"]
    );
    assert_eq!(names(&["hash"]).expect("by its name"), ["Hash"]);
    for pattern in ["H?sh", "Razr*", "Fixed", "BookFile"] {
        let error = names(&["Lazy", pattern]).expect_err(pattern).to_string();
        assert!(
            error.contains(pattern) && error.contains("Razor Margin"),
            "{error}"
        );
    }
    assert!(
        names(&["Lazy", "L*"]).is_ok(),
        "two patterns may mean the same"
    );
    let only = &offers()[5..];
    let error = choose("engine", only, &[])
        .expect_err("nothing")
        .to_string();
    assert!(error.contains("only Fixed, Clear Hash"), "{error}");
}

#[test]
fn a_parameter_has_the_bounds_of_the_engine_and_sends_its_words() {
    let params = choose("engine", &offers(), &[]).expect("some");
    let [futility, razor, null, lazy] = &params[..] else {
        panic!("{params:?}");
    };
    assert_eq!((futility.low, futility.start, futility.high), (0, 100, 500));
    assert_eq!((futility.nearest(99.6), futility.nearest(-3.0)), (100, 0));
    assert_eq!(futility.nearest(f64::NAN), 100);
    assert!(
        razor.high < 10_000,
        "a range that says nothing is cut: {razor:?}"
    );
    assert_eq!((null.start, null.high, &*null.text(1)), (0, 2, "Fail High"));
    assert_eq!((&*lazy.text(0), &*lazy.text(1)), ("false", "true"));
}

#[test]
fn a_file_that_was_written_is_read_as_it_was() {
    let file = ParamFile {
        params: choose("engine", &offers(), &[]).expect("some"),
        aside: vec![Aside {
            name: "Space".to_owned(),
            reason: "no visible effect".to_owned(),
        }],
        infeasible: vec![Infeasible {
            options: "Lazy=false".to_owned(),
            reason: "it ended".to_owned(),
        }],
    };
    let read = ParamFile::parse(&file.to_toml(), "test", &offers());
    assert_eq!(read.expect("it was written"), file);
}

#[test]
fn values_that_the_engine_does_not_have_are_refused() {
    let combo = "[[param]]\nname = \"Null Move\"\nkind = \"combo\"\nstart = \"Never\"\nvalues = [\"Never\", \"Always\"]\n";
    let fine = ParamFile::parse(combo, "test", &offers()).expect("fewer words are fine");
    assert_eq!(fine.params[0].text(fine.params[0].start), "Never");
    for (from, to, reason) in [
        ("\"Always\"", "\"Often\"", "Often"),
        (
            "start = \"Never\"",
            "start = \"Always?\"",
            "not among its values",
        ),
        (
            "start = \"Never\"",
            "start = \"Never\"\nlow = 1",
            "only a spin",
        ),
        ("combo", "spin", "a whole number"),
        ("Null Move", "Clear Hash", "is a button"),
        (", \"Always\"", "", "must rise"),
    ] {
        let text = combo.replace(from, to);
        let error = ParamFile::parse(&text, "test", &offers()).expect_err(to);
        assert!(error.to_string().contains(reason), "{to}: {error}");
    }
    for text in ["", "param = 3", "[[param]]\nname = \"Lazy\"", "x"] {
        assert!(ParamFile::parse(text, "test", &offers()).is_err(), "{text}");
    }
}

#[test]
fn a_step_that_is_missing_is_a_twentieth_of_the_range() {
    for (high, step) in [(500, 25.0), (30, 2.0), (10, 1.0)] {
        let text = format!(
            "[[param]]\nname = \"Futility Margin\"\nkind = \"spin\"\nstart = 10\nlow = 0\nhigh = {high}\n"
        );
        let file = ParamFile::parse(&text, "test", &offers()).expect("a step may be missing");
        assert!((file.params[0].step - step).abs() < 1e-9, "{file:?}");
    }
}

#[test]
fn a_slip_in_a_file_is_named_in_words() {
    let spin = "[[param]]\nname = \"Futility Margin\"\nkind = \"spin\"\nstart = 10\nlow = 0\nhigh = 50\nstep = 2\n";
    assert!(ParamFile::parse(spin, "test", &offers()).is_ok());
    for (from, to, reason) in [
        (
            "start = 10",
            "start = 10.5",
            "must be a whole number, true or false",
        ),
        ("low = 0", "low = \"none\"", "must be a whole number"),
        ("high = 50", "high = 50.5", "must be a whole number"),
        ("step = 2", "step = \"two\"", "must be a number"),
    ] {
        let error = ParamFile::parse(&spin.replace(from, to), "test", &offers()).expect_err(to);
        assert!(error.to_string().contains(reason), "{to}: {error}");
        assert!(error.to_string().contains("line "), "{to}: {error}");
    }
    let far = spin.replace("start = 10", "start = 70");
    let error = ParamFile::parse(&far, "test", &offers()).expect_err("70 of 50");
    let said = error.to_string();
    assert!(
        said.contains("`Futility Margin` starts at 70") && !said.contains("line "),
        "{said}"
    );
    let combo = "[[param]]\nname = \"Null Move\"\nkind = \"combo\"\nstart = \"Never\"\nvalues = [\"Never\", \"Always\", \"Never\"]\n";
    let error = ParamFile::parse(combo, "test", &offers()).expect_err("twice");
    assert!(error.to_string().contains("`Never` twice"), "{error}");
}

#[test]
fn options_of_play_are_not_taken_for_files_and_what_is_left_out_is_named() {
    let lines = [
        "option name RookOpenFile type spin default 10 min 0 max 50",
        "option name Rook Open File type spin default 10 min 0 max 50",
        "option name PassedPath type spin default 10 min 0 max 50",
        "option name KingScores type spin default 10 min 0 max 50",
        "option name LogisticScale type spin default 10 min 0 max 50",
        "option name OwnBook type check default true",
        "option name PawnHashSize type spin default 10 min 0 max 50",
        "option name Max Threads type spin default 10 min 0 max 50",
        "option name Log type check default true",
        "option name Book File type string default x",
        "option name Fixed type spin default 1 min 1 max 1",
        "option name Clear type button",
    ];
    let offers: Vec<OptionLine> = lines
        .iter()
        .map(|line| match UciReply::read(line) {
            Some(UciReply::Option(option)) => option,
            other => panic!("{line}: {other:?}"),
        })
        .collect();
    let chosen = choose("engine", &offers, &[]).expect("some");
    assert_eq!(chosen.len(), 5, "{chosen:?}");
    let aside = left_out(&offers, &[], &chosen);
    let reasons: Vec<&str> = aside.iter().map(|it| &*it.reason).collect();
    assert_eq!(reasons[4..], ["a text", "it has one value", "a button"]);
    assert!(
        reasons[..4]
            .iter()
            .all(|it| it.contains("how the engine works")),
        "{aside:?}"
    );
    let patterns = ["P*".to_owned()];
    let chosen = choose("engine", &offers, &patterns).expect("one");
    let aside = left_out(&offers, &patterns, &chosen);
    assert_eq!(
        (chosen.len(), &*aside[0].name, aside.len()),
        (1, "PawnHashSize", 1)
    );
}

#[test]
fn words_named_twice_are_one_and_too_many_are_left_out() {
    let option = |line: &str| match UciReply::read(line) {
        Some(UciReply::Option(option)) => option,
        other => panic!("{line}: {other:?}"),
    };
    let twice = "option name Style type combo default Wild var Calm var Wild var Calm";
    let style = Param::of(&option(twice)).expect("two words");
    assert_eq!(style.values, ["Calm", "Wild"]);
    assert_eq!((style.start, style.high), (1, 1));
    let file = ParamFile {
        params: vec![style],
        ..ParamFile::default()
    };
    let again: ParamFile = toml::from_str(&file.to_toml()).expect("it can be read back");
    assert_eq!(again, file);

    let words: Vec<String> = (0..70).map(|it| format!("var w{it}")).collect();
    let many = format!(
        "option name Level type combo default w0 {}",
        words.join(" ")
    );
    let many = option(&many);
    assert_eq!(Param::of(&many), None);
    let aside = left_out(&[many], &[], &[]);
    assert!(aside[0].reason.contains("70 values"), "{aside:?}");
}
