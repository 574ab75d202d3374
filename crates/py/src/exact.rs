//! The exact solution of the idealised variants.

use crate::interrupt::Flag;
use airtcp_analysis::exact::{Problem, Solution, SolveError, Variant, solve_unless_interrupted};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The long-run rates of one variant: `channel` is `p_gb`, `p_bg`; `tcp` window, dupacks, timeout;
/// `link` fragments, attempts. See `airtcp.models.zorzi.solve`, `airtcp.models.chockalingam.solve`.
#[pyfunction]
pub(crate) fn exact_rates<'py>(
    py: Python<'py>,
    variant: &str,
    channel: (f64, f64),
    tcp: (u32, u32, u64),
    link: (u32, u32),
    cancel: &Flag,
) -> PyResult<Bound<'py, PyDict>> {
    let Some(variant) = Variant::by_name(variant) else {
        return Err(PyValueError::new_err(format!("unknown variant {variant:?}")));
    };
    let (window, dupacks, timeout) = tcp;
    let (fragments, attempts) = link;
    let problem = Problem::new(variant, channel.0, channel.1).with_window(window);
    let problem = Problem { dupacks, timeout, fragments, attempts, ..problem };
    match solve(py, &problem, cancel)? {
        Ok(solution) => as_dict(py, &solution),
        Err(error) => Err(PyValueError::new_err(error.to_string())),
    }
}

/// Solves without the interpreter's lock, and stops on Ctrl-C, which only the main thread notices, or
/// when `cancel` is set.
fn solve(
    py: Python<'_>,
    problem: &Problem,
    cancel: &Flag,
) -> PyResult<Result<Solution, SolveError>> {
    let mut interrupt = None;
    let result = py.detach(|| {
        solve_unless_interrupted(problem, &mut || {
            interrupt = Python::attach(|py| py.check_signals()).err();
            interrupt.is_some() || cancel.0.is_set()
        })
    });
    interrupt.map_or(Ok(result), Err)
}

fn as_dict<'py>(py: Python<'py>, solution: &Solution) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    answer.set_item("throughput", solution.throughput)?;
    answer.set_item("transmissions", solution.transmissions)?;
    answer.set_item("air", solution.busy_share)?;
    answer.set_item("mean_cycle_slots", solution.mean_cycle_slots)?;
    answer.set_item("timeouts", solution.timeouts)?;
    answer.set_item("late_timers", solution.late_timers)?;
    answer.set_item("fast_retransmits", solution.fast_retransmits)?;
    answer.set_item("pruned", solution.pruned)?;
    answer.set_item("error_bound", solution.error_bound)?;
    answer.set_item("states", solution.states)?;
    Ok(answer)
}
