//! Requests that do not fit into memory.

use std::process::Command;

use super::Inputs;
use crate::support::{Said, finish};

/// Each with what its error names. 2,000 MiB are said to be available.
const REQUESTS: [(&str, &str); 10] = [
    (
        "breed cosyne-1hidden --set breeder.population=1000000 --set breeder.offspring=500000",
        "`breeder.population`",
    ),
    (
        "breed cosyne-1hidden --set genome.network.hidden=[4096,4096]",
        "`genome.network.hidden`",
    ),
    (
        "breed neat --set breeder.population=1000000",
        "`breeder.population`",
    ),
    (
        "breed first-steps --set breeder.population=1000000",
        "`breeder.population`",
    ),
    (
        "breed cosyne-1hidden --set trial.opponents=19998 --set breeder.population=20000 --set genome.network.hidden=[1]",
        "`breeder.population`",
    ),
    (
        "breed cosyne-1hidden --set trial.hash=60000",
        "`trial.hash`",
    ),
    (
        "data make selfplay --positions 100000000 --out new.mds",
        "100000000 positions",
    ),
    (
        "match material?Hash=65536 material --nodes 5 --games 2",
        "65536 MiB",
    ),
    (
        "match material?Hash=90 material --nodes 5 --games 2 --concurrency 64",
        "tables of 106 MiB in each of 64 games",
    ),
    ("play --hash 65536", "65536 MiB"),
];

/// With an address space of 4 GB, so that a program that takes the memory ends.
fn with_little(inputs: &Inputs, words: &str, memory: &str, input: &[u8]) -> Said {
    let mut command = with_limit(inputs, words);
    finish(command.env("MENDEL_MEMORY", memory), input)
}

fn with_limit(inputs: &Inputs, words: &str) -> Command {
    let plain = inputs.command(words.split(' '));
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -v 4000000; exec \"$0\" \"$@\""])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(inputs.at(""))
        .env("MENDEL_HOME", inputs.at("home"));
    command
}

#[test]
fn a_request_that_does_not_fit_is_refused_with_the_estimate() {
    let inputs = Inputs::new("memory");
    let before = inputs.names("");
    for (words, named) in REQUESTS {
        let said = with_little(&inputs, words, "2000", b"");
        assert_eq!(said.code, Some(2), "{words}: {}", said.err);
        let needs = said.err.contains("needs about ");
        let has = said.err.contains(" of memory, and 2.0 GiB are available");
        assert!(needs && has, "{words}: {}", said.err);
        assert!(said.err.contains(named), "{words}: {}", said.err);
        assert!(said.err.contains("\n\nhint: "), "{words}: {}", said.err);
        assert_eq!(inputs.names(""), before, "{words}: something was made");
    }
}

/// Without `MENDEL_MEMORY`, the limit of the process counts as well.
#[test]
fn a_request_that_does_not_fit_the_limit_of_the_process_is_refused() {
    let inputs = Inputs::new("memory-process");
    let before = inputs.names("");
    let words = "breed cosyne-1hidden --set breeder.population=40000 --set breeder.offspring=20000";
    let mut command = with_limit(&inputs, words);
    let said = finish(command.env_remove("MENDEL_MEMORY"), b"");
    assert_eq!(said.code, Some(2), "{}", said.err);
    let told = ["`breeder.population`", "needs about 15.", "are available"];
    for part in told {
        assert!(said.err.contains(part), "{part} is missing in {}", said.err);
    }
    assert_eq!(inputs.names(""), before, "something was made");
}

#[test]
fn a_gui_hears_that_a_table_does_not_fit() {
    let inputs = Inputs::new("memory-uci");
    let input = b"setoption name Hash value 65536\nisready\ngo depth 1\nquit\n";
    let said = with_little(&inputs, "uci", "2000", input);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let told = "needs about 64.0 GiB of memory, and 2.0 GiB are available";
    assert!(said.out.contains(told), "{}", said.out);
    assert!(said.out.contains("bestmove"), "{}", said.out);
}

#[test]
fn the_memory_of_the_environment_is_a_number() {
    let inputs = Inputs::new("memory-words");
    for wrong in ["much", "0", "-1", ""] {
        let said = with_little(&inputs, "players", wrong, b"");
        assert_eq!(said.code, Some(2), "{wrong}: {}", said.err);
        assert!(said.err.contains("MENDEL_MEMORY"), "{wrong}: {}", said.err);
    }
}
