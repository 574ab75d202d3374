//! Everything that a packet-level scenario can hold: hops from sender to receiver, and flows over
//! them. What is absent is the profile's, or as the field says.

use crate::arq::Arq;
use crate::profile::Profile;
use crate::stop::PathStop;
use airtcp_core::{Duration, Rate, Size};
use airtcp_radio::{ChannelSpec, GateSpec};
use airtcp_tcp::{Detection, GrowthLaw, Variant};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A path of hops and the TCP flows over it, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathScenario {
    /// Title of tables and figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The set of rules and defaults that everything else is read by.
    pub profile: Profile,
    /// The transport of every flow.
    pub tcp: PathTcp,
    /// What lies between the ends.
    pub path: Path,
    /// The flows; absent: one that never ends, from time 0.
    #[serde(default = "one_flow")]
    #[schemars(length(min = 1))]
    pub flow: Vec<Flow>,
    /// How long to simulate.
    pub stop: PathStop,
}

/// The transport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathTcp {
    /// Loss recovery.
    pub variant: Variant,
    /// Window that the receiver advertises, in packets (`W_max`).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub window: u32,
    /// Slow-start threshold at first, in packets. Absent: the window in ns2, no limit in rfc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub ssthresh: Option<u32>,
    /// Length of a full data packet on the wire.
    pub packet: Size,
    /// Length of an acknowledgement on the wire, without SACK blocks.
    pub ack: Size,
    /// Duplicate ACKs that trigger a fast retransmit (K).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub dupacks: u32,
    /// Tick of the clock that measures round trips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub tick: Option<Duration>,
    /// Phase of that clock in seconds: how long before the start it last ticked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 0))]
    pub boot: Option<f64>,
    /// Length of the IP and TCP headers within a packet: the rest is payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub header: Option<Size>,
    /// Window growth in congestion avoidance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GrowthLaw")]
    pub growth: Option<GrowthLaw>,
    /// How spurious timeouts are found out and answered. With `eifel` every packet and ACK carries a
    /// timestamp of 12 bytes: packets keep their length, ACKs become longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Detection")]
    pub spurious: Option<Detection>,
    /// Window at first, in packets [RFC 6928].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub initial_window: Option<u32>,
    /// Longest delay of an ACK, below 500 ms; 0s: every packet is acknowledged at once
    /// [RFC 5681 4.2].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub delayed_ack: Option<Duration>,
    /// Whether the first two duplicate ACKs send new packets [RFC 3042].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub limited_transmit: Option<bool>,
    /// Retransmission timeout before the first measurement [RFC 6298 2.1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub initial_rto: Option<Duration>,
    /// Shortest retransmission timeout [RFC 6298 2.4].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub min_rto: Option<Duration>,
    /// Longest retransmission timeout [RFC 6298 2.5].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub max_rto: Option<Duration>,
}

/// What lies between the ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// From the sender to the receiver.
    #[schemars(length(min = 1))]
    pub hop: Vec<HopSpec>,
}

/// One hop, both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HopSpec {
    /// Transmission rate.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Duration,
    /// Limit of the drop-tail queue: packets, counting the one in transmission, or a size, counting
    /// what waits. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QueueLimit")]
    pub queue: Option<QueueLimit>,
    /// What loses packets on the way to the receiver. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub channel: Option<ChannelSpec>,
    /// A link layer that cuts packets into fragments and repeats those that are lost, on the way to the
    /// receiver. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Arq")]
    pub arq: Option<Arq>,
    /// When the link is up, in both directions unless it says otherwise. Absent: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GateSpec")]
    pub gate: Option<GateSpec>,
    /// Forced losses of the first flow at the far end: `[data packet, k]` loses its k-th copy to get
    /// there. Packets are numbered from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<Drop>,
    /// Changes of the delay: it holds for transmissions that start at `at` or later. Order is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<DelayChange>,
    /// The way back, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Back")]
    pub back: Option<Back>,
}

/// The way back over a hop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Back {
    /// Transmission rate. Absent: as forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Rate")]
    pub rate: Option<Rate>,
    /// One-way propagation delay. Absent: as forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub delay: Option<Duration>,
    /// Limit of the drop-tail queue. Absent: as forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QueueLimit")]
    pub queue: Option<QueueLimit>,
    /// What loses acknowledgements. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub channel: Option<ChannelSpec>,
    /// A link layer that retransmits on the way back. Absent: none, whatever there is forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Arq")]
    pub arq: Option<Arq>,
    /// Forced losses of the first flow at the far end: `[ACK, k]` loses the k-th ACK with this number, which is that
    /// of the last packet received in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<Drop>,
    /// Changes of the delay: it holds for transmissions that start at `at` or later. Order is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<DelayChange>,
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

impl JsonSchema for QueueLimit {
    fn schema_name() -> Cow<'static, str> {
        "QueueLimit".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"], "minimum": 2, "maximum": 1_000_000_000,
            "format": "size", "examples": [50, "64kB"],
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

/// A flow, or several alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// When it starts.
    #[serde(default = "zero")]
    pub start: Duration,
    /// Packets to send. Absent: without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1, max = 1_000_000_000_000_u64))]
    pub packets: Option<u64>,
    /// The time at which so many packets are acknowledged is reported. Absent: all of a flow that
    /// ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1, max = 1_000_000_000_000_u64))]
    pub milestone: Option<u64>,
    /// So many of these.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,
    /// Loss recovery, where it is not that of `tcp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Variant")]
    pub variant: Option<Variant>,
    /// Window that the receiver advertises, where it is not that of `tcp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub window: Option<u32>,
}

fn zero() -> Duration {
    Duration::ZERO
}

fn one() -> u32 {
    1
}

fn one_flow() -> Vec<Flow> {
    vec![Flow {
        start: zero(),
        packets: None,
        milestone: None,
        count: one(),
        variant: None,
        window: None,
    }]
}
