//! Prague: growth and reductions by the round trip, and spacing [draft-briscoe-iccrg-prague-congestion-control].

use crate::rfc::rounds::avoiding;
use crate::rfc::script::{MSS, ms};
use airtcp_core::{Instant, Span};
use airtcp_tcp::{Sack, Sender, SenderConfig};

/// An instant in hundredths of a millisecond.
fn at(n: i64) -> Instant {
    Instant::START + Span::from_nanos(n * 10_000)
}

fn sender(window: u32) -> Sender {
    let config = SenderConfig { ecn: true, ..avoiding("prague", window) };
    let mut sender = Sender::new(&config).expect("a variant");
    sender.write(u64::MAX);
    while sender.poll_data(at(0)).is_some() {}
    sender
}

/// ACKs of packets up to `until`, at once; the window after them, in segments.
fn ack(sender: &mut Sender, now: Instant, until: u64, marked: bool) -> f64 {
    let first = sender.view().una / u64::from(MSS);
    for packet in first + 1..=until {
        let next = packet * u64::from(MSS);
        if marked {
            sender.on_marked_ack(now, next, &Sack::default(), 0);
        } else {
            sender.on_ack(now, next, &Sack::default(), 0);
        }
    }
    sender.view().cwnd.to_f64() / f64::from(MSS)
}

/// Twenty segments, acknowledged after `rtt`, add so many.
fn growth(rtt: i64) -> f64 {
    ack(&mut sender(20), at(rtt), 20, false) - 20.0
}

#[test]
fn below_25_ms_the_window_grows_by_the_square_of_the_round_trip() {
    let sum = |pace: f64| (0..20).fold(20.0, |window, _| window + pace / window) - 20.0;
    for (rtt, pace) in [(10_000, 1.0), (2500, 1.0), (1250, 0.25), (500, 0.04)] {
        assert!((growth(rtt) - sum(pace)).abs() < 1e-9, "{rtt}: {}", growth(rtt));
    }
}

/// Nothing was averaged before the first mark: it leaves half.
#[test]
fn the_first_mark_leaves_half() {
    let mut sender = sender(20);
    let before = ack(&mut sender, at(10_000), 10, false);
    let after = ack(&mut sender, at(10_000), 11, true);
    assert!((after - before / 2.0).abs() < 1e-9, "{before} {after}");
    assert_eq!(sender.view().ssthresh, sender.view().cwnd);
}

/// At a round trip of 5 ms windows of data are so long, but the next answer comes 25 ms after the first.
#[test]
fn it_answers_once_in_25_ms() {
    let mut sender = sender(20);
    ack(&mut sender, at(500), 1, true);
    let mut windows = Vec::new();
    for round in 2..=7 {
        let (now, high) = (at(500 * round), sender.view().high / u64::from(MSS));
        let (una, end) = (sender.view().una / u64::from(MSS), high.saturating_sub(0));
        assert!(end > una, "something is outstanding");
        windows.push(ack(&mut sender, now, end, true));
        let mut clock = now;
        for _ in 0..4 {
            while sender.poll_data(clock).is_some() {}
            clock = sender.poll_timeout().min(now + ms(4)).max(clock);
            sender.on_timer(clock);
        }
    }
    assert!(windows[..4].iter().all(|window| *window == windows[0]), "{windows:?}");
    assert!(windows[5] < windows[0], "{windows:?}");
}

/// At 20 segments per 100 ms one leaves every 5 ms.
#[test]
fn segments_are_spaced() {
    let mut sender = sender(20);
    ack(&mut sender, at(10_000), 20, false);
    let mut sent = Vec::new();
    let mut now = at(10_000);
    while sent.len() < 5 {
        while sender.poll_data(now).is_some() {
            sent.push(now);
        }
        now = sender.poll_timeout();
        sender.on_timer(now);
    }
    let gaps: Vec<f64> = sent.windows(2).map(|two| (two[1] - two[0]).seconds()).collect();
    let expected = 0.1 * f64::from(MSS) / sender.view().cwnd.to_f64();
    assert!(gaps.iter().all(|gap| (gap / expected - 1.0).abs() < 1e-3), "{gaps:?} {expected}");
}

/// Windows of data every 5 ms, every ACK marked: answers come 25 ms apart, for a mark that comes too soon puts off nothing.
#[test]
fn a_mark_that_comes_too_soon_puts_off_nothing() {
    let mut sender = sender(10);
    let (mut answers, mut window) = (Vec::new(), sender.view().cwnd);
    for packet in 1..=80 {
        let now = at(500 + 100 * i64::try_from(packet).expect("few"));
        ack(&mut sender, now, packet, true);
        if sender.view().cwnd < window {
            answers.push((now - at(0)).nanos() / 1_000_000);
        }
        window = sender.view().cwnd;
        while sender.poll_data(now).is_some() {}
    }
    assert_eq!(answers, [6, 31, 56], "{answers:?}");
}
