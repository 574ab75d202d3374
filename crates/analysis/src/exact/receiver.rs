//! The receiver's out-of-order buffer.
//!
//! Bit `j - 1` of a mask says that packet `una + j` is held, where `una` is the next packet the
//! receiver expects. The receiver forgets nothing, so a mask outlives the cycle that filled it.

/// Packets held beyond the next expected one.
pub(super) type Mask = u64;

/// Packet `una + offset` as a mask.
pub(super) fn bit_at(offset: u32) -> Mask {
    1 << (offset - 1)
}

/// Offset of the first packet after `una` that the receiver misses.
pub(super) fn next_hole(mask: Mask) -> u32 {
    hole_after(mask, 0)
}

/// Offset of the first packet after `una + offset` that the receiver misses.
pub(super) fn hole_after(mask: Mask, offset: u32) -> u32 {
    offset + (mask >> offset).trailing_ones() + 1
}

/// The mask once `una` has arrived: `una` moves to the next hole.
pub(super) fn advance(mask: Mask) -> Mask {
    mask >> next_hole(mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn una_moves_past_what_is_held() {
        assert_eq!(advance(0), 0);
        assert_eq!(advance(0b1), 0);
        assert_eq!(advance(0b10), 0b1);
        assert_eq!(advance(0b1_0111), 0b1);
        assert_eq!(next_hole(0b0111), 4);
        assert_eq!([0, 1, 2, 4].map(|offset| hole_after(0b1011, offset)), [3, 3, 3, 5]);
    }
}
