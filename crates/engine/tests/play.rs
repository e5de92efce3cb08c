//! Play sessions: clocks, take backs, hints, resignation and draws, without waiting.

use std::time::Duration;

use mendel_board::Color::{Black, White};
use mendel_board::{Position, Reason};
use mendel_engine::Limits;
use mendel_engine::play::{HumanSides, PlayAction, PlayEnd, PlayError, PlaySession};

const ENGINE_IS_BLACK: HumanSides = HumanSides {
    white: true,
    black: false,
};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn session(control: Option<&str>) -> PlaySession {
    let control = control.map(|text| text.parse().expect(text));
    PlaySession::new(Position::initial(), control, seconds(0))
}

fn from(fen: &str) -> PlaySession {
    let start = Position::from_fen(fen).expect(fen);
    PlaySession::new(start, Some("60+0".parse().expect("a control")), seconds(0))
}

/// Plays a move in either notation.
fn play(session: &mut PlaySession, text: &str, now: u64) -> Result<(), PlayError> {
    let m = session.game().position().parse_move(text).expect(text);
    session.apply(PlayAction::Move(m), seconds(now))
}

fn remaining(session: &PlaySession, now: u64) -> (u64, u64) {
    let clock = session.clock(seconds(now)).expect("it has a time control");
    (
        clock.white.remaining.as_secs(),
        clock.black.remaining.as_secs(),
    )
}

#[test]
fn a_clock_loses_the_time_used_and_gains_the_increment() {
    let mut session = session(Some("60+2"));
    assert_eq!(remaining(&session, 20), (40, 60), "it runs");
    play(&mut session, "e4", 50).expect("it has time");
    assert_eq!(remaining(&session, 50), (12, 60));
    play(&mut session, "e5", 80).expect("it has time");
    assert_eq!(remaining(&session, 80), (12, 32));
    assert_eq!(remaining(&session, 85), (7, 32));
}

#[test]
fn the_base_time_is_added_again_after_the_moves_of_a_control() {
    let mut session = session(Some("2/10+0"));
    play(&mut session, "e4", 4).expect("it has time");
    play(&mut session, "e5", 4).expect("it has time");
    let clock = session.clock(seconds(4)).expect("it has a time control");
    assert_eq!(clock.moves_to_go, Some(1));
    play(&mut session, "d4", 8).expect("it has time");
    assert_eq!(remaining(&session, 8), (12, 10));
}

#[test]
fn a_late_move_loses_and_is_not_played() {
    for late in [White, Black] {
        let mut session = session(Some("10+0"));
        if late == Black {
            play(&mut session, "e4", 5).expect("it has time");
        }
        let start = session.turn_start().as_secs();
        let moves = session.game().moves().len();
        assert_eq!(
            session.end(seconds(start + 10)),
            None,
            "the last moment counts"
        );
        let end = PlayEnd::Time { loser: late };
        assert_eq!(session.end(seconds(start + 11)), Some(end));
        let text = late.fold_wb("a4", "a5");
        play(&mut session, text, start + 11).expect("the move is legal");
        assert_eq!(session.end(session.turn_start()), Some(end));
        assert_eq!(session.game().moves().len(), moves);
        assert_eq!(end.winner(), Some(!late));
        assert_eq!(
            play(&mut session, text, start + 12),
            Err(PlayError::Over(end))
        );
    }
}

#[test]
fn time_is_claimed_only_where_it_is_over() {
    let mut session = session(Some("10+0"));
    let early = session.apply(PlayAction::ClaimTime, seconds(10));
    assert_eq!(early, Err(PlayError::TimeLeft { side: White }));
    session
        .apply(PlayAction::ClaimTime, seconds(11))
        .expect("the time is over");
    let end = PlayEnd::Time { loser: White };
    assert_eq!(session.end(seconds(0)), Some(end));
    assert_eq!(end.to_string(), "0-1 {White forfeits on time}");
}

#[test]
fn without_a_time_control_no_time_is_over() {
    let mut session = session(None);
    assert_eq!(session.clock(seconds(5)), None);
    assert_eq!(session.limits(seconds(5)).clock, None);
    assert_eq!(session.end(seconds(1 << 40)), None);
    play(&mut session, "e4", 1 << 40).expect("it has all the time there is");
    let claim = session.apply(PlayAction::ClaimTime, seconds(1 << 41));
    assert_eq!(claim, Err(PlayError::TimeLeft { side: Black }));
}

#[test]
fn a_take_back_leads_to_a_move_of_a_person_and_keeps_the_clocks() {
    let mut session = session(Some("60+0")).with_humans(ENGINE_IS_BLACK);
    play(&mut session, "e4", 10).expect("it has time");
    assert!(!session.is_human_turn());
    play(&mut session, "e5", 15).expect("it has time");
    session
        .apply(PlayAction::TakeBack, seconds(20))
        .expect("there are moves");
    assert_eq!(session.game().moves().len(), 0, "its move and the answer");
    assert!(session.is_human_turn());
    assert_eq!(remaining(&session, 20), (50, 55));
    let more = session.apply(PlayAction::TakeBack, seconds(21));
    assert_eq!(more, Err(PlayError::NothingToTakeBack));
    assert_eq!(remaining(&session, 22), (48, 55), "the clock runs on");
}

#[test]
fn a_take_back_between_two_people_is_one_half_move() {
    let mut session = session(None);
    play(&mut session, "e4", 0).expect("it is legal");
    play(&mut session, "e5", 0).expect("it is legal");
    session
        .apply(PlayAction::TakeBack, seconds(0))
        .expect("there are moves");
    assert_eq!(session.game().moves().len(), 1);
}

#[test]
fn an_end_without_a_move_is_taken_back_alone() {
    let ends = [(PlayAction::Resign(Black), 3), (PlayAction::ClaimTime, 100)];
    for (action, now) in ends {
        let mut session = session(Some("60+0"));
        play(&mut session, "e4", 1).expect("it has time");
        session.apply(action, seconds(now)).expect("it ends");
        assert!(session.end(seconds(now)).is_some());
        session
            .apply(PlayAction::TakeBack, seconds(now))
            .expect("there is an end");
        assert_eq!(session.end(seconds(now)), None);
        assert_eq!(session.game().moves().len(), 1);
        play(&mut session, "e5", now + 1).expect("the game continues");
    }
}

#[test]
fn a_mate_can_be_taken_back() {
    let mut session = session(None).with_humans(ENGINE_IS_BLACK);
    for text in ["f3", "e5", "g4", "Qh4#"] {
        play(&mut session, text, 0).expect("it is legal");
    }
    let end = session.end(seconds(0)).expect("it is mate");
    assert_eq!(end.to_string(), "0-1 {Black mates}");
    session
        .apply(PlayAction::TakeBack, seconds(0))
        .expect("there are moves");
    assert_eq!(session.end(seconds(0)), None);
    assert_eq!(session.game().moves().len(), 2);
}

#[test]
fn a_hint_has_no_clock_and_the_limits_of_a_move() {
    let hint = session(Some("60+0"))
        .hint_limits(seconds(1))
        .expect("it continues");
    assert_eq!(hint.clock, None);
    assert_eq!(hint.movetime, Some(seconds(1)));
    let limits = Limits {
        nodes: Some(5000),
        movetime: Some(seconds(7)),
        ..Limits::default()
    };
    let session = session(Some("60+0")).with_move_limits(limits.clone());
    assert_eq!(session.hint_limits(seconds(1)), Ok(limits));
    let over = PlayEnd::Time { loser: White };
    assert_eq!(session.hint_limits(seconds(61)), Err(PlayError::Over(over)));
}

#[test]
fn the_limits_of_a_move_hold_the_clock_as_it_stands() {
    let limits = Limits {
        depth: Some(9),
        ..Limits::default()
    };
    let mut session = session(Some("60+1")).with_move_limits(limits);
    let given = session.limits(seconds(20));
    assert_eq!(given.depth, Some(9));
    let clock = given.clock.expect("it has a time control");
    assert_eq!(clock.white.remaining, seconds(40));
    assert_eq!(clock.white.increment, seconds(1));
    session.restart_turn(seconds(20));
    assert_eq!(
        remaining(&session, 20),
        (60, 60),
        "drawing the board is free"
    );
}

#[test]
fn either_side_may_resign_at_any_time() {
    for loser in [White, Black] {
        let mut session = session(None);
        session
            .apply(PlayAction::Resign(loser), seconds(0))
            .expect("the game continues");
        let end = PlayEnd::Resignation { loser };
        assert_eq!(session.end(seconds(0)), Some(end));
        assert_eq!(end.winner(), Some(!loser));
        let again = session.apply(PlayAction::Resign(!loser), seconds(0));
        assert_eq!(again, Err(PlayError::Over(end)));
    }
    let end = PlayEnd::Resignation { loser: White };
    assert_eq!(end.to_string(), "0-1 {White resigns}");
    assert_eq!(end.result().as_str(), "0-1");
}

#[test]
fn a_draw_needs_both_sides() {
    let mut session = session(None);
    let offer = |session: &mut PlaySession, side| session.apply(PlayAction::Draw(side), seconds(0));
    offer(&mut session, White).expect("the game continues");
    offer(&mut session, White).expect("a second offer of one side changes nothing");
    assert_eq!(
        (session.draw_offer(), session.end(seconds(0))),
        (Some(White), None)
    );
    offer(&mut session, Black).expect("there is an offer");
    assert_eq!(session.end(seconds(0)), Some(PlayEnd::Agreement));
    assert_eq!(PlayEnd::Agreement.to_string(), "1/2-1/2 {draw agreed}");
    assert_eq!(PlayEnd::Agreement.winner(), None);
}

#[test]
fn a_draw_offer_ends_when_it_is_declined() {
    let mut session = session(None);
    let decline = PlayAction::DeclineDraw(Black);
    let nothing = session.apply(decline, seconds(0));
    assert_eq!(nothing, Err(PlayError::NoDrawOffer));
    session
        .apply(PlayAction::Draw(White), seconds(0))
        .expect("the game continues");
    session
        .apply(decline, seconds(0))
        .expect("there is an offer");
    assert_eq!(session.draw_offer(), None);

    // The move after the offer keeps it, the answering move declines it.
    session
        .apply(PlayAction::Draw(White), seconds(0))
        .expect("the game continues");
    play(&mut session, "e4", 0).expect("it is legal");
    assert_eq!(session.draw_offer(), Some(White));
    play(&mut session, "e5", 0).expect("it is legal");
    assert_eq!(session.draw_offer(), None);
}

#[test]
fn repetition_and_fifty_moves_need_no_claim() {
    let mut session = session(None);
    for text in ["Nf3", "Nf6", "Ng1", "Ng8"].iter().cycle().take(8) {
        assert_eq!(session.end(seconds(0)), None);
        play(&mut session, text, 0).expect("it is legal");
    }
    let reason = |session: &PlaySession| match session.end(seconds(0)) {
        Some(PlayEnd::Rules(outcome)) => Some((outcome.winner, outcome.reason)),
        _ => None,
    };
    assert_eq!(reason(&session), Some((None, Reason::Repetition)));

    let mut session = from("4k3/8/8/8/8/8/8/R3K3 w - - 99 80");
    play(&mut session, "Ra2", 1).expect("it is legal");
    assert_eq!(reason(&session), Some((None, Reason::FiftyMoves)));
}

#[test]
fn a_start_position_may_be_over_already() {
    for (fen, end) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "1-0 {White mates}"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "1/2-1/2 {Stalemate}"),
        (
            "7k/8/6K1/8/8/8/8/8 w - - 0 1",
            "1/2-1/2 {Insufficient material}",
        ),
    ] {
        let mut session = from(fen);
        let over = session.end(seconds(0)).expect(fen);
        assert_eq!(over.to_string(), end);
        assert_eq!(over.termination(), None);
        // No clock runs and nothing but a new game is possible.
        assert_eq!(session.end(seconds(1000)), Some(over));
        assert_eq!(remaining(&session, 1000), (60, 60));
        for action in [
            PlayAction::Resign(White),
            PlayAction::Draw(Black),
            PlayAction::ClaimTime,
        ] {
            let refused = session.apply(action, seconds(1000));
            assert_eq!(refused, Err(PlayError::Over(over)), "{action:?}");
        }
        let back = session.apply(PlayAction::TakeBack, seconds(1));
        assert_eq!(back, Err(PlayError::NothingToTakeBack));
    }
}

#[test]
fn an_illegal_move_changes_nothing() {
    let mut session = session(Some("10+0"));
    let m = session.game().position().parse_move("e4").expect("e4");
    play(&mut session, "e4", 1).expect("it is legal");
    for now in [2, 1000] {
        let refused = session.apply(PlayAction::Move(m), seconds(now));
        assert!(matches!(refused, Err(PlayError::Illegal(_))), "{refused:?}");
    }
    assert_eq!(session.game().moves().len(), 1);
    assert_eq!(session.turn_start(), seconds(1));
}

#[test]
fn a_chess960_game_castles_and_starts_again_from_its_position() {
    // King b1, rook a1: castling moves the king from b1 to c1.
    let fen = "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w HAha - 0 1";
    let mut session = from(fen);
    play(&mut session, "O-O-O", 1).expect("it is legal");
    play(&mut session, "O-O", 2).expect("it is legal");
    assert_eq!(session.game().moves().len(), 2);
    session
        .apply(PlayAction::NewGame, seconds(100))
        .expect("always possible");
    assert_eq!(
        session.game().position().fen(),
        Position::from_fen(fen).expect(fen).fen()
    );
}

#[test]
fn a_new_game_begins_with_new_clocks_and_no_offer() {
    let mut session = session(Some("60+0")).with_humans(ENGINE_IS_BLACK);
    play(&mut session, "e4", 30).expect("it has time");
    session
        .apply(PlayAction::Draw(Black), seconds(31))
        .expect("the game continues");
    session
        .apply(PlayAction::Resign(Black), seconds(32))
        .expect("the game continues");
    session
        .apply(PlayAction::NewGame, seconds(40))
        .expect("always possible");
    assert_eq!(session.end(seconds(40)), None);
    assert_eq!(session.draw_offer(), None);
    assert_eq!(remaining(&session, 45), (55, 60));
    assert_eq!(session.humans(), ENGINE_IS_BLACK);
}
