//! Packets on the wire: in the order of their transmissions, or in whatever order they arrive.

use crate::ring::Ring;
use airtcp_core::Instant;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A packet on the wire.
#[derive(Debug)]
pub(super) struct Flight<P> {
    pub(super) arrival: Instant,
    /// Start of the transmission of the packet.
    pub(super) start: Instant,
    /// True if the channel has erased it.
    pub(super) is_lost: bool,
    pub(super) payload: P,
}

/// Packets on the wire.
#[derive(Debug)]
pub(super) enum Flights<P> {
    /// Packets arrive in the order in which they were put there.
    InOrder(Ring<Flight<P>>),
    /// Packets may overtake each other. The number counts packets that were put there before.
    Overtaking(BinaryHeap<NumberedFlight<P>>, u64),
}

/// A packet on the wire, ordered by arrival, and within an instant by transmission. The next one is the greatest.
#[derive(Debug)]
pub(super) struct NumberedFlight<P>(u64, Flight<P>);

impl<P> NumberedFlight<P> {
    fn arrival_order(&self) -> (Instant, u64) {
        (self.1.arrival, self.0)
    }
}

impl<P> PartialEq for NumberedFlight<P> {
    fn eq(&self, other: &Self) -> bool {
        self.arrival_order() == other.arrival_order()
    }
}

impl<P> Eq for NumberedFlight<P> {}

impl<P> PartialOrd for NumberedFlight<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for NumberedFlight<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.arrival_order().cmp(&self.arrival_order())
    }
}

impl<P> Flights<P> {
    pub(super) fn new(overtaking: bool) -> Self {
        if overtaking {
            Flights::Overtaking(BinaryHeap::new(), 0)
        } else {
            Flights::InOrder(Ring::default())
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Flights::InOrder(all) => all.len(),
            Flights::Overtaking(all, _) => all.len(),
        }
    }

    /// All packets on the wire, in any order.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = &Flight<P>> + '_> {
        match self {
            Flights::InOrder(all) => Box::new(all.iter()),
            Flights::Overtaking(all, _) => Box::new(all.iter().map(|numbered| &numbered.1)),
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, flight: Flight<P>) {
        match self {
            Flights::InOrder(all) => all.push(flight),
            Flights::Overtaking(all, number) => {
                all.push(NumberedFlight(*number, flight));
                *number += 1;
            }
        }
    }

    /// Next packet to arrive.
    #[inline(always)]
    pub(super) fn next_to_arrive(&self) -> Option<&Flight<P>> {
        match self {
            Flights::InOrder(all) => all.first(),
            Flights::Overtaking(all, _) => all.peek().map(|numbered| &numbered.1),
        }
    }

    /// Takes the next packet, if it has arrived by `now`.
    #[inline(always)]
    pub(super) fn take_arrived(&mut self, now: Instant) -> Option<Flight<P>> {
        if self.next_to_arrive()?.arrival > now {
            return None;
        }
        match self {
            Flights::InOrder(all) => all.pop(),
            Flights::Overtaking(all, _) => all.pop().map(|numbered| numbered.1),
        }
    }

    /// Passes packets that have not arrived before `at` to `lose`.
    pub(super) fn lose_unarrived(&mut self, at: Instant, mut lose: impl FnMut(P)) {
        match self {
            Flights::InOrder(all) => {
                let mut arrived = Ring::default();
                while let Some(flight) = all.pop() {
                    if flight.arrival < at {
                        arrived.push(flight);
                    } else {
                        lose(flight.payload);
                    }
                }
                *all = arrived;
            }
            Flights::Overtaking(all, _) => {
                let mut sorted = std::mem::take(all).into_sorted_vec();
                sorted.reverse();
                let arrived = sorted.partition_point(|one| one.1.arrival < at);
                sorted.drain(arrived..).for_each(|one| lose(one.1.payload));
                *all = sorted.into();
            }
        }
    }
}
