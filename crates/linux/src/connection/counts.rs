//! Counts of segments that a connection has sent and received.

use crate::segment::Segment;

/// Segments that came and went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SegmentCounts {
    pub(super) segments_sent: u64,
    pub(super) segments_received: u64,
    pub(super) data_segments_sent: u64,
    pub(super) data_segments_received: u64,
}

impl SegmentCounts {
    pub(super) fn count_received(&mut self, segment: &Segment) {
        let packets = u64::from(segment.packets());
        self.segments_received += packets;
        self.data_segments_received += if segment.len > 0 { packets } else { 0 };
    }

    /// A segment arrived.
    #[inline]
    pub(super) fn count_plain_received(&mut self, has_data: bool) {
        self.segments_received += 1;
        self.data_segments_received += u64::from(has_data);
    }

    /// An ACK leaves.
    #[inline]
    pub(super) fn count_ack_sent(&mut self) {
        self.segments_sent += 1;
    }

    #[inline]
    pub(super) fn count_sent(&mut self, segment: &Segment) {
        let packets = u64::from(segment.packets());
        self.segments_sent += packets;
        self.data_segments_sent += if segment.len > 0 { packets } else { 0 };
    }
}
