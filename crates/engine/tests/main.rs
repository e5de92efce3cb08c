//! What a GUI sees of the engine.

mod bench;
mod book;
mod chaos;
mod gerald;
mod grammar;
mod gui;
mod last_line;
mod networks;
mod params;
mod play;
mod players;
mod policy;
mod replies;
mod search;
mod sessions;
mod strength;
mod suites;
mod time_control;
mod timing;
mod weighed;
