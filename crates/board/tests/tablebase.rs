use std::path::Path;

use mendel_board::BoardFileError;
use mendel_board::tablebase::{ProbeError, Tablebase, Wdl};
use mendel_board::{Game, Position, Reason};

fn shared() -> Option<Tablebase> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
    if !folder.is_dir() {
        eprintln!("skipped: there is no folder {}", folder.display());
        return None;
    }
    Some(Tablebase::open(folder.to_str().unwrap()).unwrap())
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

#[test]
fn many_threads_may_probe_at_once() {
    fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<Tablebase>();
}

#[test]
fn missing_and_empty_folders_are_named() {
    let error = Tablebase::open("no/such/folder").unwrap_err();
    assert!(matches!(error, BoardFileError::Read { .. }));
    assert!(error.to_string().contains("`no/such/folder`"), "{error}");
    for paths in ["", env!("CARGO_MANIFEST_DIR")] {
        let error = Tablebase::open(paths).unwrap_err();
        assert!(matches!(error, BoardFileError::NoTables { .. }), "{error}");
    }
}

#[test]
fn a_damaged_table_is_named() {
    let folder = std::env::temp_dir().join(format!("mendel-board-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let paths = folder.to_str().unwrap();
    let file = folder.join("KQvK.rtbw");

    // A size no table has is seen at once.
    std::fs::write(&file, [0; 7]).unwrap();
    let error = Tablebase::open(paths).unwrap_err();
    assert!(error.to_string().contains("KQvK.rtbw"), "{error}");

    // Wrong contents are seen when the table is needed.
    std::fs::write(&file, [7; 80]).unwrap();
    let tables = Tablebase::open(paths).unwrap();
    let known = position("8/8/8/4k3/8/8/8/KQ6 w - - 0 1");
    let error = tables.wdl(&known).unwrap_err();
    assert!(matches!(error, ProbeError::Broken { .. }), "{error}");
    assert!(error.to_string().contains("`KQvK.rtbw`"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn positions_outside_the_tables_are_refused() {
    let Some(tables) = shared() else { return };
    assert_eq!(tables.pieces(), 5);
    assert!(tables.files() > 60);
    let crowd = Position::initial();
    assert!(!tables.may_know(&crowd));
    assert!(matches!(tables.wdl(&crowd), Err(ProbeError::Castling)));
    let crowd = position("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1");
    let error = tables.dtz(&crowd).unwrap_err();
    assert_eq!(
        error.to_string(),
        "10 pieces are too many: the largest table has 5"
    );
    let castling = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert!(!tables.may_know(&castling));
    assert!(matches!(
        tables.root_moves(&castling),
        Err(ProbeError::Castling)
    ));
    let missing = position("4k3/8/8/8/8/8/2QQ4/2Q1K3 w - - 0 1");
    let error = tables.wdl(&missing).unwrap_err();
    assert_eq!(error.to_string(), "the table `KQQQvK.rtbw` is missing");
}

#[test]
fn known_endings_have_their_known_values() {
    let Some(tables) = shared() else { return };
    // (position, value for the side to move)
    let table = [
        ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Wdl::Win),
        ("8/8/8/4k3/8/8/8/KQ6 b - - 0 1", Wdl::Loss),
        ("8/8/8/4k3/8/8/8/KN6 w - - 0 1", Wdl::Draw),
        ("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", Wdl::Draw), // stalemate next
        ("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", Wdl::Win),
        ("8/8/8/8/4pk2/8/8/K7 w - - 0 1", Wdl::Loss),
        ("8/8/8/8/4k3/4p3/8/4K3 w - - 0 1", Wdl::Draw),
        ("8/8/8/8/8/8/8/4K2k w - - 0 1", Wdl::Draw),
        ("7k/8/8/8/8/8/8/K1BN4 w - - 0 1", Wdl::Win),
    ];
    for (fen, value) in table {
        let position = position(fen);
        assert_eq!(tables.wdl(&position).unwrap(), value, "{fen}");
        let sign = tables.dtz(&position).unwrap().signum();
        assert_eq!(sign, value.cmp(&Wdl::Draw) as i32, "{fen}");
    }
}

/// A value is that of the best move, for either side to move.
#[test]
fn the_value_is_that_of_the_best_move() {
    let Some(tables) = shared() else { return };
    let mut probed = 0;
    for fen in [
        "8/8/8/4k3/8/8/2P5/K7 w - - 0 1",
        "8/8/5k2/8/2r5/8/3P4/K7 w - - 0 1",
        "8/3q4/8/4k3/8/8/8/KR6 w - - 0 1",
        "8/8/8/4k3/1p6/8/P7/K7 w - - 0 1",
    ] {
        let start = position(fen);
        for m in start.legal_moves() {
            let next = start.after(m);
            for second in next.legal_moves() {
                let position = next.after(second);
                let moves = tables.root_moves(&position).unwrap();
                let Some(best) = moves.first() else { continue };
                let children = position.legal_moves();
                let children = children
                    .iter()
                    .map(|&m| -tables.wdl(&position.after(m)).unwrap());
                assert_eq!(children.max(), Some(tables.wdl(&position).unwrap()));
                assert_eq!(
                    best.wdl,
                    tables.wdl(&position).unwrap(),
                    "{}",
                    position.fen()
                );
                probed += 1;
            }
        }
    }
    assert!(probed > 300, "{probed}");
}

#[test]
fn the_first_move_wins_the_game_in_time() {
    let Some(tables) = shared() else { return };
    for fen in [
        "8/8/8/4k3/8/8/8/KQ6 w - - 0 1",
        "8/8/8/4k3/8/8/8/KR6 w - - 40 60",
        "8/8/8/4k3/8/8/8/KBN5 w - - 0 1",
        "8/8/8/4k3/8/8/8/KBB5 w - - 20 60",
        "8/8/8/8/4k3/8/3P4/3K4 w - - 0 1",
    ] {
        let mut game = Game::new(position(fen));
        let value = tables.root_moves(game.position()).unwrap()[0].wdl;
        while game.outcome().is_none() {
            let kept = tables.keep(&game).unwrap();
            let best = kept[0];
            assert!(kept.iter().all(|other| other.wdl == best.wdl));
            game.play(best.m).unwrap();
        }
        let outcome = game.outcome().unwrap();
        let expected = if value == Wdl::Win {
            Reason::Checkmate
        } else {
            outcome.reason
        };
        assert_eq!(outcome.reason, expected, "{fen}: {outcome}");
        assert_eq!(outcome.winner.is_some(), value == Wdl::Win, "{fen}");
    }
}

/// The clock decides: bishop and knight need more half-moves than are left.
#[test]
fn a_win_that_comes_too_late_is_cursed() {
    let Some(tables) = shared() else { return };
    let soon = position("7k/8/8/8/8/8/8/K1BN4 w - - 0 1");
    let distance = tables.dtz(&soon).unwrap();
    assert!(distance > 20, "{distance}");
    let late = position("7k/8/8/8/8/8/8/K1BN4 w - - 95 90");
    assert_eq!(tables.root_moves(&soon).unwrap()[0].wdl, Wdl::Win);
    assert_eq!(tables.root_moves(&late).unwrap()[0].wdl, Wdl::CursedWin);
    // The search's probe knows nothing of the clock.
    assert_eq!(tables.wdl(&late).unwrap(), Wdl::Win);
}

#[test]
fn after_a_repetition_only_progress_is_kept() {
    let Some(tables) = shared() else { return };
    let mut game = Game::new(position("8/8/8/4k3/8/8/8/KQ6 w - - 0 1"));
    let free = tables.keep(&game).unwrap();
    assert!(free.len() > 5);
    for uci in ["b1b2", "e5e6", "b2b1", "e6e5"] {
        let m = game.position().parse_uci(uci).unwrap();
        game.play(m).unwrap();
    }
    assert_eq!(game.repetitions(), 2);
    let bound = tables.keep(&game).unwrap();
    assert!(bound.len() < free.len());
    assert!(bound.iter().all(|kept| kept.dtz == free[0].dtz));
}

#[test]
fn a_mate_is_played_at_once_and_a_loss_put_off() {
    let Some(tables) = shared() else { return };
    let mate = position("7k/8/6K1/8/8/8/8/R7 w - - 99 90");
    let best = tables.root_moves(&mate).unwrap()[0];
    assert_eq!(mate.san(best.m), "Ra8#");
    assert_eq!((best.wdl, best.dtz), (Wdl::Win, Some(1)));

    let lost = position("8/8/8/4k3/8/8/8/KQ6 b - - 0 1");
    let moves = tables.root_moves(&lost).unwrap();
    assert!(moves.is_sorted_by_key(|m| m.dtz));
    assert!(moves[0].dtz < moves.last().unwrap().dtz);
}
