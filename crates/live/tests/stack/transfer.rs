//! Content arrives as it was sent, whatever the network does, with every variant.

use crate::stack::net::{ADDRESSES, Faults, PORT, World, millis, variants, watched};
use airtcp_core::{Instant, Stream};
use airtcp_live::stack::{Connection, Ending, Settings, Stack, State};
use airtcp_live::wire::{Flags, Header, Packet};
use airtcp_tcp::{CongestionSpec, SenderConfig, Spurious, Variant};
use std::net::SocketAddrV4;

const MEGABYTE: usize = 1_000_000;
/// Length of the paper's transfer, which exceeds any buffer and any shifted window here.
const WHOLE: usize = 5 * MEGABYTE;

fn settings(variant: Variant, growth: CongestionSpec, spurious: Spurious) -> Settings {
    let settings = Settings::rfc(variant);
    let sender = SenderConfig { growth: growth.into(), spurious, ..settings.sender };
    Settings { sender, ..settings }
}

/// The bytes that host `from` sends.
fn content(from: u64, length: usize) -> Vec<u8> {
    let mut stream = Stream::new(9, "content", from);
    (0..length.div_ceil(8)).flat_map(|_| stream.next_u64().to_le_bytes()).take(length).collect()
}

fn transfer(settings: [Settings; 2], faults: Faults, seed: u64, lengths: [usize; 2]) -> World {
    let mut world = World::new(settings, faults, seed);
    exchange(&mut world, lengths);
    world
}

/// Sends `lengths` bytes both ways, closes, and compares.
pub(crate) fn exchange(world: &mut World, lengths: [usize; 2]) {
    let peers = world.call();
    let sent = [0, 1].map(|i| content(i, lengths[i as usize]));
    let (mut written, mut received) = ([0, 0], [vec![], vec![]]);
    let mut buffer = vec![0; 70_000];
    loop {
        for i in [0, 1] {
            let Some(connection) = world.hosts[i].get_mut(peers[i]) else { continue };
            written[i] += connection.write(&sent[i][written[i]..]);
            if written[i] == lengths[i] && connection.state() == State::Established {
                connection.close();
            }
            loop {
                let amount = connection.read(&mut buffer);
                received[i].extend_from_slice(&buffer[..amount]);
                if amount == 0 {
                    break;
                }
            }
            if connection.has_read_all() && written[i] == lengths[i] {
                connection.close();
            }
        }
        world.drain();
        if !world.step() {
            break;
        }
    }
    for i in [0, 1] {
        assert!(received[1 - i] == sent[i], "{} of {} bytes", received[1 - i].len(), lengths[i]);
        let connection = world.hosts[i].get(peers[i]).expect("it was not released");
        assert_eq!(connection.ending(), Some(Ending::Finished), "host {i} at {:?}", world.now);
    }
}

fn loss(loss: f64) -> Faults {
    Faults { loss, ..Faults::default() }
}

pub(crate) fn everything() -> Faults {
    Faults {
        loss: 0.05,
        duplicate: 0.02,
        corrupt: 0.01,
        reorder: 0.05,
        spike: Some((7_000, 600)),
        outage: Some((11_000, 1_500)),
        forge: 0.01,
    }
}

#[test]
fn every_variant_delivers_five_megabytes_through_everything() {
    for variant in variants() {
        let settings = settings(variant, CongestionSpec::default(), Spurious::None);
        transfer([settings; 2], everything(), 1, [WHOLE, 0]);
    }
}

#[test]
fn every_combination_delivers_through_every_single_fault_both_ways() {
    let some = Faults::default();
    let faults = [
        loss(0.05),
        Faults { reorder: 0.2, ..some },
        Faults { duplicate: 0.1, ..some },
        Faults { corrupt: 0.05, ..some },
        Faults { spike: Some((3_000, 1_200)), ..some },
        Faults { outage: Some((5_000, 2_000)), ..some },
        Faults { loss: 0.02, forge: 0.1, ..some },
    ];
    for (variant, spurious) in watched() {
        for growth in CongestionSpec::every() {
            let settings = settings(variant, growth, spurious);
            for (seed, faults) in (0..).zip(faults) {
                transfer([settings; 2], faults, seed, [200_000, 100_000]);
            }
        }
    }
}

#[test]
fn a_clean_path_needs_no_retransmission() {
    for variant in variants() {
        let world = transfer([Settings::rfc(variant); 2], Faults::default(), 1, [MEGABYTE, 0]);
        let packets = (MEGABYTE as u64).div_ceil(1448); // 1460 without timestamps
        // SYN, the ACK of the SYN, data with the FIN, the ACK of the FIN.
        assert_eq!(world.sent[0], 1 + 1 + packets + 1);
        assert!(world.sent[1] <= 2 + packets, "{} answers", world.sent[1]);
    }
}

/// Both hosts have called at the same time, and one leaves before the connection is open.
#[test]
fn who_goes_within_the_handshake_does_not_wait_for_ever_either() {
    let settings = Settings::rfc(Variant::NewReno);
    let stream = Stream::new(1, "initial", 0);
    let mut stack = Stack::new(ADDRESSES[0], settings, stream).expect("sane settings");
    let now = Instant::START;
    let remote = SocketAddrV4::new(ADDRESSES[1], PORT);
    let peers = stack.connect(PORT, remote).expect("there is room");
    let mut ack = 0;
    let say = |stack: &mut Stack, now, flags, seq, ack: &mut u32| {
        let header = Header { seq, ack: *ack, flags, window: 1000, ..Header::default() };
        let packet = Packet { source: remote, destination: peers.local, header, payload: &[] };
        stack.on_packet(now, &packet.write(0));
        while let Some(bytes) = stack.poll_transmit(now) {
            let packet = Packet::parse(&bytes).expect("well-formed");
            *ack = packet.header.seq.wrapping_add(packet.length());
        }
    };
    say(&mut stack, now, Flags::SYN, 500, &mut ack);
    stack.release(peers);
    say(&mut stack, now, Flags::ACK, 501, &mut ack); // opens; the FIN leaves
    say(&mut stack, now, Flags::ACK, 501, &mut ack);
    assert_eq!(stack.get(peers).map(Connection::state), Some(State::TimeWait));
    let end = now + settings.time_wait;
    stack.on_timer(end);
    assert!(stack.poll_transmit(end).is_none() && stack.is_empty());
}

#[test]
fn ends_with_other_options_and_buffers_understand_each_other() {
    let modern = Settings::rfc(Variant::Sack);
    let plain = Settings { timestamps: false, scaling: false, ..Settings::rfc(Variant::Reno) };
    let small = Settings { mtu: 576, receive_buffer: 700, send_buffer: 900, ..modern };
    let tiny = Settings { receive_buffer: 1, send_buffer: 1, ..plain };
    let large = Settings { receive_buffer: 1 << 22, send_buffer: 1 << 22, ..modern };
    for (a, b) in [(modern, plain), (modern, small), (small, plain), (large, modern)] {
        transfer([a, b], loss(0.02), 3, [100_000, 100_000]);
        transfer([b, a], loss(0.02), 4, [100_000, 100_000]);
    }
    transfer([modern, tiny], loss(0.02), 5, [50, 50]);
}

#[test]
fn nothing_at_all_can_be_sent() {
    transfer([Settings::rfc(Variant::Sack); 2], loss(0.3), 6, [0, 0]);
}

#[test]
fn a_network_that_is_gone_ends_the_connection() {
    let settings = Settings { patience: millis(120_000), ..Settings::rfc(Variant::NewReno) };
    let gone = Faults { outage: Some((1 << 40, (1 << 40) - 15)), ..Faults::default() };
    let mut world = World::new([settings; 2], gone, 1);
    let peers = world.call();
    while world.step() {
        if let Some(connection) = world.hosts[0].get_mut(peers[0]) {
            connection.write(b"nobody will read this");
        }
        world.drain();
    }
    let connection = world.hosts[0].get(peers[0]).expect("it was not released");
    assert_eq!(connection.ending(), Some(Ending::TimedOut));
}

#[test]
fn data_for_an_application_that_has_gone_resets_the_connection() {
    let settings = Settings::rfc(Variant::NewReno);
    let mut world = World::new([settings; 2], Faults::default(), 1);
    let peers = world.call();
    (0..3).for_each(|_| _ = world.step());
    let taken = world.hosts[1].accept().expect("somebody has called");
    world.hosts[1].release(taken);
    world.hosts[0].get_mut(peers[0]).expect("it is open").write(&[1; 10_000]);
    world.drain();
    while world.step() {}
    let ending = world.hosts[0].get(peers[0]).and_then(Connection::ending);
    assert_eq!(ending, Some(Ending::Reset));
    assert!(world.hosts[1].is_empty());
}

#[test]
fn who_has_gone_does_not_wait_for_ever_for_the_other_end_to_close() {
    let settings = Settings::rfc(Variant::NewReno);
    let mut world = World::new([settings; 2], Faults::default(), 1);
    let peers = world.call();
    (0..3).for_each(|_| _ = world.step());
    world.hosts[0].release(peers[0]);
    world.drain();
    while world.step() {}
    assert!(world.hosts[0].is_empty() && world.now.nanos() >= settings.time_wait.nanos());
    let state = world.hosts[1].get(peers[1]).map(Connection::state);
    assert_eq!(state, Some(State::CloseWait));
}
