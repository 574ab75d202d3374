//! Our TCP and Linux's: content goes both ways over a TUN device that loses, doubles, swaps and changes
//! packets. Where the machine does not allow it (root, /dev/net/tun), the test says so and passes.
//!
//! `AIRTCP_KERNEL_BYTES=5000000` asks for more than the tests need.
#![cfg(target_os = "linux")]

mod device;

use airtcp_core::{Span, Stream};
use airtcp_live::stack::{Ending, Peers, Settings, Stack, State};
use airtcp_live::wire::Packet;
use airtcp_tcp::{RuleSource, SenderConfig, TimerConfig, Variant};
use device::{Driver, KERNEL, OURS, PORT, Weather, enter};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddrV4, TcpListener, TcpStream};
use std::thread;

/// Settings with timers as short as Linux's, so that the tests are short.
fn settings(variant: Variant) -> Settings {
    let settings = Settings::rfc(variant);
    let millis = |n: i64| Span::from_nanos(n * 1_000_000);
    let timer = TimerConfig::Rfc6298 {
        initial: millis(1000),
        margin: Span::ZERO,
        least: millis(200),
        most: millis(2000),
    };
    let sender = SenderConfig { timer, ..settings.sender };
    Settings { sender, delayed_ack: millis(40), time_wait: millis(1000), ..settings }
}

fn content(name: &str) -> Vec<u8> {
    #[expect(clippy::disallowed_methods, reason = "how much to test is said from outside")]
    let asked = std::env::var("AIRTCP_KERNEL_BYTES").ok().and_then(|n| n.parse().ok());
    let length: usize = asked.unwrap_or(300_000);
    let mut stream = Stream::new(5, name, 0);
    (0..length.div_ceil(8)).flat_map(|_| stream.next_u64().to_le_bytes()).take(length).collect()
}

/// The end that calls.
#[derive(Clone, Copy, PartialEq)]
enum Caller {
    Ours,
    Kernel,
}

/// Sends content both ways, ours first, under the weather of each seed, in a namespace of its own; returns the
/// packets that our end has sent.
fn exchange(
    settings: Settings,
    caller: Caller,
    weather: impl Fn(u64) -> Weather,
) -> Result<Driver, String> {
    let (device, listener) = enter()?;
    let stack = Stack::new(OURS, settings, Stream::new(2, "initial", 0)).expect("sane settings");
    let weather = [1, 2].map(weather);
    let mut driver = Driver::new(stack, device, weather);
    driver.stack.listen(PORT);
    let mut peers = (caller == Caller::Ours).then(|| {
        driver.stack.connect(40_000, SocketAddrV4::new(KERNEL, PORT)).expect("there is room")
    });
    thread::scope(|scope| {
        let kernel = scope.spawn(|| serve(&listener, caller));
        let (ours, mut written, mut received) = (content("ours"), 0, vec![]);
        driver.run(|stack| {
            peers = peers.or_else(|| stack.accept());
            peers.is_some_and(|p| use_connection(stack, p, &ours, &mut written, &mut received))
        });
        let (got, _socket) = kernel.join().expect("the kernel's end");
        assert!(got == ours, "the kernel got what was sent");
        assert!(received == content("kernel"), "we got what the kernel sent");
    });
    Ok(driver)
}

/// Two answers: has our end offered to answer probes, and has it sent any? The kernel answers none.
fn probes(driver: &Driver) -> (bool, bool) {
    let options = driver
        .sent
        .iter()
        .map(|(_, bytes)| Packet::parse(bytes).expect("well-formed").header.options);
    options
        .fold((false, false), |(offered, sent), o| (offered | o.probes, sent | o.probe.is_some()))
}

/// Writes, reads and closes; returns true if the connection has ended well.
fn use_connection(
    stack: &mut Stack,
    peers: Peers,
    ours: &[u8],
    written: &mut usize,
    received: &mut Vec<u8>,
) -> bool {
    let connection = stack.get_mut(peers).expect("it was not released");
    *written += connection.write(&ours[*written..]);
    if *written == ours.len() && connection.state() == State::Established {
        connection.close();
    }
    let mut buffer = vec![0; 70_000];
    while let amount @ 1.. = connection.read(&mut buffer) {
        received.extend_from_slice(&buffer[..amount]);
    }
    let ending = connection.ending();
    assert!(ending.is_none_or(|e| e == Ending::Finished), "{ending:?}");
    ending.is_some()
}

/// The kernel's end: reads to the end, then writes and closes; what it got. The socket stays: Linux soon gives
/// up one without a process.
fn serve(listener: &TcpListener, caller: Caller) -> (Vec<u8>, TcpStream) {
    let mut socket = match caller {
        Caller::Ours => listener.accept().expect("a connection").0,
        Caller::Kernel => TcpStream::connect((OURS, PORT)).expect("a connection"),
    };
    let mut received = vec![];
    socket.read_to_end(&mut received).expect("all of it");
    socket.write_all(&content("kernel")).expect("all of it");
    socket.shutdown(Shutdown::Write).expect("an open socket");
    (received, socket)
}

/// Runs a test on a thread, whose namespace is its own, or says why it cannot.
fn in_namespace(test: impl FnOnce() -> Result<(), String> + Send + 'static) {
    in_namespaces([test]);
}

/// Runs tests at the same time: most of it is waiting.
fn in_namespaces<T: FnOnce() -> Result<(), String> + Send + 'static>(
    tests: impl IntoIterator<Item = T>,
) {
    let threads: Vec<_> = tests.into_iter().map(thread::spawn).collect();
    for thread in threads {
        if let Err(reason) = thread.join().expect("no panic") {
            let needed = "skipped: a TUN device in a network namespace needs root";
            let line = format!("{needed}: {reason}\n");
            std::io::stderr().write_all(line.as_bytes()).expect("stderr");
        }
    }
}

#[test]
fn every_variant_exchanges_content_with_the_kernel_through_faults() {
    in_namespaces(Variant::with_rules_of(RuleSource::Rfc).map(|variant| {
        move || {
            let weather = |seed| Weather::stormy(seed, 0.05, 0.02);
            let driver = exchange(settings(variant), Caller::Ours, weather)?;
            assert_eq!(probes(&driver), (true, false), "it offers to answer, and sends none");
            println!("{}: {} packets sent", variant.name(), driver.sent.len());
            Ok(())
        }
    }));
}

#[test]
fn the_kernel_may_call() {
    in_namespaces([Variant::Sack, Variant::NewReno, Variant::SkipProbing].map(|variant| {
        let weather = |seed| Weather::stormy(seed, 0.02, 0.02);
        move || exchange(settings(variant), Caller::Kernel, weather).map(|_| ())
    }));
}

#[test]
fn small_buffers_and_no_options_work_as_well() {
    let modern = settings(Variant::Sack);
    let plain = Settings {
        timestamps: false,
        scaling: false,
        receive_buffer: 5000,
        send_buffer: 5000,
        mtu: 576,
        ..modern
    };
    let weather = |seed| Weather::new(seed, 0.01, 0.01);
    in_namespace(move || exchange(plain, Caller::Ours, weather).map(|_| ()));
}

/// The dissector of Wireshark finds nothing malformed, no wrong checksum, nothing that belongs to no
/// connection, and on a clean path nothing lost either.
#[test]
fn tshark_finds_nothing_to_complain_about() {
    in_namespace(|| {
        let weather = |seed| Weather::new(seed, 0.0, 0.0);
        let driver = exchange(settings(Variant::Sack), Caller::Ours, weather)?;
        crate::capture::check(&driver.sent, "clean");
        Ok(())
    });
    in_namespace(|| {
        let weather = |seed| Weather::new(seed, 0.05, 0.02);
        let driver = exchange(settings(Variant::Sack), Caller::Kernel, weather)?;
        crate::capture::check(&driver.sent, "faults");
        Ok(())
    });
}
