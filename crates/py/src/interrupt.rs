//! Long work that Ctrl-C ends.

use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
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

/// As [`cancellable`], for work that may not look at its flag for long: after Ctrl-C nobody waits for it.
pub(crate) fn abandonable<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    py.detach(|| {
        let (done, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let _done = done;
            work(&flag)
        });
        let interrupt = listen(&ended);
        cancel.store(interrupt.is_some(), Ordering::Relaxed);
        interrupt.map_or_else(|| Ok(thread.join().expect("the work does not panic")), Err)
    })
}

/// Waits until the work has ended, or Ctrl-C comes.
fn listen(ended: &Receiver<()>) -> Option<PyErr> {
    let mut interrupt = None;
    while interrupt.is_none() && ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
        interrupt = Python::attach(|py| py.check_signals()).err();
    }
    interrupt
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
        let interrupt = listen(&ended);
        cancel.store(interrupt.is_some(), Ordering::Relaxed);
        let result = run.join().expect("the work does not panic");
        interrupt.map_or(Ok(result), Err)
    })
}
