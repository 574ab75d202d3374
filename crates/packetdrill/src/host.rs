//! The system under test: one host with a TCP, sockets and no clock of its own.

use crate::call::Call;
use crate::options::Options;
use crate::packet::{Icmp, Packet};
use crate::settings::Change;
use crate::value::Value;
use airtcp_core::Instant;

/// What a call has led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is over.
    Returned(Answer),
    /// It waits for something; [`Host::returned`] tells when it is over. No other call is made meanwhile.
    Blocked,
}

/// What a call returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The result; negative if it failed.
    pub result: i64,
    /// The error if it failed, as in [`crate::symbols`].
    pub error: i64,
    /// What it writes into its arguments.
    pub output: Value,
}

impl Answer {
    /// A result.
    #[must_use]
    pub fn of(result: i64) -> Self {
        Answer { result, ..Answer::default() }
    }

    /// An error.
    #[must_use]
    pub fn error(error: i64) -> Self {
        Answer { result: -1, error, output: Value::Any }
    }
}

/// A host that is driven from outside, in logical time.
///
/// After each input (`configure`, `call`, `receive`, `on_timer`) the player drains [`Host::transmit`], asks
/// [`Host::returned`] while a call is blocked, and only then [`Host::next_timer`]. Where a timer and an
/// event of the script are due at one instant, the event comes first: timers of a kernel are never early.
pub trait Host {
    /// Whether it has a call of a script; asked of all calls before the script is played.
    ///
    /// # Errors
    /// A line that says what it does not have.
    fn understands(&self, call: &Call) -> Result<(), String> {
        let _ = call;
        Ok(())
    }

    /// Whether it has settings of a script; asked of all before the script is played.
    ///
    /// # Errors
    /// A line that says what it does not have.
    fn accepts(&self, changes: &[Change]) -> Result<(), String> {
        let _ = changes;
        Ok(())
    }

    /// Takes the options of the script and settings, before anything else and wherever the script changes
    /// them.
    ///
    /// # Errors
    /// A line that says what it does not have.
    fn configure(
        &mut self,
        now: Instant,
        options: &Options,
        changes: &[Change],
    ) -> Result<(), String>;

    /// Makes a call. Ports and addresses are those of the options.
    fn call(&mut self, now: Instant, call: &Call) -> Outcome;

    /// What the blocked call has returned, once it has.
    fn returned(&mut self, now: Instant) -> Option<Answer>;

    /// Takes a segment from the other end.
    fn receive(&mut self, now: Instant, packet: &Packet);

    /// Takes a message of ICMP.
    ///
    /// # Errors
    /// A line that says what it does not understand; that is all where this is not written anew.
    fn receive_icmp(&mut self, now: Instant, message: &Icmp) -> Result<(), String> {
        let _ = (now, message);
        Err("this host takes no ICMP".into())
    }

    /// The next segment that it sends now, if any, with one MSS of data or more (offload).
    fn transmit(&mut self, now: Instant) -> Option<Packet>;

    /// When its next timer is due; [`Instant::NEVER`] if none runs.
    fn next_timer(&self) -> Instant;

    /// Lets timers expire that are due.
    fn on_timer(&mut self, now: Instant);

    /// A counter of the whole host, by its name in Linux (`TcpExtBeyondWindow`); `None` if it has none of
    /// that name, and always where this is not written anew.
    fn counter(&self, now: Instant, name: &str) -> Option<u64> {
        let _ = (now, name);
        None
    }

    /// A field of `TCP_INFO` (`tcpi_snd_cwnd`), of the congestion control's (`bbr_bw`) or of the memory's
    /// (`SK_MEMINFO_RCVBUF`) of a connection, as it is now; `None` if it has none of that name.
    fn information(&self, now: Instant, fd: i64, field: &str) -> Option<i128>;
}
