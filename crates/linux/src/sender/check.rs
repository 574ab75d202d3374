//! Invariants, recounted slowly.

use super::Sender;
use super::queue::{Flags, NONE};

/// O, S, L and R are those of the flags; RACK's order is the order of send times and holds what can still be
/// found lost; what its cursor skips is lost and waits.
pub(super) fn check(s: &Sender) {
    let queue = &s.queue;
    let ids = || queue.head()..queue.tail();
    let count = |flag| ids().filter(|id| queue.at(*id).flags.any(flag)).count() as u32;
    if s.sack {
        assert_eq!(queue.sacked, count(Flags::SACKED), "S");
    }
    assert_eq!(queue.lost, count(Flags::LOST), "L");
    assert_eq!(queue.retrans, count(Flags::RETRANS), "R");
    assert_eq!(queue.buffers, count(Flags::FIRST), "buffers");
    assert!(queue.sacked + queue.lost <= queue.out() + queue.retrans, "in flight");
    let mut at = None;
    for id in ids() {
        let packet = queue.at(id);
        assert!(at.is_none_or(|end| end == packet.seq), "numbers without a gap");
        at = Some(packet.end());
        assert!(!packet.flags.any(Flags::SACKED) || !packet.flags.any(Flags::LOST));
        assert!(!packet.flags.any(Flags::RETRANS) || packet.flags.any(Flags::EVER));
    }
    assert!(at.is_none_or(|end| end == s.nxt), "the queue ends at nxt");
    assert!(queue.first().is_none_or(|head| head.seq <= s.una && head.end() > s.una));
    order(s);
}

/// An independent count of RACK's order.
fn order(s: &Sender) {
    let queue = &s.queue;
    let linked = |id: &u64| queue.at(*id).flags.any(Flags::LINKED);
    let mut slow: Vec<u64> = (queue.head()..queue.tail()).filter(linked).collect();
    slow.sort_by_key(|id| queue.at(*id).sent);
    let (mut id, mut before, mut fast) = (queue.oldest, NONE, Vec::new());
    let mut reached = queue.cursor == NONE;
    while id != NONE {
        let packet = queue.at(id);
        assert_eq!(packet.earlier, before);
        reached |= id == queue.cursor;
        if !reached {
            assert!(packet.flags.any(Flags::LOST) && !packet.flags.any(Flags::RETRANS));
        }
        fast.push(id);
        (before, id) = (id, packet.later);
    }
    assert_eq!(queue.newest, before);
    assert!(reached);
    let sent = |ids: &[u64]| ids.iter().map(|id| queue.at(*id).sent).collect::<Vec<_>>();
    assert_eq!(sent(&slow), sent(&fast));
    slow.sort_unstable();
    fast.sort_unstable();
    assert_eq!(slow, fast);
}
