//! Trials by games with members whose order is known: nought for every weight, a
//! pawn for every piece, and all of GERALD's base evaluation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mendel_engine::Player;
use mendel_fitness::genome::space::{GenomeSettings, Space};
use mendel_fitness::trial::{
    FitnessTrial, GameSettings, GameTrial, GenerationNote, JudgingContext, LadderPoint,
    MemberWeights, PlayedGamesTrial, TrialError,
};
use serde_json::Value;

/// The shortest games that still tell the three apart.
const AROUND: &str = "nodes = 80\nmax-plies = 100\nat-limit = \"material\"\n";

fn settings(text: &str) -> Result<GameSettings, TrialError> {
    let settings: GameSettings = toml::from_str(text).expect("keys that there are");
    settings.check()?;
    Ok(settings)
}

/// The weights of one who knows nothing, one who counts heads, or GERALD's base.
fn member(which: &str) -> Vec<i32> {
    let base = Player::find("gerald-base").expect("built in");
    let pieces = ["pawn", "knight", "bishop", "rook", "queen"];
    let is_piece = |name: &str| pieces.contains(&name.split('.').next().unwrap_or_default());
    let weights = base.evaluator.weights();
    let value = |it: &mendel_evaluator::Weight| match which {
        "all" => it.value,
        "heads" if is_piece(&it.name) => 100,
        _ => 0,
    };
    weights.iter().map(value).collect()
}

/// A trial whose parent has the weights of one of them.
fn trial(parent: &str, text: &str) -> PlayedGamesTrial {
    let mut player = Player::find("gerald-base").expect("built in");
    let weights = member(parent);
    player.evaluator = player.evaluator.with_weights(&weights).expect("sound");
    let genome: GenomeSettings = toml::from_str("coding = \"real\"").expect("a coding");
    let space = Space::new(&player, &genome).unwrap_or_else(|error| panic!("{}", error.reason));
    let settings = settings(&format!("{text}\n{AROUND}")).expect("sound settings");
    PlayedGamesTrial::new(&player, &space, settings).expect("everybody can play")
}

fn members(which: &[&str]) -> Vec<MemberWeights> {
    which.iter().map(|it| member(it).into()).collect()
}

/// Judges a generation outside of a run.
fn judged(trial: &mut PlayedGamesTrial, seed: u64, threads: usize, which: &[&str]) -> Vec<f64> {
    let scores = trial.judge(&members(which), &mut JudgingContext::local(seed, threads));
    scores.expect("nobody stops it")
}

const ALL: [&str; 3] = ["nought", "heads", "all"];

#[test]
fn better_members_get_better_scores_whoever_meets_whom() {
    let kinds = [
        "kind = \"round-robin\"\ngames = 12",
        "kind = \"random-members\"\nopponents = 2\ngames = 12",
        "kind = \"gauntlet\"\nplayers = [\"random\", \"material\"]\ngames = 12",
        "kind = \"king-of-the-hill\"\nrule = { likelihood = 0.99 }\ngames = 12",
    ];
    for kind in kinds {
        let mut alone = trial("heads", kind);
        let scores = judged(&mut alone, 1, 1, &ALL);
        assert!(scores.is_sorted_by(|a, b| a < b), "{kind}: {scores:?}");
        // Whoever does the work, the games are the same.
        let mut trial = trial("heads", kind);
        assert_eq!(scores, judged(&mut trial, 1, 3, &ALL), "{kind}");
        assert!(trial.judgements_per_member() >= 12);
        assert_eq!(trial.scale().unit, "net points");
    }
    let mut duels = trial("all", "kind = \"duels\"\ngames = 12");
    let scores = judged(&mut duels, 1, 2, &["nought", "all", "all", "heads"]);
    assert!(scores[0] < 0.0 && scores[2] > 0.0, "{scores:?}");
    assert!(scores[0] + scores[1] == 0.0 && scores[2] + scores[3] == 0.0);
}

#[test]
fn who_beats_the_king_is_the_next_and_the_king_is_beaten_by_nobody_else() {
    for rule in ["{ likelihood = 0.95 }", "{ net-score = 8 }"] {
        let text = format!("kind = \"king-of-the-hill\"\ngames = 12\nrule = {rule}");
        let mut hill = trial("nought", &text);
        assert_eq!(hill.incumbent().and_then(|king| king.id), None);
        let first = judged(&mut hill, 3, 2, &ALL);
        // The king's own likeness neither wins nor loses.
        assert!(first[0] == 0.0 && first[1] > 0.0, "{first:?}");
        let king = hill.incumbent().expect("a hill has a king");
        assert_eq!(
            king.member,
            members(&ALL)[if first[2] >= first[1] { 2 } else { 1 }]
        );
        let crown = hill.note().king.expect("a hill notes its king");
        assert!(crown.new && crown.member == king.id);
        assert_eq!(hill.state()["since"], 0);
        // From now on it is the one to beat.
        let second = judged(&mut hill, 4, 2, &["nought", "nought"]);
        assert!(second[0] < 0.0, "{second:?}");
        assert!(hill.note().king.is_some_and(|crown| !crown.new));
        assert_eq!(hill.incumbent(), Some(king));
    }
}

#[test]
fn a_trial_read_back_judges_as_it_would_have() {
    let text = "kind = \"king-of-the-hill\"\ngames = 8\nrule = { likelihood = 0.9 }\n\
                remember = true\nhall = { size = 2, share = 0.3 }";
    let mut one = trial("nought", text);
    judged(&mut one, 1, 2, &ALL);
    let state = one.state();
    let text_of_state = serde_json::to_string(&state).expect("plain data");
    let mut two = trial("nought", text);
    two.restore(&serde_json::from_str(&text_of_state).expect("JSON"))
        .expect("its own state");
    let scores = judged(&mut two, 2, 2, &ALL);
    assert_eq!(judged(&mut one, 2, 2, &ALL), scores);
    assert_eq!(one.state(), two.state());
    // The dethroned king is in the hall and is met beside the king.
    assert!(two.judgements_per_member() > 8);
    assert!(two.restore(&Value::from(7)).is_err());
    assert!(two.restore(&Value::Null).is_ok(), "nothing to remember yet");
}

#[test]
fn the_best_of_earlier_generations_are_met_again() {
    let text = "kind = \"round-robin\"\ngames = 4\nhall = { size = 2, share = 0.5 }";
    let mut trial = trial("all", text);
    judged(&mut trial, 1, 2, &["nought", "all"]);
    assert_eq!(trial.judgements_per_member(), 4);
    let scores = judged(&mut trial, 2, 2, &["nought", "nought"]);
    assert_eq!(trial.judgements_per_member(), 8);
    assert!(scores[0] < 0.0, "only the hall beats it: {scores:?}");
}

#[test]
fn games_that_are_remembered_make_the_score_surer_and_no_larger() {
    let text = "kind = \"king-of-the-hill\"\ngames = 6\nrule = { net-score = 6 }\nremember = true";
    let mut trial = trial("all", text);
    for generation in 0..3 {
        let scores = judged(&mut trial, generation, 2, &["nought", "heads"]);
        assert!(
            scores.iter().all(|it| (-6.0..=6.0).contains(it)),
            "{scores:?}"
        );
    }
    let state = trial.state();
    let met = state["met"].as_object().expect("a table");
    assert_eq!(met.len(), 2);
    for games in met.values() {
        let tally = &games["tallied"]["tally"];
        let count = |what: &str| tally[what].as_u64().expect("a count");
        assert_eq!(count("wins") + count("draws") + count("losses"), 18);
    }
}

#[test]
fn the_ladder_rises_with_strength() {
    let text = "kind = \"gauntlet\"\nplayers = [\"random\"]\ngames = 2\n\
                ladder = { players = [\"random\", \"material\"], anchor = \"random\", games = 10 }";
    let mut trial = trial("all", text);
    let mut point = |which: &str| -> LadderPoint {
        judged(&mut trial, 5, 2, &[which]);
        let GenerationNote { king, ladder } = trial.note();
        assert_eq!(king, None);
        ladder.expect("every generation is measured")
    };
    let (low, high) = (point("nought"), point("all"));
    assert!(low.elo < high.elo, "{low:?} {high:?}");
    assert!(low.low < low.elo && low.elo < low.high && low.games == 20);
    // The same player is at the same place, without another game.
    assert_eq!(point("all"), high);
}

#[test]
fn the_champion_is_chosen_by_fresh_games() {
    let text = "kind = \"round-robin\"\ngames = 2\nverify = { candidates = 2, games = 12 }";
    let mut choosy = trial("all", text);
    let finalists = members(&["nought", "heads", "all"]);
    let pick = |trial: &mut PlayedGamesTrial| {
        let chosen = trial.verify(&finalists, &mut JudgingContext::local(9, 2));
        chosen.expect("nobody stops it")
    };
    assert_eq!(pick(&mut choosy), Some(1), "the third is no candidate");
    let mut plain = trial("all", "kind = \"round-robin\"\ngames = 2");
    assert_eq!(pick(&mut plain), Some(0), "the likeliest comes first");
}

#[test]
fn asked_to_stop_it_is_as_before_and_says_so() {
    let mut trial = trial(
        "nought",
        "kind = \"king-of-the-hill\"\ngames = 12\nrule = { likelihood = 0.95 }",
    );
    let before = trial.state();
    let mut context = JudgingContext::local(1, 2);
    context.stop = Arc::new(AtomicBool::new(true));
    let judged = trial.judge(&members(&ALL), &mut context);
    assert!(matches!(judged, Err(TrialError::Stopped)), "{judged:?}");
    assert_eq!(trial.state(), before);
}

const HILL: &str = "kind = \"king-of-the-hill\"\nrule = { net-score = 4 }\ngames = 10";
const ROBIN: &str = "kind = \"round-robin\"\ngames = 10";
const GAUNTLET: &str = "kind = \"gauntlet\"\ngames = 10";
const LADDER: &str =
    "nodes = 5\nladder = { players = [\"nobody\"], anchor = \"material\", games = 4 }";

/// A kind, what is added to it, the key that is wrong then and a word of the reason.
const WRONG: [(&str, &str, &str, &str); 25] = [
    (ROBIN, "", "nodes", "one pace"),
    (ROBIN, "nodes = 5\ndepth = 2", "depth", "beside `nodes`"),
    (ROBIN, "nodes = 0", "nodes", "at least 1"),
    ("kind = \"duels\"\ngames = 7", "nodes = 5", "games", "odd"),
    (
        "kind = \"duels\"\ngames = 0",
        "nodes = 5",
        "games",
        "0 games",
    ),
    (
        ROBIN,
        "nodes = 5\nplayers = [\"random\"]",
        "players",
        "gauntlet",
    ),
    (GAUNTLET, "nodes = 5", "players", "empty"),
    (
        GAUNTLET,
        "nodes = 5\nplayers = [\"nobody\"]",
        "players",
        "nobody",
    ),
    (ROBIN, "nodes = 5\nrule = { net-score = 4 }", "rule", "king"),
    (
        "kind = \"king-of-the-hill\"\ngames = 10",
        "nodes = 5",
        "rule",
        "net-score",
    ),
    (
        "kind = \"king-of-the-hill\"\ngames = 10\nrule = { likelihood = 1.5 }",
        "nodes = 5",
        "rule",
        "between 0.5 and 1",
    ),
    (
        "kind = \"king-of-the-hill\"\ngames = 10\nrule = { net-score = 43 }",
        "nodes = 5",
        "rule",
        "43 of 10",
    ),
    (
        "kind = \"random-members\"\ngames = 10",
        "nodes = 5",
        "opponents",
        "missing",
    ),
    (
        "kind = \"random-members\"\ngames = 10\nopponents = 3",
        "nodes = 5",
        "opponents",
        "even",
    ),
    (
        HILL,
        "nodes = 5\nhall = { size = 3, share = 1.5 }",
        "hall",
        "1.5",
    ),
    (
        HILL,
        "nodes = 5\nhall = { size = 0, share = 0.5 }",
        "hall",
        "size",
    ),
    (
        HILL,
        "nodes = 5\nverify = { candidates = 0, games = 4 }",
        "verify",
        "candidates",
    ),
    (
        HILL,
        "nodes = 5\nverify = { candidates = 2, games = 5 }",
        "verify",
        "odd",
    ),
    (HILL, LADDER, "ladder", "nobody"),
    (HILL, "nodes = 5\nmax-plies = 0", "max-plies", "0"),
    (
        HILL,
        "nodes = 5\nat-limit = \"draw\"",
        "at-limit",
        "max-plies",
    ),
    (HILL, "nodes = 5\nhash = 0", "hash", "megabytes"),
    (HILL, "nodes = 5\nrandom-plies = 99", "random-plies", "99"),
    (
        HILL,
        "nodes = 5\nopenings = \"nowhere.epd\"",
        "openings",
        "nowhere.epd",
    ),
    (
        HILL,
        "nodes = 5\nopenings = { lines = [\"e2e4\", \"d2d4\"] }",
        "games",
        "openings for 4",
    ),
];

#[test]
fn settings_that_make_no_sense_are_refused_by_key_and_reason() {
    for (kind, more, key, reason) in WRONG {
        let error = settings(&format!("{kind}\n{more}")).expect_err(more);
        let TrialError::Key { key: found, .. } = &error else {
            panic!("{more}: {error:?}");
        };
        assert_eq!(*found, key, "{more}: {error}");
        assert!(error.to_string().contains(reason), "{more}: {error}");
    }
    // What is repeated by chance or by a clock needs no more openings.
    let lines = "openings = { lines = [\"\"] }";
    for enough in [
        "nodes = 5\nrandom-plies = 4",
        "movetime = 5",
        "tc = \"1+0.01\"",
    ] {
        settings(&format!("{HILL}\n{enough}\n{lines}")).expect(enough);
    }
}
