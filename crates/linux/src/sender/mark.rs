//! The mark of a lost packet [rules/rack.md rule 4], and its report to congestion controls that read losses.

use super::Sender;
use super::queue::{Flags, NONE};
use crate::clock::Now;
use crate::congestion::LostPacket;

impl Sender {
    /// Marks a packet lost, or a retransmission of it lost again.
    pub(super) fn mark_lost(&mut self, now: Now, id: u64) {
        let flags = self.queue.at(id).flags;
        if flags.any(Flags::SACKED) {
            return;
        }
        let hint = self.queue.hint;
        if (hint == NONE && self.queue.retrans >= self.queue.lost) || (hint != NONE && id < hint) {
            self.queue.hint = id;
        }
        if !flags.any(Flags::LOST) {
            self.queue.set(id, Flags::LOST);
            self.queue.lost += 1;
        } else if flags.any(Flags::RETRANS) {
            self.queue.clear_retrans(id);
        } else {
            return;
        }
        self.rate.lost = self.rate.lost.wrapping_add(1);
        if self.hears_losses {
            self.tell_loss(now, id);
        }
    }

    /// Packets in flight with the one that leaves, for controls that judge losses by it; 0 under others.
    #[inline]
    pub(super) fn tx_in_flight(&self) -> u32 {
        if self.hears_losses { self.queue.in_flight() + 1 } else { 0 }
    }

    /// Tells the control of a packet that was just marked [rules/bbr3.md rule 3].
    fn tell_loss(&mut self, now: Now, id: u64) {
        let packet = self.queue.at(id);
        let lost = LostPacket {
            seq: packet.seq,
            end: packet.end(),
            tx_in_flight: packet.record.tx_in_flight(),
            lost: self.rate.lost.wrapping_sub(packet.record.lost),
            app_limited: packet.record.app_limited(),
        };
        let tcp_sock = self.tcp_sock(now);
        self.control.packet_lost(&tcp_sock, &mut self.w, &lost);
    }
}
