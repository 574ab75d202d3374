//! The bytes that have arrived and that the application has not read.

use std::collections::VecDeque;

/// Bytes from the first unread one on; bytes that have not arrived are 0. The receiver knows which of them may
/// be read.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    from: u64,
    bytes: VecDeque<u8>,
}

impl Incoming {
    /// Position of the first unread byte.
    pub(super) fn from(&self) -> u64 {
        self.from
    }

    /// Stores the part of a payload at position `at` that lies in `[next, limit)`.
    pub(super) fn store(&mut self, at: i64, payload: &[u8], next: u64, limit: u64) {
        let (next, limit) = (next.max(self.from).cast_signed(), limit.cast_signed());
        let (start, end) = (at.max(next), (at + payload.len() as i64).min(limit));
        if start >= end {
            return;
        }
        let part = &payload[(start - at) as usize..(end - at) as usize];
        let first = (start - self.from.cast_signed()) as usize;
        let last = first + part.len();
        if last > self.bytes.len() {
            self.bytes.resize(last, 0);
        }
        self.bytes.range_mut(first..last).zip(part).for_each(|(place, byte)| *place = *byte);
    }

    /// Moves the first bytes to `data`; they must have arrived.
    pub(super) fn take(&mut self, data: &mut [u8]) {
        let amount = data.len();
        self.from += amount as u64;
        for (place, byte) in data.iter_mut().zip(self.bytes.drain(..amount)) {
            *place = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_out_of_order_is_read_in_order() {
        let mut incoming = Incoming::default();
        incoming.store(3, &[4, 5, 6], 0, 100);
        incoming.store(-1, &[9, 1, 2, 3], 0, 100);
        let mut read = [0; 6];
        incoming.take(&mut read[..4]);
        incoming.store(2, &[9, 9, 9], 4, 100); // All of it is there, or was read.
        incoming.store(5, &[6, 7, 8], 4, 7);
        incoming.take(&mut read[4..]);
        assert_eq!((read, incoming.from(), incoming.bytes.len()), ([1, 2, 3, 4, 9, 6], 6, 1));
    }
}
