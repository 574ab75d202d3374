//! Batches of runs, row by row.

use crate::runner::failed;
use crate::scenarios::point;
use airtcp_scenario::Scenario;
use airtcp_sim::{Finished, Runner, Task, count_names, runner};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;
use std::time::Duration;

/// How often a signal is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `tasks`, tuples (index into `points`, seed, replication), on `jobs` threads. Calls
/// `on_row(point, seed, replication, flow, *counts)` for each flow of each as it ends, in no fixed order
/// of runs; the rows of a run follow each other. `count_names` gives the columns.
#[pyfunction]
pub(crate) fn simulate(
    py: Python<'_>,
    points: Vec<String>,
    tasks: Vec<(usize, u64, u64)>,
    jobs: usize,
    on_row: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let points =
        points.into_iter().map(|p| Ok(Arc::new(point(&p)?))).collect::<PyResult<Vec<_>>>()?;
    let pool = runner(jobs.max(1))?;
    for (tag, &(index, seed, replication)) in (0..).zip(&tasks) {
        let found = points.get(index).map(Arc::clone);
        let scenario = found.ok_or_else(|| PyValueError::new_err(format!("no point {index}")))?;
        pool.submit([Task { tag, scenario, seed, replication }]);
    }
    let batch = Batch { points, tasks, on_row };
    let outcome = batch.listen(py, &pool);
    py.detach(|| pool.close());
    // What was finished is handed over, whatever ended the batch.
    if outcome.as_ref().is_err_and(|e| e.is_instance_of::<PyKeyboardInterrupt>(py)) {
        batch.hand_over(py, &pool)?;
    }
    outcome
}

struct Batch<'a, 'py> {
    points: Vec<Arc<Scenario>>,
    tasks: Vec<(usize, u64, u64)>,
    on_row: &'a Bound<'py, PyAny>,
}

impl Batch<'_, '_> {
    fn listen(&self, py: Python<'_>, pool: &Runner) -> PyResult<()> {
        while pool.outstanding() > 0 {
            py.detach(|| pool.wait(PATIENCE));
            py.check_signals()?;
            self.hand_over(py, pool)?;
        }
        Ok(())
    }

    fn hand_over(&self, py: Python<'_>, pool: &Runner) -> PyResult<()> {
        pool.take().map_err(failed)?.iter().try_for_each(|run| self.rows_of(py, run))
    }

    fn rows_of(&self, py: Python<'_>, run: &Finished) -> PyResult<()> {
        let (index, seed, replication) = self.tasks[run.tag as usize];
        let columns = count_names(&self.points[index]).len();
        for (flow, counts) in run.counts.chunks(columns).enumerate() {
            let key = (index, seed, replication, flow).into_pyobject(py)?;
            let row = key.add(PyTuple::new(py, counts)?)?;
            self.on_row.call1(row.cast::<PyTuple>()?)?;
        }
        Ok(())
    }
}
