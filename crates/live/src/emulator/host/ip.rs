//! The fields of an IPv4 packet that queues use: its connection and its two ECN bits.

/// Offsets of the byte with DSCP and ECN, of the checksum, and of the addresses.
const TOS: usize = 1;
const CHECKSUM: usize = 10;
const ADDRESSES: std::ops::Range<usize> = 12..20;
/// CE: congestion experienced [RFC 3168, section 5].
const CE: u8 = 3;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// A hash of the addresses, the protocol, and the ports of TCP and UDP where the packet has them
/// [FNV-1a].
pub(super) fn connection(packet: &[u8]) -> u32 {
    let Some(&protocol) = packet.get(9) else { return 0 };
    let header = 4 * usize::from(packet[0] & 0xF);
    let is_first = packet[6] & 0x1F == 0 && packet[7] == 0;
    let has_ports = is_first && [TCP, UDP].contains(&protocol);
    let ports = packet.get(header..header + 4).filter(|_| has_ports).unwrap_or_default();
    let addresses = packet.get(ADDRESSES).unwrap_or_default();
    let all = addresses.iter().chain(ports).chain(std::iter::once(&protocol));
    all.fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The two ECN bits.
pub(super) fn ecn(packet: &[u8]) -> u8 {
    packet.get(TOS).map_or(0, |tos| tos & CE)
}

/// Sets CE, and updates the header's checksum accordingly [RFC 1624, equation 3].
pub(super) fn mark(packet: &mut [u8]) {
    if packet.len() < ADDRESSES.end {
        return;
    }
    let word = |packet: &[u8], at| u32::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
    let (before, sum) = (word(packet, 0), word(packet, CHECKSUM));
    packet[TOS] |= CE;
    let sum = (!sum & 0xFFFF) + (!before & 0xFFFF) + word(packet, 0);
    let sum = (sum & 0xFFFF) + (sum >> 16);
    let sum = !((sum & 0xFFFF) + (sum >> 16)) as u16;
    packet[CHECKSUM..CHECKSUM + 2].copy_from_slice(&sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(ecn: u8, ports: [u8; 4]) -> Vec<u8> {
        let mut packet = vec![0x45, 0xB8 | ecn, 0, 24, 0x12, 0x34, 0x40, 0, 64, TCP, 0, 0];
        packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        packet.extend(ports);
        let sum = checksum(&packet[..20]);
        packet[CHECKSUM..CHECKSUM + 2].copy_from_slice(&sum.to_be_bytes());
        packet
    }

    /// The Internet checksum [RFC 1071] of a header.
    fn checksum(header: &[u8]) -> u16 {
        let words = header.chunks(2).map(|two| u32::from(u16::from_be_bytes([two[0], two[1]])));
        let sum: u32 = words.sum();
        !((sum & 0xFFFF) + (sum >> 16)) as u16
    }

    #[test]
    fn a_mark_keeps_the_checksum_right() {
        for (ecn, ports) in [(1, [0, 1, 2, 3]), (2, [9, 9, 9, 9]), (3, [0; 4])] {
            let mut packet = packet(ecn, ports);
            assert_eq!((self::ecn(&packet), checksum(&packet[..20])), (ecn, 0));
            mark(&mut packet);
            assert_eq!((self::ecn(&packet), checksum(&packet[..20])), (CE, 0));
            assert_eq!(packet[TOS] & 0xFC, 0xB8, "DSCP stays");
        }
    }

    #[test]
    fn connections_differ_in_their_ports() {
        let [bytes, same, other] = [[0, 1, 0, 2], [0, 1, 0, 2], [0, 1, 0, 3]].map(|p| packet(2, p));
        assert_eq!(connection(&bytes), connection(&same));
        assert_ne!(connection(&bytes), connection(&other));
        let mut fragment = packet(2, [0, 1, 0, 2]);
        fragment[7] = 1;
        assert_ne!(connection(&bytes), connection(&fragment), "a later fragment has no ports");
        assert_eq!(connection(&[0x45]), 0);
    }
}
