//! Access between the sender of a flow and its first node: a delay each way, and no limit of rate.

use super::ends::{Ends, LinkPacketOf};
use airtcp_core::{Instant, Span};
use std::collections::VecDeque;

/// The packets of one flow on their way from its sender, or to it, in the order of time.
#[repr(C)]
pub(super) struct AccessLink<E: Ends> {
    delay: Span,
    packets_in_transit: VecDeque<(Instant, LinkPacketOf<E>)>,
}

impl<E: Ends> AccessLink<E> {
    pub(super) fn new(delay: Span) -> Self {
        AccessLink { delay, packets_in_transit: VecDeque::new() }
    }

    /// Returns true if the access has no delay.
    #[inline]
    pub(super) fn is_none(&self) -> bool {
        self.delay == Span::ZERO
    }

    /// `packet` comes at `now`, to the sender or from it.
    pub(super) fn push(&mut self, now: Instant, packet: LinkPacketOf<E>) {
        self.packets_in_transit.push_back((now + self.delay, packet));
    }

    /// The next packet that has left the access by `now`.
    pub(super) fn poll(&mut self, now: Instant) -> Option<LinkPacketOf<E>> {
        let is_through = self.packets_in_transit.front().is_some_and(|(at, _)| *at <= now);
        if is_through {
            self.packets_in_transit.pop_front().map(|(_, packet)| packet)
        } else {
            None
        }
    }

    /// Time at which the next packet comes through; [`Instant::NEVER`] if there is none.
    pub(super) fn due(&self) -> Instant {
        self.packets_in_transit.front().map_or(Instant::NEVER, |(at, _)| *at)
    }
}
