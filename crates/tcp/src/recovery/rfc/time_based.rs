//! Recovery under a time-based detection, which marks segments one by one [RFC 8985]. Marked segments are retransmitted, lowest
//! first, then new data are sent, as far as the data in flight leave space in the window. RFC 6675 must not be used with that (9.2), for it cannot tell that
//! a retransmission is lost. A recovery ends when all is acknowledged that was outstanding as it began. A timeout keeps what was
//! reported and does not go back; the window of one segment grows by slow start meanwhile.
//!
//! Every loss of what left after the window came down last is another indication of congestion [RFC 5681 4.3; RFC 8985 9.3]: a
//! further recovery begins. Proportional rate reduction answers once per recovery.

use super::proportion::PrrState;
use super::resent::RetransmittedAtTimeout;
use crate::plan::{Cwnd, NextPacket, SendingPlan};
use crate::reduction::Reduction;
use crate::reduction_cause::ReductionCause;
use crate::strategy::Strategy;
use crate::view::View;
use crate::window::Window;
use airtcp_core::Instant;
use serde::Serialize;

/// Phase of the recovery.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TimeBasedRecovery {
    phase: Phase,
    /// End of the data sent as it began.
    recover: u64,
    /// Time of the last window reduction.
    last_reduction: Instant,
    resent: RetransmittedAtTimeout,
    /// Counters of a proportional reduction; idle without one.
    proportion: PrrState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Phase {
    Open,
    Fast,
    Timeout,
}

impl Default for TimeBasedRecovery {
    fn default() -> Self {
        TimeBasedRecovery {
            phase: Phase::Open,
            recover: 0,
            last_reduction: Instant::START,
            resent: RetransmittedAtTimeout::default(),
            proportion: PrrState::default(),
        }
    }
}

impl TimeBasedRecovery {
    /// Responds to losses found by the current input; `arrived`: sequence numbers it delivered and acknowledged.
    fn on_losses_found(&mut self, view: &View, arrived: (u64, u64), plan: &mut SendingPlan) {
        let losses = view.segments.detected_losses();
        let is_retransmission = losses.lost > 0 && losses.newest >= self.last_reduction;
        match (self.phase, view.reduction) {
            (Phase::Open, _) if losses.lost > 0 => self.enter(view, arrived, plan),
            (Phase::Open, _) => self.continue_recovery(view, losses.repaired, plan),
            (Phase::Fast, Reduction::AtOnce(_)) if is_retransmission => {
                self.enter(view, arrived, plan);
            }
            (Phase::Timeout, _) if is_retransmission => self.lower_threshold(view, plan),
            (Phase::Fast, Reduction::Prr(_)) => {
                self.proportion.on_marks(view, losses.lost, arrived);
            }
            _ => {}
        }
    }

    /// Continues without a loss to repair: a probe may have repaired the tail [RFC 8985 7.4.2], and SACKed data make
    /// room for new data [RFC 6675, section 5, step 3.3].
    fn continue_recovery(&mut self, view: &View, repaired: bool, plan: &mut SendingPlan) {
        if repaired {
            self.lower_threshold(view, plan);
        }
        plan.allow_beyond_window(view, view.segments.sacked_ranges().total());
    }

    /// Reduces the window and sends the first lost segment at once [RFC 5681 3.2, steps 2 and 3].
    fn enter(&mut self, view: &View, arrived: (u64, u64), plan: &mut SendingPlan) {
        (self.phase, self.recover) = (Phase::Fast, view.high);
        self.last_reduction = view.now;
        plan.enter_fast_recovery(view);
        plan.retransmit = view.segments.first_lost();
        plan.cwnd = Some(Cwnd::Threshold { packets_above: 0 });
        plan.grows_window = false;
        if let Reduction::Prr(prr) = view.reduction {
            self.proportion.begin(view, prr, view.segments.in_flight(), arrived);
        }
    }

    /// Threshold and window come down, but not up to the threshold.
    fn lower_threshold(&mut self, view: &View, plan: &mut SendingPlan) {
        self.last_reduction = view.now;
        plan.reduce = Some(ReductionCause::FastRetransmit);
        plan.grows_window = false;
        if view.cwnd.floor() >= 2 * u64::from(view.mss) {
            plan.cwnd = Some(Cwnd::Threshold { packets_above: 0 });
        }
    }

    /// All is acknowledged that was sent as the recovery began.
    fn leave(&mut self, view: &View, plan: &mut SendingPlan) {
        if self.phase == Phase::Fast && view.reduction.needs_sack() {
            plan.cwnd = Some(Cwnd::Threshold { packets_above: 0 });
        }
        plan.grows_window = self.phase == Phase::Timeout;
        self.phase = Phase::Open;
    }

    /// Sequence numbers that the current ACK delivered, if proportional rate reduction needs them.
    fn delivered(&mut self, view: &View, acked: u64) -> u64 {
        match view.reduction {
            Reduction::Prr(_) => self.proportion.delivered(view, acked),
            Reduction::AtOnce(_) => 0,
        }
    }

    fn record_choice(&mut self, view: &View, seq: u64, choice: NextPacket) -> NextPacket {
        self.proportion.on_send(view.packet_length(seq).into());
        choice
    }
}

impl Strategy for TimeBasedRecovery {
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        let delivered = self.delivered(view, acked);
        plan.inflation = Some(0);
        if self.phase == Phase::Open {
            plan.grows_window = true;
        } else if view.una >= self.recover {
            self.leave(view, plan);
        } else {
            plan.grows_window = self.phase == Phase::Timeout;
        }
        self.on_losses_found(view, (delivered, acked), plan);
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        let delivered = self.delivered(view, 0);
        self.on_losses_found(view, (delivered, 0), plan);
    }

    fn on_losses(&mut self, view: &View, plan: &mut SendingPlan) {
        self.on_losses_found(view, (0, 0), plan);
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.resent.on_timeout(view, false, plan);
        plan.goes_back = false;
        plan.inflation = Some(0);
        plan.retransmit = Some(view.una);
        (self.phase, self.recover) = (Phase::Timeout, view.high);
        self.last_reduction = view.now;
        self.proportion.stop();
    }

    fn on_undo(&mut self, view: &View) {
        (self.phase, self.recover) = (Phase::Open, view.una);
        self.resent = RetransmittedAtTimeout::default();
    }

    fn is_recovering(&self, view: &View) -> bool {
        self.phase != Phase::Open && view.una < self.recover
    }

    fn resends_from_una(&self) -> bool {
        false
    }

    fn window_after_reduction(&mut self, view: &View) -> Option<Window> {
        if self.phase == Phase::Fast { self.proportion.window(view) } else { None }
    }

    fn next_segment(&mut self, view: &View) -> NextPacket {
        if self.phase == Phase::Open {
            return NextPacket::Window;
        }
        if view.cwnd.floor() < view.segments.in_flight() + u64::from(view.mss) {
            return NextPacket::Nothing;
        }
        match view.segments.first_lost() {
            Some(seq) => self.record_choice(view, seq, NextPacket::Retransmit(seq)),
            None if view.can_send_new() => self.record_choice(view, view.next, NextPacket::New),
            None => NextPacket::Nothing,
        }
    }
}
