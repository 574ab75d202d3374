//! Pacing, rate samples and the scoreboard of one sender, with a congestion control of
//! the tests.

use crate::congestion::FixedRate;
use crate::receiver::{Receiver, ReceiverConfig, SackConfig};
use crate::{
    CongestionSpec, Detection, GrowthConfig, RuleSource, Segment, Sender, SenderConfig, Spurious,
    Variant,
};
use airtcp_core::{Instant, Span};

const MSS: u32 = 1000;

fn ms(n: i64) -> Instant {
    Instant::from_nanos(n * 1_000_000)
}

/// A sender at `rate` bytes per second that has `written` bytes to send.
fn sender(variant: Variant, rate: f64, written: u64) -> Sender {
    let config = SenderConfig {
        growth: GrowthConfig::Paced(FixedRate { rate }),
        ..SenderConfig::rfc(variant, CongestionSpec::default(), 100, MSS, 40)
    };
    let mut sender = Sender::new(&config).expect("defined");
    sender.write(written);
    sender
}

fn ack(sender: &mut Sender, now: Instant, next: u64) {
    let ack = Segment::Ack { next, bits: 0, sack: crate::Sack::default(), echo: 0 };
    sender.on_segment(now, &ack);
}

#[test]
fn segments_leave_at_the_rate_and_the_timer_says_when() {
    let mut sender = sender(Variant::NewReno, 50_000.0, 4000); // a segment in 20 ms
    let mut sent = vec![];
    let mut now = Instant::START;
    for _ in 0..4 {
        while sender.poll_transmit(now).is_some() {
            sent.push(now);
        }
        now = sender.poll_timeout();
        sender.on_timer(now);
    }
    assert_eq!(sent, [ms(0), ms(20), ms(40), ms(60)]);
    // Everything is sent: what runs is the retransmission timer, from the first segment on.
    assert_eq!(sender.poll_timeout(), ms(1000));
    assert_eq!(sender.counters().timeouts, 0);
}

#[test]
fn an_idle_time_gives_no_burst_and_a_timeout_goes_to_the_retransmission_timer() {
    let mut sender = sender(Variant::NewReno, 50_000.0, 1000);
    assert!(sender.poll_transmit(ms(0)).is_some());
    ack(&mut sender, ms(100), 1000);
    sender.write(3000);
    assert!(sender.poll_transmit(ms(500)).is_some());
    assert!(sender.poll_transmit(ms(500)).is_none());
    assert_eq!(sender.poll_timeout(), ms(520));
    sender.on_timer(ms(520));
    assert!(sender.poll_transmit(ms(520)).is_some());
    assert!(sender.poll_transmit(ms(540)).is_some());
    let expiry = sender.poll_timeout();
    assert_eq!(expiry, ms(1500), "a second from the first segment");
    sender.on_timer(expiry);
    assert_eq!(sender.counters().timeouts, 1);
    assert_eq!(sender.view().segments.sums().map(|sums| sums.lost), Some(3000));
    assert!(sender.poll_transmit(expiry).is_some());
    assert_eq!(
        sender.view().segments.sums().map(|sums| (sums.lost, sums.resent)),
        Some((2000, 1000))
    );
}

/// A bottleneck of 100 kB/s and a round trip of 50 ms: the samples are the rate of the
/// bottleneck.
#[test]
fn samples_find_the_rate_of_the_bottleneck() {
    let mut sender = sender(Variant::NewReno, 300_000.0, u64::MAX);
    let (mut air, mut free, mut acked) = (std::collections::VecDeque::new(), ms(0), 0);
    let mut now = Instant::START;
    while now < ms(3000) {
        while let Some(Segment::Data { len, .. }) = sender.poll_transmit(now) {
            free = free.max(now) + Span::from_nanos(i64::from(len) * 10_000);
            air.push_back((free + Span::from_nanos(50_000_000), len));
        }
        let next = air.front().map_or(Instant::NEVER, |(at, _)| *at);
        now = sender.poll_timeout().min(next);
        if now == next {
            let (_, len) = air.pop_front().expect("just seen");
            acked += u64::from(len);
            ack(&mut sender, now, acked);
        }
        sender.on_timer(now);
    }
    // The receiver's window of 100 kB is a second of the bottleneck: twice 100 kB/s times that.
    let window = sender.view().cwnd.to_f64();
    assert!((window - 200_000.0).abs() < 4_000.0, "{window}");
    assert!((acked as f64 / 3.0 - 100_000.0).abs() < 3_000.0, "{acked}");
}

/// Losses, duplicates and reordering both ways, over every variant by the RFCs and every detection.
#[test]
fn with_a_history_everything_is_delivered_and_the_sums_cover_what_is_outstanding() {
    let mut state = 1_u64;
    let mut roll = move |sides: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    for round in 0..300_u64 {
        for variant in Variant::with_rules_of(RuleSource::Rfc) {
            let mut detections = Spurious::ALL.iter().copied();
            let detection = detections.nth((round % 3) as usize).unwrap_or_default();
            let spurious = if variant.capabilities().probes { Spurious::None } else { detection };
            let config = SenderConfig {
                growth: GrowthConfig::Paced(FixedRate { rate: 1e5 }),
                spurious,
                ..SenderConfig::rfc(variant, CongestionSpec::default(), 12, MSS, 40)
            };
            run(&config, &mut roll);
            if variant.capabilities().sacks {
                run(&SenderConfig { detection: Detection::named("rack-tlp"), ..config }, &mut roll);
            }
        }
    }
}

fn run(config: &SenderConfig, roll: &mut impl FnMut(u64) -> u64) {
    let written = 40_500;
    let mut sender = Sender::new(config).expect("defined");
    sender.write(written);
    let mut receiver = Receiver::new(&ReceiverConfig {
        mss: MSS,
        timestamps: config.spurious.timestamps(),
        ..ReceiverConfig::immediate(12_000, 1, Some(SackConfig::RFC2018))
    });
    let (mut air, mut now, mut events) = (vec![], Instant::START, 0);
    while sender.view().una < written {
        events += 1;
        assert!(events < 20_000, "no deadlock: {:?} at {:?}", config.variant, sender.view());
        let lossy = events < 200;
        let mut launch = |segment: Segment| {
            let copies = if lossy { [1, 1, 1, 1, 0, 2][roll(6) as usize] } else { 1 };
            for _ in 0..copies {
                air.push((now + Span::from_nanos(1_000_000 * (20 + roll(60)) as i64), segment));
            }
        };
        while let Some(segment) = sender.poll_transmit(now) {
            launch(segment);
        }
        while let Some(ack) = receiver.poll_transmit(now) {
            launch(ack);
        }
        check(&sender);
        air.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let next = air.last().map_or(Instant::NEVER, |(at, _)| *at);
        now = sender.poll_timeout().min(next);
        assert!(now < Instant::NEVER, "something is to come: {:?}", sender.view());
        if let Some((_, segment)) = air.pop_if(|(at, _)| *at == now) {
            match segment {
                Segment::Data { .. } => receiver.on_segment(now, &segment),
                Segment::Probe { id, .. } => air.push((now, receiver.answer_probe(id).into())),
                Segment::Ack { .. } | Segment::ProbeAck { .. } => sender.on_segment(now, &segment),
            }
        }
        sender.on_timer(now);
    }
    assert_eq!((receiver.next_expected(), receiver.new_packets()), (written, 41));
}

fn check(sender: &Sender) {
    let (view, sums) = (sender.view(), sender.view().segments.sums().expect("kept"));
    assert_eq!(sums.in_flight + sums.sacked + sums.lost, view.high - view.una, "{view:?}");
    assert!(sums.resent <= view.high - view.una);
    assert_eq!(sums.sacked, view.segments.sacked_ranges().total(), "{view:?}");
}
