//! Lengths of the packets of a scenario's first flow as IP packets. A scenario may count the headers below TCP as
//! `tcp.framing` or as `tcp.header`; an IP packet has the headers of both IPv4 and TCP.

use crate::wire::HEADERS;
use airtcp_scenario::PathScenario;

/// Length of a full data packet in bytes: its payload, and the headers of IPv4 and TCP with the options
/// that every segment has. Where packets have no insides, they are IP packets.
#[must_use]
pub fn packet_length(scenario: &PathScenario) -> u64 {
    let tcp = scenario.first_tcp().sizes();
    match tcp.header {
        Some(header) => tcp.packet.bytes() - header.bytes() + HEADERS as u64,
        None => tcp.packet.bytes(),
    }
}

/// Bytes that every packet has on the air beyond its IP packet; below 0 if the scenario counts fewer bytes than
/// that.
#[must_use]
pub fn lower_layer_bits(scenario: &PathScenario) -> i64 {
    let tcp = scenario.first_tcp();
    let on_air = tcp.on_the_wire(tcp.packet()).bytes();
    on_air.cast_signed() - packet_length(scenario).cast_signed()
}

/// Bytes that an ACK without data or SACK blocks has on the air beyond its IP packet; below 0 if the scenario
/// counts fewer.
pub(crate) fn lower_layer_bits_of_ack(scenario: &PathScenario) -> i64 {
    let tcp = scenario.first_tcp().sizes();
    let ack = tcp.ack.bytes() + tcp.framing.bytes();
    ack.cast_signed() - HEADERS as i64
}
