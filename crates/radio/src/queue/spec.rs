//! Interface of every registered queue.

use super::discipline::Discipline;
use super::mrg32k3a::NsDraws;
use super::process::Queue;
use crate::spec_error::SpecError;
use airtcp_core::{Rate, Stream};

/// Interface of every registered queue.
pub trait Spec {
    /// The queue of a transmitter that sends at `rate`; it draws from `stream` if it draws at all.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self, rate: Rate, stream: Stream) -> Result<Box<dyn Queue>, SpecError>;

    /// Builds it beside others of one run, which share `draws` if they draw as ns does.
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

    /// Returns whether chance decides anything in it.
    fn is_random(&self) -> bool {
        false
    }
}
