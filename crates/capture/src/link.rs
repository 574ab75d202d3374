//! Headers before the IP header, by the LINKTYPE of an interface.

use super::bytes::NETWORK;
use super::ip::CUT_HEADERS;

const VLAN: [u16; 3] = [0x8100, 0x88A8, 0x9100];
/// Largest number that is the length of a frame [IEEE 802.3 3.2.6]; EtherTypes are above.
const MAX_LENGTH_FIELD: u16 = 0x5FF;
/// LLC with SNAP, and no vendor's own types.
const SNAP: [u8; 6] = [0xAA, 0xAA, 3, 0, 0, 0];
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;
/// EtherTypes of protocols that carry packets and are not read.
const TUNNEL_ETHERTYPES: [(u16, &str); 6] = [
    (0x8847, "MPLS"),
    (0x8848, "MPLS"),
    (0x8864, "PPPoE"),
    (0x88E7, "PBB (802.1ah)"),
    (0x88E5, "MACsec"),
    (0x894F, "NSH"),
];
/// LINKTYPEs that are not read, by their names in the registry of tcpdump.
const UNREAD_LINKTYPES: [(u32, &str); 35] = [
    (3, "AX.25"),
    (6, "Token Ring"),
    (7, "ARCNET"),
    (8, "SLIP"),
    (9, "PPP"),
    (10, "FDDI"),
    (50, "PPP in HDLC"),
    (51, "PPPoE"),
    (100, "ATM (RFC 1483)"),
    (104, "Cisco HDLC"),
    (105, "802.11"),
    (107, "frame relay"),
    (117, "OpenBSD pflog"),
    (119, "802.11 (Prism)"),
    (122, "IP over Fibre Channel"),
    (127, "802.11 (radiotap)"),
    (138, "IP over FireWire"),
    (143, "DOCSIS"),
    (144, "Linux IrDA"),
    (163, "802.11 (AVS)"),
    (166, "PPP (pppd)"),
    (169, "GPRS LLC"),
    (177, "Linux LAPD"),
    (187, "Bluetooth HCI"),
    (189, "USB (Linux)"),
    (192, "PPI"),
    (195, "802.15.4"),
    (201, "Bluetooth HCI"),
    (204, "PPP with direction"),
    (219, "MPLS"),
    (239, "NFLOG"),
    (240, "NetAnalyzer"),
    (249, "USBPcap"),
    (252, "exported PDUs"),
    (253, "netlink"),
];

/// The IP packet in a frame, and the number of bytes before it. The error names the protocol of the frame, if IP
/// packets could be inside it.
pub(super) fn strip_link_header(
    link: u32,
    frame: &[u8],
) -> Result<(&[u8], u32), Option<&'static str>> {
    let before = match link {
        0 | 108 => 4,                     // NULL, LOOP
        1 => skip_tags(frame, 12, 14)?,   // ETHERNET
        12 | 14 | 101 | 228 | 229 => 0,   // RAW, IPV4, IPV6
        113 => skip_tags(frame, 14, 16)?, // LINUX_SLL
        276 => skip_tags(frame, 0, 20)?,  // LINUX_SLL2
        _ => return Err(Some(linktype_name(link))),
    };
    Ok((frame.get(before..).ok_or(Some(CUT_HEADERS))?, before as u32))
}

fn linktype_name(link: u32) -> &'static str {
    let named = UNREAD_LINKTYPES.iter().find(|(number, _)| *number == link);
    named.map_or("a link type that has no name here", |(_, name)| *name)
}

/// The place where the IP packet begins: the EtherType at `at` names the protocol that follows at `begins`, perhaps
/// behind tags of VLANs or LLC.
fn skip_tags(
    frame: &[u8],
    mut at: usize,
    mut begins: usize,
) -> Result<usize, Option<&'static str>> {
    loop {
        match NETWORK.read_u16(frame, at).ok_or(Some(CUT_HEADERS))? {
            IPV4 | IPV6 => return Ok(begins),
            tag if VLAN.contains(&tag) => (at, begins) = (begins + 2, begins + 4),
            _ if is_snap(frame, at, begins) => (at, begins) = (begins + 6, begins + 8),
            other => {
                return Err(TUNNEL_ETHERTYPES
                    .iter()
                    .find(|carrier| carrier.0 == other)
                    .map(|(_, name)| *name));
            }
        }
    }
}

/// Returns true if a length stands instead of the EtherType, which then follows in a SNAP header [IEEE 802.3, 802.2].
fn is_snap(frame: &[u8], at: usize, begins: usize) -> bool {
    let is_length = NETWORK.read_u16(frame, at).is_some_and(|length| length <= MAX_LENGTH_FIELD);
    is_length && frame.get(begins..).is_some_and(|rest| rest.starts_with(&SNAP))
}
