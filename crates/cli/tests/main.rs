//! The program as people and GUIs meet it.

mod arrows;
mod contests;
mod counting;
mod explaining;
mod mendel;
mod playing;
mod requests;
mod speaking;
