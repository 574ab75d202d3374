//! Memory of our side as it was before the last event that happened to it.
//!
//! A copy of our side costs as much as hundreds of segments in flight, and most are never asked for. So what comes is
//! only noted, and a copy is made once in a while: the side before the last input is that copy after all other inputs.

use crate::side::Side;
use crate::trace::Arrived;

/// Segments that come between two copies.
const MOST: usize = 32;

/// Our side as it was some inputs ago, and the inputs since then.
#[derive(Clone)]
pub(crate) struct Memory<'a> {
    copy: Side<'a>,
    /// Segments that came since, and the times at which they were handled.
    inputs: Vec<(Arrived, i64)>,
    /// The place of the event at the last input.
    pub event: usize,
    /// True if something other than inputs happened to the side since.
    is_sealed: bool,
}

impl<'a> Memory<'a> {
    /// Makes the memory of a side to which nothing has happened.
    pub(crate) fn new(side: &Side<'a>) -> Self {
        Memory { copy: side.clone(), inputs: vec![], event: 0, is_sealed: true }
    }

    /// Something is about to happen to `side` that may be taken back.
    pub(crate) fn keep(&mut self, side: &Side<'a>, event: usize) {
        self.copy.clone_from(side);
        self.inputs.clear();
        self.event = event;
        self.is_sealed = true;
    }

    /// `arrived` is about to be handled by `side` at `at`.
    pub(crate) fn note(&mut self, side: &Side<'a>, event: usize, arrived: &Arrived, at: i64) {
        if self.is_sealed || self.inputs.len() >= MOST {
            self.keep(side, event);
            self.is_sealed = false;
        }
        self.inputs.push((*arrived, at));
        self.event = event;
    }

    /// The side changes otherwise than by inputs.
    pub(crate) fn seal(&mut self) {
        self.copy = self.before();
        self.inputs.clear();
        self.is_sealed = true;
    }

    /// The side before the last input.
    pub(crate) fn before(&self) -> Side<'a> {
        let mut side = self.copy.clone();
        let others = self.inputs.len().saturating_sub(1);
        for (arrived, at) in &self.inputs[..others] {
            side.handle(arrived, *at);
            side.expected.clear();
        }
        side
    }
}
