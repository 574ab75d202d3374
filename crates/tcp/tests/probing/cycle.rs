//! The state table of the cycle, row by row [lahanas reading, section 1].

use crate::probing::script::{MSS, PROBING, Script, config};
use airtcp_tcp::{ProbeId, ProbeKind, Variant};

/// Above the threshold: 8 segments and what congestion avoidance has added.
const GROWN: (u64, u64) = (8125, 4000);

#[test]
fn a_timeout_begins_a_cycle_and_changes_nothing_else() {
    for variant in PROBING {
        let script = Script::timed_out(&config(variant));
        assert!(script.sender.is_probing());
        assert_eq!(script.window(), GROWN);
        assert_eq!(script.sender.rtt_estimate().backoff, 1);
        assert_eq!(
            (script.sender.counters().timeouts, script.sender.counters().retransmissions),
            (1, 0)
        );
    }
}

#[test]
fn the_third_duplicate_begins_a_cycle_and_changes_nothing_else() {
    for variant in PROBING {
        let script = Script::duplicates(&config(variant));
        assert!(script.sender.is_probing());
        assert_eq!(script.window(), GROWN);
        assert_eq!(script.sender.counters().fast_retransmits, 0);
    }
}

#[test]
fn the_probe_timer_is_the_timeout_and_does_not_back_off() {
    let mut script = Script::duplicates(&config(Variant::TahoeProbing));
    assert_eq!(script.timer(), Some(890), "two ticks from 110 ms on");
    for again in 1..=5 {
        assert_eq!(script.timeout(), "P1");
        assert_eq!((script.now(), script.timer()), (1000 * again, Some(1000)));
    }
    assert_eq!(script.after(50).answer(1), "P2");
    assert_eq!(script.timer(), Some(950), "restarted for the second probe");
    assert_eq!(script.timeout(), "P2");
    assert_eq!(script.timer(), Some(1000));
    assert_eq!(script.sender.counters().timeouts, 0, "they are no timeouts of data");
}

#[test]
fn the_probe_timer_doubles_where_that_is_asked() {
    let mut config = config(Variant::TahoeProbing);
    config.probing.backoff = true;
    let mut script = Script::duplicates(&config);
    assert_eq!(script.timer(), Some(890));
    for times in [2, 4, 8, 16, 32, 64, 64] {
        assert_eq!(script.timeout(), "P1");
        assert_eq!(script.timer(), Some(1000 * times));
    }
    assert_eq!(script.after(50).answer(1), "P2");
    assert_eq!(script.timer(), Some(950), "afresh for the second probe");
}

#[test]
fn the_second_probe_follows_the_answer_to_the_first_at_once() {
    let mut script = Script::duplicates(&config(Variant::TahoeProbing));
    assert_eq!(script.after(40).answer(1), "P2");
    assert!(script.sender.is_probing());
    assert_eq!(script.after(40).answer(1), "1", "the decision");
    assert!(!script.sender.is_probing());
}

#[test]
fn answers_to_other_probes_are_ignored_but_for_what_they_acknowledge() {
    let mut script = Script::timed_out(&config(Variant::TahoeProbing));
    script.probe([50, 50], 1);
    assert_eq!(script.timeout(), "P1");
    assert_eq!(script.after(10).answer_to(0, 3), "", "of the cycle before");
    assert_eq!(script.sender.view().una, 3 * u64::from(MSS));
    let wrong = ProbeId::new(ProbeKind::Second, 3);
    assert_eq!(script.answer_with(wrong, 4), "", "the right number, the wrong kind");
    assert_eq!(script.sender.view().una, 4 * u64::from(MSS));
    assert_eq!(script.answer_to(2, 4), "P2");
    assert_eq!(script.answer_to(2, 4), "", "answered before");
    let never_sent = ProbeId::new(ProbeKind::Second, 5);
    assert_eq!(script.answer_with(never_sent, 4), "");
}

/// PROBE1 leaves at 0.11, 1 and 2 s, PROBE2 at 2.5, 4 and 5 s: the first of three is answered each time.
#[test]
fn an_answer_to_any_probe_of_the_cycle_is_one() {
    for variant in PROBING {
        let mut script = Script::duplicates(&config(variant));
        assert_eq!([script.timeout(), script.timeout()], ["P1", "P1"]);
        assert_eq!(script.at(2500).answer_to(0, 1), "P2", "{variant:?}");
        assert_eq!([script.timeout(), script.timeout()], ["P2", "P2"]);
        assert_eq!(script.answer_to(1, 1), "", "to one of the first kind");
        assert_ne!(script.answer_to(3, 1), "", "{variant:?}: the decision");
        assert!(!script.sender.is_probing());
    }
}

/// A probe is good if its answer took no longer than 100 ms.
#[test]
fn every_answer_has_the_time_of_its_own_probe() {
    for (index, time, kept) in [(0, 990, false), (1, 100, true), (1, 101, false)] {
        let mut script = Script::duplicates(&config(Variant::TahoeProbing));
        assert_eq!(script.timeout(), "P1");
        assert_eq!(script.after(time).answer_to(index, 1), "P2");
        script.after(100).answer(1);
        assert_eq!(script.window().0, if kept { GROWN.0 } else { 1000 }, "{index}, {time} ms");
    }
}

fn rtt(script: &Script) -> f64 {
    script.sender.rtt_estimate().srtt
}

/// A round trip that took longer than the timer is a sample for it.
#[test]
fn the_timer_learns_from_what_it_has_missed() {
    let mut script = Script::timed_out(&config(Variant::RenoProbing));
    let first = rtt(&script);
    assert_eq!([script.timeout(), script.timeout()], ["P1", "P1"]);
    assert_eq!(script.after(100).answer(1), "P2");
    assert_eq!(rtt(&script).to_bits(), first.to_bits(), "the last probe was answered in time");
    assert_eq!([script.timeout(), script.timeout()], ["P2", "P2"]);
    script.answer_to(3, 1);
    assert!(rtt(&script) > first, "the first of three");
}

/// Data that is acknowledged after the timeout is a sample too. By a probe's answer: it may have arrived long
/// before.
#[test]
fn the_timer_learns_from_data_that_was_late() {
    for (by_answer, learns) in [(false, true), (true, false)] {
        let mut script = Script::timed_out(&config(Variant::RenoProbing));
        let first = rtt(&script);
        script.after(900);
        if by_answer {
            script.answer(9)
        } else {
            script.ack(9)
        };
        assert_eq!(rtt(&script) > first, learns);
        script.ack(9);
        assert_eq!(rtt(&script) > first, learns, "nor does a later ACK say when it came");
    }
}

/// After duplicates nothing was too late, and after the decision what was timed is retransmitted.
#[test]
fn the_timer_learns_from_nothing_else_in_a_cycle() {
    let mut script = Script::duplicates(&config(Variant::RenoProbing));
    let before = rtt(&script);
    script.after(3000).ack(9);
    assert_eq!(rtt(&script).to_bits(), before.to_bits());
    let mut script = Script::timed_out(&config(Variant::RenoProbing));
    let first = rtt(&script);
    script.probe([50, 50], 1);
    script.after(3000).ack(9);
    assert_eq!(rtt(&script).to_bits(), first.to_bits());
}

#[test]
fn acks_of_new_data_move_una_and_nothing_else() {
    for variant in PROBING {
        let mut script = Script::duplicates(&config(variant));
        assert_eq!(script.ack(5), "");
        assert_eq!(script.sender.view().una, 5 * u64::from(MSS));
        assert_eq!((script.window(), script.timer()), (GROWN, Some(890)));
    }
}

#[test]
fn duplicates_during_the_cycle_count_until_una_moves() {
    let inflation = |acks: &[u64]| {
        let mut script = Script::duplicates(&config(Variant::TahoeProbing));
        acks.iter().for_each(|next| assert_eq!(script.ack(*next), ""));
        let una = acks.last().copied().unwrap_or(1);
        script.probe([50, 50], una);
        script.sender.view().inflation_amount / u64::from(MSS)
    };
    assert_eq!(inflation(&[]), 3);
    assert_eq!(inflation(&[1, 1]), 5);
    assert_eq!(inflation(&[1, 1, 4]), 3);
    assert_eq!(inflation(&[1, 1, 4, 4]), 4);
}

#[test]
fn the_ack_of_the_last_byte_ends_the_transfer_within_a_cycle() {
    let end = 9 * u64::from(MSS);
    for by_answer in [false, true] {
        let mut script = Script::finite(&config(Variant::RenoProbing), end);
        script.send();
        assert_eq!(script.at(100).ack(1), "8");
        assert_eq!(script.timeout(), "P1");
        let sent = if by_answer { script.answer(9) } else { script.ack(9) };
        assert_eq!((sent.as_str(), script.timer()), ("", None));
        assert!(!script.sender.is_probing());
        assert_eq!(script.sender.view().una, end);
        script.sender.write(u64::from(MSS));
        assert_eq!(script.send(), "9", "what is offered later goes on");
    }
}

#[test]
fn data_that_is_offered_during_the_cycle_waits() {
    let mut script = Script::finite(&config(Variant::AdaptiveProbing), 8 * u64::from(MSS));
    script.send();
    script.at(100).ack(1);
    assert_eq!(script.timeout(), "P1");
    script.sender.write(3 * u64::from(MSS));
    assert_eq!(script.send(), "");
    assert_eq!(script.ack(8), "", "all that was sent is acknowledged, and the cycle goes on");
    assert_eq!(script.probe([50, 50], 8), "8 9 10", "nothing is sent again");
}

#[test]
fn after_the_cycle_the_timer_starts_without_back_off() {
    let mut script = Script::timed_out(&config(Variant::TahoeProbing));
    assert_eq!(script.timeout(), "P1");
    assert_eq!(script.probe([50, 50], 1), "1 2 3 4 5 6 7 8");
    assert_eq!(script.timer(), Some(900), "two ticks: from 2.1 s to 3 s");
    assert_eq!(script.timeout(), "P1", "and a timeout begins the next cycle");
}
