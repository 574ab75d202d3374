//! The limit of a queue as a scenario gives it: in packets or in bytes.

use super::discipline::Discipline;
use crate::spec_error::SpecError;
use airtcp_core::Size;

/// Limit in packets or in bytes, whichever is given.
pub(super) fn optional_limit(
    packets: Option<u32>,
    bytes: Option<Size>,
) -> Result<Discipline, SpecError> {
    match (packets, bytes) {
        (Some(packets), None) => Ok(Discipline::DropTail(packets.into())),
        (None, Some(size)) => Ok(Discipline::DropTailBits(size.bits())),
        (None, None) => Err(SpecError::new("packets", "missing; give packets or bytes")),
        (Some(_), Some(_)) => Err(SpecError::new("bytes", "give either this or packets")),
    }
}

/// Limit in packets or in bytes, whichever is given; by default `usual` packets.
pub(super) fn limit_or(
    packets: Option<u32>,
    bytes: Option<Size>,
    usual: u32,
) -> Result<Discipline, SpecError> {
    let packets = if bytes.is_none() { packets.or(Some(usual)) } else { packets };
    optional_limit(packets, bytes)
}
