//! Turns of two queues, one of which goes first as a rule [RFC 9332, A.2].

use super::backlog::Backlog;
use super::fifo::Fifo;
use airtcp_core::{Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scheduler of two queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Scheduler {
    /// Weighted round robin by bytes, with credit.
    #[default]
    Wrr,
    /// The packet that has waited for longer, the classic one for less by a shift of time.
    TsFifo,
}

/// The turns of two queues.
#[derive(Debug)]
pub(super) enum QueueTurns {
    /// The credit, which changes only while both wait; above 0 it is the classic queue's turn [the note on Linux in A.1].
    Wrr { weight: f64, credit: f64 },
    /// `tshift` [Figure 10].
    TsFifo(Span),
}

impl QueueTurns {
    pub(super) fn new(scheduler: Scheduler, weight: f64, shift: Span) -> Self {
        match scheduler {
            Scheduler::Wrr => QueueTurns::Wrr { weight, credit: 0.0 },
            Scheduler::TsFifo => QueueTurns::TsFifo(shift),
        }
    }

    /// Nothing is sent, and nothing waits.
    pub(super) fn restart(&mut self) {
        if let QueueTurns::Wrr { credit, .. } = self {
            *credit = 0.0;
        }
    }

    /// Returns whether the next packet is of the first queue; it may be empty only if the second one is too.
    pub(super) fn is_l4s_next(
        &mut self,
        now: Instant,
        l4s: &Fifo,
        classic: &Fifo,
        backlog: &Backlog,
    ) -> bool {
        let (Some(first), Some(second)) = (l4s.first(), classic.first()) else {
            return classic.first().is_none();
        };
        let (first, second) = (backlog[first], backlog[second]);
        match self {
            QueueTurns::TsFifo(shift) => (now - first.since) + *shift >= now - second.since,
            QueueTurns::Wrr { weight, credit } => {
                let is_first = *credit <= 0.0;
                *credit += if is_first {
                    *weight * first.bits as f64
                } else {
                    -(1.0 - *weight) * second.bits as f64
                };
                is_first
            }
        }
    }
}
