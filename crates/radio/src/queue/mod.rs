//! Queues that decide for themselves what is sent next, what waits and what is dropped.
//!
//! A queue is asked twice about a packet: when the packet comes, and when the transmitter is free. Either time it may
//! drop that packet or others that it holds, and the second time it may make the transmitter wait. It sees of packets
//! what a [`Backlog`] has about them: their length, their arrival and whose they are. The packets themselves stay with the
//! transmitter.
//!
//! A queue is one file here, and one line of the registry below.

pub(crate) mod backlog;
mod codel;
mod codel_law;
mod coupled;
pub(crate) mod discipline;
pub(crate) mod drop_tail;
mod drr;
mod dualpi2;
mod fifo;
mod flows;
mod fq_codel;
mod hash;
mod head_drop;
mod limit;
mod mrg32k3a;
mod ns_red;
mod periods;
mod pie;
mod priority;
pub(crate) mod process;
mod red;
mod spec;
mod token_bucket;
mod turns;

use airtcp_core::{Rate, Stream, registry};

pub use backlog::{Backlog, PacketId, WaitingPacket};
pub use codel::CoDel;
pub use discipline::Discipline;
pub use drop_tail::DropTail;
pub use drr::Drr;
pub use dualpi2::DualPi2;
pub use fifo::Fifo;
pub use fq_codel::FqCoDel;
pub use head_drop::HeadDrop;
pub use mrg32k3a::NsDraws;
pub use ns_red::NsRed;
pub use pie::Pie;
pub use priority::{BandMember, Priority};
pub use process::{Dequeued, Guarantees, Order, Queue};
pub use red::Red;
pub use spec::Spec;
pub use token_bucket::{Excess, TokenBucket};
pub use turns::Scheduler;

registry! {
    /// A queue, by name.
    pub enum QueueSpec: Spec {
        "drop-tail" => DropTail(drop_tail::DropTail), "First in, first out; a packet that finds the queue full is dropped.", "airtcp";
        "head-drop" => HeadDrop(head_drop::HeadDrop), "First in, first out; when the queue is full, the oldest packet makes room for the new one.", "lakshman1996";
        "codel" => CoDel(codel::CoDel), "Controlled delay: drops at the head once packets wait too long throughout an interval.", "rfc8289";
        "fq-codel" => FqCoDel(fq_codel::FqCoDel), "One queue with CoDel per flow, served in turn; flows with little to send go first.", "rfc8290";
        "drr" => Drr(drr::Drr), "Deficit round robin: one queue per flow, served in turn, with equal shares in bytes.", "shreedhar1996";
        "pie" => Pie(pie::Pie), "Random drops on arrival, with a probability that keeps the queueing delay near a target.", "rfc8033";
        "red" => Red(red::Red), "Random early detection: random drops on arrival, with a probability that grows with the average queue length.", "floyd1993, floyd2001";
        "ns-red" => NsRed(ns_red::NsRed), "RED as ns-2 computes it, with the same random numbers.", "floyd1993, ns2";
        "dualpi2" => DualPi2(dualpi2::DualPi2), "A low-latency queue and a classic queue, coupled so that their flows get about the same rate (L4S).", "rfc9332, rfc9331";
        "token-bucket" => TokenBucket(token_bucket::TokenBucket), "Limits rate and bursts; packets in excess wait (shaping) or are dropped (policing).", "rfc2697";
        "priority" => Priority(priority::Priority), "Strict priority: packets of an earlier band of flows are always sent first.", "airtcp";
    }
}

impl Spec for QueueSpec {
    fn build(&self, rate: Rate, stream: Stream) -> Result<Box<dyn Queue>, crate::SpecError> {
        self.spec().build(rate, stream)
    }

    fn build_beside(
        &self,
        rate: Rate,
        stream: Stream,
        draws: &NsDraws,
    ) -> Result<Box<dyn Queue>, crate::SpecError> {
        self.spec().build_beside(rate, stream, draws)
    }

    fn discipline(&self) -> Option<Discipline> {
        self.spec().discipline()
    }

    fn is_random(&self) -> bool {
        self.spec().is_random()
    }
}
