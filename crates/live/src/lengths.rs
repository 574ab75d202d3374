//! How long the packets of a scenario are as IP packets. A scenario may count what lies below TCP as
//! `tcp.framing` or as `tcp.header`; an IP packet has the headers of both, IPv4 and TCP.

use crate::wire::HEADERS;
use airtcp_core::Size;
use airtcp_scenario::PathScenario;

/// Length of a full data packet in bytes: its payload, and the headers of IPv4 and TCP with the options
/// that every segment has. Where packets have no insides, they are IP packets.
#[must_use]
pub fn packet(scenario: &PathScenario) -> u64 {
    match scenario.tcp.header {
        Some(header) => scenario.tcp.packet.bytes() - header.bytes() + HEADERS as u64,
        None => scenario.tcp.packet.bytes(),
    }
}

/// Bytes on the air of every packet beyond its IP packet; below 0 if the scenario counts less than that.
#[must_use]
pub fn below(scenario: &PathScenario) -> i64 {
    let on_air = scenario.on_the_wire(scenario.tcp.packet).bytes();
    on_air.cast_signed() - packet(scenario).cast_signed()
}

/// The same of an ACK without data or SACK blocks.
pub(crate) fn below_ack(scenario: &PathScenario) -> i64 {
    let ack = scenario.tcp.ack.bytes() + scenario.tcp.framing.map_or(0, Size::bytes);
    ack.cast_signed() - HEADERS as i64
}
