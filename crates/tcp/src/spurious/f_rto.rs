//! F-RTO: after a timeout only the first unacknowledged segment is sent again. If the first ACK then moves the window,
//! two new segments follow instead of old ones. If the second ACK moves the window too, it acknowledges data that was
//! not sent again, so the timeout was spurious [RFC 5682 2.1]. No TCP option is needed.
//!
//! With SACK, an ACK that reports data which was not sent again also shows that the timeout was spurious, and duplicate
//! ACKs before the first ACK that moves the window have no effect [RFC 5682 3.1]. If there is no new data to send, or no room for it, the timeout
//! counts as a loss (2.1, step 2b). Left out: the alternatives of appendix A.

use super::verdict::TimeoutVerdict;
use super::watch::SpuriousDetector;
use crate::ranges::RangeSet;
use crate::view::View;
use serde::Serialize;

/// Next step of F-RTO.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FRto {
    /// The SACK-enhanced version.
    uses_sack: bool,
    phase: Phase,
    /// The end of what step 1 sends again.
    resent_end: u64,
    /// Ranges reported since the timeout.
    reported_ranges: RangeSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Phase {
    /// The timeout, if there was one, is dealt with.
    Idle,
    /// Step 2 is next.
    Resent,
    /// Step 3 is next.
    Probing,
}

impl FRto {
    pub(super) const TIMESTAMPS: bool = false;

    pub(super) fn new(sack: bool) -> Self {
        FRto {
            uses_sack: sack,
            phase: Phase::Idle,
            resent_end: 0,
            reported_ranges: RangeSet::default(),
        }
    }
}

impl SpuriousDetector for FRto {
    /// Step 1.
    fn on_timeout(&mut self, view: &View) {
        self.phase = Phase::Resent;
        self.resent_end = view.una + u64::from(view.packet_length(view.una));
        self.reported_ranges.clear();
    }

    /// Step 1, where the timer expires again before all is acknowledged that was sent at the first
    /// timeout: `recover` is stored in step 2 only, so the same segment may be tried again.
    fn on_repeated_timeout(&mut self) {
        if self.phase == Phase::Probing {
            self.phase = Phase::Idle;
        }
    }

    fn stop(&mut self) {
        self.phase = Phase::Idle;
    }

    /// Returns whether the two new segments are to be sent.
    fn sends_new_data(&self) -> bool {
        self.phase == Phase::Probing
    }

    /// An ACK that moves the window; `recover` is the end of what was sent at the timeout.
    fn on_new_ack(&mut self, view: &View, recover: u64) -> TimeoutVerdict {
        match self.phase {
            Phase::Idle => TimeoutVerdict::Nothing,
            Phase::Resent => self.on_first_ack(view, recover),
            Phase::Probing => self.on_second_ack(view, recover, true),
        }
    }

    /// An ACK that does not.
    fn on_duplicate_ack(&mut self, view: &View, recover: u64) -> TimeoutVerdict {
        match self.phase {
            Phase::Idle => TimeoutVerdict::Nothing,
            // 3.1 has no such branch: it goes on waiting.
            Phase::Resent if self.uses_sack => {
                self.new_sack_bytes(view);
                TimeoutVerdict::Nothing
            }
            Phase::Resent => {
                self.phase = Phase::Idle; // 2a
                TimeoutVerdict::Nothing
            }
            Phase::Probing => self.on_second_ack(view, recover, false),
        }
    }
}

impl FRto {
    /// Step 2.
    fn on_first_ack(&mut self, view: &View, recover: u64) -> TimeoutVerdict {
        self.phase = Phase::Idle;
        let all_resent = self.uses_sack || view.una >= self.resent_end;
        if view.una >= recover || !all_resent {
            return TimeoutVerdict::Nothing; // 2a
        }
        if !view.can_send(view.high) {
            return TimeoutVerdict::Nothing; // 2b, the recommended action
        }
        self.new_sack_bytes(view);
        self.phase = Phase::Probing;
        TimeoutVerdict::Probe // 2b
    }

    /// Step 3.
    fn on_second_ack(&mut self, view: &View, recover: u64, moves: bool) -> TimeoutVerdict {
        self.phase = Phase::Idle;
        let spurious = if self.uses_sack {
            let beyond = view.sack.blocks(view.una).any(|block| block.end > recover);
            let new = self.new_sack_bytes(view) > 0;
            view.una <= recover && !beyond && (moves || new)
        } else {
            moves
        };
        if spurious { TimeoutVerdict::Spurious } else { TimeoutVerdict::Genuine } // 3b, 3a
    }

    /// Takes the SACK blocks of an ACK and returns the newly SACKed amount.
    fn new_sack_bytes(&mut self, view: &View) -> u64 {
        let blocks = view.sack.blocks(view.una);
        blocks.map(|block| self.reported_ranges.insert(block.start, block.end)).sum()
    }
}
