//! A transmitter, the channel it sends over, and the propagation delay behind it.
//!
//! A transmission starts at the later of its arrival and the end of the previous one, never at the
//! moment somebody polls: late wake-ups do not bend the model. Packets wait in order, without
//! limit.

use crate::channel::{Channel, Fate, Transmission};
use airtcp_core::{Instant, Payload, PollResult, Rate, Span, Stage, airtime};
use std::collections::VecDeque;

/// One direction of a link.
#[derive(Debug)]
pub struct Link<P, C> {
    rate: Option<Rate>,
    delay: Span,
    channel: C,
    busy_until: Instant,
    wire: VecDeque<(Instant, P)>,
    /// Airtime of the last length asked for.
    last_airtime: (u64, Span),
}

impl<P: Payload, C: Channel> Link<P, C> {
    /// A link of `rate` (none: transmissions take no time), one-way `delay`, and `channel`.
    pub fn new(rate: Option<Rate>, delay: Span, channel: C) -> Self {
        Link {
            rate,
            delay,
            channel,
            busy_until: Instant::START,
            wire: VecDeque::new(),
            last_airtime: (0, Span::ZERO),
        }
    }

    #[inline]
    fn airtime(&mut self, bits: u64) -> Span {
        let Some(rate) = self.rate else { return Span::ZERO };
        if self.last_airtime.0 != bits {
            self.last_airtime = (bits, airtime(self.channel.bits_on_air(bits), rate));
        }
        self.last_airtime.1
    }
}

impl<P: Payload, C: Channel> Stage<P> for Link<P, C> {
    #[inline]
    fn push(&mut self, now: Instant, payload: P) {
        let bits = payload.bits();
        let start = now.max(self.busy_until);
        let end = start + self.airtime(bits);
        self.busy_until = end;
        if self.channel.fate_of(Transmission { start, end, bits }) == Fate::Clean {
            self.wire.push_back((end + self.delay, payload));
        }
    }

    #[inline]
    fn poll(&mut self, now: Instant) -> PollResult<P> {
        let busy = if now < self.busy_until { self.busy_until } else { Instant::NEVER };
        match self.wire.front() {
            Some(&(arrival, _)) if arrival <= now => {
                let (_, payload) = self.wire.pop_front().expect("just seen");
                PollResult::Out(payload)
            }
            Some(&(arrival, _)) => PollResult::Wait(arrival.min(busy)),
            None if busy < Instant::NEVER => PollResult::Wait(busy),
            None => PollResult::Idle,
        }
    }

    #[inline]
    fn ready(&self, now: Instant) -> bool {
        now >= self.busy_until
    }
}
