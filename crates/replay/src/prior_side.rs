//! Our side as it was before its last input.
//!
//! A copy of our side costs as much as hundreds of segments in flight, and most copies are never used. So inputs are
//! recorded, and a copy is made from time to time: replaying all inputs but the last on it restores the side before the
//! last input.

use crate::side::OurSide;
use crate::trace::ArrivedSegment;

/// Segments that come between two copies.
const MAX_INPUTS: usize = 32;

/// Our side as it was some inputs ago, and the inputs since then.
#[derive(Clone)]
pub(crate) struct PriorSide<'a> {
    snapshot: OurSide<'a>,
    /// Segments that came since, and the times at which they were handled.
    inputs: Vec<(ArrivedSegment, i64)>,
    /// The place of the event at the last input.
    pub event: usize,
    /// True if the side has changed other than by recorded inputs.
    needs_snapshot: bool,
}

impl<'a> PriorSide<'a> {
    /// Starts with a side that has had no input.
    pub(crate) fn new(side: &OurSide<'a>) -> Self {
        PriorSide { snapshot: side.clone(), inputs: vec![], event: 0, needs_snapshot: true }
    }

    /// Prepares for an input to `side` that may be undone.
    pub(crate) fn prepare(&mut self, side: &OurSide<'a>, event: usize) {
        self.snapshot.clone_from(side);
        self.inputs.clear();
        self.event = event;
        self.needs_snapshot = true;
    }

    /// `arrived` is about to be handled by `side` at `at`.
    pub(crate) fn record_input(
        &mut self,
        side: &OurSide<'a>,
        event: usize,
        arrived: &ArrivedSegment,
        at: i64,
    ) {
        if self.needs_snapshot || self.inputs.len() >= MAX_INPUTS {
            self.prepare(side, event);
            self.needs_snapshot = false;
        }
        self.inputs.push((*arrived, at));
        self.event = event;
    }

    /// The side changes other than by a recorded input, so that the next input needs a new snapshot.
    pub(crate) fn require_snapshot(&mut self) {
        self.snapshot = self.restore();
        self.inputs.clear();
        self.needs_snapshot = true;
    }

    /// The side before the last input.
    pub(crate) fn restore(&self) -> OurSide<'a> {
        let mut side = self.snapshot.clone();
        let others = self.inputs.len().saturating_sub(1);
        for (arrived, at) in &self.inputs[..others] {
            side.on_arrival(arrived, *at);
            side.expected.clear();
        }
        side
    }
}
