//! Evidence against a sender being Linux: headers that other systems write differently.

use airtcp_capture::SequenceCounter;
use airtcp_capture::distance;
use airtcp_capture::{Flags, Segment};

/// Initial hop limit of Linux; other systems have 128 or 255.
const INITIAL_HOP_LIMIT: u8 = 64;
/// Options in the order in which Linux writes them: MSS, SACK permitted, timestamps, window scale, Fast Open
/// [crates/linux/rules/options.md rules 1 to 3].
const OPTION_ORDER: [&[u8]; 5] = [&[2], &[4], &[8], &[3], &[34, 254, 30]];

/// Reasons why the sender of these segments cannot be Linux; none where it can. `syn` is its SYN.
pub(crate) fn reasons_against_linux(segments: &[(bool, Segment)], syn: &Segment) -> Vec<String> {
    let mut reasons = vec![];
    let usual = median_hop_limit(segments);
    if usual > INITIAL_HOP_LIMIT {
        let begin = if usual <= 128 { 128 } else { 255 };
        reasons.push(format!("its packets begin with {begin} hops"));
    }
    if !is_in_linux_order(&syn.options.kinds) {
        reasons.push("the options of its SYN are in another order".to_owned());
    }
    if syn.options.mss.is_none() && !syn.truncated {
        reasons.push("its SYN has no MSS".to_owned());
    }
    if probes_with_a_byte(segments, syn) {
        reasons.push("its keepalives carry a byte".to_owned());
    }
    if exceeds_window(segments) {
        reasons.push("it sends beyond the window that its peer advertised".to_owned());
    }
    let asks = !syn.flags.contains(Flags::ACK);
    if !reasons.is_empty() && asks && syn.options.timestamps.is_none() {
        reasons.push("its SYN has no timestamps".to_owned());
    }
    reasons
}

/// Hops that the sender's packets have where they were captured, in the middle of all.
fn median_hop_limit(segments: &[(bool, Segment)]) -> u8 {
    let mut hops: Vec<u8> =
        segments.iter().filter(|record| record.0).map(|record| record.1.ttl).collect();
    hops.sort_unstable();
    hops.get(hops.len() / 2).copied().unwrap_or(INITIAL_HOP_LIMIT)
}

/// Returns true if the sender's packets may have started with the initial hop limit of Linux.
pub(crate) fn begins_like_linux(segments: &[(bool, Segment)]) -> bool {
    median_hop_limit(segments) <= INITIAL_HOP_LIMIT
}

/// Segments beyond the peer's window that exclude Linux; a single one may answer an ACK that was not captured.
const MAX_BEYOND_WINDOW: usize = 3;

/// Returns true if the sender sends new data beyond all advertised windows and no ACK shortly afterwards explains it.
fn exceeds_window(segments: &[(bool, Segment)]) -> bool {
    let scale = |own: bool| {
        let syns =
            segments.iter().filter(|record| record.1.flags.contains(Flags::SYN) && record.0 == own);
        syns.map(|record| record.1.options.scale).next().flatten()
    };
    let scale = scale(true).and(scale(false)).unwrap_or(0).min(14);
    let (mut edge, mut waiting, mut beyond): (Option<u32>, Vec<u32>, usize) = (None, vec![], 0);
    for (outgoing, segment) in segments {
        if *outgoing && segment.length > 0 {
            waiting.extend(
                edge.filter(|&edge| distance(segment.end_seq(), edge) > 0)
                    .map(|_| segment.end_seq()),
            );
        } else if !outgoing && segment.flags.contains(Flags::ACK) {
            let shift = if segment.flags.contains(Flags::SYN) { 0 } else { scale };
            let advertised = segment.ack.wrapping_add(u32::from(segment.window) << shift);
            let highest = edge.filter(|&edge| distance(edge, advertised) > 0).unwrap_or(advertised);
            beyond += waiting.drain(..).filter(|&end| distance(end, highest) > 0).count();
            edge = Some(highest);
        }
    }
    beyond >= MAX_BEYOND_WINDOW
}

fn is_in_linux_order(kinds: &[u8]) -> bool {
    let ranks =
        kinds.iter().filter_map(|kind| OPTION_ORDER.iter().position(|group| group.contains(kind)));
    ranks.is_sorted()
}

/// Returns true if an acknowledged byte is retransmitted when nothing is outstanding: keepalives of Linux carry no
/// data.
fn probes_with_a_byte(segments: &[(bool, Segment)], syn: &Segment) -> bool {
    let mut own = SequenceCounter::new(syn.seq);
    let (mut sent, mut acknowledged) = (1, 1);
    for (outgoing, segment) in segments {
        if !outgoing {
            let ack =
                segment.flags.contains(Flags::ACK).then(|| own.nearest(segment.ack)).flatten();
            acknowledged = acknowledged.max(ack.unwrap_or(0));
        } else if let Some(seq) = own.advance(segment.seq) {
            let is_probe =
                segment.length == 1 && seq + 1 == sent && sent == acknowledged && sent > 2;
            if is_probe {
                return true;
            }
            sent = sent.max(seq + u64::from(segment.length));
        }
    }
    false
}
