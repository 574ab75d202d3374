//! Bookkeeping of discovered states: a queue by weight, and the hash of their codes.

use std::hash::Hasher;

/// The rank of a state that has not been expanded.
pub(super) const UNEXPANDED: u32 = u32::MAX;

/// A queue by weight, in classes a quarter of an octave wide.
pub(super) struct Buckets {
    buckets: Vec<Vec<u32>>,
    /// Upper limit on the buckets that hold something.
    top: usize,
}

impl Buckets {
    pub(super) fn new() -> Self {
        Self { buckets: vec![Vec::new(); 4 * u64::BITS as usize], top: 0 }
    }

    /// The number of a weight's bucket: its highest three bits and their place.
    fn bucket(weight: u64) -> usize {
        let place = weight.max(4).ilog2() - 2;
        4 * place as usize + (weight >> place & 3) as usize
    }

    pub(super) fn raise(&mut self, id: u32, old: u64, new: u64) {
        let bucket = Self::bucket(new);
        if old == 0 || bucket > Self::bucket(old) {
            self.buckets[bucket].push(id);
            self.top = self.top.max(bucket);
        }
    }

    /// A state of the heaviest class; entries of states that have been expanded are dropped.
    pub(super) fn pop(&mut self, rank: &[u32]) -> Option<u32> {
        loop {
            match self.buckets[self.top].pop() {
                Some(id) if rank[id as usize] == UNEXPANDED => return Some(id),
                Some(_) => {}
                None if self.top == 0 => return None,
                None => self.top -= 1,
            }
        }
    }
}

/// Multiplicative hashing of state codes: no seed, so that runs are alike.
#[derive(Default)]
pub(super) struct CodeHasher(u64);

impl Hasher for CodeHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("codes are u64");
    }

    fn write_u64(&mut self, code: u64) {
        let mixed = (code ^ code >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}
