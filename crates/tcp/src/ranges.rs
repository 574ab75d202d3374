//! A set of sequence numbers as disjoint ranges: data that a receiver holds beyond a hole, or that a sender
//! knows to have arrived.

use serde::Serialize;

/// Sorted, disjoint, not touching: `[start, end)` each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RangeSet {
    ranges: Vec<(u64, u64)>,
    total: u64,
}

impl RangeSet {
    /// Adds `[start, end)` and returns how many numbers are new.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
        if start >= end {
            return 0;
        }
        // Most follow what came last.
        if let Some(last) = self.ranges.last_mut().filter(|last| last.1 == start) {
            last.1 = end;
            self.total += end - start;
            return end - start;
        }
        self.insert_by_search(start, end)
    }

    fn insert_by_search(&mut self, start: u64, end: u64) -> u64 {
        let first = self.ranges.partition_point(|r| r.1 < start);
        let last = first + self.ranges[first..].partition_point(|r| r.0 <= end);
        let before = self.total;
        let mut merged = (start, end);
        for range in &self.ranges[first..last] {
            merged = (merged.0.min(range.0), merged.1.max(range.1));
            self.total -= range.1 - range.0;
        }
        self.total += merged.1 - merged.0;
        if first < last {
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..last);
        } else {
            self.ranges.insert(first, merged);
        }
        self.total - before
    }

    /// Forgets every number below `bound`.
    pub fn remove_below(&mut self, bound: u64) {
        let gone = self.ranges.partition_point(|r| r.1 <= bound);
        self.total -= self.ranges.drain(..gone).map(|r| r.1 - r.0).sum::<u64>();
        if let Some(first) = self.ranges.first_mut().filter(|r| r.0 < bound) {
            self.total -= bound - first.0;
            first.0 = bound;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.total = 0;
    }

    /// The range that holds `number`.
    #[must_use]
    pub fn containing(&self, number: u64) -> Option<(u64, u64)> {
        let at = self.ranges.partition_point(|r| r.1 <= number);
        self.ranges.get(at).copied().filter(|r| r.0 <= number)
    }

    /// The smallest number from `floor` on that is missing while a larger one is there.
    #[must_use]
    pub fn first_hole(&self, floor: u64) -> Option<u64> {
        let hole = self.containing(floor).map_or(floor, |r| r.1);
        (hole < self.end()).then_some(hole)
    }

    /// The first run of numbers in `[start, end)` that are missing.
    pub(crate) fn first_gap(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let first = self.containing(start).map_or(start, |range| range.1);
        let next = self.ranges.partition_point(|r| r.0 <= first);
        let until = self.ranges.get(next).map_or(end, |r| r.0.min(end));
        (first < until).then_some((first, until))
    }

    /// The number after the largest; 0 for the empty set.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.ranges.last().map_or(0, |r| r.1)
    }

    /// Number of elements of `[start, end)` in the set.
    #[must_use]
    pub fn count(&self, start: u64, end: u64) -> u64 {
        let first = self.ranges.partition_point(|r| r.1 <= start);
        let overlap = |r: &(u64, u64)| r.1.min(end) - r.0.max(start);
        self.ranges[first..].iter().take_while(|r| r.0 < end).map(overlap).sum()
    }

    /// Number of elements.
    #[must_use]
    #[inline]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns whether the set is empty.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The ranges in order.
    #[must_use]
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// Takes out the first range if it begins at or below `start`, and gives its end.
    #[inline]
    pub(crate) fn take_first(&mut self, start: u64) -> Option<u64> {
        let &(first, end) = self.ranges.first()?;
        if first > start {
            return None;
        }
        self.total -= end - first;
        self.ranges.remove(0);
        Some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_as_a_set_of_numbers() {
        let (mut ranges, mut model) = (RangeSet::default(), BTreeSet::new());
        let mut state = 12345_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (kind, start, len) = (state >> 60, (state >> 40) % 60, (state >> 30) % 6);
            if kind == 0 {
                ranges.remove_below(start);
                model.retain(|&x| x >= start);
            } else if kind < 6 {
                let before = model.len();
                model.extend(start..start + len);
                let new = ranges.insert(start, start + len);
                assert_eq!(new as usize, model.len() - before);
            }
            assert_eq!(ranges.total() as usize, model.len());
            assert_eq!(ranges.end(), model.last().map_or(0, |x| x + 1));
            let hole = (start..ranges.end()).find(|x| !model.contains(x));
            assert_eq!(ranges.first_hole(start), hole);
            let there = model.range(start..start + 2 * len).count();
            let gap = (start..start + 9).find(|x| !model.contains(x));
            let run = |x: u64| (x..start + 9).take_while(|x| !model.contains(x)).count() as u64;
            assert_eq!(ranges.first_gap(start, start + 9), gap.map(|x| (x, x + run(x))));
            assert_eq!(ranges.count(start, start + 2 * len) as usize, there);
            assert_eq!(ranges.containing(start).is_some(), model.contains(&start));
            assert!(ranges.ranges().windows(2).all(|w| w[0].1 < w[1].0));
        }
    }
}
