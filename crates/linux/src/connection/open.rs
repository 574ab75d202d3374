//! Both sides of the handshake [rules/options.md rules 1, 2, 9, 10; rules/timers.md rules 16, 17].

use super::handshake::{Handshake, PeerOptions};
use super::{Connection, EndReason, HostEnvironment, SocketOptions, State};
use crate::clock::TimeInUnits;
use crate::receiver::NegotiatedOptions;
use crate::segment::{Flags, Segment};
use crate::sender::Establishment;

/// MSS of a peer that announces none.
const DEFAULT_MSS: u16 = 536;
/// Bytes of timestamps in a header.
const TIMESTAMP_BYTES: u32 = 12;

impl Connection {
    /// Begins a connection: the SYN can be transmitted.
    #[must_use]
    pub fn connect(
        environment: &HostEnvironment,
        options: &SocketOptions,
        now: TimeInUnits,
    ) -> Self {
        Connection::connect_reusing_pair(environment, options, now, 0)
    }

    /// Connects after a connection of the same pair, whose last timestamp the SYN echoes
    /// [rules/sockets.md rule 16].
    #[must_use]
    pub fn connect_reusing_pair(
        environment: &HostEnvironment,
        options: &SocketOptions,
        now: TimeInUnits,
        echo: u32,
    ) -> Self {
        Connection::connect_fast_open(environment, options, now, echo, None)
    }

    /// Connects with Fast Open and `data` bytes in the SYN [rules/fast_open.md].
    #[must_use]
    pub fn connect_fast_open(
        environment: &HostEnvironment,
        options: &SocketOptions,
        now: TimeInUnits,
        echo: u32,
        data: Option<u32>,
    ) -> Self {
        let mss = announced_mss(&environment.route.max_segment_size(), options);
        let mut connection = Connection::new(environment, options, State::SynSent, mss);
        connection.fast_open.syn_data_bytes = data.unwrap_or(0);
        connection.fast_open.is_requested = data.is_some();
        connection.stamps.set_initial(now, echo);
        let stamp = connection.stamps.timestamp_at(now.instant);
        connection.handshake = Handshake::begin(connection.clock, now, stamp, true);
        connection.handshake.requested_ecn = connection.sysctl.tcp_ecn == 1;
        connection.send_syn(now);
        connection
    }

    /// Answers a SYN: the SYN-ACK can be transmitted.
    #[must_use]
    pub fn accept(
        environment: &HostEnvironment,
        options: &SocketOptions,
        now: TimeInUnits,
        syn: &Segment,
    ) -> Self {
        let mut connection = Connection::begin_passive(environment, options, now, syn);
        connection.send_syn_ack(now);
        connection
    }

    /// Takes a SYN, and leaves the SYN-ACK to the caller.
    pub(super) fn begin_passive(
        environment: &HostEnvironment,
        options: &SocketOptions,
        now: TimeInUnits,
        syn: &Segment,
    ) -> Self {
        let stamps = syn.timestamps.is_some() && environment.sysctl.tcp_timestamps != 0;
        let mss = announced_mss(&environment.route.max_segment_size(), options);
        let rounding = mss - if stamps { TIMESTAMP_BYTES } else { 0 };
        let mut connection = Connection::new(environment, options, State::SynReceived, rounding);
        let stamp = connection.stamps.timestamp_at(now.instant);
        let mut handshake = Handshake::begin(connection.clock, now, stamp, false);
        handshake.peer = connection.peer_options(syn);
        handshake.ecn = Handshake::accepts_ecn(syn, connection.sysctl.tcp_ecn);
        connection.handshake = handshake;
        connection.stamps.is_enabled = handshake.peer.timestamps;
        if let (true, Some(stamps)) = (connection.stamps.is_enabled, syn.timestamps) {
            connection.stamps.set_initial(now, stamps.value);
        }
        connection.counts.count_received(syn);
        connection.receiver.on_syn();
        connection
    }

    fn peer_options(&self, syn: &Segment) -> PeerOptions {
        let sysctl = &self.sysctl;
        PeerOptions::from_syn(
            syn,
            sysctl.tcp_window_scaling != 0,
            sysctl.tcp_sack != 0,
            sysctl.tcp_timestamps != 0,
        )
    }

    fn send_syn(&mut self, now: TimeInUnits) {
        let asks = self.handshake.requested_ecn
            && (self.handshake.copies == 0 || self.sysctl.tcp_ecn_fallback == 0);
        self.enqueue(Segment {
            flags: Flags::SYN.with(Flags(Flags::ECE.0 | Flags::CWR.0), asks),
            window: self.receiver.first_window(),
            mss: Some(announced_mss(&self.route.max_segment_size(), &self.options) as u16),
            scale: (self.sysctl.tcp_window_scaling != 0).then(|| self.receiver.scale()),
            sack_permitted: self.sysctl.tcp_sack != 0,
            timestamps: self.stamps.timestamp_option(now.instant),
            departure: now.instant,
            retransmission: self.handshake.copies > 0,
            tos: self.options.tos & !3,
            len: if self.handshake.copies == 0 { self.fast_open.syn_data_bytes } else { 0 },
            ..Segment::default()
        });
    }

    pub(super) fn send_syn_ack(&mut self, now: TimeInUnits) {
        let peer = self.handshake.peer;
        self.enqueue(Segment {
            ack: self.receiver.nxt(),
            flags: Flags(Flags::SYN.0 | Flags::ACK.0).with(Flags::ECE, self.handshake.ecn),
            window: self.receiver.first_window(),
            mss: Some(announced_mss(&self.route.max_segment_size(), &self.options) as u16),
            scale: peer.scale.map(|_| self.receiver.scale()),
            sack_permitted: peer.sack,
            timestamps: self.stamps.timestamp_option(now.instant),
            departure: now.instant,
            retransmission: self.handshake.copies > 0,
            tos: self.options.tos & !3,
            ..Segment::default()
        });
    }

    pub(super) fn on_handshake_timer(&mut self, now: TimeInUnits) {
        let (clock, most) = (self.clock, self.sysctl.tcp_rto_max_ms);
        let timeouts = u64::from(self.handshake.timeouts);
        if self.state == State::SynSent {
            let linear = self.sysctl.tcp_syn_linear_timeouts;
            let retries = self.options.syn_retries.unwrap_or(self.sysctl.tcp_syn_retries);
            if timeouts > 0 && self.handshake.has_exhausted_retries(now, retries, most) {
                return self.end_connection(Some(EndReason::TimedOut));
            }
            self.handshake.syn_timeout(clock, now, linear, most);
            self.send_syn(now);
        } else {
            if timeouts >= self.sysctl.tcp_synack_retries {
                return self.end_connection(Some(EndReason::TimedOut));
            }
            self.handshake.syn_ack_timeout(clock, now, most);
            self.send_syn_ack(now);
        }
    }

    /// A segment in SYN-SENT.
    pub(super) fn on_syn_ack(&mut self, now: TimeInUnits, segment: &Segment) {
        let (ack, rst) = (segment.flags.has(Flags::ACK), segment.flags.has(Flags::RST));
        let echoed = segment.timestamps.is_none_or(|stamps| {
            let since = stamps.echo.wrapping_sub(self.handshake.first_stamp);
            let all =
                self.stamps.timestamp_at(now.instant).wrapping_sub(self.handshake.first_stamp);
            !self.stamps.is_enabled || stamps.echo == 0 || since <= all
        });
        if ack && (!self.acknowledges_syn_data(segment.ack) || !echoed) {
            if !rst {
                self.send_reset_for(segment);
            }
            return;
        }
        if rst {
            if ack {
                self.end_connection(Some(EndReason::Refused));
            }
            return;
        }
        if !segment.flags.has(Flags::SYN) {
            return;
        }
        if !ack {
            return self.on_crossed_syn_data(now, segment);
        }
        self.complete_simultaneous_open(now, segment);
        self.establish(now, segment);
        if self.fast_open.is_requested && segment.end() > 1 {
            self.take_syn_data(now, segment);
        }
        self.repeat_syn_data(now, segment.ack);
        if self.sender.has_output() {
            // The data acknowledge the SYN.
        } else if self.waits_for_data() {
            self.receiver.delay_handshake_ack(now);
        } else {
            self.receiver.send_ack();
        }
        self.flush(now);
    }

    /// Returns whether data are about to acknowledge the SYN [rules/receiver.md rule 13].
    fn waits_for_data(&self) -> bool {
        let deferred = self.options.quickack == Some(false) || self.options.defer_accept > 0;
        deferred || self.fast_open.has_more_data
    }

    /// Takes the SYN of the other end, at an end that has sent one.
    pub(super) fn complete_simultaneous_open(&mut self, now: TimeInUnits, segment: &Segment) {
        self.handshake.peer = self.peer_options(segment);
        let flags = segment.flags;
        self.handshake.ecn =
            self.handshake.requested_ecn && flags.has(Flags::ECE) && !flags.has(Flags::CWR);
        self.stamps.is_enabled = self.handshake.peer.timestamps;
        if let (true, Some(stamps)) = (self.stamps.is_enabled, segment.timestamps) {
            self.stamps.set_initial(now, stamps.value);
        }
        self.receiver.on_syn();
    }

    /// A segment in SYN-RECEIVED; whether the handshake is over.
    pub(super) fn on_handshake_ack(
        &mut self,
        now: TimeInUnits,
        segment: &Segment,
        room: bool,
    ) -> bool {
        let flags = segment.flags;
        if flags.has(Flags::SYN) && segment.seq == 0 && !flags.has(Flags::ACK) {
            if self.challenge_limit.allows_now(now, self.sysctl.tcp_invalid_ratelimit) {
                self.handshake.copies += 1;
                self.handshake.arm(self.clock, now);
                self.send_syn_ack(now);
            }
            return false;
        }
        if self.fast_open.syns_crossed && flags.has(Flags(Flags::SYN.0 | Flags::ACK.0)) {
            return self.on_crossed_syn(now, segment);
        }
        let old = self.stamps.segment_is_old(now, segment, 0);
        let outside = segment.end() < 1 || segment.seq > 1 + self.receiver.remaining();
        if old || outside {
            if !flags.has(Flags::RST)
                && self.challenge_limit.allows_now(now, self.sysctl.tcp_invalid_ratelimit)
            {
                self.receiver.send_ack();
                self.flush(now);
            }
            return false;
        }
        if flags.has(Flags::RST) || flags.has(Flags::SYN) {
            self.end_connection(Some(EndReason::Reset));
            return false;
        }
        if !flags.has(Flags::ACK) {
            return false;
        }
        if !self.acknowledges_syn_data(segment.ack) {
            self.send_reset_for(segment);
            return false;
        }
        if !room || (self.options.defer_accept > 0 && segment.end() == 1) {
            // The other end's SYN-ACK comes again [rules/sockets.md rule 6].
            return false;
        }
        self.stamps.update_recent(now, segment, 1);
        self.establish(now, segment);
        self.repeat_syn_data(now, segment.ack);
        true
    }

    /// The SYN-ACK of an end whose SYN has crossed; its number came before [rules/fast_open.md rule 9].
    fn on_crossed_syn(&mut self, now: TimeInUnits, segment: &Segment) -> bool {
        if segment.seq == 0 && self.acknowledges_syn_data(segment.ack) {
            self.establish(now, segment);
            self.repeat_syn_data(now, segment.ack);
            self.receiver.forget_last_receive();
            self.receiver.on_unacceptable(segment);
            self.flush(now);
        }
        false
    }

    pub(super) fn establish(&mut self, now: TimeInUnits, segment: &Segment) {
        let handshake = self.handshake;
        let peer = handshake.peer;
        self.handshake.stop();
        self.state = State::Established;
        let clamp = peer.mss.unwrap_or(DEFAULT_MSS);
        let clamp = self.options.max_segment.map_or(clamp, |most| clamp.min(most));
        let stamped = if self.stamps.is_enabled { TIMESTAMP_BYTES } else { 0 };
        // The window of a SYN is not scaled.
        let syn = segment.flags.has(Flags::SYN);
        let shift = if syn { 0 } else { peer.scale.unwrap_or(0) };
        let measured = handshake.copies == 0 && !self.fast_open.open_before_ack;
        let sample = measured.then(|| now.us - handshake.first_us);
        let stamped_answer = self.stamps.is_enabled && !self.fast_open.open_before_ack;
        let echoed = segment.timestamps.filter(|s| stamped_answer && s.echo != 0);
        let echoed = echoed.map(|stamps| {
            u64::from(self.stamps.timestamp_at(now.instant).wrapping_sub(stamps.echo).max(1)) * 1000
        });
        let first_echoed = segment
            .timestamps
            .is_some_and(|s| self.stamps.is_enabled && s.echo == handshake.first_stamp);
        self.sender.set_initial_seq(if self.fast_open.open_before_ack { 1 } else { segment.ack });
        self.sender.establish(
            now,
            &Establishment {
                client: handshake.client,
                mss_clamp: u32::from(clamp),
                mtu: self.route.mtu - (self.route.ip_header - 20),
                sack: peer.sack,
                timestamps: self.stamps.is_enabled.then_some(self.stamps.offset),
                ecn: handshake.ecn,
                window: u64::from(segment.window) << shift,
                scale: peer.scale.unwrap_or(0),
                seq: segment.seq,
                rtt_us: sample.or(echoed),
                syn_copies: handshake.copies,
                timeouts: handshake.timeouts,
                first_syn_echoed: first_echoed,
                initial_window: self.route.initial_window,
            },
        );
        let advmss = announced_mss(&self.route.max_segment_size(), &self.options) - stamped;
        self.receiver.establish(
            now,
            &NegotiatedOptions {
                sack: peer.sack,
                timestamps: self.stamps.is_enabled,
                scaling: peer.scale.is_some(),
                ecn: handshake.ecn,
                mss: self.sender.mss(),
                advmss,
            },
        );
        if self.options.quickack == Some(false) {
            self.receiver.set_quick(false);
        }
        self.start_keepalive(now);
        self.flush(now);
    }
}

/// MSS announced in a SYN.
fn announced_mss(route: &u32, options: &SocketOptions) -> u32 {
    options.max_segment.map_or(*route, |most| (*route).min(most.into()))
}
