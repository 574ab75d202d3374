//! Data in SYNs: of a client that sends them, and of a server that takes them before the handshake is over
//! [RFC 7413, rules/fast_open.md]; and SYNs that cross [RFC 9293 3.5].

use super::{Connection, Environment, SocketOptions, State};
use crate::clock::Now;
use crate::segment::{Flags, Segment};

impl Connection {
    /// A call waits for the connection with more data than its SYN carried.
    pub fn expect_more(&mut self) {
        self.early.more = true;
    }

    /// Returns whether it is open though the handshake is not over.
    #[must_use]
    pub fn is_early(&self) -> bool {
        self.early.open
    }

    /// Answers a SYN whose data count at once.
    #[must_use]
    pub fn accept_early(
        environment: &Environment,
        options: &SocketOptions,
        now: Now,
        syn: &Segment,
    ) -> Self {
        let mut connection = Connection::begin_passive(environment, options, now, syn);
        connection.early.open = true;
        connection.early.taken = syn.len > 0;
        connection.establish(now, syn);
        connection.handshake.arm(connection.clock, now);
        connection.take_syn_data(now, syn);
        // The SYN-ACK acknowledges what came.
        connection.receiver.header();
        connection.send_syn_ack(now);
        connection
    }

    /// Data and FIN of a SYN.
    pub(super) fn take_syn_data(&mut self, now: Now, syn: &Segment) {
        let fin = syn.flags.has(Flags::FIN);
        self.receiver.adopt(syn.len, syn.packets(), fin);
        if fin {
            self.on_fin(now);
        }
    }

    /// Returns whether its SYN, or SYN-ACK, was sent again.
    #[must_use]
    pub fn repeated_syn(&self) -> bool {
        self.handshake.copies > 0
    }

    /// The other end has acknowledged the SYN-ACK.
    pub(super) fn complete(&mut self, now: Now) {
        self.early.open = false;
        if self.handshake.copies == 0 {
            self.sender.measured_late(now, now.us - self.handshake.first_us);
        }
        self.handshake.stop();
    }

    /// Returns whether the SYN and what it carried could be acknowledged by this number.
    pub(super) fn answers(&self, ack: u64) -> bool {
        (1..=1 + u64::from(self.early.sent)).contains(&ack)
    }

    /// Sends data of the SYN again that were not acknowledged.
    pub(super) fn repeat_syn_data(&mut self, now: Now, acked: u64) {
        let end = 1 + u64::from(self.early.sent);
        self.early.taken = self.early.sent > 0 && acked == end;
        if acked < end {
            self.sender.repeat_syn_data(now, (end - acked) as u32);
        }
    }

    /// A SYN came in answer to a SYN [RFC 9293 3.5].
    pub(super) fn cross(&mut self, now: Now, syn: &Segment) {
        self.early.crossed = true;
        self.state = State::SynReceived;
        self.meet(now, syn);
        self.send_syn_ack(now);
    }
}
