//! SACK blocks of an ACK [rules/recovery.md B].

/// Blocks in ascending order; at most four are read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Blocks {
    blocks: [Block; 4],
    len: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) dsack: bool,
}

impl Blocks {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn as_slice(&self) -> &[Block] {
        &self.blocks[..self.len]
    }

    /// Keeps the order of starts, and of arrival where they are equal.
    pub(super) fn insert(&mut self, block: Block) {
        let mut at = self.len;
        while at > 0 && self.blocks[at - 1].start > block.start {
            self.blocks[at] = self.blocks[at - 1];
            at -= 1;
        }
        self.blocks[at] = block;
        self.len += 1;
    }
}
