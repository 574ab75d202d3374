//! Properties of every registered variant under random loss, duplication, reordering and delay in both
//! directions, with whatever its source leaves open. `PROPTEST_CASES=1000000` plays a million scenarios.

use airtcp_core::{Instant, Span};
use airtcp_tcp::{
    CongestionSpec, Cubic, Detection, GrowthConfig, Prr, PrrBase, Receiver, ReceiverConfig,
    Reduction, RuleSource, SackConfig, Segment, Sender, SenderConfig, SlowStart, Spurious, Variant,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Packets, the last one short where bytes are counted.
const PACKETS: u64 = 60;
/// Ten milliseconds: delays are a few of them, ns ticks every tenth.
const DELAYED_ACK: Span = Span::from_nanos(150_000_000);
const STEP: Span = Span::from_nanos(10_000_000);
const SOURCES: [RuleSource; 4] =
    [RuleSource::Ideal, RuleSource::Ns2, RuleSource::Rfc, RuleSource::Bsd];
/// Longer than any number of timeouts that the losses of one case can cause.
const PATIENCE: i64 = 10_000_000;

/// Fate of one segment in the network: the number of copies that arrive, and their delay.
#[derive(Clone, Debug)]
struct Fate {
    copies: u8,
    delay: i64,
}

fn fate() -> impl Strategy<Value = Fate> {
    let delay = prop_oneof![8 => 1..6i64, 1 => 20..200i64];
    (prop_oneof![6 => Just(1u8), 2 => Just(0), 1 => Just(2)], delay)
        .prop_map(|(copies, delay)| Fate { copies, delay })
}

fn variants() -> Vec<(RuleSource, Variant)> {
    SOURCES.iter().flat_map(|&s| Variant::with_rules_of(s).map(move |v| (s, v))).collect()
}

/// Settings that the sources of rules leave open.
#[derive(Clone, Debug)]
struct Knobs {
    window: u32,
    dupacks: u32,
    inflation: bool,
    limited_transmit: bool,
    delayed_ack: bool,
    mss: u32,
    growth: CongestionSpec,
    detection: Detection,
    reduction: Reduction,
    start: SlowStart,
    spurious: Spurious,
}

fn knobs() -> impl Strategy<Value = Knobs> {
    let switches = (any::<bool>(), any::<bool>(), any::<bool>());
    let beta = 0.01..0.99f64;
    let controls = proptest::sample::select(CongestionSpec::every().collect::<Vec<_>>());
    let controls = prop_oneof![3 => controls, 1 => (beta, any::<bool>()).prop_map(cubic)];
    let detections = proptest::sample::select(Detection::every().collect::<Vec<_>>());
    let bases = [PrrBase::Flight, PrrBase::Window].map(|base| Reduction::Prr(Prr { base }));
    let reductions = [Reduction::default(), bases[0], bases[1]];
    let choices = (
        proptest::sample::select(reductions.to_vec()),
        proptest::sample::select(SlowStart::every().collect::<Vec<_>>()),
    );
    let controls = (controls, detections, proptest::sample::select(Spurious::ALL), choices);
    (1..20u32, 1..5u32, switches, prop_oneof![Just(1u32), Just(7)], controls).prop_map(
        |(window, dupacks, switches, mss, (growth, detection, spurious, (reduction, start)))| {
            Knobs {
                window,
                dupacks,
                inflation: switches.0,
                limited_transmit: switches.1,
                delayed_ack: switches.2,
                mss,
                growth,
                detection,
                reduction,
                start,
                spurious,
            }
        },
    )
}

fn cubic((beta, fast_convergence): (f64, bool)) -> CongestionSpec {
    CongestionSpec::Cubic(Cubic { beta, fast_convergence, ..Cubic::default() })
}

fn sender(source: RuleSource, variant: Variant, knobs: &Knobs) -> SenderConfig {
    let window = knobs.window;
    let config = match source {
        RuleSource::Ideal => SenderConfig {
            inflation: knobs.inflation,
            ..SenderConfig::idealized(variant, window, STEP * 64, 1)
        },
        RuleSource::Ns2 => SenderConfig::ns2(variant, window, STEP * 10, STEP * 3, 1),
        RuleSource::Bsd => SenderConfig::bsd(variant, window, knobs.mss, 2, (STEP * 10, STEP * 3)),
        RuleSource::Rfc => SenderConfig {
            detection: Some(detection(variant, knobs)),
            limited_transmit: knobs.limited_transmit,
            reduction: knobs.reduction,
            slow_start_rule: knobs.start,
            spurious: if variant.capabilities().probes { Spurious::None } else { knobs.spurious },
            initial_window: 3,
            ..SenderConfig::rfc(variant, knobs.growth, window, knobs.mss, 2)
        },
    };
    SenderConfig { dupack_threshold: knobs.dupacks, ..config }
}

/// Loss detection of the knobs, if the variant can go by it, else the usual one.
fn detection(variant: Variant, knobs: &Knobs) -> Detection {
    let sacks = variant.capabilities().sacks;
    if knobs.detection.needs_sack() && !sacks {
        Detection::default_for(sacks)
    } else {
        knobs.detection
    }
}

fn receiver(config: &SenderConfig, knobs: &Knobs) -> ReceiverConfig {
    let window = u64::from(config.window) * u64::from(config.mss);
    let rfc = config.source == RuleSource::Rfc;
    let sack = if rfc { SackConfig::RFC2018 } else { SackConfig::NS2 };
    let delayed_ack = if rfc && knobs.delayed_ack { DELAYED_ACK } else { Span::ZERO };
    let mss = config.mss;
    let timestamps = config.spurious.timestamps();
    ReceiverConfig {
        delayed_ack,
        mss,
        timestamps,
        ..ReceiverConfig::immediate(window, 1, Some(sack))
    }
}

struct World {
    sender: Sender,
    receiver: Receiver,
    now: i64,
    air: Vec<(i64, Segment)>,
    config: SenderConfig,
    written: u64,
    /// Flags of the sequence numbers that have reached the receiver.
    arrived: Vec<bool>,
}

impl World {
    fn new(config: &SenderConfig, knobs: &Knobs) -> Self {
        let mut sender = Sender::new(config).expect("a listed variant");
        let mss = u64::from(config.mss);
        let written = PACKETS * mss - mss / 2;
        sender.write(written);
        World {
            sender,
            receiver: Receiver::new(&receiver(config, knobs)),
            now: 0,
            air: vec![],
            config: *config,
            written,
            arrived: vec![false; written as usize],
        }
    }

    fn window(&self) -> u64 {
        u64::from(self.config.window) * u64::from(self.config.mss)
    }

    fn done(&self) -> bool {
        self.sender.view().una == self.written
    }

    /// One instant: arrivals, timer, then everything the sender has to say.
    fn tick(&mut self, fates: &mut impl Iterator<Item = Fate>) {
        let now = Instant::START + STEP * self.now;
        self.deliver(now, fates);
        if self.receiver.poll_timeout() <= now {
            self.receiver.on_timer(now);
            self.acknowledge(now, fates);
        }
        let una = self.sender.view().una;
        if self.sender.poll_timeout() <= now {
            self.sender.on_timer(now);
        }
        let mut sent = 0;
        let mut high = self.sender.view().high;
        while let Some(segment) = self.sender.poll_transmit(now) {
            let is_probe = matches!(segment, Segment::Probe { .. });
            assert_eq!(is_probe, self.sender.is_probing(), "only probes while suspended");
            if self.sender.view().high > high {
                self.check_allowance();
            }
            high = self.sender.view().high;
            self.launch(segment, fates);
            sent += 1;
            assert!(sent <= 2 * self.config.window + 1, "draining terminates");
        }
        self.check(una);
        self.now = self.next_event().max(self.now + 1);
    }

    fn next_event(&self) -> i64 {
        let timer = self.sender.poll_timeout().min(self.receiver.poll_timeout());
        let timer = timer.nanos() / STEP.nanos() + 1;
        self.air.iter().map(|(at, _)| *at).fold(timer, i64::min)
    }

    fn deliver(&mut self, now: Instant, fates: &mut impl Iterator<Item = Fate>) {
        let due: Vec<Segment> =
            self.air.iter().filter(|(at, _)| *at <= self.now).map(|(_, s)| *s).collect();
        self.air.retain(|(at, _)| *at > self.now);
        for segment in due {
            match segment {
                Segment::Data { seq, len, .. } => {
                    self.arrived[seq as usize..(seq + u64::from(len)) as usize].fill(true);
                    self.receiver.on_segment(now, &segment);
                    self.acknowledge(now, fates);
                }
                Segment::Probe { id, .. } => {
                    let answer = self.receiver.answer_probe(id).into();
                    self.launch(answer, fates);
                }
                Segment::Ack { .. } | Segment::ProbeAck { .. } => {
                    let una = self.sender.view().una;
                    let mut twin = self.sender.clone();
                    self.sender.on_segment(now, &segment);
                    twin.on_segment(now, &segment);
                    assert_eq!(twin, self.sender, "same inputs, same state");
                    assert!(self.sender.view().una >= una, "una never decreases");
                }
            }
        }
    }

    /// Sends the ACKs that the receiver has ready.
    fn acknowledge(&mut self, now: Instant, fates: &mut impl Iterator<Item = Fate>) {
        while let Some(ack) = self.receiver.poll_transmit(now) {
            self.launch(ack, fates);
        }
        let due = self.receiver.poll_timeout();
        assert!(due == Instant::NEVER || due <= now + DELAYED_ACK, "a delayed ACK is not late");
    }

    fn launch(&mut self, segment: Segment, fates: &mut impl Iterator<Item = Fate>) {
        let fate = fates.next().unwrap_or(Fate { copies: 1, delay: 1 });
        for copy in 0..fate.copies {
            self.air.push((self.now + fate.delay + i64::from(copy), segment));
        }
    }

    fn check(&self, una: u64) {
        assert!(self.sender.view().una >= una);
        let view = self.sender.view();
        assert!(view.high - view.una <= self.window(), "flight is bounded by the window");
        assert!(self.receiver.next_expected() <= self.written);
        // The idealised timers belong to packets sent since the last rewind.
        let sent = if self.config.source == RuleSource::Ideal { view.next } else { view.high };
        // Data that pacing holds back wait too.
        let is_paced = matches!(self.config.growth, GrowthConfig::Named(CongestionSpec::Prague(_)));
        let holds_back = is_paced && view.una < self.written;
        let waits = sent > view.una || self.sender.is_probing() || holds_back;
        assert_eq!(self.sender.poll_timeout() < Instant::NEVER, waits, "a deadline iff data");
        assert!(!(self.done() && self.sender.is_probing()), "the last ACK ends a cycle");
        let reports = view.segments.sacked_ranges();
        let reads = self.config.variant.capabilities().sacks;
        assert!(reports.is_empty() || reads, "kept for those who read them");
        for &(start, end) in reports.ranges() {
            assert!(start > view.una && end <= view.high, "{reports:?}");
            let arrived = &self.arrived[start as usize..end as usize];
            assert!(arrived.iter().all(|arrived| *arrived), "{reports:?}");
        }
        let sum: u64 = reports.ranges().iter().map(|(start, end)| end - start).sum();
        assert_eq!(reports.total(), sum, "the sum is a recount");
        if let Some(sums) = view.segments.sums() {
            let sum = sums.in_flight + sums.sacked + sums.lost;
            assert_eq!(sum, view.high - view.una, "every segment is in one state");
            assert_eq!(sums.sacked, if reads { reports.total() } else { 0 });
        }
        let packets = self.receiver.next_expected().div_ceil(self.config.mss.into());
        assert!(self.receiver.new_packets() >= packets);
    }

    /// By the RFCs new data is sent while the flight is within the window and what may be sent beyond
    /// it; a SACK sender does not count what has arrived.
    fn check_allowance(&self) {
        let view = self.sender.view();
        if self.config.source != RuleSource::Rfc {
            return;
        }
        let mut flight = view.high - view.una;
        let mut allowance = view.inflation_amount;
        if self.config.variant.capabilities().sacks {
            let outstanding = &self.arrived[view.una as usize..view.high as usize];
            flight -= outstanding.iter().filter(|arrived| **arrived).count() as u64;
            // Data that F-RTO does not send again lie beside the window.
            let probes = self.config.spurious == Spurious::FRto && view.next == view.high;
            allowance = if probes { allowance } else { 0 };
        }
        // A tail loss probe may go beyond the window [RFC 8985 7.3].
        if matches!(self.config.detection, Some(Detection::RackTlp(_))) {
            allowance += u64::from(self.config.mss);
        }
        let cwnd = view.cwnd.floor();
        assert!(flight <= cwnd + allowance, "flight {flight}, cwnd {cwnd} + {allowance}");
        // Data that were reported have left the network: others may go in their place.
        let limited = view.inflation_amount <= u64::from(3 * self.config.mss)
            || view.inflation_amount <= view.segments.sacked_ranges().total()
            || self.config.variant.capabilities().probes;
        let watched = self.config.spurious == Spurious::FRto;
        assert!(limited || watched, "limited transmit is limited");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        // PROPTEST_CASES asks for more.
        cases: ProptestConfig::default().cases.max(1200),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn everything_offered_is_delivered_once_and_in_order(
        (source, variant) in proptest::sample::select(variants()),
        knobs in knobs(),
        fates in prop::collection::vec(fate(), 0..600),
    ) {
        // Once the fates run out nothing is lost: every remaining hole costs one timeout at most.
        let play = || {
            let mut world = World::new(&sender(source, variant, &knobs), &knobs);
            let mut fates = fates.iter().cloned();
            while !world.done() && world.now < PATIENCE {
                world.tick(&mut fates);
            }
            world
        };
        let world = play();
        prop_assert!(world.done(), "no deadlock: una {}", world.sender.view().una);
        prop_assert_eq!(world.receiver.next_expected(), world.written);
        prop_assert_eq!(world.receiver.new_packets(), PACKETS);
        let again = play();
        prop_assert_eq!((again.sender, again.now), (world.sender, world.now), "same input, same bits");
    }

    /// Where losses are detected by times alone: the timers of that take the place of the retransmission timer, and none may
    /// wait for ever.
    #[test]
    fn what_is_detected_by_times_is_delivered_too(
        knobs in knobs(),
        fates in prop::collection::vec(fate(), 0..600),
    ) {
        let detection = Detection::named("rack-tlp").expect("registered");
        let knobs = Knobs { detection, ..knobs };
        let mut world = World::new(&sender(RuleSource::Rfc, Variant::Sack, &knobs), &knobs);
        let mut fates = fates.into_iter();
        while !world.done() && world.now < PATIENCE {
            world.tick(&mut fates);
        }
        prop_assert!(world.done(), "no deadlock: una {}", world.sender.view().una);
        prop_assert_eq!(world.receiver.new_packets(), PACKETS);
    }

    /// In order, always after the same time, and sooner than the timer expires: whatever is late is lost.
    #[test]
    fn no_timeout_is_called_spurious_where_only_losses_delay(
        variant in proptest::sample::select(Variant::with_rules_of(RuleSource::Rfc).collect::<Vec<_>>()),
        knobs in knobs(),
        delay in 1..20i64,
        lost in prop::collection::vec(prop::bool::weighted(0.2), 0..600),
    ) {
        let mut world = World::new(&sender(RuleSource::Rfc, variant, &knobs), &knobs);
        let mut fates = lost
            .into_iter()
            .map(|lost| Fate { copies: u8::from(!lost), delay })
            .chain(std::iter::repeat(Fate { copies: 1, delay }));
        while !world.done() && world.now < PATIENCE {
            world.tick(&mut fates);
        }
        prop_assert!(world.done());
        prop_assert_eq!(world.sender.counters().spurious, 0);
    }
}

#[test]
fn what_takes_a_variants_place_needs_nothing_of_the_other_end_and_is_of_the_same_source() {
    for (source, variant) in variants() {
        let (needs, plain) = (variant.capabilities(), variant.without_fast_recovery());
        assert!(!plain.capabilities().sacks && !plain.capabilities().probes, "{variant:?}");
        assert!(Variant::with_rules_of(source).any(|v| v == plain), "{source:?}: {variant:?}");
        assert!(plain != variant || !(needs.sacks || needs.probes), "{variant:?}");
    }
}
