//! RFC 9438 against its own formulae, evaluated here afresh, and against its table of average windows.

use crate::rfc::path::Path;
use crate::rfc::rounds::{RTT, Rounds};
use crate::rfc::script::{MSS, Script, config, ms};
use airtcp_core::{Instant, Span};
use airtcp_tcp::{CongestionSpec, Cubic, SenderConfig, Variant};

fn cubic(window: u32) -> SenderConfig {
    SenderConfig {
        growth: CongestionSpec::Cubic(Cubic::default()).into(),
        window: 10_000,
        initial_window: window,
        ssthresh: window,
        ..config(Variant::Sack)
    }
}

/// `W_cubic(t)` [figure 1] with K by [figure 2].
fn w_cubic(t: f64, w_max: f64, cwnd_epoch: f64) -> f64 {
    let k = ((w_max - cwnd_epoch) / 0.4).cbrt();
    w_max + 0.4 * (t - k) * (t - k) * (t - k)
}

#[test]
fn section_4_6_the_window_falls_to_seven_tenths_of_the_flight() {
    let mut rounds = Rounds::new(&cubic(100));
    rounds.round();
    let before = rounds.cwnd();
    rounds.lose();
    let (cwnd, ssthresh) = rounds.script.window();
    assert!((cwnd - ssthresh).abs() < 1e-6);
    assert!((cwnd - 0.7 * before.floor()).abs() < 0.8, "{cwnd} of {before}");
}

#[test]
fn sections_4_2_to_4_5_concave_up_to_the_last_window_then_convex() {
    // One loss at a window of 1000: K = cbrt(300 / 0.4) = 9.09 s.
    let mut rounds = Rounds::new(&cubic(1000));
    rounds.round();
    let w_max = rounds.cwnd();
    rounds.lose();
    let epoch = rounds.cwnd();
    assert!((epoch - 0.7 * w_max).abs() < 1.0, "{epoch} of {w_max}");
    let mut curve = vec![];
    // An independent walk through the rounds: every ACK of a round sees the same t.
    let (mut model, mut reno) = (epoch, epoch);
    for round in 0..160 {
        let t = f64::from(round) * 0.1;
        let segments = (rounds.high() - rounds.acked) as usize;
        for _ in 0..segments {
            reno += 3.0 * (0.3 / 1.7) / model; // W_est, below cwnd_prior
            let target = w_cubic(t + 0.1, w_max, epoch).clamp(model, 1.5 * model);
            let friendly = w_cubic(t, w_max, epoch) < reno;
            model = if friendly { model.max(reno) } else { model + (target - model) / model };
        }
        rounds.round();
        let error = (rounds.cwnd() - model).abs() / model;
        assert!(error < 1e-3, "round {round}: {} and {model}", rounds.cwnd());
        if round % 20 == 19 {
            curve.push(rounds.cwnd().round() as i64);
        }
    }
    // After 2, 4, ... 16 s: slower and slower towards 1001, then faster and faster.
    assert_eq!(curve, [855, 946, 988, 1000, 1001, 1010, 1047, 1130]);
    for (seconds, cwnd) in (2..).step_by(2).zip(curve) {
        let closed = w_cubic(f64::from(seconds), w_max, epoch);
        assert!((cwnd as f64 - closed).abs() < 4.0, "figure 1 itself: {cwnd} and {closed}");
    }
}

#[test]
fn section_4_7_fast_convergence_lowers_the_plateau() {
    let mut rounds = Rounds::new(&cubic(1000));
    rounds.round();
    rounds.lose();
    rounds.round();
    let at_loss = rounds.cwnd();
    assert!(at_loss < 1000.0, "below W_max");
    rounds.lose();
    // The new plateau is 0.85 of the window at the loss: it is reached after K, and held.
    let plateau = 0.85 * at_loss;
    let k = ((plateau - rounds.cwnd()) / 0.4).cbrt();
    for _ in 0..(k * 10.0) as usize {
        rounds.round();
    }
    assert!((rounds.cwnd() - plateau).abs() < 1.0, "{} and {plateau}", rounds.cwnd());
}

#[test]
fn section_4_8_after_a_timeout_the_curve_starts_convex_where_slow_start_ends() {
    let mut rounds = Rounds::new(&cubic(100));
    rounds.script.timeout();
    assert_eq!(rounds.script.window(), (1.0, 70.0));
    rounds.time = 1000;
    // The receiver has the rest.
    rounds.acked = 100;
    rounds.time += RTT;
    rounds.script.at(rounds.time).ack(100);
    while rounds.cwnd() < 70.0 {
        rounds.round();
    }
    let (epoch, start) = (rounds.cwnd(), rounds.time);
    for _ in 0..50 {
        rounds.round();
    }
    let t = (rounds.time - start) as f64 / 1e3;
    // K = 0 and W_max = cwnd_epoch, or Reno's estimate: 0.53 segments per round trip up to 100.
    let expected = (epoch + 0.4 * t * t * t).max(epoch + 0.53 * t * 10.0);
    assert!((rounds.cwnd() / expected - 1.0).abs() < 0.05, "{} and {expected}", rounds.cwnd());
}

#[test]
fn section_5_8_time_without_use_of_the_window_does_not_count() {
    let mss = u64::from(MSS);
    let config = SenderConfig { restarts_after_idle: false, ..cubic(50) };
    let mut script = Script::finite(&config, 150 * mss);
    script.send();
    let mut acked = 0;
    for round in 1..=3 {
        let high = script.sender.view().high / mss;
        for next in acked + 1..=high {
            script.at(RTT * round).ack(next);
        }
        acked = high;
    }
    assert_eq!(script.sender.poll_timeout(), Instant::NEVER, "idle");
    let before = script.window().0;
    script.sender.write(1000 * mss);
    // If the 30 s counted, the curve would be at 0.4 x 30^3 and every ACK would add half a segment.
    script.at(30_000).send();
    for next in acked + 1..=acked + 20 {
        script.at(30_000 + RTT).ack(next);
    }
    assert!(script.window().0 < before + 1.0, "{before}, {}", script.window().0);
}

/// The average window with one loss in every `period` packets: packets delivered per round trip.
fn average_window(growth: CongestionSpec, rtt: Span, period: u64, losses: u64) -> f64 {
    let config =
        SenderConfig { ssthresh: 10, ..SenderConfig::rfc(Variant::Sack, growth, 100_000, MSS, 40) };
    // Fast enough never to be the limit, slow enough that a window is not one instant.
    let airtime = Span::from_nanos(rtt.nanos() / 20_000);
    let mut path = Path::new(&config, rtt, airtime, u64::MAX, Some(period));
    path.run(period * losses / 4);
    let start = path.delivered();
    path.run(period * losses);
    let (packets, time) = path.delivered_since(start);
    assert_eq!(path.sender.counters().timeouts, 0);
    assert!(path.sender.counters().fast_retransmits >= losses - 1);
    packets as f64 * rtt.seconds() / time
}

/// The table's figures are those of the fluid model; the sender loses a round trip per loss and, at
/// small windows, counts whole segments.
fn check(growth: CongestionSpec, rtt: Span, period: u64, expected: f64) {
    let average = average_window(growth, rtt, period, 20);
    let tolerance = if expected < 20.0 { 0.2 } else { 0.1 };
    assert!(
        (average / expected - 1.0).abs() < tolerance,
        "{growth:?}, 1 in {period}: {average}, the table has {expected}"
    );
}

#[test]
fn table_1_average_windows_at_an_rtt_of_100_ms() {
    check(CongestionSpec::default(), ms(100), 100, 12.0);
    check(CongestionSpec::default(), ms(100), 1000, 38.0);
    check(CongestionSpec::default(), ms(100), 10_000, 120.0);
    check(CongestionSpec::Cubic(Cubic::default()), ms(100), 100, 12.0);
    check(CongestionSpec::Cubic(Cubic::default()), ms(100), 1000, 38.0);
    check(CongestionSpec::Cubic(Cubic::default()), ms(100), 10_000, 187.0);
    check(CongestionSpec::Cubic(Cubic::default()), ms(100), 100_000, 1054.0);
}

#[test]
fn table_2_average_windows_at_an_rtt_of_10_ms() {
    check(CongestionSpec::Cubic(Cubic::default()), ms(10), 1000, 38.0);
    check(CongestionSpec::Cubic(Cubic::default()), ms(10), 10_000, 120.0);
    check(CongestionSpec::Cubic(Cubic::default()), ms(10), 100_000, 379.0);
}

#[test]
fn a_loss_leaves_the_share_beta_of_the_flight() {
    for beta in [0.7, 0.5] {
        let growth = CongestionSpec::Cubic(Cubic { beta, ..Cubic::default() }).into();
        let mut script = Script::new(&SenderConfig { growth, ..cubic(100) });
        script.send();
        script.sack(0, &[(1, 100)]);
        assert_eq!(script.window().1, 100.0 * beta);
    }
}
