//! Counts of segments that a connection has sent and received.

use crate::segment::Segment;

/// Segments that came and went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) out: u64,
    pub(super) into: u64,
    pub(super) data_out: u64,
    pub(super) data_into: u64,
}

impl Counts {
    pub(super) fn received(&mut self, segment: &Segment) {
        let packets = u64::from(segment.packets());
        self.into += packets;
        self.data_into += if segment.len > 0 { packets } else { 0 };
    }

    /// A segment came.
    #[inline]
    pub(super) fn one_received(&mut self, has_data: bool) {
        self.into += 1;
        self.data_into += u64::from(has_data);
    }

    /// An ACK leaves.
    #[inline]
    pub(super) fn ack_sent(&mut self) {
        self.out += 1;
    }

    #[inline]
    pub(super) fn sent(&mut self, segment: &Segment) {
        let packets = u64::from(segment.packets());
        self.out += packets;
        self.data_out += if segment.len > 0 { packets } else { 0 };
    }
}
