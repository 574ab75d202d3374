//! Simulation: one run of a scenario, on slots or of packets on a path, and batches of runs over
//! threads.

mod batch;
pub mod network;
pub mod pool;
mod run;
pub mod slot;

pub use batch::{FinishedTask, RunFailure, Runner, Task, runner};
pub use run::{Counts, count_columns, count_names, link_names, run, run_with_links};

/// Raised whenever the same scenario and seed would give other numbers than before: part of every
/// result's key.
pub const MODEL_VERSION: u32 = 8;
