//! The fate of given arrivals at a queue, packet by packet.

use crate::interrupt::cancellable;
use crate::points::Point;
use crate::scenarios::ScenarioError;
use airtcp_core::{Cancel, Ecn, Instant, Payload, PollResult, Span, Stage as _};
use airtcp_radio::{HopConfig, Line};
use pyo3::prelude::*;

/// Arrivals between two checks of the cancel flag.
const PATIENCE: usize = 1 << 12;
/// Departure of a packet that was dropped.
const NEVER: i64 = -1;

/// An arriving packet: its time in nanoseconds, its bytes, its flow, and its two ECN bits.
type Arrival = (i64, u32, u32, u8);

/// The fate of a packet: true if it left with a mark; and the time at which its last bit left the transmitter, or
/// [`NEVER`].
type Outcome = (bool, i64);

#[derive(Clone)]
struct Played {
    place: usize,
    arrival: Arrival,
    is_marked: bool,
}

impl Payload for Played {
    fn bits(&self) -> u64 {
        8 * u64::from(self.arrival.1)
    }

    fn owner(&self) -> usize {
        self.arrival.2 as usize
    }

    fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.arrival.3)
    }

    fn mark(&mut self) {
        self.is_marked = true;
    }
}

/// Plays arrivals in order of time through the first hop of a point on a path; returns for each packet whether it was
/// marked, and when it left, -1 for a lost one.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python's list is made into")]
pub(crate) fn queue_outcomes(
    py: Python<'_>,
    point: &Point,
    arrivals: Vec<Arrival>,
    seed: u64,
    replication: u64,
) -> PyResult<Vec<Outcome>> {
    let scenario = point.path()?;
    let (mut forward, _) = scenario
        .hops(seed, replication)
        .map_err(|e| ScenarioError::new_err((e.field, e.message)))?;
    let hop = forward.swap_remove(0);
    cancellable(py, |cancel| play(hop, &arrivals, cancel))
}

fn play(hop: HopConfig, arrivals: &[Arrival], cancel: &Cancel) -> Vec<Outcome> {
    let mut line = Line::new(hop);
    line.watch(cancel);
    let mut outcomes = vec![(false, NEVER); arrivals.len()];
    for (place, &arrival) in arrivals.iter().enumerate() {
        let now = Instant::START + Span::from_nanos(arrival.0);
        leave(&mut line, now, &mut outcomes, cancel);
        line.push(now, Played { place, arrival, is_marked: false });
        if place % PATIENCE == 0 && cancel.is_set() {
            return outcomes;
        }
    }
    leave(&mut line, Instant::NEVER, &mut outcomes, cancel);
    outcomes
}

/// Takes every packet that leaves before `end`.
fn leave(line: &mut Line<Played>, end: Instant, outcomes: &mut [Outcome], cancel: &Cancel) {
    for turn in 1_usize.. {
        let now = line.due().0;
        if now >= end || (turn % PATIENCE == 0 && cancel.is_set()) {
            return;
        }
        if let PollResult::Out(packet) = line.poll(now) {
            outcomes[packet.place] = (packet.is_marked, now.nanos());
        }
    }
}
