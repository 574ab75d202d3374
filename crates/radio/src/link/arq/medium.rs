//! The transmitter, the channel that it sends over, the wire behind it, and a gate that holds
//! transmissions back.

use crate::channel::{Burst, Channel, Fate, Process};
use crate::link::delays::Delays;
use crate::link::holding::Holding;
use crate::rates::Rates;
use airtcp_core::{Airtimes, Instant, Span};

/// One transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
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
    pub(super) delays: Delays<Instant, Span>,
    pub(super) channel: Process,
    pub(super) holding: Holding,
    /// End of the last transmission.
    pub(super) free: Instant,
    pub(super) last_arrival: Instant,
}

impl Medium {
    pub(super) fn send(&mut self, start: Instant, bits: u64) -> Sent {
        let airtime = self.airtime(bits, start);
        let end = start + airtime;
        let direct = end + self.delays.at(start) + self.channel.delay(start);
        // A fragment does not overtake, as in `Hop`.
        let last = self.last_arrival;
        let arrival = if direct < last { last + airtime } else { direct };
        (self.free, self.last_arrival) = (end, arrival);
        Sent { start, airtime, end, arrival, fate: self.channel.fate(Burst { start, end, bits }) }
    }

    /// The first instant from `ready` on at which a transmission may start.
    pub(super) fn open(&mut self, ready: Instant) -> Instant {
        let mut start = self.holding.open(ready);
        let Some(rates) = &mut self.rates else { return start };
        let mut served = Instant::NEVER;
        while start != served {
            served = rates.open(start);
            start = self.holding.open(served);
        }
        start
    }

    /// Bits that `bits` take on the air, what the channel's code adds included.
    pub(super) fn on_air(&self, bits: u64) -> u64 {
        self.channel.bits_on_air(bits)
    }

    fn airtime(&mut self, bits: u64, start: Instant) -> Span {
        let (follows, channel) = (start == self.free, &self.channel);
        let on_air = |bits| channel.bits_on_air(bits);
        match &mut self.rates {
            None => self.airtimes.next(bits, on_air, follows),
            Some(rates) => rates.airtime(start, bits, on_air, follows),
        }
    }
}
