//! Random streams and channel sample paths.

use crate::interrupt::cancellable;
use crate::memory::Words;
use crate::points::Point;
use crate::scenarios::ScenarioError;
use airtcp_core::{Cancel, Frequency, Instant, Rate, Stream};
use airtcp_radio::channel::Spec;
use airtcp_radio::fading::{Clarke, GainPath, Generator, Jakes, check_cycles};
use airtcp_radio::gate::Spec as _;
use airtcp_radio::rates::{Segment, Spec as _};
use airtcp_radio::{Channel, Fate, GateSpec, Process, RatesSpec, Transmission};
use airtcp_scenario::{RateColumns, SlotScenario, rate_lines as lines_of};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The first `n` words of the stream with this key and counter.
#[pyfunction]
pub(crate) fn philox(key: [u64; 2], counter: [u64; 4], n: usize) -> Vec<u64> {
    let mut stream = Stream::from_parts(key, counter);
    (0..n).map(|_| stream.next_u64()).collect()
}

/// Length, dimension and errors corrected of all primitive BCH codes that have a name.
#[pyfunction]
pub(crate) fn bch_codes() -> Vec<(u32, u32, u32)> {
    airtcp_radio::bits::Code::all()
        .map(|code| (code.word_bits(), code.information_bits(), code.correctable_errors()))
        .collect()
}

/// The first `n` uniform numbers of a named stream.
#[pyfunction]
pub(crate) fn uniform(seed: u64, name: &str, replication: u64, n: usize) -> Vec<f64> {
    let mut stream = Stream::new(seed, name, replication);
    (0..n).map(|_| stream.uniform()).collect()
}

/// The stream of a slot scenario's data channel.
fn data_channel(seed: u64, replication: u64) -> Stream {
    Stream::new(seed, "flow0/down/channel", replication)
}

/// Fates (1 = lost) of a packet in each of the first `n` slots of a point's data channel; refuses more slots than its
/// run has.
#[pyfunction]
pub(crate) fn losses(
    py: Python<'_>,
    point: &Point,
    seed: u64,
    replication: u64,
    n: usize,
) -> PyResult<Vec<u8>> {
    let scenario = point.slots("channel on slots")?;
    let built = scenario.channel.build(scenario.slot(), data_channel(seed, replication));
    let mut channel = built.map_err(|e| PyValueError::new_err(e.message))?;
    cancellable(py, |cancel| fates(scenario, &mut channel, n, cancel))
}

fn fates(scenario: &SlotScenario, channel: &mut Process, n: usize, cancel: &Cancel) -> Vec<u8> {
    channel.watch(cancel);
    let slot = scenario.slot();
    let mut start = Instant::START;
    let mut fates = Vec::with_capacity(n);
    while fates.len() < n && !cancel.is_set() {
        let end = start + slot;
        let fate = channel.fate_of(Transmission { start, end, bits: scenario.link.packet.bits() });
        fates.push(u8::from(fate == Fate::Erased));
        start = end;
    }
    fates
}

/// The gains of a fading link at increasing times, on the stream of a slot scenario's data channel: of Rayleigh or
/// Rician fading, or of a number of Jakes' oscillators. `seconds` are doubles as they lie in memory, and so is the
/// result: the real and the imaginary part of each gain.
#[pyfunction]
pub(crate) fn fading(
    py: Python<'_>,
    seconds: &[u8],
    doppler: &str,
    rician_k: f64,
    oscillators: Option<u32>,
    seed: u64,
    replication: u64,
) -> PyResult<Words> {
    let doppler = Frequency::try_from(doppler.to_owned());
    let doppler = doppler.map_err(|e| ScenarioError::new_err(("doppler", e.to_string())))?;
    let stream = data_channel(seed, replication);
    let generator = match oscillators {
        None => Generator::Clarke(Box::new(Clarke::new(&stream))),
        Some(oscillators) => Generator::Jakes(Jakes::new(oscillators, stream)),
    };
    let seconds = seconds.as_chunks().0.iter().map(|&bytes| f64::from_ne_bytes(bytes));
    let seconds: Vec<_> = seconds.collect();
    let end = seconds.iter().copied().fold(0.0, f64::max);
    check_cycles(doppler, end).map_err(|e| ScenarioError::new_err((e.field, e.message)))?;
    let gains = cancellable(py, |cancel| {
        let mut path = GainPath::new(generator, doppler, rician_k);
        let going = seconds.into_iter().take_while(|_| !cancel.is_set());
        going.map(|t| path.gain_at(t)).map(|gain| [gain.re.to_bits(), gain.im.to_bits()]).collect()
    })?;
    Ok(Vec::into(gains))
}

/// The lines of a list of rates in the text of a file; `columns`, as JSON, gives their columns and units.
#[pyfunction]
pub(crate) fn rate_lines(text: &str, columns: &str) -> PyResult<String> {
    let refuse = |message: String| ScenarioError::new_err(("", message));
    let columns: RateColumns = serde_json::from_str(columns).map_err(|e| refuse(e.to_string()))?;
    lines_of(text, &columns).map_err(refuse)
}

/// The rates of a table of rates, as JSON, on a named stream: the start of each in nanoseconds, and its bits per
/// second, for those that begin before `end`.
#[pyfunction]
pub(crate) fn rate_steps(
    py: Python<'_>,
    rates: &str,
    seed: u64,
    name: &str,
    replication: u64,
    end: i64,
) -> PyResult<Vec<(i64, f64)>> {
    let spec: RatesSpec =
        serde_json::from_str(rates).map_err(|e| ScenarioError::new_err(("", e.to_string())))?;
    let built = spec.build(Stream::new(seed, name, replication));
    let mut rates = built.map_err(|e| ScenarioError::new_err((e.field, e.message)))?;
    cancellable(py, |cancel| {
        rates.watch(cancel);
        let step = |segment: Segment| {
            (segment.from.nanos(), segment.rate.map_or(0.0, Rate::bits_per_second))
        };
        rates
            .segments_before(Instant::from_nanos(end))
            .take_while(|_| !cancel.is_set())
            .map(step)
            .collect()
    })
}

/// The first `n` outages of a gate table, as JSON, on a named stream: start and end of each in nanoseconds; fewer if
/// there are no more.
#[pyfunction]
pub(crate) fn outages(
    py: Python<'_>,
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
    cancellable(py, |cancel| {
        gate.watch(cancel);
        let mut now = Instant::START;
        let mut next = || {
            let outage = gate.current_outage(now);
            now = outage.up;
            (outage.down < Instant::NEVER).then(|| (outage.down.nanos(), outage.up.nanos()))
        };
        (0..n).take_while(|_| !cancel.is_set()).map_while(|_| next()).collect()
    })
}
