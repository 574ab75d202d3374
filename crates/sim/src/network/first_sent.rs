//! Times at which each packet that is not acknowledged was first sent. They take memory for packets under way, not
//! for the window.

use airtcp_core::Instant;

/// Instants by packet number, modulo a power of two.
pub(super) struct FirstSendTimes {
    instants: Vec<Instant>,
    /// Oldest packet that is still stored.
    oldest: u64,
}

impl FirstSendTimes {
    pub(super) fn new() -> Self {
        FirstSendTimes { instants: vec![Instant::START; 16], oldest: 0 }
    }

    /// Number of packets that can be stored.
    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.instants.len()
    }

    /// Stores that packet `number` is sent for the first time at `now`; packets from `una` on stay stored.
    #[inline]
    pub(super) fn record(&mut self, number: u64, now: Instant, una: impl FnOnce() -> u64) {
        if number - self.oldest >= self.instants.len() as u64 {
            self.drop_acknowledged(una(), number);
        }
        let slot = self.slot_of(number);
        self.instants[slot] = now;
    }

    /// Time at which packet `number` was first sent.
    #[inline]
    pub(super) fn time_of(&self, number: u64) -> Instant {
        self.instants[self.slot_of(number)]
    }

    #[inline]
    fn slot_of(&self, number: u64) -> usize {
        number as usize & (self.instants.len() - 1)
    }

    fn drop_acknowledged(&mut self, una: u64, number: u64) {
        self.oldest = una;
        if number - una >= self.instants.len() as u64 {
            self.grow(una, number);
        }
    }

    #[cold]
    fn grow(&mut self, una: u64, number: u64) {
        let capacity = ((number - una + 1) as usize).next_power_of_two();
        let mut larger = FirstSendTimes { instants: vec![Instant::START; capacity], oldest: una };
        for old in una..number {
            let slot = larger.slot_of(old);
            larger.instants[slot] = self.time_of(old);
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_what_is_outstanding_however_much_that_is() {
        let (mut sent, mut una) = (FirstSendTimes::new(), 0);
        for number in 0..10_000 {
            sent.record(number, Instant::from_nanos(number.cast_signed()), || una);
            // Acknowledged in ever longer strides.
            if number % 100 == 99 && number % 3 > 0 {
                una = number - number / 10;
            }
            for n in una..=number {
                assert_eq!(sent.time_of(n).nanos(), n.cast_signed());
            }
        }
    }
}
