//! Losses driven by a two-state chain, by its sojourns: the state is drawn once per change, not once
//! per slot, and the path does not depend on when somebody asks.
//!
//! On slots a transmission meets the states of all slots that it takes. On a path transmissions do not keep
//! to slots, and one that met two states would be lost more often than the chain is bad: there it meets the
//! state at its start, at which the chain is stationary whenever the sender does not look at it.

use super::clock::Clock;
use super::fate::{Burst, Channel, Fate, Met};
use crate::two_state::TwoState;
use airtcp_core::{Cancel, CancelCheck, Span, Stream};

/// A chain of good and bad sojourns; bursts that meet a bad step are lost, unless `loss` says
/// otherwise.
#[derive(Clone, Debug)]
pub struct MarkovLoss {
    bad: bool,
    /// First position at which the state may differ.
    until: i64,
    /// Positions below this one are known to be good, and nothing else loses there.
    clear: i64,
    step: i64,
    meeting: Meeting,
    packets: i64,
    lost: u64,
    /// The stated loss rate, if there is one.
    expected: Option<f64>,
    /// `1/ln(1 - p)` for leaving good and bad.
    inverse_log_stay: [f64; 2],
    stream: Stream,
    loss: Option<StateLoss>,
    watch: CancelCheck,
}

/// The steps of the chain that a transmission meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// The steps of all its instants.
    Whole,
    /// The step of its first instant.
    Start,
    /// One of its own.
    Packet,
}

/// Loss probability in good and bad, where those are not 0 and 1.
#[derive(Clone, Debug)]
struct StateLoss {
    probability: [f64; 2],
    stream: Stream,
}

/// Longer than any run can be.
const FOREVER: i64 = i64::MAX;

impl MarkovLoss {
    /// A stationary chain whose steps are slots of length `slot`, or packets.
    #[must_use]
    pub fn new(chain: TwoState, clock: Clock, slot: Span, mut stream: Stream) -> Self {
        let step = match clock {
            Clock::Slot => slot.nanos(),
            Clock::Packet => 1,
        };
        let meeting = match clock {
            Clock::Slot => Meeting::Whole,
            Clock::Packet => Meeting::Packet,
        };
        let bad = stream.chance(chain.loss_rate());
        let inverse_log_stay = [chain.p_gb, chain.p_bg].map(|p| 1.0 / libm::log1p(-p));
        let mut this = MarkovLoss {
            bad,
            until: 0,
            clear: 0,
            step,
            meeting,
            packets: 0,
            lost: 0,
            expected: None,
            inverse_log_stay,
            stream,
            loss: None,
            watch: CancelCheck::default(),
        };
        this.until = this.sojourn();
        this
    }

    /// This chain where transmissions do not keep to slots: each meets the state at its start.
    #[must_use]
    pub fn met_at_start(mut self) -> Self {
        if self.meeting == Meeting::Whole {
            self.meeting = Meeting::Start;
        }
        self
    }

    /// This chain with the share of packets that it is said to lose.
    #[must_use]
    pub fn expecting(mut self, loss_rate: f64) -> Self {
        self.expected = Some(loss_rate);
        self
    }

    /// Starts the chain in good.
    #[must_use]
    pub fn good_at_first(mut self) -> Self {
        (self.bad, self.clear) = (false, 0);
        self.until = self.sojourn();
        self
    }

    /// Adds losses of probability `good` and `bad` in the chain's states, drawn from `stream`.
    #[must_use]
    pub fn with_loss(mut self, good: f64, bad: f64, stream: Stream) -> Self {
        self.clear = 0;
        self.loss = Some(StateLoss { probability: [good, bad], stream });
        self
    }

    /// Returns whether it steps while nobody sends.
    pub(super) fn is_timed(&self) -> bool {
        self.meeting != Meeting::Packet
    }

    /// Length of the sojourn that begins now: geometric, by inversion.
    fn sojourn(&mut self) -> i64 {
        let steps =
            libm::log1p(-self.stream.uniform()) * self.inverse_log_stay[usize::from(self.bad)];
        // p = 1 gives 0, p = 0 gives an infinity or, for a draw of exactly 0, a NaN.
        if steps < (FOREVER / self.step) as f64 {
            (steps.max(0.0) as i64).saturating_add(1).saturating_mul(self.step)
        } else {
            FOREVER
        }
    }

    fn flip(&mut self) {
        self.bad = !self.bad;
        let length = self.sojourn();
        self.until = self.until.saturating_add(length);
    }

    /// Returns whether some step in `[start, end)` is bad.
    #[inline]
    fn meets_bad(&mut self, start: i64, end: i64) -> bool {
        while self.until <= start {
            self.flip();
            if self.watch.is_cancelled() {
                self.until = FOREVER;
            }
        }
        if self.bad || self.until >= end {
            return self.bad;
        }
        self.flip();
        true
    }
}

impl MarkovLoss {
    /// Returns whether a transmission that meets the steps of `[start, end)` is lost.
    #[inline(never)]
    fn loses(&mut self, start: i64, end: i64) -> bool {
        let bad = self.meets_bad(start, end);
        let lost = match &mut self.loss {
            None => bad,
            Some(loss) => loss.stream.chance(loss.probability[usize::from(bad)]),
        };
        self.lost += u64::from(lost);
        self.clear = if self.bad || self.loss.is_some() { 0 } else { self.until };
        lost
    }
}

impl Channel for MarkovLoss {
    #[inline(always)]
    fn fate(&mut self, burst: Burst) -> Fate {
        let first = burst.start.nanos();
        let (start, end) = match self.meeting {
            Meeting::Whole => (first, burst.end.nanos()),
            Meeting::Start => (first, first + 1),
            Meeting::Packet => (self.packets, self.packets + 1),
        };
        self.packets += 1;
        let is_clear = start < self.clear && end <= self.clear;
        if is_clear || !self.loses(start, end) { Fate::Clean } else { Fate::Erased }
    }

    fn met(&self) -> Met {
        let Some(rate) = self.expected.filter(|_| self.is_timed()) else { return Met::default() };
        let transmissions = self.packets.cast_unsigned();
        Met { transmissions, lost: self.lost, expected: rate * transmissions as f64 }
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
    }
}
