//! The two hosts of a flow: the one that connects and writes, and the one that accepts and reads at once.

use super::super::counts::FlowCounts;
use super::super::ends::Ends;
use super::super::meter::FlowMeter;
use super::super::observer::SenderView;
use super::super::packet::Packet;
use super::arrivals::Arrivals;
use super::packet::{LinuxAck, LinuxData, Syn};
use airtcp_core::{Instant, Span};
use airtcp_linux::congestion::CaState;
use airtcp_linux::connection::{Connection, PlainAck, PlainDataOutcome, State};
use airtcp_linux::segment::Flags;
use airtcp_linux::{Segment as Sent, TimeInUnits};
use airtcp_scenario::{LinuxHost, LinuxPair};
use airtcp_tcp::Segment;

/// Both hosts, and what their applications still have to do.
pub(in super::super) struct LinuxEnds {
    client_host: LinuxHost,
    server_host: LinuxHost,
    client: Option<Connection>,
    server: Option<Connection>,
    mss: u32,
    header: u32,
    ack_header: u32,
    amount: Option<u64>,
    application_wrote: bool,
    application_read: bool,
    /// A burst that leaves packet by packet.
    burst: Option<Burst>,
    /// An ACK that leaves before the server's other output.
    answer: Option<PlainAck>,
    packets_sent: u64,
    packets_resent: u64,
    recoveries: u64,
    arrivals: Arrivals,
}

impl LinuxEnds {
    fn now(&self, at: Instant) -> TimeInUnits {
        self.client_host.environment.clock.units_at(at)
    }

    fn peer_now(&self, at: Instant) -> TimeInUnits {
        self.server_host.environment.clock.units_at(at)
    }

    /// Bytes that were acknowledged.
    #[inline]
    fn una(&self) -> u64 {
        self.client.as_ref().map_or(0, |client| client.sender().una().saturating_sub(1))
    }

    /// Bytes that have arrived in order.
    #[inline]
    fn received_in_order(&self) -> u64 {
        self.server.as_ref().map_or(0, |server| server.receiver().nxt().saturating_sub(1))
    }

    /// Sets the clamp of the window again, which Linux forgets with the first data [crates/linux/rules/receiver.md rule
    /// 25].
    #[cold]
    fn clamp_mss(host: &LinuxHost, server: &mut Connection) {
        let bytes = host.options.window_clamp;
        if bytes > 0 {
            server.set_window_clamp(bytes);
        }
    }

    /// Takes and reads data if they are the next ones.
    #[inline(always)]
    fn receive_plain_data(&mut self, now: TimeInUnits, packet: &LinuxData) -> PlainDataOutcome {
        match (&mut self.server, packet.as_plain()) {
            (Some(server), Some(data)) if self.application_read => {
                server.receive_plain_data(now, &data)
            }
            _ => PlainDataOutcome::NotPlain,
        }
    }

    /// A packet arrives at the receiver that is not the next data.
    #[inline(never)]
    fn receive_other_data(&mut self, now: TimeInUnits, packet: LinuxData) {
        let segment = packet.segment();
        let Some(server) = &mut self.server else {
            if packet.syn.is_some() {
                let LinuxHost { environment, options } = &self.server_host;
                self.server = Some(Connection::accept(environment, options, now, &segment));
            }
            return;
        };
        server.on_segment(now, &segment, true);
        let unread = server.receiver().unread();
        if unread > 0 {
            server.read(now, unread);
            if !self.application_read {
                self.application_read = true;
                Self::clamp_mss(&self.server_host, server);
            }
        }
    }

    /// An ACK leaves that is not the answer to the next data alone.
    #[inline(never)]
    fn poll_general_ack(
        &mut self,
        flow: u32,
        born: Instant,
        meter: &mut FlowMeter,
    ) -> Option<LinuxAck> {
        let segment = self.server.as_mut()?.transmit()?;
        let bits = 8 * (self.ack_header + segment.options_length());
        if !segment.flags.has(Flags::SYN) {
            meter.on_ack_sent(bits.into());
        }
        Some(LinuxAck::new(&segment, (flow, self.mss), bits + meter.framing as u32, born))
    }

    /// Returns whether it is an ACK that nothing is suspicious about, which is taken.
    #[inline(always)]
    fn accept_plain_ack(&mut self, now: TimeInUnits, packet: &LinuxAck) -> bool {
        match (&mut self.client, packet.as_plain()) {
            (Some(client), Some(ack)) if self.application_wrote => {
                client.accept_plain_ack(now, &ack)
            }
            _ => false,
        }
    }

    /// A packet arrives at the sender that is not such an ACK. Whether it counts as an ACK.
    #[inline(never)]
    fn receive_other_ack(&mut self, now: TimeInUnits, packet: LinuxAck) -> bool {
        let Some(client) = &mut self.client else { return false };
        let before = client.sender().state();
        client.on_segment(now, &packet.received_segment(), true);
        let after = client.sender().state();
        self.recoveries += u64::from(after == CaState::Recovery && before != CaState::Recovery);
        self.write(now);
        !packet.flags.has(Flags::SYN)
    }

    /// The application writes everything in one call, once it is connected.
    fn write(&mut self, now: TimeInUnits) {
        let Some(client) = &mut self.client else { return };
        if !self.application_wrote && client.state() == State::Established {
            self.application_wrote = true;
            client.write_all(now, self.amount.unwrap_or(u64::MAX));
        }
    }
}

/// Rest of a burst that leaves packet by packet.
#[derive(Clone, Copy, Debug)]
struct Burst {
    first: LinuxData,
    /// Bytes left, and bytes of every packet but the last.
    len: u32,
    packet_payload: u32,
    header: u32,
    retransmission: bool,
}

impl Burst {
    fn from_segment(segment: &Sent, flow: u32, mss: u32, header: u32) -> Self {
        let first = LinuxData {
            flow,
            mss,
            seq: segment.seq,
            ack: segment.ack,
            len: segment.len,
            bits: 0,
            expiries: 0,
            window: segment.window,
            flags: segment.flags,
            ecn: segment.ecn,
            timestamps: segment.timestamps,
            born: Instant::START,
            syn: Syn::from_segment(segment),
        };
        let Sent { len, size, retransmission, .. } = *segment;
        Burst {
            first,
            len,
            packet_payload: size,
            header: header + segment.options_length(),
            retransmission,
        }
    }

    /// The next packet; PSH and FIN are the last one's, CWR is the first one's.
    #[inline]
    fn next_packet(&mut self) -> LinuxData {
        let mut packet = self.first;
        if self.len > self.packet_payload {
            packet.len = self.packet_payload;
            packet.flags = packet.flags.without(LAST_PACKET_FLAGS);
        } else {
            packet.len = self.len;
        }
        self.len -= packet.len;
        self.first.seq += u64::from(packet.len);
        self.first.flags = self.first.flags.without(Flags::CWR);
        packet.bits = 8 * (self.header + packet.len);
        packet
    }
}

/// Bytes of timestamps in a header.
const TIMESTAMP_BYTES: u32 = 12;

/// Flags of the last packet of a burst.
const LAST_PACKET_FLAGS: Flags = Flags(Flags::PSH.0 | Flags::FIN.0);

impl Ends for LinuxEnds {
    type Config = LinuxPair;
    type Data = LinuxData;
    type Ack = LinuxAck;
    type SendAllowance = ();

    fn new(pair: &LinuxPair, amount: Option<u64>) -> Self {
        LinuxEnds {
            client_host: pair.sender.clone(),
            server_host: pair.receiver.clone(),
            client: None,
            server: None,
            mss: pair.mss,
            header: pair.header,
            ack_header: pair.ack,
            amount,
            application_wrote: false,
            application_read: false,
            burst: None,
            answer: None,
            packets_sent: 0,
            packets_resent: 0,
            recoveries: 0,
            arrivals: Arrivals::default(),
        }
    }

    fn mss(pair: &LinuxPair) -> u32 {
        pair.mss
    }

    fn tick(_: &LinuxPair) -> Option<Span> {
        None
    }

    #[inline]
    fn has_begun(&self) -> bool {
        self.client.is_some()
    }

    /// The application connects.
    fn begin(&mut self, at: Instant) {
        let now = self.now(at);
        let LinuxHost { environment, options } = &self.client_host;
        self.client = Some(Connection::connect(environment, options, now));
    }

    fn write(&mut self, at: Instant, amount: u64) {
        let now = self.now(at);
        self.amount = self.amount.map(|before| before.saturating_add(amount));
        if let Some(client) = &mut self.client {
            client.write_all(now, amount);
        }
    }

    #[inline]
    fn is_complete(&self) -> bool {
        self.amount.is_some_and(|amount| self.una() >= amount)
    }

    fn on_sender_timer(&mut self, at: Instant, meter: &mut FlowMeter) -> Option<bool> {
        let now = self.now(at);
        let client = self.client.as_mut()?;
        let (una, before) = (client.sender().una(), client.sender().timeouts());
        client.on_timer(now);
        let expired = client.sender().timeouts() > before;
        self.write(now);
        expired.then(|| {
            meter.on_timer_expired(
                una.saturating_sub(1),
                self.received_in_order() > una.saturating_sub(1),
            )
        })
    }

    fn on_receiver_timer(&mut self, at: Instant) {
        let now = self.peer_now(at);
        if let Some(server) = &mut self.server {
            server.on_timer(now);
        }
    }

    #[inline]
    fn sender_timeout(&self) -> Instant {
        self.client.as_ref().map_or(Instant::NEVER, Connection::next_timer)
    }

    #[inline]
    fn receiver_timeout(&self) -> Instant {
        self.server.as_ref().map_or(Instant::NEVER, Connection::next_timer)
    }

    fn timer_starts(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn allowance(&mut self, _: Instant) {}

    #[inline(always)]
    fn poll_data(
        &mut self,
        at: Instant,
        (): (),
        flow: u32,
        meter: &mut FlowMeter,
    ) -> Option<(LinuxData, bool)> {
        if self.burst.is_none() {
            if !self.client.as_ref()?.can_send_plain() {
                return None;
            }
            let now = self.now(at);
            let segment = self.client.as_mut()?.poll_plain(now)?;
            self.burst = Some(Burst::from_segment(&segment, flow, self.mss, self.header));
        }
        let burst = self.burst.as_mut()?;
        let (mut packet, is_retransmission) = (burst.next_packet(), burst.retransmission);
        if burst.len == 0 {
            self.burst = None;
        }
        packet.born = at;
        packet.expiries = meter.expiries();
        if packet.len > 0 {
            self.packets_sent += 1;
            self.packets_resent += u64::from(is_retransmission);
            let (seq, bits) = (packet.seq - 1, packet.bits.into());
            let data = (seq, seq + u64::from(packet.len));
            packet.born = meter.on_data_sent(at, self.una(), data, bits, is_retransmission);
        }
        packet.bits += meter.framing as u32;
        Some((packet, is_retransmission))
    }

    #[inline(always)]
    fn poll_probe(&mut self, _: Instant, _: u32, _: &mut FlowMeter) -> Option<LinuxData> {
        None
    }

    #[inline(always)]
    fn is_probe(_: &LinuxData) -> bool {
        false
    }

    fn answer_probe(&mut self, _: &LinuxData, _: &mut FlowMeter) -> LinuxAck {
        unreachable!("there are no probes")
    }

    #[inline(always)]
    fn on_data(
        &mut self,
        at: Instant,
        packet: &LinuxData,
        meter: &mut FlowMeter,
    ) -> (Instant, u32) {
        let now = self.peer_now(at);
        match self.receive_plain_data(now, packet) {
            PlainDataOutcome::NotPlain => self.receive_other_data(now, *packet),
            PlainDataOutcome::Silently => {}
            PlainDataOutcome::With(answer) => self.answer = Some(answer),
        }
        if packet.len == 0 {
            return (Instant::NEVER, 0);
        }
        let seq = packet.seq - 1;
        let end = seq + u64::from(packet.len);
        let new = self.arrivals.record(seq, end);
        let mark = (packet.born, packet.expiries);
        let spurious = meter.on_data_arrived(at, (seq, end), mark, new > 0);
        meter.on_new_data(end, new, self.una());
        (if new > 0 { packet.born } else { Instant::NEVER }, spurious)
    }

    #[inline(always)]
    fn poll_ack(
        &mut self,
        _: Instant,
        flow: u32,
        born: Instant,
        meter: &mut FlowMeter,
    ) -> Option<LinuxAck> {
        if let Some(answer) = self.answer.take() {
            let bits = 8 * (self.ack_header + answer.timestamps.map_or(0, |_| TIMESTAMP_BYTES));
            meter.on_ack_sent(bits.into());
            let bits = bits + meter.framing as u32;
            return Some(LinuxAck::from_plain(&answer, (flow, self.mss), bits, born));
        }
        if self.server.as_ref()?.has_no_output() {
            return None;
        }
        self.poll_general_ack(flow, born, meter)
    }

    #[inline(always)]
    fn on_ack(&mut self, at: Instant, packet: &LinuxAck, meter: &mut FlowMeter) -> bool {
        let now = self.now(at);
        let una = self.una();
        if !self.accept_plain_ack(now, packet) && !self.receive_other_ack(now, *packet) {
            return false;
        }
        let reached = self.una();
        meter.on_ack_arrived(at, packet.born, una, reached);
        reached > una
    }

    fn timed_packet(&self, flow: u32) -> Packet {
        let segment = Segment::Data { seq: self.una(), len: 0, bits: 0, stamp: 0 };
        Packet { flow, mss: self.mss, segment, ecn: 0 }
    }

    fn add_counts(&self, counts: &mut FlowCounts, meter: &FlowMeter) {
        let timeouts = self.client.as_ref().map_or(0, |client| client.sender().timeouts());
        *counts = FlowCounts {
            sent: self.packets_sent,
            resent: self.packets_resent,
            acked: meter.packets_received_below(self.una()),
            deliveries: self.arrivals.new_packets,
            duplicates: self.arrivals.duplicate_packets,
            in_order: meter.packets_received_below(self.received_in_order()),
            timeouts: timeouts.into(),
            fast_retransmits: self.recoveries,
            in_order_bits: 8 * self.received_in_order(),
            acked_bits: 8 * self.una(),
            ..*counts
        };
    }

    fn sender_view(&self) -> SenderView<'_> {
        SenderView::Linux(self.client.as_ref())
    }
}
