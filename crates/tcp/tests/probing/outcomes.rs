//! Outcomes of a cycle: every variant, cause and pair of answers [lahanas reading, section 2].

use crate::probing::script::{MSS, PROBING, Script, config};
use airtcp_tcp::{SenderConfig, Variant};

/// Milliseconds of a good probe (the best round trip) and of one that is not.
const GOOD: i64 = 100;
const BAD: i64 = 101;

/// Both good, only the second, only the first, none.
const PAIRS: [[i64; 2]; 4] = [[GOOD, GOOD], [BAD, GOOD], [GOOD, BAD], [BAD, BAD]];

/// cwnd, ssthresh, inflation in segments (whole ones), and what is sent.
type Found = (u64, u64, u64, String);

fn found(script: &mut Script, times: [i64; 2]) -> Found {
    let sent = script.probe(times, 1);
    let (cwnd, ssthresh) = script.window();
    let segments = |bytes: u64| bytes / u64::from(MSS);
    (segments(cwnd), segments(ssthresh), segments(script.sender.view().inflation_amount), sent)
}

fn after_duplicates(config: &SenderConfig, times: [i64; 2]) -> Found {
    found(&mut Script::duplicates(config), times)
}

fn after_timeout(config: &SenderConfig, times: [i64; 2]) -> Found {
    found(&mut Script::timed_out(config), times)
}

/// The outcomes by duplicates; a window of 8 above a threshold of 4, 1 to 8 outstanding.
fn by_duplicates(outcome: &str) -> Found {
    match outcome {
        "IR" => (8, 4, 3, "1 9 10 11".into()),
        "FR" => (4, 4, 3, "1".into()),
        "SS" => (1, 4, 0, "1".into()),
        _ => panic!("{outcome}"),
    }
}

fn by_timeout(outcome: &str) -> Found {
    match outcome {
        "IR" => (8, 4, 0, "1 2 3 4 5 6 7 8".into()),
        "FR" => (4, 4, 0, "1 2 3 4".into()),
        "SS" => (1, 4, 0, "1".into()),
        _ => panic!("{outcome}"),
    }
}

#[test]
fn the_table_of_decisions() {
    let wide = |variant| SenderConfig { window: 12, ..config(variant) };
    let rows = [
        (Variant::TahoeProbing, ["IR", "SS", "SS", "SS"], ["IR", "SS", "SS", "SS"]),
        (Variant::RenoProbing, ["IR", "FR", "FR", "FR"], ["IR", "SS", "SS", "SS"]),
        (Variant::AdaptiveProbing, ["IR", "FR", "SS", "SS"], ["IR", "FR", "SS", "SS"]),
        (Variant::SkipProbing, ["IR", "FR", "SS", "SS"], ["IR", "FR", "SS", "SS"]),
    ];
    for (variant, duplicates, timeout) in rows {
        for (i, times) in PAIRS.into_iter().enumerate() {
            let message = format!("{variant:?} {times:?}");
            assert_eq!(
                after_duplicates(&wide(variant), times),
                by_duplicates(duplicates[i]),
                "{message}"
            );
            assert_eq!(after_timeout(&wide(variant), times), by_timeout(timeout[i]), "{message}");
        }
    }
}

/// Without a rewind a timeout costs one segment; what is not probed, or judged to be congestion, goes as ever.
#[test]
fn without_a_rewind_one_segment_is_sent_again() {
    for variant in PROBING {
        let mut config = SenderConfig { window: 12, ..config(variant) };
        config.probing.rewind = false;
        let expected = |window, threshold| (window, threshold, 0, String::from("1"));
        assert_eq!(after_timeout(&config, [GOOD, GOOD]), expected(8, 4), "{variant:?}");
        assert_eq!(after_timeout(&config, [BAD, BAD]), expected(1, 4), "{variant:?}");
        assert_eq!(after_duplicates(&config, [GOOD, GOOD]), by_duplicates("IR"), "{variant:?}");
        let mut script = Script::timed_out(&config);
        script.probe([GOOD, GOOD], 1);
        assert_eq!(script.after(GOOD).ack(9), "9 10 11 12 13 14 15 16", "{variant:?}");
    }
}

#[test]
fn three_quarters_where_slow_start_was_interrupted() {
    for (variant, gentle) in PROBING.into_iter().zip([false, false, true, true]) {
        let config = SenderConfig { ssthresh: 60, ..config(variant) };
        // Slow start: the ACK has made it 9 segments, of which 8 fit into the window.
        let wanted = if gentle { (6, 6) } else { (9, 60) };
        let (cwnd, ssthresh, inflate, _) = after_duplicates(&config, [GOOD, GOOD]);
        assert_eq!((cwnd, ssthresh, inflate), (wanted.0, wanted.1, 3), "{variant:?}");
        let (cwnd, ssthresh, _, sent) = after_timeout(&config, [GOOD, GOOD]);
        assert_eq!((cwnd, ssthresh), wanted, "{variant:?}");
        assert_eq!(sent.split(' ').count(), if gentle { 6 } else { 8 });
    }
}

/// There the window is the threshold, and what inflates it lies beyond.
#[test]
fn a_timeout_in_fast_recovery_interrupts_no_slow_start() {
    for variant in [Variant::AdaptiveProbing, Variant::SkipProbing] {
        let mut script = Script::duplicates(&config(variant));
        script.probe([BAD, GOOD], 1);
        assert_eq!((script.window(), script.sender.view().inflation_amount), ((4000, 4000), 3000));
        assert_eq!(script.timeout(), "P1");
        assert_eq!(script.probe([GOOD, GOOD], 1), "1 2 3 4");
        assert_eq!(script.window(), (4000, 4000), "{variant:?}");
        // Fast recovery is over by then: slow start again.
        assert_eq!(script.timeout(), "P1");
        script.probe([GOOD, GOOD], 1);
        assert_eq!(script.window(), (3000, 3000), "{variant:?}");
    }
    // Fast retransmit without a cycle, after the window of one of a first one.
    let mut script = Script::timed_out(&config(Variant::SkipProbing));
    script.probe([BAD, BAD], 1);
    script.after(90).ack(9);
    assert_eq!([script.ack(9), script.ack(9), script.ack(9)], ["", "", "9 11 12 13"]);
    assert_eq!(script.window(), (2000, 2000));
    assert_eq!(script.timeout(), "P1");
    script.probe([GOOD, GOOD], 9);
    assert_eq!(script.window(), (2000, 2000));
}

#[test]
fn later_duplicates_inflate_and_the_first_new_ack_takes_that_away() {
    for (variant, times, kept) in
        [(Variant::TahoeProbing, [GOOD, GOOD], 8125), (Variant::RenoProbing, [BAD, BAD], 4000)]
    {
        let mut script = Script::duplicates(&SenderConfig { window: 12, ..config(variant) });
        script.probe(times, 1);
        assert_eq!(script.window().0, kept);
        for later in 1..=3 {
            script.ack(1);
            assert_eq!(script.sender.view().inflation_amount, (3 + later) * u64::from(MSS));
            assert_eq!(script.window().0, kept);
        }
        script.ack(9);
        let step = if kept == 4000 { 1000 } else { 1_000_000 / kept };
        assert_eq!(script.window().0, kept + step, "as every ACK of new data");
        assert_eq!((script.sender.view().inflation_amount, script.sender.view().dupacks), (0, 0));
    }
}

#[test]
fn duplicates_count_afresh_where_the_window_is_sent_again() {
    for times in [[GOOD, GOOD], [BAD, GOOD], [BAD, BAD]] {
        let mut script = Script::timed_out(&config(Variant::AdaptiveProbing));
        script.ack(1);
        script.ack(1);
        script.probe(times, 1);
        assert_eq!(script.sender.view().dupacks, 0);
    }
}

#[test]
fn skip_probes_at_duplicates_only_if_the_last_cycle_is_long_ago() {
    // A first cycle by timeout ends at 1.2 s with a threshold of 4 and a window of 1.
    let skipping = || {
        let mut script = Script::timed_out(&config(Variant::SkipProbing));
        assert_eq!(script.probe([BAD, BAD], 1), "1");
        script
    };
    let duplicates = |script: &mut Script, next: u64| {
        script.ack(next);
        script.ack(next);
        script.ack(next)
    };
    let mut early = skipping();
    early.after(90).ack(9);
    assert_eq!(duplicates(&mut early, 9), "9 11 12 13", "292 ms after it began: fast retransmit");
    assert!(!early.sender.is_probing());
    assert_eq!(early.sender.counters().fast_retransmits, 1);
    let mut late = skipping();
    late.after(90).ack(9);
    assert_eq!(duplicates(late.at(1501), 9), "P1", "more than 500 ms after it began");
    let mut exactly = skipping();
    exactly.after(90).ack(9);
    assert_eq!(duplicates(exactly.at(1500), 9), "9 11 12 13", "and not at 500 ms");
}

#[test]
fn skip_probes_again_after_more_than_eight_round_trips() {
    let patient = |measured: u64| {
        let mut config =
            SenderConfig { initial_window: 1, ssthresh: 40, ..config(Variant::SkipProbing) };
        config.probing.interval = crate::probing::script::ms(1_000_000);
        let mut script = Script::new(&config);
        assert_eq!(script.send(), "0");
        assert_eq!(script.timeout(), "P1");
        assert_eq!(script.probe([GOOD, GOOD], 0), "0");
        let mut acked = 1;
        script.after(10).ack(acked);
        // One segment is timed per window: each such ACK covers all that is under way.
        for _ in 0..measured {
            acked = script.sender.view().high / u64::from(MSS);
            script.after(10).ack(acked);
        }
        script.ack(acked);
        script.ack(acked);
        script.ack(acked)
    };
    assert_ne!(patient(8), "P1");
    assert_eq!(patient(9), "P1");
}

#[test]
fn tolerance_widens_what_is_good() {
    let mut config = config(Variant::TahoeProbing);
    config.probing.tolerance = 0.5;
    assert_eq!(after_timeout(&config, [150, 150]).0, 8);
    assert_eq!(after_timeout(&config, [150, 151]).0, 1);
}
