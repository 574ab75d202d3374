//! The tail loss probe: one segment where ACKs stay away, so that there is one to detect by [RFC 8985, section 7].

use airtcp_core::{Instant, Span};
use airtcp_linux::sender::{ProbeOutcome, TailProbeEpisode};
use serde::Serialize;

/// `TLP.max_ack_delay`: how long a receiver may wait for a second segment.
const MAX_ACK_DELAY: Span = Span::from_nanos(200_000_000);
/// The timeout without a round trip [RFC 8985 7.2].
const INITIAL_TIMEOUT: Span = Span::from_nanos(1_000_000_000);

/// The timer of the probe, and its episode.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TailProbe {
    /// `TLP.end_seq` and `TLP.is_retrans`.
    #[serde(skip)]
    probe: TailProbeEpisode,
    /// True if a round trip was measured since the last probe.
    rtt_sampled: bool,
    /// PTO.
    expiry: Instant,
}

impl Default for TailProbe {
    fn default() -> Self {
        TailProbe { probe: TailProbeEpisode::default(), rtt_sampled: true, expiry: Instant::NEVER }
    }
}

impl TailProbe {
    /// A recovery begins [7.1].
    pub(crate) fn reset(&mut self) {
        self.probe = TailProbeEpisode::default();
        self.stop();
    }

    /// Starts the timer, to expire no later than the retransmission timer would [7.2].
    pub(crate) fn schedule(
        &mut self,
        now: Instant,
        srtt: Option<Span>,
        alone: bool,
        timeout: Instant,
    ) {
        let delay = if alone { MAX_ACK_DELAY } else { Span::ZERO };
        let wait = srtt.map_or(INITIAL_TIMEOUT, |srtt| srtt * 2 + delay);
        self.expiry = (now + wait).min(timeout);
    }

    /// The timer is off.
    pub(crate) fn stop(&mut self) {
        self.expiry = Instant::NEVER;
    }

    #[inline]
    pub(crate) fn expiry(&self) -> Instant {
        self.expiry
    }

    /// A round trip was measured.
    pub(crate) fn on_sample(&mut self) {
        self.rtt_sampled = true;
    }

    /// Returns whether a probe may leave [7.3].
    pub(crate) fn is_allowed(&self) -> bool {
        self.probe.high_seq.is_none() && self.rtt_sampled
    }

    /// A tail probe leaves, new data or a `retransmission`; SND.NXT is then `end`.
    pub(crate) fn on_send(&mut self, end: u64, retransmission: bool) {
        self.probe = TailProbeEpisode { high_seq: Some(end), retransmission };
        self.rtt_sampled = false;
    }

    /// Takes an ACK of all below `una`, which may be a `duplicate` without blocks, and returns whether the probe has
    /// repaired a loss that the window is to answer [7.4.2]. There are no D-SACKs.
    pub(crate) fn probe_repaired_loss(&mut self, una: u64, duplicate: bool) -> bool {
        let outcome = self.probe.outcome_of_ack(una, false, duplicate);
        if outcome.is_some() {
            self.probe.high_seq = None;
        }
        outcome == Some(ProbeOutcome::Repaired)
    }
}
