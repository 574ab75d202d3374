//! One direction of a path: its hops one after the other, in logical time.

use super::packet::IpPacket;
use super::path_packet::{PathPacket, Sources};
use super::record::{Fate, Record};
use airtcp_core::{Cancel, CancelCheck, Instant, PollResult, Stage};
use airtcp_radio::{HopConfig, Line, MAX_HELD, Observed, SpecError};
use airtcp_scenario::{PathScenario, place_of_hop};
use std::collections::VecDeque;
use std::sync::Arc;

/// Limit on the hops of a direction that may duplicate packets: the number of a copy has one bit for each.
const MAX_DUPLICATING: usize = 62;

/// One direction of a path.
#[derive(Debug)]
pub struct OneWayPath {
    direction: usize,
    lines: Vec<Line<PathPacket>>,
    sources: Sources,
    /// Shared by the packets that were pushed and have not come out yet; its count is their number.
    on_their_way: Arc<()>,
    /// Packets that have left the last hop, and the times at which they did.
    delivered: VecDeque<(Instant, IpPacket)>,
    lost: VecDeque<Record>,
    watch: CancelCheck,
}

/// Builds both directions of the path of `scenario`: from the sender's side, and back.
///
/// # Errors
///
/// If the values of a channel or a gate contradict each other, if a hop duplicates packets behind more hops than the
/// log can distinguish, or if there is more cross-traffic than can be sent in real time; the field is the path.
pub fn directions(
    scenario: &PathScenario,
    seed: u64,
    replication: u64,
) -> Result<[OneWayPath; 2], SpecError> {
    if !scenario.is_chain() {
        let message = "live runs take hops that lie one behind the other: no near, no far";
        return Err(SpecError::new("path.hop", message));
    }
    let (forward, back) = scenario.hops(seed, replication)?;
    check_duplicates(false, &forward)?;
    check_duplicates(true, &back)?;
    let [forward_sources, reverse_sources] =
        Sources::for_both_directions(scenario, seed, replication)?;
    Ok([OneWayPath::new(0, forward, forward_sources), OneWayPath::new(1, back, reverse_sources)])
}

impl OneWayPath {
    fn new(direction: usize, hops: Vec<HopConfig>, sources: Sources) -> Self {
        let recording = |config| {
            let mut line = Line::new(config);
            line.keep_losses(true);
            line
        };
        let lines = hops.into_iter().map(recording).collect();
        let (passed, lost) = (VecDeque::new(), VecDeque::new());
        let (inside, watch) = (Arc::new(()), CancelCheck::default());
        OneWayPath {
            direction,
            lines,
            sources,
            on_their_way: inside,
            delivered: passed,
            lost,
            watch,
        }
    }

    /// Watches `cancel`: once it is set, no step takes long, and results are meaningless.
    pub fn watch_cancel(&mut self, cancel: &Cancel) {
        self.lines.iter_mut().for_each(|line| line.watch(cancel));
        self.watch = CancelCheck::new(cancel);
    }

    /// Checks that each hop holds no more packets than it may.
    ///
    /// # Errors
    ///
    /// If a hop holds more; nothing happens on the path any more, and the field is the path.
    pub fn check(&self) -> Result<(), SpecError> {
        let Some(hop) = self.lines.iter().position(is_full) else { return Ok(()) };
        let place = place_of_hop(self.direction != 0, hop, self.lines.len());
        let message = format!(
            "more than {MAX_HELD} packets and fragments to be sent again: a queue with a limit, or a shorter delay"
        );
        Err(SpecError::new(place, message))
    }

    /// Lets a packet arrive at its first hop. Times of arrival never decrease.
    pub fn push(&mut self, packet: IpPacket) {
        self.advance(packet.arrival);
        self.push_to_hop(
            0,
            packet.arrival,
            PathPacket::FromDevice(packet, self.on_their_way.clone()),
        );
    }

    /// Carries out everything that is due by `now`, in the order of time.
    pub fn advance(&mut self, now: Instant) {
        while self.step(now) {}
    }

    /// Carries out everything that is due by `end`, or until no pushed packet is on its way: after that, cross-traffic
    /// has no effect.
    pub fn finish(&mut self, end: Instant) {
        while Arc::strong_count(&self.on_their_way) > 1 && self.step(end) {}
    }

    /// Carries out the next event if it is due by `now`; at equal times hops come before sources, as in the simulator.
    fn step(&mut self, now: Instant) -> bool {
        let ((of_hop, hop), of_source) = (self.first_due(), self.sources.due());
        if of_hop <= of_source {
            self.poll(now, of_hop.0, hop)
        } else {
            self.send(now, of_source.0)
        }
    }

    fn poll(&mut self, now: Instant, at: Instant, hop: usize) -> bool {
        if !self.precedes_next(now, at, hop) {
            return false;
        }
        if let PollResult::Out(packet) = self.lines[hop].poll(at) {
            self.push_to_hop(hop + 1, at, packet);
        }
        self.record_losses(hop);
        true
    }

    fn send(&mut self, now: Instant, at: Instant) -> bool {
        let Some(hop) = self.sources.next_first_hop() else { return false };
        if !self.precedes_next(now, at, hop) {
            return false;
        }
        if let Some(packet) = self.sources.send(at) {
            self.push_to_hop(hop, at, packet);
        }
        true
    }

    fn precedes_next(&mut self, now: Instant, at: Instant, hop: usize) -> bool {
        at <= now && at < Instant::NEVER && !is_full(&self.lines[hop]) && !self.watch.is_cancelled()
    }

    /// The time of the next event that [`OneWayPath::advance`] carries out.
    #[must_use]
    pub fn due(&self) -> Instant {
        let ((of_hop, _), _) = self.first_due();
        of_hop.min(self.sources.due().0)
    }

    /// Takes the next packet that has left the last hop, and the time of its departure.
    pub fn take_delivered(&mut self) -> Option<(Instant, IpPacket)> {
        self.delivered.pop_front()
    }

    /// Takes the record of the next packet that was lost.
    pub fn take_lost(&mut self) -> Option<Record> {
        self.lost.pop_front()
    }

    /// The hop with the earliest event, and the time of that event. At equal times the event scheduled first comes
    /// first, as in the simulator; profile `ns2` breaks ties as the other profiles do.
    fn first_due(&self) -> ((Instant, Instant), usize) {
        let dues = self.lines.iter().map(Line::due).zip(0..);
        dues.min_by_key(|(due, _)| *due).unwrap_or(((Instant::NEVER, Instant::NEVER), 0))
    }

    fn push_to_hop(&mut self, hop: usize, at: Instant, carried: PathPacket) {
        match (self.lines.get_mut(hop), carried) {
            (None, PathPacket::FromDevice(packet, _)) => self.delivered.push_back((at, packet)),
            (_, PathPacket::CrossTraffic(packet)) if hop > packet.last_hop => {}
            (None, PathPacket::CrossTraffic(_)) => unreachable!("its way ends on a hop"),
            (Some(line), mut carried) => {
                carried.enter_hop(hop);
                line.push(at, carried);
                self.record_losses(hop);
            }
        }
    }

    fn record_losses(&mut self, hop: usize) {
        while let Some(lost) = self.lines[hop].take_lost() {
            let PathPacket::FromDevice(packet, _) = &lost.payload else { continue };
            let fate = Fate::Lost(lost.cause);
            self.lost.push_back(Record::new(self.direction, packet, lost.at, fate, hop));
        }
    }
}

/// Refuses more duplicating hops than the log has bits for: copies are identified by the hops that made them.
fn check_duplicates(is_back: bool, hops: &[HopConfig]) -> Result<(), SpecError> {
    let Some(hop) = hops.iter().rposition(|hop| hop.duplication.is_some()) else { return Ok(()) };
    if hop < MAX_DUPLICATING {
        return Ok(());
    }
    let message = format!("on real packets only the first {MAX_DUPLICATING} hops may: 0");
    let error = SpecError::new("duplicate", message);
    Err(error.within(&place_of_hop(is_back, hop, hops.len())))
}

fn is_full(line: &Line<PathPacket>) -> bool {
    line.held_items() > MAX_HELD
}
