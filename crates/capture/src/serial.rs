//! Order of sequence numbers and timestamps, which wrap at 2^32.

/// Distance from `from` up to `to`, negative if `to` lies below: the shorter way around [RFC 9293 3.4].
#[must_use]
pub fn distance(to: u32, from: u32) -> i32 {
    to.wrapping_sub(from).cast_signed()
}
