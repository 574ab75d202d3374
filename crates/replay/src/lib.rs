//! Replay of a real sender: a capture taken at its host says what came to it and what it sent; our sender
//! gets the same ACKs, writes and ticks in logical time, and each segment that it sends is held against the
//! kernel's [docs/replay.md].

mod about;
mod application;
pub mod capture;
mod change;
mod connection;
mod counter;
mod explain;
mod guess;
mod infer;
mod lag;
mod player;
mod search;
mod setup;
mod side;
mod state;
mod trace;
mod verdict;

pub use about::About;
pub use application::Application;
pub use capture::Refusal;
pub use change::Change;
pub use connection::{Connection, Way, busiest};
pub use explain::{Asked, Explained, explain, replay};
pub use setup::{Setup, Unknown};
pub use trace::{Arrived, Event, Sent, Trace};
pub use verdict::{Difference, Kind, Piece, Status, Verdict};
