//! A path with one bottleneck: constant delay, a queue that drops what does not fit, and one loss in
//! every so many packets. And what each variant makes of it.

use crate::rfc::script::{MSS, classic, ms};
use airtcp_core::{Instant, Span};
use airtcp_tcp::{
    CongestionSpec, Receiver, ReceiverConfig, SackConfig, Segment, Sender, SenderConfig, Variant,
};
use std::collections::VecDeque;

pub(crate) struct Path {
    pub(crate) sender: Sender,
    receiver: Receiver,
    rtt: Span,
    airtime: Span,
    queue: u64,
    period: Option<u64>,
    now: Instant,
    free: Instant,
    high: u64,
    /// Packets by the time at which their ACKs are back: the ACK is made when it is due.
    wire: VecDeque<(Instant, Segment)>,
}

impl Path {
    pub(crate) fn new(
        config: &SenderConfig,
        rtt: Span,
        airtime: Span,
        queue: u64,
        period: Option<u64>,
    ) -> Self {
        let mut sender = Sender::new(config).expect("a variant of the RFCs");
        sender.write(u64::MAX);
        let receiver = Receiver::new(&ReceiverConfig {
            mss: config.mss,
            ..ReceiverConfig::immediate(1 << 31, 320, Some(SackConfig::RFC2018))
        });
        let (now, wire) = (Instant::START, VecDeque::new());
        Path { sender, receiver, rtt, airtime, queue, period, now, free: now, high: 0, wire }
    }

    /// Runs until packet number `high` has been sent.
    pub(crate) fn run(&mut self, high: u64) {
        while self.high < high {
            self.step();
        }
    }

    /// Number of packets that have been delivered in order, and the present time.
    pub(crate) fn delivered(&self) -> (u64, Instant) {
        (self.receiver.next_expected() / u64::from(MSS), self.now)
    }

    /// Packets delivered and seconds since then.
    pub(crate) fn delivered_since(&self, (packets, time): (u64, Instant)) -> (u64, f64) {
        let (now_packets, now) = self.delivered();
        (now_packets - packets, (now - time).seconds())
    }

    fn step(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.transmit(segment);
        }
        let arrival = self.wire.front().map_or(Instant::NEVER, |(at, _)| *at);
        let timer = self.sender.poll_timeout();
        self.now = arrival.min(timer);
        if timer < arrival {
            self.sender.on_timer(self.now);
            return;
        }
        let Some((_, segment)) = self.wire.pop_front() else { panic!("neither data nor timer") };
        self.receiver.on_segment(self.now, &segment);
        let ack = self.receiver.poll_transmit(self.now).expect("every packet is acknowledged");
        self.sender.on_segment(self.now, &ack);
    }

    fn transmit(&mut self, segment: Segment) {
        let Segment::Data { seq, .. } = segment else { panic!("{segment:?}") };
        let packet = seq / u64::from(MSS);
        let first = packet >= self.high;
        self.high = self.high.max(packet + 1);
        let start = self.now.max(self.free);
        if (start - self.now).nanos().unsigned_abs() / self.airtime.nanos().unsigned_abs()
            > self.queue
        {
            return;
        }
        self.free = start + self.airtime;
        let lost = first && self.period.is_some_and(|period| packet % period == period - 1);
        if !lost {
            self.wire.push_back((self.free + self.rtt, segment));
        }
    }
}

/// Share of a bottleneck of 20 Mbit/s that 60 s of a sender use; 84 packets fit on the path, 50 into
/// its queue.
fn utilisation(variant: Variant, growth: CongestionSpec) -> f64 {
    let config = SenderConfig::rfc(variant, growth, 1000, MSS, 40);
    let airtime = Span::from_nanos(600_000);
    let mut path = Path::new(&config, ms(50), airtime, 50, None);
    path.run(100_000);
    let (packets, time) = path.delivered_since((0, Instant::START));
    packets as f64 * airtime.seconds() / time
}

/// The share that is enough.
fn least(growth: CongestionSpec) -> f64 {
    match growth.name() {
        // Its slow start loses many segments of one window, which SACK alone repairs at once.
        "hybla" => 0.4,
        // It grows by a third of a segment per round trip, and slows down for a tenth of the time.
        "ledbat++" => 0.75,
        // Spaced segments meet a queue that is full for long: several of a window are lost.
        "prague" => 0.8,
        _ => 0.9,
    }
}

#[test]
fn every_variant_fills_a_bottleneck_with_a_queue() {
    for growth in CongestionSpec::every() {
        let shares: Vec<f64> = classic().map(|variant| utilisation(variant, growth)).collect();
        let enough = least(growth)..1.0;
        assert!(shares.iter().all(|share| enough.contains(share)), "{growth:?}: {shares:?}");
        let (sack, others) = shares.split_last().expect("four variants");
        assert!(others.iter().all(|share| share < sack), "{growth:?}: {shares:?}");
    }
}
