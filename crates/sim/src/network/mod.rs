//! The packet-level simulator: flows over links between nodes, in the order of a classical event list.
//!
//! Nodes forward in zero time. On whole nanoseconds a link knows when each of its packets arrives as soon as it
//! takes it, so that a packet costs one event per hop. On the time of ns the start of a transmission is an event
//! where a packet waited for it.

mod access;
mod agenda;
mod classic;
mod compact_form;
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
mod timeline;
mod topology;
mod traffic;
mod traffic_tally;
mod transfers;

use agenda::{Agenda, Component, EventKey};
use airtcp_core::{Cancel, Instant, Payload as _, PollResult, Span};
use airtcp_radio::Observed as _;
use airtcp_radio::{SpecError, TrafficSource};
use airtcp_tcp::{ReceiverConfig, SenderConfig};
pub use counts::{DelayQuantiles, DelaySum, FlowCounts};
use ends::{Ends, LinkPacketOf};
use flow::Flow;
pub use flow::FlowConfig;
use links::{AckDirection, DataDirection, Direction, Links};
pub use lost::RouteLosses;
use memory_limit::{BURST, MemoryLimit, MemoryUse};
pub use observer::{
    DatagramEvent, Event, LossEvent, NullObserver, Observer, PacketEvent, SenderView,
};
pub use packet::{AckPacket, Carried, DataPacket, Packet};
use packet::{FlowPacket as _, LinkPacket as _};
pub use path::{
    classic_config, flow_routes, link_configs, observe_by_timeline, run, run_observed,
    run_with_links, trace, trace_within, traffic_configs, traffic_routes,
};
use rows::Row;
pub use rows::RowConfig;
pub use table::{
    BUSY, DROP, EVENT, EventTable, LENGTH, MARK, MARKED, PROBE, RecordLayout, SACK, SLOW_STATE,
    SOJOURN, STAMP, STATE, TRAFFIC,
};
use timeline::Timeline;
pub use topology::LinkConfig;
use topology::{FlowRoutes, Topology};
pub use traffic::{Datagram, TrafficConfig};
pub use traffic_tally::{PartCounts, TrafficCounts};
pub use transfers::TransferCounts;

/// Events between two looks at the cancel flag. Each may cost as much as a window is wide.
const EVENTS_PER_CHECK: u32 = 1 << 8;

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
    pub fn bulk_transfers(
        links: Vec<LinkConfig>,
        mut flows: Vec<FlowConfig<C>>,
        end: Instant,
    ) -> Self {
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
    /// Number of the timer of the first source, and of the first flow whose transfers follow each other.
    first_source: usize,
    first_request: usize,
    unfinished: usize,
    /// Time at which the last flow ended.
    last_completion: Instant,
    agenda: Agenda,
    end: Instant,
    /// Packets between senders and their first nodes.
    packets_on_access: usize,
    /// Room for packets that flows wait for the ACKs of.
    outstanding: usize,
    memory_limit: MemoryLimit,
    /// Reason why the run has ended before its time, if it has.
    failure: Option<SpecError>,
    observer: O,
}

impl<O: Observer, T: Timeline, E: Ends, L: Links<T, E>> Network<O, T, E, L> {
    /// A network in which nothing has happened yet.
    fn new(mut config: NetworkConfig<E::Config>, observer: O) -> Self {
        let (topology, routes) = topology_of(&config);
        let nodes = |flow: &FlowConfig<_>| {
            (topology.source_node(flow.data_route[0]), topology.source_node(flow.ack_route[0]))
        };
        let has_requests = config.flows.iter().any(|flow| flow.requests.is_some());
        let flow = |flow: &mut FlowConfig<_>| Flow::new(flow, nodes(flow));
        let flows: Vec<Flow<E>> = config.flows.iter_mut().map(flow).collect();
        // Without access delays there are no timers for them.
        let kinds = if flows.iter().all(|flow| flow.access.is_none()) { 2 } else { 3 };
        let first_source = kinds * flows.len();
        let sources: Vec<_> =
            config.traffic.into_iter().map(|traffic| TrafficSource::new(traffic.source)).collect();
        let first_request = first_source + sources.len();
        let last = first_request + if has_requests { flows.len() } else { 0 };
        let mut agenda = Agenda::new(config.links.len(), last);
        let starts = config.flows.iter().map(|flow| (E::tick(&flow.ends), flow.start));
        let mut timeline = T::new(starts, &mut agenda);
        for (i, source) in sources.iter().enumerate() {
            let start = T::now(T::first_key_at(Instant::START));
            timeline.set_timer(&mut agenda, start, first_source + i, source.due());
        }
        Network {
            timeline,
            count: config.links.len(),
            hops: config
                .links
                .iter()
                .filter(|link| link.source_node != link.destination_node)
                .count()
                / 2,
            links: L::new(config.links, topology, routes, O::ENABLED),
            unfinished: flows.len() + usize::from(config.is_open),
            flows,
            rows: config.rows.into_iter().map(Row::new).collect(),
            sources,
            first_source,
            first_request,
            last_completion: Instant::START,
            agenda,
            end: config.end,
            packets_on_access: 0,
            outstanding: 0,
            memory_limit: MemoryLimit::DEFAULT,
            failure: None,
            observer,
        }
    }

    /// Runs to the end, or until it holds more than it may. Returns the instant of the end, or `None` if it was cancelled
    /// before.
    fn run(&mut self, cancel: &Cancel) -> Option<Instant> {
        self.run_until(self.end, cancel)
    }

    /// Runs until just before `end` or until all flows have ended, and returns that instant; `None` if cancelled. A
    /// further call continues the run.
    fn run_until(&mut self, end: Instant, cancel: &Cancel) -> Option<Instant> {
        self.observe_cancel(cancel);
        // Answers of hops mean nothing once `cancel` is set, the end included.
        let end = self.run_events(end, cancel).filter(|_| !cancel.is_set())?;
        self.check_memory(end);
        Some(end)
    }

    fn run_events(&mut self, end: Instant, cancel: &Cancel) -> Option<Instant> {
        let limit = T::first_key_at(end);
        let mut turns = 0_usize;
        loop {
            for _ in 0..EVENTS_PER_CHECK {
                if self.unfinished == 0 {
                    return Some(self.last_completion);
                }
                if !self.run_next_event(limit) {
                    return Some(end);
                }
            }
            if cancel.is_set() {
                return None;
            }
            turns += 1;
            if turns.is_multiple_of(self.count / 2) {
                // As often as there are hops, of two links each: a look at all of them costs the same per event, however many.
                let next = self.agenda.next_due();
                self.check_memory(if next < limit { T::instant_of(T::now(next)) } else { end });
            }
        }
    }

    /// Carries out the next event if it is due before `limit`, and returns whether it is. Of two links it branches to the first
    /// that is due: the processor predicts that, and would wait for the lesser of two keys.
    #[inline(always)]
    fn run_next_event(&mut self, limit: EventKey) -> bool {
        if L::IS_TWO_LINKS {
            let [data, acks] = self.agenda.first_two_hops();
            return if acks < data {
                self.run_hop_event::<AckDirection>(limit, acks, 1)
            } else {
                self.run_hop_event::<DataDirection>(limit, data, 0)
            };
        }
        let Some((due, component)) = self.agenda.next(limit) else { return false };
        match component {
            Component::Hop(link) if self.links.is_for_acks(link) => {
                self.on_hop_event::<AckDirection>(due, link);
            }
            Component::Hop(link) => self.on_hop_event::<DataDirection>(due, link),
            Component::Timer(timer) => self.on_timer(due, timer),
        }
        true
    }

    /// [`Network::run_next_event`] where `link` is the first that is due, at `due`; a timer may be before it.
    #[inline(always)]
    fn run_hop_event<S: Direction>(&mut self, limit: EventKey, due: EventKey, link: usize) -> bool {
        if self.agenda.has_timer_before(due) && self.run_timer_event(due.min(limit)) {
            return true;
        }
        if due >= limit {
            return false;
        }
        self.on_hop_event::<S>(due, link);
        true
    }

    #[cold]
    #[inline(never)]
    fn run_timer_event(&mut self, limit: EventKey) -> bool {
        let next = self.agenda.take_timer_before(limit);
        next.is_some_and(|(due, timer)| {
            self.on_timer(due, timer);
            true
        })
    }

    /// Ends the run if it holds more than it may at `now`.
    fn check_memory(&mut self, now: Instant) {
        if self.failure.is_some() {
            return;
        }
        let held = MemoryUse {
            hops: self.hops,
            packets_on_links: self.links.packets_held(),
            packets_on_access: self.packets_on_access,
            outstanding: self.outstanding,
            event_memory_full: self.observer.is_out_of_memory(|| self.links.history_bytes()),
        };
        if let Some(failure) = self.memory_limit.check(&held, now) {
            self.failure = Some(failure);
            self.unfinished = 0;
        }
    }

    /// Passes on `cancel`, so that no event takes long once it is set.
    fn observe_cancel(&mut self, cancel: &Cancel) {
        self.links.observe_cancel(cancel);
    }

    /// Counts of each flow up to `end`, where a part of the run ends.
    fn outcome(&mut self, end: Instant) -> Vec<FlowCounts> {
        self.links.advance_to(end);
        let (flows, links) = (&mut self.flows, &self.links);
        let on_links = |i| (links.arq_counters(i), links.losses_by_owner(i));
        self.rows.iter_mut().map(|row| row.count_until(flows, end, on_links)).collect()
    }

    /// Restarts the delay quantiles.
    fn forget_delays(&mut self) {
        self.observer.forget_delays();
        for flow in &mut self.flows {
            flow.meter.forget_delays();
        }
        self.rows.iter_mut().for_each(Row::forget_delays);
    }

    /// Returns the observer.
    fn into_observer(self) -> O {
        self.observer
    }

    #[inline(always)]
    fn on_timer(&mut self, due: EventKey, timer: usize) {
        let flows = self.flows.len();
        if L::HAS_ACCESS_AND_TRAFFIC && timer >= self.first_request {
            self.start_transfer(T::now(due), timer - self.first_request);
        } else if L::HAS_ACCESS_AND_TRAFFIC && timer >= self.first_source {
            self.send_datagram(T::now(due), timer - self.first_source);
        } else if L::HAS_ACCESS_AND_TRAFFIC && timer >= 2 * flows {
            self.on_access_due(T::now(due), timer - 2 * flows);
        } else if timer.is_multiple_of(2) {
            self.on_sender_timer(T::now(due), timer / 2);
        } else {
            self.on_receiver_timer(T::now(due), timer / 2);
        }
    }

    /// Takes packets from the far end of a link.
    #[inline(always)]
    fn on_hop_event<S: Direction>(&mut self, due: EventKey, link: usize) {
        let line = S::link(&mut self.links, link);
        if self.timeline.is_transmission_start(line, due) {
            return self.agenda.set_hop(link, T::due(line));
        }
        let now = T::now(due);
        loop {
            let line = S::link(&mut self.links, link);
            let next = self.timeline.poll(line, now);
            let due = T::due(line);
            self.agenda.set_hop(link, due);
            let PollResult::Out(packet) = next else { break };
            match packet.into_carried() {
                Carried::Data(packet) => self.on_data_at_node(now, link, packet),
                Carried::Ack(packet) => self.on_ack_at_node(now, link, packet),
                Carried::Datagram(packet) => self.on_datagram_at_node(now, link, packet),
            }
            if !T::is_polled_again(now, due) {
                break;
            }
        }
        self.emit_losses::<S>(now, link);
    }

    /// Data arrives at the end of a link.
    #[inline(always)]
    fn on_data_at_node(&mut self, now: T::Now, link: usize, packet: E::Data) {
        if O::ENABLED && !self.links.is_access(link) {
            self.emit(now, packet.flow(), self.links.destination_node(link), || {
                (packet.to_packet(), Event::Arrived)
            });
        }
        match self.links.next_data_link(packet.flow() as usize, link) {
            None => self.on_data_received(now, &packet),
            Some(next) => self.push::<DataDirection>(now, next, L::pack_data(packet)),
        }
    }

    /// An ACK arrives at the end of a link.
    #[inline(always)]
    fn on_ack_at_node(&mut self, now: T::Now, link: usize, packet: E::Ack) {
        let flow = packet.flow() as usize;
        match self.links.next_ack_link(flow, link) {
            None if self.is_direct(flow) => self.on_ack_received(now, &packet),
            None => self.push_access(now, flow, Carried::Ack(packet)),
            Some(next) => {
                if O::ENABLED && !self.links.is_access(next) {
                    let node = self.links.destination_node(link);
                    self.emit(now, packet.flow(), node, || (packet.to_packet(), Event::Arrived));
                }
                self.push::<AckDirection>(now, next, L::pack_ack(packet));
            }
        }
    }

    #[inline(always)]
    fn on_data_received(&mut self, now: T::Now, packet: &E::Data) {
        let flow = packet.flow() as usize;
        if E::is_probe(packet) {
            return self.answer_probe(now, packet.clone());
        }
        let Network { flows, links, timeline, agenda, observer, .. } = self;
        let link = links.first_ack_link(flow);
        let (index, flow) = (flow, &mut flows[flow]);
        let (born, spurious) = flow.on_data(T::instant_of(now), packet);
        if O::ENABLED && spurious > 0 {
            emit_spurious(observer, T::instant_of(now), index, flow, spurious);
        }
        let hop = links.ack_link(link);
        send_acks::<O, T, E, L>(observer, timeline, agenda, now, (index, flow), (link, hop), born);
        self.emit_losses::<AckDirection>(now, link);
    }

    #[inline(always)]
    fn on_ack_received(&mut self, now: T::Now, packet: &E::Ack) {
        let index = packet.flow() as usize;
        let flow = &mut self.flows[index];
        if flow.on_ack(T::instant_of(now), packet) && flow.ends.is_complete() {
            self.on_transfer_complete(now, index);
            self.send_data_and_set_timer(now, index);
        } else {
            self.send_data(now, index);
        }
        if O::ENABLED {
            let node = self.flows[index].sender_node;
            self.emit(now, packet.flow(), node, || (packet.to_packet(), Event::Acked));
        }
    }

    /// A transfer is complete: the flow ends, or another one follows.
    #[cold]
    #[inline(never)]
    fn on_transfer_complete(&mut self, now: T::Now, index: usize) {
        let (at, flow) = (T::instant_of(now), &mut self.flows[index]);
        if let Some(transfers) = &mut self.rows[flow.row].transfers {
            transfers.record(flow.transfer.bytes, at - flow.transfer.start);
        }
        match flow.next_transfer(at) {
            Some(start) => {
                let timer = self.first_request + index;
                self.timeline.set_timer(&mut self.agenda, now, timer, start);
            }
            None => self.count_finished_flow(at),
        }
    }

    fn count_finished_flow(&mut self, at: Instant) {
        self.unfinished -= 1;
        self.last_completion = at;
    }

    /// The application of a flow writes again.
    #[cold]
    #[inline(never)]
    fn start_transfer(&mut self, now: T::Now, index: usize) {
        self.timeline.set_timer(&mut self.agenda, now, self.first_request + index, Instant::NEVER);
        if self.flows[index].start_transfer(T::instant_of(now)) {
            self.send_data_and_set_timer(now, index);
        } else {
            self.count_finished_flow(T::instant_of(now));
        }
    }

    fn on_sender_timer(&mut self, mut now: T::Now, flow: usize) {
        if self.flows[flow].ends.has_begun() {
            now = T::now_at_expiry(now, self.flows[flow].ends.sender_timeout());
            self.emit_timeout(now, flow);
        } else {
            self.flows[flow].ends.begin(T::instant_of(now));
        }
        self.send_data_and_set_timer(now, flow);
    }

    /// Returns whether nothing lies between the sender and its first node.
    #[inline(always)]
    fn is_direct(&self, flow: usize) -> bool {
        !L::HAS_ACCESS_AND_TRAFFIC || self.flows[flow].access.is_none()
    }

    fn emit_timeout(&mut self, now: T::Now, flow: usize) {
        let Some(spurious) = self.flows[flow].on_sender_timer(T::instant_of(now)) else { return };
        let (shown, node) =
            (self.flows[flow].timed_packet(flow as u32), self.flows[flow].sender_node);
        self.emit(now, flow as u32, node, || (shown, Event::TimedOut));
        if spurious {
            self.emit(now, flow as u32, node, || (shown, Event::Spurious));
        }
    }

    /// A packet arrives to the access of its flow, at either end of that.
    #[cold]
    #[inline(never)]
    fn push_access(&mut self, now: T::Now, index: usize, packet: LinkPacketOf<E>) {
        self.flows[index].access.push(T::instant_of(now), packet);
        self.packets_on_access += 1;
        self.schedule_access(now, index);
    }

    fn schedule_access(&mut self, now: T::Now, index: usize) {
        let (timer, due) = (2 * self.flows.len() + index, self.flows[index].access.due());
        self.timeline.set_timer(&mut self.agenda, now, timer, due);
    }

    /// Takes packets from the far end of a flow's access, whichever that is.
    #[cold]
    #[inline(never)]
    fn on_access_due(&mut self, now: T::Now, index: usize) {
        while let Some(packet) = self.flows[index].access.poll(T::instant_of(now)) {
            self.packets_on_access -= 1;
            match packet {
                Carried::Data(packet) => {
                    let first = self.links.first_data_link(index);
                    self.push::<DataDirection>(now, first, L::pack_data(packet));
                }
                Carried::Ack(packet) => self.on_ack_received(now, &packet),
                Carried::Datagram(_) => unreachable!("cross-traffic has no access"),
            }
        }
        self.schedule_access(now, index);
    }

    /// A source of cross-traffic sends its next packet.
    #[cold]
    #[inline(never)]
    fn send_datagram(&mut self, now: T::Now, source: usize) {
        let owner = self.flows.len() + source;
        let bits = self.sources[source].send();
        let packet = Datagram { owner: owner as u32, bits, born: T::instant_of(now) };
        self.observer.on_datagram_sent(source, &packet);
        let node = self.links.source_node(self.links.first_data_link(owner));
        self.emit_datagram(
            T::instant_of(now),
            node,
            &packet,
            Event::Sent { is_retransmission: false },
        );
        let (timer, due) = (self.first_source + source, self.sources[source].due());
        self.timeline.set_timer(&mut self.agenda, now, timer, due);
        self.push::<DataDirection>(
            now,
            self.links.first_data_link(owner),
            L::pack_datagram(packet),
        );
    }

    /// A packet of cross-traffic arrives at the end of a link.
    #[cold]
    #[inline(never)]
    fn on_datagram_at_node(&mut self, now: T::Now, link: usize, packet: Datagram) {
        self.emit_datagram(
            T::instant_of(now),
            self.links.destination_node(link),
            &packet,
            Event::Arrived,
        );
        if let Some(next) = self.links.next_data_link(packet.owner as usize, link) {
            self.push::<DataDirection>(now, next, L::pack_datagram(packet));
        } else {
            let source = packet.owner as usize - self.flows.len();
            self.observer.on_datagram_arrived(source, &packet, T::instant_of(now) - packet.born);
        }
    }

    fn emit_datagram(&mut self, at: Instant, node: usize, packet: &Datagram, event: Event) {
        if O::ENABLED {
            let (node, source) = (node as u32, packet.owner - self.flows.len() as u32);
            self.observer.on_datagram_event(DatagramEvent {
                at,
                node,
                source,
                bits: packet.bits,
                event,
            });
        }
    }

    #[inline(never)]
    fn on_receiver_timer(&mut self, now: T::Now, flow: usize) {
        self.flows[flow].ends.on_receiver_timer(T::instant_of(now));
        self.send_acks(now, flow);
    }

    /// Does the same as [`Network::send_data`], for places off the busy path.
    #[inline(never)]
    fn send_data_and_set_timer(&mut self, now: T::Now, index: usize) {
        self.send_data(now, index);
    }

    /// Sends the data that the sender may send, and sets its timer.
    #[inline(always)]
    fn send_data(&mut self, now: T::Now, index: usize) {
        let link = self.links.first_data_link(index);
        let (flow, hop) = (&mut self.flows[index], self.links.data_link(link));
        let (capacity, node, mut sent) = (flow.capacity(), flow.sender_node, 0);
        let (timeline, agenda) = (&mut self.timeline, &mut self.agenda);
        let (at, timer) = (T::instant_of(now), 2 * index);
        timeline.on_timer_start(agenda, now, timer, &flow.ends);
        let direct = !L::HAS_ACCESS_AND_TRAFFIC || flow.access.is_none();
        let Flow { ends, meter, access, .. } = flow;
        let allowance = ends.allowance(at);
        while let Some((packet, is_retransmission)) =
            ends.poll_data(at, allowance, index as u32, meter)
        {
            sent += 1;
            let event = || (packet.to_packet(), Event::Sent { is_retransmission });
            self.observer.emit(at, node, ends.sender_view(), event);
            if direct {
                timeline.push(hop, now, L::pack_data(packet));
            } else {
                access.push(at, Carried::Data(packet));
                self.packets_on_access += 1;
            }
            timeline.on_timer_start(agenda, now, timer, ends);
        }
        if let Some(packet) = flow.poll_probe(at, index as u32) {
            let event = || (packet.to_packet(), Event::Sent { is_retransmission: false });
            self.observer.emit(at, node, flow.ends.sender_view(), event);
            if direct {
                timeline.push(hop, now, L::pack_data(packet));
            } else {
                flow.access.push(at, Carried::Data(packet));
                self.packets_on_access += 1;
            }
        }
        timeline.set_timer(agenda, now, timer, flow.ends.sender_timeout());
        self.outstanding += flow.capacity() - capacity;
        if direct {
            agenda.set_hop(link, T::due(hop));
            self.emit_losses::<DataDirection>(now, link);
        } else {
            self.schedule_access(now, index);
        }
        if sent >= BURST {
            self.check_memory(at);
        }
    }

    /// The receiver answers a probe at once.
    #[cold]
    #[inline(never)]
    #[expect(clippy::needless_pass_by_value, reason = "the packet need then not lie in memory")]
    fn answer_probe(&mut self, now: T::Now, probe: E::Data) {
        let index = probe.flow() as usize;
        let (packet, node) =
            (self.flows[index].answer_probe(&probe), self.flows[index].receiver_node);
        self.emit(now, probe.flow(), node, || (packet.to_packet(), Event::AckSent));
        self.push::<AckDirection>(now, self.links.first_ack_link(index), L::pack_ack(packet));
    }

    /// Hands the ACKs that are due to the way back, though no data calls for them.
    fn send_acks(&mut self, now: T::Now, index: usize) {
        let Network { flows, links, timeline, agenda, observer, .. } = self;
        let link = links.first_ack_link(index);
        let (flow, hop) = ((index, &mut flows[index]), (link, links.ack_link(link)));
        send_acks::<O, T, E, L>(observer, timeline, agenda, now, flow, hop, Instant::NEVER);
        self.emit_losses::<AckDirection>(now, link);
    }

    #[inline(always)]
    fn push<S: Direction>(&mut self, now: T::Now, link: usize, packet: S::Packet<T, E, L>) {
        let line = S::link(&mut self.links, link);
        self.timeline.push(line, now, packet);
        self.agenda.set_hop(link, T::due(line));
        self.emit_losses::<S>(now, link);
    }

    #[inline(always)]
    fn emit_losses<S: Direction>(&mut self, now: T::Now, link: usize) {
        if O::ENABLED {
            while let Some(lost) = S::link(&mut self.links, link).take_lost() {
                let (at, node) = (lost.at.min(T::instant_of(now)), self.links.source_node(link));
                let (owner, bits, cause) =
                    (lost.payload.owner() as u32, lost.payload.bits(), lost.cause);
                self.observer.on_loss(LossEvent { at, link: link as u32, owner, bits, cause });
                if let Some(packet) = lost.payload.observed_packet() {
                    self.emit_at(at, packet.flow, node, || (packet, Event::Lost(cause)));
                } else {
                    self.emit_datagram(
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
    fn emit(
        &mut self,
        now: T::Now,
        flow: u32,
        node: usize,
        event: impl FnOnce() -> (Packet, Event),
    ) {
        self.emit_at(T::instant_of(now), flow, node, event);
    }

    #[inline]
    fn emit_at(
        &mut self,
        at: Instant,
        flow: u32,
        node: usize,
        event: impl FnOnce() -> (Packet, Event),
    ) {
        if O::ENABLED {
            self.observer.emit(at, node, self.flows[flow as usize].ends.sender_view(), event);
        }
    }
}

/// Hands the ACKs that are due to the way back; `born` is the time at which the data that calls for the first was first sent: what follows at once
/// says that the application has read, which is no answer to the data.
#[inline(always)]
fn send_acks<O: Observer, T: Timeline, E: Ends, L: Links<T, E>>(
    observer: &mut O,
    timeline: &mut T,
    agenda: &mut Agenda,
    now: T::Now,
    (index, flow): (usize, &mut Flow<E>),
    (link, hop): (usize, &mut T::Hop<L::Ack>),
    mut born: Instant,
) {
    let mut sent = false;
    while let Some(packet) = flow.poll_ack(T::instant_of(now), index as u32, born) {
        sent = true;
        born = Instant::NEVER;
        let event = || (packet.to_packet(), Event::AckSent);
        observer.emit(T::instant_of(now), flow.receiver_node, flow.ends.sender_view(), event);
        timeline.push(hop, now, L::pack_ack(packet));
    }
    if sent {
        agenda.set_hop(link, T::due(hop));
    }
    let (timer, expiry) = (2 * index + 1, flow.ends.receiver_timeout());
    timeline.set_timer(agenda, now, timer, expiry);
}

/// Reports that `expiries` expiries of a flow are now known to have been spurious.
#[cold]
#[inline(never)]
fn emit_spurious<O: Observer, E: Ends>(
    observer: &mut O,
    at: Instant,
    index: usize,
    flow: &Flow<E>,
    expiries: u32,
) {
    let shown = flow.timed_packet(index as u32);
    for _ in 0..expiries {
        observer.emit(at, flow.receiver_node, flow.ends.sender_view(), || (shown, Event::Spurious));
    }
}

/// The ways of all flows, and of each which those are.
fn topology_of<C>(config: &NetworkConfig<C>) -> (Topology, Vec<FlowRoutes>) {
    let mut topology = Topology::new(&config.links);
    let mut route = |links: &[usize]| topology.route_number(links) as u32;
    let each = config.flows.iter();
    let mut routes: Vec<_> = each
        .map(|flow| FlowRoutes { data: route(&flow.data_route), acks: route(&flow.ack_route) })
        .collect();
    // Nothing comes back of cross-traffic.
    let one_way = config.traffic.iter().map(|traffic| route(&traffic.route));
    routes.extend(one_way.map(|route| FlowRoutes { data: route, acks: route }));
    (topology, routes)
}

/// Returns whether all data goes one way along a chain, without cross-traffic.
fn is_one_way<C>(config: &NetworkConfig<C>) -> bool {
    let (topology, routes) = topology_of(config);
    // Timers of applications are only where there may be more than senders and receivers.
    let direct =
        config.flows.iter().all(|flow| flow.access_delay == Span::ZERO && flow.requests.is_none());
    direct && config.traffic.is_empty() && topology.is_one_way(&routes)
}
