//! RED as ns-2.35 computes it (`Queue/RED`), number by number, for repeating a script of ns. In all other cases use
//! `red`.
//!
//! It departs from [floyd1993] and [floyd2000] in five ways. The average is updated before the packet joins, and after
//! an idle time as if packets of `mean_packet` had met an empty queue. While at most one packet waits nothing is
//! dropped early, nor is the first packet after that. `wait` doubles the distance between drops. With `mark_p`, packets
//! are marked as long as the probability is no higher, whatever the average. Its random numbers are those of ns, after
//! `drawn` earlier ones.
//!
//! ```toml
//! kind = "ns-red"
//! min = 5
//! max = 15
//! max_p = 0.1
//! packets = 25
//! ```

use super::backlog::{Backlog, PacketId};
use super::fifo::Fifo;
use super::mrg32k3a::NsDraws;
use super::process::{Dequeued, Guarantees, Queue};
use super::spec::Spec;
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Instant, Rate, Size, Stream, airtime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RED of ns-2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "NsRedQueue")]
pub struct NsRed {
    /// Minimum threshold of RED: average queue length, in packets, above which packets are dropped at random
    /// (`thresh_`). Example: `5`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub min: f64,
    /// Maximum threshold of RED: average queue length, in packets, at which the drop probability is `max_p`
    /// (`maxthresh_`). It does not limit the queue; `packets` does. Example: `15`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub max: f64,
    /// Drop probability at `max` (1 / `linterm_`). Example: `0.02`.
    #[schemars(range(min = 0, max = 1))]
    pub max_p: f64,
    /// Weight of the newest queue length in the average, from 0 to 1 (`q_weight_`). Example: `0.01`.
    #[schemars(range(min = 0, max = 1))]
    pub weight: f64,
    /// True if the drop probability rises linearly to 1 between `max` and twice `max`, instead of jumping to 1 at
    /// `max` (`gentle_`). Example: `false`.
    pub gentle: bool,
    /// True if the gap between two drops is at least half the mean gap (`wait_`). Example: `false`.
    pub wait: bool,
    /// Length of a typical packet (`mean_pktsize_`). Example: `"1000B"`.
    pub mean_packet: Size,
    /// True if the drop probability grows with the length of the packet (`bytes_`). Example: `true`.
    pub by_size: bool,
    /// True if the queue is measured in bytes; `min`, `max` and the limit are then multiples of `mean_packet`
    /// (`queue_in_bytes_`). Example: `true`.
    pub in_bytes: bool,
    /// True if ECN-capable packets are marked instead of dropped (`setbit_`). Example: `true`.
    pub ecn: bool,
    /// Probability above which ECN-capable packets are dropped, not marked (`use_mark_p_`, `mark_p_`). Absent: they
    /// are dropped only when the average queue length calls for a drop of every packet. Example: `0.1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 0, max = 2))]
    pub mark_p: Option<f64>,
    /// True if a forced drop does not restart the count of packets since the last drop (`ns1_compat_`). Example:
    /// `true`.
    pub ns1_compat: bool,
    /// Number of packets that may wait, not counting the one in transmission (`limit_`). Example: `100`.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub packets: u32,
    /// Number of random numbers that ns has drawn before the first packet: two for each `Agent/TCP`. All `ns-red`
    /// queues of a scenario draw from one sequence, so only the value at the first one counts. Example: `2`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub drawn: u32,
}

impl Default for NsRed {
    fn default() -> Self {
        NsRed {
            min: 5.0,
            max: 15.0,
            max_p: 0.1,
            weight: 0.002,
            gentle: true,
            wait: true,
            mean_packet: Size::from_bytes(500),
            by_size: false,
            in_bytes: false,
            ecn: false,
            mark_p: None,
            ns1_compat: false,
            packets: 50,
            drawn: 0,
        }
    }
}

impl Spec for NsRed {
    fn build(&self, rate: Rate, stream: Stream) -> Result<Box<dyn Queue>, SpecError> {
        self.build_beside(rate, stream, &NsDraws::default())
    }

    fn build_beside(
        &self,
        rate: Rate,
        _: Stream,
        draws: &NsDraws,
    ) -> Result<Box<dyn Queue>, SpecError> {
        if self.min > self.max {
            let message = format!("{} is below min = {}", self.max, self.min);
            return Err(SpecError::new("max", message));
        }
        draws.start(self.drawn);
        let scale = if self.in_bytes { self.mean_packet.bytes() as f64 } else { 1.0 };
        Ok(Box::new(NsRedQueue {
            red: NsRed { min: self.min * scale, max: self.max * scale, ..*self },
            rate,
            per_second: rate.bits_per_second() / self.mean_packet.bits() as f64,
            average: 0.0,
            idle_since: Instant::START,
            idle: None,
            was_above_min: false,
            count: 0,
            count_bytes: 0,
            draws: draws.clone(),
            fifo: Fifo::default(),
        }))
    }
}

#[derive(Debug)]
struct NsRedQueue {
    /// Settings, with thresholds in packets or in bytes as the queue is measured.
    red: NsRed,
    rate: Rate,
    /// Typical packets that the link carries in a second (`ptc`).
    per_second: f64,
    average: f64,
    /// End of the transmission of the last packet, after which nothing is sent if nothing waits.
    idle_since: Instant,
    /// Seconds for which the queue was idle, on the time of ns; `None` if measured here.
    idle: Option<f64>,
    /// True if the last packet that came found the average above `min` (`old`).
    was_above_min: bool,
    /// Packets, and their bytes, since the last that was dropped or marked.
    count: i64,
    count_bytes: u64,
    draws: NsDraws,
    fifo: Fifo,
}

/// Fate of a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    Enters,
    IsMarked,
    /// Dropped at random.
    IsDropped,
    /// Dropped because of the length of the queue.
    IsRefused,
}

impl NsRedQueue {
    fn length(&self) -> u64 {
        if self.red.in_bytes { self.fifo.bits() / 8 } else { self.fifo.packets() }
    }

    fn update(&mut self, now: Instant) {
        let is_idle = self.fifo.packets() == 0 && now > self.idle_since;
        let measured = if is_idle { (now - self.idle_since).seconds() } else { 0.0 };
        let idle = self.idle.take().unwrap_or(measured);
        let missed = (self.per_second * idle).floor();
        self.average *= libm::pow(1.0 - self.red.weight, missed + 1.0);
        self.average += self.red.weight * self.length() as f64;
    }

    /// `p_b`.
    fn base_probability(&self) -> f64 {
        let NsRed { min, max, max_p, gentle, .. } = self.red;
        let span = if max > min { max - min } else { 1.0 };
        let found = match self.average {
            length if length < max => max_p * (length - min) / span,
            length if gentle => (1.0 - max_p) / max * length + 2.0 * max_p - 1.0,
            _ => 1.0,
        };
        found.min(1.0)
    }

    /// `p_a`, which spaces drops evenly, for a packet of `bytes`.
    fn spaced_probability(&self, p: f64, bytes: u64) -> f64 {
        let mean = self.red.mean_packet.bytes();
        let count =
            if self.red.by_size { (self.count_bytes / mean) as f64 } else { self.count as f64 };
        let expected = count * p;
        let most = if self.red.wait { 2.0 } else { 1.0 };
        if expected >= most {
            return 1.0;
        }
        let found = if self.red.wait && expected < 1.0 { 0.0 } else { p / (most - expected) };
        // A certain drop stays certain, however short the packet.
        let scales = self.red.by_size && found < 1.0;
        let found = if scales { found * bytes as f64 / mean as f64 } else { found };
        found.min(1.0)
    }

    fn decide_at_random(&mut self, bytes: u64, takes_marks: bool) -> Decision {
        let p = self.base_probability();
        let spaced = self.spaced_probability(p, bytes);
        if self.draws.uniform() > spaced {
            return Decision::Enters;
        }
        (self.count, self.count_bytes) = (0, 0);
        let marks = self.red.ecn && takes_marks && self.red.mark_p.is_none_or(|most| p < most);
        if marks { Decision::IsMarked } else { Decision::IsDropped }
    }

    fn decide(&mut self, bytes: u64, takes_marks: bool) -> Decision {
        if self.average < self.red.min || self.length() <= 1 {
            self.was_above_min = false;
            return Decision::Enters;
        }
        let most = if self.red.gentle { 2.0 * self.red.max } else { self.red.max };
        if self.red.mark_p.is_none() && self.average >= most {
            return Decision::IsRefused;
        }
        if !self.was_above_min {
            (self.was_above_min, self.count, self.count_bytes) = (true, 1, bytes);
            return Decision::Enters;
        }
        self.decide_at_random(bytes, takes_marks)
    }

    fn limit(&self) -> u64 {
        let unit = if self.red.in_bytes { self.red.mean_packet.bytes() } else { 1 };
        u64::from(self.red.packets) * unit
    }
}

impl Queue for NsRedQueue {
    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        let (bytes, takes_marks) = (backlog[id].bits / 8, backlog[id].ecn.takes_marks());
        self.update(backlog[id].since);
        self.count += 1;
        self.count_bytes += bytes;
        let mut fate = self.decide(bytes, takes_marks);
        if self.length() >= self.limit() && !is_free {
            fate = Decision::IsRefused;
        }
        match fate {
            Decision::Enters => self.fifo.push(id, backlog),
            Decision::IsMarked => {
                backlog.mark(id);
                self.fifo.push(id, backlog);
            }
            Decision::IsDropped => backlog.drop(id, LossCause::Queue),
            Decision::IsRefused => {
                if !self.red.ns1_compat {
                    (self.count, self.count_bytes) = (0, 0);
                }
                backlog.drop(id, LossCause::Queue);
            }
        }
    }

    fn has_idled(&mut self, seconds: Option<f64>) {
        self.idle = seconds;
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        let Some(id) = self.fifo.pop(backlog) else { return Dequeued::Empty };
        self.idle_since = now + airtime(backlog[id].bits, self.rate);
        Dequeued::Send(id)
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { only_drops_on_arrival: true, ..Guarantees::default() }
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}
