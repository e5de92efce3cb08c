//! What others have gathered, in tiny files.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use mendel_board::Color;
use mendel_data::import::score::Unit;
use mendel_data::import::{
    GameFilter, ImportError, ImportFormat, ImportSettings, Imported, PositionFilter, ResultFilter,
    ScorePerspective, import,
};
use mendel_data::{DataSet, GameResult, MATE, Sample};

use crate::Scratch;

fn try_import(
    scratch: &Scratch,
    from: &Path,
    setting: &ImportSettings,
) -> Result<Read, ImportError> {
    let out = scratch.at("out.mds");
    let _ = std::fs::remove_file(&out);
    let stop = AtomicBool::new(false);
    let imported = import(from, &out, setting, &stop, &mut |_| {})?;
    let samples = DataSet::read(&out).expect("it was just written").samples;
    assert_eq!(imported.report.kept as usize, samples.len());
    Ok(Read { imported, samples })
}

/// Of columns nothing else says what 1 means.
fn in_centipawns() -> ImportSettings {
    ImportSettings {
        unit: Some(Unit::Centipawns),
        ..ImportSettings::default()
    }
}

struct Read {
    imported: Imported,
    samples: Vec<Sample>,
}

const GAMES: &str = r#"[Event "one"]
[WhiteElo "2600"]
[BlackElo "2550"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

[Event "two"]
[WhiteElo "2600"]
[BlackElo "2400"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "broken"]
[WhiteElo "2700"]
[BlackElo "2700"]
[Result "1-0"]

1. e4 e5 2. Qh8 1-0

[Event "short"]
[WhiteElo "2700"]
[BlackElo "2700"]
[Result "1/2-1/2"]

1. e4 1/2-1/2
"#;

#[test]
fn every_position_of_every_game_with_the_move_that_was_played() {
    let scratch = Scratch::new("pgn");
    let file = scratch.put("games.pgn", GAMES);
    let Read { imported, samples } =
        try_import(&scratch, &file, &ImportSettings::default()).expect("it is PGN");
    assert_eq!(samples.len(), 7 + 4 + 1);
    let report = &imported.report;
    assert_eq!((report.records, report.filtered), (4, 0));
    assert_eq!(report.unreadable, 1);
    assert!(report.examples[0].contains("game 3"), "{report:?}");
    assert!(report.examples[0].contains("Qh8"), "{report:?}");
    let last = &samples[6];
    let best = last.best.expect("a move was played");
    assert_eq!(last.position.san(best), "Qxf7#");
    assert_eq!(last.result, Some(GameResult::Win));
    assert_eq!(samples[5].result, Some(GameResult::Loss));
    assert_eq!(samples[11].result, Some(GameResult::Draw));
    assert_eq!([samples[0].game, samples[11].game], [1, 4]);
}

#[test]
fn games_are_filtered_and_positions_picked() {
    let scratch = Scratch::new("filters");
    let file = scratch.put("games.pgn", GAMES);
    let with = |games: GameFilter, pick: PositionFilter| {
        let setting = ImportSettings {
            games,
            pick,
            ..ImportSettings::default()
        };
        try_import(&scratch, &file, &setting).map_or(0, |read| {
            let samples = &read.samples;
            let turn = |sample: &Sample| sample.position.turn();
            if let Some(mover) = pick.mover {
                assert!(samples.iter().all(|sample| turn(sample) == mover));
            }
            if pick.winner_to_move {
                let wins = |sample: &Sample| sample.result == Some(GameResult::Win);
                assert!(samples.iter().all(wins));
            }
            samples.len()
        })
    };
    let all = GameFilter::default();
    let every = PositionFilter::default();
    let one = PositionFilter {
        one_per_game: true,
        ..every
    };
    let result = |result| GameFilter {
        result: Some(result),
        ..all
    };
    let rated = GameFilter {
        min_rating: Some(2500),
        ..all
    };
    let long = GameFilter {
        min_plies: 5,
        ..all
    };
    let winner = PositionFilter {
        winner_to_move: true,
        ..every
    };
    let white = PositionFilter {
        mover: Some(Color::White),
        ..every
    };
    let late = PositionFilter {
        from_ply: 3,
        ..every
    };
    let table = [
        (rated, every, 8),
        (long, every, 7),
        (result(ResultFilter::White), every, 7),
        (result(ResultFilter::Black), every, 4),
        (result(ResultFilter::Draw), every, 1),
        (result(ResultFilter::Decisive), every, 11),
        (all, one, 3),
        (all, winner, 4 + 2),
        (all, white, 4 + 2 + 1),
        (all, late, 4 + 1),
        (result(ResultFilter::Draw), winner, 0),
    ];
    for (games, pick, count) in table {
        assert_eq!(with(games, pick), count, "{games:?} {pick:?}");
    }
}

#[test]
fn one_position_a_game_depends_on_the_seed_alone() {
    let scratch = Scratch::new("seed");
    let file = scratch.put("games.pgn", GAMES);
    let drawn = |seed| {
        let setting = ImportSettings {
            seed,
            pick: PositionFilter {
                one_per_game: true,
                ..PositionFilter::default()
            },
            ..ImportSettings::default()
        };
        let read = try_import(&scratch, &file, &setting).expect("it is PGN");
        let fens: Vec<String> = read.samples.iter().map(|it| it.position.fen()).collect();
        fens
    };
    assert_eq!(drawn(1), drawn(1));
    assert!((2..20).any(|seed| drawn(seed) != drawn(1)));
}

#[test]
fn epd_in_all_its_forms() {
    let scratch = Scratch::new("epd");
    let fen = "4k3/8/8/8/8/8/4P3/4K3";
    let table = [
        (
            format!("{fen} w - - c9 \"1-0\";"),
            None,
            Some(GameResult::Win),
        ),
        (
            format!("{fen} b - - c9 \"1-0\";"),
            None,
            Some(GameResult::Loss),
        ),
        (
            format!("{fen} w - - 0 1 [0.5]"),
            None,
            Some(GameResult::Draw),
        ),
        (
            format!("{fen} b - - 0 1 [0.0] 37"),
            None,
            Some(GameResult::Win),
        ),
        (
            format!("{fen} b - - 0 1 | 120 | 1.0"),
            Some(-120),
            Some(GameResult::Loss),
        ),
        (format!("{fen} b - - ce -35; bm Kd8;"), Some(-35), None),
        (format!("{fen} w - - dm 9;"), Some(MATE), None),
        (format!("{fen} w - - ce -32755;"), Some(-MATE), None),
        (format!("{fen} w - - 0 1 bm Kd2 dm 26"), Some(MATE), None),
        (format!("{fen} w - -"), None, None),
    ];
    let text: Vec<&str> = table.iter().map(|(line, _, _)| line.as_str()).collect();
    // Some editors end lines with a zero.
    let file = scratch.put("positions.epd", text.join("\0\n"));
    let read = try_import(&scratch, &file, &ImportSettings::default()).expect("it is EPD");
    assert_eq!(read.imported.report.unreadable, 0, "{:?}", read.imported);
    assert_eq!(read.imported.report.unlabelled, 1);
    for (sample, (line, score, result)) in read.samples.iter().zip(&table) {
        assert_eq!((&sample.score, &sample.result), (score, result), "{line}");
    }
    let best = read.samples[5].best.expect("it has one");
    assert_eq!(read.samples[5].position.san(best), "Kd8");
}

#[test]
fn csv_in_all_its_forms() {
    let scratch = Scratch::new("csv");
    let white = "4k3/8/8/8/8/8/4P3/4K3 w - -";
    let black = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
    let text = format!(
        "FEN,Evaluation\n{white},+36\n{black},36\n{black},#+5\n{white},#-3\n\
         {black},M18\n\nFEN,Evaluation\n{white},12.6\nnonsense,5\n{white},\n{white},zero\n"
    );
    let file = scratch.put("scores.csv", &text);
    let read = try_import(&scratch, &file, &in_centipawns()).expect("it is CSV");
    let scores: Vec<i16> = read.samples.iter().filter_map(|it| it.score).collect();
    assert_eq!(scores, [36, -36, -MATE, -MATE, -MATE, 13]);
    let report = &read.imported.report;
    assert_eq!((report.records, report.unreadable), (9, 3));
    assert!(report.examples[0].starts_with("line 10:"), "{report:?}");
    assert!(report.examples[2].contains("zero"), "{report:?}");

    let setting = ImportSettings {
        view: ScorePerspective::Mover,
        ..in_centipawns()
    };
    let read = try_import(&scratch, &file, &setting).expect("it is CSV");
    assert_eq!(read.samples[1].score, Some(36));
}

#[test]
fn csv_with_other_columns_and_delimiters() {
    let scratch = Scratch::new("columns");
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
    let text = format!("id;fen;bestmove;result;score\n7;\"{fen}\";e8d7;1-0;-20\n");
    let file = scratch.put("table.csv", text);
    let read = try_import(&scratch, &file, &in_centipawns()).expect("it is CSV");
    let sample = &read.samples[0];
    assert_eq!(sample.score, Some(20));
    assert_eq!(sample.result, Some(GameResult::Loss));
    let best = sample.best.expect("it has one");
    assert_eq!(sample.position.uci(best), "e8d7");
    let file = scratch.put("bare.txt", format!("{fen}\t-20\n"));
    let read = try_import(&scratch, &file, &in_centipawns()).expect("it is CSV");
    assert_eq!(read.imported.format, ImportFormat::Csv);
    assert_eq!(read.samples[0].score, Some(20));
}

#[test]
fn puzzles_give_the_first_move_of_the_solution() {
    let scratch = Scratch::new("puzzles");
    let text = "PuzzleId,FEN,Moves,Rating\n\
        0000D,5rk1/1p3ppp/pq3b2/8/8/1P1Q1N2/P4PPP/3R2K1 w - - 2 27,d3d6 f8d8 d6d8 f6d8,1553\n\
        bad,8/8/8/8/8/8/8/8 w - - 0 1,a1a2,1\n";
    let file = scratch.put("puzzles.csv", text);
    let read = try_import(&scratch, &file, &ImportSettings::default()).expect("they are puzzles");
    assert_eq!(read.imported.format, ImportFormat::Puzzles);
    assert_eq!(read.imported.report.unreadable, 1);
    let sample = &read.samples[0];
    let best = sample.best.expect("a puzzle has one");
    assert_eq!(sample.position.san(best), "Rd8");

    // Only Qe1-d2 lets the queen stand where the solution needs it.
    let told = r#"{"id":1,"fen":"8/1p4pk/3p3p/2pP1q2/p1P5/P1Pn3P/6P1/1B2Q2K w - - 2 40","color":"black","lines":{"f5f1":{"h1h2":{"f1b1":{"d2e3":"win"}}}}}"#;
    let untold =
        r#"{"fen":"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1","color":"black","lines":{"e8d8":"win"}}"#;
    let file = scratch.put("old.jsonl", format!("{told}\n{untold}\n{{}}\n"));
    let read = try_import(&scratch, &file, &ImportSettings::default()).expect("they are puzzles");
    assert_eq!(read.samples.len(), 1);
    assert_eq!(read.imported.report.unreadable, 2);
    let sample = &read.samples[0];
    assert_eq!(sample.position.turn(), Color::Black);
    assert_eq!(
        sample.best.map(|m| sample.position.uci(m)).as_deref(),
        Some("f5f1")
    );
}

#[test]
fn a_sample_is_as_large_as_asked_and_in_order() {
    let scratch = Scratch::new("sample");
    let lines: Vec<String> = (0..1000)
        .map(|index| format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {},{index}\n", 1 + index))
        .collect();
    let file = scratch.put("many.csv", lines.concat());
    let drawn = |sample, seed| {
        let setting = ImportSettings {
            sample: Some(sample),
            seed,
            ..in_centipawns()
        };
        let read = try_import(&scratch, &file, &setting).expect("it is CSV");
        let scores = read.samples.iter().filter_map(|sample| sample.score);
        scores.collect::<Vec<i16>>()
    };
    let scores = drawn(100, 1);
    assert_eq!(scores.len(), 100);
    assert!(scores.is_sorted());
    // The mean of 100 of 0 … 999: 499.5 with a standard error of 27.
    let mean = scores.iter().map(|&score| f64::from(score)).sum::<f64>() / 100.0;
    assert!((390.0..610.0).contains(&mean), "{mean}");
    assert_ne!(drawn(100, 2), scores);
    assert_eq!(drawn(5000, 1).len(), 1000);

    let setting = ImportSettings {
        limit: Some(7),
        ..in_centipawns()
    };
    let read = try_import(&scratch, &file, &setting).expect("it is CSV");
    assert_eq!(read.samples.len(), 7);
    let setting = ImportSettings {
        distinct: true,
        ..in_centipawns()
    };
    let read = try_import(&scratch, &file, &setting).expect("it is CSV");
    assert_eq!(
        read.samples.len(),
        1,
        "the number of the move is no difference"
    );
}

#[test]
fn compressed_files_are_read_and_others_refused_with_a_remedy() {
    let scratch = Scratch::new("packed");
    let squeezed = zstd::encode_all(GAMES.as_bytes(), 3).expect("it fits");
    let file = scratch.put("games.pgn.zst", &squeezed);
    let read = try_import(&scratch, &file, &ImportSettings::default()).expect("it is PGN");
    assert_eq!(read.samples.len(), 12);
    let lines = "4k3/8/8/8/8/8/4P3/4K3 w - - c9 \"0-1\";\n".repeat(3);
    let squeezed = zstd::encode_all(lines.as_bytes(), 3).expect("it fits");
    let file = scratch.put("lines.epd.zst", &squeezed);
    let read = try_import(&scratch, &file, &ImportSettings::default()).expect("it is EPD");
    assert_eq!(read.samples.len(), 3);

    let table: [(&str, &[u8], &str); 6] = [
        ("book.epd.zip", b"PK\x03\x04rest", "unzip"),
        ("book.bin", &[0, 1, 2, 3, 4, 5, 6, 7], "not text"),
        ("empty.epd", b"\n\n", "empty"),
        ("words.txt", b"once upon a time\n", "once upon"),
        ("wrong.epd", b"a b c d\n", "1 unreadable"),
        ("cut.epd.zst", &squeezed[..10], "cut.epd.zst"),
    ];
    for (name, bytes, reason) in table {
        let file = scratch.put(name, bytes);
        let error = try_import(&scratch, &file, &ImportSettings::default());
        let error = error.err().expect(name).to_string();
        assert!(error.contains(name), "{error}");
        assert!(error.contains(reason), "{name}: {error}");
    }
    let error = try_import(&scratch, Path::new("none.pgn"), &ImportSettings::default());
    assert!(
        error
            .err()
            .is_some_and(|error| error.to_string().contains("none.pgn"))
    );
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let scratch = Scratch::new("taken");
    let file = scratch.put("games.pgn", GAMES);
    let out = scratch.put("out.mds", "mine");
    let stop = AtomicBool::new(false);
    let error = import(&file, &out, &ImportSettings::default(), &stop, &mut |_| {});
    assert!(matches!(error, Err(ImportError::Taken { .. })), "{error:?}");
}
