//! TCP without input or output: a sender and a receiver as plain state that a driver feeds with
//! segments and time. Knows no channel.

mod config;
mod congestion;
mod detection;
mod ecn;
mod ns;
mod plan;
mod probing;
mod ranges;
mod receiver;
mod recovery;
mod reduction;
mod reduction_cause;
mod report;
mod rule_source;
mod scoreboard;
mod segment;
mod sender;
#[cfg(test)]
mod sender_tests;
mod slow_start;
mod spurious;
mod stamp;
mod strategy;
mod timers;
mod view;
mod window;

pub use config::{SenderConfig, rfc5681_initial_window};
pub use congestion::{
    CongestionSpec, Cubic, Dctcp, GrowthConfig, Hybla, Illinois, LedbatPlus, ParameterFault,
    Prague, Reno, Vegas, Veno, Westwood,
};
pub use detection::{Detection, DuplicateAcks, RackTlp, Rfc6675};
pub use ns::NsSettings;
pub use plan::AckTimerEffect;
pub use probing::ProbingConfig;
pub use ranges::RangeSet;
pub use receiver::{NsSinkConfig, Receiver, ReceiverConfig, SackConfig};
pub use recovery::{Capabilities, Variant};
pub use reduction::{AtOnce, Prr, PrrBase, Reduction};
pub use reduction_cause::ReductionCause;
pub use report::ProbeReport;
pub use rule_source::RuleSource;
pub use scoreboard::{Scoreboard, StateSums};
pub use segment::{
    Ack, Block, Data, PROBE_OPTION_BYTES, Probe, ProbeAck, ProbeId, ProbeKind, Sack, Segment,
};
pub use sender::{Allowance, Sender, SenderCounters};
pub use slow_start::{HyStartPlus, SlowStart, Standard};
pub use spurious::Spurious;
pub use stamp::timestamp_at as timestamp;
pub use timers::{RttEstimate, TickSettings, TimerConfig};
pub use view::View;
pub use window::Window;
