//! The plan of a run, a sweep or a pipeline: a recipe, and a data set in place of the recipe's.

use mendel_store::frame::{Failure, Manifest, OrInvalid as _};
use serde::{Deserialize, Serialize};

use super::Recipe;

/// Everything that decides what is bred, besides the seed. Its file is `recipe.toml`; the data
/// set is the fact `data_override` of the manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "PlanText", into = "PlanText")]
pub struct RecipePlan {
    pub recipe: Recipe,
    /// A data set instead of the recipe's: a built-in name or a file.
    pub data: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct PlanText {
    recipe: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
}

impl From<RecipePlan> for PlanText {
    fn from(plan: RecipePlan) -> Self {
        Self {
            recipe: plan.recipe.to_toml(),
            data: plan.data,
        }
    }
}

impl TryFrom<PlanText> for RecipePlan {
    type Error = super::Complaint;

    fn try_from(text: PlanText) -> Result<Self, Self::Error> {
        Ok(Self {
            recipe: Recipe::parse(&text.recipe, ORIGIN, &[])?,
            data: text.data,
        })
    }
}

/// What errors of a stored recipe name as its source.
const ORIGIN: &str = "`recipe.toml`";

impl RecipePlan {
    /// The fact of the manifest that names the data set.
    pub const DATA: &'static str = "data_override";

    pub fn new(recipe: Recipe) -> Self {
        Self { recipe, data: None }
    }

    pub fn to_toml(&self) -> String {
        self.recipe.to_toml()
    }

    /// Reads what [`to_toml`](Self::to_toml) wrote.
    ///
    /// # Errors
    ///
    /// If the text is no recipe.
    pub fn parse(text: &str, manifest: &Manifest) -> Result<Self, Failure> {
        let data = manifest.facts.get(Self::DATA);
        Ok(Self {
            recipe: Recipe::parse(text, ORIGIN, &[]).or_invalid()?,
            data: data.and_then(|it| it.as_str()).map(str::to_owned),
        })
    }

    /// The command that starts it again: the name of a built-in recipe that was not changed,
    /// else the recipe in the experiment's folder.
    pub fn command(&self, seed: u64) -> String {
        let text = self.recipe.to_toml();
        let name = &self.recipe.name;
        let is_same = |found: Result<Recipe, _>| found.is_ok_and(|it| it.to_toml() == text);
        let recipe = if is_same(Recipe::find(name, &[])) {
            name.clone()
        } else if is_same(Recipe::find_full(name, &[])) {
            format!("{name} --full")
        } else {
            crate::record::RECIPE.to_owned()
        };
        let data = self.data.as_ref().map(|data| format!(" --data {data}"));
        format!(
            "mendel breed {recipe} --seed {seed}{}",
            data.unwrap_or_default()
        )
    }
}
