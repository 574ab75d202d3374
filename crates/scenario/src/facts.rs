//! What a packet-level scenario counts in.

use crate::path::{Flow, HopSpec, PathScenario};
use airtcp_core::Size;
use airtcp_tcp::{Detection, Variant};

impl PathScenario {
    /// Length of the headers within a packet, options included; none where packets have no insides.
    #[must_use]
    pub fn header(&self) -> Option<Size> {
        self.tcp.header.map(|header| self.with_options(header))
    }

    /// Length of an acknowledgement on the wire, without SACK blocks.
    #[must_use]
    pub fn ack(&self) -> Size {
        self.with_options(self.tcp.ack)
    }

    /// What a packet of `size` takes on the wire: that, and what lower layers add.
    #[must_use]
    pub fn on_the_wire(&self, size: Size) -> Size {
        Size::from_bytes(size.bytes() + self.tcp.framing.map_or(0, Size::bytes))
    }

    /// Whether segments carry timestamps.
    #[must_use]
    pub fn timestamps(&self) -> bool {
        self.tcp.spurious.is_some_and(Detection::timestamps)
    }

    fn with_options(&self, size: Size) -> Size {
        let options = self.tcp.spurious.map_or(0, Detection::option_bytes);
        Size::from_bytes(size.bytes() + u64::from(options))
    }

    /// Whether some link layer retransmits.
    #[must_use]
    pub fn retransmits(&self) -> bool {
        let back = |hop: &HopSpec| hop.back.as_ref().is_some_and(|back| back.arq.is_some());
        self.path.hop.iter().any(|hop| hop.arq.is_some() || back(hop))
    }

    /// Payload of a full packet in bytes.
    #[must_use]
    pub fn payload_bytes(&self) -> u64 {
        self.tcp.packet.bytes() - self.header().map_or(0, Size::bytes)
    }

    /// Sequence numbers per full packet: bytes where there are headers, else packets.
    #[must_use]
    pub fn unit(&self) -> u64 {
        if self.header().is_some() { self.payload_bytes() } else { 1 }
    }

    /// The window that the receiver of each flow advertises, in sequence numbers.
    #[must_use]
    pub fn windows(&self) -> Vec<u64> {
        self.per_flow(|flow| flow.window.unwrap_or(self.tcp.window).numbers(self.unit()))
    }

    /// The variant of each flow.
    #[must_use]
    pub fn variants(&self) -> Vec<Variant> {
        self.per_flow(|flow| flow.variant.unwrap_or(self.tcp.variant))
    }

    /// A value for every flow, those that are alike counted out.
    pub fn per_flow<T: Clone>(&self, value: impl Fn(&Flow) -> T) -> Vec<T> {
        let each = |flow: &Flow| vec![value(flow); flow.count as usize];
        self.flow.iter().flat_map(each).collect()
    }

    /// Number of flows.
    #[must_use]
    pub fn flows(&self) -> u64 {
        self.flow.iter().map(|flow| u64::from(flow.count)).sum()
    }
}
