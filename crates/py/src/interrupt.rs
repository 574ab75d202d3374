//! Long work that Ctrl-C ends.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often a signal is looked for.
const PATIENCE: Duration = Duration::from_millis(2);

/// What `work` returns, which runs on a thread of its own while this one listens for Ctrl-C; detached
/// from Python. Once its flag is set, `work` should end soon: what it returns then is dropped.
pub(crate) fn cancellable<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    py.detach(|| run(work))
}

fn run<T: Send>(work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let cancel = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        let flag = &cancel;
        let run = scope.spawn(move || {
            let _done = done; // Dropped at the end, which wakes the listener.
            work(flag)
        });
        let mut interrupt = None;
        while interrupt.is_none() && ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout)
        {
            interrupt = Python::attach(|py| py.check_signals()).err();
        }
        cancel.store(interrupt.is_some(), Ordering::Relaxed);
        let result = run.join().expect("the work does not panic");
        interrupt.map_or(Ok(result), Err)
    })
}
