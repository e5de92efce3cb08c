//! Who may become the champion.

use serde::{Deserialize, Serialize};

use mendel_fitness::trial::{Incumbent, MemberWeights};
use mendel_fitness::trials::FinalistRule;

/// Who may become the champion: to be judged again on all positions, or by fresh
/// games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finalist {
    /// The generation it is from; none for the parent itself.
    pub generation: Option<u32>,
    /// Its place there; none for what a breeder makes of all members.
    pub member: Option<u32>,
    pub weights: MemberWeights,
    pub score: f64,
}

/// Keeps whoever may become the champion, the likeliest first: the best of a generation,
/// or a new king.
pub fn keep(
    rule: FinalistRule,
    finalists: &mut Vec<Finalist>,
    finalist: Finalist,
    king: Option<Incumbent>,
) {
    let is_new = |finalists: &[Finalist], finalist: &Finalist| {
        finalists.iter().all(|it| it.weights != finalist.weights)
    };
    match rule {
        FinalistRule::Best => {
            if finalists.iter().all(|it| finalist.score > it.score) {
                *finalists = vec![finalist];
            }
        }
        FinalistRule::Each => {
            if is_new(finalists, &finalist) {
                finalists.push(finalist);
            }
        }
        FinalistRule::Latest(most) => {
            finalists.retain(|it| it.weights != finalist.weights);
            finalists.insert(0, finalist);
            finalists.truncate(most.max(1));
        }
        FinalistRule::Top(most) => {
            if is_new(finalists, &finalist) {
                let above = finalists.iter().filter(|it| it.score >= finalist.score);
                finalists.insert(above.count(), finalist);
                finalists.truncate(most.max(1));
            }
        }
        FinalistRule::Kings(most) => {
            if let Some(king) = king {
                finalists.insert(
                    0,
                    Finalist {
                        generation: king.id.map(|id| id.generation),
                        member: king.id.map(|id| id.member),
                        weights: king.member,
                        score: finalist.score,
                    },
                );
                finalists.truncate(most.max(1));
            }
        }
    }
}
