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
    pub tcp: T,
    /// The links between the ends.
    pub path: Path,
    /// The flows; absent: one that never ends, from time 0.
    #[serde(default = "one_flow")]
    #[schemars(length(min = 1))]
    pub flow: Vec<Flow>,
    /// Cross-traffic; absent: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub traffic: Vec<Traffic>,
    /// Settings of runs of real packets only: simulation and analysis give the same answer to points that differ in nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Live")]
    pub live: Option<Box<Live>>,
    /// Length of the simulation, and number of runs.
    pub stop: PathStop,
}

/// The links between the ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// The hops, each between two nodes: one behind the other, unless `near` and `far` say otherwise. Keys of a hop are of packets
    /// that cross it from its near end to its far end, those of `back` of packets the other way, be they data, ACKs or
    /// cross-traffic. A hop that nobody crosses does nothing.
    #[schemars(length(min = 1))]
    pub hop: Vec<HopSpec>,
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
    #[schemars(with = "DistributionSpec")]
    pub arrivals: Option<DistributionSpec>,
    /// Time from the end of a transfer to the start of the next one, on the same connection, as of requests and responses: a
    /// transfer ends when its last byte is acknowledged, which is taken for the moment at which the next request may be thought of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DistributionSpec")]
    pub think: Option<DistributionSpec>,
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
