use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use mendel_board::Position;
use mendel_board::epd::{self, Epd};
use mendel_board::{BoardFileError, NotationError};
use proptest::prelude::*;

use crate::walks::positions;

const WAC: &str =
    r#"2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";"#;

#[test]
fn a_record_has_a_position_and_remarks() {
    let epd: Epd = WAC.parse().unwrap();
    assert_eq!(epd.text("id"), Some("WAC.001"));
    assert_eq!(epd.operands("bm"), Some(&["Qg6".to_owned()][..]));
    assert_eq!(epd.position().san(epd.moves("bm").unwrap()[0]), "Qg6");
    assert!(epd.moves("am").unwrap().is_empty());
    assert_eq!(epd.operands("dm"), None);
    assert_eq!(epd.to_string(), WAC);
}

#[test]
fn remarks_come_in_many_forms() {
    let text = concat!(
        "r1bqk2r/p1pp1ppp/2p2n2/8/1b2P3/2N5/PPP2PPP/R1BQKB1R w KQkq - ",
        r#"bm Bd3 Qd3+!  Qd4?!, +; am f3; c0 "semi; colon and ""two"; ce -12 ;;"#,
        r#" noop; D1 20 ; hmvc 3; fmvn 17; c9 """#,
    );
    let epd: Epd = text.parse().unwrap();
    let position = epd.position();
    let sans: Vec<String> = epd
        .moves("bm")
        .unwrap()
        .iter()
        .map(|&m| position.san(m))
        .collect();
    assert_eq!(sans, ["Bd3", "Qd3", "Qd4"]);
    assert_eq!(epd.operands("c0").unwrap(), ["semi; colon and ", "two"]);
    assert_eq!(epd.text("ce"), Some("-12"));
    assert_eq!(epd.operands("noop"), Some(&[][..]));
    assert_eq!(epd.text("D1"), Some("20"));
    assert_eq!(epd.text("c9"), Some(""));
    assert_eq!((position.halfmoves(), position.fullmoves()), (3, 17));
    assert_eq!(epd.to_string().parse::<Epd>().as_ref(), Ok(&epd));
    assert!(epd.to_string().ends_with("hmvc 3; fmvn 17;"), "{epd}");
}

#[test]
fn a_fen_is_a_record_too() {
    for position in positions(21, 500) {
        let epd: Epd = position.fen().parse().unwrap();
        assert_eq!(epd.position().fen(), position.fen());
        let back: Epd = epd.to_string().parse().unwrap();
        assert_eq!(back.position().fen(), position.fen());
    }
}

#[test]
fn a_remark_can_be_set_and_replaced() {
    let mut epd = Epd::new(Position::initial());
    epd.set("id", &["first \"try\"\n"]);
    epd.set("bm", &["e4", "d4"]);
    epd.set("id", &["second"]);
    let fields = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    assert_eq!(
        epd.to_string(),
        format!("{fields} id \"second\"; bm e4 d4;")
    );
    epd.set("id", &["a \"quoted\"\nline"]);
    let back: Epd = epd.to_string().parse().unwrap();
    assert_eq!(back.text("id"), Some("a 'quoted' line"));
}

#[test]
fn bad_records_are_refused_for_what_they_are() {
    let fields = "4k3/8/8/8/8/8/8/4K3 w - -";
    let parse = |rest: &str| format!("{fields} {rest}").parse::<Epd>().unwrap_err();
    assert!(matches!(
        "".parse::<Epd>(),
        Err(NotationError::EpdFields { .. })
    ));
    assert!(matches!(
        "8/8 w -".parse::<Epd>(),
        Err(NotationError::EpdFields { .. })
    ));
    assert!(matches!(
        "8/8 w - -;".parse::<Epd>(),
        Err(NotationError::Fen { .. } | NotationError::Position { .. })
    ));
    assert!(matches!(
        parse("id \"open;"),
        NotationError::EpdQuote { .. }
    ));
    assert!(matches!(
        parse("\"text\";"),
        NotationError::EpdOpcode { .. }
    ));
    assert!(matches!(
        parse("id \"x\"; 5 5;"),
        NotationError::EpdOpcode { .. }
    ));
    assert!(matches!(
        parse("hmvc;"),
        NotationError::EpdCounter { opcode: "hmvc" }
    ));
    assert!(matches!(
        parse("fmvn -1;"),
        NotationError::EpdCounter { opcode: "fmvn" }
    ));
    let epd: Epd = format!("{fields} bm Ke5;").parse().unwrap();
    let error = epd.moves("bm").unwrap_err();
    assert!(
        error.to_string().contains("`bm`: illegal move `Ke5`"),
        "{error}"
    );
}

#[test]
fn a_file_tells_its_lines_and_goes_on_after_a_bad_one() {
    let long = "x".repeat(100_000);
    let text = format!("\u{feff}{WAC}\r\n\n# a remark\nrubbish\n{long}\n{WAC}");
    let records: Vec<_> = epd::read(text.as_bytes()).collect();
    assert_eq!(records.len(), 4);
    assert!(matches!(&records[0], Ok((1, epd)) if epd.text("id") == Some("WAC.001")));
    let error = records[1].as_ref().unwrap_err();
    assert!(
        error.to_string().starts_with("line 4: `rubbish`"),
        "{error}"
    );
    assert!(matches!(
        records[2],
        Err(BoardFileError::LongLine { line: 5, .. })
    ));
    assert!(matches!(records[3], Ok((6, _))));
}

/// The suites of others, where they lie beside the repository: nearly all are
/// read, and their best moves are legal.
#[test]
fn the_suites_beside_the_repository_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/suites");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder {}", folder.display());
        return;
    };
    let (mut read, mut broken) = (0, 0);
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "epd") {
            continue;
        }
        for record in epd::read(BufReader::new(File::open(&path).unwrap())) {
            let fit = record.is_ok_and(|(_, epd)| {
                epd.moves("bm").is_ok() && epd.to_string().parse().as_ref() == Ok(&epd)
            });
            read += usize::from(fit);
            broken += usize::from(!fit);
        }
    }
    assert!(
        read > 1_000 && broken * 200 < read,
        "{read} read, {broken} broken"
    );
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in ".{0,200}") {
        let _ = text.parse::<Epd>();
    }

    #[test]
    fn what_reads_is_written_and_reads_again(rest in "[a-z0-9 ;\"+#=-]{0,60}|.{0,60}") {
        if let Ok(epd) = format!("4k3/8/8/8/8/8/8/4K2R w K - {rest}").parse::<Epd>() {
            let back = epd.to_string().parse::<Epd>();
            prop_assert_eq!(back.as_ref().map(Epd::position), Ok(epd.position()));
            let opcodes = |epd: &Epd| epd.operations().iter().map(|op| op.opcode.clone()).collect::<Vec<_>>();
            prop_assert_eq!(back.as_ref().map(opcodes), Ok(opcodes(&epd)));
            let _ = epd.moves("bm");
        }
    }

    #[test]
    fn no_bytes_break_the_file_reader(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(epd::read(&bytes[..]).count() <= bytes.len());
    }
}
