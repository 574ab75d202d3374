//! Data out of order, as runs: pieces that touch are one run.

use std::collections::VecDeque;

/// Numbers that were received beyond a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteRun {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Memory that it takes.
    pub(super) memory: u64,
    /// A FIN ends it.
    pub(super) fin: bool,
}

/// Place of a segment among the data received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// All of it was already queued.
    Duplicate,
    /// Queued; part of it may have been queued before.
    Held { duplicate: Option<(u64, u64)> },
}

/// The runs in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct OutOfOrder {
    runs: VecDeque<ByteRun>,
}

impl OutOfOrder {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The highest number held.
    pub(super) fn end(&self) -> Option<u64> {
        self.runs.back().map(|run| run.end)
    }

    pub(super) fn memory(&self) -> u64 {
        self.runs.iter().map(|run| run.memory).sum()
    }

    /// Takes a segment [rules/receiver.md rule 17].
    pub(super) fn add(&mut self, new: ByteRun) -> Placement {
        // Most follow what came last.
        if let Some(last) = self.runs.back_mut().filter(|last| last.end == new.start) {
            (last.end, last.memory) = (new.end, last.memory + new.memory);
            last.fin |= new.fin;
            return Placement::Held { duplicate: None };
        }
        self.add_by_search(new)
    }

    fn add_by_search(&mut self, new: ByteRun) -> Placement {
        let first = self.runs.partition_point(|run| run.end < new.start);
        let touching = self.runs.iter().skip(first).take_while(|run| run.start <= new.end).count();
        let mut merged = new;
        let mut duplicate: Option<(u64, u64)> = None;
        for run in self.runs.iter().skip(first).take(touching) {
            if run.start <= new.start && new.end <= run.end {
                return Placement::Duplicate;
            }
            let overlap = (run.start.max(new.start), run.end.min(new.end));
            if overlap.0 < overlap.1 {
                // A duplicate that does not touch the first is not reported.
                duplicate.get_or_insert(overlap);
            }
            merged.start = merged.start.min(run.start);
            merged.end = merged.end.max(run.end);
            merged.memory += run.memory;
            merged.fin |= run.fin;
        }
        match touching {
            0 => self.runs.insert(first, merged),
            _ => {
                self.runs[first] = merged;
                self.runs.drain(first + 1..first + touching);
            }
        }
        Placement::Held { duplicate }
    }

    /// The next run that `nxt` reaches.
    pub(super) fn take(&mut self, nxt: u64) -> Option<ByteRun> {
        let reached = self.runs.front().is_some_and(|run| run.start <= nxt);
        if reached { self.runs.pop_front() } else { None }
    }

    /// Shrinks the memory of each run to the least that its bytes need.
    pub(super) fn compact(&mut self, least: impl Fn(u64) -> u64) {
        for run in &mut self.runs {
            run.memory = run.memory.min(least(run.end - run.start));
        }
    }

    /// Drops the highest run.
    pub(super) fn drop_last(&mut self) -> Option<ByteRun> {
        self.runs.pop_back()
    }

    pub(super) fn clear(&mut self) {
        self.runs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: u64, end: u64) -> ByteRun {
        ByteRun { start, end, memory: 1, fin: false }
    }

    #[test]
    fn touching_pieces_are_one_run() {
        let mut held = OutOfOrder::default();
        for (start, end) in [(30, 40), (10, 20), (50, 60)] {
            assert_eq!(held.add(run(start, end)), Placement::Held { duplicate: None });
        }
        assert_eq!(held.add(run(32, 40)), Placement::Duplicate);
        assert_eq!(held.add(run(15, 35)), Placement::Held { duplicate: Some((15, 20)) });
        assert_eq!(held.add(run(40, 50)), Placement::Held { duplicate: None });
        assert_eq!(held.memory(), 5);
        assert_eq!(held.take(9), None);
        let all = ByteRun { memory: 5, ..run(10, 60) };
        assert_eq!(held.take(10), Some(all));
        assert!(held.is_empty());
    }
}
