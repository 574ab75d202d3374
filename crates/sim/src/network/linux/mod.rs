//! Flows of profile `linux`: two connections of the crate `linux`, and the applications that use them.

mod arrivals;
mod ends;
mod packet;

pub(super) use ends::LinuxEnds;
