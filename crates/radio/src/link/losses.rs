//! Counts and reports of a hop.

use airtcp_core::{Instant, Payload, counts};
use std::collections::VecDeque;

/// Cause of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossCause {
    /// The queue was full.
    Queue,
    /// The channel.
    Channel,
    /// The link went down while the packet waited, was transmitted or on the wire.
    Gate,
    /// The scenario named the packet as a forced loss.
    Forced,
    /// The link layer gave it up after the last attempt for one of its fragments.
    Arq,
    /// The packet was offered while the link was down. Traces leave these losses out.
    Vanished,
}

/// A packet that was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostPacket<P> {
    /// Time of the loss: on arrival at the queue, at the far end (in its turn, if packets are kept in order), or as
    /// the link went down.
    pub at: Instant,
    /// The packet.
    pub payload: P,
    /// Cause of the loss.
    pub cause: LossCause,
}

counts! {
    /// Number of packets lost to each cause; tables have them among the counts of a link.
    pub struct HopCounters {
        /// Packets that found the queue full.
        queue: u64, sum => [];
        /// Packets lost by the channel.
        channel: u64, sum => [];
        /// Packets lost because the link went down.
        gate: u64, sum => [];
        /// Packets lost because the scenario says so.
        forced: u64, sum => [];
        /// Packets that the link layer gave up.
        arq: u64, sum => [];
        /// Packets offered while the link was down.
        vanished: u64, sum => [];
    }
}

impl HopCounters {
    /// Sum over all causes.
    #[must_use]
    pub fn total(&self) -> u64 {
        let HopCounters { queue, channel, gate, forced, arq, vanished } = *self;
        queue + channel + gate + forced + arq + vanished
    }

    fn count(&mut self, cause: LossCause) {
        let counter = match cause {
            LossCause::Queue => &mut self.queue,
            LossCause::Channel => &mut self.channel,
            LossCause::Gate => &mut self.gate,
            LossCause::Forced => &mut self.forced,
            LossCause::Arq => &mut self.arq,
            LossCause::Vanished => &mut self.vanished,
        };
        *counter += 1;
    }
}

/// The losses of a hop: counted by cause and by owner, and kept until they are taken if somebody wants to see them.
#[derive(Debug)]
pub(super) struct LossLog<P> {
    pub(super) counters: HopCounters,
    pub(super) recording: bool,
    kept_losses: VecDeque<LostPacket<P>>,
    by_owner: CountByOwner,
    copies: CountByOwner,
}

/// Number of counted packets of each owner.
#[derive(Debug, Default)]
struct CountByOwner(Vec<u64>);

impl CountByOwner {
    fn count_of(&self, owner: usize) -> u64 {
        self.0.get(owner).copied().unwrap_or_default()
    }

    fn count<P: Payload>(&mut self, payload: &P) {
        let owner = payload.owner();
        if !payload.is_counted() {
            return;
        }
        if self.0.len() <= owner {
            self.0.resize(owner + 1, 0);
        }
        self.0[owner] += 1;
    }
}

impl<P: Payload> LossLog<P> {
    pub(super) fn new() -> Self {
        let (counters, kept, by_owner, copies) = Default::default();
        LossLog { counters, recording: false, kept_losses: kept, by_owner, copies }
    }

    /// Number of packets of `owner` that count and were lost.
    pub(super) fn lost_of_owner(&self, owner: usize) -> u64 {
        self.by_owner.count_of(owner)
    }

    /// Number of duplicates of such packets that the hop has made.
    pub(super) fn copies_made(&self, owner: usize) -> u64 {
        self.copies.count_of(owner)
    }

    /// Counts a duplicate of `payload`.
    pub(super) fn record_copy(&mut self, payload: &P) {
        self.copies.count(payload);
    }

    #[inline(always)]
    pub(super) fn record(&mut self, at: impl FnOnce() -> Instant, payload: P, cause: LossCause) {
        self.counters.count(cause);
        self.by_owner.count(&payload);
        if self.recording {
            self.kept_losses.push_back(LostPacket { at: at(), payload, cause });
        }
    }

    /// Takes the oldest loss that was kept.
    #[inline]
    pub(super) fn take_kept(&mut self) -> Option<LostPacket<P>> {
        self.kept_losses.pop_front()
    }
}
