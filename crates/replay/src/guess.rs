//! As what our sender goes on after a difference: what the kernel's variables may be is guessed, and the
//! guess that explains most of what follows is kept. The difference is counted whatever is guessed.

use airtcp_linux::congestion::INFINITE_SSTHRESH;
use airtcp_linux::sender::{Observed, Sender};

/// Per cent of BBR's bandwidth: what its gains make of one another, and small errors of a sample.
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
    /// It filled it but for a packet, that a burst is waited for.
    Fuller,
    /// It is as ours, or what is in flight if that is more.
    Ours,
}

/// ssthresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ssthresh {
    /// As ours.
    #[default]
    Ours,
    /// cwnd.
    Reached,
    /// The kernel is in slow start.
    Infinite,
}

/// All of it.
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
    /// What is tried under a congestion control, the likeliest first.
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
