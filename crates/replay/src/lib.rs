//! Replay of a real sender: a capture taken at its host says what came to it and what it sent; our sender
//! gets the same ACKs, writes and ticks in logical time, and each segment that it sends is held against the
//! kernel's [docs/replay.md].

mod about;
pub mod capture;
mod connection;
mod counter;
mod player;
mod search;
mod setup;
mod side;
mod state;
mod trace;
mod verdict;

pub use about::About;
pub use capture::Refusal;
pub use connection::{Connection, Way, busiest};
pub use setup::{Application, Setup};
pub use trace::{Arrived, Event, Sent, Trace};
pub use verdict::{Difference, Kind, Piece, Status, Verdict};

use airtcp_linux::Clock;
use airtcp_linux::clock::TICK;

/// Replays a connection until so many differences are found.
#[must_use]
pub fn replay(trace: &Trace, setup: &Setup, most_differences: usize) -> Verdict {
    let play = |phase| search::run(trace, setup, Clock { phase }, most_differences);
    match setup.clock {
        Some(clock) => play(clock.phase),
        None => {
            let tries = (0..64).map(|step| play(step * TICK / 8));
            let better = |a: &Verdict, b: &Verdict| a.explained.cmp(&b.explained);
            let mut best = tries.max_by(better).expect("there are phases to try");
            best.inferred = true;
            best
        }
    }
}
