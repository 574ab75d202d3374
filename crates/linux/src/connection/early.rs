//! State of Fast Open in a connection [RFC 7413, rules/fast_open.md].

/// Data of the SYNs, and progress of a handshake that begins with them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpenState {
    /// Bytes that its first SYN carried.
    pub(super) syn_data_bytes: u32,
    /// A call that waits has more data than the SYN.
    pub(super) has_more_data: bool,
    /// Its SYN asked for Fast Open, so that data in the answer count.
    pub(super) requested: bool,
    /// All data of a SYN were taken by the other end, or came from it.
    pub(super) data_accepted: bool,
    /// It is open, and the other end has not acknowledged the SYN-ACK.
    pub(super) open_before_ack: bool,
    /// The SYNs of both ends have crossed.
    pub(super) syns_crossed: bool,
}
