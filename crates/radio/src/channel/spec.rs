//! Interface of every registered channel.

use super::process::Process;
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Rate, Span, Stream};

/// Interface of every registered channel.
pub trait Spec {
    /// The process on slots of length `slot`, driven by `stream`.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build(&self, slot: Span, stream: Stream) -> Result<Process, SpecError>;

    /// The process where packets start at any time: a slot is then the airtime `packet` of a full
    /// packet, transmissions do not keep to slots, and a chain on the slot clock is met at their start.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build_unslotted(&self, packet: Span, stream: Stream) -> Result<Process, SpecError> {
        self.build(packet, stream)
    }

    /// Builds the process like [`Spec::build_unslotted`] for one direction of a hop. It draws from `own`, and from
    /// `common` what both directions share.
    ///
    /// # Errors
    /// If the values contradict each other.
    fn build_paired(
        &self,
        packet: Span,
        own: Stream,
        _common: Stream,
    ) -> Result<Process, SpecError> {
        self.build_unslotted(packet, own)
    }

    /// The two-state chain of the losses, if they form one exactly on the slot clock (which is what
    /// the analysis is about).
    ///
    /// # Errors
    /// If the values contradict each other.
    fn two_state(&self) -> Result<Option<TwoState>, SpecError>;

    /// Returns whether its steps are slots.
    fn counts_slots(&self) -> bool {
        false
    }

    /// The bits on the air for `bits` bits of a packet: more where there is a code.
    fn bits_on_air(&self, bits: u64) -> u64 {
        bits
    }

    /// Returns whether it delays packets.
    fn delays(&self) -> bool {
        false
    }

    /// Returns whether fates are random. If not, a valid channel gives the same fates on every stream.
    fn is_random(&self) -> bool {
        true
    }

    /// Checks the values against the rate at which bits are sent.
    ///
    /// # Errors
    /// If the values contradict it.
    fn check_rate(&self, _rate: Rate) -> Result<(), SpecError> {
        Ok(())
    }

    /// Checks the values against the length of the run.
    ///
    /// # Errors
    /// If the values contradict it.
    fn check_end(&self, _seconds: f64) -> Result<(), SpecError> {
        Ok(())
    }
}

/// Returns whether the losses of a chain are random; false for a chain whose values are invalid.
pub(super) fn is_random(chain: &Result<TwoState, SpecError>) -> bool {
    chain.as_ref().is_ok_and(|chain| !chain.is_certain())
}
