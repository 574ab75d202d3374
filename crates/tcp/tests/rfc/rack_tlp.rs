//! RFC 8985 by hand: what is sent, and when the timers expire. The round trip is 100 ms, so that the reordering window is 25 ms.

use crate::rfc::script::{MSS, Script, config};
use airtcp_tcp::{Detection, Reduction, SenderConfig, Spurious, Variant};

fn rack() -> SenderConfig {
    SenderConfig { detection: Detection::named("rack-tlp"), ..config(Variant::Sack) }
}

/// Packets 0 to 9 were sent at 0 ms, and 10 at 100 ms, as 0 was acknowledged; the window is ten.
fn under_way(config: &SenderConfig) -> Script {
    let mut script = Script::new(config);
    script.send();
    assert_eq!(script.at(100).ack(1), "10");
    script
}

/// `packets` that leave at 0 ms.
fn finite(packets: u64) -> Script {
    let mut script = Script::finite(&rack(), packets * u64::from(MSS));
    script.send();
    script
}

/// Retransmissions and timeouts.
fn counts(script: &Script) -> (u64, u64) {
    let counters = script.sender.counters();
    (counters.retransmissions, counters.timeouts)
}

#[test]
fn three_reported_segments_repair_a_loss_at_once() {
    let mut script = under_way(&rack());
    let sent = [(2, 3), (2, 4), (2, 5)].map(|block| script.sack(1, &[block]));
    assert_eq!(sent, ["11", "12", "1"], "limited transmit, then RACK.reo_wnd = 0");
    assert_eq!(script.window(), (5.0, 5.0));
    assert_eq!(script.timer(), Some(1000.0), "the retransmission timer starts");
}

#[test]
fn two_wait_for_the_reordering_window() {
    let mut script = under_way(&rack());
    script.at(101).sack(1, &[(2, 3)]);
    assert_eq!(script.timer(), Some(25.0), "0 + RACK.rtt 101 + 25 - 101");
    script.at(104).sack(1, &[(2, 4)]);
    assert_eq!(script.timer(), Some(25.0));
    assert_eq!(script.timeout(), "1", "at 129 ms");
    assert_eq!(counts(&script), (1, 0));
    assert_eq!(script.timer(), Some(1000.0));
    // A recovery as any other: its end is the ACK of all that was sent by then.
    assert_eq!(script.window(), (5.0, 5.0));
}

/// 1 leaves again at 103 ms, and is lost; 13 leaves at 108 ms. The report of that shows it.
#[test]
fn a_lost_retransmission_is_sent_again_without_a_timeout() {
    let mut script = under_way(&rack());
    let mut sent = vec![];
    for end in 3..=10 {
        sent.push(script.at(98 + i64::try_from(end).expect("small")).sack(1, &[(2, end)]));
    }
    assert_eq!(sent, ["11", "12", "1", "", "", "", "", "13"]);
    let sent = [200, 201, 202].map(|ms| {
        let end = u64::try_from(ms - 189).expect("small");
        script.at(ms).sack(1, &[(2, end)])
    });
    assert_eq!(sent, ["14", "15", "16"], "what left before 103 ms says nothing");
    assert_eq!(script.window(), (5.0, 5.0));
    // 103 + 100 - 208 < 0. Four are in flight, and the window comes down again [RFC 8985 9.3].
    assert_eq!(script.at(208).sack(1, &[(2, 14)]), "1");
    assert_eq!(script.window(), (2.5, 2.5));
    assert_eq!(counts(&script), (2, 0));
    let sent = [300, 301, 302].map(|ms| {
        let end = u64::try_from(ms - 285).expect("small");
        script.at(ms).sack(1, &[(2, end)])
    });
    assert_eq!(sent, ["", "", "17"]);
    assert_eq!(script.at(308).ack(17), "18", "all is acknowledged that was sent by 208 ms");
    assert_eq!(script.window(), (2.5, 2.5));
}

/// Proportional rate reduction comes down once [RFC 8985 9.3].
#[test]
fn with_prr_a_lost_retransmission_lowers_nothing_more() {
    let reduction = Reduction::named("prr").expect("registered");
    let mut script = under_way(&SenderConfig { reduction, ..rack() });
    for end in 3..=10 {
        script.at(98 + i64::try_from(end).expect("small")).sack(1, &[(2, end)]);
    }
    assert_eq!(script.window().1, 5.0);
    assert!(script.at(250).sack(1, &[(2, 15)]).starts_with('1'), "again");
    assert_eq!(script.window().1, 5.0);
    assert_eq!(script.sender.counters().fast_retransmits, 1);
}

/// Only the last of ten is missing: the window answers once an ACK goes beyond the probe [7.4.2].
#[test]
fn a_probe_repairs_the_last_segment_and_the_window_answers() {
    let mut script = finite(10);
    assert_eq!(script.timer(), Some(1000.0), "without a round trip a second");
    script.at(100).ack(9);
    assert_eq!(script.timer(), Some(400.0), "2 SRTT and TLP.max_ack_delay");
    assert_eq!(script.timeout(), "9");
    assert_eq!(script.timer(), Some(1000.0));
    script.at(600).ack(10);
    let before = script.window();
    script.sender.write(4 * u64::from(MSS));
    assert_eq!(script.send(), "10 11 12 13");
    assert_eq!(script.window(), before, "of the probe, or of the original?");
    script.at(700).ack(12);
    // Three quarters of a window would be in use; half the flight, which is two, is the least threshold.
    assert_eq!(script.window(), (2.0, 2.0));
    assert_eq!(counts(&script), (1, 0));
}

#[test]
fn a_superfluous_probe_changes_nothing() {
    let mut script = finite(10);
    script.at(100).ack(9);
    script.timeout();
    script.at(510).ack(10);
    script.at(600).ack(10); // the receiver had it: a duplicate without a block [7.4.2, case 2]
    let before = script.window();
    script.sender.write(4 * u64::from(MSS));
    script.send();
    script.at(700).ack(12);
    assert_eq!(script.window(), before);
}

/// All of a flight but the probe is lost.
#[test]
fn a_probe_of_new_data_goes_beyond_the_window_and_finds_the_losses() {
    let mut script = under_way(&rack());
    assert_eq!(script.timer(), Some(200.0), "2 SRTT");
    assert_eq!(script.timeout(), "11");
    assert_eq!(script.timer(), Some(1000.0));
    assert_eq!(script.at(400).sack(1, &[(11, 12)]), "1 2 3 4 5");
    assert_eq!(script.window(), (5.0, 5.0));
    assert_eq!(counts(&script), (5, 0));
}

/// The last three of four, and the first of them once more (figure 1).
#[test]
fn the_example_of_section_3_4() {
    let mut script = finite(4);
    script.at(100).ack(1);
    assert_eq!(script.timer(), Some(200.0));
    assert_eq!(script.timeout(), "3", "step 3, at 300 ms");
    assert_eq!(script.at(400).sack(1, &[(3, 4)]), "1 2", "step 5");
    assert_eq!(script.at(500).sack(1, &[(2, 4)]), "1", "step 7");
    assert_eq!(script.at(600).ack(4), "");
    assert_eq!((counts(&script), script.timer()), ((4, 0), None));
}

/// Section 9.1, example 1: of three 1 and 3 are lost.
#[test]
fn a_repair_shows_a_loss_after_it() {
    let mut script = Script::finite(&rack(), u64::from(MSS));
    script.send();
    script.at(100).ack(1);
    for ms in [200, 230, 260] {
        script.sender.write(MSS.into());
        script.at(ms).send();
    }
    assert_eq!(script.at(330).sack(1, &[(2, 3)]), "1", "200 + 100 + 25 - 330 < 0");
    assert_eq!(script.at(430).ack(3), "3", "260 + 100 - 430 < 0: the recovery goes on");
    assert_eq!(script.at(530).ack(4), "");
    assert_eq!(counts(&script), (2, 0));
}

#[test]
fn after_reordering_was_seen_three_reports_are_no_loss() {
    let mut script = under_way(&rack());
    script.at(101).sack(1, &[(2, 3)]);
    script.at(105).ack(3); // 1 was late
    script.at(110).sack(3, &[(4, 8)]);
    assert_eq!(script.timer(), Some(25.0));
    script.at(130).sack(3, &[(4, 9)]);
    script.at(134).ack(9);
    assert_eq!(counts(&script), (0, 0));
    assert_eq!(script.window(), (10.0, 10.0));
    // Later than the window: it counts as lost.
    script.at(200).sack(9, &[(10, 14)]);
    assert_eq!(script.timeout(), "9");
}

/// Section 3.5: the timer of one segment says nothing of segments that have just left.
#[test]
fn a_timeout_takes_only_what_is_old_for_lost() {
    let mut script = finite(1);
    script.at(100).ack(1);
    script.sender.write(MSS.into());
    assert_eq!(script.at(200).send(), "1");
    assert_eq!(script.timeout(), "1", "the probe, at 600 ms");
    script.sender.write(2 * u64::from(MSS));
    assert_eq!(script.at(1590).send(), "2 3");
    assert_eq!(script.timer(), Some(10.0));
    assert_eq!(script.timeout(), "1");
    assert_eq!(script.sender.view().segments.sums().map(|sums| sums.lost), Some(0));
    assert_eq!(script.at(1690).ack(2), "");
    assert_eq!(script.at(1700).ack(4), "");
    assert_eq!(counts(&script), (2, 1));
}

/// A timeout keeps packets that were reported as received so: there is no going back.
#[test]
fn a_timeout_keeps_the_reports() {
    let mut script = under_way(&rack());
    let mut lossy = |ms, next, blocks: &[(u64, u64)]| script.at(ms).sack(next, blocks);
    lossy(103, 1, &[(4, 6)]);
    lossy(104, 1, &[(4, 7)]); // 1 leaves again, and is lost, with all that follows
    assert_eq!(script.sender.counters().fast_retransmits, 1);
    let sent = script.timeout();
    assert_eq!((sent.as_str(), script.sender.counters().timeouts), ("1", 1));
    assert_eq!(script.window().0, 1.0);
    let sums = script.sender.view().segments.sums().expect("kept");
    assert_eq!((sums.sacked, sums.in_flight), (3000, 1000), "all else was sent an RTO ago");
    assert_eq!(script.at(1300).ack(2), "2 3", "slow start");
    assert_eq!(script.at(1400).ack(7), "7 8 9");
}

/// In order RACK finds a single loss when RFC 6675 does, so that the figure of RFC 6937 is the same.
#[test]
fn with_prr_a_single_loss_lets_every_second_ack_send() {
    let reduction = Reduction::named("prr").expect("registered");
    let figure = |detection| {
        let config = SenderConfig {
            reduction,
            detection: Detection::named(detection),
            initial_window: 20,
            ssthresh: 20,
            ..rack()
        };
        let mut script = Script::new(&config);
        script.send();
        script.at(100).ack(1);
        // 20 left at 100 ms, before the retransmission.
        let sent: Vec<String> = (3..=21)
            .map(|end| script.at(if end < 21 { 98 + end } else { 200 }).sack(1, &[(2, end as u64)]))
            .collect();
        script.at(201).ack(23);
        (sent, script.window())
    };
    assert_eq!(figure("rack-tlp"), figure("rfc6675"));
    assert_eq!(figure("rack-tlp").1, (10.0, 10.0));
}

/// The ACK of the original comes after the timeout; it echoes when that left.
#[test]
fn eifel_undoes_what_a_spurious_timeout_marked() {
    let config = SenderConfig { spurious: Spurious::Eifel, ..rack() };
    let mut script = under_way(&config);
    assert_eq!(script.timeout(), "11", "the probe");
    assert_eq!(script.timeout(), "1", "the timeout, at 1300 ms");
    script.echoing(0).at(1400).ack(2);
    assert_eq!(script.sender.counters().spurious, 1);
    assert_eq!(script.sender.view().segments.sums().map(|sums| sums.lost), Some(0));
    assert_eq!(counts(&script), (1, 1));
}
