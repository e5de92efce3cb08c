//! The data of networks from outside.
