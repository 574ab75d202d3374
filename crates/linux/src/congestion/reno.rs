//! Reno [linux/cubic.md rule 3].

use super::{Facts, Module, Window};

/// Reno has no variables of its own.
#[derive(Clone, Debug, Default)]
pub struct Reno;

impl Module for Reno {
    fn ssthresh(&mut self, _f: &Facts, w: &mut Window) -> u32 {
        (w.cwnd >> 1).max(2)
    }

    fn cong_avoid(&mut self, f: &Facts, w: &mut Window, acked: u32) {
        if !f.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            w.additive_increase(w.cwnd, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::{facts, window};

    #[test]
    fn slow_start_hands_its_rest_to_additive_increase() {
        let (f, mut w) = (facts(), window(10));
        w.ssthresh = 12;
        Reno.cong_avoid(&f, &mut w, 5);
        assert_eq!((w.cwnd, w.cwnd_count), (12, 3));
        Reno.cong_avoid(&f, &mut w, 9);
        assert_eq!((w.cwnd, w.cwnd_count), (13, 0));
    }

    #[test]
    fn a_window_that_does_not_limit_stays() {
        let (mut f, mut w) = (facts(), window(10));
        f.cwnd_limited = false;
        Reno.cong_avoid(&f, &mut w, 5);
        assert_eq!((w.cwnd, w.cwnd_count), (10, 0));
    }

    #[test]
    fn reductions_halve_down_to_two_and_are_undone() {
        let (f, mut w) = (facts(), window(11));
        assert_eq!(Reno.ssthresh(&f, &mut w), 5);
        w.prior_cwnd = 11;
        w.cwnd = 6;
        assert_eq!(Reno.undo_cwnd(&f, &mut w), 11);
        w.cwnd = 3;
        assert_eq!(Reno.ssthresh(&f, &mut w), 2);
    }
}
