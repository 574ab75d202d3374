//! Runs on threads of their own, without the interpreter's lock; Ctrl-C stops them.

use crate::points::Point;
use crate::scenarios::refused;
use airtcp_core::{Column, CombineRule};
use airtcp_sim::{FinishedTask, RunFailure, Task, runner};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::time::Duration;

/// Interval between two checks for a signal.
const PATIENCE: Duration = Duration::from_millis(50);

/// A finished run: tag, replication, counts.
type Row<'py> = (u64, u64, Bound<'py, PyBytes>);

/// Threads that carry out the runs submitted to them.
#[pyclass(frozen, module = "airtcp._native")]
pub(crate) struct Runner(airtcp_sim::Runner);

#[pymethods]
impl Runner {
    #[new]
    fn new(jobs: usize) -> PyResult<Self> {
        if jobs == 0 {
            return Err(PyValueError::new_err("jobs: 0 threads run nothing"));
        }
        Ok(Runner(runner(jobs)?))
    }

    /// Queues runs of a point; `tag` comes back with each of them. With `links`, the counts of links and
    /// cross-traffic follow those of flows.
    #[pyo3(signature = (tag, point, seed, replications, links=false))]
    fn submit(
        &self,
        tag: u64,
        point: &Point,
        seed: u64,
        replications: Vec<u64>,
        links: bool,
    ) -> PyResult<()> {
        let task = |replication| Task {
            tag,
            scenario: point.shared(),
            seed,
            replication,
            counts_links: links,
        };
        if self.0.submit(replications.into_iter().map(task)) {
            return Ok(());
        }
        Err(PyRuntimeError::new_err("the runner is closed"))
    }

    /// The runs that have finished since the last call, as (tag, replication, counts); blocks while there are none
    /// and some are outstanding.
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Vec<Row<'py>>> {
        while !py.detach(|| self.0.wait(PATIENCE)) {
            py.check_signals()?;
        }
        // Before anything is taken: an interrupt loses nothing.
        py.check_signals()?;
        let finished = self.0.take().map_err(failed)?;
        finished.iter().map(|run| row(py, run)).collect()
    }

    /// Number of runs that were submitted and have not been returned.
    #[getter]
    fn outstanding(&self) -> usize {
        self.0.outstanding()
    }

    /// Cancels the runs in progress, drops those in the queue, and ends the threads. Finished runs can still be
    /// waited for.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.0.close());
    }
}

fn row<'py>(py: Python<'py>, run: &FinishedTask) -> PyResult<Row<'py>> {
    let counts = PyBytes::new_with(py, size_of_val(&run.counts[..]), |buffer| {
        for (place, count) in buffer.chunks_exact_mut(size_of::<i64>()).zip(&run.counts) {
            place.copy_from_slice(&count.to_le_bytes());
        }
        Ok(())
    })?;
    Ok((run.tag, run.replication, counts))
}

fn failed(failure: RunFailure) -> PyErr {
    match failure {
        RunFailure::Refused(error) => refused(error),
        RunFailure::Panicked(text) => PyRuntimeError::new_err(format!("a run panicked: {text}")),
    }
}

/// The names of the counts of links, and the names of the counts of cross-traffic.
#[pyfunction]
pub(crate) fn link_names() -> (Vec<&'static str>, Vec<&'static str>) {
    airtcp_sim::link_names()
}

/// Rules that combine columns of counts over the parts of a run: name -> (rule, name of the column that has it).
#[pyfunction]
pub(crate) fn count_rules() -> BTreeMap<&'static str, (&'static str, &'static str)> {
    let rule = |column: &Column| match column.rule {
        CombineRule::Sum => ("sum", column.name),
        CombineRule::Most => ("most", column.name),
        CombineRule::SingleOccurrence => ("once", column.name),
        CombineRule::Latest => ("latest", column.name),
        CombineRule::SoFar(of) => ("latest", of),
    };
    airtcp_sim::count_columns().map(|column| (column.name, rule(column))).collect()
}

/// The names of the counts of a point's runs, in their order.
#[pyfunction]
pub(crate) fn count_names(point: &Point) -> Vec<&'static str> {
    airtcp_sim::count_names(point.scenario())
}
