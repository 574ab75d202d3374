//! Why a file is no capture, or none that can be replayed.

use std::fmt;

/// A reason, without the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It begins like no format that is known.
    Format,
    /// It ends within what stands at this byte.
    Truncated(usize),
    /// What stands at this byte has a length that cannot be.
    Length(usize),
    /// A format that is known, and cannot be used.
    Unusable(&'static str),
    /// A packet of an interface that the file does not describe.
    Interface(u32),
    /// More packets than so many.
    Packets(u64),
    /// More connections than so many.
    Connections(usize),
    /// What it lacks or has, of which nothing can be said.
    Content(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Format => f.write_str("is no capture: neither pcap nor pcapng"),
            Refusal::Truncated(at) => write!(f, "ends within what begins at byte {at}"),
            Refusal::Length(at) => write!(f, "has an impossible length at byte {at}"),
            Refusal::Unusable(what) => f.write_str(what),
            Refusal::Interface(number) => {
                write!(f, "has a packet of interface {number}, which it does not describe")
            }
            Refusal::Packets(most) => write!(f, "has more than {most} packets"),
            Refusal::Connections(most) => write!(f, "has more than {most} connections"),
            Refusal::Content(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Refusal {}
