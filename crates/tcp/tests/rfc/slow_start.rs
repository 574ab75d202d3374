//! RFC 9406, section 4: rounds of a sender whose round trip a script decides.

use crate::rfc::script::{Script, config};
use airtcp_tcp::{CongestionSpec, SenderConfig, SlowStart, Variant};

/// A sender with an initial window of ten, and when each of its packets left, in ms.
struct Rounds {
    script: Script,
    now: i64,
    una: u64,
    /// The round lasts until all before are acknowledged.
    end: u64,
    sent: Vec<i64>,
}

impl Rounds {
    fn new(variant: Variant, growth: &str, start: &str) -> Self {
        let growth = CongestionSpec::named(growth).expect("it is registered").into();
        let start = SlowStart::named(start).expect("it is registered");
        let ssthresh = u32::MAX;
        let mut script = Script::new(&SenderConfig {
            growth,
            slow_start_rule: start,
            ssthresh,
            ..config(variant)
        });
        script.send();
        // Nothing was sent as the connection began: the first ACK ends a round.
        Rounds { script, now: 0, una: 0, end: 1, sent: vec![0; 10] }
    }

    /// The packets of a round are acknowledged one by one `rtt` ms after they were sent: how many, and by how many
    /// segments the window grows.
    fn round(&mut self, rtt: i64) -> (f64, f64) {
        let (una, end, window) = (self.una, self.end, self.script.window().0);
        while self.una < end {
            self.now = self.now.max(self.sent[self.una as usize] + rtt);
            self.una += 1;
            let high = self.sent.len();
            self.end = high as u64;
            let sent = self.script.at(self.now).ack(self.una);
            self.sent.resize(high + sent.split_whitespace().count(), self.now);
        }
        ((self.una - una) as f64, self.script.window().0 - window)
    }

    /// Two rounds of `rtt` ms, and that of the first ACK.
    fn warm(&mut self, rtt: i64) {
        for _ in 0..3 {
            let (acked, growth) = self.round(rtt);
            assert_eq!(growth, acked);
        }
    }

    fn is_over(&self) -> bool {
        let (window, threshold) = self.script.window();
        window >= threshold
    }
}

#[test]
fn a_steady_round_trip_doubles_the_window() {
    for start in ["standard", "hystart++"] {
        let mut rounds = Rounds::new(Variant::Sack, "reno", start);
        rounds.warm(100);
        rounds.warm(100);
        assert!(!rounds.is_over());
    }
}

/// Section 4.2: the eighth sample shows a rise of 12.5 ms, an eighth of 100 ms; every further ACK adds a quarter. Five
/// rounds of that, the first of which is a part, and slow start is over.
#[test]
fn a_rise_by_an_eighth_slows_down_and_ends_after_five_rounds() {
    for growth in ["reno", "cubic"] {
        let mut rounds = Rounds::new(Variant::Sack, growth, "hystart++");
        rounds.warm(100);
        let (acked, grown) = rounds.round(113);
        assert_eq!(grown, 8.0 + (acked - 8.0) / 4.0);
        for _ in 0..4 {
            assert!(!rounds.is_over());
            let (acked, grown) = rounds.round(113);
            assert_eq!(grown, acked / 4.0);
        }
        assert!(rounds.is_over());
        assert_eq!(rounds.script.window().0, rounds.script.window().1, "ssthresh = cwnd");
        let (acked, grown) = rounds.round(113);
        assert!(grown < 0.1 * acked, "congestion avoidance");
    }
}

/// 4 ms at least, 16 ms at most: MIN_RTT_THRESH, MAX_RTT_THRESH.
#[test]
fn a_rise_has_to_reach_the_threshold() {
    for (last, rise) in [(16, 4), (100, 13), (400, 16)] {
        for variant in [Variant::NewReno, Variant::Sack] {
            let slows = |more: i64| {
                let mut rounds = Rounds::new(variant, "reno", "hystart++");
                rounds.warm(last);
                let (acked, grown) = rounds.round(last + more);
                grown < acked
            };
            assert_eq!([rise - 1, rise].map(slows), [false, true], "{last} ms");
        }
    }
}

/// `cssBaselineMinRtt`: the rise was noise.
#[test]
fn a_round_trip_below_the_baseline_resumes_slow_start() {
    let mut rounds = Rounds::new(Variant::Sack, "reno", "hystart++");
    rounds.warm(100);
    rounds.round(120);
    let (acked, grown) = rounds.round(110);
    assert_eq!(grown, 8.0 / 4.0 + (acked - 8.0), "the eighth sample shows it");
    assert!(!rounds.is_over());
}

/// Section 4.3: L = 8 for a sender that does not pace, where RFC 5681 has one segment per ACK.
#[test]
fn an_ack_of_many_segments_adds_eight() {
    let grown = |start| {
        let mut rounds = Rounds::new(Variant::Sack, "reno", start);
        rounds.script.at(100).ack(10);
        rounds.script.window().0
    };
    assert_eq!((grown("standard"), grown("hystart++")), (11.0, 18.0));
}

/// Section 4.3: only the initial slow start.
#[test]
fn after_a_loss_slow_start_is_the_standard_one() {
    let mut rounds = Rounds::new(Variant::Sack, "reno", "hystart++");
    rounds.warm(100);
    rounds.script.timeout();
    let script = &mut rounds.script;
    assert_eq!(script.window().0, 1.0);
    script.at(5000).ack(60);
    assert_eq!(script.window().0, 2.0, "one segment per ACK");
}
