//! The transmitter, the channel that it sends over, the wire behind it, and a gate that holds
//! transmissions back.

use crate::channel::{Channel, Fate, Process, Transmission};
use crate::link::delays::DelaySchedule;
use crate::link::holding::StartConstraint;
use crate::rates::Rates;
use airtcp_core::{Airtimes, Instant, Span};

/// One transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct FragmentTransmission {
    pub(super) start: Instant,
    pub(super) airtime: Span,
    pub(super) end: Instant,
    /// Time at which the transmission reaches the far end.
    pub(super) arrival: Instant,
    pub(super) fate: Fate,
}

#[derive(Debug)]
pub(super) struct Medium {
    pub(super) airtimes: Airtimes,
    /// Rates that change with time, in its place.
    pub(super) rates: Option<Box<Rates>>,
    pub(super) delays: DelaySchedule<Instant, Span>,
    pub(super) channel: Process,
    pub(super) holding: StartConstraint,
    /// End of the last transmission.
    pub(super) idle_from: Instant,
    pub(super) last_arrival: Instant,
}

impl Medium {
    pub(super) fn send(&mut self, start: Instant, bits: u64) -> FragmentTransmission {
        let airtime = self.airtime(bits, start);
        let end = start + airtime;
        let direct = end + self.delays.delay_at(start) + self.channel.delay(start);
        // A fragment does not overtake, as in `Hop`.
        let last = self.last_arrival;
        let arrival = if direct < last { last + airtime } else { direct };
        (self.idle_from, self.last_arrival) = (end, arrival);
        FragmentTransmission {
            start,
            airtime,
            end,
            arrival,
            fate: self.channel.fate_of(Transmission { start, end, bits }),
        }
    }

    /// The first instant from `ready` on at which a transmission may start.
    pub(super) fn earliest_start(&mut self, ready: Instant) -> Instant {
        let mut start = self.holding.earliest_start(ready);
        let Some(rates) = &mut self.rates else { return start };
        let mut served = Instant::NEVER;
        while start != served {
            served = rates.earliest_start(start);
            start = self.holding.earliest_start(served);
        }
        start
    }

    /// Bits that `bits` take on the air, what the channel's code adds included.
    pub(super) fn coded_bits(&self, bits: u64) -> u64 {
        self.channel.bits_on_air(bits)
    }

    fn airtime(&mut self, bits: u64, start: Instant) -> Span {
        let (follows, channel) = (start == self.idle_from, &self.channel);
        let on_air = |bits| channel.bits_on_air(bits);
        match &mut self.rates {
            None => self.airtimes.next_airtime(bits, on_air, follows),
            Some(rates) => rates.airtime(start, bits, on_air, follows),
        }
    }
}
