//! Random parts of hops, and packets that are pushed into them. Times are in nanoseconds.

use airtcp_radio::{ChannelSpec, Discipline};
use proptest::prelude::*;

/// Channels that are asked by time, by slot and by packet, and draw or do not.
pub(crate) fn channels() -> impl Strategy<Value = ChannelSpec> {
    let kinds = [
        r#"{"kind": "iid", "loss_rate": 0}"#,
        r#"{"kind": "trace", "lost": [0, 0, 1, 0, 1]}"#,
        r#"{"kind": "two-state", "p_gb": 0.2, "p_bg": 0.4}"#,
        r#"{"kind": "two-state", "p_gb": 0.2, "p_bg": 0.4, "clock": "packet"}"#,
        r#"{"kind": "sojourn", "good": "4packets", "bad": "8bits"}"#,
    ];
    proptest::sample::select(kinds.map(|k| serde_json::from_str(k).unwrap()).to_vec())
}

/// Queues that only refuse.
pub(crate) fn queues() -> impl Strategy<Value = Discipline> {
    prop_oneof![
        Just(Discipline::Unlimited),
        (2..6_u64).prop_map(Discipline::DropTail),
        (1..60_u64).prop_map(Discipline::DropTailBits),
    ]
}

/// Less than `n` instants, one after the other.
pub(crate) fn increasing(n: usize) -> impl Strategy<Value = Vec<i64>> {
    proptest::collection::btree_set(0..300_i64, 0..n).prop_map(|set| set.into_iter().collect())
}

/// When packets come; `packet` makes one of its id, number and bits. Coarse times and lengths make events coincide.
pub(crate) fn pushes<P: std::fmt::Debug>(
    packet: fn(usize, u64, u64) -> P,
) -> impl Strategy<Value = Vec<(i64, P)>> {
    let one = (0..60_i64, 0..6_u64, 1..5_u64);
    proptest::collection::vec(one, 1..40).prop_map(move |mut all| {
        all.sort_unstable();
        let pushed = |(id, (time, number, size)): (usize, (i64, u64, u64))| {
            (time * 5, packet(id, number, size * 5))
        };
        all.into_iter().enumerate().map(pushed).collect()
    })
}
