//! Settings of ns's agents, as far as its own validation suite changes them, under the names that ns gives them (in
//! small letters, without the last underscore). The defaults are those of 1998 to 2000, which profile `ns2` has without
//! them; those of ns 2.35 differ in nearly all.

use airtcp_core::{Duration, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Optional settings of the TCP agents of ns, in small letters without the last underscore [ns 2.35, tcp.cc, tcp-reno.cc, tcp-newreno.cc, tcp-sack1.cc,
/// tcp-sink.cc].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NsSettings {
    /// True if the first packet is a SYN: as long as an ACK. Example: `true`.
    pub syn: bool,
    /// True if the window is 1 packet until the first packet is acknowledged, and `window_init` from then on.
    /// Example: `true`.
    pub delay_growth: bool,
    /// Initial congestion window, in packets. Example: `2`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub window_init: u32,
    /// Largest number of packets that one ACK may release; 0: no limit. Example: `4`.
    #[schemars(range(max = 1_000_000))]
    pub maxburst: u32,
    /// Divisor of the window, for SACK: the threshold of duplicate ACKs is the window in packets divided by this, if
    /// that is more than the usual threshold; 0: not used. Example: `4`.
    #[schemars(range(max = 1_000_000))]
    pub numdupacks_frac: u32,
    /// True if each of the first two duplicate ACKs sends a new packet (limited transmit). Example: `true`.
    pub singledup: bool,
    /// True if no second fast retransmit happens until everything sent before the last reduction of the window is
    /// acknowledged. Example: `false`.
    pub bugfix: bool,
    /// True if the loss of packet 1 is repaired by a fast retransmit. Example: `true`.
    pub bugfix_ss: bool,
    /// True if NewReno makes a fast retransmit in spite of `bugfix` when the last ACK covered no more packets than
    /// the threshold of duplicate ACKs. Example: `true`.
    pub bugfix_ack: bool,
    /// True if NewReno makes a fast retransmit in spite of `bugfix` when the ACK covers exactly what was sent before
    /// the last reduction of the window. Example: `true`.
    pub less_careful: bool,
    /// True if only a fast retransmit inflates the window, not every third duplicate ACK. Example: `true`.
    pub exit_fast_retrans: bool,
    /// True if halving the window may leave a fraction of a packet. Example: `true`.
    pub precision_reduce: bool,
    /// Retransmission timeout before the first round-trip sample. Example: `"3s"`.
    pub rtxcur_init: Duration,
    /// Shortest retransmission timeout. Example: `"1s"`.
    pub minrto: Duration,
    /// Longest retransmission timeout. Example: `"60s"`.
    pub maxrto: Duration,
    /// True if backoff doubles the shortest timeout too (RFC 2988). Example: `true`.
    pub rfc2988: bool,
    /// True if an ACK updates the round-trip estimate before it restarts the timer. Example: `true`.
    pub timerfix: bool,
    /// True if a timeout with nothing outstanding sets the window to 1 packet. Example: `false`.
    pub slow_start_restart: bool,
    /// True if SACK sends two packets on each partial ACK, whatever the pipe. Example: `true`.
    pub partial_ack: bool,
    /// True if SACK, at the start of a recovery, sets pipe from the window, not from the data outstanding. Example:
    /// `false`.
    pub old_code: bool,
    /// True if only the first partial ACK of a recovery restarts NewReno's timer (RFC 2582). Example: `true`.
    pub newreno_changes1: bool,
    /// True if a partial ACK reduces NewReno's inflated window by the amount it acknowledges (RFC 2582). Example:
    /// `true`.
    pub partial_window_deflation: bool,
    /// True if NewReno leaves a recovery with a window no larger than the data outstanding. Example: `true`.
    pub exit_recovery_fix: bool,
    /// True if both ends use ECN. Example: `true`.
    pub ecn: bool,
    /// True if the window also grows on ACKs that echo a mark, except the first of a run of them. Example: `true`.
    pub old_ecn: bool,
    /// True if a retransmission may carry CWR, the flag that reports a reduced window. Example: `true`.
    pub set_cwr_on_retransmit: bool,
    /// Longest delay of a delayed ACK (`interval_` of ns's delayed-ACK sink); 0s: every packet is acknowledged at
    /// once. Example: `"100ms"`.
    pub interval: Duration,
    /// True if a packet that fills part of a gap is acknowledged at once (`RFC2581_immediate_ack_`). Example: `true`.
    pub immediate_ack: bool,
    /// True if the first packet is acknowledged at once. Example: `true`.
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
