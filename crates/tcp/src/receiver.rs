//! The receiver: takes packets in any order, delivers them in order, acknowledges each arrival at
//! once with the next expected number.

use crate::segment::Segment;
use airtcp_core::Instant;
use serde::Serialize;

const WORD: u64 = 64;

/// The receiving end of one connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Receiver {
    next: u64,
    /// Packets held beyond `next`: bit `seq` modulo the capacity.
    held: Box<[u64]>,
    ack_bits: u64,
    owed: u32,
    distinct: u64,
    duplicates: u64,
}

impl Receiver {
    /// A receiver that can hold `window` packets out of order.
    #[must_use]
    pub fn new(window: u32, ack_bits: u64) -> Self {
        let words = u64::from(window).div_ceil(WORD).next_power_of_two();
        let held = vec![0; words as usize].into();
        Receiver { next: 0, held, ack_bits, owed: 0, distinct: 0, duplicates: 0 }
    }

    /// Takes a data packet.
    #[inline]
    pub fn on_segment(&mut self, _now: Instant, segment: &Segment) {
        let Segment::Data { seq, .. } = *segment else { return };
        self.owed += 1;
        if seq == self.next {
            self.distinct += 1;
            self.advance();
        } else if self.fits(seq) && !self.holds(seq) {
            self.distinct += 1;
            self.flip(seq);
        } else {
            self.duplicates += 1;
        }
    }

    /// The ACK that is owed, if any: one per packet taken.
    #[inline]
    pub fn poll_transmit(&mut self, _now: Instant) -> Option<Segment> {
        self.owed = self.owed.checked_sub(1)?;
        Some(Segment::Ack { next: self.next, bits: self.ack_bits })
    }

    /// The next packet expected in order: all before it are delivered.
    #[must_use]
    pub fn next_expected(&self) -> u64 {
        self.next
    }

    /// Packets that arrived for the first time.
    #[must_use]
    pub fn distinct(&self) -> u64 {
        self.distinct
    }

    /// Arrivals of packets that were there already.
    #[must_use]
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    #[inline]
    fn advance(&mut self) {
        self.next += 1;
        while self.holds(self.next) {
            self.flip(self.next);
            self.next += 1;
        }
    }

    fn fits(&self, seq: u64) -> bool {
        seq > self.next && seq - self.next < self.held.len() as u64 * WORD
    }

    #[inline]
    fn holds(&self, seq: u64) -> bool {
        self.held[self.word(seq)] >> (seq % WORD) & 1 == 1
    }

    #[inline]
    fn flip(&mut self, seq: u64) {
        let word = self.word(seq);
        self.held[word] ^= 1 << (seq % WORD);
    }

    fn word(&self, seq: u64) -> usize {
        (seq / WORD) as usize & (self.held.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(receiver: &mut Receiver, seq: u64) -> u64 {
        receiver.on_segment(Instant::START, &Segment::Data { seq, bits: 1 });
        match receiver.poll_transmit(Instant::START) {
            Some(Segment::Ack { next, .. }) => next,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn holes_are_filled_and_duplicates_counted() {
        let mut receiver = Receiver::new(24, 320);
        let acks = [0, 2, 3, 5, 3, 1, 4, 4].map(|seq| take(&mut receiver, seq));
        assert_eq!(acks, [1, 1, 1, 1, 1, 4, 6, 6]);
        assert_eq!((receiver.distinct(), receiver.duplicates()), (6, 2));
    }

    #[test]
    fn packets_beyond_the_buffer_are_not_mistaken_for_held_ones() {
        let mut receiver = Receiver::new(64, 320);
        assert_eq!(take(&mut receiver, 64), 0);
        assert_eq!(take(&mut receiver, 0), 1);
        assert_eq!(receiver.distinct(), 1);
        assert_eq!(take(&mut receiver, 64), 1);
        assert_eq!(receiver.distinct(), 2);
    }
}
