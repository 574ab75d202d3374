//! The sender: sliding window, duplicate-ACK counting, timers. Loss detection finds losses, the recovery strategy
//! repairs them, congestion control grows the window.

mod by_time;
mod marks_of_ns;

use crate::config::SenderConfig;
use crate::congestion::{AckMarks, AckSample, CongestionControl, Control, LossEvent};
use crate::detection::{Detector, LossDetector};
use crate::ecn::EcnReaction;
use crate::ns::Ns;
use crate::plan::{AckTimerEffect, Cwnd, NextPacket, SendingPlan};
use crate::probing::Prober;
use crate::recovery::Recovery;
use crate::reduction::Reduction;
use crate::reduction_cause::ReductionCause;
use crate::report::ProbeReport;
use crate::rule_source::RuleSource;
use crate::scoreboard::Scoreboard;
use crate::segment::{Data, Probe, ProbeId, Sack, Segment};
use crate::stamp;
use crate::strategy::Strategy;
use crate::timers::{Pacer, RttEstimate, TimerKind, Timers};
use crate::view::View;
use crate::window::Window;
use airtcp_core::{Ecn, Instant};
use serde::Serialize;

/// Counts of a sender so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SenderCounters {
    /// Data packets sent, repetitions included.
    pub transmissions: u64,
    /// Data packets sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Retransmissions triggered by duplicate ACKs.
    pub fast_retransmits: u64,
    /// Timeouts, or several of one segment, that turned out to be spurious.
    pub spurious: u64,
}

/// The sequence numbers that a sender may send before its next input: those below `end`.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    end: u64,
}

/// The sending end of one connection. Fields that every packet needs come first in memory: with many flows, each packet
/// fetches them again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[repr(C, align(64))]
pub struct Sender {
    /// See [`SenderConfig::uses_no_options`]. The common path then needs no other field.
    #[serde(skip)]
    is_plain: bool,
    sending_suspended: bool,
    allows_extra_packet: bool,
    /// True if segments carry timestamps.
    timestamps: bool,
    /// Packets that the window may release before the next input; `allows_extra_packet` is in addition.
    burst: u32,
    retransmit: Option<u64>,
    /// The largest window after an idle time, if that matters.
    window_after_idle: Option<Window>,
    unit_bits: u64,
    header_bits: u64,
    /// Probing cycle of the variants that probe.
    prober: Option<Box<Prober>>,
    timers: Timers,
    view: View,
    counters: SenderCounters,
    /// The largest window and threshold, if there is a limit.
    max_window: Option<Window>,
    /// Most that slow start adds per ACK.
    slow_start: u64,
    recovery: Recovery,
    control: Control,
    detector: LossDetector,
    /// Pacer, if the congestion control sets a rate.
    pacer: Option<Box<Pacer>>,
    /// True if losses are detected by times.
    time_based_detection: bool,
    /// Reaction to marks, if it takes them.
    ecn_reaction: Option<EcnReaction>,
    /// ECN field of data, and whether the control counts marked bytes.
    #[serde(skip)]
    ect: Ecn,
    counts_marks: bool,
    /// True if the current ACK echoes a mark, so that the window does not grow.
    is_marked: bool,
}

impl Sender {
    /// A sender with an open connection and nothing to send yet; `None` if the source of rules does
    /// not define the variant.
    #[must_use]
    pub fn new(config: &SenderConfig) -> Option<Self> {
        let cap = config.max_window.map(Window::from_packets);
        let packets = |n: u32| {
            let window = Window::from_packets(n.saturating_mul(config.mss));
            cap.map_or(window, |cap| window.min(cap))
        };
        let (needs, can) = (config.growth.needs(), config.variant.capabilities());
        let by_time = config.detection.is_some_and(|detection| detection.time_based());
        let (follows_ns, ns) = (config.source == RuleSource::Ns2, config.ns.unwrap_or_default());
        Some(Sender {
            view: View {
                now: Instant::START,
                una: 0,
                next: 0,
                high: 0,
                written: 0,
                cwnd: packets(config.initial_window),
                ssthresh: packets(config.ssthresh),
                inflation_amount: 0,
                dupacks: 0,
                is_first_lost: false,
                dupack_threshold: config.dupack_threshold,
                mss: config.mss,
                rwnd: config.rwnd.unwrap_or(u64::from(config.window) * u64::from(config.mss)),
                inflation: config.inflation,
                limited_transmit: config.limited_transmit,
                reduction: config.reduction,
                segments: Scoreboard::new(
                    can.sacks,
                    needs.samples || config.slow_start_rule.needs_samples(),
                    by_time,
                ),
                sack: Sack::default(),
                echo: 0,
                timestamp_now: 0,
                probe_due: false,
                ns: follows_ns.then(|| Box::new(Ns::new(ns, config.syn_bits))),
            },
            recovery: Recovery::for_source(config.variant, config.source, by_time)?
                .with_spurious_detection(
                    config.spurious,
                    (config.variant, config.source),
                    u64::from(config.initial_window) * u64::from(config.mss),
                )?,
            detector: LossDetector::new(config.detection),
            control: Control::new(config.growth, config.slow_start_rule),
            timers: Timers::new(config.timer, config.window),
            retransmit: None,
            sending_suspended: false,
            burst: ns.burst(),
            allows_extra_packet: false,
            counters: SenderCounters::default(),
            max_window: cap,
            prober: can.probes.then(|| Box::new(Prober::new(&config.probing))),
            pacer: needs.paces.then(|| Box::new(Pacer::new())),
            window_after_idle: config.restarts_after_idle.then(|| packets(config.initial_window)),
            slow_start: u64::from(config.slow_start_limit) * u64::from(config.mss),
            unit_bits: config.unit_bits,
            header_bits: config.header_bits,
            timestamps: config.spurious.timestamps(),
            time_based_detection: by_time,
            ecn_reaction: config.ecn.then(EcnReaction::default),
            ect: needs.marks.ecn_field(),
            counts_marks: config.ecn && needs.marks.counts_marks(),
            is_marked: false,
            is_plain: config.uses_no_options(),
        })
    }

    /// The application writes data worth `amount` more sequence numbers.
    pub fn write(&mut self, amount: u64) {
        self.record_idle();
        self.view.written = self.view.written.saturating_add(amount);
    }

    /// Sets the advertised window, in sequence numbers from `una` on as moved by the next ACK. Used on real links only;
    /// in the simulator the window stays constant.
    pub fn set_rwnd(&mut self, rwnd: u64) {
        self.view.rwnd = rwnd;
    }

    /// Takes an ACK.
    #[inline]
    pub fn on_segment(&mut self, now: Instant, segment: &Segment) {
        match segment {
            Segment::Ack { next, sack, echo, .. } => self.on_ack(now, *next, sack, *echo),
            Segment::ProbeAck { next, id, .. } => self.on_probe_ack(now, *next, *id),
            Segment::Data { .. } | Segment::Probe { .. } => {}
        }
    }

    /// Takes an ACK by its fields. Always inlined, so that the packet with the SACK blocks need not lie in memory.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Instant, next: u64, sack: &Sack, echo: u32) {
        if !self.is_plain || next <= self.view.una {
            return self.on_general_ack(now, next, *sack, echo);
        }
        if next <= self.view.high {
            self.view.now = now;
            self.on_new_ack(now, next);
        }
    }

    /// Takes an ACK that more may follow from than that the window grows.
    #[inline(never)]
    fn on_general_ack(&mut self, now: Instant, next: u64, sack: Sack, echo: u32) {
        let sack = &sack;
        if self.handles_marks_as_ns() {
            return self.process_ack_in_ns(now, (next, sack, echo), false);
        }
        if self.counts_marks {
            self.count_marks(now, next, false);
        }
        self.on_ack_without_probing(now, next, sack, echo);
    }

    /// Takes an ACK whatever it echoes.
    #[inline(always)]
    fn on_ack_without_probing(&mut self, now: Instant, next: u64, sack: &Sack, echo: u32) {
        if next > self.view.high {
            return; // for data that was never sent [RFC 9293, section 3.10.7.4]
        }
        self.view.now = now;
        self.record_idle();
        if !(sack.is_empty() && self.view.sack.is_empty()) {
            self.view.sack = *sack;
        }
        self.view.echo = echo;
        if self.sending_suspended && self.is_probing() {
            self.on_ack_while_probing(now, next);
        } else if next > self.view.una {
            self.on_new_ack(now, next);
        } else if next == self.view.una && self.view.una < self.view.next {
            self.on_duplicate_ack(now);
        } else if next == self.view.una {
            self.on_duplicate_after_detection();
        }
    }

    /// Takes the answer to a probe. It moves `una` as every ACK does and never counts as a duplicate.
    #[cold]
    pub fn on_probe_ack(&mut self, now: Instant, next: u64, id: ProbeId) {
        if next > self.view.high {
            return;
        }
        self.view.now = now;
        self.view.sack = Sack::default();
        if next > self.view.una && self.is_probing() {
            // It says nothing of when the data arrived.
            self.timers.stop_timing();
            self.advance_while_probing(next);
        } else if next > self.view.una {
            self.on_new_ack(now, next);
        }
        let timers = &mut self.timers;
        let ended = self.prober.as_mut().and_then(|prober| prober.on_answer(now, id, timers));
        if let Some((report, frozen)) = ended {
            self.on_report(now, &report, &frozen);
        }
    }

    /// Lets the timers expire that are due.
    pub fn on_timer(&mut self, now: Instant) {
        if now < self.poll_timeout() {
            return;
        }
        self.view.now = now;
        self.record_idle();
        for kind in TimerKind::ALL {
            if self.expiry(kind) <= now {
                self.on_timer_expiry(now, kind);
            }
        }
    }

    fn on_timer_expiry(&mut self, now: Instant, kind: TimerKind) {
        match kind {
            TimerKind::Probes => {
                let due = self.timers.expiry_after(now);
                self.prober.iter_mut().for_each(|prober| prober.on_timer(now, due));
            }
            TimerKind::Reordering => self.on_reordering_timer(now),
            TimerKind::TailProbe => self.on_probe_timer(now),
            TimerKind::Retransmission => self.on_retransmission_timer(now),
            TimerKind::Pacing => self.pacer.iter_mut().for_each(|pacer| pacer.on_timer()),
        }
    }

    /// Expiry of that timer; [`Instant::NEVER`] if it is off.
    #[inline]
    fn expiry(&self, kind: TimerKind) -> Instant {
        let probes = self.prober.as_ref().and_then(|prober| prober.expiry());
        let by_time = self.detector.time_based();
        match kind {
            TimerKind::Probes => probes.unwrap_or(Instant::NEVER),
            TimerKind::Reordering => {
                by_time.map_or(Instant::NEVER, |detector| detector.rack.expiry())
            }
            TimerKind::TailProbe => {
                by_time.map_or(Instant::NEVER, |detector| detector.tail.expiry())
            }
            TimerKind::Retransmission if probes.is_some() || self.awaits_reordering() => {
                Instant::NEVER
            }
            TimerKind::Retransmission => self.timers.expiry(&self.view),
            TimerKind::Pacing => self.pacer.as_ref().map_or(Instant::NEVER, |pacer| pacer.expiry()),
        }
    }

    fn on_retransmission_timer(&mut self, now: Instant) {
        self.counters.timeouts += 1;
        self.view.inflation_amount = 0;
        self.view.timestamp_now = stamp::timestamp_at(now);
        self.control.on_timeout(&self.view);
        self.detect_at_timeout(now);
        let mut plan = SendingPlan::default();
        self.recovery.on_timeout(&self.view, &mut plan);
        self.view.dupacks = plan.dupack_count.unwrap_or(0);
        if plan.keeps_backoff {
            self.timers.on_idle_timeout(now);
        } else if plan.probes_path_for.is_none() {
            self.timers.on_timeout(now);
        }
        if let Some(ns) = &mut self.view.ns {
            ns.on_timeout(self.view.una);
        }
        self.carry_out(now, &plan, 0);
    }

    /// The next segment to send now, if any. Call it until there is none before the next input.
    #[inline]
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Segment> {
        self.poll_data(now).map(Segment::from).or_else(|| self.poll_probe(now).map(Segment::from))
    }

    /// The probe to send now, if any: then there is no data to send.
    #[inline]
    pub fn poll_probe(&mut self, now: Instant) -> Option<Probe> {
        let next = self.view.next;
        self.prober.as_mut()?.poll(now, next)
    }

    /// [`Sender::poll_transmit`] for data alone.
    #[inline(always)]
    pub fn poll_data(&mut self, now: Instant) -> Option<Data> {
        if !self.sends_new_in_order() {
            return self.poll_general_data(now);
        }
        let allowance = self.next_allowance(now);
        self.poll_new_data(now, allowance)
    }

    /// Returns whether it is a plain sender that fills its window, and does nothing else.
    #[inline(always)]
    fn sends_new_in_order(&self) -> bool {
        let in_turn =
            self.retransmit.is_none() && !self.allows_extra_packet && !self.sending_suspended;
        self.is_plain && in_turn && self.burst == u32::MAX
    }

    /// Allowance of a plain sender that sends in sequence.
    #[inline(always)]
    fn next_allowance(&mut self, now: Instant) -> Allowance {
        self.view.now = now;
        if let Some(most) = self.window_after_idle {
            self.limit_window_after_idle(now, most);
        }
        self.window_allowance()
    }

    /// Allowance of a plain sender until its next input, if it sends in sequence. Any other sender, and a retransmission, is
    /// checked packet by packet.
    #[inline(always)]
    pub fn allowance(&mut self, now: Instant) -> Option<Allowance> {
        self.sends_new_in_order().then(|| self.next_allowance(now))
    }

    /// [`Sender::poll_data`] with an allowance computed once after the last input instead of for every packet.
    #[inline(always)]
    pub fn poll_with_allowance(
        &mut self,
        now: Instant,
        allowance: Option<Allowance>,
    ) -> Option<Data> {
        match allowance {
            Some(allowance) => self.poll_new_data(now, allowance),
            None => self.poll_general_data(now),
        }
    }

    #[inline(always)]
    fn poll_new_data(&mut self, now: Instant, allowance: Allowance) -> Option<Data> {
        let (seq, len) = self.next_allowed(allowance)?;
        self.timers.on_send(now, &self.view, seq, false);
        let end = seq + u64::from(len);
        let is_retransmission = seq < self.view.high;
        (self.view.high, self.view.next) = (self.view.high.max(end), end);
        self.counters.transmissions += 1;
        self.counters.retransmissions += u64::from(is_retransmission);
        let bits = self.header_bits + u64::from(len) * self.unit_bits;
        Some(Data { seq, len, bits, is_retransmission, stamp: 0, ecn: Ecn::NotEct, cwr: false })
    }

    /// Data sent out of order, or by a sender with more checks.
    #[inline(never)]
    fn poll_general_data(&mut self, now: Instant) -> Option<Data> {
        let is_done = self.view.una == self.view.written;
        if self.pacer.as_mut().is_some_and(|pacer| !pacer.allows_sending(now, is_done)) {
            return None;
        }
        if let Some(seq) = self.retransmit.take() {
            let data = self.send(now, seq, true);
            if self.time_based_detection {
                self.view.next = self.view.high; // a probe of new data, where nothing goes back
            }
            return Some(data);
        }
        if std::mem::take(&mut self.allows_extra_packet) {
            let seq = self.view.next;
            let data = self.send(now, seq, false);
            self.view.next = seq + u64::from(data.len);
            return Some(data);
        }
        if self.sending_suspended || self.burst == 0 {
            return None;
        }
        self.view.now = now;
        if let Some(most) = self.window_after_idle {
            self.limit_window_after_idle(now, most);
        }
        let seq = match self.recovery.next_segment(&self.view) {
            NextPacket::Window => self.next_in_window()?.0,
            NextPacket::Retransmit(seq) => seq,
            NextPacket::New => self.view.next,
            NextPacket::Nothing => return None,
        };
        if self.burst < u32::MAX {
            self.burst -= 1;
        }
        let data = self.send(now, seq, seq < self.view.next);
        self.view.next = self.view.next.max(seq + u64::from(data.len));
        Some(data)
    }

    /// Expiry of the sender's first timer; [`Instant::NEVER`] if none runs. The retransmission timer is off if nothing
    /// is outstanding.
    #[inline(always)]
    #[must_use]
    pub fn poll_timeout(&self) -> Instant {
        if self.is_plain {
            return self.timers.expiry(&self.view);
        }
        self.first_timeout()
    }

    #[inline(never)]
    fn first_timeout(&self) -> Instant {
        let probes = self.prober.as_ref().and_then(|prober| prober.expiry());
        let first = probes
            .or_else(|| {
                if self.time_based_detection { self.detector.time_based()?.expiry() } else { None }
            })
            .unwrap_or_else(|| self.timers.expiry(&self.view));
        match &self.pacer {
            None => first,
            Some(pacer) => first.min(pacer.expiry()),
        }
    }

    /// Number of starts of the retransmission timer of ns, modulo 2^32: an event list schedules one event per start,
    /// even for the same expiry. Other timers do not count: 0.
    #[inline]
    #[must_use]
    pub fn timer_starts(&self) -> u32 {
        self.timers.start_count()
    }

    /// Returns whether the sender sends probes instead of data.
    #[must_use]
    pub fn is_probing(&self) -> bool {
        self.prober.as_ref().is_some_and(|prober| prober.is_probing())
    }

    /// State that a strategy sees: sequence numbers, windows, duplicate ACKs.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Estimates of the retransmission timer.
    #[must_use]
    pub fn rtt_estimate(&self) -> RttEstimate {
        self.timers.estimate()
    }

    /// Returns whether its segments carry timestamps [RFC 7323].
    #[must_use]
    #[inline]
    pub fn timestamps(&self) -> bool {
        self.timestamps
    }

    /// Counts so far.
    #[must_use]
    pub fn counters(&self) -> SenderCounters {
        self.counters
    }

    /// Takes an ACK that echoes a mark (ECE) [RFC 3168 6.1.2].
    #[inline(never)]
    pub fn on_marked_ack(&mut self, now: Instant, next: u64, sack: &Sack, echo: u32) {
        if self.handles_marks_as_ns() {
            return self.on_marked_ack_in_ns(now, next, sack, echo);
        }
        if self.counts_marks {
            self.count_marks(now, next, true);
        }
        self.reduce_for_mark(next);
        self.is_marked = self.ecn_reaction.is_some();
        self.on_ack_without_probing(now, next, sack, echo);
        self.is_marked = false;
    }

    /// Once per window of data.
    fn reduce_for_mark(&mut self, next: u64) {
        let high = self.view.high;
        let Some(reaction) =
            self.ecn_reaction.as_mut().filter(|ecn_reaction| ecn_reaction.is_due(next))
        else {
            return;
        };
        if next > high || self.sending_suspended {
            return;
        }
        let reduced = if self.counts_marks {
            self.control.on_mark(&self.view)
        } else {
            let loss = LossEvent { cause: ReductionCause::FastRetransmit, window: self.view.cwnd };
            Some(self.control.on_loss(&self.view, &loss))
        };
        if let Some(window) = reduced {
            reaction.on_reduction(high);
            (self.view.ssthresh, self.view.cwnd) = (window, window);
        }
    }

    /// An ACK of all below `next`, of a receiver that echoes every mark once [RFC 8257 3.3].
    fn count_marks(&mut self, now: Instant, next: u64, marked: bool) {
        if next > self.view.high {
            return;
        }
        self.view.now = now;
        let (acked, srtt) = (next.saturating_sub(self.view.una), self.timers.srtt());
        self.control.on_ack_marks(&self.view, &AckMarks { next, acked, marked, srtt });
    }

    /// ECN field and CWR of data: only new data carry CWR and, unless marks are counted, ECT [RFC 3168 6.1.2, 6.1.5].
    #[inline]
    fn packet_marks(&mut self, is_retransmission: bool) -> (Ecn, bool) {
        match &mut self.ecn_reaction {
            None => (Ecn::NotEct, false),
            Some(_) if is_retransmission && !self.counts_marks => (Ecn::NotEct, false),
            Some(_) if is_retransmission => (self.ect, false),
            Some(reaction) => (self.ect, reaction.take_cwr()),
        }
    }

    #[inline(always)]
    fn on_new_ack(&mut self, now: Instant, ack: u64) {
        let acked = ack - self.view.una;
        self.view.una = ack;
        self.view.next = self.view.next.max(ack);
        self.retransmit = None;
        let plain = self.is_plain && self.view.inflation_amount == 0;
        if !(plain && self.recovery.grows_on_new_ack(&self.view, acked)) {
            return self.on_general_new_ack(now, ack, acked);
        }
        (self.view.is_first_lost, self.view.dupacks) = (false, 0);
        self.timers.on_new_ack(now, &self.view, AckTimerEffect::Sample);
        (self.burst, self.allows_extra_packet) = (u32::MAX, false);
        self.grow_window(acked);
        self.limit_window();
    }

    /// Takes an ACK of new data that does more than grow the window.
    #[inline(never)]
    fn on_general_new_ack(&mut self, now: Instant, ack: u64, acked: u64) {
        self.view.segments.on_ack(now, ack, &self.view.sack);
        if self.view.segments.has_sack() {
            self.detect(u32::from(self.view.segments.sacked_bytes() > 0));
        } else {
            self.view.is_first_lost = false;
        }
        let waited = self.time_based_detection && self.detect_by_time(false);
        let mut plan = SendingPlan::default();
        self.recovery.on_new_ack(&self.view, acked, &mut plan);
        self.view.dupacks = plan.dupack_count.unwrap_or(0);
        self.timers.on_new_ack(now, &self.view, plan.timer_effect);
        if let Some(prober) = &mut self.prober {
            prober.on_ack(now, ack);
        }
        self.carry_out(now, &plan, acked);
        if let Some(window) = self.view.ns.as_ref().and_then(|ns| ns.window_after_first_ack(ack)) {
            self.view.cwnd = Window::from_packets(window);
        }
        if self.time_based_detection {
            self.rearm_timers(now, &plan, (true, waited));
        }
    }

    #[inline(never)]
    fn on_duplicate_ack(&mut self, now: Instant) {
        self.view.dupacks += 1;
        self.view.probe_due = self.prober.as_ref().is_some_and(|prober| prober.is_cycle_due(now));
        self.view.segments.on_ack(now, self.view.una, &self.view.sack);
        self.detect(self.view.dupacks);
        let waited = self.time_based_detection && self.detect_by_time(true);
        let mut plan = SendingPlan::default();
        self.recovery.on_duplicate_ack(&self.view, &mut plan);
        self.view.dupacks = plan.dupack_count.unwrap_or(self.view.dupacks);
        self.carry_out(now, &plan, 0);
        if self.time_based_detection {
            self.rearm_timers(now, &plan, (false, waited));
        }
    }

    /// Runs loss detection for this ACK, the `duplicates`-th duplicate in a row.
    fn detect(&mut self, duplicates: u32) {
        let finding = self.detector.on_ack(&self.view, duplicates);
        self.view.is_first_lost = finding.is_first_lost;
        if self.view.segments.has_sack() {
            self.view.segments.mark_lost_below(finding.lost_below);
        }
    }

    /// During a cycle ACKs move `una`, and nothing else; but one that was too late for the timer is a sample.
    #[cold]
    fn on_ack_while_probing(&mut self, now: Instant, next: u64) {
        if next > self.view.una {
            self.advance_while_probing(next);
            self.timers.on_new_ack(now, &self.view, AckTimerEffect::Keep);
        } else if next == self.view.una && self.view.una < self.view.next {
            self.prober.iter_mut().for_each(|prober| prober.on_duplicate());
        }
    }

    fn advance_while_probing(&mut self, next: u64) {
        self.view.segments.on_ack(self.view.now, next, &Sack::default());
        self.view.una = next;
        self.view.next = self.view.next.max(next);
        self.prober.iter_mut().for_each(|prober| prober.on_progress());
        if next == self.view.written {
            self.prober.iter_mut().for_each(|prober| prober.end_cycle());
            self.sending_suspended = false;
            self.view.dupacks = 0;
        }
    }

    /// A cycle has ended; the sender was `frozen` when it began.
    fn on_report(&mut self, now: Instant, report: &ProbeReport, frozen: &View) {
        let mut plan = SendingPlan::default();
        self.timers.stop_timing();
        self.recovery.on_report(&self.view, report, &mut plan);
        self.view.dupacks = plan.dupack_count.unwrap_or(0);
        if let Some(threshold) = reduced_window(&mut self.control, frozen, &plan) {
            self.view.ssthresh = threshold;
            plan.reduce = None;
        }
        self.carry_out(now, &plan, 0);
        self.timers.restart(now);
    }

    /// After an idle time longer than a timeout the window is no larger than at the start
    /// [RFC 5681 4.1].
    #[inline]
    fn limit_window_after_idle(&mut self, now: Instant, most: Window) {
        if self.view.una == self.view.high && self.timers.idle_time_exceeded(now) {
            self.view.cwnd = self.view.cwnd.min(most);
        }
    }

    /// The next packet and its length, if the window allows it.
    #[inline(always)]
    fn next_in_window(&self) -> Option<(u64, u32)> {
        self.next_allowed(self.window_allowance())
    }

    /// Allowance by the window.
    #[inline(always)]
    fn window_allowance(&self) -> Allowance {
        Allowance { end: self.view.una + self.view.usable_window() }
    }

    /// The next packet and its length, if it ends within an allowance.
    #[inline(always)]
    fn next_allowed(&self, Allowance { end: limit }: Allowance) -> Option<(u64, u32)> {
        let view = &self.view;
        if view.next >= limit {
            return None;
        }
        let len = view.packet_length(view.next);
        let end = view.next + u64::from(len);
        (view.next < view.written && end <= limit).then_some((view.next, len))
    }

    /// Sends the packet at `seq`.
    #[inline]
    fn send(&mut self, now: Instant, seq: u64, out_of_turn: bool) -> Data {
        let len = self.view.packet_length(seq);
        self.timers.on_send(now, &self.view, seq, out_of_turn);
        let (is_retransmission, sent) = (seq < self.view.high, seq + 1 < self.view.high);
        self.view.high = self.view.high.max(seq + u64::from(len));
        if let Some(prober) = &mut self.prober {
            prober.on_send(now, seq, !is_retransmission);
        }
        if let Some(history) = self.view.segments.history() {
            history.on_send(now, seq, len.into());
            if self.time_based_detection && !(is_retransmission || out_of_turn) {
                self.schedule_probe(now);
            }
        }
        if let Some(pacer) = &mut self.pacer {
            pacer.on_send(now, len.into(), self.control.pacing_rate(&self.view));
        }
        self.counters.transmissions += 1;
        self.counters.retransmissions += u64::from(is_retransmission);
        let stamp = if self.timestamps { stamp::timestamp_at(now) } else { 0 };
        let bits = self.header_bits + u64::from(len) * self.unit_bits;
        let (bits, (ecn, confirms)) = match &mut self.view.ns {
            Some(ns) => (ns.packet_bits(seq, bits), ns.packet_marks(seq, sent)),
            None => (bits, self.packet_marks(is_retransmission)),
        };
        Data { seq, len, bits, is_retransmission, stamp, ecn, cwr: confirms }
    }

    #[inline(always)]
    fn carry_out(&mut self, now: Instant, plan: &SendingPlan, acked: u64) {
        let reduces = plan.reduce.is_some() || plan.goes_back;
        let most = self.view.ns.as_mut().map_or(u32::MAX, |ns| ns.burst_limit(reduces));
        self.burst = plan.burst_limit.unwrap_or(most);
        self.allows_extra_packet = plan.extra_packet;
        if plan.retransmit.is_some() {
            self.retransmit = plan.retransmit;
        }
        self.view.cwnd = plan.window_before.unwrap_or(self.view.cwnd);
        self.sending_suspended = plan.suspend.unwrap_or(self.sending_suspended);
        self.update_window(plan, acked);
        if let Reduction::Prr(_) = self.view.reduction {
            self.view.cwnd =
                self.recovery.window_after_reduction(&self.view).unwrap_or(self.view.cwnd);
        }
        if plan.fast_retransmit {
            self.counters.fast_retransmits += 1;
            self.timers.on_fast_retransmit(now);
            self.prober.iter_mut().for_each(|prober| prober.stop_timing());
        }
        if let Some(cause) = plan.probes_path_for {
            self.begin_probing(now, cause);
        }
        if plan.clears_sack {
            self.view.segments.clear_sack();
        }
        if self.view.segments.history().is_some() {
            self.record_losses(plan);
        }
        if plan.goes_back {
            self.view.next = self.view.una;
            self.retransmit = None;
        }
        if plan.advance_to_high {
            self.view.next = self.view.high;
        }
    }

    /// Records losses of single segments from a plan, then passes the rate sample of the current ACK to the control.
    fn record_losses(&mut self, plan: &SendingPlan) {
        let len = plan.retransmit.map_or(0, |seq| self.view.packet_length(seq));
        let Some(history) = self.view.segments.history() else { return };
        if let Some(seq) = plan.retransmit {
            history.mark_lost_at(seq, len.into());
        }
        if plan.goes_back {
            history.mark_all_lost();
        }
        if matches!(plan.cwnd, Some(Cwnd::Restored { .. })) {
            history.unmark_all_lost();
        }
        if let Some(sample) = history.sample() {
            let window = self.control.on_sample(&self.view, &sample);
            self.view.cwnd = window.unwrap_or(self.view.cwnd);
            if let Some(threshold) = self.control.on_round_trip(&self.view, &sample) {
                self.view.ssthresh = threshold;
            }
        }
    }

    /// The application has nothing to send where the window has room [draft-ietf-ccwg-bbr:
    /// CheckIfApplicationLimited].
    #[inline]
    fn record_idle(&mut self) {
        let (idle, cwnd) = (self.view.next >= self.view.written, self.view.cwnd.floor());
        if let Some(history) = self.view.segments.history().filter(|_| idle) {
            history.on_idle(cwnd);
        }
    }

    /// The retransmission timer is off, and nothing waits to be retransmitted. RTT timing continues only after a
    /// timeout: the ACK of data sent once shows that they were late, not lost [Karn's rule].
    #[cold]
    fn begin_probing(&mut self, now: Instant, cause: ReductionCause) {
        let due = self.timers.expiry_after(now);
        if cause != ReductionCause::Timeout {
            self.timers.stop_timing();
        }
        self.retransmit = None;
        self.prober.iter_mut().for_each(|prober| prober.begin_cycle(now, due, cause, &self.view));
    }

    #[inline(always)]
    fn update_window(&mut self, plan: &SendingPlan, acked: u64) {
        if plan.grows_window && !self.is_marked {
            self.grow_window(acked);
        }
        if let Some(threshold) = reduced_window(&mut self.control, &self.view, plan) {
            self.view.ssthresh = threshold;
            self.ecn_reaction
                .iter_mut()
                .for_each(|ecn_reaction| ecn_reaction.on_reduction(self.view.high));
        }
        match plan.cwnd {
            Some(Cwnd::Exactly(window)) => self.view.cwnd = window,
            Some(Cwnd::Threshold { packets_above: plus }) => {
                self.view.cwnd = self.view.ssthresh.plus(plus.saturating_mul(self.view.mss));
            }
            Some(Cwnd::AndThreshold(window)) => {
                (self.view.cwnd, self.view.ssthresh) = (window, window);
            }
            Some(Cwnd::Restored { window, threshold }) => self.restore_windows(window, threshold),
            None => {}
        }
        self.view.inflation_amount = plan.inflation.unwrap_or(self.view.inflation_amount);
        self.limit_window();
    }

    /// One step of congestion avoidance or slow start.
    #[inline(always)]
    fn grow_window(&mut self, acked: u64) {
        let (timers, slow_start) = (&self.timers, self.slow_start);
        let ack = || AckSample { amount: acked, slow_start, srtt: timers.srtt() };
        self.view.cwnd = self.control.grow(&self.view, ack);
    }

    #[inline(always)]
    fn limit_window(&mut self) {
        if let Some(cap) = self.max_window {
            self.view.cwnd = self.view.cwnd.min(cap);
        }
    }

    /// Restores window and threshold after a spurious timeout [RFC 4015 3.2].
    #[cold]
    fn restore_windows(&mut self, window: Window, threshold: Window) {
        self.counters.spurious += 1;
        (self.view.cwnd, self.view.ssthresh) = (window, threshold);
        self.timers.on_spurious_timeout();
        self.control.on_undo(&self.view);
    }
}

/// The threshold after the reduction in `plan`, for the sender in `view`.
#[inline]
fn reduced_window(control: &mut Control, view: &View, plan: &SendingPlan) -> Option<Window> {
    let cause = plan.reduce?;
    let window = if plan.keeps_inflation { view.ssthresh } else { view.cwnd };
    Some(control.on_loss(view, &LossEvent { cause, window }))
}
