//! The program in a GUI.

use crate::support::mendel;

#[test]
fn piped_input_is_answered_in_uci() {
    for arguments in [&[][..], &["uci"], &["uci", "--player", "material"]] {
        let said = mendel(
            arguments,
            b"uci\nisready\nposition startpos moves e2e4\ngo depth 2\nquit\n",
        );
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.out.starts_with("id name Mendel "), "{}", said.out);
        for line in ["uciok", "readyok"] {
            assert!(said.out.lines().any(|said| said == line), "{}", said.out);
        }
        let answers = said
            .out
            .lines()
            .filter(|line| line.starts_with("bestmove "));
        assert_eq!(answers.count(), 1, "{}", said.out);
    }
}

#[test]
fn the_end_of_the_input_ends_the_program() {
    for input in [&b""[..], b"uci\n", b"position startpos\ngo infinite\n"] {
        let said = mendel(&[], input);
        assert_eq!(said.code, Some(0), "{}", said.err);
    }
}

#[test]
fn an_xboard_greeting_is_answered_in_xboard() {
    let said = mendel(&[], b"xboard\nprotover 2\nping 7\nquit\n");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("feature "), "{}", said.out);
    assert!(
        said.out.lines().any(|line| line == "pong 7"),
        "{}",
        said.out
    );
}

#[test]
fn rubbish_is_survived() {
    let mut input = vec![b'x'; 1 << 20];
    input.extend_from_slice(b"\n\xff\xfe\nposition fen nonsense\ngo depth -5\nisready\nquit\n");
    let said = mendel(&[], &input);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(
        said.out.lines().any(|line| line == "readyok"),
        "{}",
        said.out
    );
}
