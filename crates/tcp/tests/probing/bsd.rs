//! Tahoe, Reno and the timer of BSD [lahanas reading, section 3].

use crate::probing::script::{MSS, Script, config};
use airtcp_tcp::{SenderConfig, Variant};

#[test]
fn tahoe_resends_one_segment_and_goes_on_where_it_was() {
    let mut script = Script::after_one(&config(Variant::Tahoe));
    assert_eq!([script.ack(1), script.ack(1), script.ack(1)], ["", "", "1"]);
    assert_eq!(script.window(), (1000, 4000));
    assert_eq!(script.sender.view().next, 9 * u64::from(MSS));
    assert_eq!(script.ack(1), "", "a fourth one says nothing");
    assert_eq!(script.ack(9), "9 10", "two segments after the ACK of all");
}

#[test]
fn reno_inflates_deflates_and_opens_the_window() {
    let config = SenderConfig { window: 20, ..config(Variant::Reno) };
    let mut script = Script::after_one(&config);
    assert_eq!([script.ack(1), script.ack(1), script.ack(1)], ["", "", "1"]);
    assert_eq!(script.window(), (7000, 4000));
    assert_eq!([script.ack(1), script.ack(1)], ["", "9"]);
    assert_eq!(script.window(), (9000, 4000));
    assert_eq!(script.ack(9), "10 11 12 13");
    assert_eq!(script.window(), (5000, 4000), "the threshold, and a segment for this ACK");
}

#[test]
fn timeouts_double_to_64_seconds_and_any_new_ack_ends_that() {
    let mut script = Script::after_one(&config(Variant::Tahoe));
    let mut waits = vec![];
    for _ in 0..9 {
        let before = script.now();
        assert_eq!(script.timeout(), "1");
        waits.push(script.now() - before);
    }
    assert_eq!(waits, [900, 2000, 4000, 8000, 16_000, 32_000, 64_000, 64_000, 64_000]);
    assert_eq!(script.window(), (1000, 2000));
    // 1 was sent again: no sample, but the backoff is over.
    script.after(100).ack(2);
    assert_eq!(script.timer(), Some(900));
}

#[test]
fn only_full_segments_are_sent_but_for_the_last() {
    let mss = u64::from(MSS);
    let config = SenderConfig { rwnd: Some(3 * mss + 999), ..config(Variant::Tahoe) };
    let mut script = Script::finite(&config, 5 * mss + 1);
    assert_eq!(script.send(), "0 1 2");
    assert_eq!(script.at(10).ack(3), "3 4 5");
    assert_eq!(script.sender.view().high, 5 * mss + 1);
}

#[test]
fn the_window_grows_unseen_to_65535_bytes() {
    let mut script = Script::new(&SenderConfig { ssthresh: 1000, ..config(Variant::Reno) });
    script.send();
    for next in 1..=70 {
        script.at(10 * i64::try_from(next).unwrap()).ack(next);
    }
    assert_eq!(script.window().0, 65_535);
    assert_eq!(script.sender.view().flight_size(), 8 * u64::from(MSS));
}

#[test]
fn congestion_avoidance_adds_whole_bytes() {
    let mut script = Script::new(&config(Variant::Tahoe));
    script.send();
    let grown = [1, 2, 3].map(|next| {
        script.at(10).ack(next);
        script.window().0
    });
    assert_eq!(grown, [8125, 8248, 8369]);
}
