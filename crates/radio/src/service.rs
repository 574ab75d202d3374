//! When the transmitter of a link sends a packet, and for how long.

use airtcp_core::{Airtimes, Instant, Span};

/// What serves the packets of a link one after the other. Instants never run back.
pub trait Service {
    /// The first instant from `ready` on at which a transmission may start; [`Instant::NEVER`]: none does any more.
    fn open(&mut self, ready: Instant) -> Instant;

    /// How long `bits` bits take, of which the channel makes `on_air`, if they start at `start`, which is open; `follows` says
    /// that the transmission before ends then.
    fn airtime(
        &mut self,
        start: Instant,
        bits: u64,
        on_air: impl Fn(u64) -> u64,
        follows: bool,
    ) -> Span;
}

/// At a rate that is always the same.
impl Service for Airtimes {
    #[inline(always)]
    fn open(&mut self, ready: Instant) -> Instant {
        ready
    }

    #[inline(always)]
    fn airtime(
        &mut self,
        _start: Instant,
        bits: u64,
        on_air: impl Fn(u64) -> u64,
        follows: bool,
    ) -> Span {
        self.next(bits, on_air, follows)
    }
}
