//! Proportional rate reduction [RFC 9937 section 6; rules/recovery.md F], in packets or in bytes. Where Linux takes
//! another number than the RFC, that is in [`PrrInput`].

/// Counters of one reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prr {
    /// Packets delivered since it began (`prr_delivered`).
    pub delivered: u32,
    /// Packets sent since it began (`prr_out`).
    pub sent: u32,
}

/// Input of the reduction from an ACK.
#[derive(Clone, Copy, Debug)]
pub struct PrrInput {
    /// Packets in flight after the ACK and the marking of losses.
    pub in_flight: u32,
    /// ssthresh.
    pub ssthresh: u32,
    /// Denominator of the proportion: `RecoverFS`, the data in flight at the start; Linux uses cwnd.
    pub prior_cwnd: u32,
    /// Packets newly delivered; not 0.
    pub delivered: u32,
    /// Packets newly marked lost.
    pub lost: u32,
    /// True if una moved.
    pub advanced: bool,
    /// A full segment: 1 where packets are counted.
    pub smss: u32,
}

impl Prr {
    /// The window after a step [rules/recovery.md rule 47].
    pub fn allowed_packets(&mut self, step: &PrrInput) -> u32 {
        self.delivered = self.delivered.saturating_add(step.delivered);
        let smss = i64::from(step.smss);
        let delta = i64::from(step.ssthresh) - i64::from(step.in_flight);
        let (delivered, out) = (i64::from(self.delivered), i64::from(self.sent));
        let send = if delta < 0 {
            let prior = i64::from(step.prior_cwnd.max(1));
            (i64::from(step.ssthresh) * delivered + prior - 1) / prior - out
        } else {
            let safe = if step.advanced && step.lost == 0 { smss } else { 0 };
            delta.min((delivered - out).max(i64::from(step.delivered)) + safe)
        };
        let send = send.max(if self.sent == 0 { smss } else { 0 });
        (i64::from(step.in_flight) + send).max(1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rules/recovery.md rule 47; rules/README.md: ten packets, the first lost, two new ones sent before.
    #[test]
    fn one_loss_of_ten() {
        let mut prr = Prr::default();
        let mut in_flight = 8;
        let windows = [1, 0, 0, 0, 0, 0, 0].map(|lost| {
            let step = PrrInput {
                in_flight,
                ssthresh: 7,
                prior_cwnd: 10,
                delivered: 1,
                lost,
                advanced: false,
                smss: 1,
            };
            let cwnd = prr.allowed_packets(&step);
            let sent = cwnd.saturating_sub(in_flight);
            prr.sent += sent;
            in_flight += sent;
            in_flight -= 1; // the next SACK
            cwnd
        });
        assert_eq!(windows, [9, 9, 9, 8, 7, 7, 7]);
    }

    #[test]
    fn the_first_transmission_is_forced() {
        let mut prr = Prr::default();
        let step = PrrInput {
            in_flight: 7,
            ssthresh: 7,
            prior_cwnd: 10,
            delivered: 1,
            lost: 1,
            advanced: false,
            smss: 1,
        };
        assert_eq!(prr.allowed_packets(&step), 8);
        prr.sent += 1;
        assert_eq!(prr.allowed_packets(&step), 7);
    }

    #[test]
    fn far_below_ssthresh_it_sends_what_was_delivered_and_one() {
        let mut prr = Prr { delivered: 4, sent: 4 };
        let step = PrrInput {
            in_flight: 3,
            ssthresh: 20,
            prior_cwnd: 40,
            delivered: 2,
            lost: 0,
            advanced: true,
            smss: 1,
        };
        assert_eq!(prr.allowed_packets(&step), 3 + 3);
        prr.sent += 3;
        assert_eq!(prr.allowed_packets(&PrrInput { lost: 1, ..step }), 3 + 2);
    }

    /// Whoever has sent more than the proportion waits: in flight shrinks, and cwnd with it, no faster.
    #[test]
    fn ahead_of_the_proportion_nothing_is_taken_back() {
        let mut prr = Prr { delivered: 1, sent: 5 };
        let step = PrrInput {
            in_flight: 12,
            ssthresh: 7,
            prior_cwnd: 10,
            delivered: 1,
            lost: 0,
            advanced: true,
            smss: 1,
        };
        assert_eq!(prr.allowed_packets(&step), 12);
    }
}
