//! Expiries of the retransmission timer that were spurious.
//!
//! An expiry is spurious if the first packet it resends had not been lost: a copy of it that was sent before the expiry
//! has arrived, or still does. Packets do not overtake each other, so the first copy to arrive settles it, and the
//! sender cannot move on to another packet before.

/// The expiries of one flow.
#[derive(Debug, Default)]
pub(super) struct Expiries {
    /// Number of expiries.
    total: u32,
    /// The packet that the last one was for, by its first sequence number.
    last_expired_seq: u64,
    /// Number (from 1) of the first expiry for that packet that is not known to be spurious or genuine; 0 if there is
    /// none.
    first_unsettled: u32,
}

impl Expiries {
    /// Number of expiries, with which a data packet is marked when it is sent.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.total
    }

    /// The timer expires for the packet at `seq`, which was `delivered` or not. Returns whether that
    /// is known to be spurious.
    pub(super) fn on_expiry(&mut self, seq: u64, delivered: bool) -> bool {
        self.total += 1;
        if !delivered && (self.first_unsettled == 0 || self.last_expired_seq != seq) {
            (self.first_unsettled, self.last_expired_seq) = (self.total, seq);
        }
        delivered
    }

    /// A copy of the data from `seq` to before `end` arrives that was sent after `mark` expiries. Returns
    /// how many expiries are thereby known to be spurious: the last ones.
    #[inline]
    pub(super) fn on_arrival(&mut self, seq: u64, end: u64, mark: u32) -> u32 {
        if self.first_unsettled == 0 || !(seq..end).contains(&self.last_expired_seq) {
            return 0;
        }
        let others = self.first_unsettled - 1;
        self.first_unsettled = 0;
        self.total - mark.max(others)
    }
}

#[cfg(test)]
mod tests {
    use super::Expiries;

    /// Expires `n` times for the packet at `seq`.
    fn expired(n: u32, seq: u64) -> Expiries {
        let mut expiries = Expiries::default();
        for _ in 0..n {
            assert!(!expiries.on_expiry(seq, false));
        }
        expiries
    }

    #[test]
    fn an_early_copy_shows_all_later_expiries_to_be_spurious() {
        for (mark, spurious) in [(0, 3), (1, 2), (2, 1), (3, 0)] {
            let mut expiries = expired(3, 7);
            assert_eq!(expiries.on_arrival(7, 8, mark), spurious);
            assert_eq!(expiries.on_arrival(7, 8, mark), 0, "once");
        }
    }

    #[test]
    fn other_packets_settle_nothing_and_old_expiries_are_not_of_this_packet() {
        let mut expiries = expired(2, 7);
        assert_eq!(expiries.on_arrival(8, 9, 0), 0);
        assert_eq!(expiries.on_arrival(5, 8, 2), 0);
        assert!(!expiries.on_expiry(9, false));
        assert_eq!(expiries.on_arrival(9, 10, 0), 1);
    }

    #[test]
    fn what_was_delivered_is_known_at_once() {
        let mut expiries = Expiries::default();
        assert!(expiries.on_expiry(4, true));
        assert_eq!((expiries.count(), expiries.on_arrival(4, 5, 0)), (1, 0));
    }
}
