//! One game: who wins, and why.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mendel_arena::{
    Adjudication, EndReason, Fault, Fixture, GameSetting, LengthRule, Opening, Pace, Patience,
    Side, Verdict, play,
};
use mendel_board::{Game, Position};
use mendel_engine::Score;

use crate::scripted::{Act, Scripted, acts, finish, from, plays, sees, stalled};

const MATED: [&str; 2] = ["f3", "g4"];
const MATES: [&str; 2] = ["e5", "Qh4#"];

#[test]
fn a_mate_ends_the_game_and_both_hear_of_it() {
    let (mut white, mut black) = (plays(&MATED), plays(&MATES));
    let played = finish(&mut white, &mut black, &GameSetting::default());
    assert_eq!(played.ending.winner, Some(Side::Black));
    assert_eq!(played.ending.reason, EndReason::Checkmate);
    let moves: Vec<&str> = played.moves.iter().map(|record| &*record.m).collect();
    assert_eq!(moves, ["f2f3", "e7e5", "g2g4", "d8h4"]);
    let told = [("0-1".to_owned(), "Checkmate".to_owned())];
    assert_eq!(white.told, told);
    assert_eq!(black.told, told);
    assert!(played.last_words.is_empty());
}

#[test]
fn every_fault_loses_with_its_reason_and_the_last_words() {
    let text = |text: &str| text.to_owned();
    let table = [
        (
            Fault::Start {
                reason: text("no such file"),
            },
            EndReason::Crash,
        ),
        (
            Fault::Ended {
                how: text("signal 11"),
            },
            EndReason::Crash,
        ),
        (
            Fault::Refused {
                what: text("Hash"),
                reason: text("never"),
            },
            EndReason::Crash,
        ),
        (
            Fault::NotReady {
                asked: text("isready"),
                waited: Duration::from_secs(5),
            },
            EndReason::Stall,
        ),
        (stalled(), EndReason::Stall),
        (
            Fault::Illegal { text: text("e1e8") },
            EndReason::IllegalMove,
        ),
        (Fault::Flood { how: text("4 MiB") }, EndReason::Flood),
    ];
    for (fault, reason) in table {
        // 1. When it is asked for a move.
        let mut black = acts([Act::Any, Act::Fail(fault.clone())]);
        let played = finish(
            &mut Scripted::default(),
            &mut black,
            &GameSetting::default(),
        );
        assert_eq!(played.ending.winner, Some(Side::White), "{fault}");
        assert_eq!(played.ending.reason, reason, "{fault}");
        assert_eq!(played.ending.words, format!("Black: {fault}"));
        assert_eq!(played.moves.len(), 3);
        assert_eq!(played.last_words, ["these were my last words"]);
        assert_eq!(black.told.len(), 1);

        // 2. When it should get ready.
        let mut white = Scripted {
            not_ready: Some(fault.clone()),
            ..Scripted::default()
        };
        let mut black = Scripted::default();
        let played = finish(&mut white, &mut black, &GameSetting::default());
        assert_eq!(played.ending.winner, Some(Side::Black), "{fault}");
        assert_eq!(played.ending.reason, reason, "{fault}");
        assert!(played.moves.is_empty());
        assert!(black.clocks.is_empty() && black.told.is_empty());
    }
}

#[test]
fn a_move_that_is_not_legal_loses_whatever_the_player_promised() {
    let mut white = acts([Act::Any, Act::Cheat]);
    let played = finish(
        &mut white,
        &mut Scripted::default(),
        &GameSetting::default(),
    );
    assert_eq!(played.ending.winner, Some(Side::Black));
    assert_eq!(played.ending.reason, EndReason::IllegalMove);
    assert_eq!(played.moves.len(), 2);
}

#[test]
fn a_resignation_loses_without_a_fault() {
    let mut black = acts([Act::Any, Act::Resign]);
    let played = finish(
        &mut Scripted::default(),
        &mut black,
        &GameSetting::default(),
    );
    assert_eq!(played.ending.winner, Some(Side::White));
    assert_eq!(played.ending.reason, EndReason::Resignation);
    assert!(!played.ending.reason.is_fault() && played.last_words.is_empty());
    assert_eq!(black.told, [("1-0".to_owned(), "Black resigns".to_owned())]);
}

#[test]
fn the_rules_come_before_the_clock_of_the_next_and_before_adjudication() {
    // Mate in one at the very ply where the length rule would make it a draw.
    let mut setting = from("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
    setting.adjudication.length = Some(LengthRule {
        plies: 1,
        verdict: Verdict::Draw,
    });
    let played = finish(
        &mut plays(&["Ra8#"]),
        &mut acts([Act::Fail(stalled())]),
        &setting,
    );
    assert_eq!(played.ending.reason, EndReason::Checkmate);
}

#[test]
fn the_draws_of_the_rules_are_seen() {
    let table = [
        (
            "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1",
            "Qf7",
            EndReason::Stalemate,
        ),
        (
            "7k/8/6K1/8/8/8/6p1/5B2 w - - 0 1",
            "Bxg2",
            EndReason::InsufficientMaterial,
        ),
        (
            "7k/8/6K1/8/8/8/8/5R2 w - - 99 80",
            "Rf2",
            EndReason::FiftyMoves,
        ),
    ];
    for (fen, m, reason) in table {
        let played = finish(&mut plays(&[m]), &mut Scripted::default(), &from(fen));
        assert_eq!(
            (played.ending.winner, played.ending.reason),
            (None, reason),
            "{fen}"
        );
    }
    let shuffle = |there, back| plays(&[there, back, there, back, there, back]);
    let (mut white, mut black) = (shuffle("Nf3", "Ng1"), shuffle("Nf6", "Ng8"));
    let played = finish(&mut white, &mut black, &GameSetting::default());
    assert_eq!(played.ending.reason, EndReason::Repetition);
    assert_eq!(played.moves.len(), 8);
}

#[test]
fn a_stopped_game_is_nobodys_loss() {
    let stop = Arc::new(AtomicBool::new(false));
    let setting = GameSetting {
        stop: stop.clone(),
        ..GameSetting::default()
    };
    let (mut white, mut black) = (Scripted::default(), acts([Act::Interrupt(stop)]));
    assert!(play(&mut white, &mut black, &setting).is_none());
    assert_eq!(white.told, [("*".to_owned(), "abandoned".to_owned())]);
    // The signal is still up, so the next game does not even begin.
    assert!(play(&mut Scripted::default(), &mut Scripted::default(), &setting).is_none());
}

#[test]
fn an_overstepped_clock_loses_beyond_the_margin_alone() {
    let setting = GameSetting {
        white: Pace {
            clock: "1+0".parse().ok(),
            ..Pace::default()
        },
        black: Pace {
            movetime: Some(Duration::from_millis(100)),
            ..Pace::default()
        },
        patience: Patience {
            margin: Duration::from_millis(20),
            ..Patience::default()
        },
        adjudication: Adjudication {
            length: Some(LengthRule {
                plies: 6,
                verdict: Verdict::Draw,
            }),
            ..Adjudication::default()
        },
        ..GameSetting::default()
    };
    let takes = |millis| Scripted {
        takes: Duration::from_millis(millis),
        ..Scripted::default()
    };
    let result = |white, black| {
        let ending = finish(&mut takes(white), &mut takes(black), &setting).ending;
        (ending.winner, ending.reason)
    };
    assert_eq!(result(330, 120), (None, EndReason::LengthDraw));
    assert_eq!(result(340, 120), (None, EndReason::LengthDraw));
    assert_eq!(result(345, 120), (Some(Side::Black), EndReason::Time));
    assert_eq!(result(330, 121), (Some(Side::White), EndReason::Time));
}

#[test]
fn the_opening_is_played_before_anybody_is_asked() {
    let mut game = Game::default();
    for m in MATED
        .iter()
        .zip(MATES)
        .flat_map(|(white, black)| [*white, black])
        .take(3)
    {
        let m = game.position().parse_san(m).expect(m);
        game.play(m).expect("legal");
    }
    let setting = GameSetting {
        opening: Opening::new(game),
        ..GameSetting::default()
    };
    let mut white = Scripted::default();
    let mut black = Scripted {
        scores: [Some(Score::Mate(1))].into(),
        ..plays(&["Qh4"])
    };
    black.takes = Duration::from_millis(3);
    let played = finish(&mut white, &mut black, &setting);
    assert!(white.clocks.is_empty());
    assert_eq!(played.times().black, Duration::from_millis(3));
    let fixture = Fixture {
        game: 5,
        pair: 2,
        white: 1,
        black: 0,
        opening: 2,
    };
    let record = played.record(fixture, "2026.01.02".to_owned());
    assert_eq!(record.start, Position::initial().fen());
    assert_eq!(record.opening, ["f2f3", "e7e5", "g2g4"]);
    assert_eq!(record.moves.len(), 1);
    assert_eq!(record.moves[0].score.as_deref(), Some("#1"));
    assert_eq!(
        (record.game, record.pair, record.white, record.black),
        (5, 2, 1, 0)
    );
    let text = serde_json::to_string(&record).expect("it is plain data");
    assert_eq!(
        serde_json::from_str::<mendel_arena::GameRecord>(&text).ok(),
        Some(record)
    );
}

#[test]
fn an_opening_that_ends_the_game_leaves_nothing_to_ask() {
    let setting = from("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let mut black = Scripted::default();
    let played = finish(&mut Scripted::default(), &mut black, &setting);
    assert_eq!(played.ending.reason, EndReason::Stalemate);
    assert!(played.moves.is_empty() && black.clocks.is_empty());
}

#[test]
fn players_hear_that_a_game_is_chess960() {
    let start = Position::chess960(0).expect("a number below 960");
    let mut setting = GameSetting {
        opening: Opening::new(Game::new(start)),
        ..GameSetting::default()
    };
    setting.adjudication.length = Some(LengthRule {
        plies: 2,
        verdict: Verdict::Draw,
    });
    let (mut white, mut black) = (Scripted::default(), Scripted::default());
    finish(&mut white, &mut black, &setting);
    assert_eq!((white.chess960, black.chess960), (vec![true], vec![true]));
}

#[test]
fn scores_are_written_from_the_view_of_the_mover() {
    let table = [
        (Score::Centipawns(35), "+0.35"),
        (Score::Centipawns(0), "+0.00"),
        (Score::Centipawns(-120), "-1.20"),
        (Score::Centipawns(i32::MIN), "-21474836.48"),
        (Score::Mate(4), "#4"),
        (Score::Mate(-3), "#-3"),
        (Score::Mate(0), "#-0"),
    ];
    for (score, text) in table {
        let mut setting = GameSetting::default();
        setting.adjudication.length = Some(LengthRule {
            plies: 1,
            verdict: Verdict::Draw,
        });
        let mut white = Scripted {
            scores: [Some(score)].into(),
            ..sees(0)
        };
        let played = finish(&mut white, &mut Scripted::default(), &setting);
        assert_eq!(played.moves[0].score.as_deref(), Some(text));
    }
}
