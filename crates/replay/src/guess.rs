//! Guesses of the state in which our sender goes on after a difference: the kernel's variables are guessed, and the
//! guess that explains most of the following segments is kept. The difference counts whatever is guessed.

use airtcp_linux::congestion::INFINITE_SSTHRESH;
use airtcp_linux::sender::{Observed, Sender};

/// Per cent of BBR's bandwidth: ratios of its gains, and small errors of a sample.
const PERCENTS: [u32; 11] = [100, 133, 75, 125, 80, 167, 60, 105, 95, 200, 50];
/// Places in BBR's cycle.
const CYCLE: [Option<u32>; 9] =
    [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(6), Some(7)];

/// cwnd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cwnd {
    /// The kernel filled it.
    #[default]
    Filled,
    /// The window was filled except for a packet, which the sender held back to wait for a burst.
    Fuller,
    /// The window is that of our sender, or the data in flight if they are more.
    Ours,
}

/// ssthresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ssthresh {
    /// As our sender has it.
    #[default]
    Ours,
    /// cwnd.
    Reached,
    /// The kernel is in slow start.
    Infinite,
}

/// All guessed variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    pub cwnd: Cwnd,
    pub ssthresh: Ssthresh,
    pub percent: u32,
    pub cycle: Option<u32>,
}

impl Default for Guess {
    fn default() -> Self {
        Guess { cwnd: Cwnd::Filled, ssthresh: Ssthresh::Ours, percent: 100, cycle: None }
    }
}

impl Guess {
    /// All guesses that are tried under a congestion control, the likeliest first.
    pub(crate) fn all(control: &str) -> Vec<Guess> {
        let windows = [Cwnd::Filled, Cwnd::Ours, Cwnd::Fuller];
        if control == "bbr" {
            let cwnds = windows[..2].iter();
            let rates = |&cwnd| {
                let cycles = CYCLE.into_iter();
                cycles.flat_map(move |cycle| {
                    PERCENTS.map(|percent| Guess { cwnd, percent, cycle, ..Guess::default() })
                })
            };
            return cwnds.flat_map(rates).collect();
        }
        let thresholds = [Ssthresh::Ours, Ssthresh::Reached, Ssthresh::Infinite];
        let both = thresholds
            .into_iter()
            .flat_map(|ssthresh| windows.map(|cwnd| Guess { cwnd, ssthresh, ..Guess::default() }));
        both.collect()
    }

    pub(crate) fn apply(self, sender: &mut Sender) {
        let (in_flight, ours) = (sender.in_flight().max(1), sender.window().cwnd);
        let cwnd = match self.cwnd {
            Cwnd::Filled => in_flight,
            Cwnd::Fuller => in_flight + 1,
            Cwnd::Ours => ours.max(in_flight),
        };
        let ssthresh = match self.ssthresh {
            Ssthresh::Ours => None,
            Ssthresh::Reached => Some(cwnd),
            Ssthresh::Infinite => Some(INFINITE_SSTHRESH),
        };
        sender.force(&Observed { cwnd: Some(cwnd), ssthresh, ..Observed::default() });
        if self.percent != 100 || self.cycle.is_some() {
            sender.force_cycle(self.percent, self.cycle);
        }
    }
}
