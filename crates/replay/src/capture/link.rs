//! What stands before the IP header, by the LINKTYPE of an interface.

use super::bytes::NETWORK;
use super::ip::CUT;

const VLAN: [u16; 3] = [0x8100, 0x88A8, 0x9100];
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;
/// EtherTypes of what carries packets and is not read.
const CARRIERS: [(u16, &str); 6] = [
    (0x8847, "MPLS"),
    (0x8848, "MPLS"),
    (0x8864, "PPPoE"),
    (0x88E7, "PBB (802.1ah)"),
    (0x88E5, "MACsec"),
    (0x894F, "NSH"),
];
/// LINKTYPEs that are not read, by their names in the registry of tcpdump.
const NAMES: [(u32, &str); 35] = [
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

/// The IP packet in a frame, and how many bytes stand before it; else in what it is, if IP packets could be in that.
pub(super) fn strip(link: u32, frame: &[u8]) -> Result<(&[u8], u32), Option<&'static str>> {
    let before = match link {
        0 | 108 => 4,                   // NULL, LOOP
        1 => ethernet(frame)?,          // ETHERNET
        12 | 14 | 101 | 228 | 229 => 0, // RAW, IPV4, IPV6
        113 => cooked(frame, 14, 16)?,  // LINUX_SLL
        276 => cooked(frame, 0, 20)?,   // LINUX_SLL2
        _ => return Err(Some(name(link))),
    };
    Ok((frame.get(before..).ok_or(Some(CUT))?, before as u32))
}

fn name(link: u32) -> &'static str {
    let named = NAMES.iter().find(|(number, _)| *number == link);
    named.map_or("a link type that has no name here", |(_, name)| *name)
}

fn ethernet(frame: &[u8]) -> Result<usize, Option<&'static str>> {
    let mut at = 12;
    while VLAN.contains(&NETWORK.short(frame, at).ok_or(Some(CUT))?) {
        at += 4;
    }
    cooked(frame, at, at + 2)
}

/// `begins`, if the EtherType at `at` is that of IP.
fn cooked(frame: &[u8], at: usize, begins: usize) -> Result<usize, Option<&'static str>> {
    match NETWORK.short(frame, at).ok_or(Some(CUT))? {
        IPV4 | IPV6 => Ok(begins),
        other => Err(CARRIERS.iter().find(|(number, _)| *number == other).map(|(_, name)| *name)),
    }
}
