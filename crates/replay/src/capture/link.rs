//! What stands before the IP header, by the LINKTYPE of an interface.

use super::bytes::NETWORK;

const VLAN: [u16; 3] = [0x8100, 0x88A8, 0x9100];
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;

/// The IP packet in a frame, and how many bytes stand before it; `None` if it is no IP packet or the
/// link is not known.
pub(super) fn strip(link: u32, frame: &[u8]) -> Option<(&[u8], u32)> {
    let before = match link {
        0 | 108 => 4,                           // NULL, LOOP
        1 => ethernet(frame)?,                  // ETHERNET
        12 | 14 | 101 | 228 | 229 => 0,         // RAW, IPV4, IPV6
        113 => is_ip(frame, 14).then_some(16)?, // LINUX_SLL
        276 => is_ip(frame, 0).then_some(20)?,  // LINUX_SLL2
        _ => return None,
    };
    Some((frame.get(before..)?, before as u32))
}

fn ethernet(frame: &[u8]) -> Option<usize> {
    let mut at = 12;
    while VLAN.contains(&NETWORK.short(frame, at)?) {
        at += 4;
    }
    is_ip(frame, at).then_some(at + 2)
}

fn is_ip(frame: &[u8], at: usize) -> bool {
    matches!(NETWORK.short(frame, at), Some(IPV4 | IPV6))
}
