//! Sums over the history of a link, to be compared with the counts of the link.

use airtcp_radio::{Integral, LinkCounts, LinkHistory};

/// `counts` with those fields replaced that follow from a history up to `end` (ns).
pub(crate) fn counts_of(history: &LinkHistory, end: u64, counts: &LinkCounts) -> LinkCounts {
    let until = history.queue.iter().skip(1).map(|next| next[0]).chain([end]);
    let lasting = history.queue.iter().zip(until).map(|(one, until)| (one, until - one[0]));
    let (mut packet_time, mut bit_time) = (0, 0);
    for ([_, packets, bits], time) in lasting {
        packet_time += u128::from(*packets) * u128::from(time);
        bit_time += u128::from(*bits) * u128::from(time);
    }
    let waited = history.sojourns.iter().map(|one| one[1]);
    let busy = history.busy.iter().map(|[start, end]| end - start).sum();
    LinkCounts {
        packet_time: Integral::new(packet_time),
        bit_time: Integral::new(bit_time),
        started: history.sojourns.len() as u64,
        sojourn: span(waited.sum()),
        busy: span(busy),
        marked: history.marked.len() as u64,
        ..*counts
    }
}

fn span(nanos: u64) -> airtcp_core::Span {
    airtcp_core::Span::from_nanos(nanos.cast_signed())
}

/// True if times increase, levels change from record to record, and busy times do not touch.
pub(crate) fn is_tidy(history: &LinkHistory) -> bool {
    let changes = history.queue.windows(2).all(|w| w[0][0] < w[1][0] && w[0][1..] != w[1][1..]);
    let begins = history.queue.first().is_none_or(|first| first[1] > 0);
    let starts = history.sojourns.windows(2).all(|w| w[0][0] <= w[1][0]);
    let apart = history.busy.windows(2).all(|w| w[0][1] < w[1][0]);
    changes && begins && starts && apart && history.busy.iter().all(|one| one[0] < one[1])
}
