//! Who may become the champion.

use mendel_evolve::MemberId;
use mendel_fitness::trial::Incumbent;
use mendel_fitness::trials::FinalistRule;
use mendel_lab::breed::{Finalist, keep};

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
