//! Probing: after a loss the sender sends no data, but probes, until the answers to two of them in a row
//! have shown how the path is; the variant then decides [lahanas reading, sections 1 and 2].
//!
//! A [`ProbeCycle`] is one such pause; a [`Prober`] is what a connection keeps between them. Neither touches
//! the window. Closing and resetting are matters of the shell around a sender.

mod cycle;
mod trips;

use crate::reduction_cause::ReductionCause;
use crate::report::ProbeReport;
use crate::segment::{Probe, ProbeId, ProbeKind};
use crate::timers::Timers;
use crate::view::View;
use airtcp_core::{Instant, Span};
use cycle::ProbeCycle;
use serde::Serialize;
use trips::BestRoundTrip;

/// Settings of probing, which stay during a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbingConfig {
    /// Excess of the time of a good probe over the best round trip, at most, as a share of that.
    pub tolerance: f64,
    /// Round trips measured since the last cycle began, beyond which another is due.
    pub max_estimates: u32,
    /// Time since the last cycle began, beyond which another is due.
    pub interval: Span,
    /// Makes a sender that a timeout had stopped send everything not acknowledged again, as far as its window goes;
    /// else one segment.
    pub rewind: bool,
    /// Doubles the probe timer with every probe that is retransmitted.
    pub backoff: bool,
    /// Length of a probe on the air.
    pub bits: u64,
}

impl ProbingConfig {
    /// The usual settings [lahanas reading, section 2], for probes of `bits` on the air.
    #[must_use]
    pub fn new(bits: u64) -> Self {
        let interval = Span::from_nanos(500_000_000);
        ProbingConfig {
            tolerance: 0.0,
            max_estimates: 8,
            interval,
            rewind: true,
            backoff: false,
            bits,
        }
    }
}

/// State of a sender that probes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Prober {
    tolerance: f64,
    estimates: u32,
    interval: Span,
    rewind: bool,
    backoff: bool,
    bits: u64,
    round_trips: BestRoundTrip,
    /// Round trips measured since the last cycle began.
    rtt_estimates: u32,
    /// Time at which the last cycle began.
    cycle_start: Option<Instant>,
    /// Number of the last probe.
    number: u32,
    cycle: Option<ProbeCycle>,
}

impl Prober {
    pub(crate) fn new(config: &ProbingConfig) -> Self {
        Prober {
            tolerance: config.tolerance,
            estimates: config.max_estimates,
            interval: config.interval,
            rewind: config.rewind,
            backoff: config.backoff,
            bits: config.bits,
            round_trips: BestRoundTrip::default(),
            rtt_estimates: 0,
            cycle_start: None,
            number: 0,
            cycle: None,
        }
    }

    /// A cycle begins: PROBE1 is to be sent, and to be retransmitted at `due`.
    pub(crate) fn begin_cycle(
        &mut self,
        now: Instant,
        due: Instant,
        cause: ReductionCause,
        view: &View,
    ) {
        self.round_trips.discard();
        (self.rtt_estimates, self.cycle_start) = (0, Some(now));
        let id = self.next_id(ProbeKind::First);
        self.cycle = Some(ProbeCycle::new(cause, view.clone(), id, due));
    }

    /// Returns whether a cycle is in progress.
    pub(crate) fn is_probing(&self) -> bool {
        self.cycle.is_some()
    }

    /// Expiry of the probe timer during a cycle.
    pub(crate) fn expiry(&self) -> Option<Instant> {
        self.cycle.as_ref().map(ProbeCycle::expiry)
    }

    /// The probe timer expires: the same probe under a new number; `due` as for [`Prober::begin_cycle`].
    pub(crate) fn on_timer(&mut self, now: Instant, due: Instant) {
        let Some(kind) = self.cycle.as_ref().map(ProbeCycle::kind) else { return };
        let id = self.next_id(kind);
        let backoff = self.backoff;
        self.cycle.iter_mut().for_each(|cycle| {
            let doublings = if backoff { cycle.repeats() } else { 0 };
            cycle.send_next(id, now + (due - now) * (1 << doublings));
        });
    }

    /// The probe to send at `now`, if one is due.
    pub(crate) fn poll(&mut self, now: Instant, seq: u64) -> Option<Probe> {
        let id = self.cycle.as_mut()?.poll(now)?;
        Some(Probe { seq, id, bits: self.bits })
    }

    /// Takes an answer. If it is awaited, the next probe is to be sent, or the cycle is over: then the result is
    /// its findings, and the sender as it was when the cycle began. An answer that took longer than the timer is a
    /// sample for the timer: else every window would be taken for lost where no data comes back in time.
    pub(crate) fn on_answer(
        &mut self,
        now: Instant,
        id: ProbeId,
        timers: &mut Timers,
    ) -> Option<(ProbeReport, View)> {
        let cycle = self.cycle.as_ref()?;
        let sent = cycle.sent_at(id)?;
        if cycle.is_late(id) {
            timers.add_sample(sent, now);
        }
        let good = self.round_trips.is_good(now - sent, self.tolerance);
        if id.kind() == ProbeKind::First {
            let (next, due) = (self.next_id(ProbeKind::Second), timers.expiry_after(now));
            self.cycle.iter_mut().for_each(|cycle| cycle.next_probe(good, next, due));
            return None;
        }
        self.cycle.take().map(|cycle| cycle.report(good, self.rewind))
    }

    /// An ACK moved `una` during a cycle.
    pub(crate) fn on_progress(&mut self) {
        self.cycle.iter_mut().for_each(ProbeCycle::forget_duplicates);
    }

    /// A duplicate ACK during a cycle.
    pub(crate) fn on_duplicate(&mut self) {
        self.cycle.iter_mut().for_each(ProbeCycle::count_duplicate);
    }

    /// All data are acknowledged, which makes the cycle pointless.
    pub(crate) fn end_cycle(&mut self) {
        self.cycle = None;
    }

    /// Data at `seq` leaves, for the first time or again.
    #[inline]
    pub(crate) fn on_send(&mut self, now: Instant, seq: u64, first: bool) {
        if first {
            self.round_trips.begin(now, seq);
        }
    }

    /// Takes an ACK of all before `una` outside a probing cycle.
    #[inline]
    pub(crate) fn on_ack(&mut self, now: Instant, una: u64) {
        self.rtt_estimates += u32::from(self.round_trips.finish(now, una));
    }

    /// Nothing is timed across a retransmission [Karn's rule].
    pub(crate) fn stop_timing(&mut self) {
        self.round_trips.discard();
    }

    /// Returns whether the last cycle is long enough ago, in round trips or in time.
    pub(crate) fn is_cycle_due(&self, now: Instant) -> bool {
        let late = |begun: Instant| begun + self.interval < now;
        self.rtt_estimates > self.estimates || self.cycle_start.is_none_or(late)
    }

    fn next_id(&mut self, kind: ProbeKind) -> ProbeId {
        self.number = self.number % (u32::MAX >> 1) + 1;
        ProbeId::new(kind, self.number)
    }
}
