//! Exit of the sending node. Packets lost there take no airtime, and packets marked there are marked before the queue.

use crate::channel::{ChainTally, Channel, Fate, Process, Transmission};
use airtcp_core::{Cancel, Instant, Payload, Span};

/// Process that loses packets before they come to the queue, and the one that marks them, if there are any.
#[derive(Debug)]
pub(super) struct ExitLosses(Option<Box<ExitProcesses>>);

#[derive(Debug)]
struct ExitProcesses {
    losses: Process,
    marks: Process,
}

impl ExitLosses {
    pub(super) fn new(losses: Option<Process>, marks: Option<Process>) -> Self {
        let acts = losses.is_some() || marks.is_some();
        let or_none = |one: Option<Process>| one.unwrap_or(Process::Perfect);
        let both = || ExitProcesses { losses: or_none(losses), marks: or_none(marks) };
        ExitLosses(acts.then(both).map(Box::new))
    }

    pub(super) fn watch(&mut self, cancel: &Cancel) {
        if let Some(exit) = &mut self.0 {
            exit.losses.watch(cancel);
            exit.marks.watch(cancel);
        }
    }

    /// Packets that have met the losses.
    pub(super) fn met(&self) -> ChainTally {
        self.0.as_ref().map_or_else(ChainTally::default, |exit| exit.losses.chain_tally())
    }

    /// Returns whether a packet that is sent at `now` does not even get to the queue. One that does may be marked.
    #[inline(always)]
    pub(super) fn loses<P: Payload>(
        &mut self,
        now: impl FnOnce() -> Instant,
        payload: &mut P,
    ) -> bool {
        let Some(exit) = &mut self.0 else { return false };
        exit.loses(now(), payload)
    }
}

impl ExitProcesses {
    fn loses<P: Payload>(&mut self, now: Instant, payload: &mut P) -> bool {
        let end = now + Span::from_nanos(1);
        let burst = Transmission { start: now, end, bits: payload.bits() };
        if self.losses.fate_of(burst) == Fate::Erased {
            return true;
        }
        if self.marks.fate_of(burst) == Fate::Erased && payload.ecn().takes_marks() {
            payload.mark();
        }
        false
    }
}
