//! The tests of airtcp-sim, one program: to link one per file takes longer than to run it.

mod batches;
mod bbr3;
mod cancelling;
mod chance;
mod completion;
mod link_histories;
mod links;
mod linux;
mod network;
mod parts;
mod pool;
mod probing;
mod queue_properties;
mod queues;
mod runs;
mod spurious;
mod traffic;
mod two_way;
mod version;
