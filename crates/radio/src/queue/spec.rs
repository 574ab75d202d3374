//! Interface of every registered queue.

use super::discipline::Discipline;
use super::mrg32k3a::NsDraws;
use super::process::Queue;
use crate::spec_error::SpecError;
use airtcp_core::{Rate, Stream};

/// Interface of every registered queue.
pub trait Spec {
    /// Builds the queue of a transmitter that sends at `rate`; random decisions draw from `stream`.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self, rate: Rate, stream: Stream) -> Result<Box<dyn Queue>, SpecError>;

    /// Builds the queue for a run in which all `ns-red` queues share `draws`.
    ///
    /// # Errors
    /// As [`Spec::build`].
    fn build_beside(
        &self,
        rate: Rate,
        stream: Stream,
        _draws: &NsDraws,
    ) -> Result<Box<dyn Queue>, SpecError> {
        self.build(rate, stream)
    }

    /// Discipline in a [`Hop`](crate::Hop), of a queue that can be built, keeps the order and does nothing but refuse what
    /// finds it full. None: it needs a [`Transmitter`](crate::Transmitter).
    fn discipline(&self) -> Option<Discipline> {
        None
    }

    /// Returns whether the queue makes random decisions.
    fn is_random(&self) -> bool {
        false
    }
}
