//! The general transmitter, its queues, jitter and duplication. `PROPTEST_CASES=1000000` runs the properties in full.

mod broken;
mod by_hand;
mod case;
mod hop;
mod properties;
mod queues;
mod spy;

use airtcp_core::{Ecn, Instant, Payload};
use proptest::prelude::ProptestConfig;

/// A packet that remembers when it was transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) id: usize,
    pub(crate) number: u64,
    pub(crate) bits: u64,
    pub(crate) on_air: Option<(i64, i64)>,
    pub(crate) is_marked: bool,
}

impl Packet {
    pub(crate) fn new(id: usize, number: u64, bits: u64) -> Self {
        Packet { id, number, bits, on_air: None, is_marked: false }
    }
}

impl Payload for Packet {
    fn bits(&self) -> u64 {
        self.bits
    }
    fn number(&self) -> Option<u64> {
        Some(self.number)
    }
    /// ECN field by the number, so that some packets of each owner take marks and some do not.
    fn ecn(&self) -> Ecn {
        if self.number < 3 { Ecn::NotEct } else { Ecn::from_bits(1 + (self.number % 3) as u8) }
    }
    fn mark(&mut self) {
        self.is_marked = true;
    }
    /// Two owners, whose packets differ in whether their number is odd.
    fn owner(&self) -> usize {
        (self.number % 2) as usize
    }
    fn on_transmission(&mut self, start: Instant, end: Instant) {
        self.on_air = Some((start.nanos(), end.nanos()));
    }
}

pub(crate) fn at(nanos: i64) -> Instant {
    Instant::from_nanos(nanos)
}

/// Settings for `cases` cases; `PROPTEST_CASES` asks for more.
pub(crate) fn settings(cases: u32) -> ProptestConfig {
    let rng_seed = proptest::test_runner::RngSeed::Fixed(1);
    let cases = ProptestConfig::default().cases.max(cases);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}
