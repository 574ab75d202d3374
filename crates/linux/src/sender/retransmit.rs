//! Retransmission [rules/sending.md D].

use super::Sender;
use super::queue::{Flags, NONE};
use super::timer::Slot;
use super::wire::Outgoing;
use crate::clock::Now;
use crate::rate::Departure;
use airtcp_core::Instant;

impl Sender {
    /// Repeats lost packets as far as cwnd allows [rules/sending.md rules 26, 27].
    pub(super) fn retransmit(&mut self, now: Now) {
        if self.queue.is_empty() || self.muted {
            return;
        }
        let max_segs = self.max_segs(self.current_mss());
        let head = self.queue.head();
        let (mut repeats_head, mut hole) = (false, false);
        let mut id = if self.queue.hint == NONE { head } else { self.queue.hint };
        while id < self.queue.tail() {
            if self.pacing_holds(now) {
                break;
            }
            if !hole {
                self.queue.hint = id;
            }
            let room = self.w.cwnd.saturating_sub(self.queue.in_flight());
            if room == 0 || self.queue.retrans >= self.queue.lost {
                break;
            }
            let flags = self.queue.at(id).flags;
            if !flags.any(Flags::LOST) {
                hole |= !flags.any(Flags::RETRANS.or(Flags::SACKED));
                id += 1;
                continue;
            }
            if flags.any(Flags::SACKED.or(Flags::RETRANS)) {
                id += 1;
                continue;
            }
            let Some(packets) = self.retransmit_buffer(now, id, room.min(max_segs)) else { break };
            if self.reducing() {
                self.prr.out += packets;
            }
            repeats_head |= id == head;
            id += u64::from(packets);
        }
        if repeats_head && self.timer.slot != Slot::Reordering {
            self.arm(now, Slot::Rto, self.rtt.rto + self.pacing_delay(now));
        }
    }

    /// Repeats up to `segs` packets of the buffer that begins with packet `id`; how many went, if any
    /// [rules/sending.md rules 28, 29, rules/recovery.md rule 52].
    pub(super) fn retransmit_buffer(&mut self, now: Now, id: u64, segs: u32) -> Option<u32> {
        let mss = self.current_mss();
        self.cut_acknowledged(id);
        let room = self.room_for(id, mss)?;
        let most = (u64::from(mss) * u64::from(segs)).min(if room < u64::from(mss) {
            room
        } else {
            room - room % u64::from(mss)
        });
        if self.queue.at(id).payload() > mss {
            self.split(id, mss);
        }
        let packets = self.run(id, most as u32);
        self.queue.begin_buffer(id);
        self.queue.begin_buffer(id + u64::from(packets));
        if packets == 1 && self.sysctl.tcp_retrans_collapse != 0 {
            self.collapse(id, room.min(u64::from(mss)) as u32);
        }
        let refused = self.refused(now);
        if refused {
            self.note_attempt(id, packets);
        } else {
            self.send_again(now, id, packets);
        }
        for id in id..id + if refused { 0 } else { u64::from(packets) } {
            self.queue.retrans += u32::from(!self.queue.at(id).flags.any(Flags::RETRANS));
            self.queue.set(id, Flags::RETRANS);
        }
        self.retrans_stamp.get_or_insert((self.queue.at(id).sent / 1_000_000) as u32);
        self.undo.retrans = self.undo.retrans.max(0) + i64::from(packets);
        (!refused).then_some(packets)
    }

    /// Repeats the last segment as a probe [rules/timers.md rule 19].
    pub(super) fn repeat_last(&mut self, now: Now, id: u64, mss: u32) -> bool {
        if self.queue.at(id).payload() > mss {
            let cut = self.queue.at(id).payload() - 1;
            self.split(id, cut / mss * mss);
            return self.repeat_last(now, id + 1, mss);
        }
        self.cut_acknowledged(id);
        if self.room_for(id, mss).is_none() {
            return false;
        }
        self.queue.begin_buffer(id);
        if self.refused(now) {
            self.note_attempt(id, 1);
            return false;
        }
        self.send_again(now, id, 1);
        true
    }

    /// Cuts off the acknowledged part of a packet, which is not repeated.
    fn cut_acknowledged(&mut self, id: u64) {
        let una = self.una;
        let packet = self.queue.at_mut(id);
        if packet.seq < una {
            packet.len -= (una - packet.seq) as u32;
            packet.seq = una;
        }
    }

    /// Bytes that the peer's window takes from packet `id` on; the head may always go.
    fn room_for(&self, id: u64, mss: u32) -> Option<u64> {
        let edge = self.una + self.snd_wnd;
        let seq = self.queue.at(id).seq;
        if edge > seq {
            return Some(edge - seq);
        }
        (id == self.queue.head()).then_some(u64::from(mss))
    }

    /// Number of packets of the buffer at `id` that fit into `most` bytes, at least one, which may be cut.
    fn run(&mut self, id: u64, most: u32) -> u32 {
        let first = *self.queue.at(id);
        if first.payload() > most {
            self.split(id, most);
            return 1;
        }
        let marks = Flags::LOST.or(Flags::RETRANS).or(Flags::SACKED);
        let (mut bytes, mut packets) = (first.payload(), 1);
        while id + u64::from(packets) < self.queue.tail() {
            let next = self.queue.at(id + u64::from(packets));
            let other = next.flags.only(marks) != first.flags.only(marks);
            // Segments of a burst are of one size but the last.
            let uneven = bytes != packets * first.payload() || next.payload() > first.payload();
            let full = bytes + next.payload() > most;
            if next.flags.any(Flags::FIRST) || other || uneven || full {
                break;
            }
            bytes += next.payload();
            packets += 1;
        }
        packets
    }

    fn split(&mut self, id: u64, len: u32) {
        self.queue.cut(id, len);
        self.seen.clear();
    }

    /// Small buffers behind packet `id` go with it, up to `most` bytes [rules/sending.md rule 28].
    fn collapse(&mut self, id: u64, most: u32) {
        let single = |sender: &Sender, id: u64| {
            let alone =
                id + 1 == sender.queue.tail() || sender.queue.at(id + 1).flags.any(Flags::FIRST);
            sender.queue.at(id).flags.any(Flags::FIRST) && alone
        };
        while self.queue.at(id).payload() < most && id + 1 < self.queue.tail() {
            let (front, next) = (*self.queue.at(id), *self.queue.at(id + 1));
            let ends = front.flags.any(Flags::FIN.or(Flags::EOR));
            let fits =
                front.payload() + next.payload() <= most && next.end() <= self.una + self.snd_wnd;
            let free = !next.flags.any(Flags::SACKED) && single(self, id + 1);
            if ends || !fits || !free {
                return;
            }
            self.queue.join(id);
            self.seen.clear();
            if !self.sack {
                self.queue.sacked = self.queue.sacked.saturating_sub(1);
            }
        }
    }

    /// A retransmission that the host refused counts all the same, but nothing is in flight
    /// [rules/sending.md rule 29].
    fn note_attempt(&mut self, id: u64, packets: u32) {
        for id in id..id + u64::from(packets) {
            self.queue.set(id, Flags::EVER);
            self.totals.bytes_retrans += u64::from(self.queue.at(id).payload());
        }
        self.totals.retrans += packets;
    }

    /// Sends packets again that form a buffer. Only the caller knows whether they count as in flight anew.
    fn send_again(&mut self, now: Now, id: u64, packets: u32) {
        let last = id + u64::from(packets) - 1;
        let (first, end) = (*self.queue.at(id), *self.queue.at(last));
        let fin = end.flags.any(Flags::FIN);
        let len = (end.end() - first.seq) as u32 - u32::from(fin);
        let sent = self.depart(
            now,
            Outgoing {
                seq: first.seq,
                len,
                packets,
                mss: first.payload(),
                fin,
                psh: end.flags.any(Flags::PSH) || packets > 1,
                retransmission: true,
                cwr: false,
                ect: false,
                departure: Instant::START,
                probe: false,
            },
        );
        let mut record = self.rate.on_sent(&Departure {
            us: sent as u64 / 1000,
            nothing_outstanding: false,
            in_flight: self.tx_in_flight(),
            app_limited: self.w.app_limited,
        });
        self.queue.unmarked = self.queue.unmarked.max(last + 1);
        for id in id..=last {
            let packet = self.queue.at_mut(id);
            (packet.sent, packet.record) = (sent, record);
            record.advance();
            packet.flags = packet.flags.or(Flags::EVER).without(Flags::USED);
            if !packet.flags.any(Flags::SACKED) {
                self.queue.touch(id);
            }
        }
        self.totals.retrans += packets;
        self.totals.bytes_retrans += u64::from(len);
    }
}
