//! Counts packets by their sequence numbers, where some are shorter than full ones.
//!
//! With what short packets lack added, every packet has as many sequence numbers as a full one, and a division counts
//! them.

use std::collections::VecDeque;
use std::ops::Range;

/// Division by a number that stays the same, by multiplication.
struct Divisor {
    divisor: u64,
    /// 2^64 / `by`, rounded up.
    inverse: u64,
}

impl Divisor {
    fn new(by: u32) -> Self {
        let by = u64::from(by);
        // Of 1 it does not fit; nobody divides by that.
        Divisor { divisor: by, inverse: (u64::MAX / by).saturating_add(1) }
    }

    /// `number / by`. What the inverse has too much, less than `by`, stays below a unit as long as number * by < 2^64.
    #[inline]
    fn quotient(&self, number: u64) -> u64 {
        if number < self.inverse {
            return ((u128::from(number) * u128::from(self.inverse)) >> 64) as u64;
        }
        number / self.divisor
    }
}

/// A packet that is no full one.
#[derive(Clone, Copy)]
struct ShortPacket {
    /// The sequence number after its last one.
    end: u64,
    /// Bytes missing to full packets, summed up to this packet, modulo 2^64 (a packet may also be longer than a full
    /// one).
    missing: u64,
}

/// The packets of a stream.
#[repr(C)]
pub(super) struct PacketBoundaries {
    full_size: Divisor,
    /// Two places in the stream and how many packets end there or before: the end of the last packet that arrived next,
    /// and how far the stream was acknowledged. Those are asked about next.
    end: KnownCount,
    last_acked: KnownCount,
    /// The sum for all packets before the stored short ones.
    settled_missing: u64,
    /// Short ones, in the order of the stream.
    short_packets: VecDeque<ShortPacket>,
}

/// A place in the stream.
#[derive(Clone, Copy, Default)]
struct KnownCount {
    seq: u64,
    packets_before: u64,
}

impl PacketBoundaries {
    /// A stream whose full packets have `full` sequence numbers.
    pub(super) fn new(full: u32) -> Self {
        PacketBoundaries {
            full_size: Divisor::new(full),
            short_packets: VecDeque::new(),
            settled_missing: 0,
            end: KnownCount::default(),
            last_acked: KnownCount::default(),
        }
    }

    /// Number of packets that end at `seq` or before: the number of the one that begins there.
    #[inline]
    pub(super) fn count_before(&self, seq: u64) -> u64 {
        if self.full_size.divisor == 1 {
            return seq;
        }
        let lack = if self.short_packets.is_empty() {
            self.settled_missing
        } else {
            self.missing_before(seq)
        };
        self.full_size.quotient(seq.wrapping_add(lack))
    }

    /// The numbers of the packets between, which end behind `una` and at `reached` or before.
    #[inline]
    pub(super) fn packet_numbers_between(&mut self, una: u64, reached: u64) -> Range<u64> {
        if self.full_size.divisor == 1 {
            return una..reached;
        }
        let first = self.count_from(self.last_acked, una);
        self.last_acked = KnownCount { seq: reached, packets_before: self.count_before(reached) };
        first..self.last_acked.packets_before
    }

    /// The next packet of the stream is `seq..end`, and all before `una` are acknowledged: its number.
    #[inline]
    pub(super) fn add_next(&mut self, una: u64, seq: u64, end: u64) -> u64 {
        if self.full_size.divisor == 1 {
            return seq;
        }
        let number = self.count_from(self.end, seq);
        self.add(end, end - seq, una);
        self.end = KnownCount { seq: end, packets_before: number + 1 };
        number
    }

    #[inline]
    fn count_from(&self, known: KnownCount, seq: u64) -> u64 {
        debug_assert!(known.seq != seq || known.packets_before == self.count_before(seq));
        if known.seq == seq { known.packets_before } else { self.count_before(seq) }
    }

    /// A packet that ends at `end` adds `new` sequence numbers to the stream; counts below `una` are no longer needed.
    #[inline]
    pub(super) fn add(&mut self, end: u64, new: u64, una: u64) {
        if new != self.full_size.divisor {
            self.add_short(end, self.full_size.divisor.wrapping_sub(new), una);
        }
    }

    /// Bytes missing to full packets, summed over the packets up to `seq`.
    fn missing_before(&self, seq: u64) -> u64 {
        let after = self.short_packets.partition_point(|short| short.end <= seq);
        after.checked_sub(1).map_or(self.settled_missing, |last| self.short_packets[last].missing)
    }

    #[cold]
    fn add_short(&mut self, end: u64, lack: u64, una: u64) {
        while let Some(first) = self.short_packets.front().filter(|short| short.end <= una) {
            self.settled_missing = first.missing;
            self.short_packets.pop_front();
        }
        let place = self.short_packets.partition_point(|short| short.end <= end);
        self.short_packets.insert(place, ShortPacket { end, missing: self.missing_before(end) });
        let behind = self.short_packets.range_mut(place..);
        behind.for_each(|short| short.missing = short.missing.wrapping_add(lack));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let mut state = 1_u64;
        for by in [2, 3, 7, 536, 1448, 1460, 65_535, u32::MAX] {
            let divisor = Divisor::new(by);
            let by = u64::from(by);
            for edge in [0, 1, by - 1, by, by + 1, 1 << 32, (1 << 32) - 1, u64::MAX] {
                assert_eq!(divisor.quotient(edge), edge / by);
            }
            for _ in 0..10_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let number = (state >> 20) / by * by;
                for near in [number.saturating_sub(1), number, number + 1, state >> (state & 63)] {
                    assert_eq!(divisor.quotient(near), near / by, "{near} {by}");
                }
            }
        }
    }

    /// Packets of random lengths that come in random order within a window, beside a list of all of them.
    #[test]
    fn packets_are_counted_whatever_their_lengths() {
        for full in [1, 2, 1448] {
            let (mut packets, mut all) = (PacketBoundaries::new(full), vec![0_u64]);
            let mut state = 1_u64;
            let mut random = |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % below
            };
            let (mut una, mut window) = (0, Vec::new());
            for _ in 0..3000 {
                let len = if random(2) == 0 { full.into() } else { 1 + random(full.into()) };
                let start = *all.last().expect("it has the first");
                all.push(start + len);
                window.push((start, start + len));
                while window.len() > 5 + random(20) as usize {
                    let (start, end) = window.swap_remove(random(window.len() as u64) as usize);
                    packets.add(end, end - start, una);
                }
                let oldest = window.iter().map(|packet| packet.0).min().expect("some are left");
                let first = all.partition_point(|end| *end <= oldest) - 1;
                una = all[first.saturating_sub(random(4) as usize)].max(una);
                assert_eq!(packets.count_before(oldest), first as u64);
                let known = all.partition_point(|end| *end <= una) as u64 - 1;
                assert_eq!(packets.count_before(una), known);
                assert!(
                    full == 1 || packets.short_packets.len() < 100,
                    "room for what is under way"
                );
            }
        }
    }
}
