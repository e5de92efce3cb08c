//! `mendel analyse` on a run made by hand, on players, and on several runs.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Scratch, mendel};

/// The lines of a journal, as the program writes them.
fn with_checksums(lines: &str) -> String {
    let mut text = String::new();
    for line in lines.lines() {
        let mut line = line.as_bytes().to_vec();
        mendel_store::add_checksum(&mut line);
        text += &String::from_utf8(line).expect("text stays text");
        text.push('\n');
    }
    text
}

/// A run of eight generations of six members, in two species, that came closer and
/// closer to each other.
fn run(scratch: &Scratch, name: &str, recipe: &str, seed: u64) -> PathBuf {
    let folder = PathBuf::from(scratch.at(name));
    fs::create_dir_all(&folder).expect("there is room for a folder");
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writable");
    put(
        "manifest.toml",
        &format!(
            "kind = \"breed\"\nschema = 1\nid = \"{name}{seed}\"\nname = \"{recipe}\"\nseed = {seed}\nversion = \"0.1.0\"\n\
             [facts]\nparent = \"material\"\nunit = \"points\"\nsmaller_is_better = false\ngenes = [\"a\"]\n"
        ),
    );
    put(
        "recipe.toml",
        &format!(
            "name = \"{recipe}\"\n[paper]\ntitle = \"Of peas\"\n\
             [[paper.figure]]\nwhat = \"after 8\"\npaper = \"97.5 %, 0.5 %, 2.0 %\"\nours = \"exam.8\"\n"
        ),
    );
    let mut generations = String::new();
    let mut genotypes = String::new();
    let mut pairs = String::new();
    for generation in 0..8_u64 {
        let best = generation as f64 + seed as f64 * 10.0;
        let line = json!({
            "v": 1, "generation": generation, "judgements": 10, "best": best, "mean": best - 1.0,
            "worst": 0, "deviation": 1, "diversity": 0.5,
            "best_member": {"generation": generation, "member": 0}, "genes": [1], "gene_means": [1],
            "histogram": {"low": 0, "high": 1, "counts": [6]},
            "networks": {
                "distance": 4.0 - generation as f64 / 2.0, "empty": 0.5, "too_large": 0.25, "size": [generation, 9],
                "extinctions": u32::from(generation > 5),
                "species": if generation < 6 {
                    json!([{"id": 1, "size": 6 - generation / 2, "age": generation, "best": 1.0},
                           {"id": 2, "size": generation / 2, "age": generation, "best": 1.0}])
                } else {
                    json!([{"id": 3, "size": 6, "age": 0, "best": 1.0}])
                },
            },
        });
        writeln!(generations, "{line}").expect("a string");
        let member = |place: u64| [place * (8 - generation), 3 * generation, 7];
        let members: Vec<[u64; 3]> = (0..6).map(member).collect();
        let line = json!({"v": 1, "generation": generation, "members": members});
        writeln!(genotypes, "{line}").expect("a string");
        let game = |points: i32, plies: u64, first: &str| json!({"points": points, "plies": plies, "reason": "checkmate", "nodes": 1, "first": first});
        let line = json!({
            "v": 1, "generation": generation, "phase": "trial", "pair": 0, "first": "member 0",
            "second": "member 1", "opening": 0,
            "games": [game(-1, 20 + generation, "e2e4 e7e5"), game(-1, 40 + generation, "d2d4 g8f6")],
        });
        writeln!(pairs, "{line}").expect("a string");
    }
    let mut exam = String::new();
    for (generation, row) in [(4, 0), (4, 1), (8, 0)] {
        let line = json!({
            "v": 1, "generation": generation, "row": row,
            "opponent": (row == 0).then_some("cmd:weakling?Skill%20Level=0&Hash=1"),
            "losses": 4 - 4 * row, "draws": 0, "wins": generation / 8,
            "lost": if row == 0 { json!([[20, 21], [40, 43]]) } else { json!([[], []]) },
            "opened": if row == 0 { json!([{"e2e4": 2}, {"e7e5": 2}]) } else { json!([{}, {}]) },
        });
        writeln!(exam, "{line}").expect("a string");
    }
    let put = |name: &str, lines: &str| put(name, &with_checksums(lines));
    put("external-test.jsonl", &exam);
    put("generations.jsonl", &generations);
    put("genotypes.jsonl", &genotypes);
    put("pairs.jsonl", &pairs);
    folder
}

#[test]
fn a_run_is_drawn_and_told() {
    let scratch = Scratch::new("analyse");
    let folder = run(&scratch, "run", "peas", 1);
    let path = folder.display().to_string();
    let said = mendel(&["analyse", &path], b"");
    assert_eq!(said.code, Some(0), "{}", said.err);
    for name in [
        "pca",
        "pca-animated",
        "distance",
        "species",
        "empty",
        "lengths-trial",
        "moves-trial",
        "exam",
        "lengths-exam-1",
        "moves-exam-1",
    ] {
        let picture = folder.join(format!("analysis/{name}.svg"));
        assert!(picture.exists(), "{name}: {}", said.out);
        assert!(said.out.contains(&format!("{name}.svg")), "{}", said.out);
    }
    let told = |what: &str| -> Value {
        let said = mendel(&["analyse", &path, what, "--json"], b"");
        assert_eq!(said.code, Some(0), "{}", said.err);
        serde_json::from_str(&said.out).expect("JSON")
    };
    // The members differ along one line that turns: two axes hold everything.
    let pca = told("pca");
    let shares: f64 = [0, 1]
        .iter()
        .map(|&at| pca["shares"][at].as_f64().expect("a share"))
        .sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    // The breeder's own distance of each generation.
    let distance = told("distance");
    let at = |index: usize| distance[index]["distance"].as_f64().expect("a distance");
    assert!((at(0) - at(7) - 3.5).abs() < 1e-9, "{distance}");
    let species = told("species");
    assert_eq!(species["species"].as_array().map(Vec::len), Some(3));
    assert_eq!(species["extinctions"], json!([6]));
    // Each of the three says its own.
    assert!(species["generations"][0]["empty"].is_null(), "{species}");
    let empty = json!({"generation": 0, "empty": 0.5, "too_large": 0.25});
    assert_eq!(told("empty")[0], empty);
    let size = json!({"generation": 7, "nodes": 7.0, "edges": 9.0});
    assert_eq!(told("size")[7], size);
    let lengths = told("lengths");
    assert_eq!(
        lengths["exam"][0]["colours"][2]["mean"],
        json!([20.5, 41.5])
    );
    let games = &lengths["games"];
    assert_eq!(
        games[0]["lost_by_white"][0], 20,
        "the first lost with White"
    );
    assert_eq!(games[0]["lost_by_black"][0], 40, "and with Black");
    assert_eq!(
        told("moves")["games"][0]["first_moves"][0][0],
        "d2d4",
        "as often as e2e4, and before it"
    );

    // The examination, for programs and for people, beside the paper's.
    let exam = told("exam");
    assert_eq!(exam["shares"][1]["shares"], json!([80.0, 0.0, 20.0]));
    assert_eq!(exam["shares"][1]["paper"], json!([97.5, 0.5, 2.0]));
    assert_eq!(exam["first_moves"][0]["black"], json!([["e7e5", 4]]));
    let beside = ["97.5 %, 0.5 %, 2.0 %", "80.0 %, 0.0 %, 20.0 %"];
    let said = mendel(&["analyse", &path, "exam"], b"");
    let line = said.out.lines().find(|line| line.contains(beside[0]));
    let line = line.unwrap_or_else(|| panic!("{}", said.out));
    assert!(line.contains(beside[1]), "{}", said.out);
    assert!(said.out.contains("weakling, Skill Level 0"), "{}", said.out);

    // The page has them too.
    let said = mendel(&["report", &path], b"");
    assert_eq!(said.code, Some(0), "{}", said.err);
    let page = fs::read_to_string(folder.join("report.html")).expect("written");
    for title in [
        "two strongest axes",
        "Species through time",
        "How long lost games were",
        "First moves",
        "ours: weakling, Skill Level 0",
        beside[0],
        beside[1],
    ] {
        assert!(page.contains(title), "{title}");
    }
}

#[test]
fn players_are_drawn_whatever_they_are() {
    let scratch = Scratch::new("analyse-player");
    let out = scratch.at("pictures");
    let said = mendel(
        &["analyse", "--player", "material", "--out", &out, "--json"],
        b"",
    );
    assert_eq!(said.code, Some(0), "{}", said.err);
    let data: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(data["squares"][1]["name"], "knight");
    assert!(data["network"].is_null());
    assert!(PathBuf::from(out).join("squares.svg").exists());
}

#[test]
fn one_thing_about_a_player_can_be_asked_for() {
    let scratch = Scratch::new("analyse-player-what");
    let out = scratch.at("pictures");
    let asked = |more: &[&str]| {
        let mut all = vec!["analyse", "--out", &out, "--player"];
        all.extend(more);
        mendel(&all, b"")
    };
    let said = asked(&["neat", "network"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let folder = PathBuf::from(&out);
    assert!(folder.join("network.svg").exists());
    assert!(!folder.join("squares.svg").exists(), "it was not asked for");
    for (arguments, hint) in [
        (&["neat", "pca"][..], "`network` and `squares`"),
        (&["neat", "peas"], "`network` and `squares`"),
        (&["neat", "network", "squares"], "one of them"),
        (&["material", "network"], "kind `mlp` and `graph`"),
    ] {
        let said = asked(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(hint), "{}", said.err);
    }
}

#[test]
fn what_is_not_there_says_why() {
    let scratch = Scratch::new("analyse-missing");
    let folder = run(&scratch, "run", "peas", 1);
    let path = folder.display().to_string();
    let asked = |what: &str| mendel(&["analyse", &path, what], b"");

    // One kept generation is a map without a way.
    let kept = fs::read_to_string(folder.join("genotypes.jsonl")).expect("written");
    let first = kept.lines().next().expect("a line").to_owned() + "\n";
    fs::write(folder.join("genotypes.jsonl"), first).expect("writable");
    let said = asked("pca");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(
        said.out.contains("Only the members of generation 1"),
        "{}",
        said.out
    );
    assert!(!folder.join("analysis/pca-animated.svg").exists());

    // Nothing at all, and what would help.
    for name in ["genotypes.jsonl", "external-test.jsonl", "pairs.jsonl"] {
        fs::remove_file(folder.join(name)).expect("it was there");
    }
    for (what, reason) in [
        ("pca", "keep-genotypes"),
        ("exam", "has no `[exam]`"),
        ("lengths", "has no games"),
        ("network", "has no champion yet"),
    ] {
        let said = asked(what);
        assert_eq!(said.code, Some(2), "{what}: {}", said.out);
        assert!(said.err.contains(reason), "{what}: {}", said.err);
    }
    let recipe = fs::read_to_string(folder.join("recipe.toml")).expect("written");
    fs::write(folder.join("recipe.toml"), recipe + "[exam]\n").expect("writable");
    let said = asked("exam");
    assert!(said.err.contains("was not examined yet"), "{}", said.err);
}

#[test]
fn runs_are_compared_by_themselves_or_by_their_recipes() {
    let scratch = Scratch::new("analyse-compare");
    let folders: Vec<String> = [
        ("a1", "peas", 1),
        ("a2", "peas", 2),
        ("b1", "beans", 11),
        ("b2", "beans", 12),
    ]
    .iter()
    .map(|(name, recipe, seed)| run(&scratch, name, recipe, *seed).display().to_string())
    .collect();
    let mut arguments = vec!["analyse"];
    arguments.extend(folders.iter().map(String::as_str));
    let with = |more: &[&'static str]| {
        let mut all = arguments.clone();
        all.extend(more);
        mendel(&all, b"")
    };
    let said = with(&["--compare", "--json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let data: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(data["differences"].as_array().map(Vec::len), Some(6));
    assert_eq!(data["differences"][0]["difference"], -10.0);
    let said = with(&["--compare", "best", "--by", "recipe"]);
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.starts_with(&["peas", "beans", "−100.0"])
    };
    assert!(said.out.lines().any(row), "{}", said.out);
    assert!(said.out.contains('*'), "{}", said.out);

    // The same run twice, and runs that measure something else.
    let twice = mendel(&["analyse", &folders[0], &folders[0], "--compare"], b"");
    assert_eq!(twice.code, Some(2), "{}", twice.out);
    assert!(twice.err.contains("are the same run"), "{}", twice.err);
    let other = PathBuf::from(&folders[3]).join("manifest.toml");
    let text = fs::read_to_string(&other).expect("written");
    fs::write(&other, text.replace("\"points\"", "\"error\"")).expect("writable");
    let mixed = with(&["--compare"]);
    assert_eq!(mixed.code, Some(2), "{}", mixed.out);
    for unit in ["points", "error"] {
        assert!(mixed.err.contains(unit), "{}", mixed.err);
    }
    assert_eq!(with(&["--compare", "diversity"]).code, Some(0));

    // Requests that cannot be met say how they could be.
    for (arguments, hint) in [
        (with(&[]), "--compare"),
        (
            mendel(&["analyse", &folders[0], "peas"], b""),
            "pca, distance",
        ),
        (mendel(&["analyse"], b""), "--player"),
        (
            mendel(&["analyse", &folders[0], "--compare"], b""),
            "more runs",
        ),
    ] {
        assert_eq!(arguments.code, Some(2), "{}", arguments.err);
        assert!(arguments.err.contains(hint), "{}", arguments.err);
    }
}
