//! A token bucket: a departing packet takes tokens, one per byte; tokens arrive at `rate`, and at most `burst` are
//! stored. A packet that finds too few tokens waits, in order (shaping), or is dropped (`excess = "drop"`, policing).
//!
//! A packet longer than `burst` could never leave, so `burst` must be at least a full packet of every flow and of the
//! cross-traffic.
//!
//! ```toml
//! kind = "token-bucket"
//! rate = "5Mbps"
//! burst = "15kB"
//! packets = 200
//! ```

use super::backlog::{Backlog, PacketId};
use super::discipline::Discipline;
use super::fifo::Fifo;
use super::limit::limit_or;
use super::process::{Dequeued, Guarantees, Queue};
use super::spec::Spec;
use crate::link::losses::LossCause;
use crate::spec_error::SpecError;
use airtcp_core::{Instant, Rate, Size, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets that may wait if nobody says otherwise.
const USUAL: u32 = 1000;
/// Bits by which tokens may fall short for the rounding of their sum.
const ROUNDING: f64 = 1e-6;

/// A token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TokenBucketQueue")]
pub struct TokenBucket {
    /// Rate at which tokens arrive. Example: `"1Mbps"`.
    pub rate: Rate,
    /// Size of the bucket, which is full at the start. Example: `"20kB"`.
    pub burst: Size,
    /// Treatment of packets that find too few tokens. Example: `"drop"`.
    #[serde(default)]
    pub excess: Excess,
    /// Limit in packets, counting the one in transmission. Absent: 1000, or no limit in packets if `bytes` is given.
    /// Example: `500`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 2, max = 1_000_000_000))]
    pub packets: Option<u32>,
    /// Limit on the bytes that wait. Absent: no limit in bytes. Example: `"64kB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub bytes: Option<Size>,
}

/// Treatment of packets that find too few tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Excess {
    /// The packets wait until there are enough tokens.
    #[default]
    Wait,
    /// The packets are dropped on arrival.
    Drop,
}

impl Spec for TokenBucket {
    fn build(&self, _: Rate, _: Stream) -> Result<Box<dyn Queue>, SpecError> {
        Ok(Box::new(TokenBucketQueue {
            limit: limit_or(self.packets, self.bytes, USUAL)?,
            excess: self.excess,
            tokens: TokenCount {
                rate: self.rate.bits_per_second(),
                capacity: self.burst.bits() as f64,
                tokens: self.burst.bits() as f64,
                at: Instant::START,
            },
            fifo: Fifo::default(),
        }))
    }
}

/// Tokens for a bit each.
#[derive(Debug)]
struct TokenCount {
    rate: f64,
    capacity: f64,
    tokens: f64,
    at: Instant,
}

impl TokenCount {
    /// Returns whether `bits` are there at `now`; if so they are taken.
    fn try_take(&mut self, now: Instant, bits: u64) -> bool {
        self.tokens = (self.tokens + self.rate * (now - self.at).seconds()).min(self.capacity);
        self.at = now;
        let is_enough = self.tokens + ROUNDING >= bits as f64;
        if is_enough {
            self.tokens -= bits as f64;
        }
        is_enough
    }

    /// Time at which `bits` will be there, if nothing is taken before.
    fn time_of_enough(&self, bits: u64) -> Instant {
        let seconds = (bits as f64 - self.tokens) / self.rate;
        self.at + Span::from_nanos((seconds * 1e9).ceil().max(1.0) as i64)
    }
}

#[derive(Debug)]
struct TokenBucketQueue {
    limit: Discipline,
    excess: Excess,
    tokens: TokenCount,
    fifo: Fifo,
}

impl TokenBucketQueue {
    fn admits(&mut self, id: PacketId, is_free: bool, backlog: &Backlog) -> bool {
        let bits = backlog[id].bits;
        bits as f64 <= self.tokens.capacity
            && self.limit.admits(self.fifo.waiting, bits, is_free)
            && (self.excess == Excess::Wait || self.tokens.try_take(backlog[id].since, bits))
    }
}

impl Queue for TokenBucketQueue {
    fn guarantees(&self) -> Guarantees {
        Guarantees { may_wait: self.excess == Excess::Wait, ..Guarantees::default() }
    }

    fn enqueue(&mut self, id: PacketId, is_free: bool, backlog: &mut Backlog) {
        if self.admits(id, is_free, backlog) {
            self.fifo.push(id, backlog);
        } else {
            backlog.drop(id, LossCause::Queue);
        }
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        let Some(first) = self.fifo.first() else { return Dequeued::Empty };
        let bits = backlog[first].bits;
        if self.excess == Excess::Wait && !self.tokens.try_take(now, bits) {
            return Dequeued::Wait(self.tokens.time_of_enough(bits));
        }
        self.fifo.pop(backlog);
        Dequeued::Send(first)
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.fifo.drop_all(backlog);
    }
}
