//! One direction of a hop as packets meet it: the keys that the forward and the reverse direction have in common.

use crate::arq::Arq;
use crate::traffic::one;
use airtcp_core::{Duration, Probability, Rate, Size};
use airtcp_radio::rates::{AtEnd, Changes, RateChange, Steps};
use airtcp_radio::{ChannelSpec, DistributionSpec, QueueSpec, RatesSpec};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One direction of a hop: of packets from its near end to its far end, or under `back` the other way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// Only `back` refers to it in the schema: a hop has the keys of the way forward among its own.
#[schemars(rename = "Back", description = "The way back over a hop.")]
pub struct DirectionSpec {
    /// Transmission rate; `rates` may take its place. Of `back` absent: as forward, at every time the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Rate")]
    pub rate: Option<Rate>,
    /// A rate that changes with time, in place of `rate`: a list of changes, the last of which stays, or a table with a `kind`. What is left
    /// of a packet when the rate changes is sent at the new rate; at 0bps it waits. Not with channels that count slots, nor,
    /// on the way forward, with `slotted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HopRates")]
    pub rates: Option<HopRates>,
    /// When packets are sent, in place of `rate`, which must be their mean: whole milliseconds
    /// that never fall, each an opportunity for 1504 bytes, repeated from the last one on, as in a trace of
    /// Mahimahi. Not with a gate or `arq`, nor, on the way forward, with `slotted`.
    /// Absent: at any time, of `back` whatever there is forward.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 1_000_000), inner(range(min = 0, max = 4_294_967_295_u32)))]
    pub opportunities: Vec<u32>,
    /// One-way propagation delay. Of `back` absent: as forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub delay: Option<Duration>,
    /// The queue: a limit stands for a drop-tail queue, in packets, counting the one in transmission, or as a size,
    /// counting what waits; or a table with a `kind`. Whatever its limit, a queue takes a packet that finds the transmitter
    /// free. Absent: drop-tail without a limit; of `back`: as forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HopQueue")]
    pub queue: Option<HopQueue>,
    /// A channel that loses packets before they come to the queue, so that they take no airtime: the exit of the node that sends.
    /// Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub exit: Option<ChannelSpec>,
    /// A channel that marks packets as they come to the queue: those that it would lose, where they take marks (ECN).
    /// Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub marks: Option<ChannelSpec>,
    /// A channel that loses packets on the wire. Absent: nothing is lost there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub channel: Option<ChannelSpec>,
    /// A link layer that cuts packets into fragments and repeats those that are lost. Absent: none, of `back` whatever there
    /// is forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Arq")]
    pub arq: Option<Arq>,
    /// Forced losses of the first flow, which must cross the hop, at the end of the way: `[n, k]` loses the k-th copy of its
    /// data packet n to get there, counted from 0; where its ACKs go this way, as they usually do under `back`, the k-th ACK with the
    /// number n, which is that of the last packet received in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<Drop>,
    /// Changes of the delay: it holds for transmissions that start at `at` or later. Order is kept, unless
    /// `reorder` says otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<DelayChange>,
    /// An extra delay of every packet, drawn as its transmission starts, on top of `delay` and `delays`. Not with `arq`.
    /// Absent: none, of `back` whatever there is forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DistributionSpec")]
    pub jitter: Option<DistributionSpec>,
    /// Permission for packets to overtake each other on the wire, where `jitter` or `delays` would have them do so; or a table, by
    /// which some of them are not delayed at all, as netem's `reorder`. Not with `arq`.
    #[serde(default, skip_serializing_if = "HopReorder::is_never")]
    pub reorder: HopReorder,
    /// Probability that a packet that gets through the channel arrives twice: the copy takes no airtime and comes right behind,
    /// after a `jitter` of its own. Not with `arq`. Absent: 0, of `back` whatever there is forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub duplicate: Option<Probability>,
}

impl DirectionSpec {
    /// The channels that the scenario gives, each with its key.
    pub(crate) fn channels(&self) -> impl Iterator<Item = (&'static str, &ChannelSpec)> {
        let all = [("exit", &self.exit), ("marks", &self.marks), ("channel", &self.channel)];
        all.into_iter().filter_map(|(key, channel)| Some((key, channel.as_ref()?)))
    }
}

/// Overtaking on the wire of a hop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HopReorder {
    /// Packets overtake if their delays let them (true), or never (false).
    ByDelays(bool),
    /// Packets overtake, and some are not delayed at all.
    Ahead(Reorder),
}

impl Default for HopReorder {
    fn default() -> Self {
        HopReorder::ByDelays(false)
    }
}

impl HopReorder {
    /// Says that packets keep their order.
    #[must_use]
    pub fn is_never(&self) -> bool {
        *self == HopReorder::default()
    }

    /// The choice of packets that are not delayed, if some are not.
    #[must_use]
    pub fn ahead(&self) -> Option<&Reorder> {
        match self {
            HopReorder::ByDelays(_) => None,
            HopReorder::Ahead(reorder) => Some(reorder),
        }
    }
}

impl JsonSchema for HopReorder {
    fn schema_name() -> Cow<'static, str> {
        "HopReorder".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["boolean", "object"],
            "if": {"type": "object"}, "then": generator.subschema_for::<Reorder>(),
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// netem's reordering: some packets arrive at the end of their transmission, without `delay`, `delays` and `jitter`, and so
/// overtake those on the wire. netem's `reorder 25% 50% gap 5` is `{probability = 0.25, correlation = 0.5, gap = 5}`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reorder {
    /// Probability that a packet is not delayed, if the numbers that decide it are independent.
    pub probability: Probability,
    /// netem's correlation of these numbers, which then gather around the middle: with `25% 50%` some 7 % of the
    /// packets overtake, there as here. Absent: they are independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
    /// At least `gap - 1` packets are delayed between two that are not.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    pub gap: u32,
}

/// Rates of a hop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HopRates {
    /// A list of changes; the last rate stays.
    Changes(Vec<RateChange>),
    /// One of the registered kinds.
    Kind(RatesSpec),
}

impl HopRates {
    /// The rates as a registered kind.
    #[must_use]
    pub fn spec(&self) -> Cow<'_, RatesSpec> {
        match self {
            HopRates::Kind(spec) => Cow::Borrowed(spec),
            HopRates::Changes(changes) => {
                let values = Changes::Tables(changes.clone());
                Cow::Owned(RatesSpec::Steps(Steps { values, end: AtEnd::Hold }))
            }
        }
    }
}

impl JsonSchema for HopRates {
    fn schema_name() -> Cow<'static, str> {
        "HopRates".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["array", "object"], "items": generator.subschema_for::<RateChange>(),
            "minItems": 1, "maxItems": 100_000,
            "if": {"type": "object"}, "then": generator.subschema_for::<RatesSpec>(),
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// A limit of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum QueueLimit {
    /// Packets, the one in transmission included: one fewer may wait.
    Packets(u32),
    /// Bytes that wait.
    Bytes(Size),
}

/// A queue of a hop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HopQueue {
    /// Drop-tail, with this limit.
    Limit(QueueLimit),
    /// One of the registered kinds.
    Kind(QueueSpec),
}

impl From<QueueLimit> for HopQueue {
    fn from(limit: QueueLimit) -> Self {
        HopQueue::Limit(limit)
    }
}

impl JsonSchema for HopQueue {
    fn schema_name() -> Cow<'static, str> {
        "HopQueue".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string", "object"], "minimum": 2, "maximum": 1_000_000_000,
            "format": "size", "examples": [50, "64kB"],
            "if": {"type": "object"}, "then": generator.subschema_for::<QueueSpec>(),
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// A forced loss: the number of a packet, and which of its copies, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drop(pub u64, pub u32);

impl JsonSchema for Drop {
    fn schema_name() -> Cow<'static, str> {
        "Drop".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
            "minItems": 2, "maxItems": 2, "examples": [[14, 1]],
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// A change of a hop's delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelayChange {
    /// From when.
    pub at: Duration,
    /// The delay from then on.
    pub delay: Duration,
}
