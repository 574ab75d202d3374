//! Random streams and channel sample paths.

use crate::scenarios::slot_point;
use airtcp_core::{Instant, Stream};
use airtcp_radio::channel::Spec;
use airtcp_radio::{Burst, Channel, Fate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The first `n` words of the stream with this key and counter.
#[pyfunction]
pub(crate) fn philox(key: [u64; 2], counter: [u64; 4], n: usize) -> Vec<u64> {
    let mut stream = Stream::from_parts(key, counter);
    (0..n).map(|_| stream.next_u64()).collect()
}

/// The first `n` uniform numbers of a named stream.
#[pyfunction]
pub(crate) fn uniform(seed: u64, name: &str, replication: u64, n: usize) -> Vec<f64> {
    let mut stream = Stream::new(seed, name, replication);
    (0..n).map(|_| stream.uniform()).collect()
}

/// Fates (1 = lost) of a packet in each of the first `n` slots of a point's data channel.
#[pyfunction]
pub(crate) fn losses(json: &str, seed: u64, replication: u64, n: usize) -> PyResult<Vec<u8>> {
    let scenario = slot_point(json, "channel on slots")?;
    let slot = scenario.slot();
    let mut channel = scenario
        .channel
        .build(slot, Stream::new(seed, "flow0/down/channel", replication))
        .map_err(|e| PyValueError::new_err(e.message))?;
    let mut start = Instant::START;
    let mut fates = Vec::with_capacity(n);
    for _ in 0..n {
        let end = start + slot;
        let fate = channel.fate(Burst { start, end, bits: scenario.link.packet.bits() });
        fates.push(u8::from(fate == Fate::Erased));
        start = end;
    }
    Ok(fates)
}
