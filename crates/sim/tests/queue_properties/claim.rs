//! The claims of a registered queue, by its parameters in the scenario.

use airtcp_core::{Instant, Rate, Size, Stream};
use airtcp_radio::QueueSpec;
use airtcp_radio::queue::{Guarantees, Spec as _};
use airtcp_radio::rates::Segment;
use serde_json::Value;
use std::sync::Arc;

/// Packets with the one in transmission, or bits of what waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Packets(u64),
    Bits(u64),
}

impl Limit {
    /// Returns true if so many packets and bits are within the limit.
    pub(crate) fn holds(self, packets: u64, bits: u64) -> bool {
        match self {
            Limit::Packets(limit) => packets < limit,
            Limit::Bits(limit) => bits <= limit,
        }
    }

    /// Returns true if so many packets and bits may wait: a packet that found the transmitter free waits alone,
    /// whatever its length.
    pub(crate) fn may_hold(self, packets: u64, bits: u64) -> bool {
        packets == 1 || self.holds(packets, bits)
    }
}

/// Tokens of a bit each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens {
    /// Per second.
    pub(crate) rate: f64,
    pub(crate) burst: f64,
    /// True if packets take their tokens as they come, and not as they leave.
    pub(crate) at_arrival: bool,
}

/// A time in nanoseconds, and the rate in it in bits per second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) from: u64,
    pub(crate) until: u64,
    pub(crate) rate: f64,
}

impl Stretch {
    /// The part of it that is in the time `from` to `until`.
    pub(crate) fn within(self, from: u64, until: u64) -> Self {
        let (from, until) = (self.from.max(from), self.until.min(until));
        Stretch { from, until: until.max(from), ..self }
    }

    fn bits(self) -> f64 {
        self.rate / 1e9 * (self.until - self.from) as f64
    }
}

/// A transmitter with its queue, as the scenario describes them.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// Its rates, one after the other.
    pub(crate) rates: Arc<[Stretch]>,
    pub(crate) guarantees: Guarantees,
    pub(crate) limit: Limit,
    pub(crate) marks: bool,
    /// Nothing is dropped but what the limit, or tokens for ever, would not let in.
    pub(crate) drops_only_excess: bool,
    pub(crate) tokens: Option<Tokens>,
}

/// The value of a key of a queue, if the queue has the key.
fn given<T: TryFrom<String>>(spec: &Value, key: &str) -> Option<T> {
    T::try_from(spec[key].as_str()?.to_owned()).ok()
}

impl Claim {
    pub(crate) fn from_spec(spec: &QueueSpec, rate: Rate) -> Self {
        let value = serde_json::to_value(spec).expect("plain data");
        // The limit of ns does not count the packet in transmission.
        let beside = u64::from(value["kind"] == "ns-red");
        let packets = value["packets"].as_u64().map(|packets| Limit::Packets(packets + beside));
        let bits = given(&value, "bytes").map(|size: Size| Limit::Bits(size.bits()));
        let tokens =
            given(&value, "burst").zip(given(&value, "rate")).map(|(burst, rate): (Size, Rate)| {
                let (rate, burst) = (rate.bits_per_second(), burst.bits() as f64);
                Tokens { rate, burst, at_arrival: value["excess"] == "drop" }
            });
        let by_limit = ["drop-tail", "head-drop", "drr", "priority"].map(Value::from);
        let waits = tokens.is_some_and(|tokens| !tokens.at_arrival);
        Claim {
            rates: [Stretch { from: 0, until: u64::MAX, rate: rate.bits_per_second() }].into(),
            guarantees: spec.build(rate, Stream::new(1, "queue", 0)).expect("a queue").guarantees(),
            limit: packets.or(bits).expect("every case has a limit"),
            marks: value["ecn"] == true || value["kind"] == "dualpi2",
            drops_only_excess: waits || by_limit.contains(&value["kind"]),
            tokens,
        }
    }

    /// The claim with these rates of the link.
    pub(crate) fn at(self, rates: impl Iterator<Item = Segment>) -> Self {
        let nanos = |at: Instant| at.nanos().cast_unsigned();
        let stretch = |segment: Segment| Stretch {
            from: nanos(segment.from),
            until: nanos(segment.until),
            rate: segment.rate.map_or(0.0, Rate::bits_per_second),
        };
        Claim { rates: rates.map(stretch).collect(), ..self }
    }

    /// The most bits that are sent from `from` until `until`.
    pub(crate) fn bits(&self, from: u64, until: u64) -> f64 {
        self.rates.iter().map(|stretch| stretch.within(from, until).bits()).sum()
    }

    /// Bits in a nanosecond at its best from `from` until `until`.
    pub(crate) fn fastest(&self, from: u64, until: u64) -> f64 {
        let within =
            self.rates.iter().filter(|stretch| stretch.from < until && from < stretch.until);
        within.map(|stretch| stretch.rate / 1e9).fold(0.0, f64::max)
    }
}
