//! Sessions as text: lines sent, lines expected.
//!
//! `> text` is sent; `< pattern` must fit the next line, `<< pattern` a later
//! one; `<! pattern` may not come for a while; `#` explains. `*` stands for
//! anything. At the end of a file the input ends, and the session must.

use std::fs;
use std::path::Path;
use std::time::Duration;

use mendel_engine::uci::UciCommand;

use crate::gui::{Gui, settings};

/// How long `<!` listens: long enough for a search that answers too early.
const A_WHILE: Duration = Duration::from_millis(150);

fn play(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/sessions")
        .join(format!("{name}.txt"));
    let script = fs::read_to_string(&path).expect("the session is there");
    let mut settings = settings();
    settings.tunable = name.contains("tunable");
    let mut gui = Gui::start(settings);
    let mut heard = Vec::new();
    let mut steps = 0;
    for line in script.lines() {
        let (mark, text) = line.split_once(' ').unwrap_or((line, ""));
        match mark {
            ">" => gui.send(text),
            "<" => heard.push(gui.expect(text)),
            "<<" => heard.push(gui.wait_for(text)),
            "<!" => gui.expect_none(text, A_WHILE),
            "" | "#" => continue,
            _ => panic!("{name}: `{line}` is no step of a session"),
        }
        steps += 1;
    }
    assert!(steps > 1, "{name} is empty");
    let (_, result) = gui.finish();
    result.expect("pipes do not break");
}

macro_rules! sessions {
    ($($(#[$about:meta])* $test:ident = $file:literal;)*) => {
        $($(#[$about])* #[test] fn $test() { play($file); })*

        #[test]
        fn every_session_file_is_played() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
            let mut files: Vec<_> = fs::read_dir(folder)
                .expect("the folder is there")
                .map(|file| file.expect("it can be listed").file_name())
                .collect();
            files.sort();
            let mut played = vec![$(concat!($file, ".txt")),*];
            played.sort_unstable();
            assert_eq!(files, played);
        }
    };
}

sessions! {
    uci_is_spoken_as_the_greeting_asks_for = "uci-greeting";
    uci_options_are_checked_and_explained = "uci-options";
    positions_that_cannot_be_leave_the_state_untouched = "uci-positions";
    absurd_limits_are_explained_and_answered = "uci-limits";
    nothing_is_answered_before_stop_or_ponderhit = "uci-waiting";
    a_second_go_stops_the_first = "uci-second-go";
    positions_without_moves_are_answered_by_the_null_move = "uci-no-moves";
    chess960_castling_is_the_king_taking_its_rook = "uci-chess960";
    leaves_are_counted_and_the_count_can_be_stopped = "uci-perft";
    strength_is_limited_as_guis_ask_for = "uci-strength";
    the_numbers_of_the_search_are_options_on_demand = "uci-tunable";
    xboard_is_spoken_as_the_greeting_asks_for = "xboard-greeting";
    an_xboard_game_is_played_to_its_end = "xboard-game";
    xboard_forced_moves_are_only_followed = "xboard-force";
    an_xboard_analysis_follows_the_board = "xboard-analysis";
    xboard_mistakes_are_named = "xboard-mistakes";
    xboard_writes_chess960_castling_in_letters = "xboard-fischerandom";
}

/// The law every UCI session here must keep, checked on the scripts themselves:
/// each `go` but `go perft` is followed by a `bestmove` before the next one.
#[test]
fn every_go_in_the_scripts_expects_its_move() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    for file in fs::read_dir(folder).expect("the folder is there") {
        let path = file.expect("it can be listed").path();
        let script = fs::read_to_string(&path).expect("it can be read");
        if path.to_string_lossy().contains("xboard") {
            continue;
        }
        let goes = script
            .lines()
            .filter_map(|line| line.strip_prefix("> "))
            .filter(
                |line| matches!(UciCommand::read(line).0, Some(UciCommand::Go(go)) if go.perft.is_none()),
            )
            .count();
        let moves = script
            .lines()
            .filter(|line| line.starts_with("< bestmove") || line.starts_with("<< bestmove"))
            .count();
        assert_eq!(goes, moves, "{}", path.display());
    }
}
