//! The tests of airtcp-radio, one program: to link one per file takes longer than to run it.

mod arq_reference;
mod cases;
mod chance;
mod channel_properties;
mod distributions;
mod epochs;
mod gate_properties;
mod histories;
mod history;
mod hop;
mod hop_reference;
mod netem;
mod ns2_counts;
mod rates;
mod replays;
mod sojourns;
mod spikes;
mod strategies;
mod trains;
mod transmitter;
mod tun;
