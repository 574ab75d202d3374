//! Slow start [rules/cubic.md rule 1].

use super::Window;

impl Window {
    /// Returns whether cwnd is below ssthresh.
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows by `acked` packets up to ssthresh; returns those left for congestion avoidance.
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let grown = self.cwnd.saturating_add(acked).min(self.ssthresh);
        let rest = acked.wrapping_sub(grown.wrapping_sub(self.cwnd));
        self.cwnd = grown.min(self.clamp);
        rest
    }
}

#[cfg(test)]
mod tests {
    use crate::congestion::tests::window;

    #[test]
    fn the_window_grows_by_what_was_acknowledged_up_to_ssthresh() {
        let mut w = window(10);
        w.ssthresh = 15;
        assert_eq!((w.slow_start(3), w.cwnd), (0, 13)); // No limit of 2 per ACK.
        assert_eq!((w.slow_start(5), w.cwnd), (3, 15));
    }

    #[test]
    fn the_clamp_costs_nothing_of_the_rest() {
        let mut w = window(10);
        w.clamp = 12;
        assert_eq!((w.slow_start(5), w.cwnd), (0, 12));
    }
}
