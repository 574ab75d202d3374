//! RED [floyd1993]: an arriving packet is dropped with a probability that grows with the moving average of the queue
//! length: 0 below `min` packets, up to `max_p` at `max` packets, and from there linearly to 1 at twice `max` (gentle
//! RED [floyd2000]).
//!
//! While the queue is empty, the average decays as if packets of `mean_packet` had been sent back to back at the rate
//! of the link. With `adaptive = true` the probability `max_p` is adjusted twice a second, so that the average stays
//! near the middle between the thresholds [floyd2001]. ECN-capable packets are marked instead of dropped, unless `ecn =
//! false`; where every packet is dropped, they are too.
//!
//! In byte mode [floyd1993, section 4] the queue is measured in bytes (`in_bytes = true`; the thresholds are multiples
//! of `mean_packet`), and the drop probability `p_b` of a packet is scaled by its length divided by `max_packet`
//! (`by_size = true`).
//!
//! ```toml
//! kind = "red"
//! min = 5
//! max = 15
//! max_p = 0.1
//! packets = 60
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
use airtcp_core::{Instant, Rate, Size, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets that may wait if nobody says otherwise.
const USUAL: u32 = 1000;
/// Milliseconds between two adjustments [floyd2001, section 3].
const ADJUSTMENT_MS: i64 = 500;

/// Random early detection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "RedQueue")]
pub struct Red {
    /// Average queue length, in packets, above which packets are dropped at random. Example: `5`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub min: f64,
    /// Average queue length, in packets, at which the drop probability is `max_p`. Example: `15`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub max: f64,
    /// Drop probability at `max`. Example: `0.02`.
    #[schemars(range(min = 0, max = 1))]
    pub max_p: f64,
    /// Weight of the newest queue length in the average, from 0 to 1. Example: `0.01`.
    #[schemars(range(min = 0, max = 1))]
    pub weight: f64,
    /// True if the drop probability rises linearly to 1 between `max` and twice `max`, instead of jumping to 1 at
    /// `max`. Example: `false`.
    pub gentle: bool,
    /// True if `max_p` adapts to the load (Adaptive RED). Example: `true`.
    pub adaptive: bool,
    /// Length of a typical packet. Example: `"1000B"`.
    pub mean_packet: Size,
    /// True if the queue is measured in bytes; `min` and `max` are then multiples of `mean_packet`. Example: `true`.
    pub in_bytes: bool,
    /// True if the drop probability is proportional to the length of the packet. Example: `true`.
    pub by_size: bool,
    /// Length, with `by_size`, of a packet whose drop probability is not scaled; a packet half as long has half the
    /// probability. Example: `"1500B"`.
    pub max_packet: Size,
    /// True if ECN-capable packets are marked instead of dropped. Example: `true`.
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

impl Default for Red {
    fn default() -> Self {
        Red {
            min: 5.0,
            max: 15.0,
            max_p: 0.1,
            weight: 0.002,
            gentle: true,
            adaptive: false,
            mean_packet: Size::from_bytes(500),
            in_bytes: false,
            by_size: false,
            max_packet: Size::from_bytes(1500),
            ecn: true,
            packets: None,
            bytes: None,
        }
    }
}

impl Spec for Red {
    fn build(&self, rate: Rate, stream: Stream) -> Result<Box<dyn Queue>, SpecError> {
        if self.max <= self.min {
            return Err(SpecError::new(
                "max",
                format!("{} is not above min = {}", self.max, self.min),
            ));
        }
        let unit = if self.in_bytes { self.mean_packet.bytes() as f64 } else { 1.0 };
        Ok(Box::new(RedQueue {
            limit: limit_or(self.packets, self.bytes, USUAL)?,
            average: AverageLength {
                length: 0.0,
                weight: self.weight,
                packet_time: self.mean_packet.bits() as f64 / rate.bits_per_second(),
                empty_since: Instant::START,
            },
            red: Red { min: unit * self.min, max: unit * self.max, ..*self },
            max_p: self.max_p,
            adjustments: PeriodicTimer::new(milliseconds(ADJUSTMENT_MS).span()),
            count: -1,
            stream,
            fifo: Fifo::default(),
        }))
    }

    fn is_random(&self) -> bool {
        true
    }
}

/// The moving average of the queue length.
#[derive(Debug)]
struct AverageLength {
    length: f64,
    weight: f64,
    /// Seconds that a typical packet takes.
    packet_time: f64,
    /// `q_time`.
    empty_since: Instant,
}

impl AverageLength {
    /// A packet comes at `now` to a queue so long.
    fn update(&mut self, now: Instant, waiting: u64) {
        if waiting == 0 {
            let packets = (now - self.empty_since).seconds() / self.packet_time;
            self.length *= libm::pow(1.0 - self.weight, packets);
        } else {
            self.length += self.weight * (waiting as f64 - self.length);
        }
    }
}

#[derive(Debug)]
struct RedQueue {
    limit: Discipline,
    /// Parameters, with thresholds in the unit of the length.
    red: Red,
    average: AverageLength,
    /// `max_p` as it has been adjusted.
    max_p: f64,
    adjustments: PeriodicTimer,
    /// Packets since the last that was dropped or marked; -1 below the thresholds.
    count: i64,
    stream: Stream,
    fifo: Fifo,
}

/// Fate of a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Enters,
    /// The packet is dropped unless it takes marks.
    IsChosen,
    /// The packet is dropped.
    IsRefused,
}

impl RedQueue {
    /// `p_b`, where there is one: below the thresholds there is none.
    fn base_probability(&self) -> Option<f64> {
        let Red { min, max, gentle, .. } = self.red;
        let length = self.average.length;
        match length {
            _ if length < min => None,
            _ if length < max => Some(self.max_p * (length - min) / (max - min)),
            _ if gentle => Some(self.max_p + (1.0 - self.max_p) * (length - max) / max),
            _ => Some(1.0),
        }
    }

    /// The length of the queue, in packets or bytes.
    fn length(&self) -> u64 {
        if self.red.in_bytes { self.fifo.waiting.bits / 8 } else { self.fifo.packets() }
    }

    /// `p_b` of a packet of `bits`.
    fn probability_by_size(&self, probability: f64, bits: u64) -> f64 {
        if !self.red.by_size {
            return probability;
        }
        (probability * (bits as f64 / self.red.max_packet.bits() as f64)).min(1.0)
    }

    fn decide(&mut self, bits: u64) -> Fate {
        let Some(probability) = self.base_probability() else {
            self.count = -1;
            return Fate::Enters;
        };
        if probability >= 1.0 {
            self.count = 0;
            return Fate::IsRefused;
        }
        let probability = self.probability_by_size(probability, bits);
        self.count += 1;
        // p_a, which spaces the drops evenly; where the denominator is not positive it is 1.
        let rest = 1.0 - self.count as f64 * probability;
        if self.stream.uniform() * rest.max(0.0) >= probability {
            return Fate::Enters;
        }
        self.count = 0;
        Fate::IsChosen
    }

    /// Adjusts `max_p` as often as that was due by `now` [floyd2001, figure 1].
    fn adjust(&mut self, now: Instant) {
        let Red { min, max, .. } = self.red;
        let (low, high) = (min + 0.4 * (max - min), min + 0.6 * (max - min));
        while self.adjustments.is_due(now) {
            let (before, length) = (self.max_p, self.average.length);
            if length > high && self.max_p <= 0.5 {
                self.max_p += (self.max_p / 4.0).min(0.01);
            } else if length < low && self.max_p >= 0.01 {
                self.max_p *= 0.9;
            }
            if self.max_p.to_bits() == before.to_bits() {
                return self.adjustments.skip(now);
            }
        }
    }
}

impl Queue for RedQueue {
    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        let since = backlog[id].since;
        if self.red.adaptive {
            self.adjust(since);
        }
        self.average.update(since, self.length());
        let fate = self.decide(backlog[id].bits);
        let marks = self.red.ecn && backlog[id].ecn.takes_marks() && fate == Fate::IsChosen;
        let fits = self.limit.admits(self.fifo.waiting, backlog[id].bits, is_free);
        if !fits || fate != Fate::Enters && !marks {
            return backlog.drop(id, LossCause::Queue);
        }
        if marks {
            backlog.mark(id);
        }
        self.fifo.push(id, backlog);
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        let next = self.fifo.pop(backlog);
        if self.fifo.packets() == 0 {
            self.average.empty_since = now;
        }
        next.map_or(Dequeued::Empty, Dequeued::Send)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}
