//! What a GUI sees of the engine.

mod book;
mod chaos;
mod gerald;
mod grammar;
mod gui;
mod networks;
mod policy;
mod replies;
mod search;
mod sessions;
mod strength;
mod suites;
mod timing;
mod weighed;
