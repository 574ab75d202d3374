//! Many runs over several threads. Results do not depend on the number of threads: every run has its
//! own streams.

use crate::pool::{Pool, WorkFailure};
use crate::run::{Counts, run, run_with_links};
use airtcp_scenario::{InputError, Scenario};
use std::io;
use std::sync::Arc;

/// A run to be made.
#[derive(Clone, Debug)]
pub struct Task {
    /// The caller's name for the scenario.
    pub tag: u64,
    /// Scenario to run.
    pub scenario: Arc<Scenario>,
    /// Seed of its streams.
    pub seed: u64,
    /// Number of the replication.
    pub replication: u64,
    /// True if links and cross-traffic are counted too.
    pub counts_links: bool,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedTask {
    /// The tag of its task.
    pub tag: u64,
    /// Number of the replication.
    pub replication: u64,
    /// Counts of the run.
    pub counts: Counts,
}

/// Thread pool that runs tasks in no fixed order.
pub type Runner = Pool<Task, FinishedTask, InputError>;

/// Reason why a run has no result.
pub type RunFailure = WorkFailure<InputError>;

/// Starts a runner of `jobs` threads.
///
/// # Errors If no thread can be started.
pub fn runner(jobs: usize) -> io::Result<Runner> {
    Pool::new(jobs, |task: Task, cancel| {
        let Task { tag, scenario, seed, replication, counts_links: links } = task;
        let run = if links { run_with_links } else { run };
        let outcome = run(&scenario, seed, replication, cancel).transpose()?;
        Some(outcome.map(|counts| FinishedTask { tag, replication, counts }))
    })
}
