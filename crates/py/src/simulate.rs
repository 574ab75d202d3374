//! Batches of runs: without the interpreter's lock, row by row, and stopped by Ctrl-C.

use crate::scenarios::point;
use airtcp_scenario::Scenario;
use airtcp_sim::{Finished, Task, run_batch};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How often a signal is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `tasks`, tuples (index into `points`, seed, replication), on `jobs` threads. Calls
/// `on_row(point, seed, replication, flow, *counts)` for each flow of each as it ends, in no fixed order
/// of runs; the rows of a run follow each other. [`count_names`] gives the columns.
#[pyfunction]
pub(crate) fn simulate(
    py: Python<'_>,
    points: Vec<String>,
    tasks: Vec<(usize, u64, u64)>,
    jobs: usize,
    on_row: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let points: Vec<Scenario> = points.into_iter().map(|p| point(&p)).collect::<PyResult<_>>()?;
    let tasks = tasks
        .into_iter()
        .map(|(index, seed, replication)| match points.get(index) {
            Some(_) => Ok(Task { point: index, seed, replication }),
            None => Err(PyValueError::new_err(format!("no point {index}"))),
        })
        .collect::<PyResult<Vec<Task>>>()?;
    let on_row = on_row.clone().unbind();
    py.detach(|| run_all(&points, &tasks, jobs, &on_row))
}

fn run_all(points: &[Scenario], tasks: &[Task], jobs: usize, on_row: &Py<PyAny>) -> PyResult<()> {
    let cancel = AtomicBool::new(false);
    // Bounded: a slow journal holds the runs up, not the memory.
    let (done, results) = sync_channel(2 * jobs.clamp(1, 1024));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The sender moves in and is dropped at the end, which closes the channel.
            let done = done;
            run_batch(points, tasks, jobs, &cancel, &done);
        });
        let mut outcome = listen(&results, on_row);
        cancel.store(true, Ordering::Relaxed);
        // What was finished is handed over, whatever ended the batch.
        if outcome.as_ref().is_err_and(|e| Python::attach(|py| is_interrupt(py, e))) {
            for finished in results {
                if let Err(error) = Python::attach(|py| hand_over(py, &finished, on_row)) {
                    outcome = Err(error);
                    break;
                }
            }
        }
        outcome
    })
}

fn is_interrupt(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py)
}

fn listen(results: &Receiver<Finished>, on_row: &Py<PyAny>) -> PyResult<()> {
    loop {
        match results.recv_timeout(PATIENCE) {
            Ok(finished) => Python::attach(|py| {
                hand_over(py, &finished, on_row)?;
                py.check_signals()
            })?,
            Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn hand_over(py: Python<'_>, finished: &Finished, on_row: &Py<PyAny>) -> PyResult<()> {
    let task = finished.task;
    let rows = finished.outcome.as_ref().map_err(|e| PyValueError::new_err(e.clone()))?;
    for (flow, counts) in rows.iter().enumerate() {
        let key = (task.point, task.seed, task.replication, flow).into_pyobject(py)?;
        let row = key.add(PyTuple::new(py, counts)?)?;
        on_row.call1(py, row.cast::<PyTuple>()?)?;
    }
    Ok(())
}

/// The names of the counts that [`simulate`] hands over for a point.
#[pyfunction]
pub(crate) fn count_names(json: &str) -> PyResult<Vec<&'static str>> {
    Ok(airtcp_sim::count_names(&point(json)?).to_vec())
}
