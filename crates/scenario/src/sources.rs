//! The sources of cross-traffic in a scenario: their checks, and the routes of their packets.

use crate::input_error::InputError;
use crate::path::PathScenario;
use crate::traffic::Traffic;
use airtcp_core::{Span, Stream};
use airtcp_radio::distribution::Spec as _;
use airtcp_radio::{DistributionSpec, SourceConfig, SpecError};

/// A source of cross-traffic, and the route of its packets.
#[derive(Debug)]
pub struct CrossTraffic {
    /// The times at which packets leave.
    pub source: SourceConfig,
    /// The hops that packets cross, each with a flag: true if it is crossed from its far end.
    pub hops: Vec<(usize, bool)>,
}

/// Shortest interval between packets: packets closer to each other could not be told apart in time.
const MIN_INTERVAL: Span = Span::from_nanos(1);

impl PathScenario {
    /// The cross-traffic of replication `replication` under `seed`, by its sources.
    ///
    /// # Errors
    /// If the values of a distribution contradict each other.
    ///
    /// # Panics
    /// Never for a validated scenario, whose hops lead from every source to where its packets go.
    pub fn sources(&self, seed: u64, replication: u64) -> Result<Vec<CrossTraffic>, SpecError> {
        let mut routes = self.routes();
        let each = self.traffic.iter().flat_map(|one| (0..one.count).map(move |_| one));
        let sources = each.enumerate().map(|(number, one)| {
            let stream = Stream::new(seed, &format!("traffic{number}"), replication);
            let ends = routes.nodes().end_nodes(one.sender.as_ref(), one.receiver.as_ref());
            let hops = routes.route(ends.expect("validated nodes")).to_vec();
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

/// True if a source would turn on more than once per nanosecond, for ever.
fn floods(traffic: &Traffic) -> bool {
    let cycle = traffic.on.as_ref().zip(traffic.off.as_ref());
    cycle.is_some_and(|(on, off)| {
        !on.is_finite() && !off.is_finite() && on.mean() + off.mean() < MIN_INTERVAL.nanos() as f64
    })
}

fn check(traffic: &Traffic, place: &str) -> Result<(), InputError> {
    let refuse =
        |key: &str, message: String| Err(InputError::new(format!("{place}.{key}"), message));
    if traffic.interval() < MIN_INTERVAL.nanos() as f64 {
        let message = format!("{} sends more than a packet per nanosecond", traffic.rate);
        return refuse("rate", message);
    }
    if let Some(end) = traffic.end.filter(|end| *end <= traffic.start) {
        return refuse("end", format!("{end} is not after start, {}", traffic.start));
    }
    match (&traffic.on, &traffic.off) {
        (Some(_), None) => {
            return refuse("off", "missing; on and off must be given together".into());
        }
        (None, Some(_)) => {
            return refuse("on", "missing; on and off must be given together".into());
        }
        _ => {}
    }
    for (key, distribution) in [("on", &traffic.on), ("off", &traffic.off)] {
        if let Some(Err(error)) = distribution.as_ref().map(DistributionSpec::build) {
            return Err(InputError::within(error, &format!("{place}.{key}")));
        }
    }
    if floods(traffic) {
        let message = "on and off together last less than a nanosecond on average, too short for the packet that each burst sends";
        return refuse("off", message.into());
    }
    Ok(())
}
