//! Settings of ns's agents, as far as its own validation suite changes them, under the names that ns gives them (in
//! small letters, without the last underscore). The defaults are those of 1998 to 2000, which profile `ns2` has without
//! them; those of ns 2.35 differ in nearly all.

use airtcp_core::{Duration, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of ns's agents where it leaves a choice [ns 2.35, tcp.cc, tcp-reno.cc, tcp-newreno.cc, tcp-sack1.cc,
/// tcp-sink.cc].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NsSettings {
    /// True if the first packet is a SYN: as long as an ACK.
    pub syn: bool,
    /// True if the window is 1 until the first packet is acknowledged, and `window_init` from then on.
    pub delay_growth: bool,
    /// Initial congestion window, in packets.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub window_init: u32,
    /// Largest number of packets that the window may release on one ACK; 0: no limit.
    #[schemars(range(max = 1_000_000))]
    pub maxburst: u32,
    /// Divisor of the window that gives SACK's threshold of duplicate ACKs where that is larger than the usual one; 0:
    /// not used.
    #[schemars(range(max = 1_000_000))]
    pub numdupacks_frac: u32,
    /// True if the first two duplicate ACKs send new packets (limited transmit).
    pub singledup: bool,
    /// True if a second fast retransmit waits until all is acknowledged that was sent before the last reduction.
    pub bugfix: bool,
    /// True if the loss of packet 1 is repaired by a fast retransmit.
    pub bugfix_ss: bool,
    /// True if NewReno retransmits in spite of `bugfix` where the last ACK covered no more packets than duplicate ACKs make a loss.
    pub bugfix_ack: bool,
    /// True if NewReno retransmits in spite of `bugfix` where the ACK is for all that was sent before the last reduction.
    pub less_careful: bool,
    /// True if only a fast retransmit inflates the window, not every third duplicate ACK.
    pub exit_fast_retrans: bool,
    /// True if half of a window may be a fraction.
    pub precision_reduce: bool,
    /// Retransmission timeout before the first sample.
    pub rtxcur_init: Duration,
    /// Shortest retransmission timeout.
    pub minrto: Duration,
    /// Longest retransmission timeout.
    pub maxrto: Duration,
    /// True if the shortest timeout is doubled too (RFC 2988).
    pub rfc2988: bool,
    /// True if the timer starts with the estimate that includes the current ACK.
    pub timerfix: bool,
    /// True if a timeout without anything outstanding sets the window to 1.
    pub slow_start_restart: bool,
    /// True if a partial ACK makes SACK send two packets whatever the pipe.
    pub partial_ack: bool,
    /// True if SACK begins a recovery with a pipe by the window, not by what is outstanding.
    pub old_code: bool,
    /// True if only the first partial ACK of a recovery starts NewReno's timer (RFC 2582).
    pub newreno_changes1: bool,
    /// True if a partial ACK deflates NewReno's window by what it covers (RFC 2582).
    pub partial_window_deflation: bool,
    /// True if the window is at most the data outstanding when NewReno leaves a recovery.
    pub exit_recovery_fix: bool,
    /// True if both ends use ECN.
    pub ecn: bool,
    /// True if the window grows with ACKs that echo a mark, but the first of a row.
    pub old_ecn: bool,
    /// True if a retransmission may say that the window was reduced (CWR).
    pub set_cwr_on_retransmit: bool,
    /// Longest delay of a delayed ACK (`interval_` of ns's delayed-ACK sink); 0s: every packet is acknowledged at once.
    pub interval: Duration,
    /// True if a packet that fills a part of a hole is acknowledged at once (`RFC2581_immediate_ack_`).
    pub immediate_ack: bool,
    /// True if the first packet is acknowledged at once.
    pub syn_immediate_ack: bool,
}

impl Default for NsSettings {
    fn default() -> Self {
        let seconds = |n: i64| Duration::from_span(Span::from_nanos(n * 1_000_000_000));
        NsSettings {
            syn: false,
            delay_growth: false,
            window_init: 1,
            maxburst: 0,
            numdupacks_frac: 0,
            singledup: false,
            bugfix: true,
            bugfix_ss: false,
            bugfix_ack: false,
            less_careful: false,
            exit_fast_retrans: false,
            precision_reduce: false,
            rtxcur_init: seconds(6),
            minrto: Duration::ZERO,
            maxrto: seconds(64),
            rfc2988: false,
            timerfix: false,
            slow_start_restart: true,
            partial_ack: false,
            old_code: true,
            newreno_changes1: false,
            partial_window_deflation: false,
            exit_recovery_fix: false,
            ecn: false,
            old_ecn: false,
            set_cwr_on_retransmit: true,
            interval: Duration::ZERO,
            immediate_ack: false,
            syn_immediate_ack: false,
        }
    }
}

impl NsSettings {
    /// Initial congestion window, in packets.
    #[must_use]
    pub fn first_window(&self) -> u32 {
        if self.syn && self.delay_growth { 1 } else { self.window_init }
    }

    /// Returns whether all settings are at their defaults, so that packets and ACKs need no checks.
    pub(crate) fn is_plain(&self) -> bool {
        !(self.ecn || self.delay_growth || self.maxburst > 0)
    }

    /// Most packets by the window per ACK.
    pub(crate) fn burst(&self) -> u32 {
        if self.maxburst == 0 { u32::MAX } else { self.maxburst }
    }
}
