//! The program as people and GUIs meet it.

mod arrows;
mod breeding;
mod contests;
mod counting;
mod data;
mod explaining;
mod mendel;
mod playing;
mod records;
mod requests;
mod speaking;
