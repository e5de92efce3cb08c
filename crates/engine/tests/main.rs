//! What a GUI sees of the engine.

mod chaos;
mod grammar;
mod gui;
mod replies;
mod sessions;
mod timing;
