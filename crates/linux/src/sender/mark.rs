//! The mark of a lost packet [rules/rack.md rule 4], and its report to congestion controls that read losses.

use super::Sender;
use super::queue::{Flags, NO_PACKET};
use crate::clock::TimeInUnits;
use crate::congestion::LostPacket;

impl Sender {
    /// Marks a packet or its retransmission as lost.
    pub(super) fn mark_lost(&mut self, now: TimeInUnits, id: u64) {
        let flags = self.queue.packet(id).flags;
        if flags.intersects(Flags::SACKED) {
            return;
        }
        let hint = self.queue.retransmit_hint;
        if (hint == NO_PACKET && self.queue.retrans >= self.queue.lost)
            || (hint != NO_PACKET && id < hint)
        {
            self.queue.retransmit_hint = id;
        }
        if !flags.intersects(Flags::LOST) {
            self.queue.set(id, Flags::LOST);
            self.queue.lost += 1;
        } else if flags.intersects(Flags::RETRANS) {
            self.queue.clear_retrans(id);
        } else {
            return;
        }
        self.rate.lost = self.rate.lost.wrapping_add(1);
        if self.wants_packet_lost {
            self.report_packet_lost(now, id);
        }
    }

    /// Packets in flight including the departing one, for controls that use it at losses; 0 for others.
    #[inline]
    pub(super) fn tx_in_flight(&self) -> u32 {
        if self.wants_packet_lost { self.queue.in_flight() + 1 } else { 0 }
    }

    /// Reports a packet just marked lost to the control [rules/bbr3.md rule 3].
    fn report_packet_lost(&mut self, now: TimeInUnits, id: u64) {
        let packet = self.queue.packet(id);
        let lost = LostPacket {
            seq: packet.seq,
            end: packet.end(),
            tx_in_flight: packet.record.tx_in_flight(),
            lost: self.rate.lost.wrapping_sub(packet.record.lost),
            app_limited: packet.record.app_limited(),
        };
        let tcp_sock = self.tcp_sock(now);
        self.control.packet_lost(&tcp_sock, &mut self.cc_window, &lost);
    }
}
