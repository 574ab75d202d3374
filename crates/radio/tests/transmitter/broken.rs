//! Every property of queues can fail: broken queues, and the properties that find them out.

use crate::transmitter::Packet;
use crate::transmitter::case::{Case, Example, Kind, SOUND, Seen, cases};
use crate::transmitter::properties::{
    Property, asks_again, conserves, delivers_once, drops_in_time, is_in_order, is_reproducible,
    keeps_its_limit, keeps_its_order, marks_what_takes_marks, works,
};
use crate::transmitter::queues::{Fault, LIMIT};
use airtcp_radio::LossCause;
use airtcp_radio::queue::Order;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::panic::{AssertUnwindSafe, catch_unwind};

const BROKEN: [(Kind, &str, Property); 12] = [
    (Kind::Faulty(Fault::Forgets), "conserves", conserves),
    (Kind::Faulty(Fault::Forgets), "delivers_once", delivers_once),
    (Kind::Faulty(Fault::Repeats), "delivers_once", delivers_once),
    (Kind::Faulty(Fault::Hides), "works", works),
    (Kind::Spaced(false), "works", works),
    (Kind::Faulty(Fault::Stutters), "works", works),
    (Kind::Lifo(Order::Arrival, LIMIT), "keeps_its_order", keeps_its_order),
    (Kind::Lifo(Order::Owner, LIMIT), "keeps_its_order", keeps_its_order),
    (Kind::Lifo(Order::Any, 100), "keeps_its_limit", keeps_its_limit),
    (Kind::Impatient(false), "drops_in_time", drops_in_time),
    (Kind::Faulty(Fault::Marks), "marks_what_takes_marks", marks_what_takes_marks),
    (Kind::Faulty(Fault::Moody), "is_reproducible", is_reproducible),
];

/// Cases of a transmitter with this queue.
fn some(queue: Example) -> impl Iterator<Item = Case> {
    let mut runner = TestRunner::deterministic();
    let cases = cases(vec![queue]);
    (0..300).map(move |_| cases.new_tree(&mut runner).expect("a case").current())
}

/// True if `property` fails, or if the transmitter itself notices that its queue is broken, and panics.
fn fails(property: Property, case: &Case) -> bool {
    !matches!(catch_unwind(AssertUnwindSafe(|| property(case))), Ok(Ok(())))
}

#[test]
fn a_broken_queue_is_found_out() {
    for (kind, name, property) in BROKEN {
        let queue = Example { kind, packets: Some(LIMIT), bits: None };
        let found = some(queue).filter(|case| fails(property, case)).count();
        assert!(found > 5, "{name} finds {found} faults of {kind:?}");
    }
}

#[test]
fn packets_that_overtake_where_they_must_not_are_found_out() {
    let overtaking = some(SOUND[0]).filter(|case| case.reorder).map(|case| case.run(true));
    let found = overtaking.filter(|seen| is_in_order(seen, false).is_err());
    assert!(found.count() > 5);
}

#[test]
fn a_queue_that_is_asked_too_early_is_found_out() {
    let push = |at| (at, Packet::new(0, 0, 8));
    let waits = (10, Some(30));
    assert!(asks_again(&[waits, (29, None)], &[push(5)]).is_err());
    assert!(asks_again(&[waits, (30, None)], &[push(5)]).is_ok());
    assert!(asks_again(&[waits, (20, None)], &[push(5), push(20)]).is_ok());
}

/// The queues that only tests have do what they are there for.
#[test]
fn sound_queues_wait_overtake_and_drop_late() {
    let of = |wanted: fn(&Kind) -> bool| {
        let queue = SOUND.iter().find(|one| wanted(&one.kind)).expect("an example");
        some(*queue).map(|case| case.run(true)).collect::<Vec<_>>()
    };
    let waits = |seen: &Seen| seen.answers.iter().any(|answer| answer.1.is_some());
    let drops = |seen: &Seen| seen.left.iter().any(|one| one.cause == Some(LossCause::Queue));
    let overtakes = |seen: &Seen| {
        let each = seen.left.iter().map(|one| (one.packet.on_air, one.packet.id));
        let mut sent: Vec<_> = each.filter(|one| one.0.is_some()).collect();
        sent.sort_unstable();
        !sent.is_sorted_by_key(|one| one.1)
    };
    let many = |runs: &[Seen], is: &dyn Fn(&Seen) -> bool| {
        let found = runs.iter().filter(|seen| is(seen)).count();
        assert!(found > 50, "{found}");
    };
    many(&of(|kind| matches!(kind, Kind::Spaced(_))), &waits);
    many(&of(|kind| matches!(kind, Kind::Lifo(..))), &overtakes);
    many(&of(|kind| matches!(kind, Kind::RoundRobin)), &overtakes);
    many(&of(|kind| matches!(kind, Kind::Impatient(_))), &drops);
}
