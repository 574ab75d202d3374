//! The send routine [rules/sending.md A].

use super::Sender;
use super::buffer::UnsentBuffer;
use super::nagle::SmallSegmentMode;
use super::queue::{Flags, NO_PACKET, Packet};
use super::timer::TimerPurpose;
use super::wire::Outgoing;
use crate::clock::TimeInUnits;
use crate::congestion::Event;
use crate::rate::Transmission;
use airtcp_core::Instant;

/// Amount that a call may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum XmitLimit {
    /// All that the window allows.
    All,
    /// One buffer.
    One,
    /// One buffer, a packet of it even if cwnd is full.
    Probe,
}

/// Why a buffer of several segments waits [rules/sending.md rule 9].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitReason {
    Not,
    Congestion,
    Receiver,
    Other,
}

impl Sender {
    /// Sends new data after a segment was processed [rules/recovery.md rule 12].
    #[inline]
    pub fn data_snd_check(&mut self, now: TimeInUnits) {
        self.push_pending(now, SmallSegmentMode::from_options(&self.options));
        self.wake_writer(now);
    }

    /// Sends waiting data, or arms the zero-window probe if nothing can be sent.
    #[inline]
    pub(super) fn push_pending(&mut self, now: TimeInUnits, mode: SmallSegmentMode) {
        if !self.unsent.is_empty() && self.write_xmit(now, mode, XmitLimit::All) {
            self.check_persist(now);
        }
    }

    /// Returns whether unsent data wait whose first segment the peer's window takes.
    pub(super) fn first_segment_fits(&self, mss: u32) -> bool {
        self.unsent.front().is_some_and(|front| {
            let numbers = if front.len > mss { mss } else { front.sequence_length() };
            self.nxt + u64::from(numbers) <= self.una + self.snd_wnd
        })
    }

    /// Returns whether nothing was sent and nothing is outstanding though data wait.
    pub(super) fn write_xmit(
        &mut self,
        now: TimeInUnits,
        mode: SmallSegmentMode,
        call: XmitLimit,
    ) -> bool {
        let mss = self.current_mss();
        let (mut sent, mut cwnd_limited, mut rwnd_limited) = (0, false, false);
        while !self.unsent.is_empty() {
            if self.pacing_holds(now) {
                break;
            }
            let quota = self.quota(call);
            if quota == 0 {
                break;
            }
            let quota = self.burst_of(quota, mss);
            self.unsent.fill_front(u64::from(quota) * u64::from(mss));
            if !self.first_segment_fits(mss) {
                rwnd_limited = true;
                break;
            }
            let front = *self.unsent.front().expect("a buffer waits");
            let mut limit = mss;
            if front.len <= mss {
                if self.nagle_test_fails(mode, mss) {
                    break;
                }
            } else {
                if call == XmitLimit::All {
                    match self.deferral(now, &front, mss) {
                        WaitReason::Not => {}
                        wait => {
                            cwnd_limited |= wait == WaitReason::Congestion;
                            rwnd_limited |= wait == WaitReason::Receiver;
                            break;
                        }
                    }
                }
                limit = self.split_point(&front, mss, quota, mode);
            }
            if self.device_rejects(now) {
                break;
            }
            let buffer = self.unsent.take(limit);
            sent += self.send_new(now, buffer, mss);
            if call != XmitLimit::All {
                break;
            }
        }
        self.chrono_limited(now, rwnd_limited);
        cwnd_limited |= self.queue.in_flight() >= self.cc_window.cwnd;
        if sent > 0 || cwnd_limited {
            self.validate_cwnd(now, cwnd_limited);
        }
        if sent == 0 {
            return self.queue.is_empty() && !self.unsent.is_empty();
        }
        if self.is_reducing() {
            self.prr.sent += sent;
        }
        if call != XmitLimit::Probe && !self.timer.arms_at_event_end {
            self.schedule_probe(now, false);
        }
        false
    }

    /// Packets that cwnd allows to one buffer [rules/sending.md rule 2.2].
    fn quota(&self, call: XmitLimit) -> u32 {
        let (in_flight, cwnd) = (self.queue.in_flight(), self.cc_window.cwnd);
        if in_flight >= cwnd || self.is_muted {
            return u32::from(call == XmitLimit::Probe && !self.is_muted);
        }
        (cwnd >> 1).max(1).min(cwnd - in_flight)
    }

    /// Sends `buffer`, whose numbers begin at nxt; how many packets that makes.
    #[inline(always)]
    pub(super) fn send_new(&mut self, now: TimeInUnits, buffer: UnsentBuffer, mss: u32) -> u32 {
        let packets = buffer.len.div_ceil(mss).max(1);
        let idle = self.queue.is_empty();
        let outgoing = Outgoing {
            seq: self.nxt,
            len: buffer.len,
            packets,
            mss,
            fin: buffer.fin,
            // Rule 18: every buffer of several segments ends with PSH.
            psh: buffer.psh || packets > 1,
            retransmission: false,
            cwr: self.cwr_pending && buffer.len > 0,
            ect: self.ecn && buffer.len > 0,
            departure: Instant::START,
            probe: false,
        };
        self.cwr_pending &= !outgoing.cwr;
        let sent = self.transmit_segment(now, outgoing);
        let record = self.rate.on_sent(&Transmission {
            us: sent as u64 / 1000,
            nothing_outstanding: idle,
            in_flight: self.tx_in_flight(),
            app_limited: self.cc_window.app_limited,
        });
        let mut packet = Packet {
            seq: self.nxt,
            sent,
            previous_sent: NO_PACKET,
            next_sent: NO_PACKET,
            record,
            len: mss,
            flags: Flags::APP_LIMITED_FIRST,
        };
        for _ in 1..packets {
            self.queue.push(packet);
            packet.record.advance_to_next_packet();
            packet.seq += u64::from(mss);
            packet.flags = Flags::default();
        }
        packet.len = buffer.len - (packets - 1) * mss + u32::from(buffer.fin);
        packet.flags = packet
            .flags
            .union(Flags::FIN.if_set(buffer.fin))
            .union(Flags::PSH.if_set(buffer.psh))
            .union(Flags::EOR.if_set(buffer.eor));
        self.queue.push(packet);
        self.nxt += u64::from(buffer.sequence_length());
        if !self.timer.arms_at_event_end && (idle || self.timer.purpose == TimerPurpose::Probe) {
            self.rearm_rto(now);
        }
        if buffer.len < packets * mss {
            self.snd_sml = self.nxt;
        }
        self.check_space(now);
        packets
    }

    /// Hands a burst down; its send time.
    #[inline(always)]
    pub(super) fn transmit_segment(&mut self, now: TimeInUnits, mut outgoing: Outgoing) -> i64 {
        let bytes = outgoing.len;
        let prior = self.departure;
        self.departure = prior.max(now.instant.nanos());
        let sent = self.departure;
        outgoing.departure = Instant::from_nanos(sent);
        if bytes > 0 {
            if self.queue.in_flight() == 0 {
                let tcp_sock = self.tcp_sock(now);
                self.control.event(&tcp_sock, &mut self.cc_window, Event::TxStart);
            }
            self.last_sent = now.jiffies;
            self.totals.data_segs += u64::from(outgoing.packets);
            self.totals.bytes_sent += u64::from(bytes);
        }
        self.advance_departure(prior, bytes);
        self.output_queue.push_back(outgoing);
        sent
    }
}
