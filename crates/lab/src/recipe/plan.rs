//! The plan of a run, a sweep or a pipeline: a recipe, and a data set in place of the recipe's.

use mendel_store::frame::{Failure, Manifest, OrInvalid as _};
use serde::{Deserialize, Serialize};

use super::Recipe;

/// Everything that decides what is bred, besides the seed. Its file is `recipe.toml`; the data
/// set is the fact `data_override` of the manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecipePlan {
    pub recipe: Recipe,
    /// A data set instead of the recipe's: a built-in name or a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
}

impl From<Recipe> for String {
    fn from(recipe: Recipe) -> Self {
        recipe.to_toml()
    }
}

impl TryFrom<String> for Recipe {
    type Error = super::Complaint;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text, ORIGIN, &[])
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
