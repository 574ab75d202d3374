//! The exit of the node that sends: what is lost there takes no airtime.

use crate::channel::{Burst, Channel, Fate, Process};
use airtcp_core::{Cancel, Instant, Span};

/// What loses packets before they come to the queue, if anything does.
#[derive(Debug)]
pub(super) struct Exit(Option<Box<Process>>);

impl Exit {
    pub(super) fn new(process: Option<Process>) -> Self {
        Exit(process.map(Box::new))
    }

    pub(super) fn watch(&mut self, cancel: &Cancel) {
        self.0.iter_mut().for_each(|exit| exit.watch(cancel));
    }

    /// Whether a packet that is sent at `now` does not even get to the queue.
    #[inline(always)]
    pub(super) fn loses(&mut self, now: impl FnOnce() -> Instant, bits: u64) -> bool {
        let Some(exit) = &mut self.0 else { return false };
        let now = now();
        let end = now + Span::from_nanos(1);
        exit.fate(Burst { start: now, end, bits }) == Fate::Erased
    }
}
