//! One direction of a hop as packets meet it: the keys that the forward and the reverse direction have in common.

use crate::arq::Arq;
use crate::traffic::one;
use crate::trains::TrainSpec;
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
#[schemars(
    rename = "Back",
    description = "Reverse direction of a hop: the keys in which it differs from the forward one."
)]
pub struct DirectionSpec {
    /// Transmission rate. Absent: `rates` must be given; under `back`, the forward rate as it changes. Example:
    /// `"2Mbps"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Rate")]
    pub rate: Option<Rate>,
    /// Rate that changes with time, in place of `rate`: a list of changes, the last of which persists, or a table
    /// with a `kind`. When the rate changes, the rest of a packet is sent at the new rate; at 0bps it waits. Not with
    /// channels that count slots, nor, in the forward direction, with `slotted`. Absent: the rate is `rate`. Example:
    /// `[{at = "0s", rate = "2Mbps"}, {at = "5s", rate = "500kbps"}]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HopRates")]
    pub rates: Option<HopRates>,
    /// Delivery opportunities, as in a Mahimahi trace: times in whole milliseconds, in order, each for 1504 bytes,
    /// repeated after the last one. `rate` must be their mean. Not with a gate or `arq`, nor, in the forward
    /// direction, with `slotted`. Absent: packets are sent at any time. Example: `[0, 4, 9, 15]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 1_000_000), inner(range(min = 0, max = 4_294_967_295_u32)))]
    pub opportunities: Vec<u32>,
    /// Packet trains recorded over the idle link, for links that serve a short transfer otherwise than a long one: a
    /// packet that finds the link idle begins a busy period, which the latest train serves until it is over, and then
    /// `opportunities`. The period ends once its next opportunity has passed unused and `opportunities` could have carried
    /// its packets. The recording is repeated with that of `opportunities`. Not with `delays`. Absent: `opportunities`
    /// serve all packets. Example: `[{at = "0ms", delay = "31ms", opportunities = [0, 4, 4, 9]}]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 100_000))]
    pub trains: Vec<TrainSpec>,
    /// One-way propagation delay. Absent: the delay of the hop's `link`; under `back`, the forward delay. Example:
    /// `"20ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub delay: Option<Duration>,
    /// Queue at the transmitter. A number or a size is the limit of a drop-tail queue: `50` packets, counting the one
    /// in transmission, or `"100kB"`, not counting it. A table with a `kind` gives any other queue. A packet that
    /// finds the transmitter free is always accepted. Absent: drop-tail without a limit; under `back`, the forward
    /// queue. Example: `50`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HopQueue")]
    pub queue: Option<HopQueue>,
    /// Channel that loses packets at the sending node, before the queue, so that they take no airtime. Absent: no
    /// losses there. Example: `{kind = "iid", loss_rate = 0.01}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub exit: Option<ChannelSpec>,
    /// Channel whose losses become ECN marks on arrival at the queue, for packets of ECN-capable flows. Absent: no
    /// marks. Example: `{kind = "iid", loss_rate = 0.01}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub marks: Option<ChannelSpec>,
    /// Channel that loses packets on the wire. Absent: no losses there. Example: `{kind = "burst", loss_rate = 0.01,
    /// mean_burst = 5}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub channel: Option<ChannelSpec>,
    /// Link layer that cuts packets into fragments and retransmits lost fragments. Absent: none. Example: `{fragment =
    /// "140B", attempts = 4}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Arq")]
    pub arq: Option<Arq>,
    /// Forced losses of packets of the first flow, at the end of this direction of the hop: `[n, k]` drops the k-th
    /// copy, counted from 1, of data packet n, counted from 0. Where the ACKs of the flow take this direction, usually
    /// under `back`, it drops the k-th ACK with number n, which is the number of the last packet received in order.
    /// Absent: none. Example: `[[14, 1], [15, 1]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<ForcedLoss>,
    /// Changes of the delay, each for transmissions that start at `at` or later. Packets stay in order unless
    /// `reorder` says otherwise. Absent: the delay is `delay` throughout. Example: `[{at = "5s", delay = "80ms"}]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<DelayChange>,
    /// Random extra delay of every packet, drawn as its transmission starts and added to `delay` or `delays`. Not with
    /// `arq`. Absent: none. Example: `{kind = "uniform", min = "0ms", max = "10ms"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DistributionSpec")]
    pub jitter: Option<DistributionSpec>,
    /// Reordering: true lets packets overtake each other on the wire where `jitter` or `delays` allow it; a table
    /// exempts some packets from the delay, as netem's `reorder` does. Not with `arq`. Absent: packets stay in order.
    /// Example: `{probability = 0.25, gap = 5}`.
    #[serde(default, skip_serializing_if = "HopReorder::keeps_order")]
    pub reorder: HopReorder,
    /// Probability that a packet is duplicated after the channel. The copy takes no airtime and has its own `jitter`.
    /// Not with `arq`. Absent: 0. Example: `0.01`.
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
    Selected(Reorder),
}

impl Default for HopReorder {
    fn default() -> Self {
        HopReorder::ByDelays(false)
    }
}

impl HopReorder {
    /// True if packets keep their order.
    #[must_use]
    pub fn keeps_order(&self) -> bool {
        *self == HopReorder::default()
    }

    /// The choice of packets that are not delayed, if some are not.
    #[must_use]
    pub fn undelayed_packets(&self) -> Option<&Reorder> {
        match self {
            HopReorder::ByDelays(_) => None,
            HopReorder::Selected(reorder) => Some(reorder),
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
    /// Probability that a packet is not delayed, for independent decisions. Example: `0.25`.
    pub probability: Probability,
    /// Correlation of these decisions as netem computes it. It makes the share of undelayed packets smaller than
    /// `probability`: `25% 50%` of netem lets some 7 % of the packets overtake. Absent: 0, which means independent
    /// decisions. Example: `0.5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub correlation: Option<Probability>,
    /// Smallest distance between two packets that are not delayed, in packets. Example: `5`.
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
pub struct ForcedLoss(pub u64, pub u32);

impl JsonSchema for ForcedLoss {
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
    /// Time from which the change holds. Example: `"5s"`.
    pub at: Duration,
    /// New one-way delay. Example: `"80ms"`.
    pub delay: Duration,
}
