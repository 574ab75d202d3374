//! Connections between two hosts in simulated time, and between a host and forged packets.

mod hostile;
mod ladder;
mod net;
mod of_scenario;
mod probing;
mod script;
mod transfer;
mod windows;
