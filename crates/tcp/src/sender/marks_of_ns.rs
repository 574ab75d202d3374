//! Marks by the rules of ns [ns 2.35, tcp.cc].

use super::Sender;
use crate::plan::SendingPlan;
use crate::segment::Sack;
use crate::strategy::Strategy;
use crate::window::Window;
use airtcp_core::Instant;

impl Sender {
    /// Returns whether it follows ns, and takes marks.
    #[inline]
    pub(super) fn handles_marks_as_ns(&self) -> bool {
        self.view.ns.as_ref().is_some_and(|ns| ns.settings.ecn)
    }

    /// Takes an ACK that echoes a mark.
    #[cold]
    pub(super) fn on_marked_ack_in_ns(&mut self, now: Instant, next: u64, sack: &Sack, echo: u32) {
        self.view.now = now;
        let (small, mut plan) = (self.view.cwnd <= Window::ONE, SendingPlan::default());
        if next > 0 && self.recovery.on_mark(&self.view, next, &mut plan) {
            if self.view.ns.as_mut().is_some_and(|ns| ns.marks.record_reduction(small)) {
                self.timers.back_off();
            }
            self.update_window(&plan, 0);
        }
        self.process_ack_in_ns(now, (next, sack, echo), true);
    }

    /// Takes an ACK with or without a mark.
    pub(super) fn process_ack_in_ns(
        &mut self,
        now: Instant,
        (next, sack, echo): (u64, &Sack, u32),
        marked: bool,
    ) {
        let Some(ns) = &self.view.ns else { return };
        let (new, before) = (next > self.view.una, ns.marks);
        self.is_marked = before.responds_to(marked, &ns.settings);
        self.timers.set_keeps_backoff(before.keeps_backoff(marked));
        self.on_ack_without_probing(now, next, sack, echo);
        self.is_marked = false;
        if let Some(ns) = self.view.ns.as_mut().filter(|_| new) {
            ns.marks.on_acknowledged(before, marked);
        }
    }
}
