//! The header of IPv4 [RFC 791 3.1].

use super::checksum::Sum;
use super::malformed::Malformed;
use std::net::Ipv4Addr;

/// Bytes of a header without options.
pub(super) const LENGTH: usize = 20;
const VERSION_4: u8 = 4;
const TCP: u8 = 6;
const TIME_TO_LIVE: u8 = 64;
const DO_NOT_FRAGMENT: u16 = 0x4000;
/// Mask of the flag for more fragments and of the offset: any bit set means a fragment.
const FRAGMENT: u16 = 0x3FFF;

/// Source and destination.
#[derive(Clone, Copy)]
pub(super) struct Addresses {
    pub(super) source: Ipv4Addr,
    pub(super) destination: Ipv4Addr,
}

impl Addresses {
    /// The pseudo header of a TCP segment of `length` bytes [RFC 9293 3.1].
    pub(super) fn pseudo_header(&self, length: u16) -> Sum {
        let sum = Sum::default().add(&self.source.octets()).add(&self.destination.octets());
        sum.add(&[0, TCP]).add(&length.to_be_bytes())
    }
}

/// Reads the addresses of a packet, and returns the bytes behind its header. Bytes behind the packet's own
/// length are cut off.
pub(super) fn parse(bytes: &[u8]) -> Result<(Addresses, &[u8]), Malformed> {
    let fixed = bytes.first_chunk::<LENGTH>().ok_or(Malformed::Truncated)?;
    if fixed[0] >> 4 != VERSION_4 {
        return Err(Malformed::NotIpv4);
    }
    let header = usize::from(fixed[0] & 0xF) * 4;
    let total = usize::from(u16::from_be_bytes([fixed[2], fixed[3]]));
    if header < LENGTH || total < header {
        return Err(Malformed::Length);
    }
    let packet = bytes.get(..total).ok_or(Malformed::Truncated)?;
    if Sum::default().add(&packet[..header]).finish() != 0 {
        return Err(Malformed::HeaderChecksum);
    }
    if u16::from_be_bytes([fixed[6], fixed[7]]) & FRAGMENT != 0 {
        return Err(Malformed::Fragment);
    }
    if fixed[9] != TCP {
        return Err(Malformed::NotTcp);
    }
    let address = |at: usize| Ipv4Addr::new(fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]);
    let addresses = Addresses { source: address(12), destination: address(16) };
    Ok((addresses, &packet[header..]))
}

/// The fields of an IPv4 header that the caller chooses, apart from addresses and length.
#[derive(Clone, Copy)]
pub(super) struct Label {
    pub(super) identification: u16,
    /// DSCP in the upper six bits, ECN in the lower two [RFC 3168 5].
    pub(super) tos: u8,
}

/// Appends the header of a packet with `payload` bytes behind it.
pub(super) fn write(addresses: Addresses, label: Label, payload: u16, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([VERSION_4 << 4 | (LENGTH / 4) as u8, label.tos]);
    out.extend((LENGTH as u16 + payload).to_be_bytes());
    out.extend(label.identification.to_be_bytes());
    out.extend(DO_NOT_FRAGMENT.to_be_bytes());
    out.extend([TIME_TO_LIVE, TCP, 0, 0]);
    out.extend(addresses.source.octets());
    out.extend(addresses.destination.octets());
    let sum = Sum::default().add(&out[start..]).finish();
    out[start + 10..start + 12].copy_from_slice(&sum.to_be_bytes());
}
