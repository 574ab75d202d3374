//! RACK: what was delivered last of all that left, and how long it waits for what left before [RFC 8985, section 6].

use crate::segments::Delivery;
use crate::stamp;
use crate::view::View;
use airtcp_core::{Instant, Span};
use airtcp_linux::congestion::CaState;
use airtcp_linux::minmax::MinMax;
use airtcp_linux::sender::{Rack as Recent, Surroundings};
use serde::Serialize;

/// How long a round trip counts for the least one, in ms [RFC 8985 6.2 step 1 asks for a window; Linux has this one].
const MEMORY: u32 = 300_000;

/// What the sender knows and the view does not say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Whether a recovery is under way, after a fast retransmit or a timeout.
    pub(crate) recovering: bool,
    /// The smoothed round trip.
    pub(crate) srtt: Option<Span>,
    /// Whether ACKs echo timestamps.
    pub(crate) timestamps: bool,
}

/// RACK's state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Rack {
    /// `RACK.xmit_ts`, `RACK.end_seq`, `RACK.rtt`, in us.
    #[serde(skip)]
    recent: Recent,
    /// `RACK.min_RTT` in us.
    #[serde(skip)]
    min_rtt: MinMax,
    /// `RACK.fack`.
    fack: u64,
    reordering_seen: bool,
    /// `RACK.reo_wnd` in us, as it was last.
    window: u64,
    /// The reordering timer.
    expiry: Instant,
}

impl Default for Rack {
    fn default() -> Self {
        Rack {
            recent: Recent::default(),
            min_rtt: MinMax::new(0, u32::MAX),
            fack: 0,
            reordering_seen: false,
            window: 0,
            expiry: Instant::NEVER,
        }
    }
}

impl Rack {
    /// Steps 1 to 3: what the ACK at hand delivers.
    pub(crate) fn on_ack(&mut self, view: &View, facts: &Facts) {
        let deliveries = view.segments.deliveries();
        deliveries.iter().filter(|one| !one.again).for_each(|one| self.measure(view.now, one));
        let valid = deliveries.iter().filter(|one| self.is_valid(view, facts, one));
        if let Some(last) = valid.max_by_key(|one| (one.sent, one.end)) {
            let (now, sent, least) = (micros(view.now), micros(last.sent), self.min_rtt.get());
            self.recent.advance(now, sent, last.end, last.again, least);
        }
        deliveries.iter().for_each(|one| self.order(one));
    }

    /// Step 1, of what was sent once [RFC 6298, section 3].
    fn measure(&mut self, now: Instant, one: &Delivery) {
        let rtt = narrow(micros(now) - micros(one.sent));
        self.min_rtt.running_min(MEMORY, stamp::at(now), rtt);
    }

    /// Step 2: whether the ACK is of the last copy, as far as timestamps or the least round trip can tell.
    fn is_valid(&self, view: &View, facts: &Facts, one: &Delivery) -> bool {
        let echoes_earlier = facts.timestamps && stamp::is_before(view.echo, stamp::at(one.sent));
        let too_soon = micros(view.now) - micros(one.sent) < u64::from(self.min_rtt.get());
        !(one.again && (echoes_earlier || too_soon))
    }

    /// Step 3, in ascending order.
    fn order(&mut self, one: &Delivery) {
        self.reordering_seen |= one.end < self.fack && !one.again;
        self.fack = self.fack.max(one.end);
    }

    /// Step 4: `RACK.reo_wnd` in us.
    pub(crate) fn window(&self, view: &View, facts: &Facts) -> u64 {
        let segments = view.segments.reports().total().div_ceil(view.mss.into());
        let srtt8 = facts.srtt.map_or(0, |srtt| 8 * srtt.nanos().cast_unsigned() / 1000);
        self.recent.window(&Surroundings {
            reordering_seen: self.reordering_seen,
            state: if facts.recovering { CaState::Recovery } else { CaState::Open },
            sacked: narrow(segments),
            reordering: view.dupack_threshold,
            min_rtt: self.min_rtt.get(),
            srtt8: narrow(srtt8),
            threshold: true,
        })
    }

    /// Step 5: what is left of the wait for a segment, in us; none if it is not suspected.
    pub(super) fn remaining(
        &self,
        now: Instant,
        sent: Instant,
        end: u64,
        window: u64,
    ) -> Option<i64> {
        self.recent.remaining(micros(now), (micros(sent), end), window)
    }

    /// Section 6.3: the same at a timeout, of whatever is not acknowledged.
    pub(super) fn allowance(&self, now: Instant, sent: Instant) -> i64 {
        self.recent.allowance(micros(now), micros(sent), self.window)
    }

    /// The reordering timer runs for `longest` (us), or is off; the window was `window` at that.
    pub(super) fn wait(&mut self, now: Instant, longest: Option<i64>, window: u64) {
        self.window = window;
        let whole = Instant::from_nanos(now.nanos() / 1000 * 1000);
        self.expiry = longest.map_or(Instant::NEVER, |wait| whole + Span::from_nanos(1000 * wait));
    }

    /// The reordering timer is off.
    pub(crate) fn stop(&mut self) {
        self.expiry = Instant::NEVER;
    }

    #[inline]
    pub(crate) fn expiry(&self) -> Instant {
        self.expiry
    }

    /// Whether the reordering timer runs.
    pub(crate) fn waits(&self) -> bool {
        self.expiry < Instant::NEVER
    }
}

fn micros(at: Instant) -> u64 {
    at.nanos().cast_unsigned() / 1000
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
