//! Times computed by hand. 1 Gbit/s, so that a packet of n bits takes n ns.

use crate::transmitter::at;
use airtcp_core::{Ecn, Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::queue::{Backlog, Dequeued, Fifo, Guarantees, Order, PacketId, Queue, Spec as _};
use airtcp_radio::{
    DistributionSpec, Duplication, HopConfig, Jitter, Line, LossCause, LostPacket, Observed,
    QueueSpec, Transmitter, Volume,
};

/// Number, bits, whose it is, whether it takes marks, whether it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet(u64, u64, usize, bool, bool);

impl Payload for Packet {
    fn bits(&self) -> u64 {
        self.1
    }
    fn number(&self) -> Option<u64> {
        Some(self.0)
    }
    fn owner(&self) -> usize {
        self.2
    }
    fn ecn(&self) -> Ecn {
        if self.3 { Ecn::Ect0 } else { Ecn::NotEct }
    }
    fn mark(&mut self) {
        self.4 = true;
    }
}

fn packet(number: u64, bits: u64) -> Packet {
    Packet(number, bits, 0, true, false)
}

fn config(delay: i64) -> HopConfig {
    HopConfig::new(Rate::try_from("1Gbps".to_owned()).unwrap(), Span::from_nanos(delay))
}

fn line(config: HopConfig) -> Transmitter<Packet> {
    let mut line = Transmitter::new(config);
    line.keep_losses(true);
    line.record_counts(true);
    line
}

fn queue(json: &str) -> Option<Box<dyn Queue>> {
    let spec: QueueSpec = serde_json::from_str(json).unwrap();
    Some(spec.build(Rate::MAX, Stream::new(1, "queue", 0)).unwrap())
}

fn distribution(json: &str) -> Option<Jitter> {
    let spec: DistributionSpec = serde_json::from_str(json).unwrap();
    Some(Jitter::new(&spec, Stream::new(1, "jitter", 0)).unwrap())
}

fn each_twice() -> Option<Duplication> {
    Some(Duplication::new(1.0, Stream::new(1, "duplicate", 0)))
}

/// Packets that come out until `end`: (ns, packet number).
fn arrivals(line: &mut Transmitter<Packet>, end: i64) -> Vec<(i64, u64)> {
    let mut out = Vec::new();
    while line.due().0 <= at(end) {
        let now = line.due().0;
        if let PollResult::Out(packet) = line.poll(now) {
            out.push((now.nanos(), packet.0));
        }
    }
    out
}

/// Packets that were lost: (ns, packet number, cause).
fn losses(line: &mut Transmitter<Packet>) -> Vec<(i64, u64, LossCause)> {
    let all = std::iter::from_fn(|| line.take_lost());
    all.map(|LostPacket { at, payload, cause }| (at.nanos(), payload.0, cause)).collect()
}

#[test]
fn the_oldest_makes_room() {
    // One in transmission and two that wait.
    let managed = queue(r#"{"kind": "head-drop", "packets": 3}"#);
    let mut line = line(HopConfig { managed, ..config(0) });
    for number in 0..5 {
        line.push(at(0), packet(number, 10)); // 0 is sent; 3 takes the place of 1, 4 that of 2
    }
    line.push(at(10), packet(5, 10)); // 3 is sent: 4 and 5 wait
    assert_eq!(losses(&mut line), [(0, 1, LossCause::Queue), (0, 2, LossCause::Queue)]);
    assert_eq!(arrivals(&mut line, 100), [(10, 0), (20, 3), (30, 4), (40, 5)]);
    assert_eq!(losses(&mut line), []);
}

#[test]
fn the_oldest_make_room_for_as_many_bytes() {
    let managed = queue(r#"{"kind": "head-drop", "bytes": "10B"}"#);
    let mut line = line(HopConfig { managed, ..config(0) });
    line.push(at(0), packet(0, 800)); // longer than the limit, but it need not wait
    line.push(at(1), packet(1, 30));
    line.push(at(2), packet(2, 30));
    line.push(at(3), packet(3, 81)); // never fits: it is dropped itself
    line.push(at(4), packet(4, 20));
    line.push(at(5), packet(5, 60)); // 1 and 2 make room
    let lost = [(3, 3), (5, 1), (5, 2)].map(|(at, number)| (at, number, LossCause::Queue));
    assert_eq!(losses(&mut line), lost);
    assert_eq!(arrivals(&mut line, 1000), [(800, 0), (820, 4), (880, 5)]);
}

#[test]
fn jitter_delays_and_keeps_the_order() {
    let values =
        r#"{"kind": "values", "values": ["50ns", "0ns", "5ns", "100ns"], "repeat": false}"#;
    let jitter = distribution(values);
    let mut line = line(HopConfig { jitter, ..config(7) });
    for number in 0..3 {
        line.push(at(0), packet(number, 10));
    }
    for (now, number) in [(200, 3), (350, 4)] {
        line.push(at(now), packet(number, 10)); // after the last length there is none
    }
    // 0 ends at 10 and travels 57; 1 would arrive at 27 and 2 at 42: each follows by its airtime.
    assert_eq!(arrivals(&mut line, 1000), [(67, 0), (77, 1), (87, 2), (317, 3), (367, 4)]);
}

#[test]
fn packets_overtake_where_they_may() {
    let values = r#"{"kind": "values", "values": ["50ns", "0ns", "20ns", "10ns"]}"#;
    let mut line = line(HopConfig { jitter: distribution(values), reorder: true, ..config(7) });
    for number in 0..4 {
        line.push(at(0), packet(number, 10));
    }
    // They end at 10, 20, 30, 40.
    assert_eq!(arrivals(&mut line, 1000), [(27, 1), (57, 2), (57, 3), (67, 0)]);
}

#[test]
fn a_delay_that_shrinks_reorders_where_it_may() {
    let delays = vec![(at(10), Span::from_nanos(2))];
    let mut line = line(HopConfig { delays, reorder: true, ..config(30) });
    line.push(at(0), packet(0, 10));
    line.push(at(0), packet(1, 10));
    assert_eq!(arrivals(&mut line, 1000), [(22, 1), (40, 0)]);
}

#[test]
fn a_copy_comes_right_behind() {
    let mut line = line(HopConfig { duplication: each_twice(), ..config(5) });
    line.push(at(0), packet(0, 10));
    line.push(at(0), packet(1, 10));
    // A copy takes no airtime.
    assert_eq!(arrivals(&mut line, 1000), [(15, 0), (15, 0), (25, 1), (25, 1)]);
    let counts = line.counts(at(1000)).unwrap();
    assert_eq!(counts.duplicated, Volume { packets: 2, bits: 20 });
    assert_eq!(counts.delivered, Volume { packets: 4, bits: 40 });
    assert_eq!(counts.busy, Span::from_nanos(20));
}

/// The original draws 3 and 40 ns, its copy the same from the start of its own values.
#[test]
fn a_copy_has_a_jitter_of_its_own() {
    let jitter = || distribution(r#"{"kind": "values", "values": ["3ns", "40ns"]}"#);
    let both = || HopConfig { jitter: jitter(), duplication: each_twice(), ..config(0) };
    let mut kept = line(both());
    kept.push(at(0), packet(0, 10));
    kept.push(at(0), packet(1, 10));
    assert_eq!(arrivals(&mut kept, 1000), [(13, 0), (13, 0), (60, 1), (60, 1)]);
    let spread = distribution(r#"{"kind": "uniform", "min": "0ns", "max": "1us"}"#);
    let mut apart = line(HopConfig { jitter: spread, reorder: true, ..both() });
    apart.push(at(0), packet(0, 10));
    let times = arrivals(&mut apart, 10_000);
    assert!(times.len() == 2 && times[0].0 != times[1].0, "{times:?}");
}

#[test]
fn what_the_channel_erases_has_no_copy() {
    let spec = r#"{"kind": "trace", "lost": [1, 0]}"#;
    let spec: airtcp_radio::ChannelSpec = serde_json::from_str(spec).unwrap();
    let channel =
        airtcp_radio::channel::Spec::build(&spec, Span::from_nanos(10), Stream::new(1, "", 0));
    let channel = channel.unwrap();
    let mut line = line(HopConfig { channel, duplication: each_twice(), ..config(5) });
    line.push(at(0), packet(0, 10));
    line.push(at(0), packet(1, 10));
    assert_eq!(arrivals(&mut line, 1000), [(25, 1), (25, 1)]);
    assert_eq!(losses(&mut line), [(15, 0, LossCause::Channel)]);
}

#[test]
fn only_what_is_foreseen_is_a_plain_hop() {
    let is_plain = |config| matches!(Line::<Packet>::new(config), Line::Plain(_));
    assert!(is_plain(config(0)));
    let managed = queue(r#"{"kind": "head-drop", "packets": 3}"#);
    assert!(!is_plain(HopConfig { managed, ..config(0) }));
    assert!(!is_plain(HopConfig { duplication: each_twice(), ..config(0) }));
    assert!(!is_plain(HopConfig { reorder: true, ..config(0) }));
    let jitter = distribution(r#"{"kind": "fixed", "value": "1ns"}"#);
    assert!(!is_plain(HopConfig { jitter, ..config(0) }));
}

#[test]
fn counts_are_those_of_the_times() {
    let mut line = line(config(5));
    line.push(at(10), packet(0, 20));
    line.push(at(10), packet(1, 20));
    line.push(at(20), packet(2, 20));
    let at_40 = line.counts(at(40)).unwrap(); // 1 was sent from 30 on; 2 waits
    assert_eq!(at_40.busy, Span::from_nanos(30));
    assert_eq!((at_40.started, at_40.sojourn), (2, Span::from_nanos(20)));
    // One waits from 10 to 20, two to 30, one to 40.
    assert_eq!((at_40.packet_time.exact(), at_40.bit_time.exact()), (40, 800));
    assert_eq!((at_40.most_packets, at_40.most_bits), (2, 40));
    arrivals(&mut line, 100);
    let rest = line.counts(at(100)).unwrap().since(&at_40);
    assert_eq!(rest.busy, Span::from_nanos(30));
    assert_eq!((rest.started, rest.sojourn), (1, Span::from_nanos(30)));
    assert_eq!(
        (rest.packet_time.exact(), rest.delivered.packets, rest.offered.packets),
        (10, 3, 0)
    );
    assert!((rest.utilisation(Span::from_nanos(60)) - 0.5).abs() < 1e-12);
    assert!((rest.mean_packets(Span::from_nanos(60)) - 1.0 / 6.0).abs() < 1e-12);
}

/// A queue of the test: packets of flow 1 before the others, and one packet every 30 ns. What has waited for more than 50 ns is
/// marked, or dropped where it takes no marks.
#[derive(Debug, Default)]
struct Picky {
    first: Fifo,
    others: Fifo,
    next: i64,
}

impl Queue for Picky {
    fn enqueue(&mut self, id: PacketId, _: bool, backlog: &mut Backlog) {
        if backlog[id].owner == 1 {
            self.first.push(id, backlog);
        } else {
            self.others.push(id, backlog);
        }
    }

    fn dequeue(&mut self, now: Instant, backlog: &mut Backlog) -> Dequeued {
        if now < at(self.next) {
            return Dequeued::Wait(at(self.next));
        }
        while let Some(id) = self.first.pop(backlog).or_else(|| self.others.pop(backlog)) {
            let is_old = (now - backlog[id].since).nanos() > 50;
            if is_old && !backlog[id].ecn.takes_marks() {
                backlog.drop(id, LossCause::Queue);
                continue;
            }
            if is_old {
                backlog.mark(id);
            }
            self.next = now.nanos() + 30;
            return Dequeued::Send(id);
        }
        Dequeued::Empty
    }

    fn cut(&mut self, backlog: &mut Backlog) {
        self.first.drop_all(backlog);
        self.others.drop_all(backlog);
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees {
            order: Order::Any,
            may_wait: true,
            drops_on_dequeue: true,
            only_drops_on_arrival: false,
        }
    }
}

#[test]
fn a_queue_may_wait_choose_mark_and_drop_late() {
    let mut line = line(HopConfig { managed: Some(Box::<Picky>::default()), ..config(100) });
    line.record_history(true);
    line.push(at(0), packet(0, 10));
    line.push(at(0), packet(1, 10)); // waits for 30
    line.push(at(0), Packet(2, 10, 0, false, false)); // would be sent after 60: it is dropped then
    line.push(at(0), packet(3, 10)); // takes its place, with a mark
    line.push(at(29), Packet(4, 10, 1, true, false)); // goes before 1
    assert_eq!(line.due().0, at(30), "the queue may drop then");
    let mut seen = Vec::new();
    while line.due().0 < Instant::NEVER {
        let now = line.due().0;
        let polled = line.poll(now);
        let lost = losses(&mut line);
        if let PollResult::Out(packet) = polled {
            seen.push((now.nanos(), packet.0, packet.4));
        }
        assert!(lost.iter().all(|loss| loss.0 == now.nanos()), "{lost:?} are learnt of at {now:?}");
    }
    // 0 at 0, 4 at 30; 1 at 60 with a mark; 3 at 90 with one.
    assert_eq!(seen, [(110, 0, false), (140, 4, false), (170, 1, true), (200, 3, true)]);
    let counts = line.counts(at(300)).unwrap();
    assert_eq!((counts.marked, counts.lost.queue, counts.started), (2, 1, 4));
    assert_eq!(counts.sojourn, Span::from_nanos(1 + 60 + 90));
    assert_eq!(counts.packet_time.exact(), 1 + 60 + 90 + 90);
    assert_eq!(line.take_history(at(300)).unwrap().marked, [[60, 0, 10], [90, 0, 10]]);
}
