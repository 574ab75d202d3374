//! Simulation: the event loop, one run of a scenario, and batches of runs over threads.

mod batch;
mod connection;
mod event_loop;
mod run;

pub use batch::{Finished, Task, run_batch};
pub use run::{Outcome, run};

/// Raised whenever the same scenario and seed would give other numbers than before: part of every
/// result's key.
pub const MODEL_VERSION: u32 = 1;
