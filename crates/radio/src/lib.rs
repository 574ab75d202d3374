//! Channel processes and links: the fate of packets on the way. Knows no TCP.

pub mod bits;
pub mod channel;
pub mod distribution;
mod exponential;
pub mod fading;
pub mod gate;
mod link;
mod memories;
mod normal;
pub mod queue;
pub mod rates;
mod rayleigh;
mod ring;
pub mod size;
mod spec_error;
mod traffic;
mod transitions;
mod two_state;
pub mod video;

pub use channel::{ChainTally, Channel, ChannelSpec, Fate, Process, Transmission};
pub use distribution::DistributionSpec;
pub use gate::{Direction, GateProcess, GateSpec, Outage, OutageLosses};
pub use link::{
    ArqConfig, ArqCounters, ArqHop, Duplication, EventCounter, Hop, HopConfig, HopCounters,
    HopLedger, Integral, Jitter, Line, Link, LinkCounts, LinkHistory, LossCause, LostPacket,
    MAX_HELD, Ns2Hop, OPPORTUNITY_BITS, Observed, Opportunities, Overtaking, Train, Transmitter,
    Volume,
};
pub use memories::Memory;
pub use queue::{Discipline, QueueSpec};
pub use rates::{Rates, RatesSpec};
pub use rayleigh::rayleigh_two_state;
pub use size::SizeSpec;
pub use spec_error::SpecError;
pub use traffic::{Bursts, SourceConfig, TrafficSource};
pub use two_state::TwoState;
pub use video::{Video, VideoChoice, VideoCounts};
