//! Decision when an ACK is sent [rules/receiver.md A].

use super::{Receiver, SenderPath};
use crate::clock::{TimeInUnits, us_to_jiffies};
use airtcp_core::{Instant, Span};

/// Shortest delay, in jiffies.
const ATO_MIN: u32 = 10;
/// Most quick ACKs in a row.
pub(super) const MAX_QUICK_ACKS: u32 = 16;
/// ACKs of data out of order that leave at once.
const MIN_DUPLICATES: u32 = 3;

/// State of the decision.
#[derive(Clone, Debug)]
pub(super) struct AckState {
    scheduled: bool,
    pushed: bool,
    pushed_twice: bool,
    pub(super) ack_now: bool,
    pub(super) quick: u32,
    pingpong: u32,
    /// Present delay in jiffies.
    pub(super) ato: u32,
    /// Jiffy of the latest data.
    pub(super) last_received: u64,
    /// Estimate of the other end's segment.
    pub(super) mss: u32,
    last_small: u32,
    /// Deadline of the delayed ACK in jiffies, and when its timer fires.
    delayed: Option<(u64, Instant)>,
    compressed: u32,
    compressed_at: Instant,
    duplicate_count: u32,
    duplicates_at: u64,
}

impl Default for AckState {
    fn default() -> Self {
        AckState {
            scheduled: false,
            pushed: false,
            pushed_twice: false,
            ack_now: false,
            quick: 0,
            pingpong: 0,
            ato: 0,
            last_received: 0,
            mss: 88,
            last_small: 0,
            delayed: None,
            compressed: 0,
            compressed_at: Instant::NEVER,
            duplicate_count: 0,
            duplicates_at: 0,
        }
    }
}

impl AckState {
    /// An ACK was sent [rules/receiver.md rule 7].
    #[inline]
    pub(super) fn on_ack_sent(&mut self) {
        (self.compressed, self.compressed_at) = (0, Instant::NEVER);
        if self.quick > 0 && self.scheduled {
            self.quick -= 1;
            if self.quick == 0 {
                self.ato = ATO_MIN;
            }
        }
        (self.scheduled, self.pushed, self.pushed_twice, self.ack_now) =
            (false, false, false, false);
        self.delayed = None;
    }

    pub(super) fn schedule_ack(&mut self) {
        self.scheduled = true;
    }

    /// Expiry of the next ACK timer.
    pub(super) fn next_timer(&self) -> Instant {
        self.delayed.map_or(self.compressed_at, |(_, fires)| fires.min(self.compressed_at))
    }

    pub(super) fn compressed_pending(&self) -> bool {
        self.compressed > 0
    }
}

impl Receiver {
    /// At most `most` quick ACKs [rules/receiver.md rule 4].
    #[cold]
    pub(super) fn raise_quick_acks(&mut self, most: u32) {
        let quick = (self.window.advertised / (2 * u64::from(self.acks.mss))) as u32;
        let quick = if quick == 0 { 2 } else { quick }.min(most);
        self.acks.quick = self.acks.quick.max(quick);
    }

    pub(super) fn enter_quickack(&mut self, most: u32) {
        self.raise_quick_acks(most);
        (self.acks.pingpong, self.acks.ato) = (0, ATO_MIN);
    }

    fn in_pingpong(&self) -> bool {
        self.acks.pingpong >= self.settings.pingpong
    }

    pub(super) fn enter_pingpong(&mut self) {
        self.acks.pingpong = self.settings.pingpong;
    }

    fn is_quick(&self) -> bool {
        self.settings.quick || (self.acks.quick > 0 && !self.in_pingpong())
    }

    /// Data came in order [rules/receiver.md rule 2]; what follows the measurement of the segment.
    #[inline]
    pub(super) fn adapt_delay(&mut self, now: TimeInUnits, path: &SenderPath) {
        let since = now.jiffies.saturating_sub(self.acks.last_received);
        let rto = path.rto;
        if self.acks.ato == 0 {
            self.raise_quick_acks(MAX_QUICK_ACKS);
            self.acks.ato = ATO_MIN;
        } else if since <= u64::from(ATO_MIN / 2) {
            self.acks.ato = (self.acks.ato >> 1) + ATO_MIN / 2;
        } else if since < self.acks.ato.into() {
            self.acks.ato = ((self.acks.ato >> 1) + since as u32).min(rto as u32);
        } else if since > rto {
            self.raise_quick_acks(MAX_QUICK_ACKS);
        }
        self.acks.last_received = now.jiffies;
    }

    /// Learns the other end's segment [rules/receiver.md rule 3]: `bytes` of data in all, `len` of one
    /// segment, a header of `header` bytes with options.
    #[inline]
    pub(super) fn measure_segment_size(
        &mut self,
        bytes: u32,
        len: u32,
        header: u32,
        memory: u64,
        push: bool,
    ) {
        let last = std::mem::take(&mut self.acks.last_small);
        if len >= self.acks.mss {
            if len != self.acks.mss {
                self.window.measure(bytes.into(), memory);
            }
            self.acks.mss = len.min(self.window.advmss as u32);
            self.acks.pushed |= push;
            return;
        }
        let whole = len + header;
        if whole >= 556 || (whole >= 108 && !push) {
            let len = whole - if self.timestamps { 32 } else { 20 };
            self.acks.last_small = len;
            if len == last {
                self.acks.mss = len;
                return;
            }
        }
        self.acks.pushed_twice |= self.acks.pushed;
        self.acks.pushed = true;
    }

    /// Data were sent [rules/receiver.md rule 11].
    pub fn on_data_sent(&mut self, now: TimeInUnits) {
        if now.jiffies.saturating_sub(self.acks.last_received) < self.acks.ato.into() {
            self.acks.pingpong = (self.acks.pingpong + 1).min(255);
        }
    }

    /// Sends an ACK.
    pub fn send_ack(&mut self) {
        let header = self.header();
        self.output_queue.push_back(header);
    }

    /// Decides whether to send an ACK, after the segment's own output was sent [rules/receiver.md rule 6].
    pub fn check_ack(&mut self, now: TimeInUnits, path: &SenderPath) {
        if self.acks.scheduled && self.has_immediate_ack(now, path) {
            self.send_ack();
        }
    }

    /// Returns whether an ACK that is scheduled leaves at once; else it waits.
    #[inline(always)]
    pub(super) fn has_immediate_ack(&mut self, now: TimeInUnits, path: &SenderPath) -> bool {
        let full =
            self.nxt - self.window.advertised_from > self.acks.mss.into() && self.may_move_window();
        if full || self.is_quick() || self.acks.ack_now {
            true
        } else if self.out_of_order_queue.is_empty() {
            self.needs_immediate_ack(now, path)
        } else {
            self.compress_ack(now, path)
        }
    }

    /// Returns whether an ACK would not take the window back; where memory is scarce there are no quick ones
    /// [rules/receiver.md rules 6, 22].
    #[inline(always)]
    fn may_move_window(&mut self) -> bool {
        if self.nxt - u64::from(self.fin) <= self.copied_seq {
            return true;
        }
        let (window, scarce) = self.window.next_window(self.acks.mss.into());
        if scarce {
            self.acks.quick = 0;
        }
        window >= self.window.advertised
    }

    /// A delayed ACK [rules/receiver.md rule 8]; whether it is so late that it leaves at once.
    #[inline]
    fn needs_immediate_ack(&mut self, now: TimeInUnits, path: &SenderPath) -> bool {
        let mut ato = u64::from(self.acks.ato);
        if ato > ATO_MIN.into() {
            let mut limit = if self.in_pingpong() || self.acks.pushed { 50 } else { 125 };
            if path.srtt8 > 0 {
                let srtt = us_to_jiffies(u64::from(path.srtt8) >> 3);
                limit = limit.min(srtt.max(ATO_MIN.into()));
            }
            ato = ato.min(limit);
        }
        self.delay_is_over(now, ato.min(self.settings.delack_max))
    }

    #[inline]
    fn delay_is_over(&mut self, now: TimeInUnits, ato: u64) -> bool {
        let mut deadline = now.jiffies + ato;
        if let Some((pending, _)) = self.acks.delayed {
            if pending <= now.jiffies + (ato >> 2) {
                return true;
            }
            deadline = deadline.min(pending);
        }
        let fires = self.clock.timer_fires_at(now.jiffies, deadline);
        self.acks.delayed = Some((deadline, fires));
        false
    }

    /// The handshake's ACK waits for data [rules/receiver.md rule 13].
    pub fn delay_handshake_ack(&mut self, now: TimeInUnits) {
        self.acks.schedule_ack();
        self.enter_quickack(MAX_QUICK_ACKS);
        let deadline = now.jiffies + 50;
        self.acks.delayed = Some((deadline, self.clock.timer_fires_at(now.jiffies, deadline)));
    }

    /// Fewer ACKs while data are out of order [rules/receiver.md rule 10]; whether one leaves at once.
    fn compress_ack(&mut self, now: TimeInUnits, path: &SenderPath) -> bool {
        if !self.sack.is_enabled || self.acks.compressed >= self.settings.compressed {
            return true;
        }
        if self.acks.duplicates_at != self.nxt {
            (self.acks.duplicates_at, self.acks.duplicate_count) = (self.nxt, 0);
        }
        if self.acks.duplicate_count < MIN_DUPLICATES {
            self.acks.duplicate_count += 1;
            return true;
        }
        self.acks.compressed += 1;
        if self.acks.compressed_at != Instant::NEVER {
            return false;
        }
        let (own, srtt8) = (self.space.rtt8, u64::from(path.srtt8));
        let rtt8 = if srtt8 > 0 && srtt8 < own { srtt8 } else { own };
        let delay = (rtt8 * 125 / 20).min(self.settings.delay_ns) + self.settings.slack_ns;
        self.acks.compressed_at = now.instant + Span::from_nanos(delay as i64);
        false
    }

    /// `TCP_QUICKACK` [rules/sockets.md rule 13].
    pub fn set_quick(&mut self, quick: bool) {
        if !quick {
            self.enter_pingpong();
            return;
        }
        self.acks.pingpong = 0;
        if self.acks.scheduled {
            self.acks.pushed = true;
            self.ack_after_read(true);
        }
    }

    /// Returns whether quick ACKs are on, as `TCP_QUICKACK` reports.
    #[must_use]
    pub fn is_quick_enabled(&self) -> bool {
        !self.in_pingpong()
    }

    /// Sends the ACK that is due after a read; `read`: it got something [rules/receiver.md rule 12].
    pub(super) fn ack_after_read(&mut self, read: bool) {
        if self.window_update_due(read) {
            self.send_ack();
        }
    }

    /// Returns whether reading calls for a window update.
    #[inline(always)]
    pub(super) fn window_update_due(&self, read: bool) -> bool {
        let acks = &self.acks;
        if acks.scheduled {
            let full = self.nxt - self.window.advertised_from > acks.mss.into();
            let pushed = acks.pushed_twice || (acks.pushed && !self.in_pingpong());
            if full || (read && pushed && self.unread() == 0) {
                return true;
            }
        }
        let remaining = self.remaining();
        if !read || 2 * remaining > self.window.clamp {
            return false;
        }
        let (window, _) = self.window.next_window(acks.mss.into());
        window > 0 && window >= 2 * remaining
    }

    /// The delayed ACK is due [rules/receiver.md rule 9].
    pub(super) fn on_delayed_ack_timer(&mut self, now: TimeInUnits, path: &SenderPath) {
        let Some((_, fires)) = self.acks.delayed else { return };
        if fires > now.instant {
            return;
        }
        self.acks.delayed = None;
        if self.acks.compressed > 0 {
            return self.send_ack();
        }
        if !self.acks.scheduled {
            return;
        }
        if self.in_pingpong() {
            (self.acks.pingpong, self.acks.ato) = (0, ATO_MIN);
        } else {
            self.acks.ato = (2 * self.acks.ato).min(path.rto as u32);
        }
        self.send_ack();
    }

    /// Compressed ACKs are due.
    pub(super) fn on_compressed_ack_timer(&mut self, now: TimeInUnits) {
        if self.acks.compressed_at <= now.instant {
            self.acks.compressed_at = Instant::NEVER;
            if self.acks.compressed > 0 {
                self.send_ack();
            }
        }
    }
}
