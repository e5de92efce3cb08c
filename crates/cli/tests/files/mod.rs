//! Files that commands read and write: special ones, wrong ones, and damaged ones.

mod errors;
mod index;
mod memory;
mod special;
mod stdout;
mod unicode;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{MENDEL, Said, Scratch, finish};

/// Inputs for every command that writes a file.
pub(crate) struct Inputs {
    pub(crate) scratch: Scratch,
}

impl Inputs {
    pub(crate) fn new(name: &str) -> Self {
        let inputs = Self {
            scratch: Scratch::new(name),
        };
        let put = |name: &str, text: &str| {
            fs::write(inputs.scratch.at(name), text).expect("there is room for a file");
        };
        put(
            "scores.csv",
            "FEN,Evaluation\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1,95\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,-20\n",
        );
        let game = "[WhiteElo \"2500\"]\n[BlackElo \"2433\"]\n\n";
        put("some.pgn", &format!("{game}1. e4 e5 2. Nf3 Nc6 1-0\n"));
        put(
            "train.toml",
            &include_str!("../../../../recipes/train/human.toml")
                .replace("min-moves = 10", "min-moves = 2"),
        );
        put("levels.toml", crate::strength::LEVELS);
        let run = crate::records::run_of_three(&inputs.scratch, "aaa111", 1);
        fs::rename(run, inputs.at("run")).expect("both are folders for tests");
        fs::remove_dir_all(inputs.at("home")).expect("it was made for the run");
        for arguments in [
            "data import scores.csv --unit centipawns --out set.mds",
            "data games some.pgn --min-moves 2 --out all.games",
        ] {
            let said = inputs.run(arguments.split(' '));
            assert_eq!(said.code, Some(0), "{arguments}: {}", said.err);
        }
        inputs
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        PathBuf::from(self.scratch.at(name))
    }

    /// `mendel` in the scratch folder, which is also its home.
    pub(crate) fn command<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = self.scratch.command(arguments);
        command.current_dir(self.scratch.at(""));
        command
    }

    /// The same without root's right to read and write everything.
    pub(crate) fn without_privileges<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        if fs::metadata("/proc/self").is_ok_and(|it| it.uid() != 0) {
            return self.command(arguments);
        }
        let mut limited = Command::new("setpriv");
        limited
            .args(["--bounding-set", "-dac_override,-dac_read_search", MENDEL])
            .args(arguments)
            .current_dir(self.scratch.at(""));
        self.scratch.set_home(&mut limited);
        limited
    }

    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Said {
        finish(&mut self.command(arguments), b"")
    }

    /// The names in a folder of the scratch folder.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let listing = fs::read_dir(self.at(folder)).expect("a folder");
        let mut names: Vec<String> = listing
            .map(|item| item.expect("an entry").file_name().to_string_lossy().into())
            .collect();
        names.sort();
        names
    }
}

/// Every command that writes a file, but for the name of the file.
pub(crate) const WRITERS: [&str; 8] = [
    "report run --out",
    "data import scores.csv --unit centipawns --out",
    "data games some.pgn --min-moves 2 --out",
    "data draw all.games --recipe train.toml --part train --out",
    "data rows set.mds --player gerald-base --out",
    "data scores set.mds --out",
    "data make quiet --from set.mds --expert mendel --quiet --out",
    "calibrate --table levels.toml --levels 2 --games 2 --nodes 30 --quiet --out",
];

/// The words of such a command with the name of the file.
pub(crate) fn writing(words: &str, out: &str) -> Vec<String> {
    let words = words.split(' ').map(str::to_owned);
    words.chain([out.to_owned()]).collect()
}
