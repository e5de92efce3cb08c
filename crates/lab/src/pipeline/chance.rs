//! A step that draws players by chance: what breeding is to be better than.

use mendel_evolve::{Breeder as _, Origin};
use mendel_fitness::breeders::random_search;
use mendel_fitness::genome::space::{Space, SpaceKind};
use mendel_store::replace;

use super::PipelineExecutor;
use mendel_store::frame::Failure;

use super::refer::{folder_of, seed_of};
use crate::recipe::steps::{ChanceSettings, Settings, Turn};
use crate::recipe::{Recipe, StageBreeder};
use crate::record::Drawn;

impl ChanceSettings {
    /// The recipe, or which key is wrong and why.
    pub(super) fn recipe(&self) -> Result<(Recipe, Space), (&'static str, String)> {
        if !(1..=1000).contains(&self.sets) {
            return Err(("sets", "must be from 1 to 1000".to_owned()));
        }
        let wrong = |reason: String| ("recipe", reason);
        let recipe = Recipe::find(&self.recipe, &[]).map_err(|it| wrong(it.to_string()))?;
        let Some(stage) = recipe.stages.first() else {
            let reason = format!("`{}` breeds nothing itself", self.recipe);
            return Err(wrong(reason));
        };
        let space = Space::new(&recipe.parent, &stage.genome).map_err(|it| wrong(it.reason))?;
        let grows = matches!(space.kind, SpaceKind::Nets(_));
        if grows || drawn(&space, &stage.breeder, 1, 1).is_none() {
            let reason = format!("`{}` breeds what chance cannot draw", self.recipe);
            return Err(wrong(reason));
        }
        Ok((recipe, space))
    }
}

/// Members of a space that are drawn at random; `None` where its first generation is not.
fn drawn(space: &Space, breeder: &StageBreeder, count: usize, seed: u64) -> Option<Vec<Vec<i32>>> {
    // Random networks hardly ever play: they are drawn as their breeder begins, one first
    // generation after the other, until there are enough.
    let first = |seed: u64| match random_search(space, count, Vec::new(), seed) {
        Some(search) => Some(search),
        None => breeder.settings.make(space, Vec::new(), seed).ok(),
    };
    let mut members = Vec::with_capacity(count);
    for more in 0.. {
        let offspring = first(seed.wrapping_add(more))?.ask();
        if !offspring.iter().all(|it| it.origin == Origin::Random) {
            return None;
        }
        members.extend(offspring.iter().map(|it| it.genome.decode(space).0));
        if members.len() >= count {
            break;
        }
    }
    members.truncate(count);
    Some(members)
}

impl PipelineExecutor<'_> {
    /// The players of a step, each in a file.
    pub(super) fn draw(
        &self,
        settings: &Settings,
        turn: Turn,
        step: &ChanceSettings,
    ) -> Result<Drawn, Failure> {
        let found = step.recipe().map_err(|(key, reason)| {
            let key = format!("step.{}.chance.{key}", turn.step);
            self.recipe.complaint(&key, reason)
        });
        let (recipe, space) = found?;
        let folder = folder_of(settings, turn);
        self.make_folder(&folder)?;
        let seed = seed_of(self.seed, turn, 0);
        let count = step.sets as usize;
        let members = drawn(&space, &recipe.stages[0].breeder, count, seed).unwrap_or_default();
        let mut files = Vec::with_capacity(members.len());
        for (at, member) in members.iter().enumerate() {
            let player = space.player(&recipe.parent, member);
            let mut player =
                player.map_err(|error| self.recipe.complaint("", error.to_string()))?;
            player.name = format!("{}-{:03}", settings.steps[turn.step].name, at + 1);
            player.about = format!("Drawn by chance from the genomes of {}", recipe.name);
            player.pedigree = origin();
            let file = folder.join(format!("{:03}.toml", at + 1));
            replace(&self.folder.join(&file), player.to_toml().as_bytes())?;
            files.push(file.to_string_lossy().into_owned());
        }
        Ok(Drawn {
            recipe: recipe.name,
            files,
        })
    }
}

fn origin() -> toml::Table {
    [("origin".to_owned(), "drawn by chance".into())]
        .into_iter()
        .collect()
}
