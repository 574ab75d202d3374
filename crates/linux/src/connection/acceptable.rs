//! Segments that are accepted [rules/receiver.md rule 14, rules/options.md rule 8, rules/sockets.md rule 11].

use super::{Connection, EndReason, State};
use crate::clock::TimeInUnits;
use crate::segment::{Flags, Segment};

/// Slack of the check of timestamps, in ms.
const SLACK: i32 = 1;

impl Connection {
    /// Returns whether a segment is processed further; what else it leads to has been done.
    pub(super) fn check_segment(&mut self, now: TimeInUnits, segment: &Segment) -> bool {
        let (rst, syn) = (segment.flags.has(Flags::RST), segment.flags.has(Flags::SYN));
        if !rst
            && self.stamps.segment_is_old(now, segment, SLACK)
            && !self.is_reordered_ack(now, segment)
        {
            let pure = segment.len == 0 && !segment.flags.has(Flags::FIN) && !syn;
            if !(pure && segment.seq < self.receiver.nxt()) {
                self.reply_to_unacceptable(now, segment);
            }
            return false;
        }
        if !self.is_in_window(segment) {
            if rst {
                if self.resets_after_fin(segment) {
                    self.reset();
                }
            } else if syn {
                self.send_challenge_ack(now);
            } else {
                self.reply_to_unacceptable(now, segment);
            }
            return false;
        }
        if rst {
            self.on_reset(now, segment);
            return false;
        }
        if syn {
            self.send_challenge_ack(now);
            return false;
        }
        true
    }

    pub(super) fn is_in_window(&self, segment: &Segment) -> bool {
        let (seq, end) = (segment.seq, segment.end());
        // A FIN at the edge of a closed window is taken [rules/receiver.md rule 14].
        let data = end - u64::from(segment.flags.has(Flags::FIN));
        let edge = self.receiver.nxt() + self.receiver.remaining();
        // A segment that goes beyond the window is taken where nothing waits to be read.
        end >= self.receiver.acknowledged()
            && seq <= edge
            && (data <= edge || self.receiver.unread() == 0)
    }

    /// A pure duplicate that overtook others.
    fn is_reordered_ack(&self, now: TimeInUnits, segment: &Segment) -> bool {
        let rto_ms = self.sender.rto() * 1200 / 250;
        segment.flags.has(Flags::ACK)
            && segment.seq == self.receiver.nxt()
            && segment.end() == segment.seq
            && segment.ack == self.sender.una()
            && self.scale_window(segment) == self.sender.snd_wnd()
            && !self.stamps.segment_is_old(now, segment, i32::try_from(rto_ms).unwrap_or(i32::MAX))
    }

    /// The window of a segment in bytes.
    pub(super) fn scale_window(&self, segment: &Segment) -> u64 {
        self.scale_window_field(segment.window)
    }

    /// Window in bytes that the field of a header states.
    #[inline]
    pub(super) fn scale_window_field(&self, window: u16) -> u64 {
        u64::from(window) << self.handshake.peer.scale.unwrap_or(0)
    }

    /// A duplicate ACK, rarely where the segment had no data.
    fn reply_to_unacceptable(&mut self, now: TimeInUnits, segment: &Segment) {
        let data = segment.end() != segment.seq && !segment.flags.has(Flags::SYN);
        if data || self.challenge_limit.allows_now(now, self.sysctl.tcp_invalid_ratelimit) {
            self.receiver.on_unacceptable(segment);
        }
    }

    /// A challenge ACK.
    pub(super) fn send_challenge_ack(&mut self, now: TimeInUnits) {
        if self.challenge_limit.allows_now(now, self.sysctl.tcp_invalid_ratelimit) {
            self.receiver.send_ack();
        }
    }

    fn resets_after_fin(&self, segment: &Segment) -> bool {
        let closing = matches!(self.state, State::CloseWait | State::LastAck | State::Closing);
        closing && segment.seq + 1 == self.receiver.nxt()
    }

    fn on_reset(&mut self, now: TimeInUnits, segment: &Segment) {
        let nxt = self.receiver.nxt();
        let highest = self.receiver.highest_block();
        if segment.seq == nxt || self.resets_after_fin(segment) || highest == Some(segment.seq) {
            self.reset();
        } else {
            self.send_challenge_ack(now);
        }
    }

    fn reset(&mut self) {
        let why = if self.state == State::CloseWait { EndReason::Broken } else { EndReason::Reset };
        self.end_connection(Some(why));
    }
}
