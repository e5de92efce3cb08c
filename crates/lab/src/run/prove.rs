//! What comes after the last generation: the champion's file, and its proof.

use std::path::Path;
use std::time::Instant;

use mendel_arena::Progress;
use mendel_engine::Player;

use super::finalist::Finalist;
use super::folder::{FolderError, RunFolder};
use super::prepare::Bench;
use super::stage::timing;
use super::{Event, Outcome, RunError, Running};
use crate::pedigree::inherit;
use crate::proof::{Bout, FOUNDER, OUTSIDE, PARENT, Proof, UNMOVED, first_that_plays};

/// One match of a proof: the role, the folder's name and the opponent.
type Planned<'a> = (&'static str, String, &'a str);

impl Running<'_> {
    /// The champion as a player, with its pedigree.
    pub(super) fn champion(&self, champion: &Finalist, bench: &Bench) -> Result<Player, RunError> {
        let bred = bench.player(&champion.weights)?;
        let mut pedigree = toml::Table::new();
        pedigree.insert("run".into(), self.manifest.id.clone().into());
        pedigree.insert("recipe".into(), self.recipe.name.clone().into());
        pedigree.insert("seed".into(), self.manifest.seed.to_string().into());
        pedigree.insert("version".into(), self.manifest.version.clone().into());
        for (key, number) in [
            ("generation", champion.generation),
            ("member", champion.member),
        ] {
            if let Some(number) = number {
                pedigree.insert(key.into(), i64::from(number).into());
            }
        }
        let data = bench.data_names();
        if !data.is_empty() {
            pedigree.insert("data".into(), data.into());
        }
        let mut parents = vec![&self.recipe.parent];
        parents.extend(self.recipe.founders.iter().map(|(_, player)| player));
        inherit(&mut pedigree, &parents);
        Ok(Player {
            name: format!("{}-{}", self.recipe.name, self.manifest.seed),
            about: format!(
                "Bred by the recipe {} with seed {}",
                self.recipe.name, self.manifest.seed
            ),
            pedigree,
            ..bred
        })
    }

    /// Measures the champion on positions, then in games.
    pub(super) fn prove(
        mut self,
        champion: &Finalist,
        bench: &mut Bench,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Outcome, RunError> {
        let began = Instant::now();
        let last = self.recipe.stages.len() - 1;
        let mut proof = Proof::default();
        (proof.training, proof.holdout) =
            bench.measure(last, &champion.weights, self.work.threads)?;
        // Matches that were played stay, also if nobody asks for them now.
        let before = Proof::read(self.folder.path()).ok().flatten();
        proof.matches = before.map_or_else(Vec::new, |it| it.matches);
        proof.conclude();
        watch(Event::Measured(&proof));
        if champion.weights == bench.parent() {
            // A match of a player with itself proves nothing.
            UNMOVED.clone_into(&mut proof.verdict);
        } else {
            if self.work.proof && !self.matches(&mut proof, watch)? {
                return Ok(self.unfinished());
            }
            proof.conclude();
        }
        proof.write(self.folder.path()).map_err(FolderError::from)?;
        self.folder.timing(&timing("proof", None, began))?;
        Ok(Outcome {
            manifest: self.manifest,
            proof: Some(proof),
        })
    }

    /// Plays the matches of the proof; `false` if somebody asked to stop.
    fn matches(&self, proof: &mut Proof, watch: &mut dyn FnMut(Event)) -> Result<bool, RunError> {
        let settings = &self.recipe.proof;
        let path = self.folder.path().join("proof");
        let champion = self.folder.path().join(RunFolder::CHAMPION);

        // 1. Against whom.
        let parent = self.recipe.parent_name.as_str();
        let mut planned: Vec<Planned> = vec![(PARENT, PARENT.to_owned(), parent)];
        if settings.founders {
            let founders = self.recipe.founders.iter().enumerate();
            planned.extend(founders.map(|(place, (name, _))| {
                let folder = format!("{FOUNDER}-{}", place + 1);
                (FOUNDER, folder, name.as_str())
            }));
        }
        let outside = first_that_plays(&settings.outside);
        planned.extend(outside.map(|opponent| (OUTSIDE, OUTSIDE.to_owned(), opponent)));
        if outside.is_none() && !settings.outside.is_empty() {
            let names = settings.outside.join("`, `");
            let note = format!("no outside player could be started: `{names}`");
            proof.notes.push(note);
        }

        // 2. The matches.
        proof.matches.clear();
        for (role, folder, opponent) in &planned {
            let bout = Bout {
                folder: path.join(folder),
                champion: &champion,
                opponent,
                role,
                seed: self.manifest.seed,
                threads: self.work.threads,
                crew: self.work.crew.as_ref(),
            };
            let mut told = |progress: &Progress| {
                watch(Event::Game {
                    role,
                    opponent,
                    progress,
                });
            };
            let played = bout.play(settings, &self.work.stop, &mut told)?;
            let Some(played) = played else {
                return Ok(false);
            };
            proof.matches.push(played);
        }
        self.gather_games(&path, &planned)?;
        Ok(true)
    }

    /// All games of the proof in one file.
    fn gather_games(&self, path: &Path, planned: &[Planned]) -> Result<(), RunError> {
        let mut games = String::new();
        for (_, folder, _) in planned {
            let path = path.join(folder).join("games.pgn");
            games.push_str(&std::fs::read_to_string(path).unwrap_or_default());
        }
        Ok(self.folder.write(RunFolder::GAMES, &games)?)
    }
}
