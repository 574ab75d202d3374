//! Everything that a packet-level scenario can hold: hops between nodes, and flows over
//! them. What is absent is the profile's, or as the field says.

use crate::hop::HopSpec;
use crate::live::Live;
use crate::profile::{PathTcp, Profile};
use crate::stop::PathStop;
use crate::traffic::{Traffic, one, zero};
use crate::transport::WindowSize;
use airtcp_core::{Duration, Size};
use airtcp_radio::{DistributionSpec, SizeSpec, Video};
use airtcp_tcp::Variant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A path of hops and the TCP flows over it, as plain data. `T` is a table of keys until the profile has said which
/// these are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathScenario<T = PathTcp> {
    /// Title of tables and figures. Absent: none. Example: `"Uplink of a train"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The set of rules and defaults that everything else is read by. Example: `"rfc"`.
    pub profile: Profile,
    /// Named sets of values that vary together: each case is a table of keys that override the rest of the scenario.
    /// In the scenario of a single point it is the name of the case. Absent: no cases. Example: `[{name = "short", path =
    /// {hop = [{rate = "2Mbps", delay = "10ms"}]}}]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub case: Option<String>,
    /// TCP of every flow. Absent: the defaults of the profile.
    pub tcp: T,
    /// Hops between the ends. Example: `{hop = [{rate = "2Mbps", delay = "50ms"}]}`.
    pub path: Path,
    /// Flows of the scenario. Absent: one endless flow from time 0. Example: `[{packets = 1000}, {start = "5s"}]`.
    #[serde(default = "one_flow")]
    #[schemars(length(min = 1))]
    pub flow: Vec<Flow>,
    /// Cross-traffic: packets that compete with those of the flows. Absent: none. Example: `[{rate = "500kbps",
    /// packet = "500B"}]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub traffic: Vec<Traffic>,
    /// Settings of live runs only; simulation and analysis ignore them. Absent: the options of the command. Example:
    /// `{stack = "airtcp"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Live")]
    pub live: Option<Box<Live>>,
    /// Length of the simulation, and number of runs. Absent: the defaults of the profile. Example: `{time = "60s",
    /// warmup = "5s"}`.
    pub stop: PathStop,
}

/// Hops between the ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Hops of the path, each between two nodes; they form a chain unless `near` and `far` say otherwise. The keys of
    /// a hop describe its forward direction, from the near end to the far end, and the keys of `back` its reverse
    /// direction, for data, ACKs and cross-traffic alike. A hop that no route crosses has no effect. Example: `[{rate
    /// = "2Mbps", delay = "50ms", queue = 50}]`.
    #[schemars(length(min = 1))]
    pub hop: Vec<HopSpec>,
}

/// A flow, or with `count` several equal ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Node of the sender. Absent: the near end of the first hop. Example: `"0"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub sender: Option<String>,
    /// Node of the receiver. Absent: the far end of the last hop. Example: `"1"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub receiver: Option<String>,
    /// Time at which the flow starts. Example: `"5s"`.
    #[serde(default = "zero")]
    pub start: Duration,
    /// One-way delay of an access link between the sender and its node, in each direction; the link is never busy.
    /// Absent: 0s. Example: `"10ms"`.
    #[serde(default = "zero", skip_serializing_if = "is_zero")]
    pub access_delay: Duration,
    /// Number of packets to send. Absent: the flow never ends, unless another key limits it. Example: `1000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1, max = 1_000_000_000_000_u64))]
    pub packets: Option<u64>,
    /// Payload to send, in place of `packets`; the last packet may be shorter. Not in profile ns2, which counts
    /// packets. Absent: `packets` applies. Example: `"1MB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub size: Option<Size>,
    /// Time from the start of one transfer to the start of the next, the first at `start`; exponential times make a
    /// Poisson process. Every transfer has its own connection and a size from `sizes`. All of them are one flow in
    /// the results. Absent: the flow is one transfer. Example: `{kind = "exponential", mean = "2s"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DistributionSpec")]
    pub arrivals: Option<DistributionSpec>,
    /// Think time: from the end of a transfer, when its last byte is acknowledged, to the start of the next one on
    /// the same connection. Absent: the flow is one transfer. Example: `{kind = "exponential", mean = "5s"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DistributionSpec")]
    pub think: Option<DistributionSpec>,
    /// Payload of each transfer, with `arrivals` or `think`. Absent: the flow is one transfer. Example: `{kind =
    /// "fixed", value = "100kB"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SizeSpec")]
    pub sizes: Option<SizeSpec>,
    /// Video stream: the transfers are its chunks, requested by a player. Absent: no video. Example: `{bitrates =
    /// ["300kbps", "1.5Mbps"]}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Video")]
    pub video: Option<Box<Video>>,
    /// Number of packets whose time of acknowledgement is reported. Absent: all packets of a finite flow. Example:
    /// `100`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1, max = 1_000_000_000_000_u64))]
    pub milestone: Option<u64>,
    /// Number of flows with these settings. Example: `10`.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,
    /// TCP variant of this flow. Absent: `tcp.variant`. Example: `"reno"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Variant")]
    pub variant: Option<Variant>,
    /// Window that the receiver of this flow advertises, in packets or as a size like `tcp.window`. Absent:
    /// `tcp.window`. Example: `20`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowSize")]
    pub window: Option<WindowSize>,
    /// Keys of `tcp` that differ for this flow; the others are taken from `tcp`. Absent: the keys of `tcp` apply.
    /// Example: `{window = 20}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
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
