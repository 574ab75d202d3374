//! Captures as columns.

use crate::interrupt::reported;
use crate::memory::Words;
use airtcp_measured::Row;
use airtcp_measured::capture::{Captures, Measurement, Numbering};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of checks for a signal per report of the progress.
const EVERY: u32 = 50;

/// Captures that are fed piece by piece, file by file, and measured at the end.
#[pyclass(name = "Captures", module = "airtcp._native")]
pub(crate) struct CaptureReader(Captures);

#[pymethods]
impl CaptureReader {
    /// Makes it; `udp` is the offset of the number in a datagram's payload, its bytes, and whether it is big-endian.
    #[new]
    #[pyo3(signature = (udp))]
    fn new(udp: Option<(usize, usize, bool)>) -> Self {
        let numbering =
            udp.map(|(offset, bytes, big)| Numbering { offset, bytes, is_big_endian: big });
        CaptureReader(Captures::new(numbering))
    }

    /// Takes the next piece of the file.
    fn feed(&mut self, py: Python<'_>, piece: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| self.0.feed(piece));
        fed.map_err(|why| PyValueError::new_err(why.to_string()))
    }

    /// Ends the file: what is fed after it belongs to the next one.
    fn end_file(&mut self) -> PyResult<()> {
        self.0.end_file().map_err(|why| PyValueError::new_err(why.to_string()))
    }

    /// Packets of the files that were read to their ends.
    fn packets(&self) -> u64 {
        self.0.packets()
    }

    /// The directions that carry data, those with most packets first; nothing is left here. Ctrl-C ends it. `report` is
    /// called with the numbers of connections that are judged, and of all.
    #[pyo3(signature = (connection, report))]
    #[allow(clippy::needless_pass_by_value)] // As Python hands it over.
    fn measure<'py>(
        &mut self,
        py: Python<'py>,
        connection: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let captures = std::mem::take(&mut self.0);
        let (judged, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut looks = 0;
        let found = reported(
            py,
            |cancel| {
                captures.measure(connection, cancel, |done, of| {
                    all.store(of, Ordering::Relaxed);
                    judged.store(done, Ordering::Relaxed);
                })
            },
            |py| {
                looks += 1;
                match &report {
                    Some(report) if looks % EVERY == 0 => {
                        let of = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
                        report.call1(py, (of(&judged), of(&all))).map(|_| ())
                    }
                    _ => Ok(()),
                }
            },
        )?;
        let found = found.map_err(|why| PyValueError::new_err(why.to_string()))?;
        found.unwrap_or_default().into_iter().map(|measurement| as_dict(py, measurement)).collect()
    }
}

fn as_dict(py: Python<'_>, measurement: Measurement) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    let rows: Vec<[u64; 3]> = measurement.rows.into_iter().map(Row::words).collect();
    columns.set_item("rows", Py::new(py, Words::from(rows))?)?;
    columns.set_item("files", measurement.files)?;
    columns.set_item("is_tcp", measurement.is_tcp)?;
    columns.set_item("about", measurement.description)?;
    columns.set_item("began", measurement.began)?;
    columns.set_item("delays", measurement.delays.name())?;
    columns.set_item("reordered", measurement.reordered)?;
    columns.set_item("duplicated", measurement.duplicated)?;
    let oddities = measurement.oddities.into_iter().map(|odd| (odd.kind, odd.message, odd.count));
    columns.set_item("oddities", oddities.collect::<Vec<_>>())?;
    Ok(columns)
}
