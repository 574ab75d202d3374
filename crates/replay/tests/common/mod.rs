//! A sender in slow start over 100 ms, of which every segment is acknowledged at once, as a pcap file of raw IPv4.
#![allow(dead_code)] // The tests of the modules use a part.

/// A packet of a capture.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    /// When, in us.
    pub(crate) us: u64,
    /// True if the sender sent the packet.
    pub(crate) out: bool,
    /// Numbers from 0, and control bits.
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) flags: u8,
    pub(crate) options: Vec<u8>,
    /// Bytes of data, of which none are kept.
    pub(crate) len: u16,
    pub(crate) window: u16,
    pub(crate) id: u16,
    pub(crate) ttl: u8,
}

pub(crate) const SYN: u8 = 2;
pub(crate) const ACK: u8 = 16;
pub(crate) const MSS: u16 = 1460;
/// Microseconds of a round trip.
pub(crate) const RTT: u64 = 100_000;

impl Packet {
    pub(crate) fn of_sender(us: u64, seq: u32, len: u16) -> Self {
        Packet {
            us,
            out: true,
            seq,
            ack: 1,
            flags: ACK,
            options: vec![],
            len,
            window: 502,
            id: (us & 0xFFFF) as u16 | 1,
            ttl: 64,
        }
    }

    pub(crate) fn of_receiver(us: u64, ack: u32) -> Self {
        Packet { out: false, seq: 1, ack, window: 4000, ..Packet::of_sender(us, 0, 0) }
    }

    /// Header of IP, then TCP.
    pub(crate) fn headers(&self) -> Vec<u8> {
        let header = 20 + self.options.len();
        let total = 20 + header as u16 + self.len;
        let mut bytes = vec![0x45, 0];
        bytes.extend(total.to_be_bytes());
        bytes.extend(self.id.to_be_bytes());
        bytes.extend([0x40, 0, self.ttl, 6, 0, 0]);
        let (from, to) = if self.out { (1, 2) } else { (2, 1) };
        bytes.extend([10, 0, 0, from, 10, 0, 0, to, 0, from, 0, to]);
        bytes.extend(self.seq.to_be_bytes());
        bytes.extend(self.ack.to_be_bytes());
        bytes.extend([(header as u8 / 4) << 4, self.flags]);
        bytes.extend(self.window.to_be_bytes());
        bytes.extend([0, 0, 0, 0]);
        bytes.extend(&self.options);
        bytes
    }
}

fn options(mss: u16) -> Vec<u8> {
    let mut bytes = vec![2, 4];
    bytes.extend(mss.to_be_bytes());
    bytes.extend([1, 1, 4, 2, 1, 3, 3, 7]);
    bytes
}

/// SYN, SYN-ACK, ACK; both ends say which MSS they take.
pub(crate) fn handshake(own: u16, peer: u16) -> Vec<Packet> {
    let syn = Packet {
        flags: SYN,
        ack: 0,
        options: options(own),
        window: 64240,
        ..Packet::of_sender(0, 0, 0)
    };
    let answer = Packet {
        flags: SYN | ACK,
        seq: 0,
        options: options(peer),
        window: 65535,
        ..Packet::of_receiver(RTT, 1)
    };
    vec![syn, answer, Packet::of_sender(RTT + 30, 1, 0)]
}

/// `packets` at least in all: each ACK lets two segments go.
pub(crate) fn slow_start(own: u16, peer: u16, packets: usize) -> Vec<Packet> {
    let mut all = handshake(own, peer);
    let (mut next, mut sent) = (1, std::collections::VecDeque::new());
    for at in 0..10 {
        all.push(Packet::of_sender(RTT + 100 + at, next, MSS));
        sent.push_back((RTT + 100 + at, next));
        next += u32::from(MSS);
    }
    while all.len() < packets {
        let (at, seq) = sent.pop_front().expect("each ACK lets two go");
        let now = (at + RTT).max(all.last().expect("there is a handshake").us + 20);
        all.push(Packet::of_receiver(now, seq + u32::from(MSS)));
        for nth in 0..2 {
            all.push(Packet::of_sender(now + 20 + nth, next, MSS));
            sent.push_back((now + 20 + nth, next));
            next += u32::from(MSS);
        }
    }
    all
}

/// Microseconds between two ACKs of a slow link.
const SLOW: u64 = 1100;

/// `segments` segments over a slow link, of which the peer's window lets 64 be out.
pub(crate) fn steady(segments: u32) -> Vec<Packet> {
    let advertised = (64 * u32::from(MSS)).div_ceil(128) as u16;
    let mut all = handshake(MSS, MSS);
    let (mut next, mut cwnd, mut came) = (1_u32, 10, RTT);
    let mut sent = std::collections::VecDeque::new();
    loop {
        for nth in 0.. {
            if sent.len() == cwnd.min(64) || next > segments * u32::from(MSS) {
                break;
            }
            let us = came + 100 + nth;
            all.push(Packet::of_sender(us, next, MSS));
            next += u32::from(MSS);
            sent.push_back((us, next));
        }
        let Some((left, end)) = sent.pop_front() else { return all };
        came = (left + RTT).max(came + SLOW);
        all.push(Packet { window: advertised, ..Packet::of_receiver(came, end) });
        cwnd += usize::from(cwnd < 64);
    }
}

/// The file, of each packet the first `snap` bytes.
pub(crate) fn pcap(packets: &[Packet], snap: usize) -> Vec<u8> {
    let mut file: Vec<u8> = vec![];
    for word in [0xA1B2_C3D4_u32, 0x0004_0002, 0, 0, snap as u32, 101] {
        file.extend(word.to_le_bytes());
    }
    for packet in packets {
        let mut kept = packet.headers();
        let length = kept.len() + usize::from(packet.len);
        kept.truncate(snap);
        let (seconds, us) = (1_700_000_000 + packet.us / 1_000_000, packet.us % 1_000_000);
        for word in [seconds, us, kept.len() as u64, length as u64] {
            file.extend((word as u32).to_le_bytes());
        }
        file.extend(kept);
    }
    file
}
