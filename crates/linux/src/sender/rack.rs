//! RACK: the latest delivery, and the wait for packets that were sent before it
//! [rules/rack.md, RFC 8985].

use crate::congestion::CaState;

/// Recoveries for which a wider window is kept [rules/rack.md rule 8].
const PERSIST: u32 = 16;

/// State of RACK. Times are in the caller's unit, which in Linux is us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rack {
    /// Send time of the latest sent packet that was delivered.
    pub mstamp: u64,
    /// End of the packet, which orders packets sent at the same time.
    pub end: u64,
    /// Round trip of the latest delivered packet.
    pub rtt: u64,
    /// True if there is anything new to judge by.
    pub advanced: bool,
    /// True if a D-SACK came since the window last changed.
    pub dsack_seen: bool,
    /// Width of the window in quarters of the minimum RTT.
    pub steps: u32,
    /// Reductions until the width returns to 1.
    pub persist: u32,
    /// `delivered` as the width last changed.
    pub last_delivered: u32,
}

impl Default for Rack {
    fn default() -> Self {
        Rack {
            mstamp: 0,
            end: 0,
            rtt: 0,
            advanced: false,
            dsack_seen: false,
            steps: 1,
            persist: 0,
            last_delivered: 0,
        }
    }
}

/// State of the connection that decides whether RACK waits for a reordering window.
#[derive(Clone, Copy, Debug)]
pub struct RackInput {
    /// True if reordering was ever seen.
    pub reordering_seen: bool,
    /// State of recovery.
    pub state: CaState,
    /// S.
    pub sacked: u32,
    /// The metric of reordering in packets.
    pub reordering: u32,
    /// True if a number of SACKed packets closes the window.
    pub uses_threshold: bool,
}

impl RackInput {
    /// True if nothing waits for packets that left earlier [rules/rack.md rule 5, RFC 8985 6.2 step 4].
    #[must_use]
    pub fn uses_zero_window(&self) -> bool {
        let closed = self.uses_threshold && self.sacked >= self.reordering;
        !self.reordering_seen && (self.state >= CaState::Recovery || closed)
    }
}

impl Rack {
    /// Takes note that a packet was delivered which left at `sent` and ends at `end` [rules/rack.md rule 1].
    #[inline]
    pub fn advance(&mut self, now: u64, sent: u64, end: u64, repeated: bool, min_rtt: u32) {
        let rtt = now.saturating_sub(sent);
        if repeated && rtt < u64::from(min_rtt) {
            return;
        }
        self.advanced = true;
        self.rtt = rtt;
        if (sent, end) > (self.mstamp, self.end) {
            (self.mstamp, self.end) = (sent, end);
        }
    }

    /// Width of the window in us, from the least round trip and eight times SRTT in us [rules/rack.md rule 5].
    pub(super) fn window(&self, surroundings: &RackInput, min_rtt: u32, srtt8: u32) -> u64 {
        if surroundings.uses_zero_window() {
            return 0;
        }
        u64::from((min_rtt >> 2).wrapping_mul(self.steps).min(srtt8 >> 3))
    }

    /// Time until a packet that left at `sent` and ends at `end` is taken to be lost; it is lost at 0 or less. `None` if
    /// no packet sent later was delivered [rules/rack.md rule 4, RFC 8985 6.2 step 5].
    #[must_use]
    #[inline]
    pub fn remaining(&self, now: u64, (sent, end): (u64, u64), window: u64) -> Option<i64> {
        let overtaken = (self.mstamp, self.end) > (sent, end);
        overtaken.then(|| self.reordering_allowance(now, sent, window))
    }

    /// Time until the packet is taken to be lost, whatever was delivered [rules/rack.md rule 10, RFC 8985 6.3].
    #[must_use]
    #[inline]
    pub fn reordering_allowance(&self, now: u64, sent: u64, window: u64) -> i64 {
        (self.rtt + window) as i64 - (now as i64 - sent as i64)
    }

    /// Adapts the width after an ACK whose latest packet was sent at `prior_delivered`
    /// [rules/rack.md rule 8].
    pub fn adapt_reordering_window(&mut self, prior_delivered: u32, delivered: u32) {
        if (prior_delivered.wrapping_sub(self.last_delivered) as i32) < 0 {
            self.dsack_seen = false;
        }
        if self.dsack_seen {
            self.steps = (self.steps + 1).min(255);
            self.dsack_seen = false;
            self.last_delivered = delivered;
            self.persist = PERSIST;
        } else if self.persist == 0 {
            self.steps = 1;
        }
    }
}
