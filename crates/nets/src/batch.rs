//! Samples turned into what a network sees, by several threads, in an order that
//! does not depend on their number.
