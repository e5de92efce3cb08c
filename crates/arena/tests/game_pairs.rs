//! Game pairs: a result depends on the pair alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mendel_arena::task::PairTask;
use mendel_arena::{
    Adjudication, EndReason, Entrant, GamePair, GamePairResult, GamePairs, LengthRule, MatchError,
    Opening, OpeningSetting, Openings, Pace, Patience, Verdict, map_pairs,
};
use mendel_board::{Game, Position};
use mendel_crew::{Crew, CrewError, Done, Mapped};
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

fn games(entrants: Vec<Entrant>, nodes: u64) -> GamePairs {
    let book = Openings::own(&OpeningSetting::default());
    GamePairs {
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

fn pair(id: u64, first: usize, second: usize, opening: usize) -> GamePair {
    GamePair {
        id,
        first,
        second,
        opening,
        only: None,
    }
}

/// All results, by id.
fn play(games: &GamePairs, pairs: &[GamePair], threads: usize) -> Vec<GamePairResult> {
    let (mut results, stop) = (Vec::new(), AtomicBool::new(false));
    let (crew, task) = (Crew::threads(threads), PairTask::new(games));
    let mapped = map_pairs(&crew, &task, pairs, &stop, &mut |pair, done| {
        let Done::Output(games) = done else {
            panic!("threads skip nothing");
        };
        results.push(GamePairResult { id: pair.id, games });
        Ok::<(), CrewError>(())
    });
    assert_eq!(mapped.expect("it is played"), Mapped::All);
    results.sort_by_key(|result| result.id);
    results
}

/// Why a caller ended the work.
#[derive(Debug)]
enum Ended {
    Full,
    Crew,
}

impl From<CrewError> for Ended {
    fn from(_: CrewError) -> Self {
        Self::Crew
    }
}

#[test]
fn neither_threads_nor_order_nor_company_change_a_result() {
    let mut games = games(crowd(), 60);
    games.adjudication.length = Some(LengthRule {
        plies: 60,
        verdict: Verdict::Material,
    });
    let pairs: Vec<GamePair> = (0..14)
        .map(|id| {
            pair(
                id,
                id as usize % 11,
                (id as usize * 3 + 1) % 11,
                id as usize % 4,
            )
        })
        .collect();
    let one = play(&games, &pairs, 1);
    let ids: Vec<u64> = one.iter().map(|result| result.id).collect();
    assert_eq!(ids, (0..14).collect::<Vec<_>>());
    assert!(
        one.iter()
            .any(|it| it.games[0].points != it.games[1].points)
    );
    assert_eq!(play(&games, &pairs, 2), one);
    let backwards: Vec<GamePair> = pairs.iter().rev().copied().collect();
    assert_eq!(play(&games, &backwards, 4), one);
    for at in [0, 7, 13] {
        assert_eq!(
            play(&games, &pairs[at..=at], 1),
            one[at..=at],
            "pair {at} alone"
        );
    }
}

#[test]
fn points_are_those_of_the_first_whatever_its_colour() {
    let games = games(vec![bred("mendel"), bred("random")], 200);
    let results = play(&games, &[pair(5, 0, 1, 0), pair(6, 1, 0, 0)], 2);
    let points = |result: &GamePairResult| result.games.map(|game| game.points);
    assert_eq!(points(&results[0]), [1, 1], "{results:?}");
    assert_eq!(points(&results[1]), [-1, -1], "{results:?}");
    let [game, _] = results[0].games;
    assert_eq!(game.reason, EndReason::Checkmate);
    let most = u64::from(game.plies) * 201;
    assert!(game.nodes > most / 2 && game.nodes <= most, "{game:?}");
    // The same two games, seen by either.
    assert_eq!(results[0].games[0].nodes, results[1].games[1].nodes);
}

#[test]
fn the_stop_flag_ends_everything_at_once() {
    // A move takes longer than the test may.
    let games = games(vec![bred("mendel"), bred("mendel")], u64::MAX);
    let pairs: Vec<GamePair> = (0..100).map(|id| pair(id, 0, 1, 0)).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let begun = Instant::now();
    let friend = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        asked.store(true, Ordering::Relaxed);
    });
    let (crew, task) = (Crew::threads(2), PairTask::new(&games));
    let mapped = map_pairs(&crew, &task, &pairs, &stop, &mut |_, _| Err(Ended::Full));
    assert!(
        matches!(mapped, Ok(Mapped::Stopped)),
        "nothing can be finished: {mapped:?}"
    );
    friend.join().expect("it only waits");
    assert!(
        begun.elapsed() < Duration::from_mins(1),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn a_callback_error_stops_play_and_leaves_the_stop_flag_unset() {
    let games = games(vec![bred("material"), bred("random")], 30);
    let pairs: Vec<GamePair> = (0..50).map(|id| pair(id, 0, 1, 0)).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let mut called = 0;
    let (crew, task) = (Crew::threads(2), PairTask::new(&games));
    let mapped = map_pairs(&crew, &task, &pairs, &stop, &mut |_, _| {
        called += 1;
        if called == 3 {
            Err(Ended::Full)
        } else {
            Ok(())
        }
    });
    assert!(matches!(mapped, Err(Ended::Full)), "{mapped:?}");
    assert_eq!(called, 3);
    assert!(
        !stop.load(Ordering::Relaxed),
        "the stop flag belongs to the caller"
    );
}

#[test]
fn an_external_engine_plays_like_any_other() {
    let mark = "a-bout";
    let program = Entrant::parse(&format!("uci:'{BAD_ENGINE}' fine 1 {mark}")).expect("a command");
    let games = games(vec![bred("mendel"), program], 100);
    assert!(games.check().is_ok());
    let results = play(&games, &[pair(0, 0, 1, 0), pair(1, 1, 0, 1)], 2);
    let points: Vec<i8> = results.iter().map(|it| it.games[0].points).collect();
    assert_eq!(points, [1, -1], "{results:?}");
    assert!(all_gone(mark));
}

#[test]
fn a_fault_loses_the_game_and_not_the_pair() {
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
    let mut games = games(entrants, 30);
    // For the one that stalls; the others move at once.
    games.patience.untimed = Duration::from_secs(5);
    assert!(matches!(games.check(), Err(MatchError::Seat { .. })));
    let pairs: Vec<GamePair> = (1..5).map(|bad| pair(bad as u64, 0, bad, 0)).collect();
    let expected = [
        EndReason::Crash,
        EndReason::IllegalMove,
        EndReason::Stall,
        EndReason::Crash,
    ];
    for (result, reason) in play(&games, &pairs, 2).iter().zip(expected) {
        for game in result.games {
            assert_eq!((game.points, game.reason), (1, reason), "{result:?}");
        }
    }
}

#[test]
fn an_opening_may_end_the_game_itself() {
    let mut games = games(vec![bred("material"), bred("random")], 30);
    // White is mated; stalemate; kings alone.
    games.openings = from(&[
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "7k/8/6K1/8/8/8/8/8 b - - 0 1",
    ]);
    let pairs = [pair(0, 0, 1, 0), pair(1, 0, 1, 1), pair(2, 1, 0, 2)];
    let results = play(&games, &pairs, 2);
    let games = |at: usize| results[at].games.map(|game| (game.points, game.plies));
    assert_eq!(games(0), [(-1, 0), (1, 0)], "{results:?}");
    assert_eq!(games(1), [(0, 0), (0, 0)], "{results:?}");
    assert_eq!(games(2), [(0, 0), (0, 0)], "{results:?}");
    let reasons = |at: usize| results[at].games[0].reason;
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
    let mut games = games(vec![bred("random"), bred("random")], 1);
    // White is a rook ahead, and two plies give no mate.
    games.openings = from(&["4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 w Q - 0 1"]);
    let rule = |verdict| Some(LengthRule { plies: 2, verdict });
    games.adjudication.length = rule(Verdict::Material);
    let result = play(&games, &[pair(9, 0, 1, 0)], 1)[0];
    let seen = result.games.map(|it| (it.points, it.plies, it.reason));
    let lead = EndReason::LengthMaterial;
    assert_eq!(seen, [(1, 2, lead), (-1, 2, lead)]);
    games.adjudication.length = rule(Verdict::Draw);
    let result = play(&games, &[pair(9, 0, 1, 0)], 1)[0];
    assert_eq!(result.games[0].reason, EndReason::LengthDraw);
}

#[test]
fn results_survive_being_written_down() {
    let games = games(vec![bred("material"), bred("random")], 20);
    let results = play(&games, &[pair(3, 0, 1, 2)], 1);
    let text = serde_json::to_string(&results).expect("plain data");
    let again: Vec<GamePairResult> = serde_json::from_str(&text).expect("just written");
    assert_eq!(again, results);
}

#[test]
fn players_that_cannot_start_are_refused_before_a_game() {
    let refused = |games: GamePairs| games.check().expect_err("it cannot be played").to_string();
    let player = Arc::new(Player::find("material").expect("it ships with the program"));
    let odd = Entrant::bred("odd", player, vec![("Hesh".into(), "1".into())]);
    assert!(refused(games(vec![bred("random"), odd], 10)).contains("Hesh"));
    let mut unlimited = games(vec![bred("random")], 10);
    unlimited.pace = Pace::default();
    assert!(matches!(unlimited.check(), Err(MatchError::NoPace)));
    let mut tables = games(vec![bred("random")], 10);
    tables.adjudication = toml::from_str("syzygy = { path = \"/no/such/tables\" }").expect("TOML");
    assert!(refused(tables).contains("/no/such/tables"));
}
