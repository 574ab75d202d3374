//! The packets of a capture that is to be replayed.

use airtcp_capture::{CaptureSummary, CapturedSegment, PacketKind, Reader, Refusal};

/// Most packets of a capture, and most segments that they are cut into: a replay keeps some 300 bytes of each.
pub(crate) const MAX_PACKETS: u64 = 2_000_000;

/// The comment with which `airtcp trace` begins a capture (python/airtcp/export/pcapng.py).
const SIMULATED: &[u8] = b"events of a simulation";
const NO_SENDER: &str = "is the trace of a simulation, whose handshakes are synthetic: only captures of real senders can \
                         be explained";

/// Calls `each` with the TCP segments of a capture in the order of the file.
///
/// # Errors
/// If the bytes are no capture, or have no packet before they stop to be one, or more than a replay keeps.
pub(crate) fn read(
    bytes: &[u8],
    mut each: impl FnMut(&CapturedSegment),
) -> Result<CaptureSummary, Refusal> {
    let mut segments = 0;
    let mut take = |packet: &PacketKind<'_>| {
        if let PacketKind::Segment(seen) = packet {
            segments += 1;
            if segments > MAX_PACKETS {
                return Err(Refusal::Packets(MAX_PACKETS));
            }
            each(seen);
        }
        Ok(())
    };
    let mut reader = Reader::new();
    let fed = reader.feed(bytes, &mut take);
    if reader.comment().is_some_and(|text| text.starts_with(SIMULATED)) {
        return Err(Refusal::Unusable(NO_SENDER));
    }
    fed.and_then(|()| reader.finish(&mut take))
}
