//! Forced losses of the k-th copy of a packet to reach the far end, given by packet number.

use std::collections::BTreeMap;

/// Forced losses: which copies of which packets are lost.
#[derive(Debug, Default)]
pub(crate) struct ForcedLosses(BTreeMap<u64, CopyLosses>);

#[derive(Debug, Default)]
struct CopyLosses {
    copies_seen: u32,
    /// Copies that are lost, counted from 1.
    lost: Vec<u32>,
}

impl ForcedLosses {
    /// Loses the given copies, `(number, copy)`.
    pub(crate) fn new(drop: &[(u64, u32)]) -> Self {
        let mut all = BTreeMap::<u64, CopyLosses>::new();
        for &(number, copy) in drop {
            all.entry(number).or_default().lost.push(copy);
        }
        ForcedLosses(all)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a copy of packet `number`, and says whether it is lost.
    pub(crate) fn loses_copy(&mut self, number: u64) -> bool {
        self.0.get_mut(&number).is_some_and(|copies| {
            copies.copies_seen += 1;
            copies.lost.contains(&copies.copies_seen)
        })
    }
}
