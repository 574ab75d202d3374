//! SACK blocks of an ACK: first the run around the packet that just arrived, then those
//! that were reported first in earlier ACKs, the latest first [RFC 2018, section 4].

use crate::ranges::RangeSet;
use crate::segment::{Block, MAX_BLOCKS, Sack};
use serde::Serialize;

/// The first blocks of earlier ACKs, the latest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RecentBlocks {
    recent_blocks: Vec<Block>,
    max_blocks: usize,
}

impl RecentBlocks {
    /// Reports at most `most` blocks per ACK, and remembers as many.
    pub(crate) fn new(most: usize) -> Self {
        let most = most.min(MAX_BLOCKS);
        RecentBlocks { recent_blocks: Vec::with_capacity(most + 1), max_blocks: most }
    }

    /// Nothing is missing any more.
    pub(crate) fn clear(&mut self) {
        self.recent_blocks.clear();
    }

    /// The option for the ACK of packet `arrived`: `next` is expected, `held` lies beyond.
    pub(crate) fn sack_blocks(&mut self, arrived: u64, next: u64, held: &RangeSet) -> Sack {
        let mut sack = Sack::default();
        // At or below the cumulative ACK the run is [0, next), which is not reported.
        let run = held.containing(arrived).filter(|_| arrived >= next);
        let newest = run.map_or(Block { start: 0, end: next }, |(start, end)| Block { start, end });
        if run.is_some() {
            sack.push(next, newest);
        }
        self.add_recent_blocks(newest, next, held.end().max(next), &mut sack);
        if run.is_some() {
            self.recent_blocks.insert(0, newest);
            self.recent_blocks.truncate(self.max_blocks);
        }
        sack
    }

    /// Adds remembered blocks while there is room, and forgets those inside `newest`.
    fn add_recent_blocks(&mut self, newest: Block, next: u64, end: u64, sack: &mut Sack) {
        let mut i = 0;
        while sack.len() < self.max_blocks && i < self.recent_blocks.len() {
            let block = self.recent_blocks[i];
            if newest.start <= block.start && block.end <= newest.end {
                self.recent_blocks.remove(i);
                continue;
            }
            if block.end > end {
                return;
            }
            sack.push(next, block);
            i += 1;
        }
    }
}
