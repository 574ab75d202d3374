//! Invariants, recounted slowly.

use super::Sender;
use super::queue::{Flags, NO_PACKET};

/// Checks that the counts O, S, L and R are as many as the packets with each flag; that RACK's order is the order of
/// send times and holds the packets that can still be found lost; and that its cursor skips only lost packets that wait.
pub(super) fn check_invariants(s: &Sender) {
    let queue = &s.queue;
    let ids = || queue.head()..queue.tail();
    let count = |flag| ids().filter(|id| queue.packet(*id).flags.intersects(flag)).count() as u32;
    if s.sack {
        assert_eq!(queue.sacked, count(Flags::SACKED), "S");
    }
    assert_eq!(queue.lost, count(Flags::LOST), "L");
    assert_eq!(queue.retrans, count(Flags::RETRANS), "R");
    assert_eq!(queue.buffers, count(Flags::APP_LIMITED_FIRST), "buffers");
    assert!(queue.sacked + queue.lost <= queue.packets_out() + queue.retrans, "in flight");
    let mut at = None;
    for id in ids() {
        let packet = queue.packet(id);
        assert!(at.is_none_or(|end| end == packet.seq), "numbers without a gap");
        at = Some(packet.end());
        assert!(!packet.flags.intersects(Flags::SACKED) || !packet.flags.intersects(Flags::LOST));
        assert!(
            !packet.flags.intersects(Flags::RETRANS)
                || packet.flags.intersects(Flags::EVER_RETRANS)
        );
    }
    assert!(at.is_none_or(|end| end == s.nxt), "the queue ends at nxt");
    assert!(queue.first().is_none_or(|head| head.seq <= s.una && head.end() > s.una));
    check_rack_order(s);
}

/// An independent count of RACK's order.
fn check_rack_order(s: &Sender) {
    let queue = &s.queue;
    let linked = |id: &u64| queue.packet(*id).flags.intersects(Flags::IN_RACK_LIST);
    let mut slow: Vec<u64> = (queue.head()..queue.tail()).filter(linked).collect();
    slow.sort_by_key(|id| queue.packet(*id).sent);
    let (mut id, mut before, mut fast) = (queue.first_sent, NO_PACKET, Vec::new());
    let mut reached = queue.lost_cursor == NO_PACKET;
    while id != NO_PACKET {
        let packet = queue.packet(id);
        assert_eq!(packet.previous_sent, before);
        reached |= id == queue.lost_cursor;
        if !reached {
            assert!(
                packet.flags.intersects(Flags::LOST) && !packet.flags.intersects(Flags::RETRANS)
            );
        }
        fast.push(id);
        (before, id) = (id, packet.next_sent);
    }
    assert_eq!(queue.last_sent, before);
    assert!(reached);
    let sent = |ids: &[u64]| ids.iter().map(|id| queue.packet(*id).sent).collect::<Vec<_>>();
    assert_eq!(sent(&slow), sent(&fast));
    slow.sort_unstable();
    fast.sort_unstable();
    assert_eq!(slow, fast);
}
