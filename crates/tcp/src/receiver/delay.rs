//! Delayed ACKs [RFC 5681 4.2]: one for at least every second full-sized segment, none later than a
//! fixed delay, and at once for whatever is out of order or fills a hole.

use airtcp_core::{Instant, Span};
use serde::Serialize;

/// Segments that one ACK may answer.
const MAX_DELAYED_SEGMENTS: u64 = 2;

/// An ACK that may be waiting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct DelayedAck {
    max_delay: Span,
    mss: u32,
    /// Data that is not acknowledged yet.
    pending: u64,
    expiry: Instant,
}

impl DelayedAck {
    pub(crate) fn new(most: Span, mss: u32) -> Self {
        DelayedAck { max_delay: most, mss, pending: 0, expiry: Instant::NEVER }
    }

    /// Returns whether the ACK for an arrival of `len` waits; `plain` if the arrival is new, in order and
    /// nothing is missing.
    #[inline]
    pub(crate) fn delays_ack(&mut self, now: Instant, plain: bool, len: u32) -> bool {
        if self.max_delay == Span::ZERO {
            return false;
        }
        self.pending += u64::from(len);
        if !plain || self.pending >= MAX_DELAYED_SEGMENTS * u64::from(self.mss) {
            self.on_ack_sent();
            return false;
        }
        if self.expiry == Instant::NEVER {
            self.expiry = now + self.max_delay;
        }
        true
    }

    /// Returns whether an ACK waits.
    #[inline]
    pub(crate) fn is_pending(&self) -> bool {
        self.expiry != Instant::NEVER
    }

    /// An ACK leaves.
    pub(crate) fn on_ack_sent(&mut self) {
        self.pending = 0;
        self.expiry = Instant::NEVER;
    }

    #[inline]
    pub(crate) fn expiry(&self) -> Instant {
        self.expiry
    }
}
