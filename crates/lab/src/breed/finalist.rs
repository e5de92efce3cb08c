//! Who may become the champion.

use serde::{Deserialize, Serialize};

use mendel_fitness::trial::{Incumbent, MemberWeights};
use mendel_fitness::trials::FinalistRule;

/// Who may become the champion: to be judged again on all positions, or by fresh
/// games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finalist {
    /// The generation it is from; none for the parent itself.
    pub(crate) generation: Option<u32>,
    /// Its place there; none for what a breeder makes of all members.
    pub(crate) member: Option<u32>,
    pub(crate) weights: MemberWeights,
    pub(crate) score: f64,
}

/// Keeps whoever may become the champion, the likeliest first: the best of a generation,
/// or a new king.
pub(crate) fn keep(
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

#[cfg(test)]
mod tests {
    use mendel_evolve::MemberId;

    use super::*;

    /// Which of these generations' bests are left, the likeliest first.
    fn left(rule: FinalistRule, bests: &[(i32, f64)], crowned: &[usize]) -> Vec<i32> {
        let mut finalists = Vec::new();
        for (generation, &(weight, score)) in bests.iter().enumerate() {
            let id = MemberId {
                generation: generation as u32,
                member: 0,
            };
            let king = crowned.contains(&generation).then(|| Incumbent {
                id: Some(id),
                member: vec![weight].into(),
            });
            let finalist = Finalist {
                generation: Some(id.generation),
                member: Some(id.member),
                weights: vec![weight].into(),
                score,
            };
            keep(rule, &mut finalists, finalist, king);
        }
        finalists.iter().map(|it| it.weights[0]).collect()
    }

    #[test]
    fn each_trial_keeps_those_that_it_can_choose_from() {
        let bests = [(1, 5.0), (2, 9.0), (1, 7.0), (3, 8.0), (4, 6.0)];
        let table: [(FinalistRule, &[i32]); 6] = [
            (FinalistRule::Best, &[2]),
            (FinalistRule::Each, &[1, 2, 3, 4]),
            (FinalistRule::Latest(2), &[4, 3]),
            (FinalistRule::Latest(9), &[4, 3, 1, 2]),
            (FinalistRule::Top(2), &[2, 3]),
            (FinalistRule::Kings(2), &[3, 2]),
        ];
        for (rule, expected) in table {
            assert_eq!(left(rule, &bests, &[0, 1, 3]), expected, "{rule:?}");
        }
        assert!(
            left(FinalistRule::Kings(3), &bests, &[]).is_empty(),
            "the parent stays"
        );
    }
}
