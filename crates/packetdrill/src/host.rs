//! The system under test: one host with a TCP, sockets and no clock of its own.

use crate::call::Call;
use crate::options::Options;
use crate::packet::{Icmp, Packet};
use crate::settings::SettingChange;
use crate::value::Value;
use airtcp_core::Instant;

/// Outcome of a call when the host has made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The call has returned.
    Returned(Answer),
    /// The call is blocked; [`Host::poll_blocked_call`] reports its return. The player makes no other call meanwhile.
    Blocked,
}

/// Answer of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The result; negative if it failed.
    pub result: i64,
    /// The error if it failed, as in [`crate::symbols`].
    pub error: i64,
    /// The output that the call writes into its arguments.
    pub output: Value,
}

impl Answer {
    /// An answer with this result.
    #[must_use]
    pub fn from_result(result: i64) -> Self {
        Answer { result, ..Answer::default() }
    }

    /// An answer with this error, and the result -1.
    #[must_use]
    pub fn from_error(error: i64) -> Self {
        Answer { result: -1, error, output: Value::Any }
    }
}

/// A host that is driven from outside, in logical time.
///
/// After each input (`configure`, `call`, `receive`, `on_timer`) the player drains [`Host::transmit`], asks
/// [`Host::poll_blocked_call`] while a call is blocked, and only then [`Host::next_timer`]. Where a timer and an event
/// of the script are due at one instant, the event comes first: timers of a kernel are never early.
pub trait Host {
    /// Checks that the host supports a call; the player asks about all calls before it plays the script.
    ///
    /// # Errors
    ///
    /// One line that names the unsupported item.
    fn check_call(&self, call: &Call) -> Result<(), String> {
        let _ = call;
        Ok(())
    }

    /// Checks that the host supports settings; the player asks about all of them before it plays the
    /// script.
    ///
    /// # Errors
    ///
    /// One line that names the unsupported item.
    fn check_changes(&self, changes: &[SettingChange]) -> Result<(), String> {
        let _ = changes;
        Ok(())
    }

    /// Takes the options of the script and settings, before anything else and wherever the script changes
    /// them.
    ///
    /// # Errors
    ///
    /// One line that names the unsupported item.
    fn configure(
        &mut self,
        now: Instant,
        options: &Options,
        changes: &[SettingChange],
    ) -> Result<(), String>;

    /// Makes a call. Ports and addresses are those in the options.
    fn call(&mut self, now: Instant, call: &Call) -> Outcome;

    /// The answer of the blocked call, once it has returned.
    fn poll_blocked_call(&mut self, now: Instant) -> Option<Answer>;

    /// Takes a segment from the other end.
    fn receive(&mut self, now: Instant, packet: &Packet);

    /// Takes a message of ICMP.
    ///
    /// # Errors
    ///
    /// A line that names what the host does not understand; by default that is every message.
    fn receive_icmp(&mut self, now: Instant, message: &Icmp) -> Result<(), String> {
        let _ = (now, message);
        Err("this host takes no ICMP".into())
    }

    /// The next segment that the host sends now, if any, with one MSS of data or more (offload).
    fn transmit(&mut self, now: Instant) -> Option<Packet>;

    /// The time at which the next timer expires; [`Instant::NEVER`] if none runs.
    fn next_timer(&self) -> Instant;

    /// Handles timers that have expired.
    fn on_timer(&mut self, now: Instant);

    /// A counter of the whole host, by its name in Linux (`TcpExtBeyondWindow`); `None` if the host has
    /// none of that name, which is the default.
    fn counter(&self, now: Instant, name: &str) -> Option<u64> {
        let _ = (now, name);
        None
    }

    /// A field of `TCP_INFO` (`tcpi_snd_cwnd`), of the congestion control's (`bbr_bw`) or of the memory's
    /// (`SK_MEMINFO_RCVBUF`) of a connection, as it is now; `None` if there is none of that name.
    fn information(&self, now: Instant, fd: i64, field: &str) -> Option<i128>;
}
