//! Pairs of games: the outcome is the pair's alone.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mendel_arena::{
    Adjudication, Bouts, ContestError, EndReason, Entrant, LengthRule, Opening, OpeningSetting,
    Openings, Pace, Pair, PairOutcome, Patience, Verdict,
};
use mendel_board::{Game, Position};
use mendel_engine::Player;

use crate::stage::{BAD_ENGINE, all_gone};

fn bred(name: &str) -> Entrant {
    let player = Player::find(name).expect("it ships with the program");
    Entrant::bred(name, Arc::new(player), vec![("Hash".into(), "1".into())])
}

/// More of them than a hand keeps seats.
fn crowd() -> Vec<Entrant> {
    let members = (0..9).map(|member: i64| {
        let mut player = Player::find("mendel").expect("it ships with the program");
        let params = &mut player.params;
        params
            .set("aspiration_window", 10 + member)
            .expect("within its range");
        let options = vec![("Hash".into(), "1".into())];
        Entrant::bred(format!("member {member}"), Arc::new(player), options)
    });
    members.chain([bred("material"), bred("random")]).collect()
}

fn bouts(entrants: Vec<Entrant>, nodes: u64) -> Bouts {
    let book = Openings::own(&OpeningSetting::default());
    Bouts {
        entrants,
        openings: (0..4).map(|index| book.get(index)).collect(),
        pace: Pace {
            nodes: Some(nodes),
            ..Pace::default()
        },
        patience: Patience::default(),
        adjudication: Adjudication::default(),
    }
}

fn from(fens: &[&str]) -> Vec<Opening> {
    let game = |fen: &&str| Game::new(Position::from_fen(fen).expect("a FEN"));
    fens.iter().map(game).map(Opening::new).collect()
}

fn pair(id: u64, first: usize, second: usize, opening: usize) -> Pair {
    Pair {
        id,
        first,
        second,
        opening,
        only: None,
    }
}

/// All outcomes, by number.
fn play(bouts: &Bouts, pairs: &[Pair], threads: usize) -> Vec<PairOutcome> {
    let mut outcomes = Vec::new();
    let stop = Arc::new(AtomicBool::new(false));
    let Ok(()) = bouts.play(pairs, threads, &stop, &mut |outcome| {
        outcomes.push(outcome);
        Ok::<(), Infallible>(())
    });
    outcomes.sort_by_key(|outcome| outcome.id);
    outcomes
}

#[test]
fn neither_threads_nor_order_nor_company_change_an_outcome() {
    let mut bouts = bouts(crowd(), 60);
    bouts.adjudication.length = Some(LengthRule {
        plies: 60,
        verdict: Verdict::Material,
    });
    let pairs: Vec<Pair> = (0..14)
        .map(|id| {
            pair(
                id,
                id as usize % 11,
                (id as usize * 3 + 1) % 11,
                id as usize % 4,
            )
        })
        .collect();
    let one = play(&bouts, &pairs, 1);
    let ids: Vec<u64> = one.iter().map(|outcome| outcome.id).collect();
    assert_eq!(ids, (0..14).collect::<Vec<_>>());
    assert!(
        one.iter()
            .any(|it| it.games[0].points != it.games[1].points)
    );
    assert_eq!(play(&bouts, &pairs, 2), one);
    let backwards: Vec<Pair> = pairs.iter().rev().copied().collect();
    assert_eq!(play(&bouts, &backwards, 4), one);
    for at in [0, 7, 13] {
        assert_eq!(
            play(&bouts, &pairs[at..=at], 1),
            one[at..=at],
            "pair {at} alone"
        );
    }
}

#[test]
fn points_are_those_of_the_first_whatever_its_colour() {
    let bouts = bouts(vec![bred("mendel"), bred("random")], 200);
    let outcomes = play(&bouts, &[pair(5, 0, 1, 0), pair(6, 1, 0, 0)], 2);
    let points = |outcome: &PairOutcome| outcome.games.map(|game| game.points);
    assert_eq!(points(&outcomes[0]), [1, 1], "{outcomes:?}");
    assert_eq!(points(&outcomes[1]), [-1, -1], "{outcomes:?}");
    let [game, _] = outcomes[0].games;
    assert_eq!(game.reason, EndReason::Checkmate);
    let most = u64::from(game.plies) * 201;
    assert!(game.nodes > most / 2 && game.nodes <= most, "{game:?}");
    // The same two games, seen by either.
    assert_eq!(outcomes[0].games[0].nodes, outcomes[1].games[1].nodes);
}

#[test]
fn a_signal_stops_everything_at_once() {
    // A move takes longer than the test may.
    let bouts = bouts(vec![bred("mendel"), bred("mendel")], u64::MAX);
    let pairs: Vec<Pair> = (0..100).map(|id| pair(id, 0, 1, 0)).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let begun = Instant::now();
    let friend = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        asked.store(true, Ordering::Relaxed);
    });
    let result = bouts.play(&pairs, 2, &stop, &mut |outcome| Err(outcome));
    assert_eq!(result, Ok(()), "nothing can be finished");
    friend.join().expect("it only waits");
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn whoever_is_told_can_say_no() {
    let bouts = bouts(vec![bred("material"), bred("random")], 30);
    let pairs: Vec<Pair> = (0..50).map(|id| pair(id, 0, 1, 0)).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let mut told = 0;
    let result = bouts.play(&pairs, 2, &stop, &mut |_| {
        told += 1;
        if told == 3 { Err("full") } else { Ok(()) }
    });
    assert_eq!((result, told), (Err("full"), 3));
    assert!(!stop.load(Ordering::Relaxed), "the signal is the caller's");
}

#[test]
fn a_program_is_an_entrant_like_any_other() {
    let mark = "a-bout";
    let program = Entrant::parse(&format!("uci:'{BAD_ENGINE}' fine 1 {mark}")).expect("a command");
    let bouts = bouts(vec![bred("mendel"), program], 100);
    assert!(bouts.check().is_ok());
    let outcomes = play(&bouts, &[pair(0, 0, 1, 0), pair(1, 1, 0, 1)], 2);
    let points: Vec<i8> = outcomes.iter().map(|it| it.games[0].points).collect();
    assert_eq!(points, [1, -1], "{outcomes:?}");
    assert!(all_gone(mark));
}

#[test]
fn a_misdeed_loses_the_game_and_not_the_bout() {
    let bad = |misdeed: &str| {
        Entrant::parse(&format!("uci:'{BAD_ENGINE}' {misdeed}")).expect("a command")
    };
    let gone = Entrant::parse("uci:/no/such/program").expect("a command");
    let entrants = vec![
        bred("material"),
        bad("abort 2"),
        bad("illegal"),
        bad("stall"),
        gone,
    ];
    let mut bouts = bouts(entrants, 30);
    bouts.patience.untimed = Duration::from_millis(300);
    assert!(matches!(bouts.check(), Err(ContestError::Seat { .. })));
    let pairs: Vec<Pair> = (1..5).map(|bad| pair(bad as u64, 0, bad, 0)).collect();
    let expected = [
        EndReason::Crash,
        EndReason::IllegalMove,
        EndReason::Stall,
        EndReason::Crash,
    ];
    for (outcome, reason) in play(&bouts, &pairs, 2).iter().zip(expected) {
        for game in outcome.games {
            assert_eq!((game.points, game.reason), (1, reason), "{outcome:?}");
        }
    }
}

#[test]
fn an_opening_may_end_the_game_itself() {
    let mut bouts = bouts(vec![bred("material"), bred("random")], 30);
    // White is mated; nobody can move; kings alone.
    bouts.openings = from(&[
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "7k/8/6K1/8/8/8/8/8 b - - 0 1",
    ]);
    let pairs = [pair(0, 0, 1, 0), pair(1, 0, 1, 1), pair(2, 1, 0, 2)];
    let outcomes = play(&bouts, &pairs, 2);
    let games = |at: usize| outcomes[at].games.map(|game| (game.points, game.plies));
    assert_eq!(games(0), [(-1, 0), (1, 0)], "{outcomes:?}");
    assert_eq!(games(1), [(0, 0), (0, 0)], "{outcomes:?}");
    assert_eq!(games(2), [(0, 0), (0, 0)], "{outcomes:?}");
    let reasons = |at: usize| outcomes[at].games[0].reason;
    assert_eq!(
        [reasons(0), reasons(1), reasons(2)],
        [
            EndReason::Checkmate,
            EndReason::Stalemate,
            EndReason::InsufficientMaterial
        ]
    );
}

#[test]
fn a_game_that_is_too_long_goes_to_the_side_with_more() {
    let mut bouts = bouts(vec![bred("random"), bred("random")], 1);
    // White is a rook ahead, and two half-moves mate nobody.
    bouts.openings = from(&["4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 w Q - 0 1"]);
    let rule = |verdict| Some(LengthRule { plies: 2, verdict });
    bouts.adjudication.length = rule(Verdict::Material);
    let outcome = play(&bouts, &[pair(9, 0, 1, 0)], 1)[0];
    let seen = outcome.games.map(|it| (it.points, it.plies, it.reason));
    let lead = EndReason::LengthMaterial;
    assert_eq!(seen, [(1, 2, lead), (-1, 2, lead)]);
    bouts.adjudication.length = rule(Verdict::Draw);
    let outcome = play(&bouts, &[pair(9, 0, 1, 0)], 1)[0];
    assert_eq!(outcome.games[0].reason, EndReason::LengthDraw);
}

#[test]
fn outcomes_survive_being_written_down() {
    let bouts = bouts(vec![bred("material"), bred("random")], 20);
    let outcomes = play(&bouts, &[pair(3, 0, 1, 2)], 1);
    let text = serde_json::to_string(&outcomes).expect("plain data");
    let again: Vec<PairOutcome> = serde_json::from_str(&text).expect("just written");
    assert_eq!(again, outcomes);
}

#[test]
fn those_who_cannot_play_are_refused_before_a_game() {
    let refused = |bouts: Bouts| bouts.check().expect_err("it cannot be played").to_string();
    let player = Arc::new(Player::find("material").expect("it ships with the program"));
    let odd = Entrant::bred("odd", player, vec![("Hesh".into(), "1".into())]);
    assert!(refused(bouts(vec![bred("random"), odd], 10)).contains("Hesh"));
    let mut unlimited = bouts(vec![bred("random")], 10);
    unlimited.pace = Pace::default();
    assert!(matches!(unlimited.check(), Err(ContestError::NoPace)));
    let mut tables = bouts(vec![bred("random")], 10);
    tables.adjudication = toml::from_str("syzygy = { path = \"/no/such/tables\" }").expect("TOML");
    assert!(refused(tables).contains("/no/such/tables"));
}
