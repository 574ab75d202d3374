//! Captures: pcap and pcapng files with TCP and UDP in them, read piece by piece. A file is hostile until it is read: at
//! most one record of it is held, its lengths allocate nothing, and impossible contents are refused in a line.

mod bytes;
mod counter;
mod frame;
mod ip;
mod link;
mod pcap;
mod pcapng;
mod place;
mod reader;
mod refusal;
mod serial;
mod tcp;
mod udp;

pub use counter::SequenceCounter;
pub use place::{AnswerTimes, CapturePoint};
pub use reader::{CaptureSummary, CapturedSegment, Damage, PacketKind, Reader};
pub use refusal::Refusal;
pub use serial::distance;
pub use tcp::{Flags, MAX_SACK_BLOCKS, Options, Segment};
pub use udp::Datagram;
