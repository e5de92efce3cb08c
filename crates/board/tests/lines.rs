//! Lines of bounded length.

use mendel_board::lines::BoundedLines;

fn all(input: &[u8], limit: usize) -> Vec<(String, bool)> {
    let mut lines = BoundedLines::new(input, limit);
    let mut read = Vec::new();
    while let Some(line) = lines.next_line().expect("a slice can be read") {
        read.push((line.text().into_owned(), line.is_truncated));
    }
    read
}

fn whole(text: &str) -> (String, bool) {
    (text.to_owned(), false)
}

#[test]
fn a_last_line_without_an_end_counts() {
    assert_eq!(
        all(b"uci\n\nquit", 9),
        [whole("uci"), whole(""), whole("quit")]
    );
    assert_eq!(all(b"uci\n", 9), [whole("uci")]);
    assert_eq!(all(b"", 9), []);
}

#[test]
fn a_line_over_the_limit_is_cut_and_the_next_is_read() {
    let cut = ("abc".to_owned(), true);
    assert_eq!(all(b"abc\nabc", 3), [whole("abc"), whole("abc")]);
    assert_eq!(all(b"abcd\nx\n", 3), [cut.clone(), whole("x")]);
    assert_eq!(all(b"abcd", 3), std::slice::from_ref(&cut));
    assert_eq!(all(b"abcdefgh\n\nx", 3), [cut, whole(""), whole("x")]);
}

#[test]
fn bytes_that_are_not_utf8_are_replaced() {
    assert_eq!(all(b"\xff\xfeuci\n", 9), [whole("\u{fffd}\u{fffd}uci")]);
}
