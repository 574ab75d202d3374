//! RACK: the delivered segment that left last, and the time to wait for segments that left before it [RFC 8985,
//! section 6].

use crate::scoreboard::Delivery;
use crate::stamp;
use crate::view::View;
use airtcp_core::{Instant, Span};
use airtcp_linux::congestion::CaState;
use airtcp_linux::minmax::MinMax;
use airtcp_linux::sender::{Rack as Recent, RackInput};
use serde::Serialize;

/// Lifetime of a least round trip, in ms [RFC 8985 6.2 step 1 asks for a window; Linux has this one].
const MIN_RTT_WINDOW_MS: u32 = 300_000;

/// State of the sender that RACK needs beside the view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RackContext {
    /// True during a recovery after a fast retransmit or a timeout.
    pub(crate) recovering: bool,
    /// The smoothed round trip.
    pub(crate) srtt: Option<Span>,
    /// True if ACKs echo timestamps.
    pub(crate) timestamps: bool,
}

/// RACK's state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Rack {
    /// `RACK.xmit_ts` and `RACK.rtt` in ns, and the place of that departure.
    #[serde(skip)]
    last_delivered: Recent,
    /// `RACK.min_RTT` in ns.
    #[serde(skip)]
    min_rtt: MinMax<u64>,
    /// `RACK.fack`.
    fack: u64,
    reordering_seen: bool,
    /// `RACK.reo_wnd` in ns, as it was last.
    window: u64,
    /// The reordering timer.
    expiry: Instant,
}

impl Default for Rack {
    fn default() -> Self {
        Rack {
            last_delivered: Recent::default(),
            min_rtt: MinMax::new(0, u64::MAX),
            fack: 0,
            reordering_seen: false,
            window: 0,
            expiry: Instant::NEVER,
        }
    }
}

impl Rack {
    /// Takes the deliveries of the current ACK (steps 1 to 3).
    pub(crate) fn on_ack(&mut self, view: &View, context: &RackContext) {
        let deliveries = view.segments.deliveries();
        deliveries
            .iter()
            .filter(|delivery| !delivery.is_retransmission)
            .for_each(|delivery| self.update_min_rtt(view.now, delivery));
        let valid = deliveries.iter().filter(|delivery| self.is_valid(view, context, delivery));
        if let Some(last) = valid.max_by_key(|delivery| delivery.place) {
            self.last_delivered.advance(nanos(view.now), nanos(last.sent), last.place, false, 0);
        }
        deliveries.iter().for_each(|delivery| self.detect_reordering(delivery));
    }

    /// Measures the round trip (step 1) of a segment that was sent once [RFC 6298, section 3].
    fn update_min_rtt(&mut self, now: Instant, delivery: &Delivery) {
        let rtt = nanos(now) - nanos(delivery.sent);
        self.min_rtt.running_min(MIN_RTT_WINDOW_MS, stamp::timestamp_at(now), rtt);
    }

    /// Returns whether the ACK is for the last transmission (step 2), judged by timestamps or the minimum RTT.
    fn is_valid(&self, view: &View, context: &RackContext, delivery: &Delivery) -> bool {
        let echoes_earlier =
            context.timestamps && stamp::is_before(view.echo, stamp::timestamp_at(delivery.sent));
        let too_soon = nanos(view.now) - nanos(delivery.sent) < self.min_rtt.best_value();
        !(delivery.is_retransmission && (echoes_earlier || too_soon))
    }

    /// Step 3, in ascending order.
    fn detect_reordering(&mut self, delivery: &Delivery) {
        self.reordering_seen |= delivery.end < self.fack && !delivery.is_retransmission;
        self.fack = self.fack.max(delivery.end);
    }

    /// Step 4: `RACK.reo_wnd` in ns.
    pub(crate) fn window(&self, view: &View, context: &RackContext) -> u64 {
        let segments = view.segments.sacked_ranges().total().div_ceil(view.mss.into());
        let surroundings = RackInput {
            reordering_seen: self.reordering_seen,
            state: if context.recovering { CaState::Recovery } else { CaState::Open },
            sacked: u32::try_from(segments).unwrap_or(u32::MAX),
            reordering: view.dupack_threshold,
            uses_threshold: true,
        };
        let srtt = context.srtt.map_or(0, |srtt| srtt.nanos().cast_unsigned());
        if surroundings.uses_zero_window() { 0 } else { (self.min_rtt.best_value() / 4).min(srtt) }
    }

    /// Rest of the wait for a segment (step 5), by the time at which it left and its place, in ns; `None` if it is not
    /// suspected.
    pub(super) fn remaining(
        &self,
        now: Instant,
        (sent, place): (Instant, u64),
        window: u64,
    ) -> Option<i64> {
        self.last_delivered.remaining(nanos(now), (nanos(sent), place), window)
    }

    /// Section 6.3: the same at a timeout, of whatever is not acknowledged.
    pub(super) fn reordering_allowance(&self, now: Instant, sent: Instant) -> i64 {
        self.last_delivered.reordering_allowance(nanos(now), nanos(sent), self.window)
    }

    /// The reordering timer runs for `longest` (ns), or is off; the window was `window` at that.
    pub(super) fn arm_timer(&mut self, now: Instant, longest: Option<i64>, window: u64) {
        self.window = window;
        self.expiry = longest.map_or(Instant::NEVER, |wait| now + Span::from_nanos(wait));
    }

    /// The reordering timer is off.
    pub(crate) fn stop(&mut self) {
        self.expiry = Instant::NEVER;
    }

    #[inline]
    pub(crate) fn expiry(&self) -> Instant {
        self.expiry
    }

    /// Returns whether the reordering timer runs.
    pub(crate) fn is_armed(&self) -> bool {
        self.expiry < Instant::NEVER
    }
}

fn nanos(at: Instant) -> u64 {
    at.nanos().cast_unsigned()
}
