//! One element of a path. A driver, in simulated or in real time, pushes payloads in and polls
//! them out; nothing else schedules.

use crate::{Ecn, Instant};

/// Answer of a stage that is polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollResult<P> {
    /// A payload leaves the stage now.
    Out(P),
    /// Nothing leaves before this instant: poll again then.
    Wait(Instant),
    /// Nothing leaves until something is pushed.
    Idle,
}

/// One element of a path, generic over what travels through it: a segment in the simulator, bytes
/// on a network device.
pub trait Stage<P> {
    /// Hands `payload` to the stage. `now` never runs back.
    fn push(&mut self, now: Instant, payload: P);

    /// The next packet to leave. The driver polls until the answer is no longer [`PollResult::Out`].
    fn poll(&mut self, now: Instant) -> PollResult<P>;

    /// Returns whether the stage takes another payload without queueing it. A source that is clocked by
    /// the link (one packet per slot) is polled only then.
    fn ready(&self, _now: Instant) -> bool {
        true
    }

    /// Returns whether the stage holds more than it may, in which case it no longer does anything.
    fn is_full(&self) -> bool {
        false
    }
}

/// Properties of a payload that a stage needs. Links may duplicate it.
pub trait Payload: Clone {
    /// Length on the air in bits.
    fn bits(&self) -> u64;

    /// Number by which a forced loss refers to it: that of the data packet or, for an acknowledgement, of the last
    /// packet received in order; `None` if it has no number.
    fn number(&self) -> Option<u64> {
        None
    }

    /// Informs a payload that keeps a log when its transmission starts and ends. A plain link calls this as the
    /// payload is pushed; a link layer that retransmits calls it with every fragment, from the start of the first
    /// fragment to the end of this one.
    #[inline(always)]
    fn on_transmission(&mut self, _start: Instant, _end: Instant) {}

    /// ECN field, which says whether a queue may mark the payload instead of dropping it, and whether its sender wants
    /// low latency.
    #[inline(always)]
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// Sets the congestion mark of a queue; called only for payloads whose ECN field allows marks.
    #[inline(always)]
    fn mark(&mut self) {}

    /// Copy that a link makes when it duplicates the payload; overridden where the copy differs from the original.
    #[inline(always)]
    fn duplicate(&self) -> Self {
        self.clone()
    }

    /// Index of the flow or cross-traffic source that sent it, for payloads of several senders that are counted
    /// separately.
    fn owner(&self) -> usize {
        0
    }

    /// Returns whether its sender counts it as sent, so that its loss and its copies are counted too.
    #[inline]
    fn is_counted(&self) -> bool {
        true
    }

    /// Connection number, for queues that serve connections separately: the same for all packets of the connection in
    /// this direction.
    #[inline]
    fn connection(&self) -> u32 {
        self.owner() as u32
    }
}
