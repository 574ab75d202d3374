//! Values that a path scenario implies for a table of flows: payload, window, round trip, bottleneck.

use crate::hop::EffectiveDirection;
use crate::path::{Flow, PathScenario};
use airtcp_core::Size;

/// Implied values of each flow of one table. Queues, gates, jitter, changing delays and link layers that retransmit add
/// to the times and take from the rates; rates that change count by their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpliedValues {
    /// Bytes of a full packet, of the headers in it (`None` where packets have no headers) and of what is left of it.
    pub packet: u64,
    /// See `packet`.
    pub header: Option<u64>,
    /// See `packet`.
    pub payload: u64,
    /// Bytes of an ACK without SACK blocks.
    pub ack: u64,
    /// The window that the receiver advertises, in bytes of payload.
    pub window: u64,
    /// Bytes of payload that the flow sends; none without end.
    pub size: Option<u64>,
    /// Seconds from the sending of a full packet to the arrival of its ACK where nothing waits.
    pub round_trip: f64,
    /// Bits per second of the slowest link that data crosses.
    pub bottleneck: f64,
    /// Full packets per second that the links of data carry, and ACKs per second that the links of ACKs carry.
    pub packet_rate: f64,
    /// See `packet_rate`.
    pub ack_rate: f64,
}

impl PathScenario {
    /// The implied values of the flows of each table.
    #[must_use]
    pub fn implied_values(&self) -> Vec<ImpliedValues> {
        let mut routes = self.routes();
        let of = |flow: &Flow| {
            let ends = routes.nodes().flow_end_nodes(flow).expect("validated nodes");
            let hops_crossed = routes.route(ends).to_vec();
            self.flow_values(flow, &hops_crossed)
        };
        self.flow.iter().map(of).collect()
    }

    fn flow_values(&self, flow: &Flow, hops_crossed: &[(usize, bool)]) -> ImpliedValues {
        let tcp = self.tcp_of(flow);
        let payload = tcp.payload_bytes();
        let bits = |size: Size| tcp.on_the_wire(size).bits() as f64;
        let (packet, ack) = (bits(tcp.packet()), bits(tcp.ack_size()));
        let links = |turned: bool| {
            hops_crossed
                .iter()
                .map(move |&(hop, back)| self.path.hop[hop].effective(back != turned))
        };
        let slowest = |turned| {
            links(turned)
                .map(|link| link.mean_rate().bits_per_second())
                .fold(f64::INFINITY, f64::min)
        };
        let time = |turned, bits: f64| {
            let each = |link: EffectiveDirection<'_>| {
                bits / link.mean_rate().bits_per_second() + link.delay.span().seconds()
            };
            links(turned).map(each).sum::<f64>()
        };
        ImpliedValues {
            packet: tcp.packet().bytes(),
            header: tcp.headers().map(Size::bytes),
            payload,
            ack: tcp.ack_size().bytes(),
            window: tcp.window_in_numbers() * payload / tcp.numbers_per_packet(),
            size: flow.size.map(Size::bytes).or(flow.packets.map(|n| n * payload)),
            round_trip: time(false, packet)
                + time(true, ack)
                + 2.0 * flow.access_delay.span().seconds(),
            bottleneck: slowest(false),
            packet_rate: slowest(false) / packet,
            ack_rate: slowest(true) / ack,
        }
    }
}
