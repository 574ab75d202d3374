//! What a packet-level scenario counts in.

use crate::path::{Flow, PathScenario};
use airtcp_core::Size;
use airtcp_tcp::Variant;

impl PathScenario {
    /// Length of the headers within a packet; none where packets have no insides.
    #[must_use]
    pub fn header(&self) -> Option<Size> {
        self.tcp.header
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

    /// The window that the receiver of each flow advertises, in packets.
    #[must_use]
    pub fn windows(&self) -> Vec<u32> {
        self.per_flow(|flow| flow.window.unwrap_or(self.tcp.window))
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
