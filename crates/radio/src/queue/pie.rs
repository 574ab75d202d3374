//! PIE [RFC 8033]: an arriving packet is dropped with a probability that a controller adjusts every 15 ms, according to
//! the distance of the queueing delay from its target and to its change.
//!
//! The delay is the time that the last departing packet has waited [section 4.3, by timestamps], and the steps are
//! those of Appendix A. The estimator of the departure rate [section 5.2] is left out. Further rules of the RFC are
//! optional: `derandomize` spaces the drops [section 5.4], `cap` bounds a step while the probability is high [section
//! 5.5]. ECN-capable packets are marked while the probability is below 0.1 and dropped above it [section 5.1], unless
//! `ecn = false`.
//!
//! ```toml
//! kind = "pie"
//! target = "15ms"
//! ```

use super::backlog::{Backlog, PacketId};
use super::codel::milliseconds;
use super::discipline::Discipline;
use super::fifo::Fifo;
use super::limit::limit_or;
use super::periods::PeriodicTimer;
use super::process::{Dequeued, Queue};
use super::spec::Spec;
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Rate, Size, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets that may wait if nobody says otherwise.
const USUAL: u32 = 1000;
/// Steps that are taken at once: an idle time of more of them (four hours at 15 ms) counts as so many.
const MAX_STEPS_AT_ONCE: u32 = 1_000_000;
/// Weights of the controller in 1/s [section 4.2].
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;
/// Probabilities below which a step is so many times smaller [section 4.2].
const STEP_SCALES: [(f64, f64); 6] = [
    (0.000_001, 2048.0),
    (0.000_01, 512.0),
    (0.000_1, 128.0),
    (0.001, 32.0),
    (0.01, 8.0),
    (0.1, 2.0),
];
/// Share of the probability that remains after each period without delay.
const DECAY: f64 = 0.98;
/// Below it a low delay is enough to drop nothing [section 4.1].
const LOW_PROBABILITY: f64 = 0.2;
/// Above it packets are dropped that would take marks [section 5.1].
const MAX_MARK_PROBABILITY: f64 = 0.1;
/// Sums of probabilities between which a draw decides [section 5.4].
const SUM_BOUNDS: (f64, f64) = (0.85, 8.5);
/// A probability above which steps are bounded, and their bound [section 5.5].
const CAPPED_STEP: (f64, f64) = (0.1, 0.02);

/// Proportional integral controller, enhanced.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PieQueue")]
pub struct Pie {
    /// Target queueing delay of the controller. Example: `"20ms"`.
    pub target: Duration,
    /// Time between two steps of the controller. Example: `"30ms"`.
    pub update: Duration,
    /// Time for which a burst may exceed the target before anything is dropped. Example: `"300ms"`.
    pub burst: Duration,
    /// Mean length of packets: nothing is dropped while at most two of them wait. Example: `"1000B"`.
    pub mean_packet: Size,
    /// True if drops are spaced more evenly than independent random drops. Example: `true`.
    pub derandomize: bool,
    /// True if increases of the drop probability are limited while it is above 0.1. Example: `false`.
    pub cap: bool,
    /// True if ECN-capable packets are marked instead of dropped while the probability is below 0.1. Example: `true`.
    pub ecn: bool,
    /// Limit in packets, counting the one in transmission. Absent: 1000, or no limit in packets if `bytes` is given.
    /// Example: `500`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 2, max = 1_000_000_000))]
    pub packets: Option<u32>,
    /// Limit on the bytes that wait. Absent: no limit in bytes. Example: `"64kB"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

impl Default for Pie {
    fn default() -> Self {
        Pie {
            target: milliseconds(15),
            update: milliseconds(15),
            burst: milliseconds(150),
            mean_packet: Size::from_bytes(1024),
            derandomize: false,
            cap: false,
            ecn: true,
            packets: None,
            bytes: None,
        }
    }
}

impl Spec for Pie {
    fn build(&self, _: Rate, stream: Stream) -> Result<Box<dyn Queue>, SpecError> {
        SpecError::refuse_zero("update", self.update)?;
        Ok(Box::new(PieQueue {
            limit: limit_or(self.packets, self.bytes, USUAL)?,
            controller: Controller::new(*self),
            spared_bits: 2 * self.mean_packet.bits(),
            derandomizes: self.derandomize,
            marks: self.ecn,
            probability_sum: 0.0,
            stream,
            fifo: Fifo::default(),
        }))
    }

    fn is_random(&self) -> bool {
        true
    }
}

/// The probability, and what it follows from.
#[derive(Debug)]
struct Controller {
    target: Span,
    burst: Span,
    is_capped: bool,
    updates: PeriodicTimer,
    update: Span,
    /// `drop_prob_`, `current_qdelay`, `qdelay_old_`, `burst_allowance_`.
    probability: f64,
    delay: Span,
    last_delay: Span,
    allowance: Span,
}

impl Controller {
    fn new(pie: Pie) -> Self {
        let (update, burst) = (pie.update.span(), pie.burst.span());
        Controller {
            target: pie.target.span(),
            burst,
            is_capped: pie.cap,
            updates: PeriodicTimer::new(update),
            update,
            probability: 0.0,
            delay: Span::ZERO,
            last_delay: Span::ZERO,
            allowance: burst,
        }
    }

    /// Returns whether the delay is, and was, below half the target.
    fn is_calm(&self) -> bool {
        self.delay * 2 < self.target && self.last_delay * 2 < self.target
    }

    /// Takes the steps that are due by `now`.
    #[inline]
    fn catch_up(&mut self, now: Instant) {
        for _ in 0..MAX_STEPS_AT_ONCE {
            if !self.updates.is_due(now) {
                return;
            }
            let before = (self.probability, self.last_delay, self.allowance);
            self.step();
            if before == (self.probability, self.last_delay, self.allowance) {
                break;
            }
        }
        self.updates.skip(now);
    }

    /// `calculate_drop_prob()`.
    fn step(&mut self) {
        let off = self.delay.seconds() - self.target.seconds();
        let change = self.delay.seconds() - self.last_delay.seconds();
        let step = ALPHA * off + BETA * change;
        let scale = STEP_SCALES.iter().find(|(bound, _)| self.probability < *bound);
        let mut step = step / scale.map_or(1.0, |(_, scale)| *scale);
        if self.is_capped && self.probability >= CAPPED_STEP.0 {
            step = step.min(CAPPED_STEP.1);
        }
        self.probability += step;
        if self.delay == Span::ZERO && self.last_delay == Span::ZERO {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.allowance = (self.allowance + self.update * -1).max(Span::ZERO);
        self.last_delay = self.delay;
    }

    /// A packet comes: after a calm time the next burst is allowed again [Appendix A, `enque()`].
    fn renew_allowance(&mut self) {
        if self.probability == 0.0 && self.is_calm() {
            self.allowance = self.burst;
        }
    }
}

#[derive(Debug)]
struct PieQueue {
    limit: Discipline,
    controller: Controller,
    /// Largest backlog, in bits, at which nothing is dropped.
    spared_bits: u64,
    derandomizes: bool,
    marks: bool,
    /// `accu_prob_`.
    probability_sum: f64,
    stream: Stream,
    fifo: Fifo,
}

impl PieQueue {
    /// Returns whether the packet that comes is dropped or marked [section 4.1].
    fn drops_or_marks(&mut self) -> bool {
        let Controller { probability, last_delay, target, allowance, .. } = self.controller;
        let is_low = last_delay * 2 < target && probability < LOW_PROBABILITY;
        if allowance > Span::ZERO || is_low || self.fifo.bits() <= self.spared_bits {
            return false;
        }
        if !self.derandomizes {
            return self.stream.uniform() < probability;
        }
        self.probability_sum =
            if probability == 0.0 { 0.0 } else { self.probability_sum + probability };
        let strikes = self.probability_sum >= SUM_BOUNDS.0
            && (self.probability_sum >= SUM_BOUNDS.1 || self.stream.uniform() < probability);
        if strikes {
            self.probability_sum = 0.0;
        }
        strikes
    }
}

impl Queue for PieQueue {
    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        self.controller.catch_up(backlog[id].since);
        if !self.limit.admits(self.fifo.waiting, backlog[id].bits, is_free) {
            self.probability_sum = 0.0;
            return backlog.drop(id, LossCause::Queue);
        }
        self.controller.renew_allowance();
        if self.drops_or_marks() {
            let marks = self.marks && self.controller.probability < MAX_MARK_PROBABILITY;
            if !(marks && backlog[id].ecn.takes_marks()) {
                return backlog.drop(id, LossCause::Queue);
            }
            backlog.mark(id);
        }
        self.fifo.push(id, backlog);
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        self.controller.catch_up(now);
        let Some(id) = self.fifo.pop(backlog) else { return Dequeued::Empty };
        self.controller.delay = now - backlog[id].since;
        Dequeued::Send(id)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}
