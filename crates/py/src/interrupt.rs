//! Long computations that Ctrl-C ends.

use airtcp_core::Cancel;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Interval between two checks for a signal.
const PATIENCE: Duration = Duration::from_millis(2);

/// A flag that Python holds, by which it ends work on other threads, where signals do not arrive.
#[pyclass(frozen, name = "Cancel", module = "airtcp._native")]
#[derive(Default)]
pub(crate) struct Flag(pub(crate) Cancel);

#[pymethods]
impl Flag {
    #[new]
    fn new() -> Self {
        Flag::default()
    }

    /// Cancels all work that holds the flag.
    fn set(&self) {
        self.0.set();
    }
}

/// Runs `work` on a thread of its own, detached from Python, while this thread listens for Ctrl-C; returns the
/// result of `work`. Once its flag is set, `work` should end soon: its result is dropped then.
pub(crate) fn cancellable<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> T + Send,
) -> PyResult<T> {
    py.detach(|| run(work, |_| Ok(())))
}

/// Runs `work` as [`cancellable`] does, and calls `report` on this thread at intervals, so that it can show the
/// progress.
pub(crate) fn reported<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> T + Send,
    report: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<T> {
    py.detach(|| run(work, report))
}

fn run<T: Send>(
    work: impl FnOnce(&Cancel) -> T + Send,
    mut report: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let cancel = Cancel::new();
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
            interrupt = Python::attach(|py| py.check_signals().and_then(|()| report(py))).err();
        }
        if interrupt.is_some() {
            cancel.set();
        }
        let result = run.join().expect("the work does not panic");
        interrupt.map_or(Ok(result), Err)
    })
}
