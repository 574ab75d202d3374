//! Losses driven by a two-state chain, by its sojourns: the state is drawn once per change, not once
//! per slot, and the path does not depend on when somebody asks.
//!
//! On slots a transmission meets the states of all slots that it takes. On a path transmissions do not keep
//! to slots, and one that met two states would be lost more often than the chain is bad: there it meets the
//! state at its start, at which the chain is stationary whenever the sender does not look at it.

use super::clock::Clock;
use super::fate::{ChainTally, Channel, Fate, Transmission};
use crate::two_state::TwoState;
use airtcp_core::{Cancel, CancelCheck, Span, Stream};

/// A chain of good and bad sojourns; bursts that meet a bad step are lost, unless `loss` says
/// otherwise.
#[derive(Clone, Debug)]
pub struct MarkovLoss {
    bad: bool,
    /// First position at which the state may differ.
    state_until: i64,
    /// Positions below this one are known to be good, and nothing else loses there.
    lossless_until: i64,
    step: i64,
    steps_met: StepsMet,
    packets: i64,
    lost: u64,
    /// The stated loss rate, if there is one.
    stated_loss_rate: Option<f64>,
    /// `1/ln(1 - p)` for leaving good and bad.
    inverse_log_stay: [f64; 2],
    stream: Stream,
    loss: Option<StateLoss>,
    watch: CancelCheck,
}

/// The steps of the chain that a transmission meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepsMet {
    /// All steps that overlap the transmission.
    Whole,
    /// The step in which the transmission starts.
    Start,
    /// One step for each transmission.
    Packet,
}

/// Loss probability in good and bad, where those are not 0 and 1.
#[derive(Clone, Debug)]
struct StateLoss {
    probability: [f64; 2],
    stream: Stream,
}

/// Length that no run reaches.
const ENDLESS: i64 = i64::MAX;

impl MarkovLoss {
    /// A stationary chain whose steps are slots of length `slot`, or packets.
    #[must_use]
    pub fn new(chain: TwoState, clock: Clock, slot: Span, mut stream: Stream) -> Self {
        let step = match clock {
            Clock::Slot => slot.nanos(),
            Clock::Packet => 1,
        };
        let meeting = match clock {
            Clock::Slot => StepsMet::Whole,
            Clock::Packet => StepsMet::Packet,
        };
        let bad = stream.chance(chain.loss_rate());
        let inverse_log_stay = [chain.p_gb, chain.p_bg].map(|p| 1.0 / libm::log1p(-p));
        let mut this = MarkovLoss {
            bad,
            state_until: 0,
            lossless_until: 0,
            step,
            steps_met: meeting,
            packets: 0,
            lost: 0,
            stated_loss_rate: None,
            inverse_log_stay,
            stream,
            loss: None,
            watch: CancelCheck::default(),
        };
        this.state_until = this.draw_sojourn();
        this
    }

    /// Changes the chain for transmissions that are not aligned to slots: each meets the state at its start.
    #[must_use]
    pub fn meeting_state_at_start(mut self) -> Self {
        if self.steps_met == StepsMet::Whole {
            self.steps_met = StepsMet::Start;
        }
        self
    }

    /// Adds the loss rate that the scenario states, for comparison with the losses that occur.
    #[must_use]
    pub fn with_stated_loss_rate(mut self, loss_rate: f64) -> Self {
        self.stated_loss_rate = Some(loss_rate);
        self
    }

    /// Starts the chain in good.
    #[must_use]
    pub fn starting_in_good(mut self) -> Self {
        (self.bad, self.lossless_until) = (false, 0);
        self.state_until = self.draw_sojourn();
        self
    }

    /// Adds losses of probability `good` and `bad` in the chain's states, drawn from `stream`.
    #[must_use]
    pub fn with_loss(mut self, good: f64, bad: f64, stream: Stream) -> Self {
        self.lossless_until = 0;
        self.loss = Some(StateLoss { probability: [good, bad], stream });
        self
    }

    /// Returns whether it steps while nobody sends.
    pub(super) fn is_timed(&self) -> bool {
        self.steps_met != StepsMet::Packet
    }

    /// Length of the sojourn that begins now: geometric, by inversion.
    fn draw_sojourn(&mut self) -> i64 {
        let steps =
            libm::log1p(-self.stream.uniform()) * self.inverse_log_stay[usize::from(self.bad)];
        // p = 1 gives 0, p = 0 gives an infinity or, for a draw of exactly 0, a NaN.
        if steps < (ENDLESS / self.step) as f64 {
            (steps.max(0.0) as i64).saturating_add(1).saturating_mul(self.step)
        } else {
            ENDLESS
        }
    }

    fn change_state(&mut self) {
        self.bad = !self.bad;
        let length = self.draw_sojourn();
        self.state_until = self.state_until.saturating_add(length);
    }

    /// Returns whether some step in `[start, end)` is bad.
    #[inline]
    fn meets_bad(&mut self, start: i64, end: i64) -> bool {
        while self.state_until <= start {
            self.change_state();
            if self.watch.is_cancelled() {
                self.state_until = ENDLESS;
            }
        }
        if self.bad || self.state_until >= end {
            return self.bad;
        }
        self.change_state();
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
        self.lossless_until = if self.bad || self.loss.is_some() { 0 } else { self.state_until };
        lost
    }
}

impl Channel for MarkovLoss {
    #[inline(always)]
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        let first = burst.start.nanos();
        let (start, end) = match self.steps_met {
            StepsMet::Whole => (first, burst.end.nanos()),
            StepsMet::Start => (first, first + 1),
            StepsMet::Packet => (self.packets, self.packets + 1),
        };
        self.packets += 1;
        let is_clear = start < self.lossless_until && end <= self.lossless_until;
        if is_clear || !self.loses(start, end) { Fate::Clean } else { Fate::Erased }
    }

    fn chain_tally(&self) -> ChainTally {
        let Some(rate) = self.stated_loss_rate.filter(|_| self.is_timed()) else {
            return ChainTally::default();
        };
        let transmissions = self.packets.cast_unsigned();
        ChainTally { transmissions, lost: self.lost, expected: rate * transmissions as f64 }
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
    }
}
