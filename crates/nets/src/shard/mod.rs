//! Games as a compact file, written once from PGN: a byte a move.
