//! Named random streams: Philox4x64-10, counter-based, bit-equal to `numpy.random.Philox`.
//!
//! A stream is identified by (seed, name, replication), so that adding a component never changes
//! another's draws, two TCP variants meet the same channel, and results do not depend on threads.
//! Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

const MULTIPLIER: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
const WEYL: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
const ROUNDS: usize = 10;

/// One stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    key: [u64; 2],
    counter: [u64; 4],
    block: [u64; 4],
    words_used: usize,
}

impl Stream {
    /// The stream `name` of replication `replication` under `seed`. In NumPy:
    /// `Philox(key=[seed, fnv1a64(name)], counter=[0, 0, replication, 0])`.
    #[must_use]
    pub fn new(seed: u64, name: &str, replication: u64) -> Self {
        Stream::from_parts([seed, fnv1a64(name)], [0, 0, replication, 0])
    }

    /// The stream with this key and counter, as NumPy's `Philox(key=, counter=)`.
    #[must_use]
    pub fn from_parts(key: [u64; 2], counter: [u64; 4]) -> Self {
        Stream { key, counter, block: [0; 4], words_used: 4 }
    }

    /// A stream of its own for a part of the same component.
    #[must_use]
    pub fn child(&self, part: u64) -> Self {
        let [a, b, replication, above] = self.counter;
        Stream::from_parts(self.key, [a, b, replication, above.wrapping_add(part)])
    }

    /// The draws that belong to `index`: random access, for what is asked about in any order. Index 0 has
    /// the draws of the stream itself.
    #[must_use]
    #[inline]
    pub fn at_index(&self, index: i64) -> Self {
        let [_, _, replication, above] = self.counter;
        Stream::from_parts(self.key, [0, index.cast_unsigned(), replication, above])
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        if self.words_used == 4 {
            self.refill();
        }
        let word = self.block[self.words_used];
        self.words_used += 1;
        word
    }

    /// A uniform number in [0, 1), with 53 random bits, as NumPy's `Generator.random`.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    fn refill(&mut self) {
        increment(&mut self.counter);
        self.block = philox(self.counter, self.key);
        self.words_used = 0;
    }
}

fn increment(counter: &mut [u64; 4]) {
    for word in counter {
        *word = word.wrapping_add(1);
        if *word != 0 {
            return;
        }
    }
}

fn philox(mut counter: [u64; 4], mut key: [u64; 2]) -> [u64; 4] {
    for round in 0..ROUNDS {
        if round > 0 {
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        let (high0, low0) = wide_mul(MULTIPLIER[0], counter[0]);
        let (high1, low1) = wide_mul(MULTIPLIER[1], counter[2]);
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
    }
    counter
}

fn wide_mul(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64, product as u64)
}

/// FNV-1a, 64 bits: a stable hash of a stream's name.
#[must_use]
pub fn fnv1a64(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // numpy.random.Philox(key=[1, 2], counter=[0, 0, 3, 0]).random_raw(5); the Python tests compare
    // with the installed NumPy at length.
    #[test]
    fn the_numbers_are_numpys() {
        let mut stream = Stream::from_parts([1, 2], [0, 0, 3, 0]);
        let expected = [
            0xB80C_6102_9CF2_3FB9,
            0x6948_BA15_3429_F0E5,
            0x0BD6_4A89_CBB0_89F6,
            0xB6C5_9EBA_A3D8_84EC,
            0xBC7A_4FFC_198F_FE21,
        ];
        assert_eq!(expected.map(|_| stream.next_u64()), expected);
    }

    #[test]
    fn streams_of_different_names_and_replications_differ() {
        let first = |name, replication| Stream::new(1, name, replication).next_u64();
        assert_ne!(first("flow0/down/channel", 0), first("flow0/up/channel", 0));
        assert_ne!(first("flow0/down/channel", 0), first("flow0/down/channel", 1));
    }

    #[test]
    fn the_counter_carries() {
        let mut counter = [u64::MAX, u64::MAX, 7, 0];
        increment(&mut counter);
        assert_eq!(counter, [0, 0, 8, 0]);
    }

    #[test]
    fn uniform_numbers_fill_the_unit_interval() {
        let mut stream = Stream::new(7, "test", 0);
        let mean = (0..100_000).map(|_| stream.uniform()).sum::<f64>() / 1e5;
        // Five standard deviations of the mean: sqrt(1/12/1e5) = 0.00091.
        assert!((mean - 0.5).abs() < 0.0046, "{mean}");
    }
}
