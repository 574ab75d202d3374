//! When each packet that is not acknowledged was first sent. Takes room for what is under way, not
//! for the window.

use airtcp_core::Instant;

/// Instants by packet number, modulo a power of two.
pub(super) struct FirstSent(Vec<Instant>);

impl FirstSent {
    pub(super) fn new() -> Self {
        FirstSent(vec![Instant::START; 16])
    }

    /// How many packets it can remember.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.0.len()
    }

    /// Packet `number` is sent for the first time at `now`; all from `una` on are remembered.
    #[inline]
    pub(super) fn note(&mut self, una: u64, number: u64, now: Instant) {
        if number - una >= self.0.len() as u64 {
            self.grow(una, number);
        }
        let slot = self.slot(number);
        self.0[slot] = now;
    }

    /// When packet `number` was first sent.
    #[inline]
    pub(super) fn of(&self, number: u64) -> Instant {
        self.0[self.slot(number)]
    }

    #[inline]
    fn slot(&self, number: u64) -> usize {
        number as usize & (self.0.len() - 1)
    }

    #[cold]
    fn grow(&mut self, una: u64, number: u64) {
        let room = ((number - una + 1) as usize).next_power_of_two();
        let mut larger = FirstSent(vec![Instant::START; room]);
        for old in una..number {
            let slot = larger.slot(old);
            larger.0[slot] = self.of(old);
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_what_is_outstanding_however_much_that_is() {
        let (mut sent, mut una) = (FirstSent::new(), 0);
        for number in 0..10_000 {
            sent.note(una, number, Instant::from_nanos(number.cast_signed()));
            // Acknowledged in ever longer strides.
            if number % 100 == 99 && number % 3 > 0 {
                una = number - number / 10;
            }
            for n in una..=number {
                assert_eq!(sent.of(n).nanos(), n.cast_signed());
            }
        }
    }
}
