//! What comes after the last generation: the champion's file, and its proof.

use std::path::Path;
use std::time::Instant;

use mendel_arena::MatchOptions;
use mendel_engine::Player;
use mendel_store::frame::Failure;

use super::finalist::Finalist;
use super::prepare::PreparedRun;
use super::run::RunExecutor;
use crate::pedigree::{inherit, of_run};
use crate::proof::{FOUNDER, OUTSIDE, PARENT, Proof, ProofMatch, UNMOVED, first_that_plays};
use crate::record::{CHAMPION, GAMES, RunOutcome};

/// One match of a proof: the role, the folder's name and the opponent.
type Planned<'a> = (&'static str, String, &'a str);

impl RunExecutor<'_> {
    /// The champion as a player, with its pedigree.
    pub(super) fn champion(
        &self,
        champion: &Finalist,
        prepared: &PreparedRun,
    ) -> Result<Player, Failure> {
        let bred = prepared.player(&champion.weights)?;
        let (recipe, run) = (&self.recipe.name, self.manifest);
        let mut pedigree = of_run(&run.id, recipe, run.seed, &run.version);
        for (key, number) in [
            ("generation", champion.generation),
            ("member", champion.member),
        ] {
            if let Some(number) = number {
                pedigree.insert(key.into(), i64::from(number).into());
            }
        }
        let data = prepared.data_names();
        if !data.is_empty() {
            pedigree.insert("data".into(), data.into());
        }
        let mut parents = vec![&self.recipe.parent];
        parents.extend(self.recipe.founders.iter().map(|(_, player)| player));
        inherit(&mut pedigree, &parents);
        Ok(Player {
            name: format!("{recipe}-{}", run.seed),
            about: format!("Bred by the recipe {recipe} with seed {}", run.seed),
            pedigree,
            ..bred
        })
    }

    /// Measures the champion on positions, then in games.
    pub(super) fn prove(
        &self,
        champion: &Finalist,
        prepared: &PreparedRun,
    ) -> Result<RunOutcome, Failure> {
        let began = Instant::now();
        let last = self.recipe.stages.len() - 1;
        let mut proof = Proof::default();
        (proof.training, proof.holdout) =
            prepared.measure(last, &champion.weights, self.options.threads())?;
        proof.conclude();
        self.frame.events().record("measured", &proof);
        // A match of a player with itself proves nothing.
        let is_parent = *champion.weights == *prepared.parent();
        if is_parent {
            UNMOVED.clone_into(&mut proof.verdict);
        } else {
            if self.options.proof {
                self.matches(&mut proof)?;
            }
            proof.conclude();
        }
        self.frame.record_timing("proof", None, began)?;
        Ok(RunOutcome {
            proof,
            matches_played: is_parent || self.options.proof,
        })
    }

    /// Plays the matches of the proof.
    fn matches(&self, proof: &mut Proof) -> Result<(), Failure> {
        let settings = &self.recipe.proof;
        let path = self.frame.file("proof");
        let champion = self.frame.file(CHAMPION);

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
        let options = MatchOptions::by(&self.options.crew);
        for (role, folder, opponent) in &planned {
            let it = ProofMatch {
                champion: &champion,
                opponent,
                role,
                seed: self.manifest.seed,
            };
            let folder = format!("proof/{folder}");
            let played = it.play(self.frame, &folder, settings, &options)?;
            proof.matches.push(played);
        }
        self.gather_games(&path, &planned)
    }

    /// All games of the proof in one file.
    fn gather_games(&self, path: &Path, planned: &[Planned]) -> Result<(), Failure> {
        let mut games = String::new();
        for (_, folder, _) in planned {
            let path = path.join(folder).join("games.pgn");
            games.push_str(&std::fs::read_to_string(path).unwrap_or_default());
        }
        Ok(self.frame.write(GAMES, &games)?)
    }
}
