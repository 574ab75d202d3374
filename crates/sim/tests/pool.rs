//! The pool of threads: nothing is lost, nothing hangs.

use airtcp_core::Cancel;
use airtcp_sim::pool::{Pool, WorkFailure};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

type Numbers = Pool<u64, u64, String>;

fn squares(jobs: usize) -> Numbers {
    Pool::new(jobs, |n: u64, _: &Cancel| Some(Ok(n * n))).unwrap()
}

/// Takes until nothing is outstanding; results in order, and the failures.
fn drain(pool: &Numbers) -> (Vec<u64>, Vec<WorkFailure<String>>) {
    let (mut results, mut failures) = (vec![], vec![]);
    while pool.outstanding() > 0 {
        assert!(pool.wait(LONG), "nothing has happened in a minute");
        match pool.take() {
            Ok(some) => results.extend(some),
            Err(failure) => failures.push(failure),
        }
    }
    results.sort_unstable();
    (results, failures)
}

#[test]
fn everything_submitted_comes_back_once() {
    for jobs in [1, 2, 7] {
        let pool = squares(jobs);
        for start in (0..1000).step_by(100) {
            assert!(pool.submit(start..start + 100));
        }
        let (results, failures) = drain(&pool);
        assert_eq!(results, (0..1000).map(|n| n * n).collect::<Vec<u64>>());
        assert!(failures.is_empty());
        // The threads are still there.
        pool.submit([12]);
        assert_eq!(drain(&pool).0, [144]);
    }
}

#[test]
fn nothing_outstanding_is_not_waited_for() {
    let pool = squares(1);
    assert!(pool.wait(LONG));
    assert_eq!(pool.take(), Ok(vec![]));
}

#[test]
fn patience_ends_a_wait_and_loses_nothing() {
    let (go, gate) = sync_channel::<()>(0);
    let gate = Mutex::new(gate);
    let pool: Numbers = Pool::new(1, move |n: u64, _: &Cancel| {
        gate.lock().unwrap().recv().unwrap();
        Some(Ok(n))
    })
    .unwrap();
    pool.submit([1, 2]);
    assert!(!pool.wait(Duration::from_millis(1)));
    assert_eq!((pool.outstanding(), pool.take()), (2, Ok(vec![])));
    go.send(()).unwrap();
    go.send(()).unwrap();
    assert_eq!(drain(&pool).0, [1, 2]);
}

#[test]
fn failures_and_panics_come_after_what_is_finished() {
    let pool: Numbers = Pool::new(1, |n: u64, _: &Cancel| match n {
        0 => Some(Err("no".to_owned())),
        1 => panic!("one is {n}"),
        2 => panic!("two"),
        _ => Some(Ok(n)),
    })
    .unwrap();
    pool.submit([3, 0, 1, 4, 2, 5]);
    let (results, failures) = drain(&pool);
    assert_eq!(results, [3, 4, 5]);
    let panicked = |text: &str| WorkFailure::Panicked(text.to_owned());
    let refused = WorkFailure::Refused("no".to_owned());
    assert_eq!(failures, [refused, panicked("one is 1"), panicked("two")]);
}

#[test]
fn closing_cancels_what_is_in_progress_and_keeps_what_is_finished() {
    let begun = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&begun);
    let pool: Numbers = Pool::new(2, move |n: u64, cancel: &Cancel| {
        seen.fetch_add(1, Ordering::SeqCst);
        while n > 0 && !cancel.is_set() {
            std::thread::yield_now();
        }
        (n == 0).then_some(Ok(n))
    })
    .unwrap();
    pool.submit([0, 1, 2, 3, 4]);
    assert!(pool.wait(LONG), "the first result");
    while begun.load(Ordering::SeqCst) < 3 {
        std::thread::yield_now();
    }
    pool.close();
    pool.close();
    assert_eq!((pool.outstanding(), begun.load(Ordering::SeqCst)), (1, 3));
    assert!(!pool.submit([6]));
    assert_eq!(pool.take(), Ok(vec![0]));
    assert!(pool.wait(LONG), "nothing is left to wait for");
}

#[test]
fn a_waiting_thread_is_woken_by_the_end() {
    let pool: Numbers = Pool::new(1, |_: u64, cancel: &Cancel| {
        while !cancel.is_set() {
            std::thread::yield_now();
        }
        None
    })
    .unwrap();
    pool.submit([1]);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pool.wait(LONG));
        pool.close();
        assert!(waiting.join().unwrap());
    });
    assert_eq!(pool.take(), Ok(vec![]));
}

#[test]
fn a_dropped_pool_leaves_no_thread() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let pool: Numbers = Pool::new(3, move |_: u64, cancel: &Cancel| {
        let _held = &held;
        while !cancel.is_set() {
            std::thread::yield_now();
        }
        None
    })
    .unwrap();
    pool.submit(0..10);
    drop(pool);
    assert_eq!(Arc::strong_count(&alive), 1);
}
