//! The packet-level simulator: flows over a path of hops, in the order of a classical event list.
//!
//! Nodes forward in zero time. On whole nanoseconds a hop knows when each of its packets arrives as soon as it
//! takes it, so that a packet costs one event per hop. On the time of ns the start of a transmission is an event
//! where a packet waited for it.

mod agenda;
mod counts;
mod expiries;
mod first_sent;
mod flow;
mod observer;
mod packet;
mod path;
mod room;
mod table;
mod timeline;

use agenda::{Agenda, Component, Key};
use airtcp_core::{Cancel, Instant, Next, Payload};
use airtcp_radio::{ArqCounters, HopConfig, Lost, SpecError};
use airtcp_tcp::ProbeId;
pub use counts::{Delays, FlowCounts};
use flow::Flow;
pub use flow::FlowConfig;
pub use observer::{Event, Moment, Nobody, Observer};
use packet::Carried;
pub use packet::{AckPacket, DataPacket, Packet};
pub use path::{observe, run, trace, trace_within};
use room::{BURST, Room};
pub use table::{EVENT, EventTable, Layout, PROBE, SACK, STAMP, STATE, STEADY};
use timeline::{Carrier, Timeline};

/// Events between two looks at the cancel flag. Each may cost as much as a window is wide.
const PATIENCE: u32 = 1 << 8;

/// Everything about a run but its observer.
pub struct NetworkConfig {
    /// Hops from the sender to the receiver.
    pub forward: Vec<HopConfig>,
    /// Hops from the receiver to the sender, in the order in which an ACK meets them.
    pub back: Vec<HopConfig>,
    /// The flows.
    pub flows: Vec<FlowConfig>,
    /// When the run ends, if the flows do not end before.
    pub end: Instant,
}

/// A run in progress. On the agenda the forward hops come before those on the way back, and of each
/// flow its sender's timer before its receiver's.
struct Network<O, T: Timeline> {
    timeline: T,
    forward: Vec<T::Hop<DataPacket>>,
    back: Vec<T::Hop<AckPacket>>,
    flows: Vec<Flow>,
    unfinished: usize,
    /// When the last flow ended.
    ended: Instant,
    agenda: Agenda,
    /// The next event, where a run has stopped before it: the agenda has given it out.
    held: Option<(Key, Component)>,
    end: Instant,
    /// Room for packets that flows wait for the ACKs of.
    remembered: usize,
    room: Room,
    /// Why it has ended before its time, if it has.
    failure: Option<SpecError>,
    observer: O,
}

impl<O: Observer, T: Timeline> Network<O, T> {
    /// A path on which nothing has happened yet.
    fn new(config: NetworkConfig, observer: O) -> Self {
        let forward = hops::<_, T>(config.forward, O::LOOKS);
        let back = hops::<_, T>(config.back, O::LOOKS);
        let flows: Vec<_> = config.flows.iter().map(Flow::new).collect();
        let mut agenda = Agenda::new(forward.len() + back.len(), 2 * flows.len());
        let starts = config.flows.iter().map(|flow| (&flow.sender, flow.start));
        let timeline = T::new(starts, &mut agenda);
        Network {
            timeline,
            forward,
            back,
            unfinished: flows.len(),
            flows,
            ended: Instant::START,
            agenda,
            held: None,
            end: config.end,
            remembered: 0,
            room: Room::USUAL,
            failure: None,
            observer,
        }
    }

    /// Runs to the end, or until it holds more than it may. Returns the instant of the end, or `None` if it was cancelled
    /// before.
    fn run(&mut self, cancel: &Cancel) -> Option<Instant> {
        self.run_until(self.end, cancel)
    }

    /// Runs until just before `end`, or until all flows have ended; goes on when it is called again.
    /// Returns which instant that is, or `None` if it was cancelled before.
    fn run_until(&mut self, end: Instant, cancel: &Cancel) -> Option<Instant> {
        self.watch(cancel);
        // What hops say once it is set means nothing, the end included.
        let end = self.go_until(end, cancel).filter(|_| !cancel.is_set())?;
        self.check_room(end);
        Some(end)
    }

    fn go_until(&mut self, end: Instant, cancel: &Cancel) -> Option<Instant> {
        let limit = T::key(end);
        let mut next = self.held.take().unwrap_or_else(|| self.agenda.next());
        let mut turns = 0_usize;
        loop {
            for _ in 0..PATIENCE {
                if self.unfinished == 0 {
                    return Some(self.ended);
                }
                let (due, component) = next;
                if due >= limit {
                    self.held = Some(next);
                    return Some(end);
                }
                self.happen(due, component);
                next = self.agenda.next();
            }
            if cancel.is_set() {
                return None;
            }
            turns += 1;
            if turns.is_multiple_of(self.forward.len()) {
                // As often as there are hops: a look at all of them costs the same per event, however many.
                self.check_room(if next.0 < limit { T::at(T::now(next.0)) } else { end });
            }
        }
    }

    /// No event takes long once `cancel` is set.
    fn watch(&mut self, cancel: &Cancel) {
        self.forward.iter_mut().for_each(|line| line.watch(cancel));
        self.back.iter_mut().for_each(|line| line.watch(cancel));
    }

    /// What was counted on each flow up to `end`.
    fn outcome(&mut self, end: Instant) -> Vec<FlowCounts> {
        self.forward.iter_mut().for_each(|line| line.settle(end));
        self.back.iter_mut().for_each(|line| line.settle(end));
        let counts =
            |(i, flow): (usize, &Flow)| FlowCounts { link: self.link(i), ..flow.outcome(end) };
        self.flows.iter().enumerate().map(counts).collect()
    }

    /// What link layers that retransmit did for a flow.
    fn link(&self, flow: usize) -> ArqCounters {
        let forward = self.forward.iter().map(|line| line.air(flow));
        let all = forward.chain(self.back.iter().map(|line| line.air(flow)));
        all.fold(ArqCounters::default(), |sum, one| sum.plus(&one))
    }

    /// The observer, with what it has seen.
    fn into_observer(self) -> O {
        self.observer
    }

    #[inline]
    fn happen(&mut self, due: Key, component: Component) {
        let forward = self.forward.len();
        match component {
            Component::Hop(hop) if hop < forward => self.carry_forward(due, hop),
            Component::Hop(hop) => self.carry_back(due, hop - forward),
            Component::Timer(timer) if timer.is_multiple_of(2) => {
                self.wake_sender(T::now(due), timer / 2);
            }
            Component::Timer(timer) => self.wake_receiver(T::now(due), timer / 2),
        }
    }

    /// Takes data packets from the far end of a hop.
    #[inline]
    fn carry_forward(&mut self, due: Key, hop: usize) {
        if self.timeline.begin(&mut self.forward[hop], due) {
            return self.agenda.set_hop(hop, T::due(&self.forward[hop]));
        }
        let now = T::now(due);
        while let Next::Out(packet) = self.timeline.poll(&mut self.forward[hop], now) {
            let due = T::due(&self.forward[hop]);
            self.agenda.set_hop(hop, due);
            self.note(now, packet.flow, hop + 1, || (packet.shown(), Event::Arrived));
            if hop + 1 == self.forward.len() {
                self.receive(now, &packet);
            } else {
                self.push_forward(now, hop + 1, packet);
            }
            if !T::goes_on(now, due) {
                return self.note_forward_losses(now, hop);
            }
        }
        self.settle_forward(now, hop);
    }

    /// Takes ACKs from the far end of a hop.
    #[inline]
    fn carry_back(&mut self, due: Key, hop: usize) {
        if self.timeline.begin(&mut self.back[hop], due) {
            return self.agenda.set_hop(self.forward.len() + hop, T::due(&self.back[hop]));
        }
        let now = T::now(due);
        while let Next::Out(packet) = self.timeline.poll(&mut self.back[hop], now) {
            let due = T::due(&self.back[hop]);
            self.agenda.set_hop(self.forward.len() + hop, due);
            if hop + 1 == self.back.len() {
                self.acknowledge(now, &packet);
            } else {
                let node = self.back.len() - hop - 1;
                self.note(now, packet.flow, node, || (packet.shown(), Event::Arrived));
                self.push_back(now, hop + 1, packet);
            }
            if !T::goes_on(now, due) {
                return self.note_back_losses(now, hop);
            }
        }
        self.settle_back(now, hop);
    }

    #[inline]
    fn receive(&mut self, now: T::Now, packet: &DataPacket) {
        let flow = packet.flow as usize;
        if let Some(id) = packet.probe {
            return self.answer_probe(now, packet.flow, id);
        }
        let (new, spurious) = self.flows[flow].receive(T::at(now), packet);
        for _ in 0..spurious {
            let shown = self.flows[flow].awaited(packet.flow);
            self.note(now, packet.flow, self.forward.len(), || (shown, Event::Spurious));
        }
        self.send_acks(now, flow, if new { packet.born } else { Instant::NEVER });
    }

    #[inline]
    fn acknowledge(&mut self, now: T::Now, packet: &AckPacket) {
        let index = packet.flow as usize;
        let flow = &mut self.flows[index];
        if flow.acknowledge(T::at(now), packet) && flow.finished() {
            self.unfinished -= 1;
            self.ended = T::at(now);
        }
        self.send_data(now, index);
        self.note(now, packet.flow, 0, || (packet.shown(), Event::Acked));
    }

    fn wake_sender(&mut self, mut now: T::Now, flow: usize) {
        if self.flows[flow].sender.view().offered == 0 {
            self.flows[flow].begin();
        } else {
            now = T::expired(now, &self.flows[flow].sender);
            self.time_out(now, flow);
        }
        self.send_data(now, flow);
    }

    fn time_out(&mut self, now: T::Now, flow: usize) {
        let Some(spurious) = self.flows[flow].time_out(T::at(now)) else { return };
        let shown = self.flows[flow].awaited(flow as u32);
        self.note(now, flow as u32, 0, || (shown, Event::TimedOut));
        if spurious {
            self.note(now, flow as u32, 0, || (shown, Event::Spurious));
        }
    }

    fn wake_receiver(&mut self, now: T::Now, flow: usize) {
        self.flows[flow].receiver.on_timer(T::at(now));
        self.send_acks(now, flow, Instant::NEVER);
    }

    /// Hands what the sender has to the first hop, and notes when it wants to wake up.
    #[inline]
    fn send_data(&mut self, now: T::Now, index: usize) {
        let (flow, hop) = (&mut self.flows[index], &mut self.forward[0]);
        let (room, mut sent) = (flow.room(), 0);
        let (timeline, agenda) = (&mut self.timeline, &mut self.agenda);
        let (at, timer) = (T::at(now), 2 * index);
        timeline.note_start(agenda, now, timer, &flow.sender);
        while let Some((packet, again)) = flow.poll_transmit(at, index as u32) {
            sent += 1;
            let what = || (packet.shown(), Event::Sent { again });
            self.observer.see(at, 0, &flow.sender, what);
            timeline.push(hop, now, packet);
            timeline.note_start(agenda, now, timer, &flow.sender);
        }
        if let Some(packet) = flow.poll_probe(at, index as u32) {
            let what = || (packet.shown(), Event::Sent { again: false });
            self.observer.see(at, 0, &flow.sender, what);
            timeline.push(hop, now, packet);
        }
        timeline.set_timer(agenda, now, timer, flow.sender.poll_timeout());
        self.remembered += flow.room() - room;
        self.settle_forward(now, 0);
        if sent >= BURST {
            self.check_room(at);
        }
    }

    /// The receiver answers a probe at once.
    #[cold]
    fn answer_probe(&mut self, now: T::Now, flow: u32, id: ProbeId) {
        let packet = self.flows[flow as usize].answer(flow, id);
        self.note(now, flow, self.forward.len(), || (packet.shown(), Event::AckSent));
        self.push_back(now, 0, packet);
    }

    /// Hands the ACKs that are due to the way back; `born` is that of the data that calls for them.
    #[inline]
    fn send_acks(&mut self, now: T::Now, index: usize, born: Instant) {
        let (flow, hop) = (&mut self.flows[index], &mut self.back[0]);
        while let Some(packet) = flow.poll_ack(index as u32, born) {
            let what = || (packet.shown(), Event::AckSent);
            self.observer.see(T::at(now), self.forward.len(), &flow.sender, what);
            self.timeline.push(hop, now, packet);
        }
        let (timer, expiry) = (2 * index + 1, flow.receiver.poll_timeout());
        self.timeline.set_timer(&mut self.agenda, now, timer, expiry);
        self.settle_back(now, 0);
    }

    #[inline]
    fn push_forward(&mut self, now: T::Now, hop: usize, packet: DataPacket) {
        self.timeline.push(&mut self.forward[hop], now, packet);
        self.settle_forward(now, hop);
    }

    #[inline]
    fn push_back(&mut self, now: T::Now, hop: usize, packet: AckPacket) {
        self.timeline.push(&mut self.back[hop], now, packet);
        self.settle_back(now, hop);
    }

    /// After packets were pushed: the next event goes to the agenda, losses are noted.
    #[inline]
    fn settle_forward(&mut self, now: T::Now, hop: usize) {
        self.agenda.set_hop(hop, T::due(&self.forward[hop]));
        self.note_forward_losses(now, hop);
    }

    #[inline]
    fn settle_back(&mut self, now: T::Now, hop: usize) {
        self.agenda.set_hop(self.forward.len() + hop, T::due(&self.back[hop]));
        self.note_back_losses(now, hop);
    }

    #[inline]
    fn note_forward_losses(&mut self, now: T::Now, hop: usize) {
        if O::LOOKS {
            while let Some(lost) = self.forward[hop].take_lost() {
                self.note_loss(now, hop, &lost);
            }
        }
    }

    #[inline]
    fn note_back_losses(&mut self, now: T::Now, hop: usize) {
        if O::LOOKS {
            while let Some(lost) = self.back[hop].take_lost() {
                self.note_loss(now, self.back.len() - hop, &lost);
            }
        }
    }

    fn note_loss<P: Carried>(&mut self, now: T::Now, node: usize, lost: &Lost<P>) {
        let packet = lost.payload.shown();
        let at = lost.at.min(T::at(now));
        self.note_at(at, packet.flow, node, || (packet, Event::Lost(lost.cause)));
    }

    #[inline]
    fn note(
        &mut self,
        now: T::Now,
        flow: u32,
        node: usize,
        what: impl FnOnce() -> (Packet, Event),
    ) {
        self.note_at(T::at(now), flow, node, what);
    }

    #[inline]
    fn note_at(
        &mut self,
        at: Instant,
        flow: u32,
        node: usize,
        what: impl FnOnce() -> (Packet, Event),
    ) {
        if O::LOOKS {
            self.observer.see(at, node, &self.flows[flow as usize].sender, what);
        }
    }
}

fn hops<P: Payload, T: Timeline>(configs: Vec<HopConfig>, looks: bool) -> Vec<T::Hop<P>> {
    let hop = |config| {
        let mut hop = T::hop(config);
        hop.record_losses(looks);
        hop
    };
    configs.into_iter().map(hop).collect()
}
