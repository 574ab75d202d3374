//! A hop by hand: queue, gate, order, forced losses. 1 Gbit/s, so that a packet of n bits takes n ns.

use airtcp_core::{Ecn, Instant, Payload, PollResult, Rate, Span, Stage, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::{
    ArqConfig, ChannelSpec, Discipline, GateProcess, GateSpec, Hop, HopConfig, Line, LossCause,
    LostPacket, Observed, Opportunities,
};

/// Packet number, bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet(u64, u64);

impl Payload for Packet {
    fn bits(&self) -> u64 {
        self.1
    }
    fn number(&self) -> Option<u64> {
        Some(self.0)
    }
}

fn at(nanos: i64) -> Instant {
    Instant::from_nanos(nanos)
}

/// 1 Gbit/s and this delay in ns.
fn config(delay: i64) -> HopConfig {
    HopConfig::new(Rate::try_from("1Gbps".to_owned()).unwrap(), Span::from_nanos(delay))
}

fn hop(config: HopConfig) -> Hop<Packet> {
    let mut hop = Hop::new(config);
    hop.keep_losses(true);
    hop
}

/// Down and up at these instants.
fn gate(toggles: &str, loses: &str) -> Option<GateProcess> {
    let json = format!(r#"{{"kind": "schedule", "toggles": [{toggles}], "loses": "{loses}"}}"#);
    let spec: GateSpec = serde_json::from_str(&json).unwrap();
    Some(spec.build(Stream::new(1, "gate", 0)).unwrap())
}

/// Packets that come out until `end`: (ns, packet number).
fn arrivals(hop: &mut Hop<Packet>, end: i64) -> Vec<(i64, u64)> {
    let mut out = Vec::new();
    while hop.due().0 <= at(end) {
        let now = hop.due().0;
        if let PollResult::Out(packet) = hop.poll(now) {
            out.push((now.nanos(), packet.0));
        }
    }
    out
}

/// Packets that were lost: (ns, packet number, cause).
fn losses(hop: &mut Hop<Packet>) -> Vec<(i64, u64, LossCause)> {
    let all = std::iter::from_fn(|| hop.take_lost());
    all.map(|LostPacket { at, payload, cause }| (at.nanos(), payload.0, cause)).collect()
}

#[test]
fn packets_wait_for_the_transmitter_and_then_travel() {
    let mut hop = hop(config(5));
    for number in 0..3 {
        hop.push(at(0), Packet(number, 10));
    }
    assert_eq!(hop.poll(at(14)), PollResult::Wait(at(15)));
    assert_eq!(hop.due(), (at(15), at(0)));
    assert_eq!(arrivals(&mut hop, 100), [(15, 0), (25, 1), (35, 2)]);
    assert_eq!(hop.poll(at(35)), PollResult::Idle);
    assert_eq!(hop.due(), (Instant::NEVER, Instant::NEVER));
    hop.push(at(50), Packet(3, 10));
    assert_eq!(hop.due(), (at(65), at(50)), "idle in between");
}

/// 70 bytes take 1.4 ns: as 1 ns each they would be sent at 560 Gbit/s.
#[test]
fn a_fast_link_carries_its_rate() {
    let arq = ArqConfig {
        payload: 560,
        overhead: 0,
        attempts: 1,
        feedback_delay: Span::ZERO,
        feedback_loss: 0.0,
        feedback: Stream::new(1, "feedback", 0),
        in_order: true,
    };
    for arq in [None, Some(arq)] {
        let rate = Rate::try_from("400Gbps".to_owned()).unwrap();
        let mut line = Line::new(HopConfig { arq, ..HopConfig::new(rate, Span::ZERO) });
        for number in 0..1000 {
            line.push(at(0), Packet(number, 560));
        }
        let mut ends = Vec::new();
        while line.due().0 < Instant::NEVER {
            let now = line.due().0;
            if let PollResult::Out(_) = line.poll(now) {
                ends.push(now.nanos());
            }
        }
        assert_eq!(ends[..6], [1, 3, 4, 6, 7, 8]);
        assert_eq!((ends.len(), ends[999]), (1000, 1400));
    }
}

#[test]
fn at_most_one_fewer_than_the_limit_wait() {
    let mut hop = hop(HopConfig { queue: Discipline::DropTail(3), ..config(0) });
    for number in 0..4 {
        hop.push(at(0), Packet(number, 10)); // one is sent, two wait, the fourth finds no room
    }
    hop.push(at(9), Packet(4, 10));
    hop.push(at(10), Packet(5, 10)); // the first transmission has ended: one waits
    assert_eq!(arrivals(&mut hop, 100), [(10, 0), (20, 1), (30, 2), (40, 5)]);
    assert_eq!(losses(&mut hop), [(0, 3, LossCause::Queue), (9, 4, LossCause::Queue)]);
    assert_eq!(hop.counters().queue, 2);
}

#[test]
fn a_limit_of_two_lets_one_wait() {
    let mut hop = hop(HopConfig { queue: Discipline::DropTail(2), ..config(0) });
    for number in 0..3 {
        hop.push(at(0), Packet(number, 10));
    }
    assert_eq!(arrivals(&mut hop, 100), [(10, 0), (20, 1)]);
    assert_eq!(losses(&mut hop), [(0, 2, LossCause::Queue)]);
}

#[test]
fn a_limit_in_bits_counts_what_waits() {
    let mut hop = hop(HopConfig { queue: Discipline::DropTailBits(25), ..config(0) });
    hop.push(at(0), Packet(0, 100)); // longer than the limit, but it need not wait
    hop.push(at(0), Packet(1, 20));
    hop.push(at(0), Packet(2, 6));
    hop.push(at(0), Packet(3, 5));
    assert_eq!(arrivals(&mut hop, 200), [(100, 0), (120, 1), (125, 3)]);
    assert_eq!(losses(&mut hop), [(0, 2, LossCause::Queue)]);
}

/// It is not dropped for ever where every packet waits for its slot, its opportunity or the gate.
#[test]
fn a_packet_longer_than_the_queue_is_taken_where_the_transmitter_is_free() {
    const MS: i64 = 1_000_000;
    let queue = Discipline::DropTailBits(5);
    let slot = Some(Span::from_nanos(MS));
    let opportunities = Opportunities::new(&[1, 2, 3]);
    let gate = gate(r#""1ns", "1ms", "1000001ns", "2ms""#, "nothing");
    let (slots, opportunities, gated) = (
        HopConfig { slot, queue, ..config(0) },
        HopConfig { opportunities, queue, ..config(0) },
        HopConfig { gate, queue, ..config(0) },
    );
    for (config, airtime) in [(slots, 10), (opportunities, 0), (gated, 10)] {
        let mut hop = hop(config);
        for number in 0..3 {
            hop.push(at(5), Packet(number, 10)); // the first stands at the transmitter, the others find no room
        }
        hop.push(at(MS + 15), Packet(3, 10));
        assert_eq!(arrivals(&mut hop, 10 * MS), [(MS + airtime, 0), (2 * MS + airtime, 3)]);
        assert_eq!(losses(&mut hop), [(5, 1, LossCause::Queue), (5, 2, LossCause::Queue)]);
    }
}

#[test]
fn opportunities_serve_what_waits_and_the_queue_is_what_is_left() {
    let opportunities = Opportunities::new(&[1, 2, 2, 10]);
    let queue = Discipline::DropTail(3);
    let mut hop = hop(HopConfig { opportunities, queue, ..config(5) });
    for number in 0..3 {
        hop.push(at(0), Packet(number, 12_000)); // two wait, the third finds no room
    }
    // At 1 ms the first is sent, and 32 bits of the second one, which no longer waits.
    hop.push(at(1_000_000), Packet(3, 12_000));
    hop.push(at(1_000_000), Packet(4, 12_000));
    hop.push(at(1_000_000), Packet(5, 12_000));
    let found = [(1_000_005, 0), (2_000_005, 1), (2_000_005, 3), (10_000_005, 4)];
    assert_eq!(arrivals(&mut hop, 20_000_000), found);
    assert_eq!(losses(&mut hop), [(0, 2, LossCause::Queue), (1_000_000, 5, LossCause::Queue)]);
}

#[test]
fn a_delay_that_shrinks_does_not_reorder() {
    let delays = vec![(at(10), Span::from_nanos(100)), (at(20), Span::from_nanos(5))];
    let mut hop = hop(HopConfig { delays, ..config(5) });
    for number in 0..4 {
        hop.push(at(0), Packet(number, 10));
    }
    hop.push(at(200), Packet(4, 10));
    // 1 starts at 10 with delay 100; 2 would arrive at 35: it follows 1 by its airtime.
    assert_eq!(arrivals(&mut hop, 300), [(15, 0), (120, 1), (130, 2), (140, 3), (215, 4)]);
}

#[test]
fn forced_losses_count_copies_at_the_far_end() {
    let drop = vec![(1, 2), (1, 3), (2, 1)];
    let mut hop = hop(HopConfig { drop, queue: Discipline::DropTail(4), ..config(5) });
    for number in [1, 2, 1, 3, 1] {
        hop.push(at(0), Packet(number, 10)); // the fifth finds no room: it is no copy
    }
    hop.push(at(100), Packet(1, 10));
    hop.push(at(100), Packet(1, 10));
    assert_eq!(arrivals(&mut hop, 200), [(15, 1), (45, 3), (125, 1)]);
    assert_eq!(
        losses(&mut hop),
        [
            (0, 1, LossCause::Queue),
            (25, 2, LossCause::Forced),
            (35, 1, LossCause::Forced),
            (115, 1, LossCause::Forced)
        ]
    );
    assert_eq!(hop.counters().forced, 3);
}

#[test]
fn a_disconnection_takes_queue_transmission_and_wire() {
    let mut hop = hop(HopConfig { gate: gate(r#""25ns", "40ns""#, "all"), ..config(20) });
    for number in 0..4 {
        hop.push(at(0), Packet(number, 10)); // starts at 0, 10, 20, 30
    }
    assert_eq!(hop.due(), (at(25), Instant::START), "the outage, known from the start");
    assert_eq!(hop.poll(at(25)), PollResult::Idle);
    let lost: Vec<_> = (0..4).map(|number| (25, number, LossCause::Gate)).collect();
    assert_eq!(losses(&mut hop), lost);
    hop.push(at(39), Packet(4, 10));
    hop.push(at(40), Packet(5, 10));
    assert_eq!(arrivals(&mut hop, 100), [(70, 5)]);
    assert_eq!(losses(&mut hop), [(39, 4, LossCause::Vanished)]);
    let counters = hop.counters();
    assert_eq!((counters.gate, counters.vanished), (4, 1));
}

#[test]
fn the_transmitter_ends_what_it_has_begun() {
    let mut hop = hop(HopConfig { gate: gate(r#""20ns", "22ns""#, "all"), ..config(5) });
    for number in 0..3 {
        hop.push(at(0), Packet(number, 10)); // 2 starts at 20: its predecessor's end comes first
    }
    assert_eq!(arrivals(&mut hop, 21), [(15, 0)]);
    hop.push(at(22), Packet(3, 10)); // waits for the end at 30
    assert_eq!(arrivals(&mut hop, 100), [(45, 3)]);
    assert_eq!(losses(&mut hop), [(20, 1, LossCause::Gate), (20, 2, LossCause::Gate)]);
}

#[test]
fn a_second_outage_finds_the_transmitter_still_busy() {
    let toggles = r#""5ns", "6ns", "8ns", "9ns""#;
    let mut hop = hop(HopConfig { gate: gate(toggles, "all"), ..config(3) });
    hop.push(at(0), Packet(0, 20));
    assert_eq!(arrivals(&mut hop, 6), []);
    hop.push(at(7), Packet(1, 20)); // would start at 20
    assert_eq!(arrivals(&mut hop, 9), []);
    hop.push(at(10), Packet(2, 20));
    assert_eq!(arrivals(&mut hop, 100), [(43, 2)]);
    assert_eq!(losses(&mut hop), [(5, 0, LossCause::Gate), (8, 1, LossCause::Gate)]);
}

#[test]
fn what_arrives_as_the_link_goes_down_is_lost() {
    let mut hop = hop(HopConfig { gate: gate(r#""15ns", "16ns""#, "all"), ..config(5) });
    hop.push(at(0), Packet(0, 10));
    assert_eq!(arrivals(&mut hop, 100), []);
    assert_eq!(losses(&mut hop), [(15, 0, LossCause::Gate)]);
}

#[test]
fn a_pause_holds_what_has_not_started() {
    let mut hop =
        hop(HopConfig { gate: gate(r#""5ns", "50ns", "60ns", "62ns""#, "nothing"), ..config(5) });
    for number in 0..3 {
        hop.push(at(0), Packet(number, 10));
    }
    hop.push(at(30), Packet(3, 10));
    // 0 goes on; 1 starts at 50, 2 would at 60 and starts at 62.
    assert_eq!(arrivals(&mut hop, 200), [(15, 0), (65, 1), (77, 2), (87, 3)]);
    assert_eq!(losses(&mut hop), []);
}

#[test]
fn a_link_that_stays_down_holds_for_ever() {
    let mut hop = hop(HopConfig { gate: gate(r#""5ns""#, "nothing"), ..config(5) });
    hop.push(at(0), Packet(0, 10));
    hop.push(at(0), Packet(1, 10));
    assert_eq!(arrivals(&mut hop, 1_000_000), [(15, 0)]);
    assert_eq!(hop.poll(at(1_000_000)), PollResult::Wait(Instant::NEVER));
}

#[test]
fn a_packet_that_is_held_and_finds_no_room_does_not_open_the_gate() {
    let gate = gate(r#""5ns", "50ns""#, "nothing");
    let mut hop = hop(HopConfig { gate, queue: Discipline::DropTailBits(15), ..config(0) });
    hop.push(at(10), Packet(0, 5));
    hop.push(at(10), Packet(1, 20));
    hop.push(at(11), Packet(2, 10));
    assert_eq!(arrivals(&mut hop, 100), [(55, 0), (65, 2)]);
    assert_eq!(losses(&mut hop), [(10, 1, LossCause::Queue)]);
}

/// Every second packet that the channel is asked about is lost.
#[test]
fn the_channel_sees_what_was_transmitted_and_nothing_else() {
    let spec: ChannelSpec = serde_json::from_str(r#"{"kind": "trace", "lost": [0, 1]}"#).unwrap();
    let channel = spec.build(Span::from_nanos(10), Stream::new(1, "channel", 0)).unwrap();
    let gate = gate(r#""25ns", "40ns""#, "all");
    let mut hop = hop(HopConfig { channel, gate, ..config(0) });
    for number in 0..5 {
        hop.push(at(0), Packet(number, 10)); // 0 arrives, 1 is lost, 2 is cut, 3 and 4 never start
    }
    assert_eq!(arrivals(&mut hop, 49), [(10, 0)]);
    hop.push(at(50), Packet(5, 10)); // the fourth of the channel: lost
    hop.push(at(50), Packet(6, 10));
    assert_eq!(arrivals(&mut hop, 100), [(70, 6)]);
    let gated = |number| (25, number, LossCause::Gate);
    let expected =
        [(20, 1, LossCause::Channel), gated(2), gated(3), gated(4), (60, 5, LossCause::Channel)];
    assert_eq!(losses(&mut hop), expected);
}

#[test]
fn losses_are_kept_only_on_request() {
    let mut hop: Hop<Packet> = Hop::new(HopConfig { queue: Discipline::DropTail(2), ..config(0) });
    for number in 0..5 {
        hop.push(at(0), Packet(number, 10));
    }
    assert_eq!((hop.counters().queue, hop.take_lost()), (3, None));
}

/// A packet lost at the exit takes no airtime, and the next one does not wait for it.
#[test]
fn what_is_lost_at_the_exit_does_not_come_to_the_queue() {
    let spec: ChannelSpec =
        serde_json::from_str(r#"{"kind": "trace", "lost": [0, 1, 0]}"#).unwrap();
    let exit = spec.build(Span::from_nanos(100), Stream::new(1, "exit", 0)).unwrap();
    let mut hop = hop(HopConfig { exit: Some(exit), ..config(50) });
    for number in 0..3 {
        hop.push(at(0), Packet(number, 100));
    }
    assert_eq!(losses(&mut hop), [(0, 1, LossCause::Channel)]);
    assert_eq!(arrivals(&mut hop, 1000), [(150, 0), (250, 2)]);
}

#[test]
fn on_slots_a_transmission_starts_with_one() {
    // Slots of 100 ns; packets of 60 ns, and one of 130 ns that takes two.
    let slotted = || HopConfig { slot: Some(Span::from_nanos(100)), ..config(0) };
    let mut plain = hop(slotted());
    for (now, packet) in
        [(0, Packet(0, 60)), (10, Packet(1, 60)), (210, Packet(2, 130)), (220, Packet(3, 60))]
    {
        plain.push(at(now), packet);
    }
    assert_eq!(arrivals(&mut plain, 1000), [(60, 0), (160, 1), (430, 2), (560, 3)]);
    // Held until 250 ns, so until the next slot; that from 400 ns on is held as well.
    let gate = gate(r#""150ns", "250ns", "390ns", "410ns""#, "nothing");
    let mut held = hop(HopConfig { gate, ..slotted() });
    for (now, number) in [(101, 0), (210, 1), (220, 2)] {
        held.push(at(now), Packet(number, 60));
    }
    assert_eq!(arrivals(&mut held, 1000), [(360, 0), (560, 1), (660, 2)]);
}

/// A packet, whether it takes marks, and whether it has one.
#[derive(Clone, Debug, PartialEq)]
struct Marked(u64, bool, bool);

impl Payload for Marked {
    fn bits(&self) -> u64 {
        100
    }
    fn ecn(&self) -> Ecn {
        if self.1 { Ecn::Ect0 } else { Ecn::NotEct }
    }
    fn mark(&mut self) {
        self.2 = true;
    }
}

#[test]
fn what_would_be_lost_is_marked_where_it_takes_marks() {
    let spec: ChannelSpec =
        serde_json::from_str(r#"{"kind": "trace", "lost": [0, 1, 1]}"#).unwrap();
    let marks = spec.build(Span::from_nanos(100), Stream::new(1, "marks", 0)).unwrap();
    let mut hop: Hop<Marked> = Hop::new(HopConfig { marks: Some(marks), ..config(50) });
    for (number, takes) in [(0, true), (1, true), (2, false)] {
        hop.push(at(0), Marked(number, takes, false));
    }
    let mut found = Vec::new();
    for now in 0..1000 {
        if let PollResult::Out(packet) = hop.poll(at(now)) {
            found.push((packet.0, packet.2));
        }
    }
    assert_eq!(found, [(0, false), (1, true), (2, false)]);
}
