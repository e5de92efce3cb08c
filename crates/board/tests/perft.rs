use std::num::NonZero;
use std::path::Path;

use mendel_board::{Position, divide, perft, perft_with};

/// Counts above this are left to a slower day.
const MOST: u64 = 700_000;

fn table() -> impl Iterator<Item = (&'static str, Vec<u64>)> {
    let lines = include_str!("perft.txt").lines();
    let records = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    records.map(|line| {
        let (fen, counts) = line.split_once(';').expect("a position and its counts");
        let counts = counts.split_whitespace();
        let counts = counts.map(|count| count.parse().expect("a number"));
        (fen.trim(), counts.collect())
    })
}

#[test]
fn the_known_positions_have_the_known_counts() {
    let mut positions = 0;
    for (fen, counts) in table() {
        let position = Position::from_fen(fen).unwrap();
        for (depth, &count) in (1..).zip(&counts) {
            if count <= MOST {
                assert_eq!(perft(&position, depth), count, "{fen} at depth {depth}");
            }
        }
        positions += 1;
    }
    assert_eq!(positions, 42);
}

/// In Chess960 castling is another move, but there are as many of them.
#[test]
fn the_classic_positions_count_alike_under_chess960() {
    for (fen, counts) in table() {
        let position = Position::from_fen960(fen).unwrap();
        assert_eq!(perft(&position, 3), counts[2], "{fen}");
    }
}

#[test]
fn a_mirrored_position_counts_alike() {
    for (fen, counts) in table() {
        let mirrored = Position::from_fen(fen).unwrap().mirrored();
        assert_eq!(perft(&mirrored, 3), counts[2], "{fen}");
    }
}

#[test]
fn the_parts_sum_up_to_the_whole_on_any_number_of_threads() {
    for (fen, counts) in table().take(8) {
        let position = Position::from_fen(fen).unwrap();
        for (depth, &count) in (1..=3).zip(&counts) {
            let parts = divide(&position, depth);
            assert_eq!(parts.len(), position.legal_moves().len());
            assert_eq!(parts.iter().map(|&(_, n)| n).sum::<u64>(), count, "{fen}");
            for threads in [1, 2, 7, usize::MAX] {
                // An absurd number of threads is cut to the number of jobs; at
                // depth 1 that is few enough to try.
                let threads = if depth > 1 { threads.min(3) } else { threads };
                let threads = NonZero::new(threads).unwrap();
                assert_eq!(perft_with(&position, depth, threads), count, "{fen}");
            }
        }
    }
}

#[test]
fn a_part_is_the_count_behind_its_move() {
    let position = Position::initial();
    for (m, count) in divide(&position, 4) {
        assert_eq!(count, perft(&position.after(m), 3), "{}", position.uci(m));
    }
}

#[test]
fn no_move_is_one_path_and_a_finished_game_has_none() {
    let mated = Position::from_fen("7k/5QQ1/8/8/8/8/8/K7 b - - 0 1").unwrap();
    let threads = NonZero::new(4).unwrap();
    assert_eq!(perft(&mated, 0), 1);
    assert_eq!(perft_with(&mated, 0, threads), 1);
    assert!(divide(&mated, 0).is_empty());
    for depth in [1, 2, 3, u8::MAX] {
        assert_eq!(perft(&mated, depth), 0);
        assert_eq!(perft_with(&mated, depth, threads), 0);
    }
}

/// The suites of others, where they lie beside the repository. A suite of
/// thousands is sampled evenly, so that the test takes seconds.
#[test]
fn the_suites_beside_the_repository_agree() {
    const SAMPLE: usize = 100;
    const MOST_IN_SUITE: u64 = 250_000;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/perft");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder {}", folder.display());
        return;
    };
    let mut checked = 0;
    for file in files {
        let path = file.unwrap().path();
        // Some lines end with a null.
        let text = std::fs::read_to_string(&path).unwrap().replace('\0', "");
        let lines: Vec<&str> = text.lines().filter(|line| line.contains(';')).collect();
        for line in lines.iter().step_by(lines.len().div_ceil(SAMPLE).max(1)) {
            let mut parts = line.split(';').map(str::trim);
            let fen = parts.next().unwrap();
            let fen = fen.split_whitespace().collect::<Vec<_>>().join(" ");
            let position = Position::from_fen(&fen).unwrap();
            for part in parts.filter(|part| !part.is_empty()) {
                let (depth, count) = part.split_once(' ').unwrap();
                let depth = depth.trim_start_matches('D').parse().unwrap();
                let count: u64 = count.trim().parse().unwrap();
                if count <= MOST_IN_SUITE {
                    assert_eq!(perft(&position, depth), count, "{line}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 0, "no counts in {}", folder.display());
}
