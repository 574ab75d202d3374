//! A variant's loss recovery, with its timeouts watched.

use super::response::EifelResponse;
use super::verdict::TimeoutVerdict;
use super::watch::SpuriousDetector;
use crate::plan::{Cwnd, NextPacket, SendingPlan};
use crate::strategy::Strategy;
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// Window in segments after a genuine timeout after which F-RTO has sent new data, as slow start would have reached
/// [RFC 5682 2.1, step 3a].
const DUPLICATES_FOR_GENUINE: u32 = 3;

/// A variant's loss recovery, and the watch over its timeouts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WatchedRecovery<R, D> {
    recovery: R,
    /// True if the variant reads SACK blocks.
    reads_sack: bool,
    watcher: D,
    response: EifelResponse,
    /// The number after the highest sent when loss recovery began: up to there it is not over, and a
    /// timeout begins no new watch [RFC 3522 3.2; RFC 4015 3.2; RFC 5682 2.1 and 3.1, step 1]. Fast
    /// recovery counts as well, for basic F-RTO too.
    recover: u64,
}

impl<R, D> WatchedRecovery<R, D> {
    /// `watcher` watches `inner`, whose connection began with `initial_window` sequence numbers.
    pub(super) fn new(inner: R, watcher: D, sacks: bool, initial_window: u64) -> Self {
        WatchedRecovery {
            recovery: inner,
            reads_sack: sacks,
            watcher,
            response: EifelResponse::new(initial_window),
            recover: 0,
        }
    }
}

impl<R: Strategy, D: SpuriousDetector> Strategy for WatchedRecovery<R, D> {
    // Not inlined: a variant that may be watched would contain itself and not be inlined either.
    #[inline(never)]
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        self.recovery.on_new_ack(view, acked, plan);
        self.watch_plan(view, plan);
        let verdict = self.watcher.on_new_ack(view, self.recover);
        self.apply_verdict(verdict, view, acked, plan);
    }

    #[inline(never)]
    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        let verdict = self.watcher.on_duplicate_ack(view, self.recover);
        // A duplicate that shows the timeout to be genuine asks for no fast retransmit as well; SACK
        // takes its reports.
        if verdict != TimeoutVerdict::Genuine || self.reads_sack {
            self.recovery.on_duplicate_ack(view, plan);
            self.watch_plan(view, plan);
        }
        self.apply_verdict(verdict, view, 0, plan);
    }

    #[inline(never)]
    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        if view.una >= self.recover {
            self.response.begin(view);
            self.watcher.on_timeout(view);
        } else {
            self.watcher.on_repeated_timeout();
        }
        self.recover = view.high;
        self.recovery.on_timeout(view, plan);
    }

    fn on_losses(&mut self, view: &View, plan: &mut SendingPlan) {
        self.recovery.on_losses(view, plan);
        self.watch_plan(view, plan);
    }

    fn is_recovering(&self, view: &View) -> bool {
        self.recovery.is_recovering(view)
    }

    fn window_after_reduction(&mut self, view: &View) -> Option<Window> {
        self.recovery.window_after_reduction(view)
    }

    #[inline(never)]
    fn next_segment(&mut self, view: &View) -> NextPacket {
        if self.watcher.sends_new_data() {
            NextPacket::Window
        } else {
            self.recovery.next_segment(view)
        }
    }
}

impl<R: Strategy, D: SpuriousDetector> WatchedRecovery<R, D> {
    fn apply_verdict(
        &mut self,
        verdict: TimeoutVerdict,
        view: &View,
        acked: u64,
        plan: &mut SendingPlan,
    ) {
        match verdict {
            TimeoutVerdict::Nothing => {}
            TimeoutVerdict::Probe => {
                // The window is two segments; what is not sent again lies beside it.
                plan.advance_to_high = true;
                plan.inflation = Some(view.high - view.una);
            }
            TimeoutVerdict::Genuine => {
                plan.goes_back = view.una < self.recover && self.recovery.resends_from_una();
                plan.grows_window = false;
                plan.cwnd =
                    Some(Cwnd::Exactly(Window::from_packets(DUPLICATES_FOR_GENUINE * view.mss)));
                plan.inflation = Some(0);
            }
            TimeoutVerdict::Spurious => {
                self.recover = view.una;
                self.recovery.on_undo(view);
                self.response.apply(view, acked, plan);
            }
        }
    }

    /// Notes whether the variant has begun fast recovery.
    fn watch_plan(&mut self, view: &View, plan: &SendingPlan) {
        if plan.fast_retransmit {
            self.recover = view.high;
            self.watcher.stop();
        }
    }
}
