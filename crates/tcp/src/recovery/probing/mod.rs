//! Variants that probe the path at a loss before they do anything about it [lahanas reading,
//! section 2]. They go by the rules of any source that has a timer of its own: the threshold after a
//! loss and the growth of the window are the source's.
//!
//! At the K-th duplicate ACK or a timeout a cycle begins: no data is sent, and PROBE1 goes out, headers with an option
//! of 8 bytes. Its answer, which carries the cumulative ACK, is used as such, and is no duplicate, brings PROBE2, and
//! the answer to that a decision. A probe without an answer is retransmitted, under a new number, after one
//! retransmission timeout without backoff (`bsd`: so many ticks; `ns2`, `rfc`: the timer's current value); an answer
//! counts whichever of these it is for, with the time of that one. A probe is good if it took no longer than the best
//! round trip of data so far (1 + `tolerance` times as long); before any was measured, none is.
//!
//! | variant | both good | only the second | only the first | none |
//! | --- | --- | --- | --- | --- |
//! | `tahoe-probing` | go on | slow start | slow start | slow start |
//! | `reno-probing`, after duplicate ACKs | go on | fast recovery | fast recovery | fast recovery |
//! | `reno-probing`, after a timeout | go on | slow start | slow start | slow start |
//! | `adaptive-probing`, `skip-probing` | go on; at 3/4 if slow start was interrupted | fast recovery | slow start | slow start |
//!
//! *Go on* keeps window and threshold; *fast recovery* halves both; *slow start* sets a window of one segment. Slow start is
//! interrupted where the window is at most the threshold and not inflated. After a timeout the window is sent again, after duplicate
//! ACKs one segment, with the window inflated by K and by one for every duplicate since. The threshold is the profile's, of the state
//! in which the cycle began. `skip-probing` probes at duplicate ACKs only if more than `skip_estimates` round trips were measured, or
//! more than `skip_interval` has passed, since the last cycle began.
//!
//! A round trip longer than the timer is measured by the answer to a probe that was retransmitted since, and after a timeout by the
//! ACK of the timed data. Without this rule every window would be taken for lost where the round trip is longer than the timer.
//!
//! The ACK that ends an inflation also opens the window, as in BSD. Nothing keeps the duplicates of what is
//! retransmitted from beginning another cycle, once there are K of them after the last one. With either the other way
//! round the bytes sent differ from an independent implementation of the same rules by up to 6 standard errors [lahanas
//! reading, section 4].
//!
//! On real packets the SYN of every end says by an option of 4 bytes that it answers probes, and the answer to a SYN says so too. Where
//! the other end does not, as with Linux, `tahoe-probing` is `tahoe`, and the others are `reno`. An answer has the lower 24 bits of a
//! probe's number, and is to the latest probe that has them. A cycle begins only with data or the FIN outstanding; a FIN waits for its
//! end; a reset ends it, or silence for as long as a connection waits for any answer; a window that closed meanwhile is probed after
//! it.

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
