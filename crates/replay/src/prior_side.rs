//! Memory of our side as it was before the last event that happened to it.
//!
//! A copy of our side costs as much as hundreds of segments in flight, and most are never asked for. So what comes is
//! only noted, and a copy is made once in a while: the side before the last input is that copy after all other inputs.

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
    /// True if something other than inputs happened to the side since.
    needs_snapshot: bool,
}

impl<'a> PriorSide<'a> {
    /// Makes the memory of a side to which nothing has happened.
    pub(crate) fn new(side: &OurSide<'a>) -> Self {
        PriorSide { snapshot: side.clone(), inputs: vec![], event: 0, needs_snapshot: true }
    }

    /// Something is about to happen to `side` that may be taken back.
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

    /// The side changes otherwise than by inputs.
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
