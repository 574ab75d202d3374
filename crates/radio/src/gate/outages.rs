//! Outages of a link: the times at which it is down.

use airtcp_core::{Cancel, Instant};

/// The link is down in `[down, up)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// First instant at which it is down.
    pub down: Instant,
    /// First instant at which it is up again.
    pub up: Instant,
}

impl Outage {
    /// The outage that never comes, after the last one.
    pub const NEVER: Outage = Outage { down: Instant::NEVER, up: Instant::NEVER };
}

/// The outages of a sample path, in order and apart from each other; after the last one
/// [`Outage::NEVER`].
pub trait Outages: std::fmt::Debug + Send {
    /// The next one.
    fn next(&mut self) -> Outage;

    /// Allows the process to skip outages that are over at `now`.
    fn skip_past(&mut self, _now: Instant) {}

    /// Lets calls return soon after `cancel` is set; their results are then meaningless.
    fn watch(&mut self, _cancel: &Cancel) {}
}
