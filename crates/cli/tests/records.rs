//! `mendel runs`, `mendel report` and `mendel pedigree` on runs made by hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json as value};

use crate::support::{Said, Scratch, json};

/// A run of three generations in the home.
pub(crate) fn run_of_three(scratch: &Scratch, id: &str, seed: u32) -> PathBuf {
    let folder = scratch.path("home/runs").join(id);
    fs::create_dir_all(&folder).expect("there is room for a folder");
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writable");
    put(
        "manifest.toml",
        &format!(
            "kind = \"breed\"\nschema = 1\nid = \"{id}\"\nname = \"peas\"\nseed = {seed}\nversion = \"0.1.0\"\n\
             [facts]\nparent = \"material\"\nbaseline = 20.0\nunit = \"wrinkles\"\nsmaller_is_better = true\ngenes = [\"a,b\", \"c\"]\n"
        ),
    );
    put("recipe.toml", "name = \"peas\"\n");
    let lines: Vec<String> = (0..3)
        .map(|generation| {
            let best = 12 - 2 * generation;
            let line = format!(
                "{{\"v\":1,\"generation\":{generation},\"judgements\":10,\"best\":{best}.5,\"mean\":15,\"worst\":19,\
                 \"deviation\":2,\"diversity\":0.5,\"best_member\":{{\"generation\":{generation},\"member\":0}},\
                 \"genes\":[1,{seed}],\"gene_means\":[1,2],\"histogram\":{{\"low\":8,\"high\":19,\"counts\":[1,2]}}}}"
            );
            let mut line = line.into_bytes();
            mendel_store::add_checksum(&mut line);
            String::from_utf8(line).expect("text stays text") + "\n"
        })
        .collect();
    put("generations.jsonl", &lines.concat());
    let result = "{\n  \"verdict\": \"proved +9 [+1, +17] Elo in 500 games\"\n}";
    let mut result = result.as_bytes().to_owned();
    mendel_store::add_checksum_indented(&mut result).expect("an object");
    fs::write(folder.join("result.json"), result).expect("writable");
    folder
}

#[test]
fn trainings_are_listed_beside_runs() {
    let scratch = Scratch::new("trainings");
    run_of_three(&scratch, "aaa111", 1);
    let folder = scratch.path("home/nets/small");
    fs::create_dir_all(&folder).expect("there is room for a folder");
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writable");
    put(
        "manifest.toml",
        "kind = \"train\"\nschema = 1\nid = \"77\"\nname = \"tiny\"\nseed = 7\nversion = \"0.1.0\"\n\
         [facts]\nfiles = []\ndevice = \"cpu\"\nthreads = 1\ndata = \"some\"\nfingerprint = \"0\"\n",
    );
    let row = |list: &str| {
        let line = list.lines().find(|line| line.contains(" train "));
        line.unwrap_or_else(|| panic!("there is no row in {list}"))
            .to_owned()
    };
    let line = row(&scratch.printed(&["runs"]));
    assert!(line.contains("stopped"), "{line}");

    let result = value!({
        "name": "tiny", "steps": 70, "best-step": 60, "validation-loss": 1.5, "test-loss": 1.5,
        "test-positions": 9, "test": { "from": 0.25, "first": 0.125 }, "paper": {}, "numbers": 5,
        "end": "done", "file": "tiny.net",
    });
    let mut result = serde_json::to_vec_pretty(&result).expect("plain data");
    mendel_store::add_checksum_indented(&mut result).expect("an object");
    fs::write(folder.join("result.json"), result).expect("writable");
    let path = folder.display().to_string();
    let line = row(&scratch.printed(&["runs", &path]));
    for expected in ["tiny", "7", "finished", "70 steps", "0.1250", "first"] {
        assert!(line.contains(expected), "{expected} is missing in {line}");
    }
}

#[test]
fn runs_are_listed_compared_and_found_by_the_beginning_of_their_id() {
    let scratch = Scratch::new("runs");
    let Said { code, out, err } = scratch.run(["runs"]);
    assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
    assert!(err.contains("no experiments yet"), "{err}");

    fs::remove_dir_all(scratch.path("home")).expect("there");
    run_of_three(&scratch, "aaa111", 1);
    run_of_three(&scratch, "bbb222", 2);
    let list = scratch.printed(&["runs"]);
    for expected in [
        "aaa111",
        "bbb222",
        "peas",
        "finished",
        "8.5000",
        "proved +9 [+1, +17]",
    ] {
        assert!(list.contains(expected), "{expected} is missing in {list}");
    }
    let json = json(&scratch.printed(&["runs", "--json"]));
    assert_eq!(json.as_array().map(Vec::len), Some(2));
    let one = scratch.printed(&["runs", "bbb"]);
    assert!(one.contains("bbb222") && !one.contains("aaa111"), "{one}");

    let table = scratch.printed(&["runs", "--compare", "aaa", "bbb"]);
    let line = table.lines().find(|line| line.starts_with("in generation"));
    let cells: Vec<&str> = line.expect("a row").split_whitespace().collect();
    assert_eq!(cells, ["in", "generation", "3", "3"], "{table}");
    assert!(table.contains("wrinkles, smaller is better"), "{table}");
}

#[test]
fn generations_go_out_as_csv_and_as_json_lines() {
    let scratch = Scratch::new("export");
    run_of_three(&scratch, "aaa111", 1);
    run_of_three(&scratch, "bbb222", 2);
    let csv = scratch.printed(&["runs", "--export", "csv", "aaa", "bbb"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 7);
    assert!(
        lines[0].ends_with("random_best,\"gene:a,b\",gene:c"),
        "{csv}"
    );
    assert_eq!(lines[3], "aaa111,peas,1,2,10,8.5,15,19,2,0.5,,1,1");
    assert_eq!(lines[4], "bbb222,peas,2,0,10,12.5,15,19,2,0.5,,1,2");
    let jsonl = scratch.printed(&["runs", "--export", "jsonl", "bbb"]);
    let last: Value = serde_json::from_str(jsonl.lines().last().expect("three")).expect("JSON");
    assert_eq!(
        (&last["run"], &last["best"]),
        (&Value::from("bbb222"), &Value::from(8.5))
    );
}

#[test]
fn a_report_is_written_into_the_folder_or_where_it_is_wanted() {
    let scratch = Scratch::new("report");
    let folder = run_of_three(&scratch, "aaa111", 1);
    let said = scratch.printed(&["report", "aaa"]);
    let page = folder.join("report.html");
    assert!(
        Path::new(said.trim_end()).ends_with("runs/aaa111/report.html"),
        "{said}"
    );
    let html = fs::read_to_string(&page).expect("written");
    assert!(
        html.contains("<b>proved +9 [+1, +17] Elo in 500 games</b>"),
        "{html}"
    );

    let out = scratch.at("elsewhere.html");
    let folder = folder.display().to_string();
    assert_eq!(
        scratch.printed(&["report", &folder, "--out", &out]),
        format!("{out}\n")
    );
    assert_eq!(fs::read_to_string(&out).expect("written"), html);
    let json = json(&scratch.printed(&["report", "aaa", "--json"]));
    assert_eq!(json["best"], 8.5);
    assert_eq!(json["genes"][0]["name"], "a,b");
}

#[test]
fn a_wrong_request_ends_with_two_and_a_hint() {
    let scratch = Scratch::new("wrong");
    run_of_three(&scratch, "aaa111", 1);
    run_of_three(&scratch, "aaa222", 2);
    let empty = scratch.at("empty");
    fs::create_dir_all(&empty).expect("writable");
    let [contest, learning] = ["match", "learning"].map(|name| {
        let folder = scratch.at(name);
        fs::create_dir_all(&folder).expect("writable");
        let file = format!("{folder}/{name}.toml");
        fs::write(file, "").expect("writable");
        folder
    });
    for (arguments, named) in [
        (&["report", "zzz"][..], "`zzz`"),
        (&["resume", &contest], "use mendel 0.1.0"),
        (&["report", &learning], "use mendel 0.1.0"),
        (
            &["breed", "gerald-eval", "--set", "breeder.population=-4"],
            "`--set TABLE.NAME=VALUE`",
        ),
        (&["report", "aaa"], "aaa222"),
        (&["report", &empty], "is not the folder of an experiment"),
        (&["runs", &empty], "is not the folder of an experiment"),
        (&["runs", "--compare"], "`--compare` needs"),
        (&["runs", "--compare", "zzz"], "`zzz`"),
        (&["runs", "--export", "csv"], "`--export` needs"),
        (
            &["runs", "--export", "csv", &empty],
            "is not the folder of an experiment",
        ),
        (&["pedigree", "nobody"], "nobody"),
    ] {
        let Said { code, out, err } = scratch.run(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert_eq!(out, "", "{arguments:?}");
        assert!(
            err.contains(named) && err.contains("\nhint: "),
            "{arguments:?}: {err}"
        );
    }
    let Said { code, err, .. } = scratch.run(["runs", "--export", "xls", "aaa1"]);
    assert_eq!(code, Some(2), "{err}");
    // What is broken is no wrong request.
    let broken = run_of_three(&scratch, "bbb", 3);
    fs::write(broken.join("generations.jsonl"), "nonsense\n{}\n").expect("writable");
    let Said { code, err, .. } = scratch.run(["report", &broken.to_string_lossy()]);
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains("line 1 of") && err.contains("generations.jsonl"),
        "{err}"
    );
}

#[test]
fn a_family_tree_goes_as_far_as_it_is_known() {
    let scratch = Scratch::new("pedigree");
    let player = |file: &str, name: &str, pedigree: &str| {
        let text = format!(
            "name = \"{name}\"\nabout = \"About {name}\"\n[evaluator]\nkind = \"material\"\n[pedigree]\n{pedigree}\n"
        );
        fs::write(scratch.path(file), text).expect("writable");
    };
    player(
        "child.toml",
        "child",
        "recipe = \"peas\"\nseed = 7\nrun = \"3f2a\"\nparents = [\"mother.toml\", \"father.toml\", \"lost.toml\"]",
    );
    player("mother.toml", "mother", "parents = [\"material\"]");
    player("father.toml", "father", "parent = \"child.toml\"");
    let tree = scratch.printed(&["pedigree", &scratch.at("child.toml")]);
    let tree = tree.replace(&scratch.at(""), "");
    for expected in [
        "child  (child.toml)\n│ About child\n│ recipe: peas\n│ seed: 7\n│ run: 3f2a\n├─ mother  (mother.toml)\n│  │ About mother\n│  └─ material\n│       Counts pieces",
        "├─ father  (father.toml)\n│  │ About father\n│  └─ child.toml: is among its own descendants; not followed\n",
        "└─ lost.toml: not followed: cannot read",
    ] {
        // The order of the facts is the table's own.
        let lines: Vec<&str> = expected.lines().collect();
        for line in lines {
            assert!(tree.contains(line), "{line:?} is missing in\n{tree}");
        }
    }
    let json = scratch.printed(&["pedigree", &scratch.at("child.toml"), "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["parents"][0]["parents"][0]["name"], "material");
    assert_eq!(json["pedigree"]["seed"], 7);
    assert!(json["parents"][2]["reason"].is_string());
}
