//! Segments of the stack as packets of the tool, and back.

use crate::packet::{Flags, Packet, TcpOption};
use airtcp_linux::fast_open::Cookie;
use airtcp_linux::host::{Datagram, PortPair};
use airtcp_linux::receiver::Blocks;
use airtcp_linux::segment::{Segment, Timestamps};
use airtcp_linux::{Ecn, segment};
use std::collections::VecDeque;

/// The address 192.0.2.1.
pub(super) const REMOTE: u32 = 0xc000_0201;

/// The datagram that the tool injects for a packet.
pub(super) fn datagram_from_packet(packet: &Packet, mss: Option<u32>) -> Datagram {
    let mut segment = Segment {
        seq: packet.sequence.into(),
        ack: packet.acknowledgment.into(),
        flags: segment::Flags(packet.flags.0 as u8),
        window: packet.window,
        ecn: Ecn::from_bits(packet.tos),
        tos: packet.tos & !3,
        len: packet.payload,
        // With `--mss` the tool injects what the device would have merged.
        size: mss.unwrap_or(u32::MAX).min(packet.payload),
        ..Segment::default()
    };
    for option in &packet.options {
        match option {
            TcpOption::Mss(bytes) => segment.mss = Some(*bytes),
            TcpOption::WindowScale(shift) => segment.scale = Some(*shift),
            TcpOption::SackPermitted => segment.sack_permitted = true,
            TcpOption::Sack(blocks) => {
                let wide = |(a, b): &(u32, u32)| (u64::from(*a), u64::from(*b));
                let blocks: Vec<(u64, u64)> = blocks.iter().map(wide).collect();
                segment.sack = Blocks::from_slice(&blocks);
            }
            TcpOption::Timestamps { value, echo } => {
                segment.timestamps = Some(Timestamps { value: *value, echo: *echo });
            }
            _ => {}
        }
    }
    let pair = PortPair { local: packet.destination, address: REMOTE, remote: packet.source };
    Datagram { pair, segment, cookie: last_cookie(packet) }
}

/// The last valid Fast Open cookie in a packet.
fn last_cookie(packet: &Packet) -> Option<Cookie> {
    let read = |option: &TcpOption| match option {
        TcpOption::FastOpen { cookie, experimental } => Cookie::parse(cookie, *experimental),
        _ => None,
    };
    packet.options.iter().rev().find_map(read)
}

/// Splits a burst as the device does: PSH and FIN go with the last segment, CWR with the first.
pub(super) fn split_burst(datagram: &Datagram, ttl: u8, into: &mut VecDeque<Packet>) {
    let whole = &datagram.segment;
    let size = if whole.size == 0 { whole.len } else { whole.size };
    let last_flags = segment::Flags(segment::Flags::PSH.0 | segment::Flags::FIN.0);
    let mut sent = 0;
    loop {
        let payload = (whole.len - sent).min(size);
        let mut flags = whole.flags;
        if sent > 0 {
            flags = flags.without(segment::Flags::CWR);
        }
        if sent + payload < whole.len {
            flags = flags.without(last_flags);
        }
        into.push_back(Packet {
            source: datagram.pair.local,
            destination: datagram.pair.remote,
            flags: Flags(flags.0.into()),
            sequence: (whole.seq as u32).wrapping_add(sent),
            acknowledgment: whole.ack as u32,
            window: whole.window,
            options: options_in_linux_order(whole, datagram.cookie),
            payload,
            tos: whole.tos | whole.ecn as u8,
            ttl,
            ..Packet::default()
        });
        sent += payload;
        if sent >= whole.len {
            return;
        }
    }
}

/// Options in the order of Linux [crates/linux/rules/options.md rules 1 to 3].
fn options_in_linux_order(segment: &Segment, cookie: Option<Cookie>) -> Vec<TcpOption> {
    let mut options = vec![];
    if let Some(bytes) = segment.mss {
        options.push(TcpOption::Mss(bytes));
    }
    let fill = |options: &mut Vec<TcpOption>| options.extend([TcpOption::Nop, TcpOption::Nop]);
    match (segment.sack_permitted, segment.timestamps) {
        (true, Some(_)) => options.push(TcpOption::SackPermitted),
        (true, None) => {
            fill(&mut options);
            options.push(TcpOption::SackPermitted);
        }
        (false, Some(_)) => fill(&mut options),
        (false, None) => {}
    }
    if let Some(stamps) = segment.timestamps {
        options.push(TcpOption::Timestamps { value: stamps.value, echo: stamps.echo });
    }
    if let Some(shift) = segment.scale {
        options.extend([TcpOption::Nop, TcpOption::WindowScale(shift)]);
    }
    if let Some(cookie) = cookie {
        let (bytes, experimental) = (cookie.bytes().to_vec(), cookie.experimental);
        let length = bytes.len() + if experimental { 4 } else { 2 };
        options.push(TcpOption::FastOpen { cookie: bytes, experimental });
        options.extend(vec![TcpOption::Nop; length.next_multiple_of(4) - length]);
    }
    if !segment.sack.is_empty() {
        fill(&mut options);
        let narrow = |(a, b): &(u64, u64)| (*a as u32, *b as u32);
        options.push(TcpOption::Sack(segment.sack.iter().map(narrow).collect()));
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_split_and_keeps_its_flags() {
        let flags = segment::Flags::ACK
            .with(segment::Flags::PSH, true)
            .with(segment::Flags::FIN, true)
            .with(segment::Flags::CWR, true);
        let whole = Segment { seq: 5, flags, len: 2500, size: 1000, ..Segment::default() };
        let mut packets = VecDeque::new();
        split_burst(
            &Datagram { pair: PortPair::default(), segment: whole, cookie: None },
            64,
            &mut packets,
        );
        let shown: Vec<String> = packets.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "W. 5:1005(1000) ack 0 win 0",
                ". 1005:2005(1000) ack 0 win 0",
                "FP. 2005:2505(500) ack 0 win 0"
            ]
        );
    }

    #[test]
    fn options_stand_in_the_order_of_linux() {
        let stamps = Some(Timestamps { value: 7, echo: 0 });
        let syn = Segment {
            mss: Some(1460),
            scale: Some(8),
            sack_permitted: true,
            timestamps: stamps,
            ..Segment::default()
        };
        let shown = |segment: &Segment| {
            options_in_linux_order(segment, None)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(",")
        };
        assert_eq!(shown(&syn), "mss 1460,sackOK,TS val 7 ecr 0,nop,wscale 8");
        let bare = Segment { timestamps: None, ..syn };
        assert_eq!(shown(&bare), "mss 1460,nop,nop,sackOK,nop,wscale 8");
        let sack = Blocks::from_slice(&[(3, 4)]);
        let ack = Segment { timestamps: stamps, sack, ..Segment::default() };
        assert_eq!(shown(&ack), "nop,nop,TS val 7 ecr 0,nop,nop,sack 3:4");
    }
}
