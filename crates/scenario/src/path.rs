//! Everything that a packet-level scenario can hold: hops between nodes, and flows over
//! them. What is absent is the profile's, or as the field says.

use crate::arq::Arq;
use crate::linux::{Congestion, SysctlKeys};
use crate::live::Live;
use crate::profile::Profile;
use crate::stop::PathStop;
use crate::traffic::{Traffic, one, zero};
use airtcp_core::{Duration, Probability, Rate, Size};
use airtcp_radio::rates::{AtEnd, Changes, RateChange, Spec as _, Steps};
use airtcp_radio::{ChannelSpec, GateSpec, LawSpec, QueueSpec, RatesSpec, SizeSpec, Video};
use airtcp_tcp::{
    Detection, GrowthLaw, NsSettings, ProbingConfig, Reduction, SlowStart, Spurious, Variant,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
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
    /// Values that go together: each case is a table of keys over the rest of the scenario. Of a point, the name of its case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub case: Option<String>,
    /// The transport of every flow.
    pub tcp: PathTcp,
    /// What lies between the ends.
    pub path: Path,
    /// The flows; absent: one that never ends, from time 0.
    #[serde(default = "one_flow")]
    #[schemars(length(min = 1))]
    pub flow: Vec<Flow>,
    /// Cross-traffic; absent: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub traffic: Vec<Traffic>,
    /// What concerns runs of real packets only: simulation and analysis give points that differ in nothing else the same answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Live")]
    pub live: Option<Box<Live>>,
    /// How long to simulate.
    pub stop: PathStop,
}

/// The transport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathTcp {
    /// Loss recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Variant")]
    pub variant: Option<Variant>,
    /// Congestion control of Linux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Congestion")]
    pub congestion: Option<Congestion>,
    /// Whether both hosts permit SACK.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub sack: Option<bool>,
    /// Whether segments carry timestamps, 12 bytes each: packets keep their length, ACKs become longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub timestamps: Option<bool>,
    /// Window that the receiver advertises (`W_max`), in packets; as a size where bytes are counted. In linux the largest that it may
    /// become (`TCP_WINDOW_CLAMP`).
    pub window: WindowSize,
    /// Slow-start threshold at first, in packets. Absent: the window in ns2, no limit in rfc, 65535 B in bsd.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub ssthresh: Option<u32>,
    /// Length of a full data packet on the wire.
    pub packet: Size,
    /// Length of an acknowledgement on the wire, without SACK blocks.
    pub ack: Size,
    /// Duplicate ACKs that trigger a fast retransmit (K).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub dupacks: Option<u32>,
    /// Length that lower layers add to every packet on the wire. It takes airtime, and is counted in no
    /// metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub framing: Option<Size>,
    /// Tick of the clock that measures round trips; in bsd of all timers, at a random phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub tick: Option<Duration>,
    /// Phase of that clock in seconds: how long before the start it last ticked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 0))]
    pub boot: Option<f64>,
    /// What ns lets one set of its agents, beside what stands here. Absent: what it had in 1998.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "NsSettings")]
    pub ns: Option<Box<NsSettings>>,
    /// Length of the IP and TCP headers within a packet: the rest is payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub header: Option<Size>,
    /// Window growth in congestion avoidance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GrowthLaw")]
    pub growth: Option<GrowthLaw>,
    /// How losses are detected before the timer expires. Absent: `rfc6675` where the variant reads SACK blocks, else
    /// `duplicate-acks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Detection")]
    pub detection: Option<Detection>,
    /// How the window comes down in a recovery, for variants that read SACK blocks. Absent: `at-once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Reduction")]
    pub reduction: Option<Reduction>,
    /// How slow start goes. Absent: `standard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SlowStart")]
    pub slow_start: Option<SlowStart>,
    /// How spurious timeouts are found out and answered. With `eifel` every packet and ACK carries a
    /// timestamp of 12 bytes: packets keep their length, ACKs become longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Spurious")]
    pub spurious: Option<Spurious>,
    /// Window at first, in packets [RFC 6928].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub initial_window: Option<u32>,
    /// Most segments that slow start adds to the window per ACK (L of RFC 3465); absent: 1 [RFC 5681 3.1]. Linux has no
    /// limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub abc_limit: Option<u32>,
    /// Longest delay of an ACK, below 500 ms; 0s: every packet is acknowledged at once
    /// [RFC 5681 4.2].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub delayed_ack: Option<Duration>,
    /// Whether the first two duplicate ACKs send new packets [RFC 3042].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub limited_transmit: Option<bool>,
    /// Whether both ends use explicit congestion notification, so that queues mark packets in place of dropping
    /// them [RFC 3168]; of profile linux it stands for `tcp_ecn = 1` on both hosts. Absent: only if the growth goes by
    /// marks (dctcp, prague).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub ecn: Option<bool>,
    /// Retransmission timeout before the first measurement [RFC 6298 2.1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub initial_rto: Option<Duration>,
    /// Least distance of the timeout from the smoothed round trip [RFC 6298 2.3: G]; absent: a nanosecond. Linux's
    /// `rto_min` is this, not the shortest timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub rto_margin: Option<Duration>,
    /// Shortest retransmission timeout [RFC 6298 2.4].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub min_rto: Option<Duration>,
    /// Longest retransmission timeout [RFC 6298 2.5].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub max_rto: Option<Duration>,
    /// How the variants that probe do that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probing")]
    pub probing: Option<Box<Probing>>,
    /// Settings of both hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SysctlKeys")]
    pub sysctl: Option<Box<SysctlKeys>>,
}

/// How the variants that probe do that.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Probing {
    /// How far the time of a good probe may exceed the best round trip of data, as a share of that.
    #[schemars(range(min = 0, max = 1000))]
    pub tolerance: f64,
    /// In skip-probing, so many measured round trips after which another cycle is due.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub skip_estimates: u32,
    /// In skip-probing, time since the last cycle began after which another is due.
    pub skip_interval: Duration,
    /// After a cycle that a timeout began, without slow start: true sends everything not acknowledged again, false
    /// the first segment alone.
    pub rewind: bool,
    /// Double the probe timer with every probe that is sent again, up to six times.
    pub backoff: bool,
}

impl Default for Probing {
    fn default() -> Self {
        let ProbingConfig { tolerance, estimates, interval, rewind, backoff, .. } =
            ProbingConfig::new(0);
        let skip_interval = Duration::from_span(interval);
        Probing { tolerance, skip_estimates: estimates, skip_interval, rewind, backoff }
    }
}

/// A window that a receiver advertises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WindowSize {
    /// So many full packets.
    Packets(u32),
    /// So many bytes of payload.
    Bytes(Size),
}

impl WindowSize {
    /// In sequence numbers, `unit` per full packet.
    #[must_use]
    pub fn numbers(self, unit: u64) -> u64 {
        match self {
            WindowSize::Packets(packets) => u64::from(packets) * unit,
            WindowSize::Bytes(size) => size.bytes(),
        }
    }
}

impl JsonSchema for WindowSize {
    fn schema_name() -> Cow<'static, str> {
        "WindowSize".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"], "minimum": 1, "maximum": 1_000_000,
            "format": "size", "examples": [20, "64kB"],
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// What lies between the ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// The hops, each between two nodes: one behind the other, unless `near` and `far` say otherwise. Keys of a hop are of packets
    /// that cross it from its near end to its far end, those of `back` of packets the other way, be they data, ACKs or
    /// cross-traffic. A hop that nobody crosses does nothing.
    #[schemars(length(min = 1))]
    pub hop: Vec<HopSpec>,
}

/// One hop, both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HopSpec {
    /// Name of the node at its near end. Absent: where the hop before it ends; of the first one "0".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub near: Option<String>,
    /// Name of the node at its far end. Absent: a node of its own, "1" behind the first hop, "2" behind the second, and
    /// so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub far: Option<String>,
    /// Transmission rate; `rates` may take its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Rate")]
    pub rate: Option<Rate>,
    /// A rate that changes with time, in place of `rate`: a list of changes, the last of which stays, or a table with a `kind`. What is left
    /// of a packet when the rate changes is sent at the new rate; at 0bps it waits. Not with `slotted`, nor with channels that count
    /// slots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HopRates")]
    pub rates: Option<HopRates>,
    /// When packets are sent to the far end, in place of `rate`, which must be their mean: whole milliseconds
    /// that never fall, each an opportunity for 1504 bytes, repeated from the last one on, as in a trace of
    /// Mahimahi. Not with a gate, `arq` or `slotted`.
    /// Absent: at any time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 1_000_000), inner(range(min = 0, max = 4_294_967_295_u32)))]
    pub opportunities: Vec<u32>,
    /// One-way propagation delay.
    pub delay: Duration,
    /// The queue: a limit stands for a drop-tail queue, in packets, counting the one in transmission, or as a size,
    /// counting what waits; or a table with a `kind`. Whatever its limit, a queue takes a packet that finds the transmitter
    /// free. Absent: drop-tail without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HopQueue")]
    pub queue: Option<HopQueue>,
    /// What loses packets on the way to the far end before they come to the queue, so that they take no
    /// airtime: the exit of the node that sends. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub exit: Option<ChannelSpec>,
    /// What marks packets on the way to the far end as they come to the queue: those that this channel would lose, where
    /// they take marks (ECN). Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub marks: Option<ChannelSpec>,
    /// What loses packets on the way to the far end. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub channel: Option<ChannelSpec>,
    /// A link layer that cuts packets into fragments and repeats those that are lost, on the way to the
    /// far end. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Arq")]
    pub arq: Option<Arq>,
    /// Whether transmissions to the far end start with slots, each the airtime of a full packet (with `arq`, of
    /// a fragment): the channel is then asked slot by slot, as in profile zorzi, and on the first hop it is the
    /// sample path that the same seed gives there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub slotted: bool,
    /// When the link is up, for packets in both directions unless it says otherwise. Absent: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GateSpec")]
    pub gate: Option<GateSpec>,
    /// Forced losses of the first flow, which must cross the hop, at the far end: `[n, k]` loses the k-th copy of its data packet n to
    /// get there, counted from 0; where its data goes the other way, the k-th ACK with the number n, which is that of
    /// the last packet received in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<Drop>,
    /// Changes of the delay: it holds for transmissions that start at `at` or later. Order is kept, unless
    /// `reorder` says otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<DelayChange>,
    /// An extra delay of every packet on the way to the far end, drawn as its transmission starts, on top of
    /// `delay` and `delays`. Not with `arq`. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LawSpec")]
    pub jitter: Option<LawSpec>,
    /// Whether packets may overtake each other on the wire, where `jitter` or `delays` would have them do so; or a table, by
    /// which some of them are not delayed at all, as netem's `reorder`. Not with `arq`.
    #[serde(default, skip_serializing_if = "is_never")]
    pub reorder: HopReorder,
    /// Probability that a packet that gets through the channel arrives twice: the copy takes no airtime and comes right behind,
    /// after a `jitter` of its own. Not with `arq`. Absent: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub duplicate: Option<Probability>,
    /// The way back, from the far end to the near end, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Back")]
    pub back: Option<Back>,
}

impl HopSpec {
    /// The rates of the way forward, where they change.
    #[must_use]
    pub fn rates(&self) -> Option<Cow<'_, RatesSpec>> {
        self.rates.as_ref().map(HopRates::spec)
    }

    /// The rates of the way back, where they change.
    #[must_use]
    pub fn back_rates(&self) -> Option<Cow<'_, RatesSpec>> {
        match &self.back {
            Some(Back { rates: Some(own), .. }) => Some(own.spec()),
            Some(Back { rate: Some(_), .. }) => None,
            _ => self.rates(),
        }
    }

    /// The rate of the way forward in a valid scenario, or the mean of its rates.
    #[must_use]
    pub fn mean_rate(&self) -> Rate {
        mean_rate(self.rate, self.rates())
    }

    /// The rate of the way back in a valid scenario, or the mean of its rates.
    #[must_use]
    pub fn back_mean_rate(&self) -> Rate {
        let own = self.back.as_ref().and_then(|back| back.rate);
        mean_rate(own.or(self.rate), self.back_rates())
    }

    /// Forced losses on the way back.
    pub(crate) fn back_drop(&self) -> &[Drop] {
        self.back.as_ref().map_or(&[], |back| &back.drop)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The way back over a hop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Back {
    /// Transmission rate. Absent: as forward, at every time the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Rate")]
    pub rate: Option<Rate>,
    /// A rate that changes with time, in place of `rate`, as on the way forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HopRates")]
    pub rates: Option<HopRates>,
    /// When packets are sent back, in place of `rate`, which must be their mean: whole milliseconds that never fall, each an
    /// opportunity for 1504 bytes, repeated from the last one on, as in a trace of Mahimahi. Not with a gate or `arq`.
    /// Absent: at any time, whatever there is forward.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 1_000_000), inner(range(min = 0, max = 4_294_967_295_u32)))]
    pub opportunities: Vec<u32>,
    /// One-way propagation delay. Absent: as forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub delay: Option<Duration>,
    /// The queue. Absent: as forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HopQueue")]
    pub queue: Option<HopQueue>,
    /// What loses packets on the way back before they come to the queue. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub exit: Option<ChannelSpec>,
    /// What marks packets on the way back as they come to the queue. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub marks: Option<ChannelSpec>,
    /// What loses packets on the way back. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelSpec")]
    pub channel: Option<ChannelSpec>,
    /// A link layer that retransmits on the way back. Absent: none, whatever there is forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Arq")]
    pub arq: Option<Arq>,
    /// Forced losses of the first flow, which must cross the hop, at the near end: `[n, k]` loses the k-th ACK with the number n, which
    /// is that of the last packet received in order; where its data goes this way, the k-th copy of its data packet n.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<Drop>,
    /// Changes of the delay: it holds for transmissions that start at `at` or later. Order is kept, unless
    /// `reorder` says otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<DelayChange>,
    /// An extra delay of every packet on the way back, drawn as its transmission starts, on top of
    /// `delay` and `delays`. Not with `arq`. Absent: none, whatever there is forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LawSpec")]
    pub jitter: Option<LawSpec>,
    /// Whether packets may overtake each other on the wire, where `jitter` or `delays` would have them do so; or a table, by
    /// which some of them are not delayed at all, as on the way forward. Not with `arq`.
    #[serde(default, skip_serializing_if = "is_never")]
    pub reorder: HopReorder,
    /// Probability that a packet that gets through the channel of the way back arrives twice, as on the way forward. Not with `arq`. Absent: 0, whatever there is forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub duplicate: Option<Probability>,
}

fn mean_rate(rate: Option<Rate>, rates: Option<Cow<'_, RatesSpec>>) -> Rate {
    let mean = rates.and_then(|rates| Rate::of(rates.mean())).or(rate);
    mean.expect("validated: one of rate and rates")
}

/// Overtaking on the wire of a hop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HopReorder {
    /// Packets overtake where their delays have them do so, or never.
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

fn is_never(reorder: &HopReorder) -> bool {
    reorder.is_never()
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
    /// Changes, of which the last one stays.
    Changes(Vec<RateChange>),
    /// One of the registered kinds.
    Kind(RatesSpec),
}

impl HopRates {
    /// The kind that they are of.
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

/// A flow, or several alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The node where its sender is. Absent: the near end of the first hop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub sender: Option<String>,
    /// The node where its receiver is. Absent: the far end of the last hop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub receiver: Option<String>,
    /// When it starts.
    #[serde(default = "zero")]
    pub start: Duration,
    /// One-way delay of a link of its own, never busy, between its sender and the first node; it counts both ways.
    #[serde(default = "zero", skip_serializing_if = "is_zero")]
    pub access_delay: Duration,
    /// Packets to send. Absent: without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1, max = 1_000_000_000_000_u64))]
    pub packets: Option<u64>,
    /// Payload to send, where it is no whole number of packets: the last one is shorter then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub size: Option<Size>,
    /// Time from one transfer's start to the next one's, the first at `start`: each has a connection of its own, and a size by
    /// `sizes`. All of them together are one flow of the results. Exponential times make a Poisson process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LawSpec")]
    pub arrivals: Option<LawSpec>,
    /// Time from the end of a transfer to the start of the next one, on the same connection, as of requests and responses: a
    /// transfer ends when its last byte is acknowledged, which is taken for the moment at which the next request may be thought of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LawSpec")]
    pub think: Option<LawSpec>,
    /// Payload of each transfer, with `arrivals` or `think`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SizeSpec")]
    pub sizes: Option<SizeSpec>,
    /// A video: transfers that follow each other are its chunks, as the player asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Video")]
    pub video: Option<Box<Video>>,
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
    #[schemars(with = "WindowSize")]
    pub window: Option<WindowSize>,
    /// Keys of `tcp` that it has for itself; what it leaves out is that of `tcp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PathTcp")]
    pub tcp: Option<Map<String, Value>>,
    /// The whole of its transport, where anything in that is its own.
    #[serde(skip)]
    pub(crate) own: Option<Box<PathTcp>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(value: &Duration) -> bool {
    *value == Duration::ZERO
}

pub(crate) fn one_flow() -> Vec<Flow> {
    vec![Flow {
        sender: None,
        receiver: None,
        start: zero(),
        access_delay: zero(),
        packets: None,
        size: None,
        arrivals: None,
        think: None,
        sizes: None,
        video: None,
        milestone: None,
        count: one(),
        variant: None,
        window: None,
        tcp: None,
        own: None,
    }]
}
