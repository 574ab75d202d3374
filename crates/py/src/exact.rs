//! The exact solution of the idealised variants.

use airtcp_analysis::exact::{Problem, Solution, SolveError, Variant, solve_with};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The long-run rates of one variant on a two-state channel; see `airtcp.models.zorzi.solve`.
#[pyfunction]
pub(crate) fn zorzi_exact<'py>(
    py: Python<'py>,
    variant: &str,
    p_gb: f64,
    p_bg: f64,
    window: u32,
    dupacks: u32,
    timeout: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let variant = match variant {
        "oldtahoe" => Variant::OldTahoe,
        "tahoe" => Variant::Tahoe,
        "reno" => Variant::Reno,
        "newreno" => Variant::NewReno,
        other => return Err(PyValueError::new_err(format!("unknown variant {other:?}"))),
    };
    let problem =
        Problem { dupacks, timeout, ..Problem::new(variant, p_gb, p_bg).with_window(window) };
    match solve(py, &problem)? {
        Ok(solution) => as_dict(py, &solution),
        Err(error) => Err(PyValueError::new_err(error.to_string())),
    }
}

/// Solves without the interpreter's lock, and stops on Ctrl-C.
fn solve(py: Python<'_>, problem: &Problem) -> PyResult<Result<Solution, SolveError>> {
    let mut interrupt = None;
    let result = py.detach(|| {
        solve_with(problem, &mut || match Python::attach(|py| py.check_signals()) {
            Ok(()) => false,
            Err(signal) => {
                interrupt = Some(signal);
                true
            }
        })
    });
    interrupt.map_or(Ok(result), Err)
}

fn as_dict<'py>(py: Python<'py>, solution: &Solution) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    answer.set_item("throughput", solution.throughput)?;
    answer.set_item("transmissions", solution.transmissions)?;
    answer.set_item("mean_cycle_slots", solution.mean_cycle_slots)?;
    answer.set_item("timeouts", solution.timeouts)?;
    answer.set_item("fast_retransmits", solution.fast_retransmits)?;
    answer.set_item("pruned", solution.pruned)?;
    answer.set_item("error_bound", solution.error_bound)?;
    answer.set_item("states", solution.states)?;
    Ok(answer)
}
