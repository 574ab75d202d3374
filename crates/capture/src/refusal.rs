//! Reasons why a file is no capture, or none that can be replayed.

use std::fmt;

/// A reason, without the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The file begins like no format that is known.
    Format,
    /// The file ends within the block or record that begins at this byte.
    Truncated(u64),
    /// The block or record at this byte has an impossible length.
    Length(u64),
    /// The file has a format that is known but cannot be used.
    Unusable(&'static str),
    /// A packet belongs to an interface that the file does not describe.
    Interface(u32),
    /// The file has more packets than the limit given here.
    Packets(u64),
    /// The file has more connections than the limit given here.
    Connections(usize),
    /// The file lacks something, or holds something, so that nothing can be said of its senders.
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
