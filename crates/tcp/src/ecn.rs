//! Explicit congestion notification [RFC 3168, section 6.1]: a queue marks a packet instead of dropping it, the
//! receiver echoes the mark, and the sender brings its window down as for a loss, once per window of data, with nothing
//! to send again.

use serde::Serialize;

/// Reaction of a sender to marks, once per window of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct EcnReaction {
    /// Echoes count again once all below is acknowledged: a window of data after the last reduction.
    recover: u64,
    /// The next new data carry CWR.
    cwr_pending: bool,
}

impl EcnReaction {
    /// Returns whether an echo with an ACK of all below `ack` brings the window down [section 6.1.2].
    pub(crate) fn is_due(self, ack: u64) -> bool {
        ack > self.recover || self.recover == 0
    }

    /// The window was reduced, for whatever reason; all below `high` was sent.
    pub(crate) fn on_reduction(&mut self, high: u64) {
        *self = EcnReaction { recover: high, cwr_pending: true };
    }

    /// Returns whether new data that leave now carry the news of a reduced window (CWR), which they do once.
    pub(crate) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.cwr_pending)
    }
}

/// Echo of marks by a receiver, with every ACK: from a mark until the sender's CWR [section 6.1.3], or exactly once per
/// mark for a sender that counts marks [RFC 8257 3.2].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct EceEcho {
    is_on: bool,
    echoes_each_mark: bool,
}

impl EceEcho {
    pub(crate) fn new(is_exact: bool) -> Self {
        EceEcho { is_on: false, echoes_each_mark: is_exact }
    }

    /// Returns whether an ACK that waits must leave before a packet with a mark or without is taken.
    #[inline]
    pub(crate) fn would_change(self, marked: bool) -> bool {
        self.echoes_each_mark && marked != self.is_on
    }

    /// A packet arrives, possibly with a mark (CE) or CWR.
    #[inline]
    pub(crate) fn on_packet(&mut self, marked: bool, confirms: bool) {
        self.is_on = marked || self.is_on && !confirms && !self.echoes_each_mark;
    }

    /// Returns whether ACKs carry ECE.
    #[inline]
    pub(crate) fn echoes(self) -> bool {
        self.is_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reduction_per_window_of_data() {
        let mut reaction = EcnReaction::default();
        assert!(reaction.is_due(1000));
        reaction.on_reduction(9000);
        assert!(!reaction.is_due(2000) && !reaction.is_due(9000));
        assert!(reaction.take_cwr() && !reaction.take_cwr());
        assert!(reaction.is_due(9001));
        reaction.on_reduction(20_000);
        assert!(!reaction.is_due(17_000));
    }

    #[test]
    fn for_a_sender_that_counts_them_marks_are_echoed_one_by_one() {
        let mut echo = EceEcho::new(true);
        let mut on = |marked| {
            let changes = echo.would_change(marked);
            echo.on_packet(marked, false);
            (changes, echo.echoes())
        };
        let found = [false, true, true, false].map(&mut on);
        assert_eq!(found, [(false, false), (true, true), (false, true), (true, false)]);
        assert!(!EceEcho::default().would_change(true));
    }

    #[test]
    fn a_mark_is_echoed_until_it_is_confirmed() {
        let mut echo = EceEcho::default();
        let mut on = |packet: (bool, bool)| {
            echo.on_packet(packet.0, packet.1);
            echo.echoes()
        };
        let packets = [(false, false), (true, false), (false, false), (false, true), (true, true)];
        assert_eq!(packets.map(&mut on), [false, true, true, false, true]);
    }
}
