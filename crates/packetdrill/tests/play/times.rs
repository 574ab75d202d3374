//! The times at which packets must come, and the times from which relative times count.

use super::fake::{CONNECTED, Fake, data, ms};
use super::{failure, passes};
use airtcp_core::Instant;
use airtcp_packetdrill::Flags;

/// A script whose one packet is sent at `sent` milliseconds and expected at `time`.
fn timed_script(time: &str, sent: i64) -> (String, Fake) {
    let text = format!("{CONNECTED}{time} > P. 1:101(100) ack 1");
    (text, Fake::sending(&[(sent, data(1, 100, Flags::PSH))]))
}

#[test]
fn a_packet_comes_at_its_time_within_four_milliseconds() {
    for (time, sent) in
        [("+.01", 6), ("+.01", 14), (".01", 14), ("*", 9999), ("+.01~+.02", 6), (".01~.02", 24)]
    {
        let (text, mut host) = timed_script(time, sent);
        passes(&text, &mut host);
    }
    for (time, sent) in [("+.01", 5), ("+.01", 15), ("+.01~+.02", 25), (".01~.02", 5)] {
        let (text, mut host) = timed_script(time, sent);
        let failure = failure(&text, &mut host);
        assert!(failure.contains("line 9: expected P. 1:101(100) ack 1"), "{failure}");
        assert!(failure.contains("too"), "{failure}");
    }
}

#[test]
fn an_eighth_of_the_time_since_the_event_before_is_allowed_where_it_is_more() {
    for (sent, fits) in [(874, false), (875, true), (1125, true), (1126, false)] {
        let (text, mut host) = timed_script("+1", sent);
        if fits {
            passes(&text, &mut host);
        } else {
            failure(&text, &mut host);
        }
        let text = format!("--tolerance_percent=0\n{text}");
        failure(&text, &mut timed_script("+1", sent).1);
        passes(&format!("--tolerance_usecs=126000\n{text}"), &mut timed_script("+1", sent).1);
    }
}

#[test]
fn a_packet_that_never_comes_is_said_to() {
    let failure = failure(&format!("{CONNECTED}+.01 > . 1:1(0) ack 1"), &mut Fake::default());
    assert!(failure.contains("nothing came until"), "{failure}");
}

#[test]
fn times_after_a_packet_count_from_when_it_came() {
    let packets = [(13, data(1, 100, Flags::PSH)), (33, data(101, 100, Flags::PSH))];
    let text = format!(
        "{CONNECTED}+.01 > P. 1:101(100) ack 1\n+.02 > P. 101:201(100) ack 1\n\
         +.005 < . 1:1(0) ack 201 win 257"
    );
    let mut host = Fake::sending(&packets);
    passes(&format!("--tolerance_usecs=4000\n{text}"), &mut host);
    assert_eq!(host.received.last().unwrap().0, Instant::START + ms(38));
}

#[test]
fn times_after_a_packet_that_waited_count_from_now() {
    let packets = [(10, data(1, 100, Flags::PSH))];
    let text = format!(
        "{CONNECTED}+.013 < . 1:1(0) ack 1 win 257\n+0 > P. 1:101(100) ack 1\n+.01 < . 1:1(0) ack 101 win 9"
    );
    let mut host = Fake::sending(&packets);
    passes(&text, &mut host);
    assert_eq!(host.received.last().unwrap().0, Instant::START + ms(23));
}

#[test]
fn an_event_of_the_script_comes_before_a_timer_of_the_same_instant() {
    let packets = [(10, data(1, 100, Flags::PSH))];
    let text = format!("{CONNECTED}+.01 < . 1:1(0) ack 1 win 257\n+0 > P. 1:101(100) ack 1");
    let mut host = Fake::sending(&packets);
    passes(&text, &mut host);
    assert_eq!(host.received.last().unwrap().0, Instant::START + ms(10));
}

#[test]
fn an_event_whose_time_has_gone_fails() {
    let packets = [(50, data(1, 100, Flags::PSH))];
    let text = format!("{CONNECTED}* > P. 1:101(100) ack 1\n.02 < . 1:1(0) ack 101 win 257");
    let failure = failure(&text, &mut Fake::sending(&packets));
    assert!(failure.contains("line 10: expected this at 0.02 s"), "{failure}");
}

#[test]
fn what_the_script_never_expects_is_ignored_at_its_end_alone() {
    let packets = [(10, data(1, 100, Flags::PSH)), (20, data(101, 100, Flags::PSH))];
    let end = format!("{CONNECTED}+.01 > P. 1:101(100) ack 1\n+.1 < . 1:1(0) ack 201 win 257");
    passes(&end, &mut Fake::sending(&packets));
    let middle = format!("{CONNECTED}+.02 > P. 101:201(100) ack 1");
    let failure = failure(&middle, &mut Fake::sending(&packets));
    assert!(failure.contains("sequence number 1 instead of 101"), "{failure}");
}

/// The percentage counts from the last event that is checked against the clock; inbound packets are
/// not.
#[test]
fn an_inbound_packet_does_not_shorten_the_time_that_the_share_is_of() {
    let later = [(100, data(1, 1000, Flags::default())), (231, data(1, 1000, Flags::default()))];
    let text = |before: &str| {
        format!("{CONNECTED}+.1 > . 1:1001(1000) ack 1\n+.1 {before}\n+.04 > . 1:1001(1000) ack 1")
    };
    passes(&text("< . 1:1(0) ack 1 win 257"), &mut Fake::sending(&later));
    let failed = failure(&text("%{ assert 1 }%"), &mut Fake::sending(&later));
    assert!(failed.contains("too early (tolerance 0.005 s)"), "{failed}");
}
