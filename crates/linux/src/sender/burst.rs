//! Size of bursts, and bursts that wait for more room [rules/sending.md rules 8 to 10].

use super::Sender;
use super::buffer::UnsentBuffer;
use super::nagle::SmallSegmentMode;
use super::xmit::WaitReason;
use crate::clock::TimeInUnits;
use crate::congestion::CaState;

/// About a millisecond of data: the pacing rate shifted by this.
const PACING_SHIFT: u32 = 10;
/// Nanoseconds after which a burst does not wait any more.
const MAX_DEFERRAL_NS: i64 = 1_000_000;

impl Sender {
    /// Packets of a burst at most [rules/sending.md rule 10].
    pub(super) fn max_segs(&self, mss: u32) -> u32 {
        let size = u64::from(self.options.gso_max_size);
        let mut bytes = self.cc_window.pacing_rate >> PACING_SHIFT;
        let shift =
            self.min_rtt.best_value().checked_shr(self.sysctl.tcp_tso_rtt_log as u32).unwrap_or(0);
        if shift < 32 {
            bytes += size >> shift;
        }
        let least = self.control.min_tso_segs(&self.cc_window);
        let least = least.unwrap_or(self.sysctl.tcp_min_tso_segs as u32);
        let segs = (bytes.min(size) as u32 / mss).max(least);
        segs.min(self.options.gso_max_segs)
    }

    /// Packets of a burst of at most `quota`.
    #[inline]
    pub(super) fn burst_of(&self, quota: u32, mss: u32) -> u32 {
        // So few are allowed in any case, where a control has no say.
        let few = u64::from(quota) <= self.sysctl.tcp_min_tso_segs && !self.full_control;
        if few && quota <= self.options.gso_max_segs {
            quota
        } else {
            quota.min(self.max_segs(mss))
        }
    }

    /// Bytes that the peer's window still takes.
    fn usable_window(&self) -> u64 {
        (self.una + self.snd_wnd).saturating_sub(self.nxt)
    }

    /// [rules/sending.md rule 8]
    pub(super) fn split_point(
        &self,
        front: &UnsentBuffer,
        mss: u32,
        quota: u32,
        mode: SmallSegmentMode,
    ) -> u32 {
        let (room, most) = (self.usable_window(), u64::from(mss) * u64::from(quota));
        if most <= room && self.unsent.len() > 1 {
            return most as u32;
        }
        let needed = u64::from(front.len).min(room);
        if most <= needed {
            return most as u32;
        }
        let partial = needed % u64::from(mss);
        let held = partial != 0 && self.holds_partial_segment(mode);
        (needed - if held { partial } else { 0 }) as u32
    }

    /// [rules/sending.md rule 9]
    #[inline]
    pub(super) fn deferral(&self, now: TimeInUnits, front: &UnsentBuffer, mss: u32) -> WaitReason {
        if self.state >= CaState::Recovery || now.instant.nanos() - self.departure > MAX_DEFERRAL_NS
        {
            return WaitReason::Not;
        }
        self.deferral_without_history(now, front, mss)
    }

    /// Judges a burst soon after the last one left.
    fn deferral_without_history(
        &self,
        now: TimeInUnits,
        front: &UnsentBuffer,
        mss: u32,
    ) -> WaitReason {
        let Some(head) = self.queue.first() else { return WaitReason::Not };
        let srtt = 125 * i64::from(self.rtt.srtt8);
        let far = head.sent + srtt - now.instant.nanos() > MAX_DEFERRAL_NS.min(srtt / 2);
        if far {
            return WaitReason::Not;
        }
        let (mss, max_segs) = (u64::from(mss), self.max_segs(mss));
        let room = self.usable_window();
        let free = u64::from(self.cc_window.cwnd - self.queue.in_flight()) * mss;
        let limit = room.min(free);
        let whole = self.unsent.len() > 1 && limit >= u64::from(front.len);
        if limit >= u64::from(max_segs) * mss || whole {
            return WaitReason::Not;
        }
        let enough = match self.sysctl.tcp_tso_win_divisor {
            0 => limit > 3 * mss,
            divisor => limit >= self.snd_wnd.min(u64::from(self.cc_window.cwnd) * mss) / divisor,
        };
        if enough {
            return WaitReason::Not;
        }
        let len = u64::from(front.len);
        if free < room && free <= len {
            WaitReason::Congestion
        } else if free >= room && room <= len {
            WaitReason::Receiver
        } else if front.fin || front.eor {
            WaitReason::Not
        } else {
            WaitReason::Other
        }
    }
}
