//! Rate of delivery, sampled by every ACK [draft-ietf-ccwg-bbr, section 4.1: delivery rate
//! samples]: what was delivered since the newest segment that the ACK covers was sent, by the longer of the time in which it
//! was sent and the time in which it was acknowledged.

use airtcp_core::{Instant, Span};
use serde::Serialize;

/// State of the connection as a segment was sent (P.delivered and the rest).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct DeliverySnapshot {
    delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    app_limited: bool,
    /// Data in flight, this segment included (P.tx_in_flight).
    in_flight: u64,
    lost: u64,
}

/// The sample of one ACK (RS).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RateSample {
    /// Data delivered over the interval.
    pub(crate) delivered: u64,
    pub(crate) interval: Span,
    /// Sequence numbers per second; `None` if the interval is below the least round trip.
    pub(crate) rate: Option<f64>,
    /// True if the application limited the sender, so that the rate is no estimate of the path.
    pub(crate) app_limited: bool,
    /// All that was delivered before the newest segment was sent: a round trip later it has grown by a flight.
    pub(crate) prior_delivered: u64,
    /// RTT of the newest segment, if it was sent once.
    pub(crate) rtt: Option<Span>,
    /// Data in flight when the newest segment was sent.
    pub(crate) sent_in_flight: u64,
    /// Found to be lost since then.
    pub(crate) lost: u64,
}

/// The newest segment that the current ACK delivers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct NewestDelivered {
    snapshot: DeliverySnapshot,
    sent: Instant,
    end: u64,
    rtt: Option<Span>,
}

/// Counters of a connection (C).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RateSampler {
    delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    /// All sent while the application had too little is delivered with so much (C.app_limited).
    app_limited_until: Option<u64>,
    lost: u64,
    min_rtt: Option<Span>,
    newest_delivered: Option<NewestDelivered>,
}

impl RateSampler {
    pub(crate) fn new() -> Self {
        RateSampler {
            delivered: 0,
            delivered_at: Instant::START,
            first_sent: Instant::START,
            app_limited_until: None,
            lost: 0,
            min_rtt: None,
            newest_delivered: None,
        }
    }

    /// Data of `len` leaves; so much was in flight before (`OnPacketSent`).
    pub(crate) fn on_send(&mut self, now: Instant, in_flight: u64, len: u64) -> DeliverySnapshot {
        if in_flight == 0 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        DeliverySnapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited: self.app_limited_until.is_some(),
            in_flight: in_flight + len,
            lost: self.lost,
        }
    }

    /// A segment of `len` that ends before `end` and was `sent` for the last time then is delivered; `once`
    /// if there was no other copy (`UpdateRateSample`).
    pub(crate) fn on_delivery(
        &mut self,
        now: Instant,
        (len, end): (u64, u64),
        (sent, once): (Instant, bool),
        snapshot: DeliverySnapshot,
    ) {
        self.delivered += len;
        self.delivered_at = now;
        let rtt = once.then(|| now - sent);
        if let Some(rtt) = rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        let newer = self.newest_delivered.is_none_or(|newest| {
            sent > self.first_sent || (sent == self.first_sent && end > newest.end)
        });
        if newer {
            self.newest_delivered =
                Some(NewestDelivered { snapshot: DeliverySnapshot { ..snapshot }, sent, end, rtt });
            self.first_sent = sent;
        }
    }

    /// `len` is found to be lost.
    pub(crate) fn on_loss(&mut self, len: u64) {
        self.lost += len;
    }

    /// The application has nothing to send where the window would allow it (`MarkConnectionAppLimited`).
    pub(crate) fn on_idle(&mut self, in_flight: u64) {
        self.app_limited_until = Some((self.delivered + in_flight).max(1));
    }

    /// The rate sample of the current ACK, after its deliveries; `None` if it delivers nothing (`GenerateRateSample`).
    pub(crate) fn sample(&mut self) -> Option<RateSample> {
        self.app_limited_until = self.app_limited_until.filter(|bubble| self.delivered <= *bubble);
        let NewestDelivered { snapshot, sent, rtt, .. } = self.newest_delivered.take()?;
        let sending = sent - snapshot.first_sent;
        let acknowledging = self.delivered_at - snapshot.delivered_at;
        let interval = sending.max(acknowledging);
        let delivered = self.delivered - snapshot.delivered;
        let reliable = interval > Span::ZERO && self.min_rtt.is_none_or(|least| interval >= least);
        Some(RateSample {
            delivered,
            interval,
            rate: reliable.then(|| delivered as f64 / interval.seconds()),
            app_limited: snapshot.app_limited,
            prior_delivered: snapshot.delivered,
            rtt,
            sent_in_flight: snapshot.in_flight,
            lost: self.lost - snapshot.lost,
        })
    }
}
