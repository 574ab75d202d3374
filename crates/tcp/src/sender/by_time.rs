//! The sender's part of a time-based loss detection [RFC 8985]: its input to the detection, and the timers.

use super::Sender;
use crate::detection::{Detector, RackContext};
use crate::plan::SendingPlan;
use crate::strategy::Strategy;
use airtcp_core::Instant;

impl Sender {
    fn rack_context(&self) -> RackContext {
        RackContext {
            recovering: self.recovery.is_recovering(&self.view),
            srtt: self.timers.srtt(),
            timestamps: self.timestamps,
        }
    }

    /// An ACK was entered into the scoreboard; whether a timer ran before it that takes the place of the retransmission
    /// timer.
    #[inline(never)]
    pub(super) fn detect_by_time(&mut self, duplicate: bool) -> bool {
        let (context, waited) = (self.rack_context(), self.awaits_reordering());
        let measures = self.timers.has_sample_below(self.view.una);
        let Some(detector) = self.detector.time_based_mut() else { return waited };
        detector.rack.on_ack(&self.view, &context);
        if measures {
            detector.tail.on_sample();
        }
        let duplicate = duplicate && self.view.sack.is_empty();
        let repaired = detector.tail.probe_repaired_loss(self.view.una, duplicate);
        let window = detector.rack.window(&self.view, &context);
        detector.mark_losses(self.view.now, &mut self.view.segments, window);
        self.view.segments.record_probe_repair(repaired);
        self.view.is_first_lost = self.view.segments.detected_losses().lost > 0;
        waited
    }

    /// A duplicate while nothing is outstanding: it may answer a probe that was superfluous.
    #[cold]
    pub(super) fn on_duplicate_after_detection(&mut self) {
        let Some(detector) = self.detector.time_based_mut() else { return };
        detector.tail.probe_repaired_loss(self.view.una, self.view.sack.is_empty());
    }

    /// Sets the timers after the current input; `moves`: it acknowledged new data; `waited`: a timer that replaces the
    /// retransmission timer was running.
    #[inline(never)]
    pub(super) fn rearm_timers(
        &mut self,
        now: Instant,
        plan: &SendingPlan,
        (moves, waited): (bool, bool),
    ) {
        let Some(detector) = self.detector.time_based_mut() else { return };
        if self.view.una == self.view.high {
            detector.rack.stop();
            detector.tail.stop();
        } else if plan.fast_retransmit {
            detector.tail.reset();
        } else if detector.rack.is_armed() {
            detector.tail.stop();
        } else if moves {
            detector.tail.stop();
            self.schedule_probe(now);
        }
        if waited && !self.awaits_reordering() {
            self.timers.restart(now); // as RFC 6298 5.1 starts one that does not run
        }
    }

    /// Returns whether a timer runs that takes the place of the retransmission timer [RFC 8985, section 8].
    pub(super) fn awaits_reordering(&self) -> bool {
        self.detector.time_based().is_some_and(|detector| detector.expiry().is_some())
    }

    /// New data left, or was acknowledged [RFC 8985 7.2]. Where no probe could leave the retransmission timer stays.
    #[inline(never)]
    pub(super) fn schedule_probe(&mut self, now: Instant) {
        let (context, timeout) = (self.rack_context(), self.timers.expiry(&self.view));
        let alone = self.view.high - self.view.una <= u64::from(self.view.mss);
        let Some(detector) = self.detector.time_based_mut() else { return };
        let reported = !self.view.segments.sacked_ranges().is_empty();
        if detector.tail.is_allowed()
            && !(context.recovering || reported || detector.rack.is_armed())
        {
            detector.tail.schedule(now, context.srtt, alone, timeout);
        }
    }

    /// The reordering timer expired [RFC 8985 6.2 step 5].
    pub(super) fn on_reordering_timer(&mut self, now: Instant) {
        let context = self.rack_context();
        let Some(detector) = self.detector.time_based_mut() else { return };
        let window = detector.rack.window(&self.view, &context);
        detector.mark_losses(now, &mut self.view.segments, window);
        let mut plan = SendingPlan::default();
        self.recovery.on_losses(&self.view, &mut plan);
        self.carry_out(now, &plan, 0);
        self.rearm_timers(now, &plan, (false, true));
    }

    /// The timer of the probe expired [RFC 8985 7.3].
    pub(super) fn on_probe_timer(&mut self, now: Instant) {
        let Some(detector) = self.detector.time_based_mut() else { return };
        detector.tail.stop();
        if detector.tail.is_allowed() {
            let (view, new) = (&self.view, self.view.can_send_new());
            let end =
                if new { view.next + u64::from(view.packet_length(view.next)) } else { view.next };
            detector.tail.on_send(end, !new);
            self.retransmit = if new { Some(view.next) } else { view.segments.last() };
        }
        self.timers.restart(now);
    }

    /// The retransmission timer expired. If the first segment was SACKed, the receiver has reneged [RFC 2018, section
    /// 8]; otherwise SACK reports are kept.
    pub(super) fn detect_at_timeout(&mut self, now: Instant) {
        let Some(detector) = self.detector.time_based_mut() else { return };
        if self.view.segments.sacked_ranges().containing(self.view.una).is_some() {
            self.view.segments.clear_sack();
        }
        detector.on_timeout(now, &mut self.view.segments);
    }
}
