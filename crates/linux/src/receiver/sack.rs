//! Reports of data out of order: the list of blocks, and a duplicate.

use super::Blocks;

/// The blocks of an ACK with timestamps, and without.
const BLOCKS_WITH_TIMESTAMPS: usize = 3;
const BLOCKS_WITHOUT_TIMESTAMPS: usize = 4;
/// Blocks up to which new data do not end ACK compression.
const EXPECTED_BLOCKS: usize = 2;

/// State of SACK at the receiver.
#[derive(Clone, Debug, Default)]
pub(super) struct Sack {
    /// SACK was negotiated.
    pub(super) is_enabled: bool,
    /// True if duplicates are reported by D-SACK [sysctl `tcp_dsack`].
    pub(super) dsack_enabled: bool,
    blocks: Blocks,
    dsack: Option<(u64, u64)>,
}

/// Joins `block` with a range that touches it.
fn extend(block: &mut (u64, u64), start: u64, end: u64) -> bool {
    let touches = start <= block.1 && block.0 <= end;
    if touches {
        *block = (block.0.min(start), block.1.max(end));
    }
    touches
}

impl Sack {
    pub(super) fn new(on: bool, duplicates: bool) -> Self {
        Sack { is_enabled: on, dsack_enabled: duplicates, ..Sack::default() }
    }

    /// Returns whether a compressed ACK has to leave before the list takes this range [rules/receiver.md rule 17].
    pub(super) fn is_new_block(&self, start: u64, end: u64) -> bool {
        let touched = self.blocks.iter().position(|(s, e)| start <= *e && *s <= end);
        self.is_enabled && touched.unwrap_or(self.blocks.len()) >= EXPECTED_BLOCKS
    }

    /// Takes a range out of order [rules/receiver.md rule 17].
    pub(super) fn add(&mut self, start: u64, end: u64) {
        if !self.is_enabled {
            return;
        }
        let list = self.blocks.as_mut_slice();
        if let [only] = list
            && extend(only, start, end)
        {
            return;
        }
        if let Some(at) = list.iter_mut().position(|block| extend(block, start, end)) {
            list[..=at].rotate_right(1);
            self.merge();
            return;
        }
        self.blocks.truncate(3);
        self.blocks.push((start, end));
        self.blocks.as_mut_slice().rotate_right(1);
    }

    /// Merges into the first block those that it touches now.
    fn merge(&mut self) {
        let mut at = 1;
        while at < self.blocks.len() {
            let (start, end) = self.blocks.as_slice()[at];
            if extend(&mut self.blocks.as_mut_slice()[0], start, end) {
                self.blocks.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Removes blocks covered by the cumulative ACK [rules/receiver.md rule 18].
    pub(super) fn advance(&mut self, nxt: u64, nothing_held: bool) {
        if nothing_held {
            self.blocks.truncate(0);
        }
        let mut at = 0;
        while at < self.blocks.len() {
            if self.blocks.as_slice()[at].0 <= nxt {
                self.blocks.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Forgets all blocks: their data were dropped.
    pub(super) fn clear(&mut self) {
        self.blocks.truncate(0);
    }

    /// Notes a duplicate.
    pub(super) fn set_dsack(&mut self, start: u64, end: u64) {
        if self.is_enabled && self.dsack_enabled {
            self.dsack = Some((start, end));
        }
    }

    /// Notes a duplicate, which extends the noted one where both touch.
    pub(super) fn extend_dsack(&mut self, start: u64, end: u64) {
        match &mut self.dsack {
            Some(known) => {
                extend(known, start, end);
            }
            None => self.set_dsack(start, end),
        }
    }

    /// Clears an unreported D-SACK at a new data segment [rules/receiver.md rule 16].
    pub(super) fn clear_dsack(&mut self) {
        self.dsack = None;
    }

    /// The highest end of a block.
    pub(super) fn highest(&self) -> Option<u64> {
        self.blocks.iter().map(|(_, end)| *end).max()
    }

    /// Blocks that an ACK would carry now.
    pub(super) fn pending(&self, timestamps: bool) -> usize {
        let most = if timestamps { BLOCKS_WITH_TIMESTAMPS } else { BLOCKS_WITHOUT_TIMESTAMPS };
        (self.blocks.len() + usize::from(self.dsack.is_some())).min(most)
    }

    /// Takes the blocks for an ACK; a D-SACK is sent only once [rules/receiver.md rule 19].
    pub(super) fn take(&mut self, timestamps: bool) -> Blocks {
        let mut blocks = Blocks::default();
        let most = self.pending(timestamps);
        if most == 0 {
            return blocks;
        }
        self.dsack.take().into_iter().for_each(|block| blocks.push(block));
        self.blocks.iter().for_each(|block| blocks.push(*block));
        blocks.truncate(most);
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sack() -> Sack {
        Sack { is_enabled: true, dsack_enabled: true, ..Sack::default() }
    }

    #[test]
    fn the_latest_block_comes_first_and_touching_ones_merge() {
        let mut sack = sack();
        for range in [(10, 11), (20, 21), (30, 31)] {
            sack.add(range.0, range.1);
        }
        assert_eq!(sack.blocks.as_slice(), [(30, 31), (20, 21), (10, 11)]);
        assert!(sack.is_new_block(11, 12), "the third block is touched");
        assert!(!sack.is_new_block(21, 22), "the second is");
        assert!(sack.is_new_block(50, 51), "a fourth one is made");
        sack.add(11, 12);
        assert_eq!(sack.blocks.as_slice(), [(10, 12), (30, 31), (20, 21)]);
        sack.add(12, 20);
        assert_eq!(sack.blocks.as_slice(), [(10, 21), (30, 31)]);
    }

    #[test]
    fn a_fifth_block_pushes_the_oldest_out() {
        let mut sack = sack();
        (1..=5).for_each(|n| sack.add(10 * n, 10 * n + 1));
        assert_eq!(sack.blocks.as_slice(), [(50, 51), (40, 41), (30, 31), (20, 21)]);
        sack.advance(30, false);
        assert_eq!(sack.blocks.as_slice(), [(50, 51), (40, 41)]);
        sack.advance(51, true);
        assert!(sack.blocks.is_empty());
    }

    #[test]
    fn a_duplicate_is_told_once_and_first() {
        let mut sack = sack();
        (1..=4).for_each(|n| sack.add(10 * n, 10 * n + 1));
        sack.set_dsack(1, 2);
        sack.extend_dsack(2, 3);
        sack.extend_dsack(7, 8);
        let blocks = [(1, 3), (40, 41), (30, 31)];
        assert_eq!(sack.take(true).as_slice(), blocks);
        assert_eq!(sack.take(false).len(), 4);
        assert_eq!(sack.take(true).as_slice()[0], (40, 41));
    }

    #[test]
    fn nothing_is_told_without_sack() {
        let mut sack = Sack::default();
        sack.add(10, 11);
        sack.set_dsack(1, 2);
        assert!(sack.take(false).is_empty() && !sack.is_new_block(1, 2));
    }
}
