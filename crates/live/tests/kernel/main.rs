//! Our TCP and Linux's: content both ways over a TUN device that loses, doubles, swaps and changes packets.
//! Where the machine does not allow it (root, /dev/net/tun), the test says so and passes.
//!
//! `AIRTCP_KERNEL_BYTES=5000000` asks for more than the tests need.
#![cfg(target_os = "linux")]

mod capture;
mod device;

use airtcp_core::{Span, Stream};
use airtcp_live::stack::{Ending, Peers, Settings, Stack, State};
use airtcp_tcp::{SenderConfig, Source, TimerConfig, Variant};
use device::{Driver, KERNEL, OURS, PORT, Weather, enter};
use std::io::{Read, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::thread;

/// Timers as short as Linux's, so that the tests are.
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

/// Who calls.
#[derive(Clone, Copy, PartialEq)]
enum Caller {
    Ours,
    Kernel,
}

/// Content both ways, ours first; the packets that our end has sent. Lies in a namespace of its own.
fn exchange(settings: Settings, caller: Caller, loss: f64, other: f64) -> Result<Driver, String> {
    let (device, listener) = enter()?;
    let stack = Stack::new(OURS, settings, Stream::new(2, "initial", 0)).expect("sane settings");
    let weather = [1, 2].map(|seed| Weather::new(seed, loss, other));
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
        assert!(kernel.join().expect("the kernel's end") == ours, "the kernel got what was sent");
        assert!(received == content("kernel"), "we got what the kernel sent");
    });
    Ok(driver)
}

/// Writes, reads and closes; whether the connection has ended well.
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

/// The kernel's end: reads to the end, then writes; what it got.
fn serve(listener: &TcpListener, caller: Caller) -> Vec<u8> {
    let mut socket = match caller {
        Caller::Ours => listener.accept().expect("a connection").0,
        Caller::Kernel => TcpStream::connect((OURS, PORT)).expect("a connection"),
    };
    let mut received = vec![];
    socket.read_to_end(&mut received).expect("all of it");
    socket.write_all(&content("kernel")).expect("all of it");
    received
}

/// Runs a test on a thread, whose namespace is its own, or says why it cannot.
fn in_namespace(test: impl FnOnce() -> Result<(), String> + Send + 'static) {
    if let Err(reason) = thread::spawn(test).join().expect("no panic") {
        let line = format!("skipped: a TUN device in a network namespace needs root: {reason}\n");
        std::io::stderr().write_all(line.as_bytes()).expect("stderr");
    }
}

#[test]
fn every_variant_exchanges_content_with_the_kernel_through_faults() {
    for variant in Variant::of(Source::Rfc).filter(|variant| !variant.probes()) {
        in_namespace(move || exchange(settings(variant), Caller::Ours, 0.05, 0.02).map(|_| ()));
    }
}

#[test]
fn the_kernel_may_call() {
    for variant in [Variant::Sack, Variant::NewReno] {
        in_namespace(move || exchange(settings(variant), Caller::Kernel, 0.02, 0.02).map(|_| ()));
    }
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
    in_namespace(move || exchange(plain, Caller::Ours, 0.01, 0.01).map(|_| ()));
}

/// The dissector of Wireshark finds nothing malformed, no wrong checksum, nothing that belongs to no
/// connection, and on a clean path nothing lost either.
#[test]
fn tshark_finds_nothing_to_complain_about() {
    in_namespace(|| {
        let driver = exchange(settings(Variant::Sack), Caller::Ours, 0.0, 0.0)?;
        capture::check(&driver.sent, "clean");
        Ok(())
    });
    in_namespace(|| {
        let driver = exchange(settings(Variant::Sack), Caller::Kernel, 0.05, 0.02)?;
        capture::check(&driver.sent, "faults");
        Ok(())
    });
}
