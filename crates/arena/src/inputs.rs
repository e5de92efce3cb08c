//! What a match depends on outside its folder.

use std::path::Path;

use mendel_store::{ExperimentError, InputHashes};

use crate::{Entrant, Kind};

impl Entrant {
    /// Adds the hashes of all that decides how it plays: of a program the file that is
    /// started and the files that its arguments (`FILE` or `--option=FILE`), environment
    /// and options name; of a player of ours its player file, its networks and the files
    /// that its options name. Log files are left out: programs write them.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read.
    pub fn add_inputs(&self, inputs: &mut InputHashes) -> Result<(), ExperimentError> {
        let mut folder = Path::new("");
        match &self.kind {
            Kind::Bred(player) => {
                if player.home.is_some() {
                    inputs.add_file(Path::new(&self.who()))?;
                }
                for file in player.network_files() {
                    inputs.add_file(&file)?;
                }
            }
            Kind::Program {
                command,
                directory,
                environment,
                ..
            } => {
                // Where a program runs is where its own paths are meant from.
                folder = directory.as_deref().unwrap_or(folder);
                inputs.add_program(&command[0])?;
                for argument in &command[1..] {
                    match argument.split_once('=') {
                        Some((option, _)) if is_log(option) => {}
                        Some((_, value)) if !folder.join(argument).is_file() => {
                            inputs.add_file(&folder.join(value))?;
                        }
                        _ => inputs.add_file(&folder.join(argument))?,
                    }
                }
                for (name, value) in environment {
                    if !is_log(name) {
                        inputs.add_file(&folder.join(value))?;
                    }
                }
            }
        }
        for (name, value) in &self.options {
            if !is_log(name) {
                inputs.add_file(&folder.join(value))?;
            }
        }
        Ok(())
    }
}

/// Whether an option names a file that the program writes: `Debug Log File`, `--logfile`.
fn is_log(option: &str) -> bool {
    let words = option.split(|c: char| !c.is_ascii_alphanumeric());
    words.into_iter().any(|word| {
        let word = word.to_ascii_lowercase();
        word == "log" || word == "logfile"
    })
}

#[cfg(test)]
mod tests {
    use super::is_log;

    #[test]
    fn log_files_are_known_by_the_name_of_their_option() {
        for name in [
            "Debug Log File",
            "LogFile",
            "--logfile",
            "log",
            "--log-to",
            "ENGINE_LOG",
        ] {
            assert!(is_log(name), "{name}");
        }
        for name in ["EvalFile", "Catalog", "Logic", "BookFile", "--weights"] {
            assert!(!is_log(name), "{name}");
        }
    }
}
