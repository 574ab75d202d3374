//! Retransmission [rules/sending.md D].

use super::Sender;
use super::queue::{Flags, NO_PACKET};
use super::timer::TimerPurpose;
use super::wire::Outgoing;
use crate::clock::TimeInUnits;
use crate::rate::Transmission;
use airtcp_core::Instant;

impl Sender {
    /// Repeats lost packets as far as cwnd allows [rules/sending.md rules 26, 27].
    pub(super) fn retransmit(&mut self, now: TimeInUnits) {
        if self.queue.is_empty() || self.is_muted {
            return;
        }
        let max_segs = self.max_segs(self.current_mss());
        let head = self.queue.head();
        let (mut repeats_head, mut hole) = (false, false);
        let mut id =
            if self.queue.retransmit_hint == NO_PACKET { head } else { self.queue.retransmit_hint };
        while id < self.queue.tail() {
            if self.pacing_holds(now) {
                break;
            }
            if !hole {
                self.queue.retransmit_hint = id;
            }
            let room = self.cc_window.cwnd.saturating_sub(self.queue.in_flight());
            if room == 0 || self.queue.retrans >= self.queue.lost {
                break;
            }
            let flags = self.queue.packet(id).flags;
            if !flags.intersects(Flags::LOST) {
                hole |= !flags.intersects(Flags::RETRANS.union(Flags::SACKED));
                id += 1;
                continue;
            }
            if flags.intersects(Flags::SACKED.union(Flags::RETRANS)) {
                id += 1;
                continue;
            }
            let Some(packets) = self.retransmit_buffer(now, id, room.min(max_segs)) else { break };
            if self.is_reducing() {
                self.prr.sent += packets;
            }
            repeats_head |= id == head;
            id += u64::from(packets);
        }
        if repeats_head && self.timer.purpose != TimerPurpose::Reordering {
            self.arm(now, TimerPurpose::Rto, self.rtt.rto + self.pacing_delay(now));
        }
    }

    /// Repeats up to `segs` packets of the buffer that begins with packet `id`; how many went, if any
    /// [rules/sending.md rules 28, 29, rules/recovery.md rule 52].
    pub(super) fn retransmit_buffer(
        &mut self,
        now: TimeInUnits,
        id: u64,
        segs: u32,
    ) -> Option<u32> {
        let mss = self.current_mss();
        self.cut_acknowledged(id);
        let room = self.room_for(id, mss)?;
        let most = (u64::from(mss) * u64::from(segs)).min(if room < u64::from(mss) {
            room
        } else {
            room - room % u64::from(mss)
        });
        if self.queue.packet(id).payload() > mss {
            self.split(id, mss);
        }
        let packets = self.collapsible_run(id, most as u32);
        self.queue.begin_buffer(id);
        self.queue.begin_buffer(id + u64::from(packets));
        if packets == 1 && self.sysctl.tcp_retrans_collapse != 0 {
            self.collapse(id, room.min(u64::from(mss)) as u32);
        }
        let refused = self.device_rejects(now);
        if refused {
            self.count_retransmission(id, packets);
        } else {
            self.retransmit_packet(now, id, packets);
        }
        for id in id..id + if refused { 0 } else { u64::from(packets) } {
            self.queue.retrans +=
                u32::from(!self.queue.packet(id).flags.intersects(Flags::RETRANS));
            self.queue.set(id, Flags::RETRANS);
        }
        self.retrans_stamp.get_or_insert((self.queue.packet(id).sent / 1_000_000) as u32);
        self.undo.retrans = self.undo.retrans.max(0) + i64::from(packets);
        (!refused).then_some(packets)
    }

    /// Repeats the last segment as a probe [rules/timers.md rule 19].
    pub(super) fn retransmit_tail(&mut self, now: TimeInUnits, id: u64, mss: u32) -> bool {
        if self.queue.packet(id).payload() > mss {
            let cut = self.queue.packet(id).payload() - 1;
            self.split(id, cut / mss * mss);
            return self.retransmit_tail(now, id + 1, mss);
        }
        self.cut_acknowledged(id);
        if self.room_for(id, mss).is_none() {
            return false;
        }
        self.queue.begin_buffer(id);
        if self.device_rejects(now) {
            self.count_retransmission(id, 1);
            return false;
        }
        self.retransmit_packet(now, id, 1);
        true
    }

    /// Cuts off the acknowledged part of a packet, which is not repeated.
    fn cut_acknowledged(&mut self, id: u64) {
        let una = self.una;
        let packet = self.queue.packet_mut(id);
        if packet.seq < una {
            packet.len -= (una - packet.seq) as u32;
            packet.seq = una;
        }
    }

    /// Bytes that the peer's window takes from packet `id` on; the head may always go.
    fn room_for(&self, id: u64, mss: u32) -> Option<u64> {
        let edge = self.una + self.snd_wnd;
        let seq = self.queue.packet(id).seq;
        if edge > seq {
            return Some(edge - seq);
        }
        (id == self.queue.head()).then_some(u64::from(mss))
    }

    /// Number of packets of the buffer at `id` that fit into `most` bytes, at least one, which may be cut.
    fn collapsible_run(&mut self, id: u64, most: u32) -> u32 {
        let first = *self.queue.packet(id);
        if first.payload() > most {
            self.split(id, most);
            return 1;
        }
        let marks = Flags::LOST.union(Flags::RETRANS).union(Flags::SACKED);
        let (mut bytes, mut packets) = (first.payload(), 1);
        while id + u64::from(packets) < self.queue.tail() {
            let next = self.queue.packet(id + u64::from(packets));
            let other = next.flags.intersection(marks) != first.flags.intersection(marks);
            // Segments of a burst are of one size but the last.
            let uneven = bytes != packets * first.payload() || next.payload() > first.payload();
            let full = bytes + next.payload() > most;
            if next.flags.intersects(Flags::APP_LIMITED_FIRST) || other || uneven || full {
                break;
            }
            bytes += next.payload();
            packets += 1;
        }
        packets
    }

    fn split(&mut self, id: u64, len: u32) {
        self.queue.shorten(id, len);
        self.previous_sack.clear();
    }

    /// Small buffers behind packet `id` go with it, up to `most` bytes [rules/sending.md rule 28].
    fn collapse(&mut self, id: u64, most: u32) {
        let single = |sender: &Sender, id: u64| {
            let alone = id + 1 == sender.queue.tail()
                || sender.queue.packet(id + 1).flags.intersects(Flags::APP_LIMITED_FIRST);
            sender.queue.packet(id).flags.intersects(Flags::APP_LIMITED_FIRST) && alone
        };
        while self.queue.packet(id).payload() < most && id + 1 < self.queue.tail() {
            let (front, next) = (*self.queue.packet(id), *self.queue.packet(id + 1));
            let ends = front.flags.intersects(Flags::FIN.union(Flags::EOR));
            let fits =
                front.payload() + next.payload() <= most && next.end() <= self.una + self.snd_wnd;
            let free = !next.flags.intersects(Flags::SACKED) && single(self, id + 1);
            if ends || !fits || !free {
                return;
            }
            self.queue.merge_with_next(id);
            self.previous_sack.clear();
            if !self.sack {
                self.queue.sacked = self.queue.sacked.saturating_sub(1);
            }
        }
    }

    /// A retransmission that the host refused counts all the same, but nothing is in flight
    /// [rules/sending.md rule 29].
    fn count_retransmission(&mut self, id: u64, packets: u32) {
        for id in id..id + u64::from(packets) {
            self.queue.set(id, Flags::EVER_RETRANS);
            self.totals.bytes_retrans += u64::from(self.queue.packet(id).payload());
        }
        self.totals.retrans += packets;
    }

    /// Retransmits the packets of a buffer. The caller decides whether they count as in flight again.
    fn retransmit_packet(&mut self, now: TimeInUnits, id: u64, packets: u32) {
        let last = id + u64::from(packets) - 1;
        let (first, end) = (*self.queue.packet(id), *self.queue.packet(last));
        let fin = end.flags.intersects(Flags::FIN);
        let len = (end.end() - first.seq) as u32 - u32::from(fin);
        let sent = self.transmit_segment(
            now,
            Outgoing {
                seq: first.seq,
                len,
                packets,
                mss: first.payload(),
                fin,
                psh: end.flags.intersects(Flags::PSH) || packets > 1,
                retransmission: true,
                cwr: false,
                ect: false,
                departure: Instant::START,
                probe: false,
            },
        );
        let mut record = self.rate.on_sent(&Transmission {
            us: sent as u64 / 1000,
            nothing_outstanding: false,
            in_flight: self.tx_in_flight(),
            app_limited: self.cc_window.app_limited,
        });
        self.queue.unmarked = self.queue.unmarked.max(last + 1);
        for id in id..=last {
            let packet = self.queue.packet_mut(id);
            (packet.sent, packet.record) = (sent, record);
            record.advance_to_next_packet();
            packet.flags = packet.flags.union(Flags::EVER_RETRANS).without(Flags::SLOT_USED);
            if !packet.flags.intersects(Flags::SACKED) {
                self.queue.move_to_newest(id);
            }
        }
        self.totals.retrans += packets;
        self.totals.bytes_retrans += u64::from(len);
    }
}
