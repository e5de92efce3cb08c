//! The program `mendel`.

fn main() {}
