//! Properties of every queue by its promises, with jitter, duplication and gates: a property that is broken says how.

use crate::histories::{counts_of, is_tidy};
use crate::transmitter::case::{Case, END, Kind, Left, SOUND, Seen, cases};
use crate::transmitter::spy::Answer;
use crate::transmitter::{Packet, settings};
use airtcp_core::{Payload, Rate, Stream};
use airtcp_radio::queue::{DropTail, HeadDrop, Order, Spec as _};
use airtcp_radio::{LossCause, QueueSpec};
use proptest::prelude::*;

pub(crate) type Property = fn(&Case) -> Result<(), String>;

fn hold(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// At any time packets and bits that came or were duplicated were delivered, lost, or are held; in the end none is held.
pub(crate) fn conserves(case: &Case) -> Result<(), String> {
    let seen = case.run(true);
    for state in &seen.states {
        let (counts, left) = (&state.counts, &seen.left[..state.left]);
        let came = counts.offered.packets + counts.duplicated.packets;
        let delivered = left.iter().filter(|departure| departure.cause.is_none()).count() as u64;
        let lost = counts.lost.total();
        let holds = came == delivered + lost + state.held as u64
            && (counts.delivered.packets, counts.lost) == (delivered, state.counters)
            && delivered + lost == left.len() as u64;
        hold(holds, || format!("{state:?}"))?;
    }
    let last = seen.states.last().expect("the end");
    let bits = |of: fn(&&Left) -> bool| {
        seen.left.iter().filter(of).map(|departure| departure.packet.bits).sum::<u64>()
    };
    let (out, lost) =
        (bits(|departure| departure.cause.is_none()), bits(|departure| departure.cause.is_some()));
    let counts = &last.counts;
    let counted =
        (counts.delivered.bits, counts.lost_bits, counts.offered.bits + counts.duplicated.bits);
    hold(last.held == 0 && counted == (out, lost, out + lost), || format!("{last:?}"))
}

/// Every packet leaves once; where packets are duplicated it may do so twice. What the queue drops never was on the air.
pub(crate) fn delivers_once(case: &Case) -> Result<(), String> {
    let seen = case.run(true);
    for (_, packet) in &case.pushes {
        let found: Vec<&Left> =
            seen.left.iter().filter(|departure| departure.packet.id == packet.id).collect();
        let is_sent = found.iter().all(|departure| departure.packet.on_air.is_some());
        let holds = found.len() == 1 || found.len() == 2 && case.duplicate > 0.0 && is_sent;
        hold(holds, || format!("{packet:?}: {found:?}"))?;
        let dropped = |departure: &&Left| {
            departure.cause != Some(LossCause::Queue) || departure.packet.on_air.is_none()
        };
        hold(found.iter().all(dropped), || format!("{found:?}"))?;
    }
    Ok(())
}

/// Transmissions start in the order that the queue promises.
pub(crate) fn keeps_its_order(case: &Case) -> Result<(), String> {
    let seen = case.run(true);
    let is_ordered = |owner: Option<u64>| {
        let is_one =
            |departure: &&Left| owner.is_none_or(|owner| departure.packet.number % 2 == owner);
        let each = seen.left.iter().filter(is_one);
        let mut starts: Vec<(i64, usize)> = each
            .filter_map(|departure| Some((departure.packet.on_air?.0, departure.packet.id)))
            .collect();
        starts.sort_unstable();
        hold(starts.is_sorted_by_key(|start| start.1), || format!("{starts:?}"))
    };
    match case.queue.guarantees().order {
        Order::Arrival => is_ordered(None),
        Order::Owner => is_ordered(Some(0)).and(is_ordered(Some(1))),
        Order::Any => Ok(()),
    }
}

/// Whatever the queue: nothing overtakes on the wire unless it may, and what arrives at one instant does so in the order of
/// transmission.
pub(crate) fn wire_keeps_order(case: &Case) -> Result<(), String> {
    is_in_order(&case.run(true), case.reorder)
}

pub(crate) fn is_in_order(seen: &Seen, may_overtake: bool) -> Result<(), String> {
    let out: Vec<&Left> = seen.left.iter().filter(|departure| departure.cause.is_none()).collect();
    let follows = |a: &&Left, b: &&Left| {
        a.at < b.at && may_overtake || a.packet.on_air.unwrap().0 <= b.packet.on_air.unwrap().0
    };
    hold(out.is_sorted_by(follows), || format!("{out:?}"))
}

/// When the transmitter is busy, in order.
fn on_air(seen: &Seen) -> Vec<(i64, i64)> {
    let mut all: Vec<_> =
        seen.left.iter().filter_map(|departure| departure.packet.on_air).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The transmitter sends one packet after the other, and is idle with packets that wait only while the link is down, or the
/// queue has it wait, which it does only if it says so, and then until a later time.
pub(crate) fn works(case: &Case) -> Result<(), String> {
    let (seen, guarantees) = (case.run(true), case.queue.guarantees());
    let on_air = on_air(&seen);
    hold(on_air.is_sorted_by(|a, b| a.1 <= b.0), || format!("{on_air:?}"))?;
    let honest = |(asked, until): &(i64, Option<i64>)| {
        until.is_none_or(|until| guarantees.may_wait && *asked < until)
    };
    hold(seen.answers.iter().all(honest), || format!("{:?}", seen.answers))?;
    let waits = |now: i64| {
        let last = seen.answers.iter().rfind(|answer| answer.0 <= now);
        last.and_then(|answer| answer.1).is_some_and(|until| now < until)
    };
    for now in case.instants(&seen) {
        let is_busy = on_air.iter().any(|(start, end)| *start <= now && now < *end);
        let holds =
            is_busy || !case.is_up(now) || waits(now) || case.waiting(&seen, now).is_empty();
        hold(holds, || format!("idle at {now}: {:?}", case.waiting(&seen, now)))?;
    }
    Ok(())
}

/// A queue that has the transmitter wait is not asked again before that time has come or another packet has.
pub(crate) fn is_asked_again(case: &Case) -> Result<(), String> {
    asks_again(&case.run(true).answers, &case.pushes)
}

pub(crate) fn asks_again(answers: &[Answer], pushes: &[(i64, Packet)]) -> Result<(), String> {
    let comes = |after: i64, by: i64| pushes.iter().any(|push| after <= push.0 && push.0 <= by);
    let holds = answers.windows(2).all(|pair| {
        let ((asked, until), next) = (pair[0], pair[1].0);
        asked <= next && until.is_none_or(|until| until <= next || comes(asked, next))
    });
    hold(holds, || format!("{answers:?}"))
}

/// Never more waits than the limit says; a packet that finds the transmitter free is taken whatever its length.
pub(crate) fn keeps_its_limit(case: &Case) -> Result<(), String> {
    let seen = case.run(true);
    for now in case.instants(&seen) {
        let waiting = case.waiting(&seen, now);
        let fits = case.queue.packets.is_none_or(|limit| (waiting.len() as u64) < limit)
            && case
                .queue
                .bits
                .is_none_or(|limit| waiting.len() == 1 || waiting.iter().sum::<u64>() <= limit);
        hold(fits, || format!("{waiting:?} at {now}"))?;
    }
    Ok(())
}

/// Only packets that take marks get them, and only those that are sent; what is marked is counted.
pub(crate) fn marks_what_takes_marks(case: &Case) -> Result<(), String> {
    let seen = case.run(true);
    let is_marked = |departure: &&Left| departure.packet.is_marked;
    let takes = |departure: &Left| {
        departure.packet.ecn().takes_marks() && departure.packet.on_air.is_some()
    };
    hold(seen.left.iter().filter(is_marked).all(takes), || format!("{:?}", seen.left))?;
    let mut marked: Vec<usize> =
        seen.left.iter().filter(is_marked).map(|departure| departure.packet.id).collect();
    marked.sort_unstable();
    marked.dedup();
    let counted = seen.states.last().expect("the end").counts.marked;
    hold(counted == marked.len() as u64, || format!("{counted} of {marked:?}"))
}

/// A queue drops as packets come, or says that it drops later; either way that is learnt of as it happens. One that says that it
/// only refuses drops the packet that comes.
pub(crate) fn drops_in_time(case: &Case) -> Result<(), String> {
    let (seen, guarantees) = (case.run(true), case.queue.guarantees());
    let comes = |at: i64| case.pushes.iter().any(|push| push.0 == at);
    let is_new = |departure: &Left| case.pushes.contains(&(departure.at, departure.packet));
    let holds = |departure: &&Left| {
        let in_time = departure.learnt == departure.at
            && (guarantees.drops_on_dequeue || comes(departure.at));
        in_time && (!guarantees.only_drops_on_arrival || is_new(departure))
    };
    let mut drops = seen.left.iter().filter(|departure| departure.cause == Some(LossCause::Queue));
    hold(drops.all(|departure| holds(&departure)), || format!("{:?}", seen.left))
}

/// Checks that one seed always gives one run, and that polling late changes no fate.
pub(crate) fn is_reproducible(case: &Case) -> Result<(), String> {
    let prompt = case.run(true);
    hold(prompt == case.run(true), || "two runs of one seed differ".into())?;
    let fates = |seen: Seen| {
        let fate =
            |Left { at, packet, cause, .. }| (packet.id, packet.on_air, cause, cause.map(|_| at));
        let mut all: Vec<_> = seen.left.into_iter().map(fate).collect();
        all.sort_unstable();
        all
    };
    hold(fates(prompt) == fates(case.run(false)), || "polling late changes a fate".into())
}

/// Checks that the counts follow from the history.
fn history_adds_up(case: &Case, promptly: bool) -> Result<(), String> {
    let seen = case.run(promptly);
    let counts = seen.states.last().expect("the end").counts;
    let sums = counts_of(&seen.history, END.unsigned_abs(), &counts);
    hold(is_tidy(&seen.history) && sums == counts, || format!("{:?}, {counts:?}", seen.history))
}

#[test]
fn every_registered_queue_has_an_example() {
    for entry in QueueSpec::ENTRIES {
        let is_it = |json: &str| serde_json::from_str::<QueueSpec>(json).unwrap().entry() == entry;
        let found =
            SOUND.iter().any(|case| matches!(case.kind, Kind::Registered(json) if is_it(json)));
        assert!(found, "{}", entry.name);
    }
}

proptest! {
    #![proptest_config(settings(1_500))]

    #[test]
    fn nothing_is_lost_without_a_cause(case in cases(SOUND.to_vec())) {
        prop_assert_eq!(conserves(&case), Ok(()));
    }

    #[test]
    fn every_packet_leaves_once(case in cases(SOUND.to_vec())) {
        prop_assert_eq!(delivers_once(&case), Ok(()));
    }

    #[test]
    fn order_is_kept_as_promised(case in cases(SOUND.to_vec())) {
        prop_assert_eq!(keeps_its_order(&case), Ok(()));
        prop_assert_eq!(wire_keeps_order(&case), Ok(()));
    }

    #[test]
    fn it_works_while_there_is_work(case in cases(SOUND.to_vec())) {
        prop_assert_eq!(works(&case), Ok(()));
        prop_assert_eq!(is_asked_again(&case), Ok(()));
    }

    #[test]
    fn the_limit_is_kept(case in cases(SOUND.to_vec())) {
        prop_assert_eq!(keeps_its_limit(&case), Ok(()));
    }

    #[test]
    fn marks_are_for_those_that_take_them(case in cases(SOUND.to_vec())) {
        prop_assert_eq!(marks_what_takes_marks(&case), Ok(()));
    }

    #[test]
    fn a_history_adds_up_to_the_counts(case in cases(SOUND.to_vec()), promptly: bool) {
        prop_assert_eq!(history_adds_up(&case, promptly), Ok(()));
    }

    #[test]
    fn drops_are_learnt_of_in_time(case in cases(SOUND.to_vec())) {
        prop_assert_eq!(drops_in_time(&case), Ok(()));
    }

    #[test]
    fn the_same_seed_gives_the_same_and_polling_late_changes_no_fate(case in cases(SOUND.to_vec())) {
        prop_assert_eq!(is_reproducible(&case), Ok(()));
    }
}

#[test]
fn a_limit_is_in_packets_or_in_bytes() {
    let build = |packets, bytes: Option<&str>| {
        let bytes = bytes.map(|text| text.to_owned().try_into().unwrap());
        let built = [
            DropTail { packets, bytes }.build(Rate::MAX, Stream::new(1, "", 0)),
            HeadDrop { packets, bytes }.build(Rate::MAX, Stream::new(1, "", 0)),
        ];
        built.map(|spec| spec.map_err(|error| error.field).err())
    };
    assert_eq!(build(Some(2), None), [None, None]);
    assert_eq!(build(None, Some("2B")), [None, None]);
    assert_eq!(build(None, None), [Some("packets".into()), Some("packets".into())]);
    assert_eq!(build(Some(2), Some("2B")), [Some("bytes".into()), Some("bytes".into())]);
}
