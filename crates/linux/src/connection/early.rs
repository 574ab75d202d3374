//! State of Fast Open in a connection [RFC 7413, rules/fast_open.md].

/// Data of the SYNs, and progress of a handshake that begins with them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpenState {
    /// Bytes in the first SYN.
    pub(super) syn_data_bytes: u32,
    /// A blocked call has more data than the SYN.
    pub(super) has_more_data: bool,
    /// The SYN requested Fast Open, so that data in the SYN-ACK are accepted.
    pub(super) is_requested: bool,
    /// All SYN data were accepted, by the other end or by this one.
    pub(super) data_accepted: bool,
    /// The connection is open before its SYN-ACK was acknowledged.
    pub(super) open_before_ack: bool,
    /// The SYNs of both ends have crossed.
    pub(super) syns_crossed: bool,
}
