//! TCP without input or output: a sender and a receiver as plain state that a driver feeds with
//! segments and time. Knows no channel.

mod config;
mod growth;
mod probing;
mod ranges;
mod receiver;
pub mod recovery;
mod segment;
mod sender;
mod spurious;
mod stamp;
mod timers;
mod window;

pub use config::{SenderConfig, rfc5681_initial_window};
pub use growth::{Cause, GrowthConfig, GrowthLaw};
pub use probing::{ProbingConfig, Report};
pub use ranges::RangeSet;
pub use receiver::{Receiver, ReceiverConfig, SackConfig};
pub use recovery::{Source, Variant, View};
pub use segment::{
    Ack, Block, Data, PROBE_OPTION_BYTES, Probe, ProbeAck, ProbeId, ProbeKind, Sack, Segment,
};
pub use sender::{Counters, Sender};
pub use spurious::Detection;
pub use stamp::at as timestamp;
pub use timers::{AckTiming, Estimate, TimerConfig};
pub use window::Window;
