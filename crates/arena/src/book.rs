//! Our own opening book: people's openings, all of them level. `data/README.md`
//! says how it was made.

/// What the book is called where a file name would stand.
pub(crate) const NAME: &str = "the built-in book";

/// One line of moves each, in UCI notation.
pub(crate) const TEXT: &str = include_str!("../../../data/book.txt");
