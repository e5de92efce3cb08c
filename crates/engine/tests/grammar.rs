//! What a GUI may say: read, printed, and read again.

use std::time::Duration;

use mendel_board::{Color, Position};
use mendel_engine::uci::{Go, StartPosition, UciCommand, UciCommandError};
use mendel_engine::xboard;
use proptest::prelude::*;

fn word() -> impl Strategy<Value = String> {
    "[A-Za-z][A-Za-z0-9_]{0,9}".prop_filter("no word of the grammar", |word| {
        !matches!(word.as_str(), "value" | "moves" | "eval" | "d")
    })
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..4).prop_map(|words| words.join(" "))
}

fn moves() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-h][1-8][a-h][1-8][qrbn]?", 0..6)
}

fn go() -> impl Strategy<Value = Go> {
    let least = |least: i64| prop::option::of(least..=i64::MAX);
    (
        (moves(), any::<bool>(), any::<bool>()),
        (
            least(i64::MIN),
            least(i64::MIN),
            least(0),
            least(0),
            least(1),
        ),
        (least(1), least(1), least(1), least(0), least(1)),
    )
        .prop_map(|((searchmoves, ponder, infinite), clock, limits)| Go {
            searchmoves,
            ponder,
            infinite,
            wtime: clock.0,
            btime: clock.1,
            winc: clock.2,
            binc: clock.3,
            movestogo: clock.4,
            depth: limits.0,
            nodes: limits.1,
            mate: limits.2,
            movetime: limits.3,
            perft: limits.4,
        })
}

fn uci_command() -> impl Strategy<Value = UciCommand> {
    let start = prop_oneof![
        Just(StartPosition::Initial),
        prop::sample::select(vec![
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "x",
            "7k/8/8/8/8/8/8/K7 b"
        ])
        .prop_map(|fen| StartPosition::Fen(fen.to_owned())),
    ];
    prop_oneof![
        Just(UciCommand::Uci),
        any::<bool>().prop_map(UciCommand::Debug),
        Just(UciCommand::IsReady),
        (text(), prop::option::of("[ -~]{0,20}")).prop_map(|(name, value)| UciCommand::SetOption {
            name,
            value: value.map(|value| value.trim().to_owned()),
        }),
        text().prop_map(UciCommand::Register),
        Just(UciCommand::NewGame),
        (start, moves()).prop_map(|(start, moves)| UciCommand::Position { start, moves }),
        go().prop_map(|go| UciCommand::Go(Box::new(go))),
        Just(UciCommand::Stop),
        Just(UciCommand::PonderHit),
        Just(UciCommand::Quit),
        Just(UciCommand::Display),
        Just(UciCommand::Eval),
    ]
}

fn milliseconds() -> impl Strategy<Value = Duration> {
    (0..1_000_000_u64).prop_map(Duration::from_millis)
}

fn xboard_command() -> impl Strategy<Value = xboard::XboardCommand> {
    use xboard::XboardCommand;
    let plain = prop::sample::select(vec![
        XboardCommand::Xboard,
        XboardCommand::New,
        XboardCommand::Quit,
        XboardCommand::Random,
        XboardCommand::Force,
        XboardCommand::Go,
        XboardCommand::PlayOther,
        XboardCommand::MoveNow,
        XboardCommand::Draw,
        XboardCommand::Edit,
        XboardCommand::Hint,
        XboardCommand::Book,
        XboardCommand::Undo,
        XboardCommand::Remove,
        XboardCommand::Hard,
        XboardCommand::Easy,
        XboardCommand::Post,
        XboardCommand::NoPost,
        XboardCommand::Analyze,
        XboardCommand::Exit,
        XboardCommand::Status,
        XboardCommand::Computer,
    ]);
    let level =
        (any::<u32>(), milliseconds(), milliseconds()).prop_map(|(moves, base, increment)| {
            xboard::LevelCommand {
                moves,
                base,
                increment,
            }
        });
    prop_oneof![
        plain,
        any::<u32>().prop_map(XboardCommand::Protover),
        text().prop_map(XboardCommand::Accepted),
        text().prop_map(XboardCommand::Rejected),
        text().prop_map(XboardCommand::Variant),
        level.prop_map(XboardCommand::Level),
        milliseconds().prop_map(XboardCommand::SecondsPerMove),
        (1..=u32::MAX).prop_map(XboardCommand::Depth),
        any::<i64>().prop_map(XboardCommand::Time),
        any::<i64>().prop_map(XboardCommand::OpponentTime),
        "[a-h][1-8][a-h][1-8][qrbn]?".prop_map(XboardCommand::UserMove),
        any::<i64>().prop_map(XboardCommand::Ping),
        text().prop_map(XboardCommand::Result),
        text().prop_map(XboardCommand::SetBoard),
        text().prop_map(XboardCommand::Name),
        text().prop_map(XboardCommand::Rating),
        (0..u64::MAX / 2).prop_map(XboardCommand::Memory),
        (0..u64::MAX / 2).prop_map(XboardCommand::Cores),
        (word(), text()).prop_map(|(kind, path)| XboardCommand::TablePath { kind, path }),
        (text(), prop::option::of(text()))
            .prop_map(|(name, value)| XboardCommand::Option { name, value }),
    ]
}

proptest! {
    #[test]
    fn a_printed_uci_command_is_read_as_what_it_was(command in uci_command()) {
        prop_assert_eq!(command.to_string().parse(), Ok(command));
    }

    #[test]
    fn a_printed_xboard_command_is_read_as_what_it_was(command in xboard_command()) {
        prop_assert_eq!(command.to_string().parse(), Ok(command));
    }

    #[test]
    fn any_text_can_be_read(line in any::<String>()) {
        let _ = UciCommand::read(&line);
        let _ = line.parse::<xboard::XboardCommand>();
    }

    #[test]
    fn any_limits_can_be_kept(go in go()) {
        let (limits, _) = go.limits(&Position::initial());
        prop_assert!(limits.depth != Some(0) && limits.nodes != Some(0));
        let bounded = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some()
            || limits.movetime.is_some() || limits.clock.is_some();
        prop_assert!(bounded || limits.infinite);
    }
}

#[test]
fn white_space_and_unknown_words_do_not_matter() {
    let table = [
        ("  isready\r\n", UciCommand::IsReady),
        ("joho debug on", UciCommand::Debug(true)),
        ("debug   off", UciCommand::Debug(false)),
        ("\t stop now please", UciCommand::Stop),
        (
            "setoption name  Move   Overhead  value 30 ",
            UciCommand::SetOption {
                name: "Move Overhead".to_owned(),
                value: Some("30".to_owned()),
            },
        ),
        (
            "setoption name SyzygyPath value /my  tables/a value b",
            UciCommand::SetOption {
                name: "SyzygyPath".to_owned(),
                value: Some("/my  tables/a value b".to_owned()),
            },
        ),
        (
            "setoption name Clear Hash",
            UciCommand::SetOption {
                name: "Clear Hash".to_owned(),
                value: None,
            },
        ),
        (
            "position  startpos   moves  e2e4\te7e5",
            UciCommand::Position {
                start: StartPosition::Initial,
                moves: vec!["e2e4".to_owned(), "e7e5".to_owned()],
            },
        ),
    ];
    for (line, command) in table {
        assert_eq!(UciCommand::read(line), (Some(command), vec![]), "{line}");
    }
    assert_eq!(UciCommand::read(" \r\n"), (None, vec![]));
}

#[test]
fn each_limit_that_makes_no_sense_is_named_and_read_as_something_that_does() {
    let one = |go: Go| Some(UciCommand::Go(Box::new(go)));
    let table = [
        (
            "go depth -5",
            "`depth -5`: less than 1, read as 1",
            Go {
                depth: Some(1),
                ..Go::default()
            },
        ),
        (
            "go depth",
            "`depth` needs a whole number after it",
            Go {
                depth: Some(1),
                ..Go::default()
            },
        ),
        (
            "go nodes 0",
            "`nodes 0`: less than 1, read as 1",
            Go {
                nodes: Some(1),
                ..Go::default()
            },
        ),
        (
            "go nodes many",
            "`nodes many`: not a whole number, read as 1",
            Go {
                nodes: Some(1),
                ..Go::default()
            },
        ),
        (
            "go movetime -1",
            "`movetime -1`: less than 0, read as 0, which means to move at once",
            Go {
                movetime: Some(0),
                ..Go::default()
            },
        ),
        (
            "go wtime 1e5",
            "`wtime 1e5`: not a whole number, read as 0, which means to move at once",
            Go {
                wtime: Some(0),
                ..Go::default()
            },
        ),
        (
            "go winc -3 depth 2",
            "`winc -3`: less than 0, read as none",
            Go {
                depth: Some(2),
                ..Go::default()
            },
        ),
        (
            "go depth infinite",
            "`depth` needs a whole number after it",
            Go {
                depth: Some(1),
                infinite: true,
                ..Go::default()
            },
        ),
        (
            "go quickly depth 3",
            "`quickly` after `go` means nothing and is skipped",
            Go {
                depth: Some(3),
                ..Go::default()
            },
        ),
    ];
    for (line, message, go) in table {
        let (command, faults) = UciCommand::read(line);
        assert_eq!(command, one(go), "{line}");
        assert_eq!(faults.len(), 1, "{line}");
        assert_eq!(faults[0].to_string(), message, "{line}");
        assert_eq!(
            line.parse::<UciCommand>().as_ref(),
            Err(&faults[0]),
            "{line}"
        );
    }
}

#[test]
fn lines_that_are_no_commands_are_named() {
    let table = [
        ("xyzzy", "unknown command: `xyzzy`"),
        (
            "setoption Hash value 3",
            "`setoption` needs `name` and an option after it",
        ),
        ("setoption name value 3", "`name` needs an option after it"),
        (
            "position",
            "`position` needs `startpos` or `fen` and a position after it",
        ),
        (
            "position start moves e2e4",
            "`position` needs `startpos` or `fen` and a position after it",
        ),
        (
            "position startpos e2e4",
            "`e2e4` after `position` means nothing and is skipped",
        ),
    ];
    for (line, message) in table {
        let (command, faults) = UciCommand::read(line);
        assert_eq!(command, None, "{line}");
        assert_eq!(
            faults
                .iter()
                .map(UciCommandError::to_string)
                .collect::<Vec<_>>(),
            [message]
        );
    }
}

#[test]
fn a_side_without_a_clock_gets_that_of_the_other() {
    let go: UciCommand = "go wtime 5000 winc 10".parse().expect("a command");
    let UciCommand::Go(go) = go else {
        panic!("{go:?}")
    };
    let (limits, _) = go.limits(&Position::initial());
    let clock = limits.clock.expect("a clock");
    assert_eq!(clock.of(Color::Black).remaining, Duration::from_secs(5));
    assert_eq!(clock.of(Color::Black).increment, Duration::ZERO);
    assert_eq!(clock.of(Color::White).increment, Duration::from_millis(10));
}

#[test]
fn a_value_with_a_line_break_stays_one_line() {
    let command = UciCommand::SetOption {
        name: "Book".to_owned(),
        value: Some("a\nquit".to_owned()),
    };
    assert_eq!(command.to_string(), "setoption name Book value a quit");
}

#[test]
fn xboard_levels_come_in_many_forms() {
    let level = |moves, base: f64, increment: f64| {
        Ok(xboard::XboardCommand::Level(xboard::LevelCommand {
            moves,
            base: Duration::from_secs_f64(base),
            increment: Duration::from_secs_f64(increment),
        }))
    };
    let table = [
        ("level 40 5 0", level(40, 300.0, 0.0)),
        ("level 0 2:30 12", level(0, 150.0, 12.0)),
        ("level 0 0:01.5 0.25", level(0, 1.5, 0.25)),
        ("level 40 0.5 0", level(40, 30.0, 0.0)),
        ("level -1 -5 -1", level(0, 0.0, 0.0)),
    ];
    for (line, command) in table {
        assert_eq!(line.parse(), command, "{line}");
    }
    for line in [
        "level",
        "level 40",
        "level 40 5",
        "level 40 x 0",
        "level 40 5:x 0",
        "level 0 nan 0",
    ] {
        let fault = line.parse::<xboard::XboardCommand>().expect_err(line);
        assert_eq!(
            fault.to_string(),
            format!("Error (needs moves, minutes and seconds): {line}")
        );
    }
}
