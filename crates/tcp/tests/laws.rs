//! Laws of every registered variant under random loss, duplication, reordering and delay in both
//! directions, with and without window inflation.

use airtcp_core::{Instant, Span};
use airtcp_tcp::{
    Receiver, ReceiverConfig, SackConfig, Segment, Sender, SenderConfig, Source, Variant,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const OFFERED: u64 = 60;
/// Ten milliseconds: delays are a few of them, ns ticks every tenth.
const STEP: Span = Span::from_nanos(10_000_000);
const SOURCES: [Source; 2] = [Source::Ideal, Source::Ns2];
/// Longer than any number of timeouts that the losses of one case can cause.
const PATIENCE: i64 = 10_000_000;

/// What the network does to one segment: how often it arrives, and after how long.
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

fn variants() -> Vec<(Source, Variant)> {
    SOURCES.iter().flat_map(|&s| Variant::of(s).map(move |v| (s, v))).collect()
}

fn config() -> impl Strategy<Value = SenderConfig> {
    (proptest::sample::select(variants()), 1..20u32, 1..5u32, any::<bool>()).prop_map(
        |((source, variant), window, dupack_threshold, inflation)| match source {
            Source::Ideal => SenderConfig {
                dupack_threshold,
                inflation,
                ..SenderConfig::idealised(variant, window, STEP * 64, 1)
            },
            Source::Ns2 => SenderConfig {
                dupack_threshold,
                ..SenderConfig::ns2(variant, window, STEP * 10, STEP * 3, 1)
            },
        },
    )
}

struct World {
    sender: Sender,
    receiver: Receiver,
    now: i64,
    air: Vec<(i64, Segment)>,
    window: u64,
    source: Source,
}

impl World {
    fn new(config: &SenderConfig) -> Self {
        let mut sender = Sender::new(config).expect("a listed variant");
        sender.offer(OFFERED);
        let window = config.window.into();
        let sack = Some(SackConfig { blocks: 3, block_bits: 64 });
        World {
            sender,
            receiver: Receiver::new(&ReceiverConfig { window, ack_bits: 1, sack }),
            now: 0,
            air: vec![],
            window,
            source: config.source,
        }
    }

    fn done(&self) -> bool {
        self.sender.view().una == OFFERED
    }

    /// One instant: arrivals, timer, then everything the sender has to say.
    fn tick(&mut self, fates: &mut impl Iterator<Item = Fate>) {
        let now = Instant::START + STEP * self.now;
        self.deliver(now, fates);
        let una = self.sender.view().una;
        if self.sender.poll_timeout() <= now {
            self.sender.on_timer(now);
        }
        let mut sent = 0;
        while let Some(segment) = self.sender.poll_transmit(now) {
            self.launch(segment, fates);
            sent += 1;
            assert!(sent <= 2 * self.window + 1, "draining terminates");
        }
        self.check(una);
        self.now = self.next_event().max(self.now + 1);
    }

    fn next_event(&self) -> i64 {
        let timer = self.sender.poll_timeout().nanos() / STEP.nanos() + 1;
        self.air.iter().map(|(at, _)| *at).fold(timer, i64::min)
    }

    fn deliver(&mut self, now: Instant, fates: &mut impl Iterator<Item = Fate>) {
        let due: Vec<Segment> =
            self.air.iter().filter(|(at, _)| *at <= self.now).map(|(_, s)| *s).collect();
        self.air.retain(|(at, _)| *at > self.now);
        for segment in due {
            match segment {
                Segment::Data { .. } => {
                    self.receiver.on_segment(now, &segment);
                    while let Some(ack) = self.receiver.poll_transmit(now) {
                        self.launch(ack, fates);
                    }
                }
                Segment::Ack { .. } => {
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

    fn launch(&mut self, segment: Segment, fates: &mut impl Iterator<Item = Fate>) {
        let fate = fates.next().unwrap_or(Fate { copies: 1, delay: 1 });
        for copy in 0..fate.copies {
            self.air.push((self.now + fate.delay + i64::from(copy), segment));
        }
    }

    fn check(&self, una: u64) {
        assert!(self.sender.view().una >= una);
        let view = self.sender.view();
        assert!(view.high - view.una <= self.window, "flight is bounded by the window");
        assert!(self.receiver.next_expected() <= OFFERED);
        // The idealised timers belong to packets sent since the last rewind.
        let sent = if self.source == Source::Ideal { view.next } else { view.high };
        let outstanding = sent > view.una;
        assert_eq!(self.sender.poll_timeout() < Instant::NEVER, outstanding, "a deadline iff data");
        assert!(self.receiver.distinct() >= self.receiver.next_expected());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn everything_offered_is_delivered_once_and_in_order(
        config in config(),
        fates in prop::collection::vec(fate(), 0..600),
    ) {
        let mut world = World::new(&config);
        let mut fates = fates.into_iter();
        // Once the fates run out nothing is lost: every remaining hole costs one timeout at most.
        while !world.done() && world.now < PATIENCE {
            world.tick(&mut fates);
        }
        prop_assert!(world.done(), "no deadlock: una {}", world.sender.view().una);
        prop_assert_eq!(world.receiver.next_expected(), OFFERED);
        prop_assert_eq!(world.receiver.distinct(), OFFERED);
    }
}
