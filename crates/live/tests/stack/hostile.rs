//! Forged and random packets: nothing panics, nothing gets through, memory does not grow.
//!
//! `AIRTCP_FUZZ_SECONDS=3600 cargo test -p airtcp-live --release -- --ignored fuzz` runs for an hour.

use crate::stack::net::{ADDRESSES, Faults, PORT, World, millis, watched};
use airtcp_core::{Instant, Stream};
use airtcp_live::stack::{Connection, Peers, Settings, Stack, State};
use airtcp_live::wire::{
    Flags, Header, Options, Packet, ProbeKind, ProbeOption, SackBlocks, Timestamps,
};
use airtcp_tcp::{SenderConfig, Spurious, Variant};
use std::net::{Ipv4Addr, SocketAddrV4};

const STRANGER: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 77);

/// Random draws of packets.
struct Dice(Stream);

impl Dice {
    fn new(seed: u64) -> Self {
        Dice(Stream::new(seed, "hostile", 0))
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0.next_u64() % n
    }

    fn word(&mut self) -> u32 {
        self.0.next_u64() as u32
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        (0..self.below(most + 1)).map(|_| self.word() as u8).collect()
    }

    /// Draws a number near one in `near`, or any number.
    fn number(&mut self, near: &[u32]) -> u32 {
        let base = near[self.below(near.len() as u64) as usize];
        match self.below(4) {
            0 => base,
            1 => base.wrapping_add(self.below(64) as u32).wrapping_sub(32),
            2 => base.wrapping_add(self.below(1 << 18) as u32).wrapping_sub(1 << 17),
            _ => self.word(),
        }
    }

    fn options(&mut self, near: &[u32]) -> Options {
        let mut sack = SackBlocks::default();
        for _ in 0..self.below(5) {
            sack.push(self.number(near), self.number(near));
        }
        let kind = if self.below(2) == 0 { ProbeKind::First } else { ProbeKind::Second };
        let stamps = Timestamps { value: self.below(1 << 20) as u32, echo: self.word() };
        // The first probes of a connection have the first numbers.
        let number = if self.below(2) == 0 { self.below(8) as u32 } else { self.word() };
        let answer = self.below(2) == 0;
        Options {
            mss: (self.below(8) == 0).then(|| self.word() as u16),
            scale: (self.below(8) == 0).then(|| self.word() as u8),
            sack_permitted: self.below(8) == 0,
            timestamps: (self.below(4) > 0).then_some(stamps),
            probes: self.below(2) == 0,
            probe: (self.below(8) == 0).then_some(ProbeOption { answer, kind, number }),
            sack,
        }
    }

    fn header(&mut self, near: &[u32]) -> Header {
        let flags = match self.below(4) {
            0 => self.word() as u8,
            1 => 0x02,
            _ => 0x10 | self.below(2) as u8,
        };
        Header {
            seq: self.number(near),
            ack: self.number(near),
            flags: Flags::from_bits(flags),
            window: self.word() as u16,
            options: self.options(near),
        }
    }
}

/// A spy's knowledge of a connection: the address of the other end, and the numbers expected next in both
/// directions.
#[derive(Clone, Copy)]
struct Known {
    remote: SocketAddrV4,
    seq: u32,
    ack: u32,
}

/// A packet to the listening host, with right checksums or a few wrong bytes: from somebody, or from the
/// end of a known connection.
fn forge(dice: &mut Dice, known: &[Known]) -> Vec<u8> {
    if dice.below(50) == 0 {
        return dice.bytes(100);
    }
    let strangers = [ADDRESSES[0], ADDRESSES[1], STRANGER, Ipv4Addr::BROADCAST];
    let somebody =
        SocketAddrV4::new(strangers[dice.below(4) as usize], 40_000 + dice.below(3) as u16);
    let spied = known.get(dice.below(1 + 2 * known.len() as u64) as usize);
    let source = spied.map_or(somebody, |k| k.remote);
    let near = spied.map_or([0, 0], |k| [k.seq, k.ack]);
    let destination = SocketAddrV4::new(ADDRESSES[1], PORT + (dice.below(20) / 19) as u16);
    let payload = dice.bytes(600);
    let mut header = dice.header(&near);
    if let Some(known) = spied.filter(|_| dice.below(3) > 0) {
        (header.seq, header.ack) = (known.seq, known.ack);
    }
    let mut bytes = Packet { source, destination, header, payload: &payload }.write(0);
    for _ in 0..dice.below(40).saturating_sub(37) {
        let at = dice.below(bytes.len() as u64) as usize;
        bytes[at] = dice.word() as u8;
    }
    bytes
}

/// Learns the numbers that a packet of the host reveals, for at most 50 connections; returns true if the
/// packet is a probe.
fn learn(known: &mut Vec<Known>, bytes: &[u8]) -> bool {
    let packet = Packet::parse(bytes).expect("what is sent is well-formed");
    let Header { seq, ack, flags, .. } = packet.header;
    known.retain(|k| k.remote != packet.destination);
    if !flags.has(Flags::RST) {
        let seq = seq.wrapping_add(packet.length());
        known.push(Known { remote: packet.destination, seq: ack, ack: seq });
    }
    if known.len() > 50 {
        known.remove(0);
    }
    packet.header.options.probe.is_some_and(|probe| !probe.answer)
}

/// One listening host under `packets` forged ones that know its packets, while its application reads,
/// writes, closes and forgets. How many connections were opened, and how many probes it has sent.
fn storm(variant: Variant, spurious: Spurious, seed: u64, packets: u64) -> (u64, u64) {
    let settings = Settings::rfc(variant);
    let sender = SenderConfig { spurious, ..settings.sender };
    let settings = Settings { sender, receive_buffer: 20_000, send_buffer: 20_000, ..settings };
    let stream = Stream::new(seed, "initial", 1);
    let mut stack = Stack::new(ADDRESSES[1], settings, stream).expect("sane settings");
    stack.listen(PORT);
    let (mut dice, mut known, mut now) = (Dice::new(seed), vec![], Instant::START);
    let (mut taken, mut opened, mut probes) = (vec![], 0, 0);
    for _ in 0..packets {
        let bytes = forge(&mut dice, &known);
        stack.on_packet(now, &bytes);
        let mut answers = 0;
        while let Some(bytes) = stack.poll_transmit(now) {
            probes += u64::from(learn(&mut known, &bytes));
            answers += 1;
        }
        assert!(answers < 200, "one packet brings {answers}");
        assert!(stack.len() <= settings.connections);
        opened += use_connections(&mut stack, &mut taken, &mut dice, now);
        if dice.below(20) == 0 {
            now = now.max((now + millis(dice.below(400) as i64)).min(stack.poll_timeout()));
            stack.on_timer(now);
        }
    }
    (opened, probes)
}

/// Uses the connections as an application may; returns how many the host got.
fn use_connections(
    stack: &mut Stack,
    taken: &mut Vec<Peers>,
    dice: &mut Dice,
    now: Instant,
) -> u64 {
    let new: Vec<Peers> = std::iter::from_fn(|| stack.accept()).collect();
    taken.extend(&new);
    let mut buffer = [0; 1000];
    for peers in taken.iter() {
        let Some(connection) = stack.get_mut(*peers) else { continue };
        match dice.below(40) {
            0 => connection.close(),
            1 if dice.below(10) == 0 => connection.abort(now),
            2..20 => _ = connection.write(&buffer),
            _ => _ = connection.read(&mut buffer),
        }
    }
    let over =
        |stack: &Stack, peers: &Peers| stack.get(*peers).is_none_or(|c| c.state() == State::Closed);
    taken.iter().filter(|p| over(stack, p)).copied().collect::<Vec<_>>().iter().for_each(|p| {
        stack.release(*p);
    });
    taken.retain(|p| !over(stack, p));
    new.len() as u64
}

#[test]
fn no_packet_panics_or_brings_many() {
    for (seed, (variant, spurious)) in (0..).zip(watched()) {
        let (opened, probes) = storm(variant, spurious, seed, 20_000);
        // One packet in 30 or so completes a handshake: what comes after it is under the storm, too.
        assert!(opened > 500, "{variant:?}, {spurious:?}: {opened} opened");
        assert_eq!(probes > 50, variant.capabilities().probes, "{variant:?}: {probes} probes");
    }
}

/// Floods hosts with packets from fresh seeds until the time is over.
#[test]
#[ignore = "as long as one likes: AIRTCP_FUZZ_SECONDS, 60 if not given"]
#[expect(clippy::disallowed_methods, reason = "how long to go on is a matter of the clock")]
fn fuzz() {
    let seconds = std::env::var("AIRTCP_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let seconds = std::time::Duration::from_secs(seconds.unwrap_or(60));
    let (start, mut seed, mut packets) = (std::time::Instant::now(), 1000, 0);
    while start.elapsed() < seconds {
        for (variant, spurious) in watched() {
            storm(variant, spurious, seed, 50_000);
            (seed, packets) = (seed + 1, packets + 50_000);
        }
    }
    println!("{packets} packets, last seed {seed}");
}

#[test]
fn a_flood_of_syns_costs_a_bounded_room_and_keeps_nobody_out() {
    let settings = Settings::rfc(Variant::NewReno);
    let mut world = World::new([settings; 2], Faults::default(), 1);
    let mut dice = Dice::new(1);
    let peers = world.call();
    for i in 0..20_000 {
        let source = SocketAddrV4::new(dice.word().into(), dice.word() as u16);
        let header = Header { seq: dice.word(), flags: Flags::SYN, ..Header::default() };
        let destination = SocketAddrV4::new(ADDRESSES[1], PORT);
        let forged = Packet { source, destination, header, payload: &[] }.write(0);
        world.hosts[1].on_packet(world.now, &forged);
        let answered = std::iter::from_fn(|| world.hosts[1].poll_transmit(world.now)).count();
        assert!(answered <= 1 && world.hosts[1].len() <= settings.backlog + 1);
        if i % 5 == 4 {
            world.step(); // five forged ones for each event of the true one
        }
    }
    assert_eq!(world.hosts[0].get(peers[0]).map(Connection::state), Some(State::Established));
    assert_eq!(world.hosts[1].get(peers[1]).map(Connection::state), Some(State::Established));
}

/// An attacker who cannot see the connection tries any numbers; only segments that RFC 5961 counts as luck
/// get through.
#[test]
fn blind_segments_neither_end_a_connection_nor_bring_data() {
    let settings = Settings { timestamps: false, ..Settings::rfc(Variant::Sack) };
    let mut world = World::new([settings; 2], Faults::default(), 1);
    let mut dice = Dice::new(2);
    let peers = world.call();
    (0..4).for_each(|_| _ = world.step());
    let before = world.sent[1];
    for i in 0..200_000_u32 {
        let flags =
            [Flags::RST, Flags::SYN, Flags::ACK, Flags::FIN.union(Flags::ACK)][i as usize % 4];
        let (seq, ack) = (dice.word(), dice.word());
        let header = Header { seq, ack, flags, ..Header::default() };
        let (source, destination) = (peers[1].remote, peers[1].local);
        let payload = if i % 4 > 1 { &b"forged"[..] } else { b"" };
        let forged = Packet { source, destination, header, payload }.write(0);
        world.hosts[1].on_packet(world.now, &forged);
        world.drain();
    }
    let connection = world.hosts[1].get_mut(peers[1]).expect("it is there");
    assert_eq!(connection.state(), State::Established);
    assert_eq!(connection.read(&mut [0; 10]), 0);
    assert!(world.sent[1] - before <= 10, "challenges are limited: {}", world.sent[1] - before);
}

/// Single bytes with holes between them: the kept state does not grow with their number.
#[test]
fn crumbs_cost_bounded_room() {
    let settings = Settings { timestamps: false, ..Settings::rfc(Variant::Sack) };
    let peers = Peers {
        local: SocketAddrV4::new(ADDRESSES[1], PORT),
        remote: SocketAddrV4::new(ADDRESSES[0], 1),
    };
    let syn = Header { seq: 0, flags: Flags::SYN, ..Header::default() };
    let mut connection = Connection::accept(peers, settings, 0, &syn);
    let mut sizes = vec![];
    for crumb in 0..30_000 {
        let header = Header { seq: 2 + 2 * crumb, ack: 1, flags: Flags::ACK, ..Header::default() };
        let (source, destination) = (peers.remote, peers.local);
        let packet = Packet { source, destination, header, payload: &[7] };
        connection.on_packet(Instant::START, &packet);
        while connection.poll_transmit(Instant::START).is_some() {}
        if [0, 1000, 29_999].contains(&crumb) {
            sizes.push(format!("{connection:?}").len());
        }
    }
    assert!(sizes[1] > sizes[0], "crumbs are kept");
    // Counters have more digits; nothing else changes once there are enough crumbs.
    assert!(sizes[2] < sizes[1] + 200, "{sizes:?} characters of state");
}

#[test]
fn who_is_not_expected_is_reset_and_not_too_often() {
    let mut stack =
        Stack::new(ADDRESSES[1], Settings::rfc(Variant::Reno), Stream::new(1, "initial", 0))
            .expect("sane settings");
    let mut ask = |flags, payload: &[u8], seq, ack| {
        let source = SocketAddrV4::new(STRANGER, 9);
        let destination = SocketAddrV4::new(ADDRESSES[1], PORT);
        let header = Header { seq, ack, flags, ..Header::default() };
        stack.on_packet(Instant::START, &Packet { source, destination, header, payload }.write(0));
        let answer = stack.poll_transmit(Instant::START)?;
        let header = Packet::parse(&answer).expect("well-formed").header;
        assert!(header.flags.has(Flags::RST) && stack.is_empty());
        Some((header.seq, header.flags.has(Flags::ACK).then_some(header.ack)))
    };
    assert_eq!(ask(Flags::SYN, b"", 500, 0), Some((0, Some(501))));
    assert_eq!(ask(Flags::FIN, b"abc", 500, 0), Some((0, Some(504))));
    assert_eq!(ask(Flags::ACK, b"abc", 500, 600), Some((600, None)));
    assert_eq!(ask(Flags::RST, b"", 500, 600), None);
    let answers = (0..1000).filter_map(|_| ask(Flags::SYN, b"", 1, 0)).count();
    assert_eq!(answers, 96);
}

#[test]
fn what_is_not_for_this_host_is_dropped() {
    let mut stack =
        Stack::new(ADDRESSES[1], Settings::rfc(Variant::Reno), Stream::new(1, "initial", 0))
            .expect("sane settings");
    stack.listen(PORT);
    let here = SocketAddrV4::new(ADDRESSES[1], PORT);
    let away = SocketAddrV4::new(STRANGER, PORT);
    let multicast = SocketAddrV4::new(Ipv4Addr::new(224, 0, 0, 1), 1);
    for (source, destination) in [(here, away), (here, here), (multicast, here)] {
        let header = Header { flags: Flags::SYN, ..Header::default() };
        let bytes = Packet { source, destination, header, payload: &[] }.write(0);
        stack.on_packet(Instant::START, &bytes);
        assert!(stack.is_empty() && stack.poll_transmit(Instant::START).is_none());
    }
}

/// An attacker who sees the connection sends probes without end: each gets one answer, and leaves nothing
/// behind.
#[test]
fn a_flood_of_probes_brings_an_answer_each_and_costs_no_room() {
    let settings = Settings::rfc(Variant::SkipProbing);
    let mut world = World::new([settings; 2], Faults::default(), 1);
    let peers = world.call();
    (0..4).for_each(|_| _ = world.step());
    let state = |world: &World| format!("{:?}", world.hosts[1].get(peers[1])).len();
    let (before, mut dice) = (state(&world), Dice::new(3));
    for _ in 0..50_000 {
        let forged = probe(&world, peers[1], &mut dice);
        world.hosts[1].on_packet(world.now, &forged);
        let answers = std::iter::from_fn(|| world.hosts[1].poll_transmit(world.now)).count();
        assert_eq!(answers, 1);
    }
    assert!(state(&world) <= before + 20, "counters may have more digits");
}

/// A probe to `peers.local` with right numbers: nothing was written yet.
fn probe(world: &World, peers: Peers, dice: &mut Dice) -> Vec<u8> {
    let kind = if dice.below(2) == 0 { ProbeKind::First } else { ProbeKind::Second };
    let probe = Some(ProbeOption { answer: false, kind, number: dice.word() });
    let [theirs, ours] = world.initial.map(|initial| initial.wrapping_add(1));
    let timestamps = Some(Timestamps { value: 1 << 20, echo: 0 });
    let header = Header {
        seq: theirs,
        ack: ours,
        flags: Flags::ACK,
        options: Options { probe, timestamps, ..Options::default() },
        ..Header::default()
    };
    let (source, destination) = (peers.remote, peers.local);
    Packet { source, destination, header, payload: &[] }.write(0)
}
