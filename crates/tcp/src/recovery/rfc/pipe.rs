//! Missing data, and how much of it is under way [RFC 6675, section 4].

use crate::view::View;

/// `SetPipe()`, with everything below `resent` retransmitted: data not lost (a) plus data retransmitted (b), both
/// without SACKed data.
pub(crate) fn pipe(view: &View, resent: u64) -> u64 {
    let lost = view.segments.lost_below().max(view.una);
    missing_bytes(view, lost, view.high) + missing_bytes(view, view.una, resent)
}

/// The smallest missing number from `floor` on.
pub(crate) fn next_missing(view: &View, floor: u64) -> u64 {
    view.segments.sacked_ranges().containing(floor).map_or(floor, |range| range.1)
}

/// The largest missing number below `high`; `None` if there is none beyond the cumulative ACK.
pub(crate) fn highest_missing(view: &View) -> Option<u64> {
    let last = view.segments.sacked_ranges().ranges().last();
    let end = last.filter(|r| r.1 >= view.high).map_or(view.high, |r| r.0);
    end.checked_sub(1).filter(|seq| *seq >= view.una)
}

/// Count of numbers of `[start, end)` that were not reported.
pub(crate) fn missing_bytes(view: &View, start: u64, end: u64) -> u64 {
    end.saturating_sub(start).saturating_sub(view.segments.sacked_ranges().count(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::{Detector, Rfc6675};
    use crate::segment::{Block, Sack};
    use crate::{CongestionSpec, Sender, SenderConfig, Variant};
    use std::collections::BTreeSet;

    const MSS: u64 = 3;

    /// `IsLost()`, word by word.
    fn is_lost(sacked: &BTreeSet<u64>, seq: u64, threshold: u64) -> bool {
        let above: Vec<u64> = sacked.range(seq + 1..).copied().collect();
        let runs = above.iter().filter(|s| !sacked.contains(&(*s - 1))).count();
        runs as u64 >= threshold || above.len() as u64 > (threshold - 1) * MSS
    }

    /// `SetPipe()`, octet by octet.
    fn set_pipe(sacked: &BTreeSet<u64>, view: &View, resent: u64) -> u64 {
        let missing = (view.una..view.high).filter(|s| !sacked.contains(s));
        let threshold = view.dupack_threshold.into();
        missing.map(|s| u64::from(!is_lost(sacked, s, threshold)) + u64::from(s < resent)).sum()
    }

    #[test]
    fn agrees_with_the_definitions_octet_by_octet() {
        let config =
            SenderConfig::rfc(Variant::Sack, CongestionSpec::default(), 100, MSS as u32, 0);
        let mut state = 7_u64;
        for _ in 0..300 {
            let mut view = Sender::new(&config).expect("defined").view().clone();
            (view.high, view.written) = (90, 90);
            let mut model = BTreeSet::new();
            for _ in 0..20 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                view.dupack_threshold = 1 + (state >> 62) as u32;
                view.una = (view.una + MSS * ((state >> 57) % 16).saturating_sub(13)).min(60);
                let start = MSS * ((state >> 40) % 30);
                let end = (start + MSS * (1 + (state >> 30) % 3)).min(view.high);
                view.sack = Sack::default();
                view.sack.push(view.una, Block { start, end });
                model.retain(|s| *s >= view.una);
                let before = model.len();
                model.extend(start.max(view.una)..end);
                view.segments.on_ack(view.now, view.una, &view.sack);
                assert_eq!(view.segments.sacked_bytes() > 0, model.len() > before);
                let finding = Rfc6675 {}.on_ack(&view, 0);
                view.segments.mark_lost_below(finding.lost_below);
                for seq in (view.una..view.high).filter(|s| !model.contains(s)) {
                    let expected = is_lost(&model, seq, view.dupack_threshold.into());
                    assert_eq!(seq < finding.lost_below, expected, "{seq} of {model:?}");
                }
                let resent = MSS * ((state >> 20) % 31);
                assert_eq!(pipe(&view, resent), set_pipe(&model, &view, resent));
                let highest = (view.una..view.high).rfind(|s| !model.contains(s));
                assert_eq!(highest_missing(&view), highest);
            }
        }
    }
}
