//! The TCP of Linux on the wire, over the path of a scenario in logical time, compared with the simulator: every
//! segment of both ends from the SYN on has the same times, numbers, blocks and timestamps, to the nanosecond.

use airtcp_core::{Cancel, Instant, Stream};
use airtcp_live::emulator::{IpPacket, Numbering, OneWayPath, directions};
use airtcp_live::lengths;
use airtcp_live::stack::{Content, LinuxStack};
use airtcp_live::wire::{Flags, Packet, Sequence};
use airtcp_scenario::{PathScenario, Scenario, points};
use airtcp_sim::network::{Event, Observer, PacketEvent, run_observed};
use airtcp_tcp::Segment;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddrV4};

const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 77, 0, 1), Ipv4Addr::new(10, 77, 0, 2)];
const PORT: u16 = 5001;
const SIZE: u64 = 500 * 1448 + 77;

/// A segment that one end sends: its position and length, its timestamp, and its SACK blocks.
#[derive(Clone, Debug, PartialEq)]
struct Sent {
    at: Instant,
    number: u64,
    len: u32,
    stamp: u32,
    blocks: Vec<(u64, u64)>,
}

type Run = [Vec<Sent>; 2];

struct Ear(Run);

impl Observer for Ear {
    const ENABLED: bool = true;

    fn on_event(&mut self, moment: PacketEvent<'_>) {
        if !matches!(moment.event, Event::Sent { .. } | Event::AckSent) {
            return;
        }
        let at = moment.at;
        match moment.packet.segment {
            Segment::Data { seq, len, stamp, .. } => {
                self.0[0].push(Sent { at, number: seq, len, stamp, blocks: vec![] });
            }
            Segment::Ack { next, sack, echo, .. } => {
                let blocks = sack.blocks(next).map(|block| (block.start, block.end)).collect();
                self.0[1].push(Sent { at, number: next, len: 0, stamp: echo, blocks });
            }
            _ => panic!("no probes"),
        }
    }
}

fn simulated(scenario: &PathScenario, replication: u64) -> Run {
    let ear = Ear([vec![], vec![]]);
    let run = run_observed(scenario, 1, replication, ear, &Cancel::new());
    run.expect("values that agree").expect("nobody cancels").1.0
}

struct World {
    now: Instant,
    hosts: [LinuxStack; 2],
    directions: [OneWayPath; 2],
    below: u64,
    content: Content,
    numbers: [Option<Sequence>; 2],
    near: [u64; 2],
    packets: u64,
    numbering: Numbering,
    /// Bytes that the sender has to send, and that the receiver has read.
    size: u64,
    read: u64,
    run: Run,
    /// Packets that passed the sender's device.
    seen: Vec<(Instant, Vec<u8>)>,
}

/// The packets that pass the sender's device until `size` bytes are acknowledged.
pub(crate) fn seen(
    scenario: &PathScenario,
    replication: u64,
    size: u64,
) -> Vec<(Instant, Vec<u8>)> {
    transferred(scenario, replication, size).seen
}

fn on_the_wire(scenario: &PathScenario, replication: u64) -> Run {
    transferred(scenario, replication, SIZE).run
}

fn transferred(scenario: &PathScenario, replication: u64, size: u64) -> World {
    let host = |i: usize| {
        let random = Stream::new(1, "initial", i as u64);
        let host =
            LinuxStack::for_scenario(scenario, (1, replication), ADDRESSES[i], i == 0, random);
        host.expect("it can be on a wire")
    };
    let mut world = World {
        now: Instant::START,
        hosts: [host(0), host(1)],
        directions: directions(scenario, 1, replication).expect("values that agree"),
        below: lengths::lower_layer_bits(scenario).cast_unsigned(),
        content: Content::repeated((0..=250).collect()).expect("it is not empty"),
        numbers: [None; 2],
        near: [0; 2],
        packets: 0,
        numbering: Numbering::new(scenario.first_tcp().numbers_per_packet()),
        size,
        read: 0,
        run: [vec![], vec![]],
        seen: vec![],
    };
    world.hosts[1].listen(PORT);
    world.hosts[0].connect(world.now, 40_000, SocketAddrV4::new(ADDRESSES[1], PORT));
    world.settle();
    let stop = Instant::START + scenario.stop.time.span();
    while world.hosts[0].acked() < size {
        world.step();
        assert!(world.now < stop, "it does not end");
    }
    assert_eq!(world.read, size);
    world
}

impl World {
    fn step(&mut self) {
        let arrival = self.directions[0].due().min(self.directions[1].due());
        let timer = self.hosts[0].poll_timeout().min(self.hosts[1].poll_timeout());
        self.now = arrival.min(timer);
        assert!(self.now < Instant::NEVER, "nothing happens any more");
        for direction in [0, 1] {
            self.directions[direction].advance(self.now);
            while let Some((at, packet)) = self.directions[direction].take_delivered() {
                if direction == 1 {
                    self.seen.push((at, packet.bytes.clone()));
                }
                self.hosts[1 - direction].on_packet(at, &packet.bytes);
                self.settle();
            }
        }
        self.hosts.iter_mut().for_each(|host| host.on_timer(self.now));
        self.settle();
    }

    fn settle(&mut self) {
        let now = self.now;
        let mut buffer = vec![0; 1 << 20]; // All at once: every call may send an ACK.
        while let amount @ 1.. = self.hosts[1].read(now, &mut buffer) {
            assert_eq!(buffer[..amount], self.content.bytes_at(self.read, amount));
            self.read += amount as u64;
        }
        self.hosts[0].write_all(now, &self.content, self.size);
        for end in [0, 1] {
            while let Some(bytes) = self.hosts[end].poll_transmit(now) {
                self.note(end, &Packet::parse(&bytes).expect("well-formed"));
                if end == 0 {
                    self.seen.push((now, bytes.clone()));
                }
                let bits = 8 * (bytes.len() as u64 + self.below);
                let number = self.numbering.number(end, &bytes);
                let packet = IpPacket { number, bytes, ..IpPacket::new(self.packets, now, bits) };
                self.packets += 1;
                self.directions[end].push(packet);
            }
        }
    }

    fn note(&mut self, end: usize, packet: &Packet<'_>) {
        let header = packet.header;
        if header.flags.has(Flags::SYN) {
            self.numbers[end] = Some(Sequence::after(header.seq));
        }
        let numbers = self.numbers[0].expect("the sender connects");
        let counter = |number| numbers.counter(number, self.near[end]).cast_unsigned();
        let number = counter(if end == 0 { header.seq } else { header.ack });
        let stamps = header.options.timestamps.unwrap_or_default();
        let stamp = if end == 0 { stamps.value } else { stamps.echo };
        let blocks = header.options.sack.as_slice().iter();
        let blocks = blocks.map(|(left, right)| (counter(*left), counter(*right)));
        // Observers of the simulator are shown no D-SACK.
        let blocks = blocks.filter(|(left, _)| *left > number).collect();
        let len = packet.payload.len() as u32;
        self.run[end].push(Sent { at: self.now, number, len, stamp, blocks });
        if number < u64::MAX / 2 {
            self.near[end] = self.near[end].max(number);
        }
    }
}

pub(crate) fn scenario(tcp: &Value, hop: &Value) -> PathScenario {
    let mut whole = json!({"rate": "20Mbps", "delay": "15ms", "queue": 60});
    let of_hop = hop.as_object().expect("a table").clone();
    whole.as_object_mut().expect("a table").extend(of_hop);
    let document = json!({
        "profile": "linux", "tcp": tcp, "path": {"hop": [whole]},
        "flow": [{"size": format!("{SIZE}B")}], "stop": {"time": "200s"},
    });
    match points(&document).expect("a scenario").remove(0) {
        Scenario::Path(scenario) => scenario,
        Scenario::Slot(_) => unreachable!("it has a path"),
    }
}

fn compare(tcp: &Value, hop: &Value) -> Run {
    let scenario = scenario(tcp, hop);
    let mut last = [vec![], vec![]];
    for replication in 0..3 {
        let (wire, simulated) =
            (on_the_wire(&scenario, replication), simulated(&scenario, replication));
        for end in [0, 1] {
            for (i, pair) in wire[end].iter().zip(&simulated[end]).enumerate() {
                assert_eq!(pair.0, pair.1, "{tcp}, {hop}, {replication}: segment {i} of end {end}");
            }
            assert_eq!(wire[end].len(), simulated[end].len(), "{tcp}, {hop}: end {end}");
        }
        last = wire;
    }
    last
}

/// Packets that are lost now and then are retransmitted.
#[test]
fn every_segment_is_that_of_the_simulator_under_each_control() {
    let lossy = json!({"kind": "iid", "loss_rate": 0.02});
    for congestion in ["reno", "cubic", "bbr", "bbr3"] {
        for (sack, timestamps) in [(true, true), (true, false), (false, true), (false, false)] {
            let tcp = json!({"congestion": congestion, "sack": sack, "timestamps": timestamps});
            let run = compare(&tcp, &json!({"channel": lossy, "back": {"channel": lossy}}));
            assert!(run[0].len() as u64 > SIZE / 1460 + 5, "{tcp}");
        }
    }
}

/// Adjacent packets, a retransmission and its copy, the last packet, a row of ACKs.
#[test]
fn forced_losses_are_the_same_on_the_wire() {
    let acks: Vec<_> = (60..90).map(|number| [number, 1]).collect();
    for drop in [
        json!([[20, 1]]),
        json!([[20, 1], [21, 1], [23, 1]]),
        json!([[30, 1], [30, 2], [30, 3]]),
        json!([[500, 1], [500, 2]]),
    ] {
        for congestion in ["reno", "cubic"] {
            let tcp = json!({"congestion": congestion});
            let run = compare(&tcp, &json!({"drop": drop}));
            let resent = run[0].len() as u64 - SIZE.div_ceil(1448) - 2;
            assert!(resent >= drop.as_array().expect("a list").len() as u64, "{drop}");
            compare(&tcp, &json!({"drop": drop, "back": {"drop": acks}}));
        }
    }
}

/// Windows that limit the receiver, short packets, and settings of the host.
#[test]
fn settings_of_the_scenario_are_those_of_the_wire() {
    for tcp in [
        json!({"window": "30kB"}),
        json!({"packet": "576B", "congestion": "reno"}),
        json!({"sysctl": {"tcp_window_scaling": 0, "tcp_dsack": 0}}),
        json!({"sysctl": {"tcp_ecn": 1, "tcp_slow_start_after_idle": 0}}),
        json!({"sysctl": {"tcp_recovery": 0, "tcp_early_retrans": 0}}),
    ] {
        compare(&tcp, &json!({"drop": [[40, 1], [44, 1]], "queue": 20}));
    }
}
