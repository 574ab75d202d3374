//! Packets of a source, sent after the last one that arrived.
//!
//! Each is remembered by when it was sent while they are few. On a way that is dead they grow without end: then neighbours
//! are remembered together, by when the first and the last of them were sent, and taken to be evenly spaced.

use airtcp_core::{Instant, Span};
use std::collections::VecDeque;

/// Groups that are kept at most: an error of one group is then less than 1/1024 of the packets.
const MAX_GROUPS: usize = 2048;

/// Neighbours in the order of sending.
#[derive(Clone, Copy, Debug)]
struct SendGroup {
    first: Instant,
    last: Instant,
    packets: u64,
}

impl SendGroup {
    /// Packets of the group sent up to an instant; exact for a group of one packet.
    fn sent_by(&self, instant: Instant) -> u64 {
        if self.last <= instant {
            return self.packets;
        }
        if instant < self.first {
            return 0;
        }
        let [passed, all] = [instant, self.last].map(|end| (end - self.first).nanos() as f64);
        1 + (passed / all * (self.packets - 1) as f64) as u64
    }

    fn merged_with(self, next: SendGroup) -> SendGroup {
        SendGroup { last: next.last, packets: self.packets + next.packets, ..self }
    }
}

/// The packets, from the oldest on.
#[derive(Debug)]
pub(super) struct PendingPackets {
    groups: VecDeque<SendGroup>,
    /// Packets in a group that is full.
    width: u64,
    total: u64,
}

impl Default for PendingPackets {
    fn default() -> Self {
        PendingPackets { groups: VecDeque::new(), width: 1, total: 0 }
    }
}

impl PendingPackets {
    pub(super) fn len(&self) -> u64 {
        self.total
    }

    /// A packet is sent, not before the last one.
    pub(super) fn push(&mut self, sent: Instant) {
        self.total += 1;
        let group = SendGroup { first: sent, last: sent, packets: 1 };
        match self.groups.back_mut() {
            Some(last) if last.packets < self.width => *last = last.merged_with(group),
            _ => self.open_group(group),
        }
    }

    fn open_group(&mut self, group: SendGroup) {
        if self.groups.len() == MAX_GROUPS {
            self.merge_pairs();
        }
        self.groups.push_back(group);
    }

    /// Takes every two groups together.
    #[cold]
    fn merge_pairs(&mut self) {
        let half = self.groups.len() / 2;
        for n in 0..half {
            self.groups[n] = self.groups[2 * n].merged_with(self.groups[2 * n + 1]);
        }
        self.groups.truncate(half);
        self.width *= 2;
    }

    /// A packet that was sent at an instant has arrived: it is open no longer, nor are those before it.
    pub(super) fn remove_up_to(&mut self, sent: Instant) {
        while let Some(group) = self.groups.front_mut() {
            let closed = group.sent_by(sent);
            self.total -= closed;
            if closed < group.packets {
                if closed > 0 {
                    (group.first, group.packets) = (sent, group.packets - closed);
                }
                return;
            }
            self.groups.pop_front();
        }
        self.width = 1;
    }

    /// Number of packets that were sent more than `wait` before `end`.
    pub(super) fn sent_before(&self, end: Instant, wait: Span) -> u64 {
        self.sent_until(Instant::from_nanos(end.nanos() - wait.nanos() - 1))
    }

    /// Number of packets that were sent before an instant, or at it.
    fn sent_until(&self, instant: Instant) -> u64 {
        let whole = self.groups.partition_point(|group| group.last <= instant);
        let before: u64 = self.groups.iter().take(whole).map(|group| group.packets).sum();
        before + self.groups.get(whole).map_or(0, |group| group.sent_by(instant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(nanos: i64) -> Instant {
        Instant::from_nanos(nanos)
    }

    fn sent(packets: u32, spacing: i64) -> PendingPackets {
        let mut open = PendingPackets::default();
        (0..i64::from(packets)).for_each(|n| open.push(at(n * spacing)));
        open
    }

    #[test]
    fn packets_of_a_dead_way_take_no_room_each() {
        let open = sent(10_000_000, 7);
        assert!(open.groups.len() <= MAX_GROUPS && open.groups.capacity() <= 2 * MAX_GROUPS);
        assert_eq!(open.len(), 10_000_000);
        assert_eq!(open.sent_until(at(7 * 4_999_999)), 5_000_000);
    }

    #[test]
    fn after_an_outage_each_is_remembered_again() {
        let mut open = sent(100_000, 7);
        open.remove_up_to(at(7 * 99_999));
        assert_eq!((open.len(), open.width), (0, 1));
    }

    proptest! {
        #[test]
        fn counts_are_exact_while_they_are_few(
            gaps in prop::collection::vec(0..5_i64, 1..MAX_GROUPS), arrived in 0..5000_i64, asked in 0..5000_i64,
        ) {
            let sums = gaps.iter().scan(0, |now, gap| { *now += gap; Some(*now) });
            let (mut open, times) = (PendingPackets::default(), sums.collect::<Vec<i64>>());
            times.iter().for_each(|time| open.push(at(*time)));
            open.remove_up_to(at(arrived));
            let left = times.iter().filter(|time| **time > arrived);
            prop_assert_eq!(open.len(), left.clone().count() as u64);
            prop_assert_eq!(open.sent_until(at(asked)), left.filter(|t| **t <= asked).count() as u64);
        }

        #[test]
        fn counts_of_many_are_off_by_less_than_a_group(
            gaps in prop::collection::vec(0..5_i64, 4 * MAX_GROUPS..9 * MAX_GROUPS), arrived in 0..40_000_i64, asked in 0..40_000_i64,
        ) {
            let sums = gaps.iter().scan(0, |now, gap| { *now += gap; Some(*now) });
            let (mut open, times) = (PendingPackets::default(), sums.collect::<Vec<i64>>());
            times.iter().for_each(|time| open.push(at(*time)));
            let group = open.width;
            open.remove_up_to(at(arrived));
            let left = times.iter().filter(|time| **time > arrived);
            prop_assert!(open.len().abs_diff(left.clone().count() as u64) < group);
            let asked_of = left.filter(|t| **t <= asked).count() as u64;
            prop_assert!(open.sent_until(at(asked)).abs_diff(asked_of) < 2 * group);
        }
    }
}
