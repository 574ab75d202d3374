//! RFC 5681 3.1: growth in bytes.

use crate::rfc::script::{MSS, Script, config};
use airtcp_tcp::{CongestionSpec, SenderConfig, Variant};

fn slow_start() -> SenderConfig {
    SenderConfig { initial_window: 4, ssthresh: u32::MAX, ..config(Variant::Reno) }
}

#[test]
fn slow_start_adds_what_is_acknowledged_up_to_a_segment() {
    let mut script = Script::new(&slow_start());
    assert_eq!(script.send(), "0 1 2 3");
    assert_eq!(script.at(100).ack(1), "4 5");
    assert_eq!(script.window().0, 5.0);
    assert_eq!(script.ack(3), "6 7 8", "two segments at once add one");
    assert_eq!(script.window().0, 6.0);
}

#[test]
fn rfc3465_slow_start_counts_bytes_up_to_the_limit_and_the_threshold() {
    let windows = |base, ssthresh| {
        let config = SenderConfig { slow_start_limit: 3, ssthresh, ..base };
        let mut script = Script::new(&config);
        script.send();
        script.at(100).ack(2);
        let two = script.window().0;
        script.ack(9);
        (two, script.window().0)
    };
    let many = SenderConfig { initial_window: 10, ..slow_start() };
    assert_eq!(windows(many, u32::MAX), (12.0, 15.0), "seven segments at once add three");
    assert_eq!(windows(many, 13), (12.0, 13.0));
    assert_eq!(windows(many, 11), (11.0, 11.0));
}

#[test]
fn slow_start_adds_less_for_a_short_segment() {
    let mut script = Script::finite(&slow_start(), 3 * u64::from(MSS) + 300);
    script.send();
    script.at(100).ack(3);
    assert_eq!(script.window().0, 5.0);
    let last = airtcp_tcp::Segment::Ack { next: 3300, bits: 1, sack: Default::default(), echo: 0 };
    script.sender.on_segment(airtcp_core::Instant::START, &last);
    assert_eq!(script.window().0, 5.0, "and nothing where the window was not in use");
}

#[test]
fn avoidance_adds_a_segment_per_window_acknowledged() {
    let mut script = Script::new(&config(Variant::Reno));
    script.send();
    let windows: Vec<f64> = (1..=32)
        .map(|n| {
            script.at(100).ack(n);
            script.window().0
        })
        .collect();
    let expected: Vec<f64> = (1..=32)
        .map(|n| {
            if n < 10 {
                10.0
            } else if n < 21 {
                11.0
            } else {
                12.0
            }
        })
        .collect();
    assert_eq!(windows, expected, "at 10, at 10 + 11, and so on");
}

#[test]
fn avoidance_counts_bytes_not_acks() {
    let mut script = Script::new(&config(Variant::Reno));
    script.send();
    let windows: Vec<f64> = (1..=5)
        .map(|n| {
            script.at(100).ack(2 * n);
            script.window().0
        })
        .collect();
    assert_eq!(windows, [10.0, 10.0, 10.0, 10.0, 11.0]);
}

#[test]
fn a_window_that_the_receiver_does_not_allow_to_use_does_not_grow() {
    for growth in CongestionSpec::every() {
        for ssthresh in [10, u32::MAX] {
            let config = SenderConfig {
                window: 20,
                ssthresh,
                growth: growth.into(),
                ..config(Variant::NewReno)
            };
            let mut script = Script::new(&config);
            script.send();
            for n in 1..5000 {
                script.at(100 * n / 20).ack(n.cast_unsigned());
            }
            let (cwnd, _) = script.window();
            // The round trip grows from 5 to 100 ms: those that go by delay may stay below.
            let least = if ["reno", "cubic"].contains(&growth.name()) { 20.0 } else { 2.0 };
            assert!((least..21.5).contains(&cwnd), "{growth:?}, {ssthresh}: {cwnd}");
        }
    }
}

#[test]
fn a_window_that_the_application_does_not_use_does_not_grow() {
    let mut script = Script::finite(&slow_start(), 0);
    for n in 1..100 {
        script.sender.write(MSS.into());
        script.at(100 * n).send();
        script.at(100 * n + 50).ack(n.cast_unsigned());
    }
    assert_eq!(script.window().0, 4.0);
}
