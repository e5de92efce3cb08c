//! A step that draws players by chance: what breeding is to be better than.

use mendel_evolve::{Breeder as _, Origin};
use mendel_fitness::breeders::random_search;
use mendel_fitness::genome::space::{Space, SpaceKind};
use mendel_store::frame::Failure;
use toml::Table;

use super::refer::StepOutputs;
use super::{Output, PipelineStep, StepRun};
use crate::recipe::steps::ChanceSettings;
use crate::recipe::{Misfit, Recipe, StageBreeder, require};
use crate::record::Drawn;

impl ChanceSettings {
    /// The recipe, or which key is wrong and why.
    fn recipe(&self) -> Result<(Recipe, Space), Misfit> {
        let sets = (1..=1000).contains(&self.sets);
        require(sets, "sets", "must be from 1 to 1000")?;
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

impl PipelineStep for ChanceSettings {
    fn check(&self, _made: &StepOutputs) -> Result<(), Misfit> {
        self.recipe().map(drop)
    }

    /// The players, each in a file.
    fn run(&self, step: &StepRun) -> Result<Output, Failure> {
        let own = &step.pipeline.recipe;
        let found = self.recipe();
        let table = format!("step.{}.chance", step.turn.step);
        let (recipe, space) = found.map_err(|misfit| own.misfit(&table, misfit))?;
        let folder = step.folder()?;
        let count = self.sets as usize;
        let breeder = &recipe.stages[0].breeder;
        let members = drawn(&space, breeder, count, step.seed(0)).unwrap_or_default();
        let mut files = Vec::with_capacity(members.len());
        for (number, member) in (1..).zip(&members) {
            let player = space.player(&recipe.parent, member);
            let mut player = player.map_err(|error| own.complaint("", error))?;
            player.name = format!("{}-{number:03}", step.name());
            player.about = format!("Drawn by chance from the genomes of {}", recipe.name);
            player.pedigree = Table::new();
            let origin = "drawn by chance".into();
            player.pedigree.insert("origin".to_owned(), origin);
            let file = format!("{number:03}.toml");
            folder.write(&file, player.to_toml())?;
            files.push(format!("{}/{file}", step.relative()));
        }
        Ok(Output::Chance(Drawn {
            recipe: recipe.name,
            files,
        }))
    }
}
