//! Guesses of the kernel's state after a difference; the guess that explains most of the following segments is kept.
//! The difference counts in any case.

use airtcp_linux::congestion::INFINITE_SSTHRESH;
use airtcp_linux::sender::{ObservedState, Sender};

/// Per cent of BBR's bandwidth: ratios of its gains, and small errors of a sample.
const BANDWIDTH_PERCENTS: [u32; 11] = [100, 133, 75, 125, 80, 167, 60, 105, 95, 200, 50];
/// Places in BBR's cycle.
const CYCLE_PHASES: [Option<u32>; 9] =
    [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(6), Some(7)];

/// cwnd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CwndGuess {
    /// The kernel filled it.
    #[default]
    Filled,
    /// The window was filled except for a packet, which the sender held back to wait for a burst.
    FilledButOne,
    /// Our sender's window, or the data in flight if larger.
    Ours,
}

/// ssthresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SsthreshGuess {
    /// The value of our sender.
    #[default]
    Ours,
    /// cwnd.
    Cwnd,
    /// The kernel is in slow start.
    Infinite,
}

/// All guessed variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateGuess {
    pub cwnd: CwndGuess,
    pub ssthresh: SsthreshGuess,
    pub bandwidth_percent: u32,
    pub cycle_phase: Option<u32>,
}

impl Default for StateGuess {
    fn default() -> Self {
        StateGuess {
            cwnd: CwndGuess::Filled,
            ssthresh: SsthreshGuess::Ours,
            bandwidth_percent: 100,
            cycle_phase: None,
        }
    }
}

impl StateGuess {
    /// All guesses that are tried under a congestion control, the likeliest first.
    pub(crate) fn all(control: &str) -> Vec<StateGuess> {
        let windows = [CwndGuess::Filled, CwndGuess::Ours, CwndGuess::FilledButOne];
        if control == "bbr" {
            let cwnds = windows[..2].iter();
            let rates = |&cwnd| {
                let cycles = CYCLE_PHASES.into_iter();
                cycles.flat_map(move |cycle| {
                    BANDWIDTH_PERCENTS.map(|percent| StateGuess {
                        cwnd,
                        bandwidth_percent: percent,
                        cycle_phase: cycle,
                        ..StateGuess::default()
                    })
                })
            };
            return cwnds.flat_map(rates).collect();
        }
        let thresholds = [SsthreshGuess::Ours, SsthreshGuess::Cwnd, SsthreshGuess::Infinite];
        let both = thresholds.into_iter().flat_map(|ssthresh| {
            windows.map(|cwnd| StateGuess { cwnd, ssthresh, ..StateGuess::default() })
        });
        both.collect()
    }

    pub(crate) fn apply(self, sender: &mut Sender) {
        let (in_flight, ours) = (sender.in_flight().max(1), sender.window().cwnd);
        let cwnd = match self.cwnd {
            CwndGuess::Filled => in_flight,
            CwndGuess::FilledButOne => in_flight + 1,
            CwndGuess::Ours => ours.max(in_flight),
        };
        let ssthresh = match self.ssthresh {
            SsthreshGuess::Ours => None,
            SsthreshGuess::Cwnd => Some(cwnd),
            SsthreshGuess::Infinite => Some(INFINITE_SSTHRESH),
        };
        sender.set_observed_state(&ObservedState {
            cwnd: Some(cwnd),
            ssthresh,
            ..ObservedState::default()
        });
        if self.bandwidth_percent != 100 || self.cycle_phase.is_some() {
            sender.force_cycle(self.bandwidth_percent, self.cycle_phase);
        }
    }
}
