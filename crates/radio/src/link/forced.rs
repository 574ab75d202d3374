//! Forced losses of the k-th copy of a packet to reach the far end, given by packet number.

use std::collections::BTreeMap;

/// Copies of packets that are lost by order.
#[derive(Debug, Default)]
pub(crate) struct Forced(BTreeMap<u64, Copies>);

#[derive(Debug, Default)]
struct Copies {
    seen: u32,
    /// Copies that are lost, counted from 1.
    lost: Vec<u32>,
}

impl Forced {
    /// Loses the given copies, `(number, copy)`.
    pub(crate) fn new(drop: &[(u64, u32)]) -> Self {
        let mut all = BTreeMap::<u64, Copies>::new();
        for &(number, copy) in drop {
            all.entry(number).or_default().lost.push(copy);
        }
        Forced(all)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a copy of packet `number`, and says whether it is lost.
    pub(crate) fn takes(&mut self, number: u64) -> bool {
        self.0.get_mut(&number).is_some_and(|copies| {
            copies.seen += 1;
            copies.lost.contains(&copies.seen)
        })
    }
}
