//! What a GUI sees of the engine.

mod book;
mod chaos;
mod gerald;
mod grammar;
mod gui;
mod last_line;
mod networks;
mod play;
mod policy;
mod replies;
mod search;
mod sessions;
mod strength;
mod suites;
mod timing;
mod weighed;
