//! What a packet-level scenario counts in.

use crate::linux::Congestion;
use crate::path::{Flow, HopSpec, PathScenario, PathTcp};
use airtcp_core::{Entry, Size};
use airtcp_tcp::{Spurious, Variant};

/// Bytes of the option in every segment, and of its padding [RFC 7323 3.2, appendix A].
const TIMESTAMPS: u64 = 12;

impl PathTcp {
    /// Length of the headers within a packet, options included; none where packets have no insides.
    #[must_use]
    pub fn headers(&self) -> Option<Size> {
        self.header.map(|header| self.with_options(header))
    }

    /// Length of an acknowledgement on the wire, without SACK blocks.
    #[must_use]
    pub fn ack_size(&self) -> Size {
        self.with_options(self.ack)
    }

    /// What a packet of `size` takes on the wire: that, and what lower layers add.
    #[must_use]
    pub fn on_the_wire(&self, size: Size) -> Size {
        Size::from_bytes(size.bytes() + self.framing.map_or(0, Size::bytes))
    }

    /// Whether segments carry timestamps.
    #[must_use]
    pub fn timestamps(&self) -> bool {
        self.timestamps == Some(true) || self.spurious.is_some_and(Spurious::timestamps)
    }

    fn with_options(&self, size: Size) -> Size {
        let options = if self.timestamps() { TIMESTAMPS } else { 0 };
        Size::from_bytes(size.bytes() + options)
    }

    /// Whether both ends use ECN: as it is said, else if the growth goes by marks.
    #[must_use]
    pub fn uses_ecn(&self) -> bool {
        self.ecn.unwrap_or_else(|| self.growth.is_some_and(|growth| growth.counts_marks()))
    }

    /// Loss recovery, in a profile that has variants of it.
    ///
    /// # Panics
    /// In one that has none, or if the scenario was not validated.
    #[must_use]
    pub fn recovery(&self) -> Variant {
        self.variant.expect("a validated scenario of a profile with variants")
    }

    /// What a flow with this transport is called: its variant, in profile linux its congestion control.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().map_or("", |entry| entry.name)
    }

    /// The listing of that.
    pub(crate) fn entry(&self) -> Option<&'static Entry> {
        self.congestion.map(Congestion::entry).or(self.variant.map(Variant::entry))
    }

    /// Payload of a full packet in bytes.
    #[must_use]
    pub fn payload_bytes(&self) -> u64 {
        self.packet.bytes() - self.headers().map_or(0, Size::bytes)
    }

    /// Sequence numbers per full packet: bytes where there are headers, else packets.
    #[must_use]
    pub fn unit(&self) -> u64 {
        if self.headers().is_some() { self.payload_bytes() } else { 1 }
    }

    /// The window that the receiver advertises, in sequence numbers.
    #[must_use]
    pub fn window_numbers(&self) -> u64 {
        self.window.numbers(self.unit())
    }
}

impl PathScenario {
    /// Whether some link layer retransmits.
    #[must_use]
    pub fn retransmits(&self) -> bool {
        let back = |hop: &HopSpec| hop.back.as_ref().is_some_and(|back| back.arq.is_some());
        self.path.hop.iter().any(|hop| hop.arq.is_some() || back(hop))
    }

    /// The window that the receiver of each flow advertises, in sequence numbers.
    #[must_use]
    pub fn windows(&self) -> Vec<u64> {
        self.per_flow(|flow| self.tcp_of(flow).window_numbers())
    }

    /// What the transport of each flow is called.
    #[must_use]
    pub fn variants(&self) -> Vec<&'static str> {
        self.per_flow(|flow| self.tcp_of(flow).name())
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
