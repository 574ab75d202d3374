//! Variants that probe the path at a loss before they do anything about it [lahanas reading,
//! section 2]. They go by the rules of any source that has a timer of its own: the threshold after a
//! loss and the growth of the window are the source's.
//!
//! The ACK that ends an inflation also opens the window, as in BSD. Nothing keeps the duplicates of what
//! is sent again from beginning another cycle, once there are K of them after the last one.

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
