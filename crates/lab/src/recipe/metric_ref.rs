//! Names of our metrics in recipes: `ours` of a published figure.

/// Which figure of ours a recipe means by `ours`: `seconds`, `STEP: FIGURE`,
/// `STEP: PLAYER: FIGURE` or `STEP: FIRST - SECOND: FIGURE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricRef {
    /// The step; none for the whole pipeline.
    pub step: Option<String>,
    /// Whom it is about: none for runs, a player, or two.
    pub who: Vec<String>,
    pub what: String,
}

const OF_RUNS: [&str; 9] = [
    "training.parent",
    "training.champion",
    "training.gain",
    "holdout.parent",
    "holdout.champion",
    "holdout.gain",
    "match.parent.elo",
    "match.parent.games",
    "seconds",
];
const OF_PLAYERS: [&str; 23] = [
    // In a match.
    "elo",
    "score",
    "points",
    "draws",
    "accuracy",
    "games",
    "wins-per-loss",
    // Of moves that are known.
    "right",
    "share",
    "from",
    "to",
    "pawns",
    "rooks",
    "knights",
    "bishops",
    "queens",
    "kings",
    "opening",
    "middle game",
    "ending",
    "positions",
    // Of scores beside an expert's; the parts of the game are correlations then.
    "correlation",
    "error",
];
const OF_PAIRS: [&str; 3] = ["elo", "score", "games"];

impl MetricRef {
    /// Reads the words of a recipe, in which the steps have these names.
    ///
    /// # Errors
    ///
    /// If they mean nothing; the text says what would be right.
    pub fn parse(text: &str, steps: &[&str]) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(": ").map(str::trim).collect();
        let (step, who, what, known): (_, Vec<&str>, _, &[&str]) = match parts[..] {
            [what] => (None, vec![], what, &["seconds"]),
            [step, what] => (Some(step), vec![], what, &OF_RUNS),
            [step, who, what] => {
                let who: Vec<&str> = who.split(" - ").map(str::trim).collect();
                let known: &[&str] = if who.len() == 1 {
                    &OF_PLAYERS
                } else {
                    &OF_PAIRS
                };
                (Some(step), who, what, known)
            }
            _ => return Err(format!("`{text}` means nothing; {FORMS}")),
        };
        if let Some(step) = step.filter(|step| !steps.contains(step)) {
            let names = steps.join("`, `");
            return Err(format!("there is no step `{step}`; there are `{names}`"));
        }
        if !known.contains(&what) || who.len() > 2 {
            let names = known.join("`, `");
            return Err(format!(
                "`{what}` means nothing there; use `{names}`, or {FORMS}"
            ));
        }
        Ok(Self {
            step: step.map(str::to_owned),
            who: who.into_iter().map(str::to_owned).collect(),
            what: what.to_owned(),
        })
    }
}

const FORMS: &str = "write `seconds`, `STEP: training.champion`, `STEP: PLAYER: score` or `STEP: FIRST - SECOND: elo`";
