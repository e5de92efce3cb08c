//! When games are stopped early, and when they are not.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use mendel_arena::{
    Adjudication, Adjudicator, DrawRule, EndReason, GameSetting, LengthRule, MaterialRule,
    ResignRule, Side, SyzygyRule, Verdict,
};
use mendel_board::Game;
use mendel_board::tablebase::Tablebase;
use mendel_engine::Score;

use crate::scripted::{Scripted, finish, from, plays, sees};

type Decision = (Option<Side>, EndReason, u32);

/// Shows a adjudicator scores, White's and Black's in turn, each from the view of its
/// own player, while knights go to and fro. The decision and the half-move of it.
fn judge(rules: &Adjudication, scores: &[Option<Score>]) -> Option<Decision> {
    let mut adjudicator = Adjudicator::new(rules, None);
    let mut game = Game::default();
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for (ply, (&score, text)) in (1..).zip(scores.iter().zip(moves.iter().cycle())) {
        let m = game.position().parse_uci(text).expect(text);
        game.play(m).expect("knights may go to and fro");
        if let Some(ending) = adjudicator.see(&game, score) {
            return Some((ending.winner, ending.reason, ply));
        }
    }
    None
}

fn pawns(scores: &[i32]) -> Vec<Option<Score>> {
    let scores = scores.iter();
    scores
        .map(|&score| Some(Score::Centipawns(score)))
        .collect()
}

fn draw(from_move: u32, moves: u32, score: u32) -> Adjudication {
    Adjudication {
        draw: Some(DrawRule {
            from_move,
            moves,
            score,
        }),
        ..Adjudication::default()
    }
}

fn resign(moves: u32, score: u32, two_sided: bool) -> Adjudication {
    Adjudication {
        resign: Some(ResignRule {
            moves,
            score,
            two_sided,
        }),
        ..Adjudication::default()
    }
}

#[test]
fn without_rules_nothing_is_stopped() {
    let rules = Adjudication::default();
    assert_eq!(judge(&rules, &pawns(&[0; 400])), None);
    assert_eq!(judge(&rules, &pawns(&[5000, -5000].repeat(200))), None);
}

#[test]
fn a_level_game_is_a_draw_once_both_have_seen_it_long_enough() {
    let at = |rules: &Adjudication, scores: &[i32]| judge(rules, &pawns(scores));
    let drawn = |ply| Some((None, EndReason::AdjudicatedDraw, ply));
    assert_eq!(at(&draw(0, 3, 10), &[10, -10, 0, 5, 9, -3, 0]), drawn(6));
    // Not before its move: ten moves of each side are twenty half-moves.
    assert_eq!(at(&draw(10, 3, 10), &[0; 40]), drawn(20));
    // One score outside, on either side, begins the count again.
    assert_eq!(
        at(&draw(0, 3, 10), &[0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0]),
        drawn(12)
    );
    assert_eq!(at(&draw(0, 3, 10), &[0, 0, 0, 0, -11, 0, 0, 0, 0, 0]), None);
    // A move without a score, or with a mate, is no level score.
    let mut scores = pawns(&[0; 6]);
    scores[5] = None;
    assert_eq!(judge(&draw(0, 3, u32::MAX), &scores), None);
    scores[5] = Some(Score::Mate(-2));
    assert_eq!(judge(&draw(0, 3, 10_000), &scores), None);
}

#[test]
fn a_side_that_reports_a_lost_score_loses() {
    let at = |rules: &Adjudication, scores: &[i32]| judge(rules, &pawns(scores));
    let won = |winner, ply| Some((Some(winner), EndReason::AdjudicatedWin, ply));
    let one = resign(3, 400, false);
    assert_eq!(at(&one, &[0, -400, 0, -500, 0, -401]), won(Side::White, 6));
    assert_eq!(at(&one, &[-400, 0, -400, 0, -400]), won(Side::Black, 5));
    assert_eq!(at(&one, &[0, -400, 0, -399, 0, -400, 0, -400]), None);
    // That only the winner sees it proves nothing.
    assert_eq!(at(&one, &[900; 40]), None);

    let both = resign(3, 400, true);
    assert_eq!(at(&both, &[0, -400].repeat(20)), None);
    assert_eq!(
        at(&both, &[0, -400, 400, -400, 400, -400, 400, -400]),
        won(Side::White, 7)
    );
    let mated = [Some(Score::Mate(3)), Some(Score::Mate(-2))].repeat(3);
    assert_eq!(judge(&both, &mated), won(Side::White, 6));
    let mut silent = mated.clone();
    silent[3] = None;
    assert_eq!(judge(&both, &silent), None);
}

#[test]
fn a_series_of_no_moves_is_a_series_of_one() {
    assert_eq!(judge(&resign(0, 400, false), &pawns(&[0; 40])), None);
    assert_eq!(judge(&draw(0, 0, 0), &pawns(&[1; 40])), None);
}

#[test]
fn a_game_may_only_be_so_long() {
    let long = |verdict| Adjudication {
        length: Some(LengthRule { plies: 7, verdict }),
        ..Adjudication::default()
    };
    let draw = Some((None, EndReason::LengthDraw, 7));
    assert_eq!(judge(&long(Verdict::Draw), &[None; 9]), draw);
    assert_eq!(judge(&long(Verdict::Material), &[None; 9]), draw);
}

#[test]
fn material_decides_a_game_that_is_too_long() {
    let table = [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", Some(Side::White)),
        ("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", Some(Side::Black)),
        // A knight is a bishop, three minor pieces are a queen, a rook is five pawns.
        ("1n2k3/8/8/8/8/8/8/1B2K3 w - - 0 1", None),
        ("1nb1kn2/8/8/8/8/8/8/Q3K3 w - - 0 1", None),
        ("4k3/ppppp3/8/8/8/8/8/4K2R w - - 0 1", None),
        ("4k3/pppp4/8/8/8/8/8/4K2R w - - 0 1", Some(Side::White)),
        ("q3k3/8/8/8/8/8/8/R3K2N w - - 0 1", Some(Side::Black)),
    ];
    for (fen, winner) in table {
        let mut setting = from(fen);
        let verdict = Verdict::Material;
        setting.adjudication.length = Some(LengthRule { plies: 1, verdict });
        let king = if fen.contains("K2") { "Kf2" } else { "Kf1" };
        let played = finish(&mut plays(&[king]), &mut Scripted::default(), &setting);
        let reason = match winner {
            Some(_) => EndReason::LengthMaterial,
            None => EndReason::LengthDraw,
        };
        assert_eq!(
            (played.ending.winner, played.ending.reason),
            (winner, reason),
            "{fen}"
        );
    }
}

#[test]
fn a_large_lead_in_material_ends_the_game_without_scores() {
    let ends = |fen: &str, centipawns| {
        let mut setting = from(fen);
        setting.adjudication.material = Some(MaterialRule {
            centipawns,
            values: MaterialRule::USUAL,
        });
        let (plies, verdict) = (1, Verdict::Draw);
        setting.adjudication.length = Some(LengthRule { plies, verdict });
        let ending = finish(&mut plays(&["Kf2"]), &mut Scripted::default(), &setting).ending;
        (ending.reason == EndReason::AdjudicatedWin).then_some(ending.winner)
    };
    let fourteen = "4k3/8/8/8/8/8/8/QR2K3 w - - 0 1";
    assert_eq!(ends(fourteen, 1500), None);
    assert_eq!(ends(fourteen, 1400), Some(Some(Side::White)));
    assert_eq!(
        ends("qr2k3/p7/8/8/8/8/8/4K3 w - - 0 1", 1500),
        Some(Some(Side::Black))
    );
    assert_eq!(ends("qr2k3/p7/8/8/8/8/7P/4K3 w - - 0 1", 1401), None);
    // Equal material is no lead.
    assert_eq!(ends("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1", 0), None);
}

#[test]
fn rules_are_read_as_they_are_written() {
    let text = r#"{
        "draw": {"from_move": 40, "moves": 8, "score": 10},
        "resign": {"moves": 3, "score": 400, "two_sided": true},
        "length": {"plies": 200, "verdict": "material"},
        "material": {"centipawns": 1500},
        "syzygy": {"path": "tables", "pieces": 5}
    }"#;
    let rules: Adjudication = serde_json::from_str(text).expect("the form is known");
    assert_eq!(
        rules.length.map(|rule| rule.verdict),
        Some(Verdict::Material)
    );
    let again = serde_json::to_string(&rules).expect("plain data");
    assert_eq!(
        serde_json::from_str::<Adjudication>(&again).ok(),
        Some(rules)
    );
    assert_eq!(
        serde_json::from_str::<Adjudication>("{}").ok(),
        Some(Adjudication::default())
    );
    // A rule with a wrong name would else be a rule that never holds.
    assert!(serde_json::from_str::<Adjudication>(r#"{"resing": null}"#).is_err());
}

#[test]
fn scores_reach_the_referee_through_the_game() {
    let mut setting = GameSetting {
        adjudication: resign(2, 300, true),
        ..GameSetting::default()
    };
    let played = finish(&mut sees(350), &mut sees(-300), &setting);
    assert_eq!(played.ending.winner, Some(Side::White));
    assert_eq!(played.ending.reason, EndReason::AdjudicatedWin);
    assert_eq!(played.moves.len(), 4);
    let mut wrong = Scripted {
        scores: VecDeque::new(),
        ..sees(0)
    };
    setting.adjudication.length = Some(LengthRule {
        plies: 8,
        verdict: Verdict::Draw,
    });
    let played = finish(&mut wrong, &mut sees(-300), &setting);
    assert_eq!(played.ending.reason, EndReason::LengthDraw);
}

#[test]
fn tables_decide_what_they_know() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
    if !folder.is_dir() {
        eprintln!("skipped: there is no folder {}", folder.display());
        return;
    }
    let path = folder.to_str().expect("a plain name").to_owned();
    let tables = Arc::new(Tablebase::open(&path).expect("there are tables"));
    let ends = |fen: &str, m, pieces, ignore_fifty_moves| {
        let mut setting = from(fen);
        let path = path.clone();
        setting.adjudication.syzygy = Some(SyzygyRule {
            path,
            pieces,
            ignore_fifty_moves,
        });
        let (plies, verdict) = (1, Verdict::Draw);
        setting.adjudication.length = Some(LengthRule { plies, verdict });
        setting.tablebase = Some(Arc::clone(&tables));
        let ending = finish(&mut plays(&[m]), &mut plays(&[m]), &setting).ending;
        (ending.reason == EndReason::Tablebase).then_some(ending.winner)
    };
    let table = [
        // Right after a capture, and in the middle of things; both sides, and a draw.
        (
            "8/8/8/4k3/8/8/1n6/1Q2K3 w - - 0 1",
            "Qxb2+",
            Some(Some(Side::White)),
        ),
        (
            "8/8/8/4k3/8/8/1p6/R3K3 b - - 0 1",
            "bxa1=Q+",
            Some(Some(Side::Black)),
        ),
        (
            "8/8/8/4k3/8/8/1q6/4K2R w - - 0 1",
            "Kf1",
            Some(Some(Side::Black)),
        ),
        ("8/8/8/8/4k3/1r6/R7/4K3 w - - 0 1", "Ra4+", Some(None)),
        // Won, but too late for the fifty-move rule.
        ("7k/8/8/8/8/8/8/R3K3 w - - 80 90", "Kf2", Some(None)),
        // A table that is not there decides nothing.
        ("8/8/4k3/8/8/8/r7/R3K2r w - - 0 1", "Kd1", None),
    ];
    for (fen, m, decision) in table {
        assert_eq!(ends(fen, m, None, false), decision, "{fen}");
    }
    let (won, m) = ("7k/8/8/8/8/8/8/R3K3 w - - 80 90", "Kf2");
    assert_eq!(ends(won, m, None, true), Some(Some(Side::White)));
    assert_eq!(ends(won, m, Some(2), true), None);
}
