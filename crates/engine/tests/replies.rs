//! What an engine may say: read, printed, and read again.

use std::time::Duration;

use mendel_engine::uci::{InfoLine, OptionKind, OptionLine, UciReply};
use mendel_engine::xboard::{self, Thinking};
use mendel_engine::{Bound, Score, Wdl};
use proptest::prelude::*;

fn word() -> impl Strategy<Value = String> {
    "[A-Za-z][A-Za-z0-9_]{0,9}".prop_filter("no word of the grammar", |word| {
        !matches!(word.as_str(), "type" | "default" | "min" | "max" | "var")
    })
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..4).prop_map(|words| words.join(" "))
}

fn a_move() -> impl Strategy<Value = String> {
    "[a-h][1-8][a-h][1-8][qrbn]?"
}

fn score() -> impl Strategy<Value = Score> {
    prop_oneof![
        (-30_000..=30_000).prop_map(Score::Centipawns),
        (-500..=500).prop_map(Score::Mate),
    ]
}

fn info() -> impl Strategy<Value = InfoLine> {
    let small = || prop::option::of(0..=u32::MAX);
    let large = || prop::option::of(0..=i64::MAX as u64);
    let bound = prop::sample::select(vec![Bound::Exact, Bound::Lower, Bound::Upper]);
    let wdl = (any::<u16>(), any::<u16>(), any::<u16>()).prop_map(|(win, draw, loss)| Wdl {
        win,
        draw,
        loss,
    });
    (
        (small(), small(), small(), small(), small(), small()),
        (large(), large(), large(), large()),
        (prop::option::of((score(), bound)), prop::option::of(wdl)),
        (
            prop::option::of(a_move()),
            prop::collection::vec(a_move(), 0..5),
        ),
        prop::option::of(text()),
    )
        .prop_map(
            |(small, large, (score, wdl), (currmove, pv), string)| InfoLine {
                depth: small.0,
                seldepth: small.1,
                multipv: small.2,
                hashfull: small.3,
                cpuload: small.4,
                currmovenumber: small.5,
                nodes: large.0,
                nps: large.1,
                tbhits: large.2,
                time: large.3.map(Duration::from_millis),
                score,
                wdl,
                currmove,
                pv,
                string,
            },
        )
}

fn option() -> impl Strategy<Value = OptionLine> {
    let kind = prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        (any::<i64>(), any::<i64>(), any::<i64>())
            .prop_map(|(default, min, max)| OptionKind::Spin { default, min, max }),
        (text(), prop::collection::vec(text(), 1..4))
            .prop_map(|(default, vars)| OptionKind::Combo { default, vars }),
        Just(OptionKind::Button),
        Just(OptionKind::Text {
            default: String::new()
        }),
        text().prop_map(|default| OptionKind::Text { default }),
    ];
    (text(), kind).prop_map(|(name, kind)| OptionLine { name, kind })
}

fn reply() -> impl Strategy<Value = UciReply> {
    prop_oneof![
        text().prop_map(UciReply::Name),
        text().prop_map(UciReply::Author),
        Just(UciReply::UciOk),
        Just(UciReply::ReadyOk),
        (prop::option::of(a_move()), prop::option::of(a_move()))
            .prop_map(|(best, ponder)| UciReply::BestMove { best, ponder }),
        info().prop_map(|info| UciReply::Info(Box::new(info))),
        option().prop_map(UciReply::Option),
    ]
}

fn xboard_reply() -> impl Strategy<Value = xboard::XboardReply> {
    use xboard::XboardReply;
    let time = || (0..1_000_000_u64).prop_map(|hundredths| Duration::from_millis(hundredths * 10));
    let thinking = (
        any::<u32>(),
        score(),
        time(),
        0..u64::MAX / 2,
        prop::collection::vec(a_move(), 0..5),
    )
        .prop_map(|(depth, score, time, nodes, pv)| Thinking {
            depth,
            score,
            time,
            nodes,
            pv,
        });
    let feature = prop_oneof![
        (word(), any::<u32>().prop_map(|number| number.to_string())),
        (word(), text()),
    ];
    let status = (
        time(),
        0..u64::MAX / 2,
        any::<u32>(),
        any::<u32>(),
        any::<u32>(),
    )
        .prop_map(|(time, nodes, depth, left, total)| XboardReply::Status {
            time,
            nodes,
            depth,
            left,
            total,
        });
    prop_oneof![
        prop::collection::vec(feature, 1..5).prop_map(XboardReply::Feature),
        a_move().prop_map(XboardReply::Move),
        any::<i64>().prop_map(XboardReply::Pong),
        thinking.prop_map(XboardReply::Thinking),
        (prop::sample::select(vec!["1-0", "0-1", "1/2-1/2"]), text()).prop_map(
            |(result, reason)| XboardReply::Claim {
                result: result.to_owned(),
                reason
            }
        ),
        Just(XboardReply::Resign),
        Just(XboardReply::OfferDraw),
        (a_move(), prop::option::of(text()))
            .prop_map(|(m, reason)| XboardReply::IllegalMove { m, reason }),
        (text(), text()).prop_map(|(kind, command)| XboardReply::Error { kind, command }),
        a_move().prop_map(XboardReply::Hint),
        status,
        text().prop_map(XboardReply::TellUser),
    ]
}

proptest! {
    #[test]
    fn a_printed_uci_reply_is_read_as_what_it_was(reply in reply()) {
        prop_assert_eq!(UciReply::read(&reply.to_string()), Some(reply));
    }

    #[test]
    fn a_printed_xboard_reply_is_read_as_what_it_was(reply in xboard_reply()) {
        prop_assert_eq!(xboard::XboardReply::read(&reply.to_string()), Some(reply));
    }

    #[test]
    fn any_text_an_engine_says_can_be_read(line in any::<String>()) {
        let _ = UciReply::read(&line);
        let _ = xboard::XboardReply::read(&line);
    }

    #[test]
    fn any_mixture_of_words_an_engine_says_can_be_read(
        words in prop::collection::vec(prop::sample::select(vec![
            "info", "depth", "score", "cp", "mate", "lowerbound", "wdl", "pv", "e2e4", "string",
            "option", "name", "type", "spin", "default", "min", "max", "var", "combo", "-1", "7",
            "99999999999999999999", "bestmove", "ponder", "(none)", "feature", "a=\"", "b=1", "=",
            "stat01:", "Illegal", "move", "(", "Error", "(x):", "1.", "...", "my", "is", "\t", "é",
        ]), 0..12),
    ) {
        let line = words.join(" ");
        let _ = UciReply::read(&line);
        let _ = xboard::XboardReply::read(&line);
    }
}

#[test]
fn output_of_other_uci_engines_is_understood() {
    let info = |info| Some(UciReply::Info(Box::new(info)));
    let table = [
        (
            "bestmove (none)",
            Some(UciReply::BestMove {
                best: None,
                ponder: None,
            }),
        ),
        (
            "bestmove e2e4 ponder (none)",
            Some(UciReply::BestMove {
                best: Some("e2e4".to_owned()),
                ponder: None,
            }),
        ),
        (
            "bestmove",
            Some(UciReply::BestMove {
                best: None,
                ponder: None,
            }),
        ),
        (
            "info depth 7 score cp -31 upperbound pv d7d5 e4d5 nodes -4 time 12 string a  b",
            info(InfoLine {
                depth: Some(7),
                score: Some((Score::Centipawns(-31), Bound::Upper)),
                pv: vec!["d7d5".to_owned(), "e4d5".to_owned()],
                time: Some(Duration::from_millis(12)),
                string: Some("a  b".to_owned()),
                ..InfoLine::default()
            }),
        ),
        (
            "info depth deep score mate seldepth 4 hopefully nps 3",
            info(InfoLine {
                seldepth: Some(4),
                nps: Some(3),
                ..InfoLine::default()
            }),
        ),
        (
            "option name Style type combo default Very Solid var Very Solid var Risky",
            Some(UciReply::Option(OptionLine {
                name: "Style".to_owned(),
                kind: OptionKind::Combo {
                    default: "Very Solid".to_owned(),
                    vars: vec!["Very Solid".to_owned(), "Risky".to_owned()],
                },
            })),
        ),
        (
            "option name Book File type string default C:\\a default.bin",
            Some(UciReply::Option(OptionLine {
                name: "Book File".to_owned(),
                kind: OptionKind::Text {
                    default: "C:\\a default.bin".to_owned(),
                },
            })),
        ),
        (
            "option name Skill type spin",
            Some(UciReply::Option(OptionLine {
                name: "Skill".to_owned(),
                kind: OptionKind::Spin {
                    default: 0,
                    min: i64::MIN,
                    max: i64::MAX,
                },
            })),
        ),
        ("option name", None),
        ("copyprotection checking", None),
        ("registration ok", None),
        ("Chess 3.0 by somebody", None),
        ("", None),
    ];
    for (line, reply) in table {
        assert_eq!(UciReply::read(line), reply, "{line}");
    }
}

#[test]
fn output_of_other_xboard_engines_is_understood() {
    use xboard::XboardReply;
    let moved = |m: &str| Some(XboardReply::Move(m.to_owned()));
    let thinking = |depth, score, time, nodes, pv: &[&str]| {
        Some(XboardReply::Thinking(Thinking {
            depth,
            score,
            time: Duration::from_millis(time),
            nodes,
            pv: pv.iter().map(|m| (*m).to_owned()).collect(),
        }))
    };
    let table = [
        ("move e7e5", moved("e7e5")),
        ("My move is: e7e5", moved("e7e5")),
        ("my move is e7e5", moved("e7e5")),
        ("12. ... e7e5", moved("e7e5")),
        (
            "4  109 14  1435 1. e4 d5",
            thinking(4, Score::Centipawns(109), 140, 1435, &["1.", "e4", "d5"]),
        ),
        (
            "9. 100003 5 77 Qh5",
            thinking(9, Score::Mate(3), 50, 77, &["Qh5"]),
        ),
        (
            "9 -100002 5 77 Kh1",
            thinking(9, Score::Mate(-2), 50, 77, &["Kh1"]),
        ),
        (
            "10 25 100 5000 14 50000 0\te2e4 e7e5",
            thinking(10, Score::Centipawns(25), 1000, 5000, &["e2e4", "e7e5"]),
        ),
        (
            "feature ping=1 myname=\"A \tB 1.0\" junk done=1",
            Some(XboardReply::Feature(vec![
                ("ping".to_owned(), "1".to_owned()),
                ("myname".to_owned(), "A \tB 1.0".to_owned()),
                ("done".to_owned(), "1".to_owned()),
            ])),
        ),
        (
            "0-1 {Black mates}",
            Some(XboardReply::Claim {
                result: "0-1".to_owned(),
                reason: "Black mates".to_owned(),
            }),
        ),
        (
            "Illegal move: e2e5",
            Some(XboardReply::IllegalMove {
                m: "e2e5".to_owned(),
                reason: None,
            }),
        ),
        (
            "Error (too many parameters): level 1 2 3 4",
            Some(XboardReply::Error {
                kind: "too many parameters".to_owned(),
                command: "level 1 2 3 4".to_owned(),
            }),
        ),
        ("# thinking hard", None),
        ("tellics whisper hello", None),
        ("", None),
    ];
    for (line, reply) in table {
        assert_eq!(XboardReply::read(line), reply, "{line}");
    }
}
