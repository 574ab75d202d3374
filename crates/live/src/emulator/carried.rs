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
const MOST_PER_SECOND: f64 = 200_000.0;

/// A packet that a hop carries.
#[derive(Clone, Debug)]
pub(super) enum Carried {
    /// A packet of a program; the `Arc` counts the packets that are still on their way.
    Read(IpPacket, Arc<()>),
    /// A packet of cross-traffic.
    Cross(Datagram),
}

/// A packet of cross-traffic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datagram {
    owner: usize,
    bits: u64,
    /// The hop behind which the packet is discarded, from 0 in its direction.
    pub(super) last: usize,
}

impl Carried {
    /// Tells a packet of a program that it has come to `hop`, counted from 0 in its direction.
    pub(super) fn come_to(&mut self, hop: usize) {
        if let Carried::Read(packet, _) = self {
            (packet.on_air, packet.hop) = (None, hop);
        }
    }
}

impl Payload for Carried {
    fn bits(&self) -> u64 {
        match self {
            Carried::Read(packet, _) => packet.bits(),
            Carried::Cross(packet) => packet.bits,
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            Carried::Read(packet, _) => packet.number(),
            Carried::Cross(_) => None,
        }
    }

    fn on_air(&mut self, start: Instant, end: Instant) {
        if let Carried::Read(packet, _) = self {
            packet.on_air(start, end);
        }
    }

    fn ecn(&self) -> Ecn {
        match self {
            Carried::Read(packet, _) => packet.ecn(),
            Carried::Cross(_) => Ecn::NotEct,
        }
    }

    fn mark(&mut self) {
        if let Carried::Read(packet, _) = self {
            packet.mark();
        }
    }

    fn connection(&self) -> u32 {
        match self {
            Carried::Read(packet, _) => packet.connection(),
            Carried::Cross(packet) => packet.owner as u32,
        }
    }

    fn twin(&self) -> Self {
        match self {
            Carried::Read(packet, share) => Carried::Read(packet.twin(), share.clone()),
            Carried::Cross(packet) => Carried::Cross(*packet),
        }
    }

    /// The flow that queues account the packet to; all programs share the first flow.
    fn owner(&self) -> usize {
        match self {
            Carried::Read(..) => 0,
            Carried::Cross(packet) => packet.owner,
        }
    }
}

/// The sources of cross-traffic of one direction.
#[derive(Debug, Default)]
pub(super) struct Sources {
    all: Vec<OneSource>,
    /// The time at which each source sends next and the time since which that is certain, as with timers of the
    /// simulator; at equal times the first source sends first.
    due: BinaryHeap<Reverse<((Instant, Instant), usize)>>,
}

#[derive(Debug)]
struct OneSource {
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
    pub(super) fn of(
        scenario: &PathScenario,
        seed: u64,
        replication: u64,
    ) -> Result<[Sources; 2], SpecError> {
        let traffic = scenario.sources(seed, replication)?;
        let rates = scenario
            .traffic
            .iter()
            .flat_map(|one| std::iter::repeat_n(one.packets_per_second(), one.count as usize));
        let all: f64 =
            traffic.iter().zip(rates).map(|(one, rate)| rate * one.hops.len() as f64).sum();
        if all > MOST_PER_SECOND {
            let message = format!(
                "{all:.0} packets per second, counted on each hop that they cross; at most {MOST_PER_SECOND} on real packets"
            );
            return Err(SpecError::new("traffic", message));
        }
        let mut found = [Sources::default(), Sources::default()];
        let flows = scenario.flows() as usize;
        for (number, CrossTraffic { source, hops }) in traffic.into_iter().enumerate() {
            let is_back = hops[0].1;
            let place = |(hop, _)| if is_back { scenario.path.hop.len() - 1 - hop } else { hop };
            let (first, last) = (place(hops[0]), place(hops[hops.len() - 1]));
            let source = TrafficSource::new(source);
            let owner = flows + number;
            found[usize::from(is_back)].add(OneSource { source, owner, first, last });
        }
        Ok(found)
    }

    fn add(&mut self, one: OneSource) {
        self.due.push(Reverse(((one.source.due(), Instant::START), self.all.len())));
        self.all.push(one);
    }

    /// The time of the next packet, and the time since which that is certain.
    pub(super) fn due(&self) -> (Instant, Instant) {
        self.due.peek().map_or((Instant::NEVER, Instant::NEVER), |Reverse((due, _))| *due)
    }

    /// The hop that the next packet comes to.
    pub(super) fn place(&self) -> Option<usize> {
        self.due.peek().map(|Reverse((_, number))| self.all[*number].first)
    }

    /// The packet that is due at `now`.
    pub(super) fn send(&mut self, now: Instant) -> Option<Carried> {
        let mut next = self.due.peek_mut()?;
        let Reverse((_, number)) = *next;
        let OneSource { source, owner, last, .. } = &mut self.all[number];
        let bits = source.send();
        *next = Reverse(((source.due(), now), number));
        Some(Carried::Cross(Datagram { owner: *owner, bits, last: *last }))
    }
}
