//! `mendel tune`: killed and resumed, with engines that crash, and what it refuses.

use std::fs;
use std::path::Path;

use crate::support::{MENDEL, Scratch, json, kill_when, last_json, read, size};

/// Two numbers of our own search.
pub(crate) const PARAMS: &str = r#"
[[param]]
name = "null_reduction"
kind = "spin"
start = 1
low = 1
high = 5
step = 1

[[param]]
name = "aspiration_window"
kind = "spin"
start = 200
low = 10
high = 200
step = 20
"#;

/// The parameters that are tuned in a file, and the words of the command.
fn request<'a>(params: &'a str, folder: &'a str) -> Vec<&'a str> {
    vec![
        "tune",
        "mendel?Hash=1",
        "--params",
        params,
        "--nodes",
        "40",
        "--games",
        "160",
        "--proof-games",
        "20",
        "--seed",
        "3",
        "--out",
        folder,
    ]
}

#[test]
fn a_tuning_killed_five_times_equals_the_unbroken_one_on_one_thread_and_on_two() {
    let scratch = Scratch::new("tune-killed");
    let params = scratch.put("params.toml", PARAMS);
    let folders = ["one", "two", "killed"].map(|name| scratch.at(name));
    for (folder, threads) in folders.iter().zip(["1", "2"]) {
        let mut arguments = request(&params, folder);
        arguments.extend(["--quiet", "--threads", threads]);
        scratch.printed(&arguments);
    }

    // Killed with SIGKILL when this part of the pairs is there, then brought to its end.
    let killed = &folders[2];
    let first = request(&params, killed);
    let again = ["resume", killed, "--quiet"];
    let written = |folder: &str| size(Path::new(folder).join("pairs.jsonl"));
    for percent in [1, 25, 45, 60, 75] {
        let begun = Path::new(killed).join("manifest.toml").exists();
        let arguments = if begun { &again[..] } else { &first };
        let child = scratch.start(arguments);
        let enough = written(&folders[0]) * percent / 100;
        let killed = kill_when(child, "pairs are played", || written(killed) > enough);
        assert!(killed, "it was over before {percent} % of its pairs");
    }
    scratch.printed(&again);
    for name in [
        "tune.toml",
        "pairs.jsonl",
        "rounds.jsonl",
        "result.json",
        "champion.toml",
        "champion.txt",
    ] {
        let without_command = |text: String| -> String {
            // What was typed names the folder.
            let lines = text.lines().filter(|line| !line.starts_with("command"));
            lines.collect::<Vec<_>>().join("\n")
        };
        if folders.iter().all(|it| !Path::new(it).join(name).exists()) {
            continue;
        }
        let unbroken = without_command(read(&folders[0], name));
        assert_eq!(
            unbroken,
            without_command(read(&folders[1], name)),
            "{name} on two threads"
        );
        assert_eq!(
            unbroken,
            without_command(read(killed, name)),
            "{name} after five deaths"
        );
    }

    tells_of_itself(&scratch, killed);
    let said = scratch.run(&first);
    assert_eq!(
        said.code,
        Some(2),
        "a folder is not used twice: {}",
        said.err
    );
}

/// What is in the folder of a tuning that is done, and who knows it.
fn tells_of_itself(scratch: &Scratch, folder: &str) {
    // What came of it.
    let result = json(&read(folder, "result.json"));
    let params = result["params"].as_array().expect("a list");
    assert_eq!(params.len(), 2);
    let start = result["engine"].as_str().expect("a text");
    let spoilt = "null_reduction=1&aspiration_window=200";
    assert!(
        start.ends_with(spoilt),
        "it starts where the file says: {start}"
    );
    assert!(read(folder, "proof/match.toml").contains(spoilt) || result["proof"].is_null());
    assert!(
        params
            .iter()
            .all(|it| it["interval"][0].is_number() && it["gain"]["low"].is_number())
    );
    assert_eq!(result["curve"].as_array().map(Vec::len), Some(5));
    let verdict = result["verdict"].as_str().expect("a text");
    assert!(
        verdict.starts_with("proved") || verdict.starts_with("not proved"),
        "{verdict}"
    );
    let champion = Path::new(folder).join("champion.toml");
    assert_eq!(champion.exists(), verdict.starts_with("proved"));

    // Others know it.
    let runs = json(&scratch.printed(&["runs", "--json"]));
    let tunings = runs.as_array().expect("a list").iter();
    assert_eq!(tunings.filter(|it| it["kind"] == "tune").count(), 3);
    let page = scratch.printed(&["report", folder]);
    let page = fs::read_to_string(page.trim()).expect("a page");
    for words in [
        "Paths of the parameters",
        "Strength on the way",
        "Landscapes",
        "null_reduction",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

/// Our own program, but it dies when an option gets a value.
fn fragile(scratch: &Scratch, name: &str, value: &str) -> String {
    let script = format!(
        "while read -r line; do\n case \"$line\" in *'name {name} value '{value}) echo 'assertion failed' >&2; exit 3;; esac\n \
         printf '%s\\n' \"$line\"\ndone | '{MENDEL}' uci --tunable\n"
    );
    let path = scratch.put("fragile.sh", script);
    format!("uci:sh '{path}'")
}

#[test]
fn values_at_which_the_engine_dies_are_infeasible_and_not_scored() {
    let scratch = Scratch::new("tune-fragile");
    let engine = fragile(&scratch, "null_reduction", "7");

    // The probe finds it, and draws the bound in.
    let file = scratch.at("written.toml");
    let arguments = [
        "tune",
        &engine,
        "--options",
        "null_reduction",
        "--depth",
        "6",
        "--write",
        &file,
        "--json",
    ];
    let written = last_json(&scratch.printed(&arguments));
    assert_eq!(
        written["infeasible"][0]["options"], "null_reduction=7",
        "{written}"
    );
    let reason = written["infeasible"][0]["reason"].as_str().expect("a text");
    assert!(reason.contains("ended"), "{reason}");
    let high = written["param"][0]["high"].as_i64().expect("a number");
    assert!(high < 7, "{written}");

    // The games find it too.
    let engine = fragile(&scratch, "null_reduction", "[345]");
    let params = scratch.put("params.toml", PARAMS);
    let folder = scratch.at("folder");
    let arguments = [
        "tune",
        &engine,
        "--params",
        &params,
        "--nodes",
        "30",
        "--games",
        "40",
        "--no-proof",
        "--tuner",
        "random",
        "--out",
        &folder,
        "--json",
        "--quiet",
    ];
    let result = last_json(&scratch.printed(&arguments));
    let infeasible = result["infeasible"].as_array().expect("a list");
    assert!(!infeasible.is_empty(), "{result}");
    for it in infeasible {
        let options = it["options"].as_str().expect("a text");
        let dies = |value| options.contains(&format!("null_reduction={value}"));
        assert!((3..=5).any(dies), "{it}");
    }
    let found = result["params"][0]["number"].as_i64();
    assert!(found.is_some_and(|value| value < 3), "{result}");
    assert!(read(&folder, "rounds.jsonl").contains("infeasible"));
    let verdict = result["verdict"].as_str().expect("a text");
    assert!(verdict.starts_with("not proved"), "{verdict}");

    // An engine that dies as it starts cannot be tuned.
    let engine = fragile(&scratch, "null_reduction", "1");
    let said = scratch.run([
        "tune",
        &format!("{engine}?null_reduction=1"),
        "--nodes",
        "30",
    ]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(
        said.err.contains("assertion failed") || said.err.contains("ended"),
        "{}",
        said.err
    );
}

/// Four games prove nothing; without a proof what was found is what there is.
#[test]
fn a_proof_that_fails_keeps_the_start_values_everywhere() {
    let scratch = Scratch::new("tune-kept");
    let params = scratch.put("params.toml", PARAMS);
    let [kept, found] = ["kept", "found"].map(|name| scratch.at(name));
    let request = |folder: &str, proof: &[&str]| {
        let arguments = [
            "tune",
            "mendel?Hash=1",
            "--params",
            &params,
            "--nodes",
            "40",
            "--games",
            "100",
            "--seed",
            "1",
            "--quiet",
            "--out",
            folder,
        ];
        scratch.printed(&[&arguments[..], proof].concat())
    };
    let words = "the start values are kept";
    let page = |folder: &str| read(folder, "report.html");
    let exists = |folder: &str, name: &str| Path::new(folder).join(name).exists();

    // 1. The proof was played, and proves nothing.
    let told = request(&kept, &["--proof-games", "4"]);
    let result = json(&read(&kept, "result.json"));
    let verdict = result["verdict"].as_str().expect("a text");
    assert!(verdict.starts_with("not proved"), "{verdict}");
    assert!(!result["proof"].is_null(), "a proof was played: {result}");
    let start = result["engine"].as_str().expect("a text");
    assert!(told.contains(&format!("{words}: {start}\n")), "{told}");
    assert!(!told.contains("tuned: "), "{told}");
    assert_eq!(result["engine_tuned"], start);
    assert_eq!(result["options"], "null_reduction=1&aspiration_window=200");
    assert_eq!(result["keeps_start"], true);
    assert!(page(&kept).contains(words));
    for name in ["champion.txt", "champion.toml"] {
        assert!(!exists(&kept, name), "{name}");
    }
    let again = scratch.printed(&["resume", &kept, "--quiet", "--json"]);
    assert_eq!(last_json(&again)["engine_tuned"], start);

    // 2. No proof was wanted.
    let told = request(&found, &["--no-proof"]);
    let result = json(&read(&found, "result.json"));
    assert_eq!(result["keeps_start"], false, "{result}");
    let tuned = result["engine_tuned"].as_str().expect("a text");
    assert!(told.contains(&format!("tuned: {tuned}\n")), "{told}");
    assert!(!page(&found).contains(words));
    assert!(read(&found, "champion.txt").starts_with(tuned));
    let champion = read(&found, "champion.toml");
    assert!(
        champion.contains("[pedigree]") && champion.contains("recipe = \"tune\""),
        "{champion}"
    );
    let player = Path::new(&found)
        .join("champion.toml")
        .display()
        .to_string();
    scratch.printed(&["eval", "startpos", "--player", &player]);
}

#[test]
fn what_cannot_be_tuned_is_refused_with_the_reason() {
    let scratch = Scratch::new("tune-refused");
    let nodes = ["--nodes", "30"];
    let no_options = scratch.at("plain.sh");
    let script = "while read -r line; do case \"$line\" in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done";
    fs::write(&no_options, script).expect("there is room");
    let plain = format!("uci:sh '{no_options}'");
    let table: [(&[&str], &str); 9] = [
        (&[], "no engine"),
        (&["nobody"], "there is no player `nobody`"),
        (&["uci:/no/such/engine"], "cannot be started"),
        (&[&plain], "offers no options"),
        (&["mendel", "--options", "Razr*"], "`Razr*` matches none"),
        (&["mendel", "--games", "3"], "at least 20"),
        (
            &["mendel", "--tuner", "magic"],
            "the tuners are surface, spsa",
        ),
        (
            &["mendel", "--params", "/no/such/file.toml"],
            "/no/such/file.toml",
        ),
        (&["mendel?null_reduction=99"], "null_reduction=99"),
    ];
    for (arguments, reason) in table {
        let said = scratch.run([&["tune"], arguments, &nodes].concat());
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(reason), "{arguments:?}: {}", said.err);
    }
    let said = scratch.run(["tune", "mendel"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("--nodes"), "{}", said.err);

    // Parameter files.
    let path = scratch.at("params.toml");
    let table = [
        ("null_reduction", "razor", "no option of the engine"),
        ("high = 5", "high = 500", "the engine takes"),
        ("start = 1", "start = 7", "outside 1 to 5"),
        ("step = 1", "step = 0", "above 0"),
        ("kind = \"spin\"", "kind = \"check\"", "true or false"),
        ("low = 10", "low = 300", "must rise"),
        ("low = 10\n", "", "needs `low` and `high`"),
        ("aspiration_window", "null_reduction", "twice"),
        ("start = 200", "begin = 200", "begin"),
        ("[[param]]", "[[parameter]]", "parameter"),
    ];
    for (from, to, reason) in table {
        fs::write(&path, PARAMS.replacen(from, to, 1)).expect("there is room");
        let said = scratch.run(["tune", "mendel", "--params", &path, "--nodes", "30"]);
        assert_eq!(said.code, Some(2), "{to}: {}", said.err);
        assert!(said.err.contains(reason), "{to}: {}", said.err);
        assert!(said.err.contains("params.toml"), "{to}: {}", said.err);
    }
}

/// An engine written by others, where it is installed.
#[test]
fn the_options_of_toga_are_read_and_probed() {
    if !Path::new("/usr/games/toga2").exists() {
        return;
    }
    let scratch = Scratch::new("tune-toga");
    let file = scratch.at("toga.toml");
    let arguments = [
        "tune",
        "uci:/usr/games/toga2",
        "--depth",
        "3",
        "--write",
        &file,
        "--json",
        "--options",
        "Pawn*,NullMove*,Search Time,Hash*",
    ];
    let said = scratch.run(arguments);
    assert_eq!(
        said.code,
        Some(2),
        "nobody tunes a table by a pattern: {}",
        said.err
    );
    let arguments = [&arguments[..8], &["Pawn*,NullMove*,History Threshold"]].concat();
    let written = last_json(&scratch.printed(&arguments));
    let names: Vec<&str> = written["param"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert!(names.contains(&"Pawn Structure"), "{written}");
    assert!(!names.contains(&"Hash"), "{written}");
    let text = fs::read_to_string(&file).expect("it was written");
    assert!(
        text.contains("[[param]]") && text.contains("step ="),
        "{text}"
    );
}

#[test]
fn the_bench_of_tuners_repeats_its_table() {
    let scratch = Scratch::new("tune-bench");
    let request = [
        "tune", "--bench", "--games", "60", "--sizes", "2", "--seeds", "1",
    ];
    let table = scratch.printed(&request);
    assert!(
        table.contains("surface") && table.contains("genetic"),
        "{table}"
    );
    assert_eq!(table, scratch.printed(&request));
    let text = scratch.printed(&[&request[..], &["--json", "--threads", "1"]].concat());
    let value = json(&text);
    assert_eq!(value["start"], 80.0);
    assert_eq!(value["cells"][0]["knobs"], 2);

    let one = [&request[..], &["--tuner", "surface,surface"]].concat();
    let table = scratch.printed(&one);
    assert!(table.contains("less that of plain SPSA"), "{table}");
    let rows = |name: &str| table.lines().filter(|it| it.starts_with(name)).count();
    assert_eq!((rows("surface"), rows("spsa")), (2, 1), "{table}");

    let refused = |arguments: &[&str]| {
        let said = scratch.run([&["tune", "--bench"], arguments].concat());
        assert_eq!(said.code, Some(2), "{}", said.err);
        said.err
    };
    assert!(refused(&["--tuner", "luck"]).contains("`luck`"));
    assert!(refused(&["--landscapes", "flat"]).contains("flat"));
    assert!(refused(&["--games", "1"]).contains("--games 1"));
    assert!(refused(&["uci:toga2"]).contains("--bench"));
}
