//! Up to four ranges of numbers, as a SACK option holds them.

/// SACK blocks in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    blocks: [(u64, u64); 4],
    count: u8,
}

impl Blocks {
    /// The first four of `blocks`.
    #[must_use]
    pub fn from_slice(blocks: &[(u64, u64)]) -> Self {
        let mut made = Blocks::default();
        blocks.iter().for_each(|block| made.push(*block));
        made
    }

    /// Appends a block; a fifth one is dropped.
    #[inline]
    pub fn push(&mut self, block: (u64, u64)) {
        if let Some(place) = self.blocks.get_mut(usize::from(self.count)) {
            *place = block;
            self.count += 1;
        }
    }

    /// All blocks.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.blocks[..usize::from(self.count)]
    }

    /// Iterates over the blocks mutably.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut (u64, u64)> {
        self.as_mut_slice().iter_mut()
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [(u64, u64)] {
        &mut self.blocks[..usize::from(self.count)]
    }

    /// Number of blocks.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.count.into()
    }

    /// Returns whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Iterates over the blocks.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &(u64, u64)> {
        self.as_slice().iter()
    }

    pub(super) fn truncate(&mut self, most: usize) {
        self.count = self.count.min(most as u8);
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.as_mut_slice()[at..].rotate_left(1);
        self.count -= 1;
    }
}
