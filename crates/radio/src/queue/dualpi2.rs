//! DualPI2 [RFC 9332, Appendix A]: two queues for one link. Packets with ECT(1) or CE enter the low-latency queue
//! (L4S), where they are marked from a delay of about a millisecond. All other packets enter the classic queue, which a
//! PI controller keeps near its target delay by drops, or by marks of ECN-capable packets.
//!
//! The queues are coupled. The controller computes a probability p'. The classic queue drops or marks with probability
//! `p'^2`, the low-latency queue marks with probability `k p'` at least: a flow that reduces in proportion to its
//! marks then gets about the same rate as one that halves its window [section 2.1]. The steps are those of Figures 2,
//! 3, 5, 7 and 8. Neither queue uses random numbers: drops and marks come from an accumulated probability (`recur`).
//! The defaults of `alpha` and `beta` suit steps of 16 ms and round trips of up to 100 ms [lines 13 and 14 of Figure
//! 2]. From `p_cmax` on, ECN-capable packets are dropped like others.
//!
//! The low-latency queue goes first. While packets wait in both queues, the classic queue still gets `classic_weight`
//! of the bytes; with `scheduler = "ts-fifo"` it instead goes first whenever its head packet has waited longer than
//! the other's by more than `shift`.
//!
//! ```toml
//! kind = "dualpi2"
//! ```

use super::backlog::{Backlog, PacketId};
use super::codel::milliseconds;
use super::coupled::{CoupledController, Ramp};
use super::fifo::Fifo;
use super::process::{Dequeued, Guarantees, Order, Queue};
use super::spec::Spec;
use super::turns::{QueueTurns, Scheduler};
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Instant, Probability, Rate, Size, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Seconds of the link's rate that may wait if nobody says otherwise [Figure 2, line 5].
const DEFAULT_SECONDS: f64 = 0.25;

/// Two coupled queues, one of low latency and a classic one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "DualPi2Queue")]
pub struct DualPi2 {
    /// Target queueing delay of the classic queue. Example: `"20ms"`.
    pub target: Duration,
    /// Time between two steps of the controller (Tupdate). Example: `"20ms"`.
    pub update: Duration,
    /// Weight of the distance from the target delay, in Hz. Example: `0.2`.
    #[schemars(range(min = 0, max = 1000))]
    pub alpha: f64,
    /// Weight of the change of the delay since the last step, in Hz. Example: `4`.
    #[schemars(range(min = 0, max = 1000))]
    pub beta: f64,
    /// Coupling factor k, a number without unit: how strongly the classic queue makes the low-latency queue mark; 0:
    /// the two queues are independent. Example: `1`.
    #[schemars(range(min = 0, max = 1000))]
    pub coupling: f64,
    /// Queueing delay above which packets of the low-latency queue are marked (minTh). Example: `"2ms"`.
    pub threshold: Duration,
    /// Width of the ramp above the threshold, at whose end every packet is marked; 0s: a step. Example: `"1ms"`.
    pub range: Duration,
    /// Number of low-latency packets that may be queued behind a packet before its delay can mark it (`Th_len`).
    /// Example: `2`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub th_len: u32,
    /// Probability of the classic queue from which on it drops even ECN-capable packets. Absent: 1/k^2, but at most 1.
    /// Example: `0.5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Probability")]
    pub p_cmax: Option<Probability>,
    /// Coupled mark probability from which on low-latency packets are dropped as well. Example: `0.8`.
    pub p_lmax: Probability,
    /// Scheduler of the two queues: weighted round robin (`wrr`), or the queue whose packet has waited longest, with
    /// an advantage of `shift` for the low-latency queue (`ts-fifo`). Example: `"ts-fifo"`.
    pub scheduler: Scheduler,
    /// Share of the link that the classic queue gets while both queues wait, with scheduler `wrr`. Example: `0.2`.
    #[schemars(range(min = 0.001, max = 0.999))]
    pub classic_weight: f64,
    /// Time by which a classic packet must have waited longer than a low-latency packet to go first, with scheduler
    /// `ts-fifo`. Example: `"30ms"`.
    pub shift: Duration,
    /// Maximum packet length; a packet is dropped on arrival unless one of this length would fit. Example: `"9000B"`.
    pub mtu: Size,
    /// Limit on the bytes that wait in both queues. Absent: the bytes that the link sends in 250 ms. Example:
    /// `"64kB"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

impl Default for DualPi2 {
    fn default() -> Self {
        let us = |us: i64| Duration::from_span(Span::from_nanos(1000 * us));
        DualPi2 {
            target: milliseconds(15),
            update: milliseconds(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            threshold: us(800),
            range: us(400),
            th_len: 1,
            p_cmax: None,
            p_lmax: Probability::ONE,
            scheduler: Scheduler::default(),
            classic_weight: 1.0 / 16.0,
            shift: milliseconds(50),
            mtu: Size::from_bytes(1500),
            bytes: None,
        }
    }
}

impl DualPi2 {
    /// Limit of the packets that wait, in bits.
    fn limit(&self, rate: Rate) -> Result<u64, SpecError> {
        let Some(size) = self.bytes else {
            return Ok(((rate.bits_per_second() * DEFAULT_SECONDS) as u64).max(self.mtu.bits()));
        };
        if size < self.mtu {
            let message = format!("{size} is less than mtu, {}; no packet would fit", self.mtu);
            return Err(SpecError::new("bytes", message));
        }
        Ok(size.bits())
    }
}

impl Spec for DualPi2 {
    fn build(&self, rate: Rate, _: Stream) -> Result<Box<dyn Queue>, SpecError> {
        SpecError::refuse_zero("update", self.update)?;
        let p_cmax = (1.0 / (self.coupling * self.coupling)).min(1.0);
        Ok(Box::new(DualQueue {
            limit: self.limit(rate)?,
            mtu: self.mtu.bits(),
            controller: CoupledController::new(self),
            ramp: Ramp { least: self.threshold.span(), range: self.range.span() },
            th_len: self.th_len.into(),
            p_cmax: self.p_cmax.map_or(p_cmax, Probability::value),
            p_lmax: self.p_lmax.value(),
            turns: QueueTurns::new(self.scheduler, self.classic_weight, self.shift.span()),
            l4s: Fifo::default(),
            classic: Fifo::default(),
            l4s_sum: RecurringSum::default(),
            classic_sum: RecurringSum::default(),
        }))
    }
}

/// The sum of probabilities of a queue since it last decided.
#[derive(Debug, Default)]
struct RecurringSum(f64);

impl RecurringSum {
    /// `recur()` [Figure 4, lines 23 to 30]: true as often as the probability says, and as evenly.
    fn add_and_compare(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood;
        let recurs = self.0 > 1.0;
        if recurs {
            self.0 -= 1.0;
        }
        recurs
    }
}

#[derive(Debug)]
struct DualQueue {
    limit: u64,
    mtu: u64,
    controller: CoupledController,
    ramp: Ramp,
    th_len: u64,
    p_cmax: f64,
    p_lmax: f64,
    turns: QueueTurns,
    l4s: Fifo,
    classic: Fifo,
    l4s_sum: RecurringSum,
    classic_sum: RecurringSum,
}

impl DualQueue {
    /// Takes the steps that are due by `now`: `dualpi2_update()` [Figure 8].
    #[inline]
    fn catch_up(&mut self, now: Instant, backlog: &Backlog) {
        let since = |fifo: &Fifo| fifo.first().map(|id| backlog[id].since);
        self.controller.catch_up(now, [since(&self.l4s), since(&self.classic)]);
    }

    /// Lets a packet of low latency leave, marked or not, or drops it [Figure 7, lines 4b to 8j]. Returns whether it leaves.
    fn passes_l4s(&mut self, now: Instant, id: PacketId, backlog: &mut Backlog) -> bool {
        let coupled = self.controller.coupled_probability();
        let probability = if coupled >= self.p_lmax {
            if self.l4s_sum.add_and_compare(self.controller.classic_probability()) {
                return false;
            }
            coupled
        } else if self.l4s.packets() > self.th_len {
            self.ramp.probability(now - backlog[id].since).max(coupled)
        } else {
            coupled
        };
        if self.l4s_sum.add_and_compare(probability) {
            backlog.mark(id);
        }
        true
    }

    /// Lets a classic packet leave, marked or not, or drops it [lines 11 to 17]. Returns whether it leaves.
    fn passes_classic(&mut self, id: PacketId, backlog: &mut Backlog) -> bool {
        let probability = self.controller.classic_probability();
        if !self.classic_sum.add_and_compare(probability) {
            return true;
        }
        let passes = backlog[id].ecn.takes_marks() && probability < self.p_cmax;
        if passes {
            backlog.mark(id);
        }
        passes
    }

    /// The next packet, and whether it is sent.
    fn next_packet(&mut self, now: Instant, backlog: &mut Backlog) -> Option<(PacketId, bool)> {
        if self.turns.is_l4s_next(now, &self.l4s, &self.classic, backlog) {
            let id = self.l4s.pop(backlog)?;
            return Some((id, self.passes_l4s(now, id, backlog)));
        }
        let id = self.classic.pop(backlog)?;
        Some((id, self.passes_classic(id, backlog)))
    }
}

impl Queue for DualQueue {
    fn guarantees(&self) -> Guarantees {
        Guarantees { order: Order::Any, drops_on_dequeue: true, ..Guarantees::default() }
    }

    /// Figure 3.
    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        self.catch_up(backlog[id].since, backlog);
        let waiting = self.l4s.bits() + self.classic.bits();
        if is_free && waiting == 0 {
            self.turns.restart();
        }
        if waiting + self.mtu > self.limit {
            return backlog.drop(id, LossCause::Queue);
        }
        let fifo = if backlog[id].ecn.is_l4s() { &mut self.l4s } else { &mut self.classic };
        fifo.push(id, backlog);
    }

    /// Figure 7.
    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        self.catch_up(now, backlog);
        while let Some((id, is_sent)) = self.next_packet(now, backlog) {
            if is_sent {
                return Dequeued::Send(id);
            }
            backlog.drop(id, LossCause::Queue);
        }
        Dequeued::Empty
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.l4s.drop_all(backlog);
        self.classic.drop_all(backlog);
    }
}
