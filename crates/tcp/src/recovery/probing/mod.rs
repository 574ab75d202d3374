//! Variants that probe the path after a loss before they react to it [lahanas reading, section 2]. They work in any
//! profile that has a timer of its own; the threshold after a loss and the growth of the window follow the rules of
//! that profile.
//!
//! A probe cycle begins at the K-th duplicate ACK or at a timeout. No data is sent, and PROBE1 goes out: headers with
//! an option of 8 bytes. Its answer carries the cumulative ACK, which counts as usual but never as a duplicate. The
//! answer to PROBE1 triggers PROBE2, and the answer to PROBE2 a decision. An unanswered probe is sent again, under a
//! new number, after one retransmission timeout without backoff (`bsd`: as many ticks; `ns2`, `rfc`: the timer's
//! current value). An answer to any of these copies counts, with the round trip of that copy. A probe is good if it
//! took at most 1 + `tolerance` times the best round trip of data so far; before any was measured, no probe is good.
//!
//! | variant | both good | only the second | only the first | none |
//! | --- | --- | --- | --- | --- |
//! | `tahoe-probing` | go on | slow start | slow start | slow start |
//! | `reno-probing`, after duplicate ACKs | go on | fast recovery | fast recovery | fast recovery |
//! | `reno-probing`, after a timeout | go on | slow start | slow start | slow start |
//! | `adaptive-probing`, `skip-probing` | go on; at 3/4 if slow start was interrupted | fast recovery | slow start | slow start |
//!
//! *Go on* keeps window and threshold; *fast recovery* halves both; *slow start* sets a window of one segment. Slow
//! start counts as interrupted if the window is at most the threshold and not inflated. After a timeout the whole
//! window is sent again; after duplicate ACKs one segment is, and the window is inflated by K and by one for every
//! duplicate since. The threshold is computed by the profile from the state at the start of the cycle. `skip-probing`
//! probes at duplicate ACKs only if, since the last cycle began, more than `skip_estimates` round trips were measured
//! or more than `skip_interval` has passed.
//!
//! A round trip longer than the timer is measured by the answer to a retransmitted probe, and after a timeout by the
//! ACK of the timed data. Without this rule every window would count as lost on such a path.
//!
//! The ACK that ends an inflation also opens the window, as in BSD. Duplicate ACKs caused by retransmissions may begin
//! another cycle, once there are K of them after the last cycle. If either rule is changed, the number of bytes sent
//! differs from that of an independent implementation by up to 6 standard errors [lahanas reading, section 4].
//!
//! With real packets, both ends announce in their SYN, by an option of 4 bytes, that they answer probes. If the other
//! end does not, as with Linux, `tahoe-probing` behaves as `tahoe`, and the others as `reno`. An answer carries the
//! lower 24 bits of a probe's number and belongs to the latest probe with these bits. A cycle begins only while data or
//! the FIN is outstanding; a FIN waits until the cycle ends. A reset ends a cycle, and so does silence that is long
//! enough to end the connection. A window that closed during a cycle is probed after it.

mod adaptive;
mod decision;
mod outcome;
mod reno;
mod skip;
mod strategy;
mod tahoe;

use adaptive::Adaptive;
use reno::Reno;
use skip::Skip;
use strategy::Probing;
use tahoe::Tahoe;

/// Tahoe-Probing.
pub(super) type TahoeProbing = Probing<Tahoe>;
/// Reno-Probing.
pub(super) type RenoProbing = Probing<Reno>;
/// Adaptive Probing.
pub(super) type AdaptiveProbing = Probing<Adaptive>;
/// Skip-Probing, also called Selective Probing.
pub(super) type SkipProbing = Probing<Skip>;
