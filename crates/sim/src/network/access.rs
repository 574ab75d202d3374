//! Access between the sender of a flow and its first node: a delay each way, and no limit of rate.

use super::ends::{CarriedOf, Ends};
use airtcp_core::{Instant, Span};
use std::collections::VecDeque;

/// The packets of one flow on their way from its sender, or to it, in the order of time.
#[repr(C)]
pub(super) struct Access<E: Ends> {
    delay: Span,
    line: VecDeque<(Instant, CarriedOf<E>)>,
}

impl<E: Ends> Access<E> {
    pub(super) fn new(delay: Span) -> Self {
        Access { delay, line: VecDeque::new() }
    }

    /// Returns whether packets are there at once.
    #[inline]
    pub(super) fn is_none(&self) -> bool {
        self.delay == Span::ZERO
    }

    /// `packet` comes at `now`, to the sender or from it.
    pub(super) fn push(&mut self, now: Instant, packet: CarriedOf<E>) {
        self.line.push_back((now + self.delay, packet));
    }

    /// The next packet that has come through by `now`.
    pub(super) fn poll(&mut self, now: Instant) -> Option<CarriedOf<E>> {
        let is_through = self.line.front().is_some_and(|(at, _)| *at <= now);
        if is_through { self.line.pop_front().map(|(_, packet)| packet) } else { None }
    }

    /// Time at which the next packet comes through; [`Instant::NEVER`] if there is none.
    pub(super) fn due(&self) -> Instant {
        self.line.front().map_or(Instant::NEVER, |(at, _)| *at)
    }
}
