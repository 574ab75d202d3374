//! Packet trains over an idle link: how much a link carries with them, and with which queue.

use crate::strategies::increasing;
use crate::transmitter::{Packet, at, settings};
use airtcp_core::{PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::queue::Spec as _;
use airtcp_radio::{
    Hop, HopConfig, OPPORTUNITY_BITS, Opportunities, QueueSpec, Train, Transmitter,
};
use proptest::prelude::*;

const MS: i64 = 1_000_000;

/// A train at a time of the recording, in milliseconds.
type Recorded = (i64, Vec<u32>);

fn opportunities(busy: &[u32], trains: &[Recorded]) -> Opportunities {
    let train = |(time, millis): &Recorded| {
        Train::new(Span::from_nanos(time * MS), Span::ZERO, millis).expect("a train")
    };
    let trace = Opportunities::new(busy).expect("a trace");
    trace.with_trains(trains.iter().map(train).collect()).expect("trains")
}

fn config(opportunities: Opportunities) -> HopConfig {
    let rate = Rate::try_from("1Gbps".to_owned()).unwrap();
    HopConfig { opportunities: Some(opportunities), ..HopConfig::new(rate, Span::ZERO) }
}

/// Arrivals (ns) of packets of these bits that come at these instants (ns).
fn arrivals(mut line: impl Stage<Packet>, pushes: &[(i64, u64)]) -> Vec<i64> {
    let mut found = Vec::new();
    let mut poll = |line: &mut dyn Stage<Packet>, until: i64| {
        loop {
            match line.poll(at(until)) {
                PollResult::Out(packet) => found.push(packet.on_air.expect("it was sent").1),
                _ => return,
            }
        }
    };
    for (id, &(time, bits)) in pushes.iter().enumerate() {
        poll(&mut line, time);
        line.push(at(time), Packet::new(id, 0, bits));
    }
    poll(&mut line, 1_000_000 * MS);
    found
}

/// Queues that drop nothing of what is pushed here.
const QUEUES: [&str; 3] = [
    r#"{"kind": "drop-tail", "packets": 1000}"#,
    r#"{"kind": "codel", "target": "1000s", "interval": "1000s"}"#,
    r#"{"kind": "fq-codel", "target": "1000s", "interval": "1000s"}"#,
];

fn with_queue(spec: &str, opportunities: Opportunities) -> Transmitter<Packet> {
    let spec: QueueSpec = serde_json::from_str(spec).unwrap();
    let managed = Some(spec.build(Rate::MAX, Stream::new(1, "queue", 0)).unwrap());
    Transmitter::new(HopConfig { managed, ..config(opportunities) })
}

#[test]
fn packets_that_come_while_others_wait_do_not_restart_the_train() {
    let trace = opportunities(&[10], &[(0, (1..100).map(|i| 10 * i).collect())]);
    let pushes = [0, 0, 0, 0, 5, 5, 12].map(|ms| (ms * MS, OPPORTUNITY_BITS));
    let wanted: Vec<i64> = (1..8).map(|i| 10 * i * MS).collect();
    assert_eq!(arrivals(Hop::new(config(trace.clone())), &pushes), wanted);
    for queue in QUEUES {
        assert_eq!(arrivals(with_queue(queue, trace.clone()), &pushes), wanted, "{queue}");
    }
}

fn recorded() -> impl Strategy<Value = Recorded> {
    let millis = proptest::collection::vec(0..40_u32, 1..8);
    (0..60_i64, millis).prop_map(|(time, mut millis)| {
        millis.sort_unstable();
        (time, millis)
    })
}

/// A busy link and trains.
fn recordings() -> impl Strategy<Value = (Vec<u32>, Vec<Recorded>)> {
    let busy = increasing(8).prop_map(|times| {
        let mut millis: Vec<u32> = times.into_iter().map(|time| time as u32 / 5).collect();
        millis.push(60);
        millis
    });
    let trains = proptest::collection::vec(recorded(), 1..4).prop_map(|mut trains| {
        trains.sort_unstable();
        trains.dedup_by_key(|train| train.0);
        trains
    });
    (busy, trains)
}

/// When packets come (ns), and bits: alone, some at once, and more than the link carries.
fn pushes() -> impl Strategy<Value = Vec<(i64, u64)>> {
    let one = (0..30_i64, 1..4_usize, 1..5_u64);
    proptest::collection::vec(one, 1..200).prop_map(|all| {
        let mut now = 0;
        let burst = |(gap, number, size): (i64, usize, u64)| {
            now += gap * MS / 2;
            std::iter::repeat_n((now, size * OPPORTUNITY_BITS / 3), number)
        };
        all.into_iter().flat_map(burst).collect()
    })
}

/// Number of opportunities of the busy link until `now`.
fn number_until(busy: &[u32], now: i64) -> u64 {
    let end = i64::from(busy[busy.len() - 1]) * MS;
    let within = busy.iter().filter(|time| i64::from(**time) * MS <= now % end).count();
    (now / end).unsigned_abs() * busy.len() as u64 + within as u64
}

proptest! {
    #![proptest_config(settings(3_000))]

    /// Over any window, a link carries no more than the opportunities of the busy link and of the trains at its ends:
    /// in the long run no more than the busy link.
    #[test]
    fn a_link_never_carries_more_than_its_recordings(
        (busy, trains) in recordings(),
        pushes in pushes(),
    ) {
        let found = arrivals(Hop::new(config(opportunities(&busy, &trains))), &pushes);
        prop_assert_eq!(found.len(), pushes.len());
        let longest = trains.iter().map(|train| train.1.len() as u64).max().unwrap();
        for first in 0..found.len() {
            let mut bits = 0;
            for last in first..found.len() {
                bits += pushes[last].1;
                let before = number_until(&busy, found[first] - 1);
                // The first packet of the window may have used opportunities before that.
                let most = number_until(&busy, found[last]) - before + 2 * longest + 2;
                prop_assert!(bits <= most * OPPORTUNITY_BITS, "{} > {}", bits, most * OPPORTUNITY_BITS);
            }
        }
        let whole: u64 = pushes.iter().map(|push| push.1).sum();
        let most = number_until(&busy, *found.last().unwrap()) + longest;
        prop_assert!(whole <= most * OPPORTUNITY_BITS);
    }

    #[test]
    fn queues_that_drop_nothing_give_the_same_times(
        (busy, trains) in recordings(),
        pushes in pushes(),
    ) {
        let trace = opportunities(&busy, &trains);
        let wanted = arrivals(Hop::new(config(trace.clone())), &pushes);
        for queue in QUEUES {
            let found = arrivals(with_queue(queue, trace.clone()), &pushes);
            prop_assert_eq!(&found, &wanted, "{}", queue);
        }
    }
}
