//! Additive increase [rules/cubic.md rule 2].

use super::Window;

impl Window {
    /// Grows by 1 packet per `per` packets acknowledged; this ACK acknowledges `acked`.
    pub fn additive_increase(&mut self, per: u32, acked: u32) {
        let per = per.max(1);
        if self.cwnd_count >= per {
            self.cwnd_count = 0;
            self.cwnd = self.cwnd.saturating_add(1);
        }
        self.cwnd_count = self.cwnd_count.wrapping_add(acked);
        if self.cwnd_count >= per {
            self.cwnd = self.cwnd.saturating_add(self.cwnd_count / per);
            self.cwnd_count %= per;
        }
        self.cwnd = self.cwnd.min(self.clamp);
    }
}

#[cfg(test)]
mod tests {
    use crate::congestion::tests::window;

    #[test]
    fn one_packet_per_window() {
        let mut w = window(10);
        w.additive_increase(10, 9);
        assert_eq!((w.cwnd, w.cwnd_count), (10, 9));
        w.additive_increase(10, 2);
        assert_eq!((w.cwnd, w.cwnd_count), (11, 1));
        w.additive_increase(11, 25); // 26 = 2 * 11 + 4
        assert_eq!((w.cwnd, w.cwnd_count), (13, 4));
    }

    #[test]
    fn credit_above_a_smaller_divisor_is_one_packet_and_no_more() {
        let mut w = window(10);
        w.cwnd_count = 95;
        w.additive_increase(20, 3);
        assert_eq!((w.cwnd, w.cwnd_count), (11, 3));
    }

    #[test]
    fn the_clamp_holds() {
        let mut w = window(10);
        w.clamp = 10;
        w.additive_increase(2, 9);
        assert_eq!((w.cwnd, w.cwnd_count), (10, 1));
    }
}
