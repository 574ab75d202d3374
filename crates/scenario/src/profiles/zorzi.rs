//! Profile `zorzi`: idealised TCP on slots, one timer per packet.
//!
//! - Time is slots of one packet each. The channel moves in every slot, also while the sender is silent [zorzi, section II].
//! - Every arriving packet is acknowledged at once, and the receiver keeps what arrives out of order. ACKs are instant and never
//!   lost; `ack.delay` and `ack.loss_rate` change that.
//! - The window starts at 1, grows by 1 per ACK below the threshold and by 1/W above it, and never exceeds `tcp.window`.
//! - Every packet has a timer of `tcp.timeout` slots, which starts when the packet is first sent, and again when it is sent after
//!   a timeout. Retransmissions do not restart it; there is no backoff. After a timeout the threshold is ceil(W/2), the window
//!   is 1, and the sender resends from the first unacknowledged packet. The timer must outlast a window with a loss:
//!   `timeout >= window`, one more for Reno, NewReno and SACK.
//! - At the K-th duplicate ACK (`tcp.dupacks`) the threshold becomes ceil(W/2) and the window K more than that (Tahoe: 1). Nothing
//!   new is sent during recovery, unless `tcp.inflation` opens the window by one packet per further duplicate ACK [RFC 5681 3.2,
//!   RFC 6582 3.2].

use crate::input_error::InputError;
use airtcp_core::Span;
use airtcp_tcp::{SenderConfig, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP: its variant or congestion control, window, packet lengths and timers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZorziTcp {
    /// TCP variant, which decides how losses are recovered. Example: `"newreno"`.
    pub variant: Variant,
    /// Window that the receiver advertises (`W_max`), in packets. Example: `24`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub window: u32,
    /// Number of duplicate ACKs that trigger a fast retransmit (K). Example: `4`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub dupacks: u32,
    /// Retransmission timeout, in slots (`T_o`). Example: `50`.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub timeout: u32,
    /// True if each duplicate ACK in fast recovery inflates the window by a packet, as in real TCP, so that new
    /// packets are sent. Example: `true`.
    pub inflation: bool,
}

impl ZorziTcp {
    /// The sender of packets of `bits` on slots of `slot`.
    pub(crate) fn sender(&self, slot: Span, bits: u64) -> SenderConfig {
        let timeout = slot * i64::from(self.timeout);
        SenderConfig {
            dupack_threshold: self.dupacks,
            inflation: self.inflation,
            ..SenderConfig::idealized(self.variant, self.window, timeout, bits)
        }
    }

    /// Refuses a timeout that is too short: every slot of a loss window, the ACKs on their way and the retransmission
    /// after them must be over before the first timer ends [zorzi, section IV-E]. Packets that the link repeats
    /// may take longer. A packet takes `fragments` slots, its ACK `delay`.
    pub(crate) fn check(&self, fragments: u64, delay: u32) -> Result<(), InputError> {
        let resend = u32::from(self.variant.capabilities().fast_recovery);
        let packets = u64::from(self.window) + u64::from(resend);
        let least = packets.saturating_mul(fragments).saturating_add(delay.into());
        if u64::from(self.timeout) >= least {
            return Ok(());
        }
        let rule = timeout_rule(resend > 0, fragments, delay > 0);
        let message = format!(
            "{} slots is too short for {} at window {}: at least {least} ({rule})",
            self.timeout,
            self.variant.name(),
            self.window
        );
        Err(InputError::new("tcp.timeout", message))
    }
}

/// Formula of the shortest timeout from the other values, as text for a message.
fn timeout_rule(resends: bool, fragments: u64, delays: bool) -> String {
    let delay = if delays { " + ack.delay" } else { "" };
    match (resends, fragments) {
        (true, 1) => format!("window{delay} + 1"),
        (false, 1) => format!("window{delay}"),
        (true, _) => format!("(window + 1) x {fragments} fragments{delay}"),
        (false, _) => format!("window x {fragments} fragments{delay}"),
    }
}
