//! RFC 6675, step by step.

use crate::rfc::script::{MSS, Script, config};
use airtcp_tcp::{SenderConfig, Variant};

/// Packets 0 to 10 are sent, 0 is acknowledged; the window is 10 in congestion avoidance.
fn under_way() -> Script {
    let mut script = Script::new(&config(Variant::Sack));
    assert_eq!(script.send(), "0 1 2 3 4 5 6 7 8 9");
    assert_eq!(script.at(100).ack(1), "10");
    script
}

#[test]
fn step_3_limited_transmit_by_the_pipe() {
    let mut script = under_way();
    assert_eq!(script.sack(1, &[(2, 3)]), "11");
    assert_eq!(script.sack(1, &[(2, 3)]), "", "no new SACK information: no duplicate ACK");
    assert_eq!(script.ack(1), "");
    assert_eq!(script.sack(1, &[(2, 4)]), "12");
    assert_eq!(script.window(), (10.0, 10.0));
}

#[test]
fn without_limited_transmit_reports_send_nothing() {
    let config = SenderConfig { limited_transmit: false, ..config(Variant::Sack) };
    let mut script = Script::new(&config);
    script.send();
    script.at(100).ack(1);
    assert_eq!([script.sack(1, &[(2, 3)]), script.sack(1, &[(2, 4)])], ["", ""]);
    assert_eq!(script.sack(1, &[(2, 5)]), "1");
}

#[test]
fn step_4_one_loss() {
    let mut script = under_way();
    script.sack(1, &[(2, 3)]);
    script.sack(1, &[(2, 4)]);
    assert_eq!(script.sack(1, &[(2, 5)]), "1", "4.3");
    assert_eq!(script.window(), (5.0, 5.0), "4.2: ten were out without limited transmit");
    // The pipe: 1 again and 5 to 12, nine. One less with each report, below five from 9 on.
    let sent: Vec<String> = (6..=13).map(|end| script.sack(1, &[(2, end)])).collect();
    assert_eq!(sent, ["", "", "", "", "13", "14", "15", "16"]);
    // A: all is acknowledged up to RecoveryPoint. Four are out.
    assert_eq!(script.at(200).ack(13), "17");
    assert_eq!(script.window(), (5.0, 5.0));
}

#[test]
fn step_2_the_first_hole_is_lost_before_three_duplicates_if_more_than_two_segments_lie_above() {
    let mut script = under_way();
    assert_eq!(script.sack(1, &[(2, 4)]), "11 12", "two segments: not yet");
    assert_eq!(script.sack(1, &[(2, 5)]), "1", "the second duplicate ACK, three segments");
    let mut script = under_way();
    assert_eq!(script.sack(1, &[(7, 8), (5, 6), (3, 4)]), "1", "three runs; the pipe is six");
}

#[test]
fn a_cumulative_ack_with_a_new_report_is_a_duplicate_too() {
    let mut script = under_way();
    // Packets 1 and 2 arrive, 3 is lost, 4 to 6 arrive; all ACKs but the last are lost.
    assert_eq!(script.sack(3, &[(4, 7)]), "3", "DupAcks = 1, IsLost(3)");
    assert_eq!(script.window().1, 4.0, "3 to 10 were out");
}

#[test]
fn next_segment_rule_1_lost_holes_come_first_then_new_data() {
    // 1, 3 and 4 are lost.
    let mut script = under_way();
    script.sack(1, &[(2, 3)]);
    script.sack(1, &[(5, 6), (2, 3)]);
    // 3 and 4 have only one run and one segment above them.
    assert_eq!(script.sack(1, &[(5, 7), (2, 3)]), "1");
    // Pipe: 1 again, 3, 4, 7 to 12. Now 3 and 4 have three segments above: they leave the pipe.
    assert_eq!(script.sack(1, &[(5, 8), (2, 3)]), "");
    assert_eq!(script.sack(1, &[(5, 9), (2, 3)]), "", "1 again and 9 to 12: five");
    assert_eq!(script.sack(1, &[(5, 10), (2, 3)]), "3");
    assert_eq!(script.sack(1, &[(5, 11), (2, 3)]), "4");
    assert_eq!(script.sack(1, &[(5, 12), (2, 3)]), "13", "rule 2");
    // B: 1 arrives, its ACK uncovers 3: already resent. The pipe loses one.
    assert_eq!(script.at(200).sack(3, &[(5, 12)]), "14");
    assert_eq!(script.sender.counters().fast_retransmits, 1);
    assert_eq!(script.at(210).sack(4, &[(5, 12)]), "15");
    assert_eq!(script.at(220).ack(12), "16", "12 to 15 are out; RecoveryPoint is 12");
    assert_eq!(script.window(), (5.0, 5.0));
}

#[test]
fn next_segment_rule_3_without_new_data_holes_that_are_not_lost_yet() {
    let mut script = Script::finite(&config(Variant::Sack), 10 * u64::from(MSS));
    script.send();
    script.at(100).ack(1);
    // 1, 6 and 8 are missing; there is no more data.
    script.sack(1, &[(2, 3)]);
    script.sack(1, &[(2, 4)]);
    assert_eq!(script.sack(1, &[(2, 5)]), "1");
    assert_eq!(script.window(), (4.5, 4.5), "1 to 9 were out");
    // The pipe: 1 again, 6, 7, 8, 9, five; then four with 7.
    assert_eq!(script.sack(1, &[(2, 6)]), "");
    assert_eq!(script.sack(1, &[(7, 8), (2, 6)]), "", "4 + 1 > 4.5");
    assert_eq!(script.sack(1, &[(9, 10), (7, 8), (2, 6)]), "6", "1, 6 and 8: three");
    // 6 is counted twice: neither lost nor away.
    assert_eq!(script.at(200).sack(6, &[(9, 10), (7, 8)]), "8");
}

/// 1, 2 and the tail 8, 9 of ten packets are lost; 1 and 2 are resent.
fn tail_loss() -> Script {
    let mut script = Script::finite(&config(Variant::Sack), 10 * u64::from(MSS));
    script.send();
    script.at(100).ack(1);
    script.sack(1, &[(3, 4)]);
    script.sack(1, &[(3, 5)]);
    assert_eq!(script.sack(1, &[(3, 6)]), "1");
    assert_eq!(script.sack(1, &[(3, 7)]), "", "1 again, 7, 8, 9: four, and 4.5 allowed");
    assert_eq!(script.sack(1, &[(3, 8)]), "2");
    assert_eq!(script.at(200).sack(2, &[(3, 8)]), "", "HighACK is at RescueRxt, not beyond");
    script
}

#[test]
fn next_segment_rule_4_one_rescue_of_the_highest_segment() {
    let mut script = tail_loss();
    assert_eq!(script.at(210).ack(8), "9");
    assert_eq!(script.at(310).sack(8, &[(9, 10)]), "8", "rule 3: a hole below a report");
    assert_eq!(script.at(410).ack(10), "");
    assert_eq!(script.sender.counters().timeouts, 0);
}

#[test]
fn next_segment_rule_4_only_once_per_recovery() {
    let mut script = tail_loss();
    assert_eq!(script.at(210).ack(8), "9");
    assert_eq!(script.at(220).ack(8), "");
    assert_eq!(script.timeout(), "8");
}

#[test]
fn section_5_1_a_timeout_forgets_reports_and_bars_recovery_until_all_is_acknowledged() {
    let mut script = under_way();
    script.sack(1, &[(2, 3)]);
    script.sack(1, &[(2, 4)]);
    script.sack(1, &[(2, 5)]);
    assert_eq!(script.timeout(), "1", "RecoveryPoint = 12");
    assert_eq!(script.window(), (1.0, 2.5), "twice halved");
    // Reports of before come again: no fast retransmit, but what they name is not resent.
    for end in 6..10 {
        assert_eq!(script.sack(1, &[(2, end)]), "");
    }
    assert_eq!(script.ack(10), "10 11", "the cumulative ACK says as much");
    assert_eq!(script.sender.counters().fast_retransmits, 1);
}

#[test]
fn after_a_timeout_what_is_reported_again_is_skipped() {
    let mut script = under_way();
    assert_eq!(script.timeout(), "1");
    // 2 and 5 are lost too; 3, 4 and 6 to 10 are there.
    assert_eq!(script.sack(2, &[(3, 5), (6, 11)]), "2 5", "a window of two");
    assert_eq!(script.window(), (2.0, 5.0));
    assert_eq!(script.ack(11), "11 12 13");
    assert_eq!(script.window(), (3.0, 5.0));
}

#[test]
fn step_a_reports_beyond_the_recovery_point_stay() {
    let mut script = under_way();
    for end in 3..=10 {
        script.sack(1, &[(2, end)]);
    }
    // 13 was sent in recovery and is lost; 14 to 16 arrive.
    for end in 11..=13 {
        script.sack(1, &[(2, end)]);
    }
    let high = script.sender.view().high / u64::from(MSS);
    assert_eq!(high, 17);
    script.at(200).sack(13, &[]);
    assert_eq!(script.window(), (5.0, 5.0), "out of recovery");
    script.sack(13, &[(14, 15)]);
    script.sack(13, &[(14, 16)]);
    assert_eq!(script.sack(13, &[(14, 17)]), "13", "a recovery of its own");
    assert_eq!(script.sender.counters().fast_retransmits, 2);
}
