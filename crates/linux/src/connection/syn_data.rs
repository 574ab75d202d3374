//! Data in SYNs: of a client that sends them, and of a server that takes them before the handshake is over
//! [RFC 7413, rules/fast_open.md]; and SYNs that cross [RFC 9293 3.5].

use super::{Connection, HostEnvironment, SocketOptions, State};
use crate::clock::TimeInUnits;
use crate::segment::{Flags, Segment};

impl Connection {
    /// A call waits for the connection with more data than its SYN carried.
    pub fn expect_more(&mut self) {
        self.fast_open.has_more_data = true;
    }

    /// Returns whether it is open though the handshake is not over.
    #[must_use]
    pub fn is_fast_open_child(&self) -> bool {
        self.fast_open.open_before_ack
    }

    /// Answers a SYN whose data count at once.
    #[must_use]
    pub fn accept_early(
        environment: &HostEnvironment,
        options: &SocketOptions,
        now: TimeInUnits,
        syn: &Segment,
    ) -> Self {
        let mut connection = Connection::begin_passive(environment, options, now, syn);
        connection.fast_open.open_before_ack = true;
        connection.fast_open.data_accepted = syn.len > 0;
        connection.establish(now, syn);
        connection.handshake.arm(connection.clock, now);
        connection.take_syn_data(now, syn);
        // The SYN-ACK acknowledges what came.
        connection.receiver.header();
        connection.send_syn_ack(now);
        connection
    }

    /// Data and FIN of a SYN.
    pub(super) fn take_syn_data(&mut self, now: TimeInUnits, syn: &Segment) {
        let fin = syn.flags.has(Flags::FIN);
        self.receiver.adopt_early_data(syn.len, syn.packets(), fin);
        if fin {
            self.on_fin(now);
        }
    }

    /// Returns whether its SYN, or SYN-ACK, was retransmitted.
    #[must_use]
    pub fn has_repeated_syn(&self) -> bool {
        self.handshake.copies > 0
    }

    /// The other end has acknowledged the SYN-ACK.
    pub(super) fn complete(&mut self, now: TimeInUnits) {
        self.fast_open.open_before_ack = false;
        if self.handshake.copies == 0 {
            self.sender.sample_handshake_rtt_after_open(now, now.us - self.handshake.first_us);
        }
        self.handshake.stop();
    }

    /// Returns whether this number may acknowledge the SYN and its data.
    pub(super) fn acknowledges_syn_data(&self, ack: u64) -> bool {
        (1..=1 + u64::from(self.fast_open.syn_data_bytes)).contains(&ack)
    }

    /// Sends data of the SYN again that were not acknowledged.
    pub(super) fn repeat_syn_data(&mut self, now: TimeInUnits, acked: u64) {
        let end = 1 + u64::from(self.fast_open.syn_data_bytes);
        self.fast_open.data_accepted = self.fast_open.syn_data_bytes > 0 && acked == end;
        if acked < end {
            self.sender.repeat_syn_data(now, (end - acked) as u32);
        }
    }

    /// A SYN arrived in answer to a SYN [RFC 9293 3.5].
    pub(super) fn on_crossed_syn_data(&mut self, now: TimeInUnits, syn: &Segment) {
        self.fast_open.syns_crossed = true;
        self.state = State::SynReceived;
        self.complete_simultaneous_open(now, syn);
        self.send_syn_ack(now);
    }
}
