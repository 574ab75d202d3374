//! The packet-level simulator: flows over a path of hops, in the order of a classical event list.
//!
//! Nodes forward in zero time. A hop knows when each of its packets arrives as soon as it takes it,
//! so that a packet costs one event per hop; transmission ends are no events of their own.

mod agenda;
mod counts;
mod flow;
mod observer;
mod packet;
mod path;
mod table;

use agenda::{Agenda, NEVER};
use airtcp_core::{Instant, Next, Stage};
use airtcp_radio::{Hop, HopConfig};
use airtcp_tcp::Segment;
pub use counts::{Delays, FlowCounts};
use flow::Flow;
pub use flow::FlowConfig;
pub use observer::{Event, Moment, Nobody, Observer};
pub use packet::Packet;
pub use path::{run, trace};
use std::sync::atomic::{AtomicBool, Ordering};
pub use table::{Column, EventTable};

/// Events between two looks at the cancel flag: a few milliseconds.
const PATIENCE: u32 = 1 << 16;

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

/// A run in progress.
pub struct Network<O> {
    /// Forward hops, then backward hops.
    hops: Vec<Hop<Packet>>,
    length: usize,
    flows: Vec<Flow>,
    unfinished: usize,
    agenda: Agenda,
    end: Instant,
    observer: O,
}

impl<O: Observer> Network<O> {
    /// A path on which nothing has happened yet.
    #[must_use]
    pub fn new(config: NetworkConfig, observer: O) -> Self {
        let length = config.forward.len();
        let mut hops: Vec<_> =
            config.forward.into_iter().chain(config.back).map(Hop::new).collect();
        hops.iter_mut().for_each(|hop| hop.record_losses(O::LOOKS));
        let flows: Vec<_> = config.flows.iter().map(Flow::new).collect();
        let mut agenda = Agenda::new(hops.len() + 2 * flows.len());
        for (i, flow) in flows.iter().enumerate() {
            agenda.set(hops.len() + 2 * i, (flow.start, Instant::START));
        }
        let unfinished = flows.len();
        Network { hops, length, flows, unfinished, agenda, end: config.end, observer }
    }

    /// Runs to the end. Returns the instant of the end, or `None` if it was cancelled before.
    pub fn run(&mut self, cancel: &AtomicBool) -> Option<Instant> {
        let mut last = Instant::START;
        loop {
            for _ in 0..PATIENCE {
                if self.unfinished == 0 {
                    return Some(last);
                }
                match self.agenda.next() {
                    Some((now, component)) if now < self.end => {
                        self.happen(now, component);
                        last = now;
                    }
                    _ => return Some(self.end),
                }
            }
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
        }
    }

    /// What was counted on each flow up to `end`.
    pub fn outcome(&self, end: Instant) -> Vec<FlowCounts> {
        self.flows.iter().map(|flow| flow.outcome(end)).collect()
    }

    /// The hops, forward then backward.
    pub fn hops(&self) -> &[Hop<Packet>] {
        &self.hops
    }

    /// The observer, with what it has seen.
    pub fn into_observer(self) -> O {
        self.observer
    }

    #[inline]
    fn happen(&mut self, now: Instant, component: usize) {
        if component < self.hops.len() {
            self.deliver(now, component);
            return;
        }
        let (flow, of_receiver) =
            ((component - self.hops.len()) / 2, (component - self.hops.len()) % 2 == 1);
        if of_receiver {
            self.flows[flow].receiver.on_timer(now);
            self.send_acks(now, flow, Instant::NEVER);
        } else if self.flows[flow].sender.view().offered == 0 {
            self.flows[flow].begin();
            self.send_data(now, flow);
        } else {
            self.time_out(now, flow);
        }
    }

    /// Takes from a hop what has arrived at its far end.
    #[inline]
    fn deliver(&mut self, now: Instant, hop: usize) {
        while let Next::Out(packet) = self.hops[hop].poll(now) {
            if hop + 1 == self.length {
                self.receive(now, packet);
            } else if hop + 1 == self.hops.len() {
                self.acknowledge(now, packet);
            } else {
                self.note(now, packet.flow, self.far_end(hop), || Event::Arrived(&packet));
                self.push(now, hop + 1, packet);
            }
        }
        self.settle(now, hop);
    }

    fn receive(&mut self, now: Instant, packet: Packet) {
        self.note(now, packet.flow, self.length, || Event::Arrived(&packet));
        let flow = packet.flow as usize;
        let new = self.flows[flow].receive(now, &packet.segment, packet.born);
        self.send_acks(now, flow, if new { packet.born } else { Instant::NEVER });
    }

    #[inline]
    fn acknowledge(&mut self, now: Instant, packet: Packet) {
        let flow = packet.flow as usize;
        let finished = self.flows[flow].finished();
        self.flows[flow].acknowledge(now, &packet.segment, packet.born);
        self.send_data(now, flow);
        self.note(now, packet.flow, 0, || Event::Acked(&packet));
        if !finished && self.flows[flow].finished() {
            self.unfinished -= 1;
        }
    }

    fn time_out(&mut self, now: Instant, flow: usize) {
        let before = self.flows[flow].sender.counters().timeouts;
        self.flows[flow].sender.on_timer(now);
        if self.flows[flow].sender.counters().timeouts > before {
            self.note(now, flow as u32, 0, || Event::TimedOut);
        }
        self.send_data(now, flow);
    }

    /// Hands what the sender has to the first hop, and notes when it wants to wake up.
    #[inline]
    fn send_data(&mut self, now: Instant, flow: usize) {
        let mss = self.flows[flow].mss;
        let mut high = self.flows[flow].sender.view().high;
        while let Some((segment, born)) = self.flows[flow].poll_transmit(now) {
            let packet = Packet { flow: flow as u32, mss, born, segment };
            let reached = self.flows[flow].sender.view().high;
            let again = reached == high;
            high = reached;
            self.note(now, packet.flow, 0, || Event::Sent { packet: &packet, again });
            self.push(now, 0, packet);
        }
        let component = self.hops.len() + 2 * flow;
        let expiry = self.flows[flow].sender.poll_timeout();
        self.wake(now, component, expiry);
    }

    /// Hands the ACKs that are due to the way back; `born` is that of the data that calls for them.
    #[inline]
    fn send_acks(&mut self, now: Instant, flow: usize, born: Instant) {
        let mss = self.flows[flow].mss;
        while let Some(segment) = self.flows[flow].receiver.poll_transmit(now) {
            let Segment::Ack { bits, .. } = segment else { continue };
            let counts = &mut self.flows[flow].counts;
            (counts.acks_sent, counts.ack_bits) = (counts.acks_sent + 1, counts.ack_bits + bits);
            let packet = Packet { flow: flow as u32, mss, born, segment };
            self.note(now, packet.flow, self.length, || Event::AckSent(&packet));
            self.push(now, self.length, packet);
        }
        let component = self.hops.len() + 2 * flow + 1;
        let expiry = self.flows[flow].receiver.poll_timeout();
        self.wake(now, component, expiry);
    }

    #[inline]
    fn wake(&mut self, now: Instant, component: usize, at: Instant) {
        if at == Instant::NEVER {
            self.agenda.set(component, NEVER);
        } else if at != self.agenda.wanted(component).0 {
            self.agenda.set(component, (at, now));
        }
    }

    #[inline]
    fn push(&mut self, now: Instant, hop: usize, packet: Packet) {
        self.hops[hop].push(now, packet);
        self.settle(now, hop);
    }

    /// After a hop was touched: its losses are noted, its next event goes to the agenda.
    #[inline]
    fn settle(&mut self, now: Instant, hop: usize) {
        self.agenda.set(hop, self.hops[hop].due());
        if O::LOOKS {
            while let Some(lost) = self.hops[hop].take_lost() {
                let near = if hop < self.length { hop } else { self.far_end(hop) + 1 };
                let event = Event::Lost { packet: &lost.payload, cause: lost.cause };
                self.note(lost.at.min(now), lost.payload.flow, near, || event);
            }
        }
    }

    /// The node at which a hop ends.
    fn far_end(&self, hop: usize) -> usize {
        if hop < self.length { hop + 1 } else { self.hops.len() - 1 - hop }
    }

    #[inline]
    fn note<'a>(&mut self, at: Instant, flow: u32, node: usize, event: impl FnOnce() -> Event<'a>) {
        if O::LOOKS {
            let sender = &self.flows[flow as usize].sender;
            self.observer.note(Moment { at, flow, node: node as u32, sender }, event());
        }
    }
}
