//! One direction of a path: its hops one behind the other, in logical time.

use super::packet::IpPacket;
use super::record::{Fate, Record};
use airtcp_core::{Cancel, Instant, Next, Stage, Watch};
use airtcp_radio::{HopConfig, Line, MOST_HELD, SpecError};
use airtcp_scenario::{PathScenario, place_of_hop};
use std::collections::VecDeque;

/// So many hops of a direction may duplicate: a copy has a bit of its number for each.
const MOST_DUPLICATING: usize = 62;

/// One direction of a path.
#[derive(Debug)]
pub struct Way {
    direction: usize,
    lines: Vec<Line<IpPacket>>,
    /// What has left the last hop, and when.
    passed: VecDeque<(Instant, IpPacket)>,
    lost: VecDeque<Record>,
    watch: Watch,
}

/// Both directions of the path of `scenario`: from the sender's side, and back.
///
/// # Errors
/// If the values of a channel or a gate contradict each other, or a hop duplicates packets behind more than the log can
/// tell; the field is the path.
pub fn ways(scenario: &PathScenario, seed: u64, replication: u64) -> Result<[Way; 2], SpecError> {
    if !scenario.is_chain() {
        let message = "live runs take hops that lie one behind the other: no near, no far";
        return Err(SpecError::new("path.hop", message));
    }
    if !scenario.traffic.is_empty() {
        let message = "live runs have no cross-traffic but that of programs: without it";
        return Err(SpecError::new("traffic", message));
    }
    let (forward, back) = scenario.hops(seed, replication)?;
    check_duplicates(false, &forward)?;
    check_duplicates(true, &back)?;
    Ok([Way::new(0, forward), Way::new(1, back)])
}

impl Way {
    fn new(direction: usize, hops: Vec<HopConfig>) -> Self {
        let recording = |config| {
            let mut line = Line::new(config);
            line.record_losses(true);
            line
        };
        let lines = hops.into_iter().map(recording).collect();
        let (passed, lost) = (VecDeque::new(), VecDeque::new());
        Way { direction, lines, passed, lost, watch: Watch::default() }
    }

    /// From now on no step takes long once `cancel` is set; what it does then means nothing.
    pub fn watch(&mut self, cancel: &Cancel) {
        self.lines.iter_mut().for_each(|line| line.watch(cancel));
        self.watch = Watch::new(cancel);
    }

    /// Whether it holds no more than it may.
    ///
    /// # Errors
    /// If a hop holds more, and nothing happens any more; the field is the path.
    pub fn check(&self) -> Result<(), SpecError> {
        let Some(hop) = self.lines.iter().position(is_full) else { return Ok(()) };
        let place = place_of_hop(self.direction != 0, hop, self.lines.len());
        let message = format!(
            "more than {MOST_HELD} packets and fragments to be sent again: a queue with a limit, or a shorter delay"
        );
        Err(SpecError::new(place, message))
    }

    /// The packet arrives at its first hop. Arrivals never run back.
    pub fn push(&mut self, packet: IpPacket) {
        self.advance(packet.arrival);
        self.enter(0, packet.arrival, packet);
    }

    /// Carries out everything until `now`, hop by hop in the order of time.
    pub fn advance(&mut self, now: Instant) {
        while let Some((hop, at)) = self.first_due() {
            if at > now || is_full(&self.lines[hop]) || self.watch.ends() {
                return;
            }
            if let Next::Out(packet) = self.lines[hop].poll(at) {
                self.enter(hop + 1, at, packet);
            }
            self.note_losses(hop);
        }
    }

    /// When [`Way::advance`] has something to do next.
    #[must_use]
    pub fn due(&self) -> Instant {
        self.first_due().map_or(Instant::NEVER, |(_, at)| at)
    }

    /// What has come out of the last hop, and when.
    pub fn take_passed(&mut self) -> Option<(Instant, IpPacket)> {
        self.passed.pop_front()
    }

    /// What was lost.
    pub fn take_lost(&mut self) -> Option<Record> {
        self.lost.pop_front()
    }

    /// A tie goes as in the simulator, to what had been scheduled first; in profile `ns2` as it goes in the others.
    fn first_due(&self) -> Option<(usize, Instant)> {
        let dues = self.lines.iter().map(Line::due).enumerate();
        let (hop, (at, _)) = dues.min_by_key(|(_, due)| *due)?;
        (at < Instant::NEVER).then_some((hop, at))
    }

    fn enter(&mut self, hop: usize, at: Instant, mut packet: IpPacket) {
        match self.lines.get_mut(hop) {
            None => self.passed.push_back((at, packet)),
            Some(line) => {
                (packet.on_air, packet.hop) = (None, hop);
                line.push(at, packet);
                self.note_losses(hop);
            }
        }
    }

    fn note_losses(&mut self, hop: usize) {
        while let Some(lost) = self.lines[hop].take_lost() {
            let fate = Fate::Lost(lost.cause);
            self.lost.push_back(Record::new(self.direction, &lost.payload, lost.at, fate, hop));
        }
    }
}

/// The log tells copies apart by the hops that made them.
fn check_duplicates(is_back: bool, hops: &[HopConfig]) -> Result<(), SpecError> {
    let Some(hop) = hops.iter().rposition(|hop| hop.duplication.is_some()) else { return Ok(()) };
    if hop < MOST_DUPLICATING {
        return Ok(());
    }
    let message = format!("on real packets only the first {MOST_DUPLICATING} hops may: 0");
    let error = SpecError::new("duplicate", message);
    Err(error.within(&place_of_hop(is_back, hop, hops.len())))
}

fn is_full(line: &Line<IpPacket>) -> bool {
    line.held() > MOST_HELD
}
