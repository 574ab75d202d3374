//! The packet-level simulator: flows over links between nodes, in the order of a classical event list.
//!
//! Nodes forward in zero time. On whole nanoseconds a link knows when each of its packets arrives as soon as it
//! takes it, so that a packet costs one event per hop. On the time of ns the start of a transmission is an event
//! where a packet waited for it.

mod access;
mod agenda;
mod brief;
mod classic;
mod counts;
mod ends;
mod expiries;
mod first_sent;
mod flow;
mod histogram;
mod links;
mod linux;
mod lost;
mod memory_limit;
mod meter;
mod observer;
mod open_packets;
mod packet;
mod packets;
mod part_delays;
mod path;
mod rows;
mod sender_state;
mod table;
mod tally;
mod timeline;
mod topology;
mod traffic;
mod transfers;

use agenda::{Agenda, Component, Key};
use airtcp_core::{Cancel, Instant, Next, Payload as _, Span};
use airtcp_radio::Observed as _;
use airtcp_radio::{SpecError, TrafficSource};
use airtcp_tcp::{ReceiverConfig, SenderConfig};
pub use counts::{DelayQuantiles, Delays, FlowCounts};
use ends::{CarriedOf, Ends};
use flow::Flow;
pub use flow::FlowConfig;
use links::{Links, OfAcks, OfData, Side};
pub use lost::Losses;
use memory_limit::{BURST, Held, MemoryLimit};
pub use observer::{Event, Loss, Moment, Nobody, Observer, Sighting, Watched};
pub use packet::{AckPacket, Carried, DataPacket, Packet};
use packet::{Carries as _, OfFlow as _};
pub use path::{
    config, cross_traffic, flow_routes, links, observe, observe_run, run, run_with_links, trace,
    trace_within, traffic_routes,
};
use rows::Row;
pub use rows::RowConfig;
pub use table::{
    BUSY, DROP, EVENT, EventTable, LENGTH, Layout, MARK, MARKED, PROBE, SACK, SOJOURN, STAMP,
    STATE, STEADY, TRAFFIC,
};
pub use tally::{Parts, TrafficCounts};
use timeline::Timeline;
pub use topology::LinkConfig;
use topology::{FlowRoutes, Topology};
pub use traffic::{Datagram, TrafficConfig};
pub use transfers::TransferCounts;

/// Events between two looks at the cancel flag. Each may cost as much as a window is wide.
const PATIENCE: u32 = 1 << 8;

/// Everything about a run but its observer.
pub struct NetworkConfig<C = (SenderConfig, ReceiverConfig)> {
    /// The links: one direction of a hop each.
    pub links: Vec<LinkConfig>,
    /// The connections, row by row.
    pub flows: Vec<FlowConfig<C>>,
    /// The rows of results.
    pub rows: Vec<RowConfig>,
    /// True if the run lasts to its end, as transfers may arrive until then.
    pub is_open: bool,
    /// Cross-traffic.
    pub traffic: Vec<TrafficConfig>,
    /// End of the run, if the flows do not end before.
    pub end: Instant,
}

impl<C> NetworkConfig<C> {
    /// Configuration of flows of one transfer each, without cross-traffic.
    #[must_use]
    pub fn of_bulk(links: Vec<LinkConfig>, mut flows: Vec<FlowConfig<C>>, end: Instant) -> Self {
        let rows = flows.iter_mut().enumerate().map(|(row, flow)| {
            flow.row = row;
            RowConfig {
                connections: row..row + 1,
                start: flow.start,
                has_transfers: false,
                is_one_part: true,
            }
        });
        let rows = rows.collect();
        NetworkConfig { links, flows, rows, is_open: false, traffic: Vec::new(), end }
    }
}

/// A run in progress. On the agenda links come in their order, and of each flow its sender's timer before its
/// receiver's.
struct Network<O, T: Timeline, E: Ends, L> {
    timeline: T,
    links: L,
    /// Number of links, and number of hops but for accesses.
    count: usize,
    hops: usize,
    flows: Vec<Flow<E>>,
    rows: Vec<Row>,
    sources: Vec<TrafficSource>,
    /// The timer of the first of them, and that of the first flow whose transfers follow each other.
    first_source: usize,
    first_request: usize,
    unfinished: usize,
    /// Time at which the last flow ended.
    ended: Instant,
    agenda: Agenda,
    end: Instant,
    /// Packets between senders and their first nodes.
    at_access: usize,
    /// Room for packets that flows wait for the ACKs of.
    remembered: usize,
    memory_limit: MemoryLimit,
    /// Reason why the run has ended before its time, if it has.
    failure: Option<SpecError>,
    observer: O,
}

impl<O: Observer, T: Timeline, E: Ends, L: Links<T, E>> Network<O, T, E, L> {
    /// A network in which nothing has happened yet.
    fn new(mut config: NetworkConfig<E::Config>, observer: O) -> Self {
        let (topology, routes) = laid_out(&config);
        let nodes =
            |flow: &FlowConfig<_>| (topology.from(flow.data[0]), topology.from(flow.acks[0]));
        let has_requests = config.flows.iter().any(|flow| flow.requests.is_some());
        let flow = |flow: &mut FlowConfig<_>| Flow::new(flow, nodes(flow));
        let flows: Vec<Flow<E>> = config.flows.iter_mut().map(flow).collect();
        // Without access delays there are no timers for them.
        let kinds = if flows.iter().all(|flow| flow.access.is_none()) { 2 } else { 3 };
        let first_source = kinds * flows.len();
        let sources: Vec<_> =
            config.traffic.into_iter().map(|one| TrafficSource::new(one.source)).collect();
        let first_request = first_source + sources.len();
        let last = first_request + if has_requests { flows.len() } else { 0 };
        let mut agenda = Agenda::new(config.links.len(), last);
        let starts = config.flows.iter().map(|flow| (E::tick(&flow.ends), flow.start));
        let mut timeline = T::new(starts, &mut agenda);
        for (i, source) in sources.iter().enumerate() {
            let start = T::now(T::key(Instant::START));
            timeline.set_timer(&mut agenda, start, first_source + i, source.due());
        }
        Network {
            timeline,
            count: config.links.len(),
            hops: config.links.iter().filter(|link| link.from != link.to).count() / 2,
            links: L::new(config.links, topology, routes, O::LOOKS),
            unfinished: flows.len() + usize::from(config.is_open),
            flows,
            rows: config.rows.into_iter().map(Row::new).collect(),
            sources,
            first_source,
            first_request,
            ended: Instant::START,
            agenda,
            end: config.end,
            at_access: 0,
            remembered: 0,
            memory_limit: MemoryLimit::USUAL,
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
        // Answers of hops mean nothing once `cancel` is set, the end included.
        let end = self.go_until(end, cancel).filter(|_| !cancel.is_set())?;
        self.check_room(end);
        Some(end)
    }

    fn go_until(&mut self, end: Instant, cancel: &Cancel) -> Option<Instant> {
        let limit = T::key(end);
        let mut turns = 0_usize;
        loop {
            for _ in 0..PATIENCE {
                if self.unfinished == 0 {
                    return Some(self.ended);
                }
                if !self.happens_before(limit) {
                    return Some(end);
                }
            }
            if cancel.is_set() {
                return None;
            }
            turns += 1;
            if turns.is_multiple_of(self.count / 2) {
                // As often as there are hops, of two links each: a look at all of them costs the same per event, however many.
                let next = self.agenda.due();
                self.check_room(if next < limit { T::at(T::now(next)) } else { end });
            }
        }
    }

    /// Carries out the next event if it is due before `limit`, and returns whether it is. Of two links it branches to the first
    /// that is due: the processor predicts that, and would wait for the lesser of two keys.
    #[inline(always)]
    fn happens_before(&mut self, limit: Key) -> bool {
        if L::IS_PAIR {
            let [data, acks] = self.agenda.pair();
            return if acks < data {
                self.carries_before::<OfAcks>(limit, acks, 1)
            } else {
                self.carries_before::<OfData>(limit, data, 0)
            };
        }
        let Some((due, component)) = self.agenda.next(limit) else { return false };
        match component {
            Component::Hop(link) if self.links.is_for_acks(link) => self.carry::<OfAcks>(due, link),
            Component::Hop(link) => self.carry::<OfData>(due, link),
            Component::Timer(timer) => self.expire(due, timer),
        }
        true
    }

    /// [`Network::happens_before`] where `link` is the first that is due, at `due`; a timer may be before it.
    #[inline(always)]
    fn carries_before<S: Side>(&mut self, limit: Key, due: Key, link: usize) -> bool {
        if self.agenda.has_timer_before(due) && self.expires_before(due.min(limit)) {
            return true;
        }
        if due >= limit {
            return false;
        }
        self.carry::<S>(due, link);
        true
    }

    #[cold]
    #[inline(never)]
    fn expires_before(&mut self, limit: Key) -> bool {
        let next = self.agenda.take_timer_before(limit);
        next.is_some_and(|(due, timer)| {
            self.expire(due, timer);
            true
        })
    }

    /// Ends the run if it holds more than it may at `now`.
    fn check_room(&mut self, now: Instant) {
        if self.failure.is_some() {
            return;
        }
        let held = Held {
            hops: self.hops,
            links: self.links.held(),
            at_access: self.at_access,
            remembered: self.remembered,
            is_full: self.observer.is_full(|| self.links.history_bytes()),
        };
        if let Some(failure) = self.memory_limit.refuse(&held, now) {
            self.failure = Some(failure);
            self.unfinished = 0;
        }
    }

    /// No event takes long once `cancel` is set.
    fn watch(&mut self, cancel: &Cancel) {
        self.links.watch(cancel);
    }

    /// Counts of each flow up to `end`, where a part of the run ends.
    fn outcome(&mut self, end: Instant) -> Vec<FlowCounts> {
        self.links.settle(end);
        let (flows, links) = (&mut self.flows, &self.links);
        let on_links = |i| (links.air(i), links.losses(i));
        self.rows.iter_mut().map(|row| row.outcome(flows, end, on_links)).collect()
    }

    /// Quantiles of delays are of what comes from now on.
    fn forget_delays(&mut self) {
        self.observer.forget_delays();
        for flow in &mut self.flows {
            flow.meter.forget_delays();
        }
        self.rows.iter_mut().for_each(Row::forget_delays);
    }

    /// The observer, with what it has seen.
    fn into_observer(self) -> O {
        self.observer
    }

    #[inline(always)]
    fn expire(&mut self, due: Key, timer: usize) {
        let flows = self.flows.len();
        if L::HAS_MORE && timer >= self.first_request {
            self.start_transfer(T::now(due), timer - self.first_request);
        } else if L::HAS_MORE && timer >= self.first_source {
            self.send_datagram(T::now(due), timer - self.first_source);
        } else if L::HAS_MORE && timer >= 2 * flows {
            self.wake_access(T::now(due), timer - 2 * flows);
        } else if timer.is_multiple_of(2) {
            self.wake_sender(T::now(due), timer / 2);
        } else {
            self.wake_receiver(T::now(due), timer / 2);
        }
    }

    /// Takes packets from the far end of a link.
    #[inline(always)]
    fn carry<S: Side>(&mut self, due: Key, link: usize) {
        let line = S::link(&mut self.links, link);
        if self.timeline.begin(line, due) {
            return self.agenda.set_hop(link, T::due(line));
        }
        let now = T::now(due);
        loop {
            let line = S::link(&mut self.links, link);
            let next = self.timeline.poll(line, now);
            let due = T::due(line);
            self.agenda.set_hop(link, due);
            let Next::Out(packet) = next else { break };
            match packet.which() {
                Carried::Data(packet) => self.arrive(now, link, packet),
                Carried::Ack(packet) => self.come_back(now, link, packet),
                Carried::Datagram(packet) => self.pass_on(now, link, packet),
            }
            if !T::goes_on(now, due) {
                break;
            }
        }
        self.note_losses::<S>(now, link);
    }

    /// Data arrives at the end of a link.
    #[inline(always)]
    fn arrive(&mut self, now: T::Now, link: usize, packet: E::Data) {
        if O::LOOKS && !self.links.is_access(link) {
            self.note(now, packet.flow(), self.links.to(link), || (packet.seen(), Event::Arrived));
        }
        match self.links.next_of_data(packet.flow() as usize, link) {
            None => self.receive(now, &packet),
            Some(next) => self.push::<OfData>(now, next, L::packed(packet)),
        }
    }

    /// An ACK arrives at the end of a link.
    #[inline(always)]
    fn come_back(&mut self, now: T::Now, link: usize, packet: E::Ack) {
        let flow = packet.flow() as usize;
        match self.links.next_of_acks(flow, link) {
            None if self.is_direct(flow) => self.acknowledge(now, &packet),
            None => self.hold(now, flow, Carried::Ack(packet)),
            Some(next) => {
                if O::LOOKS && !self.links.is_access(next) {
                    let node = self.links.to(link);
                    self.note(now, packet.flow(), node, || (packet.seen(), Event::Arrived));
                }
                self.push::<OfAcks>(now, next, L::packed_ack(packet));
            }
        }
    }

    #[inline(always)]
    fn receive(&mut self, now: T::Now, packet: &E::Data) {
        let flow = packet.flow() as usize;
        if E::is_probe(packet) {
            return self.answer_probe(now, packet.clone());
        }
        let Network { flows, links, timeline, agenda, observer, .. } = self;
        let link = links.first_of_acks(flow);
        let (index, flow) = (flow, &mut flows[flow]);
        let (born, spurious) = flow.receive(T::at(now), packet);
        if O::LOOKS && spurious > 0 {
            note_spurious(observer, T::at(now), index, flow, spurious);
        }
        let hop = links.acks(link);
        send_acks::<O, T, E, L>(observer, timeline, agenda, now, (index, flow), (link, hop), born);
        self.note_losses::<OfAcks>(now, link);
    }

    #[inline(always)]
    fn acknowledge(&mut self, now: T::Now, packet: &E::Ack) {
        let index = packet.flow() as usize;
        let flow = &mut self.flows[index];
        if flow.acknowledge(T::at(now), packet) && flow.ends.finished() {
            self.complete(now, index);
            self.send_data_then(now, index);
        } else {
            self.send_data(now, index);
        }
        if O::LOOKS {
            let node = self.flows[index].from;
            self.note(now, packet.flow(), node, || (packet.seen(), Event::Acked));
        }
    }

    /// A transfer is complete: the flow ends, or another one follows.
    #[cold]
    #[inline(never)]
    fn complete(&mut self, now: T::Now, index: usize) {
        let (at, flow) = (T::at(now), &mut self.flows[index]);
        if let Some(transfers) = &mut self.rows[flow.row].transfers {
            transfers.note(flow.transfer.bytes, at - flow.transfer.start);
        }
        match flow.next_transfer(at) {
            Some(start) => {
                let timer = self.first_request + index;
                self.timeline.set_timer(&mut self.agenda, now, timer, start);
            }
            None => self.end_flow(at),
        }
    }

    fn end_flow(&mut self, at: Instant) {
        self.unfinished -= 1;
        self.ended = at;
    }

    /// The application of a flow writes again.
    #[cold]
    #[inline(never)]
    fn start_transfer(&mut self, now: T::Now, index: usize) {
        self.timeline.set_timer(&mut self.agenda, now, self.first_request + index, Instant::NEVER);
        if self.flows[index].start_transfer(T::at(now)) {
            self.send_data_then(now, index);
        } else {
            self.end_flow(T::at(now));
        }
    }

    fn wake_sender(&mut self, mut now: T::Now, flow: usize) {
        if self.flows[flow].ends.has_begun() {
            now = T::expired(now, self.flows[flow].ends.sender_timeout());
            self.time_out(now, flow);
        } else {
            self.flows[flow].ends.begin(T::at(now));
        }
        self.send_data_then(now, flow);
    }

    /// Returns whether nothing lies between the sender and its first node.
    #[inline(always)]
    fn is_direct(&self, flow: usize) -> bool {
        !L::HAS_MORE || self.flows[flow].access.is_none()
    }

    fn time_out(&mut self, now: T::Now, flow: usize) {
        let Some(spurious) = self.flows[flow].wake_sender(T::at(now)) else { return };
        let (shown, node) = (self.flows[flow].awaited(flow as u32), self.flows[flow].from);
        self.note(now, flow as u32, node, || (shown, Event::TimedOut));
        if spurious {
            self.note(now, flow as u32, node, || (shown, Event::Spurious));
        }
    }

    /// A packet comes to the access of its flow, at either end of that.
    #[cold]
    #[inline(never)]
    fn hold(&mut self, now: T::Now, index: usize, packet: CarriedOf<E>) {
        self.flows[index].access.push(T::at(now), packet);
        self.at_access += 1;
        self.await_access(now, index);
    }

    fn await_access(&mut self, now: T::Now, index: usize) {
        let (timer, due) = (2 * self.flows.len() + index, self.flows[index].access.due());
        self.timeline.set_timer(&mut self.agenda, now, timer, due);
    }

    /// Takes packets from the far end of a flow's access, whichever that is.
    #[cold]
    #[inline(never)]
    fn wake_access(&mut self, now: T::Now, index: usize) {
        while let Some(packet) = self.flows[index].access.poll(T::at(now)) {
            self.at_access -= 1;
            match packet {
                Carried::Data(packet) => {
                    let first = self.links.first_of_data(index);
                    self.push::<OfData>(now, first, L::packed(packet));
                }
                Carried::Ack(packet) => self.acknowledge(now, &packet),
                Carried::Datagram(_) => unreachable!("cross-traffic has no access"),
            }
        }
        self.await_access(now, index);
    }

    /// A source of cross-traffic sends its next packet.
    #[cold]
    #[inline(never)]
    fn send_datagram(&mut self, now: T::Now, source: usize) {
        let owner = self.flows.len() + source;
        let bits = self.sources[source].send();
        let packet = Datagram { owner: owner as u32, bits, born: T::at(now) };
        self.observer.datagram_sent(source, &packet);
        let node = self.links.from(self.links.first_of_data(owner));
        self.see_datagram(T::at(now), node, &packet, Event::Sent { again: false });
        let (timer, due) = (self.first_source + source, self.sources[source].due());
        self.timeline.set_timer(&mut self.agenda, now, timer, due);
        self.push::<OfData>(now, self.links.first_of_data(owner), L::datagram(packet));
    }

    /// A packet of cross-traffic arrives at the end of a link.
    #[cold]
    #[inline(never)]
    fn pass_on(&mut self, now: T::Now, link: usize, packet: Datagram) {
        self.see_datagram(T::at(now), self.links.to(link), &packet, Event::Arrived);
        if let Some(next) = self.links.next_of_data(packet.owner as usize, link) {
            self.push::<OfData>(now, next, L::datagram(packet));
        } else {
            let source = packet.owner as usize - self.flows.len();
            self.observer.datagram_arrived(source, &packet, T::at(now) - packet.born);
        }
    }

    fn see_datagram(&mut self, at: Instant, node: usize, packet: &Datagram, event: Event) {
        if O::LOOKS {
            let (node, source) = (node as u32, packet.owner - self.flows.len() as u32);
            self.observer.note_datagram(Sighting { at, node, source, bits: packet.bits, event });
        }
    }

    #[inline(never)]
    fn wake_receiver(&mut self, now: T::Now, flow: usize) {
        self.flows[flow].ends.wake_receiver(T::at(now));
        self.send_acks(now, flow);
    }

    /// Does the same as [`Network::send_data`], for places off the busy path.
    #[inline(never)]
    fn send_data_then(&mut self, now: T::Now, index: usize) {
        self.send_data(now, index);
    }

    /// Hands what the sender has to its first link, and notes when it wants to wake up.
    #[inline(always)]
    fn send_data(&mut self, now: T::Now, index: usize) {
        let link = self.links.first_of_data(index);
        let (flow, hop) = (&mut self.flows[index], self.links.data(link));
        let (capacity, node, mut sent) = (flow.capacity(), flow.from, 0);
        let (timeline, agenda) = (&mut self.timeline, &mut self.agenda);
        let (at, timer) = (T::at(now), 2 * index);
        timeline.note_start(agenda, now, timer, &flow.ends);
        let direct = !L::HAS_MORE || flow.access.is_none();
        let Flow { ends, meter, access, .. } = flow;
        let allowance = ends.allowance(at);
        while let Some((packet, again)) = ends.poll_data(at, allowance, index as u32, meter) {
            sent += 1;
            let what = || (packet.seen(), Event::Sent { again });
            self.observer.see(at, node, ends.watched(), what);
            if direct {
                timeline.push(hop, now, L::packed(packet));
            } else {
                access.push(at, Carried::Data(packet));
                self.at_access += 1;
            }
            timeline.note_start(agenda, now, timer, ends);
        }
        if let Some(packet) = flow.poll_probe(at, index as u32) {
            let what = || (packet.seen(), Event::Sent { again: false });
            self.observer.see(at, node, flow.ends.watched(), what);
            if direct {
                timeline.push(hop, now, L::packed(packet));
            } else {
                flow.access.push(at, Carried::Data(packet));
                self.at_access += 1;
            }
        }
        timeline.set_timer(agenda, now, timer, flow.ends.sender_timeout());
        self.remembered += flow.capacity() - capacity;
        if direct {
            agenda.set_hop(link, T::due(hop));
            self.note_losses::<OfData>(now, link);
        } else {
            self.await_access(now, index);
        }
        if sent >= BURST {
            self.check_room(at);
        }
    }

    /// The receiver answers a probe at once.
    #[cold]
    #[inline(never)]
    #[expect(clippy::needless_pass_by_value, reason = "the packet need then not lie in memory")]
    fn answer_probe(&mut self, now: T::Now, probe: E::Data) {
        let index = probe.flow() as usize;
        let (packet, node) = (self.flows[index].answer(&probe), self.flows[index].to);
        self.note(now, probe.flow(), node, || (packet.seen(), Event::AckSent));
        self.push::<OfAcks>(now, self.links.first_of_acks(index), L::packed_ack(packet));
    }

    /// Hands the ACKs that are due to the way back, though no data calls for them.
    fn send_acks(&mut self, now: T::Now, index: usize) {
        let Network { flows, links, timeline, agenda, observer, .. } = self;
        let link = links.first_of_acks(index);
        let (flow, hop) = ((index, &mut flows[index]), (link, links.acks(link)));
        send_acks::<O, T, E, L>(observer, timeline, agenda, now, flow, hop, Instant::NEVER);
        self.note_losses::<OfAcks>(now, link);
    }

    #[inline(always)]
    fn push<S: Side>(&mut self, now: T::Now, link: usize, packet: S::Packet<T, E, L>) {
        let line = S::link(&mut self.links, link);
        self.timeline.push(line, now, packet);
        self.agenda.set_hop(link, T::due(line));
        self.note_losses::<S>(now, link);
    }

    #[inline(always)]
    fn note_losses<S: Side>(&mut self, now: T::Now, link: usize) {
        if O::LOOKS {
            while let Some(lost) = S::link(&mut self.links, link).take_lost() {
                let (at, node) = (lost.at.min(T::at(now)), self.links.from(link));
                let (owner, bits, cause) =
                    (lost.payload.owner() as u32, lost.payload.bits(), lost.cause);
                self.observer.note_loss(Loss { at, link: link as u32, owner, bits, cause });
                if let Some(packet) = lost.payload.shown() {
                    self.note_at(at, packet.flow, node, || (packet, Event::Lost(cause)));
                } else {
                    self.see_datagram(
                        at,
                        node,
                        &Datagram { owner, bits, born: at },
                        Event::Lost(cause),
                    );
                }
            }
        }
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
            self.observer.see(at, node, self.flows[flow as usize].ends.watched(), what);
        }
    }
}

/// Hands the ACKs that are due to the way back; `born` is that of the data that calls for the first: what follows at once
/// says that the application has read, which is no answer to the data.
#[inline(always)]
fn send_acks<O: Observer, T: Timeline, E: Ends, L: Links<T, E>>(
    observer: &mut O,
    timeline: &mut T,
    agenda: &mut Agenda,
    now: T::Now,
    (index, flow): (usize, &mut Flow<E>),
    (link, hop): (usize, &mut T::Hop<L::Acks>),
    mut born: Instant,
) {
    let mut sent = false;
    while let Some(packet) = flow.poll_ack(T::at(now), index as u32, born) {
        sent = true;
        born = Instant::NEVER;
        let what = || (packet.seen(), Event::AckSent);
        observer.see(T::at(now), flow.to, flow.ends.watched(), what);
        timeline.push(hop, now, L::packed_ack(packet));
    }
    if sent {
        agenda.set_hop(link, T::due(hop));
    }
    let (timer, expiry) = (2 * index + 1, flow.ends.receiver_timeout());
    timeline.set_timer(agenda, now, timer, expiry);
}

/// Notes that so many expiries of a flow are now known to have been spurious.
#[cold]
#[inline(never)]
fn note_spurious<O: Observer, E: Ends>(
    observer: &mut O,
    at: Instant,
    index: usize,
    flow: &Flow<E>,
    expiries: u32,
) {
    let shown = flow.awaited(index as u32);
    for _ in 0..expiries {
        observer.see(at, flow.to, flow.ends.watched(), || (shown, Event::Spurious));
    }
}

/// The ways of all flows, and of each which those are.
fn laid_out<C>(config: &NetworkConfig<C>) -> (Topology, Vec<FlowRoutes>) {
    let mut topology = Topology::new(&config.links);
    let mut route = |links: &[usize]| topology.route(links) as u32;
    let each = config.flows.iter();
    let mut routes: Vec<_> =
        each.map(|flow| FlowRoutes { data: route(&flow.data), acks: route(&flow.acks) }).collect();
    // Nothing comes back of cross-traffic.
    let one_way = config.traffic.iter().map(|traffic| route(&traffic.route));
    routes.extend(one_way.map(|route| FlowRoutes { data: route, acks: route }));
    (topology, routes)
}

/// Returns whether all data goes one way along a chain, and nothing else goes anywhere.
fn is_one_way<C>(config: &NetworkConfig<C>) -> bool {
    let (topology, routes) = laid_out(config);
    // Timers of applications are only where there may be more than senders and receivers.
    let direct =
        config.flows.iter().all(|flow| flow.access_delay == Span::ZERO && flow.requests.is_none());
    direct && config.traffic.is_empty() && topology.is_one_way(&routes)
}
