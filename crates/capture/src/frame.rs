//! Packets of a file, as its formats hand them on.

/// A packet as it lies in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    /// Interface by its place in the file.
    pub(super) interface: u32,
    /// Nanoseconds since 1970.
    pub(super) time: i64,
    /// LINKTYPE of its interface.
    pub(super) linktype: u32,
    /// The bytes of the packet that the capture kept.
    pub(super) bytes: &'a [u8],
    /// Length of the packet on the wire, in bytes.
    pub(super) length: u32,
}

/// A record of a file: its bytes, and the packet in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileRecord<'a> {
    /// Bytes of the file that it takes.
    pub(super) bytes: usize,
    /// The packet, of records that have one.
    pub(super) frame: Option<Frame<'a>>,
}
