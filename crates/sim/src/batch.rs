//! Many runs over several threads. Results do not depend on the number of threads: every run has its
//! own streams.

use crate::run::{Rows, run};
use airtcp_scenario::Scenario;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;

/// One run to do.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Index of the scenario.
    pub point: usize,
    /// Which repetition.
    pub replication: u64,
    /// Seed of its streams.
    pub seed: u64,
}

/// One run that is done.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Which it was.
    pub task: Task,
    /// What was counted, or why it could not be run.
    pub outcome: Result<Rows, String>,
}

/// Works through `tasks` on `jobs` threads, sending each result as it is there. Returns early if
/// `cancel` is set or nobody listens any more.
pub fn run_batch(
    points: &[Scenario],
    tasks: &[Task],
    jobs: usize,
    cancel: &AtomicBool,
    done: &SyncSender<Finished>,
) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.len().max(1)) {
            let (next, done) = (&next, done.clone());
            scope.spawn(move || work(points, tasks, next, cancel, &done));
        }
    });
}

fn work(
    points: &[Scenario],
    tasks: &[Task],
    next: &AtomicUsize,
    cancel: &AtomicBool,
    done: &SyncSender<Finished>,
) {
    while !cancel.load(Ordering::Relaxed) {
        let Some(&task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
        let run = run(&points[task.point], task.seed, task.replication, cancel);
        let Some(outcome) = run.transpose() else { return };
        if done.send(Finished { task, outcome }).is_err() {
            return;
        }
    }
}
