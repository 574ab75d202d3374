//! The states, and the gains of each [rules/bbr3.md rule 4].

use super::parameters::{
    DEFAULT_CWND_GAIN, DOWN_PACING_GAIN, DRAIN_PACING_GAIN, PERCENT, PROBE_RTT_CWND_GAIN,
    STARTUP_PACING_GAIN, UP_CWND_GAIN, UP_PACING_GAIN,
};

/// State of BBR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles its rate per round until the pipe is full.
    Startup,
    /// Empties the queue of Startup.
    Drain,
    /// `ProbeBW_DOWN`: sends slower than the path delivers.
    Down,
    /// `ProbeBW_CRUISE`: sends as fast as it delivers.
    Cruise,
    /// `ProbeBW_REFILL`: fills the pipe for a round.
    Refill,
    /// `ProbeBW_UP`: sends faster, to see whether there is more.
    Up,
    /// Halves the data in flight to measure the RTT without a queue.
    ProbeRtt,
}

impl State {
    /// Gain of the pacing rate, in hundredths.
    #[must_use]
    pub fn pacing_gain(self) -> u32 {
        match self {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => DRAIN_PACING_GAIN,
            State::Down => DOWN_PACING_GAIN,
            State::Up => UP_PACING_GAIN,
            State::Cruise | State::Refill | State::ProbeRtt => PERCENT,
        }
    }

    /// Gain of cwnd, in hundredths.
    #[must_use]
    pub fn cwnd_gain(self) -> u32 {
        match self {
            State::Up => UP_CWND_GAIN,
            State::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => DEFAULT_CWND_GAIN,
        }
    }

    /// Returns whether it is one of the cycle.
    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// Returns whether it seeks bandwidth, so that losses do not lower the short-term bounds.
    pub(super) fn is_probing(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}
