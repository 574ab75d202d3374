//! Dispersion of losses over scales, which distinguishes bursts from independent losses.

use airtcp_core::{Cancel, Stream};

/// Pairs of losses in blocks of 2, 4, 8, ... packets up to half of `n`, after the number of neighbours; `losses` has the
/// numbers of the packets lost, in order. In a block with c losses there are c (c - 1) / 2 pairs: their sum is the
/// dispersion of the counts where the number of losses is given.
#[must_use]
pub fn loss_pairs(losses: &[u64], n: u64) -> Vec<f64> {
    let neighbours = losses.windows(2).filter(|two| two[1] == two[0] + 1).count();
    let mut found = vec![neighbours as f64];
    let mut counts: Vec<(u64, u64)> = losses.iter().map(|at| (*at, 1)).collect();
    let mut length = 2;
    while length <= n / 2 {
        let mut kept = 0;
        for i in 0..counts.len() {
            let (block, count) = (counts[i].0 / 2, counts[i].1);
            if kept > 0 && counts[kept - 1].0 == block {
                counts[kept - 1].1 += count;
            } else {
                counts[kept] = (block, count);
                kept += 1;
            }
        }
        counts.truncate(kept);
        found.push(counts.iter().map(|(_, c)| (*c as f64) * (*c as f64 - 1.0) / 2.0).sum());
        length *= 2;
    }
    found
}

/// Pairs of losses by their distance in `times` orders that are equally likely if losses are independent: as many losses among as many packets.
#[must_use]
pub fn shuffled_pairs(
    lost: u64,
    n: u64,
    times: usize,
    stream: &mut Stream,
    cancel: &Cancel,
) -> Vec<Vec<f64>> {
    let mut taken = vec![0_u64; n.div_ceil(64) as usize];
    // Of losses and arrivals the fewer are drawn.
    let (drawn, flip) = if lost <= n / 2 { (lost, 0) } else { (n - lost, u64::MAX) };
    let mut found = Vec::with_capacity(times);
    while found.len() < times && !cancel.is_set() {
        taken.fill(0);
        let mut left = drawn;
        while left > 0 {
            let at = ((u128::from(stream.next_u64()) * u128::from(n)) >> 64) as u64;
            let (word, bit) = ((at / 64) as usize, 1 << (at % 64));
            left -= u64::from(taken[word] & bit == 0);
            taken[word] |= bit;
        }
        found.push(loss_pairs(&set_bits(&taken, flip, n), n));
    }
    found
}

fn set_bits(words: &[u64], flip: u64, n: u64) -> Vec<u64> {
    let mut found = vec![];
    for (i, word) in words.iter().enumerate() {
        let mut word = word ^ flip;
        while word != 0 {
            let at = 64 * i as u64 + u64::from(word.trailing_zeros());
            if at < n {
                found.push(at);
            }
            word &= word - 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_in_blocks_of_doubling_length() {
        // Blocks of 2: {0, 1}, {3}, {6, 7}; of 4: {0, 1, 3}, {6, 7}.
        assert_eq!(loss_pairs(&[0, 1, 3, 6, 7], 8), [2.0, 2.0, 4.0]);
        assert_eq!(loss_pairs(&[], 8), [0.0; 3]);
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut stream = Stream::new(1, "test", 0);
        for lost in [1, 2, 3] {
            // Of 4 packets 2 lost: 3 of 6 orders have neighbours, 2 of 6 fill a block.
            let found = shuffled_pairs(lost, 4, 30_000, &mut stream, &Cancel::new());
            let share = |i: usize| found.iter().map(|row| row[i]).sum::<f64>() / 30_000.0;
            let expected = [0.0, 0.5, 1.5][lost as usize - 1];
            assert!((share(0) - expected).abs() < 0.015, "{lost}: {}", share(0));
            let filled = [0.0, 1.0 / 3.0, 1.0][lost as usize - 1];
            assert!((share(1) - filled).abs() < 0.015, "{lost}: {}", share(1));
        }
    }
}
