//! Packets of a file, as its formats hand them on.

/// A packet as it lies in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    /// Interface by its place in the file.
    pub(super) interface: u32,
    /// Nanoseconds since 1970.
    pub(super) time: i64,
    /// LINKTYPE of its interface.
    pub(super) link: u32,
    /// What was kept of it.
    pub(super) kept: &'a [u8],
    /// How long it was.
    pub(super) length: u32,
}
