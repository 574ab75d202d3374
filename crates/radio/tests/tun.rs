//! The link in real time, on the packets of a kernel: probes leave a UDP socket in one network
//! namespace by a TUN device, cross the link, and reach a socket in another namespace by a second
//! device.
//!
//! The namespaces have no name: they live as long as the descriptors of this process that lie in
//! them, so nothing stays behind whatever ends the test. Nothing is asserted of time but that no
//! packet is early. Where the machine does not allow it (root, /dev/net/tun), the test says so and
//! passes.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "a driver in real time reads a real clock")]

use airtcp_core::{Instant, Payload, PollResult, Rate, Span, Stage, Stream, airtime};
use airtcp_radio::channel::Spec;
use airtcp_radio::{Channel, ChannelSpec, Fate, Link, Process, Transmission};
use nix::poll::{PollFd, PollFlags, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::socket::{setsockopt, sockopt::RcvBufForce};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsFd;
use std::thread;
use std::time::Duration;
use tun_rs::{DeviceBuilder, SyncDevice};

const SENDER: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
const RECEIVER: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);
const PORT: u16 = 5001;
/// Fewer than the 500 packets that a TUN device queues: none is lost before the link, however
/// late the driver is.
const PROBES: u32 = 400;
const BURST: u32 = 20;
const PAUSE: Duration = Duration::from_millis(15);
const PATIENCE: Duration = Duration::from_secs(10);
const HEADERS: usize = 28;
const DELAY: Span = Span::from_nanos(20_000_000);

/// A packet that a TUN device reads or writes.
#[derive(Clone)]
struct IpPacket(Vec<u8>);

/// A packet that passed one end of the link, and when.
#[derive(Clone, Copy)]
struct Passed {
    at: Instant,
    number: u32,
    bits: u64,
}

/// Nanoseconds since the test began.
#[derive(Clone, Copy)]
struct Clock(std::time::Instant);

#[test]
fn every_probe_meets_the_fate_that_the_channel_has_for_it() {
    let ((near, source), (far, sink)) = match end(SENDER).and_then(|a| Ok((a, end(RECEIVER)?))) {
        Ok(ends) => ends,
        Err(reason) => return skip(&reason),
    };
    let clock = Clock(std::time::Instant::now());
    let sender = thread::spawn(move || send_probes(clock, &source));
    let mut link = Link::new(Some(rate()), DELAY, channel());
    let (entered, left) = drive(clock, &near, &far, &mut link);
    let sent = sender.join().expect("the sender sends");
    let received = receive(&sink, left.len());

    assert_eq!(numbers(&entered), (0..PROBES).collect::<Vec<_>>(), "all probes reach the link");
    let expected = replay(&entered);
    assert_eq!(numbers(&left), numbers(&expected), "order and fates are the channel's");
    assert_eq!(received, numbers(&left), "what leaves the link is received, in order");
    assert!(!expected.is_empty() && expected.len() < entered.len(), "some are lost, not all");
    for (out, due) in left.iter().zip(&expected) {
        assert!(out.at >= due.at, "probe {} left at {:?}, due at {:?}", out.number, out.at, due.at);
        let shortest = sent[out.number as usize] + airtime(out.bits, rate()) + DELAY;
        assert!(due.at >= shortest, "probe {} due at {:?}, not {shortest:?}", due.number, due.at);
    }
}

/// The driver: hands what `from` has to the stage and what the stage has to `to`, and sleeps until
/// one of them has something; ends when all probes have entered and the stage is empty.
fn drive(
    clock: Clock,
    from: &SyncDevice,
    to: &SyncDevice,
    stage: &mut impl Stage<IpPacket>,
) -> (Vec<Passed>, Vec<Passed>) {
    let (mut entered, mut left) = (Vec::new(), Vec::new());
    loop {
        while let Some(packet) = read(from) {
            let now = clock.now();
            entered.push(packet.passed(now));
            stage.push(now, packet);
        }
        let now = clock.now();
        match stage.poll(now) {
            PollResult::Out(packet) => {
                left.push(packet.passed(now));
                to.send(&packet.0).expect("the device takes packets");
            }
            PollResult::Wait(until) => {
                let nanos = u64::try_from((until - now).nanos()).expect("a stage waits for later");
                sleep(from, Duration::from_nanos(nanos));
            }
            PollResult::Idle if entered.len() == PROBES as usize => return (entered, left),
            PollResult::Idle => assert!(sleep(from, PATIENCE), "no probe for {PATIENCE:?}"),
        }
    }
}

/// The next probe from the device, if there is one. The kernel has packets of its own to send,
/// such as IPv6 router solicitations: they stay out.
fn read(device: &SyncDevice) -> Option<IpPacket> {
    loop {
        let mut buffer = vec![0; 2048];
        match device.recv(&mut buffer) {
            Ok(length) => buffer.truncate(length),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(error) => panic!("reading the device: {error}"),
        }
        let packet = IpPacket(buffer);
        if packet.is_probe() {
            return Some(packet);
        }
    }
}

/// Sleeps for `span` (late by up to a millisecond) or until `device` can be read; whether it can.
fn sleep(device: &SyncDevice, span: Duration) -> bool {
    let millis = u16::try_from(span.as_millis() + 1).expect("waits are short");
    poll(&mut [PollFd::new(device.as_fd(), PollFlags::POLLIN)], millis).expect("poll") > 0
}

/// Sends the probes in bursts that the link needs half of the pauses to carry; when each was sent.
fn send_probes(clock: Clock, source: &UdpSocket) -> Vec<Instant> {
    (0..PROBES)
        .map(|number| {
            if number % BURST == 0 {
                thread::sleep(PAUSE);
            }
            let mut payload = vec![0; 72 + 16 * (number % 4) as usize];
            payload[..4].copy_from_slice(&number.to_be_bytes());
            let now = clock.now();
            source.send_to(&payload, (RECEIVER, PORT)).expect("the probe leaves");
            now
        })
        .collect()
}

/// The numbers of `count` probes at the socket, and that there are no more.
fn receive(sink: &UdpSocket, count: usize) -> Vec<u32> {
    let mut buffer = [0; 2048];
    sink.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let received = (0..count)
        .map(|_| {
            let length = sink.recv(&mut buffer).expect("a probe arrives");
            number(&buffer[..length])
        })
        .collect();
    sink.set_nonblocking(true).expect("not blocking");
    assert_eq!(sink.recv(&mut buffer).map_err(|e| e.kind()), Err(ErrorKind::WouldBlock));
    received
}

/// Packets that leave the link, and their times, by a fresh copy of its channel and the times at which they entered.
fn replay(entered: &[Passed]) -> Vec<Passed> {
    let (mut channel, mut free) = (channel(), Instant::START);
    let mut left = Vec::new();
    for packet in entered {
        let start = packet.at.max(free);
        free = start + airtime(packet.bits, rate());
        let burst = Transmission { start, end: free, bits: packet.bits };
        if channel.fate_of(burst) == Fate::Clean {
            left.push(Passed { at: free + DELAY, ..*packet });
        }
    }
    left
}

/// One in five is lost, in bursts of four.
fn channel() -> Process {
    let spec = serde_json::json!({"kind": "burst", "loss_rate": 0.2, "mean_burst": 4.0});
    let spec: ChannelSpec = serde_json::from_value(spec).expect("a registered channel");
    let slot = airtime(8 * 100, rate());
    spec.build(slot, Stream::new(1, "hop0/down/channel", 0)).expect("values that agree")
}

fn rate() -> Rate {
    Rate::try_from("3Mbps".to_string()).expect("a rate")
}

/// A TUN device and a socket that sends over it, in a network namespace of their own, which
/// belongs to no thread any more when this returns; or why that cannot be.
fn end(address: Ipv4Addr) -> Result<(SyncDevice, UdpSocket), String> {
    let inside = move || {
        let tun = OpenOptions::new().read(true).write(true).open("/dev/net/tun");
        tun.map_err(|error| format!("/dev/net/tun: {error}"))?;
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| format!("no network namespace: {error}"))?;
        let device = match DeviceBuilder::new().ipv4(address, 24, None).build_sync() {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(format!("no TUN device: {error}"));
            }
            made => made.expect("a TUN device"),
        };
        device.set_nonblocking(true).expect("not blocking");
        let socket = UdpSocket::bind((address, PORT)).expect("a socket");
        // Room for all probes: none is lost behind the link, however late the reader is.
        setsockopt(&socket, RcvBufForce, &(4 << 20)).expect("a larger buffer");
        Ok((device, socket))
    };
    thread::spawn(inside).join().expect("no panic")
}

/// Says why, past the test harness, which keeps to itself what a passing test prints.
fn skip(reason: &str) {
    let line = format!("skipped: a TUN device in a network namespace needs root: {reason}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("stderr");
}

fn numbers(passed: &[Passed]) -> Vec<u32> {
    passed.iter().map(|packet| packet.number).collect()
}

/// The number at the head of a probe's payload.
fn number(payload: &[u8]) -> u32 {
    u32::from_be_bytes(payload[..4].try_into().expect("four bytes"))
}

impl IpPacket {
    fn is_probe(&self) -> bool {
        self.0.len() > HEADERS && self.0[0] >> 4 == 4 && self.0[16..20] == RECEIVER.octets()
    }

    fn passed(&self, at: Instant) -> Passed {
        Passed { at, number: number(&self.0[HEADERS..]), bits: self.bits() }
    }
}

impl Payload for IpPacket {
    fn bits(&self) -> u64 {
        8 * self.0.len() as u64
    }
}

impl Clock {
    fn now(self) -> Instant {
        Instant::from_nanos(i64::try_from(self.0.elapsed().as_nanos()).expect("not 292 years"))
    }
}
