//! Random streams and channel sample paths.

use crate::scenarios::{ScenarioError, slot_point};
use airtcp_core::{Instant, Stream};
use airtcp_radio::channel::Spec;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::{Burst, Channel, Fate, GateSpec};
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

/// The first `n` outages of a gate table, as JSON, on a named stream: from when to when, in nanoseconds;
/// fewer if there are no more.
#[pyfunction]
pub(crate) fn outages(
    gate: &str,
    seed: u64,
    name: &str,
    replication: u64,
    n: usize,
) -> PyResult<Vec<(i64, i64)>> {
    let spec: GateSpec =
        serde_json::from_str(gate).map_err(|e| ScenarioError::new_err(("", e.to_string())))?;
    let built = spec.build(Stream::new(seed, name, replication));
    let mut gate = built.map_err(|e| ScenarioError::new_err((e.field, e.message)))?;
    let mut now = Instant::START;
    let mut next = || {
        let outage = gate.outage(now);
        now = outage.up;
        (outage.down < Instant::NEVER).then(|| (outage.down.nanos(), outage.up.nanos()))
    };
    Ok((0..n).map_while(|_| next()).collect())
}
