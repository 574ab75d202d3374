//! One element of a path. A driver, in simulated or in real time, pushes payloads in and polls
//! them out; nothing else schedules.

use crate::{Ecn, Instant};

/// Answer of a stage that is polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<P> {
    /// A payload leaves the stage now.
    Out(P),
    /// Nothing before this instant: poll again then.
    Wait(Instant),
    /// Nothing until something is pushed.
    Idle,
}

/// One element of a path, generic over what travels through it: a segment in the simulator, bytes
/// on a network device.
pub trait Stage<P> {
    /// Hands `payload` to the stage. `now` never runs back.
    fn push(&mut self, now: Instant, payload: P);

    /// The next packet to leave. The driver polls until the answer is no longer [`Next::Out`].
    fn poll(&mut self, now: Instant) -> Next<P>;

    /// Returns whether the stage takes another payload without queueing it. A source that is clocked by
    /// the link (one packet per slot) is polled only then.
    fn ready(&self, _now: Instant) -> bool {
        true
    }

    /// Returns whether it holds more than it may: nothing happens in it any more.
    fn is_full(&self) -> bool {
        false
    }
}

/// Properties of a payload that a stage needs. Links may duplicate it.
pub trait Payload: Clone {
    /// Length on the air in bits.
    fn bits(&self) -> u64;

    /// The number by which a forced loss names it: of a data packet its own, of an acknowledgement
    /// that of the last packet in order. None if it has none.
    fn number(&self) -> Option<u64> {
        None
    }

    /// Told from when to when it is transmitted, for those who keep a log: by a plain link as it comes, by one
    /// that retransmits with every fragment, from the start of the first to the end of this one.
    #[inline(always)]
    fn on_air(&mut self, _start: Instant, _end: Instant) {}

    /// Its ECN field: whether a queue may mark it instead of dropping it, and whether its sender wants low latency.
    #[inline(always)]
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// It leaves a queue with a mark, which only one that takes marks gets.
    #[inline(always)]
    fn mark(&mut self) {}

    /// The second one, where a link duplicates it: for those who tell the two apart.
    #[inline(always)]
    fn twin(&self) -> Self {
        self.clone()
    }

    /// Its owner, counted from 0, where several share a path and are counted apart.
    fn owner(&self) -> usize {
        0
    }

    /// Returns whether its sender counts it among what it sent, so that its loss and its copies are counted beside that.
    #[inline]
    fn is_counted(&self) -> bool {
        true
    }

    /// Its connection, for queues that serve connections apart: any number, the same for all its packets in this
    /// direction.
    #[inline]
    fn connection(&self) -> u32 {
        self.owner() as u32
    }
}
