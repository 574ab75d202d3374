//! Plays a script on a host, in logical time.
//!
//! The player judges times as packetdrill does: an event may be off by the tolerance (4 ms), or by 12.5 % of the time
//! since the previous event that was checked against the clock, where that is more; inbound packets are not checked,
//! since the tool sends them itself. (Inferred: Linux passes a script of google/packetdrill that expects RACK's timer
//! 40 ms after an inbound packet, 140 ms after the outbound one before, where it fires after 28 to 32 ms.) A relative
//! time counts from the end of the event before; an outbound packet ends when it comes. Inbound packets in a row count
//! from the times in the script. Packets of the host wait in order until the script expects one; a packet that it never
//! expects is ignored, as in packetdrill.

mod answers;
mod calls;
mod clock;
mod compare;
mod mapping;
#[cfg(test)]
mod oracle;
mod orders;
mod packets;
mod player;
mod tracked;

use crate::host::Host;
use crate::refusal::Refusal;
use crate::script::Script;
use airtcp_core::Cancel;
use std::fmt;

/// The verdict on a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The host does what the script expects.
    Passes,
    /// The host departs from the script.
    Fails(Failure),
    /// The host does not support something that the script needs.
    Refused(Refusal),
}

/// The place where a host departs from a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Line of the script, from 1.
    pub line: usize,
    /// The expectation of the script.
    pub expected: String,
    /// The actual behaviour of the host.
    pub actual: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}; {}", self.line, self.expected, self.actual)
    }
}

/// A verdict, and the lines that the script printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// Lines that the script's code printed.
    pub printed: Vec<String>,
}

/// Plays a script to its end, or to the first failure.
pub fn play(script: &Script, host: &mut dyn Host) -> Report {
    play_until(script, host, &Cancel::new()).unwrap_or_else(|| unreachable!("nobody cancels"))
}

/// Plays a script to its end, or to the first failure; `None` once the caller has cancelled.
pub fn play_until(script: &Script, host: &mut dyn Host, cancel: &Cancel) -> Option<Report> {
    let mut player = player::Player::new(script, host, cancel);
    let verdict = match player.play() {
        Ok(()) => Verdict::Passes,
        Err(player::StopReason::Failure(failure)) => Verdict::Fails(failure),
        Err(player::StopReason::Refusal { line, column, what }) => {
            Verdict::Refused(Refusal { script: script.name.clone(), line, column, message: what })
        }
        Err(player::StopReason::Cancelled) => return None,
    };
    Some(Report { verdict, printed: player.into_printed() })
}
