//! Many runs over threads: what comes out depends on nothing but scenario, seed and replication.

use airtcp_core::Cancel;
use airtcp_scenario::{Scenario, points};
use airtcp_sim::{FinishedTask, Runner, Task, run, runner};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

fn fading(slots: u64) -> Vec<Arc<Scenario>> {
    let document = json!({
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "newreno"]},
        "channel": {"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": [0.01, 0.1]},
        "stop": {"slots": slots},
    });
    points(&document).unwrap().into_iter().map(Arc::new).collect()
}

fn tasks(points: &[Arc<Scenario>], replications: u64) -> Vec<Task> {
    let of = |(tag, scenario): (usize, &Arc<Scenario>), replication| Task {
        tag: tag as u64,
        scenario: Arc::clone(scenario),
        seed: 7,
        replication,
        counts_links: false,
    };
    (0..replications).flat_map(|r| points.iter().enumerate().map(move |p| of(p, r))).collect()
}

/// Everything that is outstanding, by tag and replication.
fn all(runner: &Runner) -> Vec<FinishedTask> {
    let mut runs = Vec::new();
    while runner.outstanding() > 0 {
        assert!(runner.wait(LONG), "no run has ended in a minute");
        runs.extend(runner.take().unwrap());
    }
    runs.sort_by_key(|run| (run.tag, run.replication));
    runs
}

#[test]
fn threads_do_not_change_a_bit() {
    let points = fading(20_000);
    let tasks = tasks(&points, 4);
    let alone = |task: &Task| FinishedTask {
        tag: task.tag,
        replication: task.replication,
        counts: run(&task.scenario, 7, task.replication, &Cancel::new()).unwrap().unwrap(),
    };
    let mut expected: Vec<_> = tasks.iter().map(alone).collect();
    expected.sort_by_key(|run| (run.tag, run.replication));
    for jobs in [1, 2, 5] {
        let runner = runner(jobs).unwrap();
        assert!(runner.submit(tasks.iter().rev().cloned()));
        assert_eq!(all(&runner), expected, "{jobs} threads");
    }
}

#[test]
fn closing_ends_endless_runs() {
    let points = fading(1_000_000_000_000);
    let runner = runner(2).unwrap();
    runner.submit(tasks(&points, 5));
    assert!(!runner.wait(Duration::from_millis(1)));
    runner.close();
    assert_eq!((runner.outstanding(), runner.take()), (0, Ok(vec![])));
}
