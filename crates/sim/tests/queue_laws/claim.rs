//! What a registered queue with its parameters claims to do, by what the scenario says of it.

use airtcp_core::{Rate, Size, Stream};
use airtcp_radio::QueueSpec;
use airtcp_radio::queue::{Promises, Spec as _};
use serde_json::Value;

/// Packets with the one in transmission, or bits of what waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Packets(u64),
    Bits(u64),
}

impl Limit {
    /// Whether so much is within it.
    pub(crate) fn holds(self, packets: u64, bits: u64) -> bool {
        match self {
            Limit::Packets(limit) => packets < limit,
            Limit::Bits(limit) => bits <= limit,
        }
    }

    /// Whether so much may wait: one that found the transmitter free does so alone, whatever its length.
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
    /// Whether they are taken as packets come, and not as they leave.
    pub(crate) at_arrival: bool,
}

/// A transmitter with its queue, as the scenario describes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    /// Bits per second.
    pub(crate) rate: f64,
    pub(crate) promises: Promises,
    pub(crate) limit: Limit,
    pub(crate) marks: bool,
    /// Nothing is dropped but what the limit, or tokens for ever, would not let in.
    pub(crate) drops_only_excess: bool,
    pub(crate) tokens: Option<Tokens>,
}

/// What the key of a queue says, if it has that.
fn given<T: TryFrom<String>>(spec: &Value, key: &str) -> Option<T> {
    T::try_from(spec[key].as_str()?.to_owned()).ok()
}

impl Claim {
    pub(crate) fn of(spec: &QueueSpec, rate: Rate) -> Self {
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
            rate: rate.bits_per_second(),
            promises: spec.build(rate, Stream::new(1, "queue", 0)).expect("a queue").promises(),
            limit: packets.or(bits).expect("every case has a limit"),
            marks: value["ecn"] == true || value["kind"] == "dualpi2",
            drops_only_excess: waits || by_limit.contains(&value["kind"]),
            tokens,
        }
    }
}
