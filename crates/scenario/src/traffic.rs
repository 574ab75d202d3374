//! Cross-traffic: packets that nobody acknowledges, as of UDP.

use crate::input_error::InputError;
use crate::path::{PathScenario, one, zero};
use crate::rules::within;
use airtcp_core::{Duration, Instant, Rate, Size, Span, Stream};
use airtcp_radio::law::Spec as _;
use airtcp_radio::{Bursts, LawSpec, SourceConfig, SpecError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cross-traffic: packets of one length that nobody acknowledges, as of UDP, all the time or on and off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// The node where it begins. Absent: the near end of the first hop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub sender: Option<String>,
    /// The node where it goes. Absent: the far end of the last hop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub receiver: Option<String>,
    /// When it starts.
    #[serde(default = "zero")]
    pub start: Duration,
    /// When it ends. Absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub end: Option<Duration>,
    /// Rate at which it sends while it is on.
    pub rate: Rate,
    /// Length of a packet on the wire.
    pub packet: Size,
    /// How long it is on at a time, from its start; with `off`. Absent: all the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LawSpec")]
    pub on: Option<LawSpec>,
    /// How long it is off in between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LawSpec")]
    pub off: Option<LawSpec>,
    /// So many of these.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,
}

impl Traffic {
    /// Nanoseconds from one packet to the next.
    #[must_use]
    pub fn interval(&self) -> f64 {
        self.packet.bits() as f64 / self.rate.bits_per_second() * 1e9
    }

    /// How many packets one source sends per second in the long run, at most: one per interval, and one as it turns on.
    #[must_use]
    pub fn packets_per_second(&self) -> f64 {
        let cycle = self.on.as_ref().zip(self.off.as_ref());
        let bursts = cycle.map_or(0.0, |(on, off)| 1e9 / (on.mean() + off.mean()));
        1e9 / self.interval() + bursts
    }

    fn source(&self, stream: Stream) -> Result<SourceConfig, SpecError> {
        let bursts = match (&self.on, &self.off) {
            (Some(on), Some(off)) => Some(Bursts { on: on.build()?, off: off.build()?, stream }),
            _ => None,
        };
        let end = self.end.map_or(Instant::NEVER, |end| Instant::START + end.span());
        let active = (Instant::START + self.start.span(), end);
        Ok(SourceConfig { bits: self.packet.bits(), interval: self.interval(), active, bursts })
    }

    pub(crate) fn is_random(&self) -> bool {
        self.on.iter().chain(&self.off).any(LawSpec::is_random)
    }
}

/// A source of cross-traffic, and the way of its packets.
#[derive(Debug)]
pub struct CrossTraffic {
    /// When they leave.
    pub source: SourceConfig,
    /// The hops that they cross, each with whether it is crossed from its far end.
    pub hops: Vec<(usize, bool)>,
}

/// A packet every nanosecond at most: more could not be told apart in time.
const SHORTEST: Span = Span::from_nanos(1);

impl PathScenario {
    /// The cross-traffic of replication `replication` under `seed`, by its sources.
    ///
    /// # Errors
    /// If the values of a law contradict each other.
    ///
    /// # Panics
    /// Never for a validated scenario, whose hops lead from every source to where its packets go.
    pub fn sources(&self, seed: u64, replication: u64) -> Result<Vec<CrossTraffic>, SpecError> {
        let mut routes = self.routes();
        let each = self.traffic.iter().flat_map(|one| (0..one.count).map(move |_| one));
        let sources = each.enumerate().map(|(number, one)| {
            let stream = Stream::new(seed, &format!("traffic{number}"), replication);
            let ends = routes.nodes().between(one.sender.as_ref(), one.receiver.as_ref());
            let hops = routes.way(ends.expect("validated nodes")).to_vec();
            Ok(CrossTraffic { source: one.source(stream)?, hops })
        });
        sources.collect()
    }

    pub(crate) fn check_traffic(&self) -> Result<(), InputError> {
        for (i, traffic) in self.traffic.iter().enumerate() {
            check(traffic, &format!("traffic[{i}]"))?;
        }
        Ok(())
    }
}

/// Whether it would turn on more than once per nanosecond, for ever.
fn never_passes(traffic: &Traffic) -> bool {
    let cycle = traffic.on.as_ref().zip(traffic.off.as_ref());
    cycle.is_some_and(|(on, off)| {
        !on.ends() && !off.ends() && on.mean() + off.mean() < SHORTEST.nanos() as f64
    })
}

fn check(traffic: &Traffic, place: &str) -> Result<(), InputError> {
    let refuse =
        |key: &str, message: String| Err(InputError::new(format!("{place}.{key}"), message));
    if traffic.interval() < SHORTEST.nanos() as f64 {
        let message = format!("{} sends more than a packet per nanosecond", traffic.rate);
        return refuse("rate", message);
    }
    if let Some(end) = traffic.end.filter(|end| *end <= traffic.start) {
        return refuse("end", format!("{end} is not after start, {}", traffic.start));
    }
    match (&traffic.on, &traffic.off) {
        (Some(_), None) => return refuse("off", "missing: on and off go together".into()),
        (None, Some(_)) => return refuse("on", "missing: on and off go together".into()),
        _ => {}
    }
    for (key, law) in [("on", &traffic.on), ("off", &traffic.off)] {
        if let Some(Err(error)) = law.as_ref().map(LawSpec::build) {
            return Err(within(error, &format!("{place}.{key}")));
        }
    }
    if never_passes(traffic) {
        let message = "on and off last less than a nanosecond together, on average, and every time on begins with a packet";
        return refuse("off", message.into());
    }
    Ok(())
}
