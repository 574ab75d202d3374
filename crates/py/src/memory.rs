//! Memory that NumPy reads without a copy.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi::{Py_buffer, PyBuffer_FillInfo};
use pyo3::prelude::*;
use std::ffi::c_int;

/// Words that any user of the buffer protocol reads without a copy, and cannot write: fresh pages
/// for a copy would cost as much again as writing them.
#[pyclass(frozen, module = "airtcp._native")]
pub(crate) struct Words(Vec<u64>);

impl<const N: usize> From<Vec<[u64; N]>> for Words {
    fn from(mut records: Vec<[u64; N]>) -> Self {
        records.shrink_to_fit();
        Words(records.into_flattened())
    }
}

#[pymethods]
impl Words {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    // SAFETY: `view` comes from Python, which waits for it to be filled. The words neither move nor
    // change while `slf` lives, and the view holds it.
    #[expect(unsafe_code, reason = "the buffer protocol is one of C")]
    unsafe fn __getbuffer__(
        slf: &Bound<'_, Self>,
        view: *mut Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let words = &slf.get().0;
        let bytes = size_of_val(words.as_slice()).try_into();
        let bytes = bytes.map_err(|_| PyBufferError::new_err("too many words"))?;
        let start = words.as_ptr().cast_mut().cast();
        let filled = unsafe { PyBuffer_FillInfo(view, slf.as_ptr(), start, bytes, 1, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
