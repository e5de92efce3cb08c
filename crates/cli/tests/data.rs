//! `mendel data`: made, killed and resumed, imported, looked at, and refused.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Scratch, json, kill_when, mendel, printed, size};

const PLAN: [&str; 10] = [
    "data",
    "make",
    "quiet",
    "--positions",
    "400",
    "--nodes",
    "100",
    "--expert",
    "mendel",
    "--quiet",
];

/// The only data set in the library.
fn experiment(scratch: &Scratch) -> Option<PathBuf> {
    let mut folders = fs::read_dir(scratch.at("home/data")).ok()?.flatten();
    folders.next().map(|it| it.path())
}

#[test]
fn a_set_killed_again_and_again_is_the_same_set() {
    let scratch = Scratch::new("data-killed");
    let (unbroken, broken) = (scratch.at("unbroken.mds"), scratch.at("broken.mds"));
    scratch.printed(&[&PLAN[..], &["--out", &unbroken]].concat());
    fs::remove_dir_all(scratch.at("home")).expect("it is ours");

    let begin = || {
        let started = experiment(&scratch).filter(|it| it.join("manifest.toml").exists());
        match started {
            Some(folder) => {
                let folder = folder.display().to_string();
                scratch.start(["resume", &folder, "--threads", "2"])
            }
            None => scratch.start([&PLAN[..], &["--out", &broken, "--threads", "2"]].concat()),
        }
    };
    let bytes_of = |name: &str| experiment(&scratch).map_or(0, |it| size(it.join(name)));
    // Killed when these bytes of its games are there, and when the first labels are.
    for bytes in [1, 5000, 11_000, 17_000, 24_000] {
        let more = || bytes_of("games.jsonl") >= bytes;
        let killed = kill_when(begin(), "the games go on", more);
        assert!(killed, "it was over before {bytes} bytes");
    }
    let labels = || bytes_of("labels.jsonl") > 0;
    // These are so quick that it may be over by then.
    kill_when(begin(), "the labels begin", labels);
    assert!(begin().wait().expect("it ends").success());
    let read = |path: &str| fs::read(path).expect("it was made");
    assert!(read(&unbroken) == read(&broken), "the sets differ");
    let folder = experiment(&scratch).expect("it stays");
    for (name, stays) in [
        ("games.jsonl", false),
        ("labels.jsonl", false),
        ("result.json", true),
    ] {
        assert_eq!(folder.join(name).exists(), stays, "{name}");
    }
    // It is listed with the others, and the old flag names the new command.
    let listed = json(&scratch.printed(&["runs", "--json"]));
    assert_eq!(listed[0]["kind"], "data", "{listed}");
    let old = mendel(&[&PLAN[..], &["--out", &broken, "--resume"]].concat(), b"");
    assert_eq!(old.code, Some(2), "{}", old.err);
    assert!(old.err.contains("mendel resume"), "{}", old.err);
}

#[test]
fn what_was_made_is_shown_in_words_and_as_json() {
    let scratch = Scratch::new("data-shown");
    let out = scratch.at("set.mds");
    let lines = scratch.printed(&[&PLAN[..], &["--json", "--out", &out]].concat());
    let told = json(lines.lines().last().expect("a line for the result"));
    assert_eq!(told["event"], "result");
    assert_eq!(told["header"]["positions"], 400);
    assert_eq!(told["header"]["expert"]["name"], "mendel");
    let made_by = told["header"]["made_by"].as_str().expect("a command");
    assert!(
        !made_by.contains(&out),
        "where it lies is not part of it: {made_by}"
    );

    let info = json(&printed(&["data", "info", &out, "--json"]));
    assert_eq!(info["info"]["positions"], 400);
    assert_eq!(info["info"]["with_score"], 400);
    for histogram in info["info"]["histograms"].as_array().expect("a list") {
        let bars = histogram["bars"].as_array().expect("a list");
        let sum: u64 = bars.iter().filter_map(|bar| bar["count"].as_u64()).sum();
        if histogram["name"] == "positions of a game" {
            assert_eq!(sum, info["header"]["games"]);
        } else {
            assert_eq!(sum, 400, "{histogram}");
        }
    }
    let text = printed(&["data", "info", &out]);
    assert!(text.contains("400 from") && text.contains('█'), "{text}");
}

#[test]
fn rows_add_up_to_what_the_expert_said() {
    let scratch = Scratch::new("data-rows");
    let (set, out) = (scratch.at("own.mds"), scratch.at("own.csv"));
    printed(&[&PLAN[..], &["--out", &set]].concat());
    let report = json(&printed(&["data", "rows", &set, "--json", "--out", &out]));
    let weights = report["weights"].as_array().expect("a list");
    let text = fs::read_to_string(&out).expect("it was written");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    assert_eq!(names.len(), weights.len() + 1);
    assert_eq!(names.last(), Some(&"score"));
    let mut rows = 0;
    for line in lines {
        let numbers: Vec<f64> = line
            .split(',')
            .map(|it| it.parse().expect("a number"))
            .collect();
        let (label, row) = numbers.split_last().expect("a label");
        let products = row
            .iter()
            .zip(weights)
            .map(|(it, weight)| it * weight["value"].as_f64().expect("a number"));
        let sum: f64 = products.sum();
        // The expert is the player itself, and cuts off what is not whole.
        assert!((sum - label).abs() < 1.0 + 1e-9, "{sum} for {label}");
        rows += 1;
    }
    assert_eq!(report["rows"], rows);
    assert_eq!(rows, 400);

    let train = json(&printed(&[
        "data", "rows", &set, "--part", "train", "--json", "--out", &out,
    ]));
    let held = json(&printed(&[
        "data", "rows", &set, "--part", "hold-out", "--json", "--out", &out,
    ]));
    let [train, held] = [train, held].map(|it| it["rows"].as_u64().expect("a count"));
    assert_eq!(train + held, 400);
    assert!(held > 0);

    let refused = mendel(
        &["data", "rows", &set, "--player", "material", "--out", &out],
        b"",
    );
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("has no weights"), "{}", refused.err);
}

#[test]
fn the_built_in_sets_are_listed_and_shown() {
    let list = json(&printed(&["data", "list", "--json"]));
    let names: Vec<&str> = list
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|set| set["name"].as_str())
        .collect();
    assert!(names.contains(&"quiet"), "{names:?}");
    let text = printed(&["data", "list"]);
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
    let text = printed(&["data", "info", "quiet"]);
    assert!(
        text.contains("held out") && text.contains("Stockfish"),
        "{text}"
    );
}

#[test]
fn an_import_says_what_it_read_and_what_it_could_not() {
    let scratch = Scratch::new("data-import");
    let file = scratch.put(
        "scores.csv",
        "FEN,Evaluation\n4k3/8/8/8/8/8/4P3/4K3 b - -,#-3\nnonsense,1\n",
    );
    let out = scratch.at("scores.mds");
    let unit = "--unit=centipawns";
    let text = printed(&["data", "import", &file, unit, "--out", &out]);
    assert!(text.contains("1 positions"), "{text}");
    assert!(text.contains("1 unreadable"), "{text}");
    assert!(text.contains("line 3: `nonsense`"), "{text}");
    let info = json(&printed(&["data", "info", &out, "--json"]));
    let bars = info["info"]["histograms"][0]["bars"].as_array();
    let mates = bars.and_then(|bars| bars.iter().find(|bar| bar["label"] == "mates"));
    assert_eq!(mates.map(|bar| &bar["count"]), Some(&1.into()), "for Black");
}

#[test]
fn scores_leave_as_the_lines_they_came_from() {
    let scratch = Scratch::new("data-scores");
    let lines = "FEN,Centipawns\n\
        4k3/8/8/8/8/8/4P3/4K3 b - - 0 1,95\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,-20\n\
        4k3/8/8/8/8/8/4P3/4K3 b - - 1 1,#-1\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - 2 2,#+1\n";
    let file = scratch.put("scores.csv", lines);
    let (set, out) = (scratch.at("scores.mds"), scratch.at("again.csv"));
    printed(&["data", "import", &file, "--out", &set]);
    let told = printed(&["data", "scores", &set, "--out", &out]);
    assert!(told.contains("4 positions with scores"), "{told}");
    assert_eq!(std::fs::read_to_string(&out).expect("written"), lines);

    let squeezed = scratch.at("again.csv.zst");
    let told = printed(&["data", "scores", &set, "--json", "--out", &squeezed]);
    assert_eq!(json(&told)["lines"], 4);
    let endings = scratch.at("endings.csv");
    let of = |phase| {
        let arguments = ["data", "scores", &set, "--phase", phase, "--out", &endings];
        mendel(&arguments, b"")
    };
    assert_eq!(of("ending").code, Some(0));
    let refused = of("opening");
    assert_eq!(refused.code, Some(2));
    let words = refused.err;
    assert!(words.contains("no position of the opening"), "{words}");
    let again = scratch.at("again.mds");
    let told = printed(&["data", "import", &squeezed, "--out", &again]);
    assert!(told.contains("4 positions"), "{told}");
}

#[test]
fn positions_that_no_training_saw_keep_what_their_game_says() {
    let scratch = Scratch::new("data-unseen");
    let firsts = [
        "a3", "a4", "b3", "b4", "c3", "c4", "d3", "d4", "e3", "e4", "f3", "f4",
    ];
    let game = |first: &str| {
        format!("[WhiteElo \"2100\"]\n[BlackElo \"1900\"]\n\n1. {first} Nf6 2. Nh3 Ng8 1-0\n\n")
    };
    let text: String = firsts.iter().map(|first| game(first)).collect();
    let file = scratch.put("some.pgn", &text);
    let (games, out) = (scratch.at("some.games"), scratch.at("unseen.mds"));
    printed(&["data", "games", &file, "--min-moves", "2", "--out", &games]);

    // 1. A recipe that tests on half of the games.
    let human = include_str!("../../../recipes/train/human.toml");
    let half = human
        .replace("min-moves = 10", "min-moves = 2")
        .replace("test = 0.02", "test = 0.5");
    assert_ne!(half, human);
    let recipe = scratch.put("half.toml", &half);
    let ask = ["data", "draw", &games, "--recipe", &recipe, "--out", &out];
    let told = json(&printed(&[&ask[..], &["--json"]].concat()));
    let count = told["games"].as_u64().expect("a number");
    assert!((1..12).contains(&count), "{told}");
    assert_eq!(told["positions"], count);
    let first = std::fs::read(&out).expect("written");
    printed(&ask);
    assert_eq!(
        std::fs::read(&out).expect("written"),
        first,
        "the same again"
    );
    let info = printed(&["data", "info", &out]);
    assert!(info.contains(&format!("{count} best moves")), "{info}");

    // 2. Nothing is there.
    let refused = mendel(&[&ask[..], &["--min-rating", "2500"]].concat(), b"");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("no game of these files"),
        "{}",
        refused.err
    );
}

#[test]
fn games_become_a_file_that_tells_what_is_in_it() {
    let scratch = Scratch::new("data-games");
    let game = "[WhiteElo \"2500\"]\n[BlackElo \"2433\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n";
    let text = format!("{game}{game}1. d4 1/2-1/2\n\n1. e4 Ke3 0-1\n");
    let file = scratch.put("some.pgn", &text);
    let (out, other) = (scratch.at("some.games"), scratch.at("other.games"));

    let told = printed(&["data", "games", &file, "--min-moves", "2", "--out", &out]);
    assert!(told.contains("2 games, 8 positions"), "{told}");
    assert!(told.contains("1 left out: too short"), "{told}");
    assert!(told.contains("1 left out: unreadable"), "{told}");
    assert!(told.contains("Ke3"), "{told}");

    let arguments = ["data", "games", &file, "--min-moves", "1", "--distinct"];
    let told = printed(&[&arguments[..], &["--json", "--out", &other]].concat());
    let told = json(&told);
    assert_eq!(told["report"]["kept"], 2);
    assert_eq!(told["report"]["twice"], 1);

    let told = printed(&["data", "info", &out]);
    assert!(told.contains("White won 2, Black won 0, 0 drawn"), "{told}");
    assert!(told.contains("2400–2499          2"), "{told}");
    let told = json(&printed(&["data", "info", &out, "--json"]));
    assert_eq!(told["info"]["plies"], 8);
    assert_eq!(told["header"]["sources"][0], "some.pgn");
}

#[test]
fn a_wrong_request_is_refused_with_its_reason() {
    let scratch = Scratch::new("data-wrong");
    let out = scratch.at("out.mds");
    let text = scratch.put("words.txt", "once upon a time\n");
    let zip = scratch.put("book.zip", "PK\u{3}\u{4}");
    let there = scratch.put("there.mds", "mine");
    let table: &[(&[&str], &str)] = &[
        (&["info", "no-such-set"], "no-such-set"),
        (&["info", &text], "not a data set"),
        (
            &["import", "no-such-file.pgn", "--out", &out],
            "no-such-file.pgn",
        ),
        (&["import", &text, "--out", &out], "once upon"),
        (&["import", &zip, "--out", &out], "unzip"),
        (&["import", &text, "--out", &there], "there.mds"),
        (
            &["games", "no-such-file.pgn", "--out", &out],
            "no-such-file.pgn",
        ),
        (&["games", &text, "--out", &out], "no game is left"),
        (&["games", &text, "--out", &there], "there.mds"),
        (&["info", "no-such-file.games"], "no-such-file.games"),
        (&["make", "quiet", "--out", &out, "--positions", "0"], "0"),
        (&["make", "quiet", "--out", &there], "there.mds"),
        (
            &["make", "quiet", "--out", &out, "--expert", "nobody"],
            "nobody",
        ),
        (
            &["make", "quiet", "--out", &out, "--expert", "cmd:/no/such"],
            "/no/such",
        ),
        (
            &["make", "quiet", "--out", &out, "--from", "no-such-set"],
            "no-such-set",
        ),
        (
            &[
                "make",
                "moves",
                "--out",
                &out,
                "--expert",
                "mendel",
                "--expert-eval",
                "nnue",
            ],
            "best move",
        ),
        (&["make", "nothing", "--out", &out], "nothing"),
    ];
    for (arguments, reason) in table {
        let arguments = [&["data"], *arguments].concat();
        let said = mendel(&arguments, b"");
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(reason), "{arguments:?}: {}", said.err);
        assert!(!Path::new(&out).exists());
    }
}

/// The scores of a set, as `data scores` writes them.
fn scores_of(scratch: &Scratch, set: &str) -> Vec<String> {
    let out = scratch.at("scores-of.csv");
    printed(&["data", "scores", set, "--out", &out]);
    let text = std::fs::read_to_string(&out).expect("written");
    let lines = text.lines().skip(1);
    let score = |line: &str| line.rsplit(',').next().unwrap_or_default().to_owned();
    lines.map(score).collect()
}

const LONE_PAWN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

#[test]
fn scores_whose_unit_the_file_does_not_fix_need_the_flag() {
    let scratch = Scratch::new("data-unit");
    let out = scratch.at("out.mds");
    let whole = |score: i32| format!("{LONE_PAWN},{score}\n");
    // The only fraction stands far behind the positions that `--limit` keeps.
    let many: String = (0..2000).map(whole).collect();
    let late = scratch.put(
        "late.csv",
        format!("FEN,Evaluation\n{many}{LONE_PAWN},0.58\n{LONE_PAWN},-1.25\n"),
    );
    let plain = scratch.put("plain.csv", format!("FEN,Evaluation\n{}", whole(35)));
    let bare = scratch.put("bare.csv", whole(-35));
    let named = scratch.put("named.csv", format!("fen;cp\n{LONE_PAWN};0.58\n"));
    let columns = scratch.put("bars.epd", format!("{LONE_PAWN} | 0.58 | 0.5\n"));
    let ce = scratch.put("ce.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - ce 0.58;\n");
    let told = |line: u64, score: &str, pawns: i32, centipawns: i32| {
        format!("line {line} has `{score}` (as pawns: {pawns} cp, as centipawns: {centipawns} cp)")
    };
    for (file, line, score, pawns, centipawns) in [
        (&late, 2002, "0.58", 58, 1),
        (&plain, 2, "35", 3500, 35),
        (&bare, 1, "-35", -3500, -35),
        (&named, 2, "0.58", 58, 1),
        (&columns, 1, "0.58", 58, 1),
        (&ce, 1, "0.58", 58, 1),
    ] {
        let said = mendel(
            &["data", "import", file, "--limit", "5", "--out", &out],
            b"",
        );
        assert_eq!(said.code, Some(2), "{file}: {}{}", said.out, said.err);
        let reason = told(line, score, pawns, centipawns);
        assert!(said.err.contains(&reason), "{file}: {}", said.err);
        // The first line of the column is read, too, where it has no fraction.
        let first = told(2, "0", 0, 0);
        assert_eq!(said.err.contains(&first), file == &late, "{}", said.err);
        assert!(said.err.contains("--unit pawns"), "{file}: {}", said.err);
        assert!(!Path::new(&out).exists(), "{file}");
        for (unit, expected) in [("pawns", pawns), ("centipawns", centipawns)] {
            let set = scratch.at(&format!("{unit}-{line}-{score}.mds"));
            let _ = std::fs::remove_file(&set);
            printed(&["data", "import", file, "--unit", unit, "--out", &set]);
            let scores = scores_of(&scratch, &set);
            assert!(scores.contains(&expected.to_string()), "{file}: {scores:?}");
        }
    }
}

#[test]
fn a_unit_that_the_file_fixes_needs_no_flag() {
    let scratch = Scratch::new("data-unit-fixed");
    let mates = format!("FEN,Evaluation\n{LONE_PAWN},#+3\n");
    for (name, text, score) in [
        ("named.csv", format!("fen;cp\n{LONE_PAWN};35\n"), "35"),
        ("own.csv", format!("FEN,Centipawns\n{LONE_PAWN},-7\n"), "-7"),
        ("mates.csv", mates, "#+1"),
        ("bars.epd", format!("{LONE_PAWN} | 120 | 1.0\n"), "120"),
        (
            "ce.epd",
            "4k3/8/8/8/8/8/4P3/4K3 w - - ce -12;\n".to_owned(),
            "-12",
        ),
    ] {
        let file = scratch.put(name, &text);
        let set = scratch.at(&format!("{name}.mds"));
        printed(&["data", "import", &file, "--out", &set]);
        assert_eq!(scores_of(&scratch, &set), [score], "{name}");
    }
    let game = scratch.put("game.pgn", "1. e4 { [%eval 0.58] } e5 1-0\n");
    let set = scratch.at("game.mds");
    let refused = mendel(
        &["data", "import", &game, "--unit", "pawns", "--out", &set],
        b"",
    );
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("has no effect"), "{}", refused.err);
    printed(&["data", "import", &game, "--out", &set]);
}
