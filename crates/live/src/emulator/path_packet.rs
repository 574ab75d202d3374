//! Load of the hops in one direction: packets of programs, and cross-traffic, which takes up queue space and airtime
//! and is discarded where it arrives.

use super::packet::IpPacket;
use airtcp_core::{Ecn, Instant, Payload};
use airtcp_radio::{SpecError, TrafficSource};
use airtcp_scenario::{CrossTraffic, PathScenario};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Limit on the packets of cross-traffic per second, summed over all hops. If the emulator needed longer to compute
/// them than they last, it would fall ever further behind real time.
const MAX_SEND_RATE: f64 = 200_000.0;

/// A packet that a hop carries.
#[derive(Clone, Debug)]
pub(super) enum PathPacket {
    /// A packet of a program; the `Arc` counts the packets that are still on their way.
    FromDevice(IpPacket, Arc<()>),
    /// A packet of cross-traffic.
    CrossTraffic(CrossTrafficPacket),
}

/// A packet of cross-traffic.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrossTrafficPacket {
    owner: usize,
    bits: u64,
    /// The hop behind which the packet is discarded, from 0 in its direction.
    pub(super) last_hop: usize,
}

impl PathPacket {
    /// Notes in a program's packet that it has reached `hop`, counted from 0 in its direction.
    pub(super) fn enter_hop(&mut self, hop: usize) {
        if let PathPacket::FromDevice(packet, _) = self {
            (packet.on_air, packet.hop) = (None, hop);
        }
    }
}

impl Payload for PathPacket {
    fn bits(&self) -> u64 {
        match self {
            PathPacket::FromDevice(packet, _) => packet.bits(),
            PathPacket::CrossTraffic(packet) => packet.bits,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            PathPacket::FromDevice(packet, _) => packet.number(),
            PathPacket::CrossTraffic(_) => None,
        }
    }

    fn on_transmission(&mut self, start: Instant, end: Instant) {
        if let PathPacket::FromDevice(packet, _) = self {
            packet.on_transmission(start, end);
        }
    }

    fn ecn(&self) -> Ecn {
        match self {
            PathPacket::FromDevice(packet, _) => packet.ecn(),
            PathPacket::CrossTraffic(_) => Ecn::NotEct,
        }
    }

    fn mark(&mut self) {
        if let PathPacket::FromDevice(packet, _) = self {
            packet.mark();
        }
    }

    fn connection(&self) -> u32 {
        match self {
            PathPacket::FromDevice(packet, _) => packet.connection(),
            PathPacket::CrossTraffic(packet) => packet.owner as u32,
        }
    }

    fn duplicate(&self) -> Self {
        match self {
            PathPacket::FromDevice(packet, share) => {
                PathPacket::FromDevice(packet.duplicate(), share.clone())
            }
            PathPacket::CrossTraffic(packet) => PathPacket::CrossTraffic(*packet),
        }
    }

    /// The flow that queues account the packet to; all programs share the first flow.
    fn owner(&self) -> usize {
        match self {
            PathPacket::FromDevice(..) => 0,
            PathPacket::CrossTraffic(packet) => packet.owner,
        }
    }
}

/// The sources of cross-traffic of one direction.
#[derive(Debug, Default)]
pub(super) struct Sources {
    sources: Vec<CrossSource>,
    /// The time at which each source sends next and the time since which that is certain, as with timers of the
    /// simulator; at equal times the first source sends first.
    due: BinaryHeap<Reverse<((Instant, Instant), usize)>>,
}

#[derive(Debug)]
struct CrossSource {
    source: TrafficSource,
    owner: usize,
    /// The first and the last hop that its packets cross, from 0 in their direction.
    first: usize,
    last: usize,
}

impl Sources {
    /// Collects the sources of both directions of a chain of hops.
    ///
    /// # Errors
    ///
    /// If there are more packets than can be sent in real time; the field is the path.
    pub(super) fn for_both_directions(
        scenario: &PathScenario,
        seed: u64,
        replication: u64,
    ) -> Result<[Sources; 2], SpecError> {
        let traffic = scenario.sources(seed, replication)?;
        let rates = scenario.traffic.iter().flat_map(|source| {
            std::iter::repeat_n(source.packets_per_second(), source.count as usize)
        });
        let all: f64 = traffic
            .iter()
            .zip(rates)
            .map(|(cross_traffic, rate)| rate * cross_traffic.hops.len() as f64)
            .sum();
        if all > MAX_SEND_RATE {
            let message = format!(
                "{all:.0} packets per second, counted on each hop that they cross; at most {MAX_SEND_RATE} on real packets"
            );
            return Err(SpecError::new("traffic", message));
        }
        let mut found = [Sources::default(), Sources::default()];
        let flows = scenario.flow_count() as usize;
        for (number, CrossTraffic { source, hops }) in traffic.into_iter().enumerate() {
            let is_back = hops[0].1;
            let place = |(hop, _)| if is_back { scenario.path.hop.len() - 1 - hop } else { hop };
            let (first, last) = (place(hops[0]), place(hops[hops.len() - 1]));
            let source = TrafficSource::new(source);
            let owner = flows + number;
            found[usize::from(is_back)].add(CrossSource { source, owner, first, last });
        }
        Ok(found)
    }

    fn add(&mut self, cross_source: CrossSource) {
        self.due.push(Reverse(((cross_source.source.due(), Instant::START), self.sources.len())));
        self.sources.push(cross_source);
    }

    /// The time of the next packet, and the time since which that is certain.
    pub(super) fn due(&self) -> (Instant, Instant) {
        self.due.peek().map_or((Instant::NEVER, Instant::NEVER), |Reverse((due, _))| *due)
    }

    /// The hop that the next packet comes to.
    pub(super) fn next_first_hop(&self) -> Option<usize> {
        self.due.peek().map(|Reverse((_, number))| self.sources[*number].first)
    }

    /// The packet that is due at `now`.
    pub(super) fn send(&mut self, now: Instant) -> Option<PathPacket> {
        let mut next = self.due.peek_mut()?;
        let Reverse((_, number)) = *next;
        let CrossSource { source, owner, last, .. } = &mut self.sources[number];
        let bits = source.send();
        *next = Reverse(((source.due(), now), number));
        Some(PathPacket::CrossTraffic(CrossTrafficPacket { owner: *owner, bits, last_hop: *last }))
    }
}
