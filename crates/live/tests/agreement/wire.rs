//! The transfer between two of our stacks, over the hops of the emulator, in logical time: packets are
//! bytes, and everything else is as in a run in real time that is never late.

use crate::agreement::run::{Run, START, Sent, payload};
use airtcp_core::{Instant, Stream};
use airtcp_live::emulator::{IpPacket, Numbering, OneWayPath, directions};
use airtcp_live::lengths;
use airtcp_live::stack::{Connection, Peers, Settings, Stack};
use airtcp_live::wire::{Flags, Header, Packet, Sequence};
use airtcp_scenario::PathScenario;
use std::net::{Ipv4Addr, SocketAddrV4};

const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 77, 0, 1), Ipv4Addr::new(10, 77, 0, 2)];
const PORT: u16 = 5001;

pub(crate) fn on_the_wire(scenario: &PathScenario, seed: u64, replication: u64) -> Run {
    let settings =
        Settings::from_scenario(scenario, seed, replication).expect("it can be on a wire");
    let stack = |i: usize| {
        let initial = Stream::new(seed, "initial", i as u64);
        Stack::new(ADDRESSES[i], settings, initial).expect("sane settings")
    };
    let mut world = World {
        now: Instant::START,
        hosts: [stack(0), stack(1)],
        directions: directions(scenario, seed, replication).expect("values that agree"),
        below: lengths::lower_layer_bits(scenario).cast_unsigned(),
        closes: !payload(scenario).is_multiple_of(scenario.first_tcp().numbers_per_packet()),
        left: payload(scenario) as usize,
        peers: None,
        numbers: [None; 2],
        packets: 0,
        numbering: Numbering::new(scenario.first_tcp().numbers_per_packet()),
        run: Run::new(),
    };
    world.hosts[1].listen(PORT);
    let remote = SocketAddrV4::new(ADDRESSES[1], PORT);
    let peers = world.hosts[0].connect(40_000, remote).expect("there is room");
    world.peers = Some([peers, Peers { local: peers.remote, remote: peers.local }]);
    world.settle();
    let stop = Instant::START + scenario.stop.time.span();
    while !world.is_over(payload(scenario)) {
        assert!(world.now < stop, "it does not end");
        world.step();
    }
    world.run.end = world.now;
    world.run
}

struct World {
    now: Instant,
    hosts: [Stack; 2],
    directions: [OneWayPath; 2],
    /// True if the last segment is a short one. It would wait for ACKs [Nagle: RFC 9293 3.7.4], unless the
    /// FIN is in it; a FIN alone would be one segment more, and is acknowledged without delay.
    closes: bool,
    /// Bytes of every packet below IP.
    below: u64,
    /// Bytes that the sender has not written yet.
    left: usize,
    peers: Option<[Peers; 2]>,
    /// Sequence numbers of the two directions, once their SYN was sent.
    numbers: [Option<Sequence>; 2],
    packets: u64,
    numbering: Numbering,
    run: Run,
}

impl World {
    fn connection(&mut self, end: usize) -> Option<&mut Connection> {
        self.hosts[end].get_mut(self.peers?[end])
    }

    fn is_over(&mut self, payload: u64) -> bool {
        let sender = self.connection(0).and_then(|c| c.sender());
        sender.is_some_and(|sender| sender.view().una >= payload)
    }

    /// Goes on to the next arrival or timer.
    fn step(&mut self) {
        let arrival = self.directions[0].due().min(self.directions[1].due());
        let timer = self.hosts[0].poll_timeout().min(self.hosts[1].poll_timeout());
        let begin = if self.now < START { START } else { Instant::NEVER };
        self.now = arrival.min(timer).min(begin);
        assert!(self.now < Instant::NEVER, "nothing happens any more");
        for direction in [0, 1] {
            self.directions[direction].advance(self.now);
            while let Some((at, packet)) = self.directions[direction].take_delivered() {
                assert_eq!(at, self.now);
                self.hosts[1 - direction].on_packet(at, &packet.bytes);
                self.settle();
            }
        }
        self.hosts.iter_mut().for_each(|host| host.on_timer(self.now));
        self.settle();
    }

    /// The applications read and write before anything leaves, as if they took no time.
    fn settle(&mut self) {
        let (now, mut left, closes) = (self.now, self.left, self.closes);
        if let Some(receiver) = self.connection(1) {
            while receiver.read(&mut [0; 4096]) > 0 {}
        }
        if let Some(sender) = self.connection(0).filter(|_| now >= START) {
            while let written @ 1.. = sender.write(&[0; 4096][..left.min(4096)]) {
                left -= written;
            }
            if left == 0 && closes {
                sender.close();
            }
        }
        self.left = left;
        for end in [0, 1] {
            while let Some(bytes) = self.hosts[end].poll_transmit(now) {
                self.note(end, &Packet::parse(&bytes).expect("well-formed"));
                self.launch(end, bytes);
            }
        }
    }

    fn launch(&mut self, end: usize, bytes: Vec<u8>) {
        let (id, arrival) = (self.packets, self.now);
        self.packets += 1;
        let bits = 8 * (bytes.len() as u64 + self.below);
        let number = self.numbering.number(end, &bytes);
        let packet = IpPacket { number, bytes, ..IpPacket::new(id, arrival, bits) };
        self.directions[end].push(packet);
    }

    /// Writes down the segments after the handshake.
    fn note(&mut self, end: usize, packet: &Packet) {
        let Header { seq, ack, flags, options, .. } = packet.header;
        if flags.has(Flags::SYN) {
            self.numbers[end] = Some(Sequence::after(seq));
        }
        let [Some(data), Some(_)] = self.numbers else { return };
        if self.now < START {
            return;
        }
        let near = self.run.sent[0].last().map_or(0, |(_, sent)| match sent {
            Sent::Data { seq, .. } => *seq,
            _ => 0,
        });
        let counter = |number| data.counter(number, near).cast_unsigned();
        let sent = match (end, options.probe) {
            (0, None) => Sent::Data { seq: counter(seq), len: packet.payload.len() as u64 },
            (0, Some(p)) => Sent::Probe { kind: p.kind, number: p.number },
            (_, None) => Sent::Ack { next: counter(ack) },
            (_, Some(p)) => Sent::Answer { kind: p.kind, number: p.number, next: counter(ack) },
        };
        self.run.sent[end].push((self.now, sent));
    }
}
