//! Reno [rules/cubic.md rule 3].

use super::{HyStartPlus, Module, TcpSock, VariableSink, Window};

/// Reno has no variables but those of HyStart++, if that is chosen.
#[derive(Clone, Debug, Default)]
pub struct Reno {
    /// HyStart++ [RFC 9406].
    pub hystart_plus: Option<HyStartPlus>,
    use_hystart_plus: bool,
}

impl Reno {
    /// Reno with HyStart++.
    #[must_use]
    pub fn with_hystart_plus() -> Self {
        Reno { hystart_plus: None, use_hystart_plus: true }
    }
}

impl Module for Reno {
    fn init(&mut self, f: &TcpSock, _w: &mut Window) {
        self.hystart_plus = self.use_hystart_plus.then(|| HyStartPlus::new(f));
    }

    fn ssthresh(&mut self, _f: &TcpSock, w: &mut Window) -> u32 {
        (w.cwnd >> 1).max(2)
    }

    fn cong_avoid(&mut self, f: &TcpSock, w: &mut Window, acked: u32) {
        if let Some(plus) = &mut self.hystart_plus {
            plus.end_round(f, w);
        }
        if !f.cwnd_limited {
            return;
        }
        let rest = match &mut self.hystart_plus {
            _ if !w.in_slow_start() => acked,
            Some(plus) => plus.slow_start(f, w, acked),
            None => w.slow_start(acked),
        };
        if rest > 0 {
            w.additive_increase(w.cwnd, rest);
        }
    }

    fn pkts_acked(&mut self, _f: &TcpSock, w: &mut Window, rtt_us: i64) {
        if let (Some(plus), 0..) = (&mut self.hystart_plus, rtt_us) {
            plus.on_rtt(w, rtt_us as u32);
        }
    }

    fn show_variables(&self, show: VariableSink) {
        if let Some(plus) = &self.hystart_plus {
            show("conservative", &plus.is_conservative());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::{tcp_sock, window};

    #[test]
    fn slow_start_hands_its_rest_to_additive_increase() {
        let (f, mut w) = (tcp_sock(), window(10));
        w.ssthresh = 12;
        Reno::default().cong_avoid(&f, &mut w, 5);
        assert_eq!((w.cwnd, w.cwnd_count), (12, 3));
        Reno::default().cong_avoid(&f, &mut w, 9);
        assert_eq!((w.cwnd, w.cwnd_count), (13, 0));
    }

    #[test]
    fn a_window_that_does_not_limit_stays() {
        let (mut f, mut w) = (tcp_sock(), window(10));
        f.cwnd_limited = false;
        Reno::default().cong_avoid(&f, &mut w, 5);
        assert_eq!((w.cwnd, w.cwnd_count), (10, 0));
    }

    #[test]
    fn reductions_halve_down_to_two_and_are_undone() {
        let (f, mut w) = (tcp_sock(), window(11));
        assert_eq!(Reno::default().ssthresh(&f, &mut w), 5);
        w.prior_cwnd = 11;
        w.cwnd = 6;
        assert_eq!(Reno::default().undo_cwnd(&f, &mut w), 11);
        w.cwnd = 3;
        assert_eq!(Reno::default().ssthresh(&f, &mut w), 2);
    }
}
