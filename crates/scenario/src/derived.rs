//! Sizes, names and properties of a packet-level scenario that its users ask for.

use crate::hop::HopSpec;
use crate::path::{Flow, PathScenario};
use crate::profile::PathTcp;
use crate::transport::{LossRecovery, Recovery, Sizes};
use airtcp_core::Size;

impl PathTcp {
    /// Lengths and window of the transport.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        self.transport().sizes()
    }

    /// Loss recovery, in a profile that has variants of it.
    #[must_use]
    pub fn recovery(&self) -> Option<Recovery> {
        match self.transport().recovery() {
            LossRecovery::Variant(recovery) => Some(recovery),
            LossRecovery::OfControl(_) => None,
        }
    }

    /// Length of a full data packet on the wire.
    #[must_use]
    pub fn packet(&self) -> Size {
        self.sizes().packet
    }

    /// Length of the headers within a packet, options included; `None` where packets have no headers.
    #[must_use]
    pub fn headers(&self) -> Option<Size> {
        self.sizes().headers()
    }

    /// Length of an acknowledgement on the wire, without SACK blocks.
    #[must_use]
    pub fn ack_size(&self) -> Size {
        self.sizes().ack_size()
    }

    /// Length on the wire of a packet of `size`: the packet itself, and the framing of lower layers.
    #[must_use]
    pub fn on_the_wire(&self, size: Size) -> Size {
        Size::from_bytes(size.bytes() + self.sizes().framing.bytes())
    }

    /// True if segments carry timestamps.
    #[must_use]
    pub fn timestamps(&self) -> bool {
        self.sizes().timestamps
    }

    /// The name of a flow with this transport: its variant, in profile linux its congestion control.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.transport().entry().name
    }

    /// Payload of a full packet in bytes.
    #[must_use]
    pub fn payload_bytes(&self) -> u64 {
        self.sizes().payload()
    }

    /// Sequence numbers per full packet: bytes where there are headers, else packets.
    #[must_use]
    pub fn numbers_per_packet(&self) -> u64 {
        self.sizes().numbers_per_packet()
    }

    /// The window that the receiver advertises, in sequence numbers.
    #[must_use]
    pub fn window_in_numbers(&self) -> u64 {
        self.sizes().window_in_numbers()
    }
}

impl PathScenario {
    /// True if some link layer retransmits.
    #[must_use]
    pub fn has_arq(&self) -> bool {
        self.path.hop.iter().flat_map(HopSpec::directions).any(|one| one.arq.is_some())
    }

    /// The window that the receiver of each flow advertises, in sequence numbers.
    #[must_use]
    pub fn windows_in_numbers(&self) -> Vec<u64> {
        self.per_flow(|flow| self.tcp_of(flow).window_in_numbers())
    }

    /// The name of the transport of each flow.
    #[must_use]
    pub fn transport_names(&self) -> Vec<&'static str> {
        self.per_flow(|flow| self.tcp_of(flow).name())
    }

    /// A value for every flow; a table that stands for several flows repeats its value.
    pub fn per_flow<T: Clone>(&self, value: impl Fn(&Flow) -> T) -> Vec<T> {
        let each = |flow: &Flow| vec![value(flow); flow.count as usize];
        self.flow.iter().flat_map(each).collect()
    }

    /// Number of flows.
    #[must_use]
    pub fn flow_count(&self) -> u64 {
        self.flow.iter().map(|flow| u64::from(flow.count)).sum()
    }
}
