//! A TUN device in a network namespace of its own: the kernel's end is an address in it, ours is a
//! [`Stack`] that reads and writes the device. The namespace has no name and vanishes with its last
//! descriptor.

use airtcp_core::{Instant, Span, Stream};
use airtcp_live::stack::Stack;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sched::{CloneFlags, unshare};
use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;
use std::time::Duration;
use tun_rs::{DeviceBuilder, SyncDevice};

pub(crate) const KERNEL: Ipv4Addr = Ipv4Addr::new(10, 78, 0, 2);
pub(crate) const OURS: Ipv4Addr = Ipv4Addr::new(10, 78, 0, 1);
pub(crate) const PORT: u16 = 5001;

/// Moves the thread into a new namespace, and returns its device and a kernel socket that listens behind
/// it; or the reason why that is impossible.
pub(crate) fn enter() -> Result<(SyncDevice, TcpListener), String> {
    let tun = OpenOptions::new().read(true).write(true).open("/dev/net/tun");
    tun.map_err(|error| format!("/dev/net/tun: {error}"))?;
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| format!("no network namespace: {error}"))?;
    // Timers as short as ours, where the kernel has a setting for that: without SACK and with packets out of
    // order, Linux waits for a timeout at every loss. How long it then goes on follows from the longest one.
    for (name, value) in [("tcp_rto_max_ms", "2000"), ("tcp_retries2", "255")] {
        let _ = std::fs::write(format!("/proc/sys/net/ipv4/{name}"), value);
    }
    let device = match DeviceBuilder::new().ipv4(KERNEL, 24, None).build_sync() {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return Err(format!("no TUN device: {error}"));
        }
        made => made.expect("a TUN device"),
    };
    device.set_nonblocking(true).expect("not blocking");
    Ok((device, TcpListener::bind((KERNEL, PORT)).expect("a socket")))
}

/// Limit on the duration of a run: one that takes longer hangs, since 5 MB both ways through every fault
/// take minutes.
const LONGEST: Duration = Duration::from_secs(1500);

/// Faults that happen to packets on their way, in both directions.
pub(crate) struct Weather {
    pub(crate) fates: Stream,
    pub(crate) loss: f64,
    pub(crate) duplicate: f64,
    pub(crate) corrupt: f64,
    /// Probability that a packet goes behind the next one.
    pub(crate) swap: f64,
    /// Number of packets between two delay spikes and between two disconnections; 0: none.
    pub(crate) storms: [u64; 2],
    /// Ends of the last delay spike and of the last disconnection.
    ends: [Instant; 2],
    packets: u64,
    held: Option<Vec<u8>>,
}

/// Durations of a delay spike and of a disconnection.
const STORMS: [Span; 2] = [Span::from_nanos(300_000_000), Span::from_nanos(200_000_000)];

impl Weather {
    pub(crate) fn new(seed: u64, loss: f64, other: f64) -> Self {
        let fates = Stream::new(seed, "weather", 0);
        Weather {
            fates,
            loss,
            duplicate: other,
            corrupt: other,
            swap: other,
            storms: [0; 2],
            ends: [Instant::START; 2],
            packets: 0,
            held: None,
        }
    }

    /// Weather with these faults, and with delay spikes and disconnections.
    pub(crate) fn stormy(seed: u64, loss: f64, other: f64) -> Self {
        Weather { storms: [149, 211], ..Weather::new(seed, loss, other) }
    }

    /// The packets that arrive for one that is sent, and their time of arrival.
    fn pass(&mut self, now: Instant, bytes: Vec<u8>) -> (Instant, Vec<Vec<u8>>) {
        self.packets += 1;
        for (i, every) in self.storms.into_iter().enumerate() {
            if every > 0 && self.packets.is_multiple_of(every) {
                self.ends[i] = now + STORMS[i];
            }
        }
        let [spike, outage] = self.ends;
        let passed = if now < outage { vec![] } else { self.change(bytes) };
        (spike.max(now), passed)
    }

    fn change(&mut self, mut bytes: Vec<u8>) -> Vec<Vec<u8>> {
        if self.fates.chance(self.loss) {
            return vec![];
        }
        if self.fates.chance(self.corrupt) {
            let at = self.fates.next_u64() as usize % bytes.len();
            bytes[at] ^= 1 + (self.fates.next_u64() % 255) as u8;
        }
        let twice = self.fates.chance(self.duplicate);
        if self.held.is_none() && self.fates.chance(self.swap) {
            self.held = Some(bytes);
            return vec![];
        }
        let copy = twice.then(|| bytes.clone());
        [Some(bytes), copy, self.held.take()].into_iter().flatten().collect()
    }
}

/// The driver in real time.
pub(crate) struct Driver {
    pub(crate) stack: Stack,
    pub(crate) device: SyncDevice,
    /// One per direction: to the kernel, and from it.
    pub(crate) weather: [Weather; 2],
    /// Packets as this end sent them.
    pub(crate) sent: Vec<(Instant, Vec<u8>)>,
    /// Packets on their way in the order of their arrivals, for each direction.
    air: [VecDeque<(Instant, Vec<u8>)>; 2],
    begun: std::time::Instant,
}

impl Driver {
    #[expect(clippy::disallowed_methods, reason = "a driver in real time reads a real clock")]
    pub(crate) fn new(stack: Stack, device: SyncDevice, weather: [Weather; 2]) -> Self {
        let air = [VecDeque::new(), VecDeque::new()];
        Driver { stack, device, weather, sent: vec![], air, begun: std::time::Instant::now() }
    }

    /// Runs until `done`, which uses the stack.
    pub(crate) fn run(&mut self, mut done: impl FnMut(&mut Stack) -> bool) {
        while !done(&mut self.stack) {
            assert!(self.begun.elapsed() < LONGEST, "it takes too long");
            self.flush();
            self.sleep();
            self.receive();
            self.deliver();
            let now = self.now();
            self.stack.on_timer(now);
            self.flush();
        }
        self.flush();
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(i64::try_from(self.begun.elapsed().as_nanos()).expect("not 292 years"))
    }

    /// All that the kernel has sent, one packet at a time.
    fn receive(&mut self) {
        let mut buffer = vec![0; 2048];
        while let Ok(length) = self.device.recv(&mut buffer) {
            self.launch(1, self.now(), buffer[..length].to_vec());
            self.deliver();
        }
    }

    fn launch(&mut self, direction: usize, now: Instant, bytes: Vec<u8>) {
        let (due, passed) = self.weather[direction].pass(now, bytes);
        self.air[direction].extend(passed.into_iter().map(|bytes| (due, bytes)));
    }

    fn arrived(&mut self, direction: usize, now: Instant) -> Option<Vec<u8>> {
        self.air[direction].front().filter(|(due, _)| *due <= now)?;
        self.air[direction].pop_front().map(|(_, bytes)| bytes)
    }

    /// Hands over the packets that have come from the kernel.
    fn deliver(&mut self) {
        let now = self.now();
        while let Some(bytes) = self.arrived(1, now) {
            self.stack.on_packet(now, &bytes);
            self.flush();
        }
    }

    fn flush(&mut self) {
        let now = self.now();
        while let Some(bytes) = self.stack.poll_transmit(now) {
            self.sent.push((now, bytes.clone()));
            self.launch(0, now, bytes);
        }
        while let Some(bytes) = self.arrived(0, now) {
            // Bytes that the kernel does not even take for a packet are lost.
            let _ = self.device.send(&bytes);
        }
    }

    /// Sleeps until the device can be read or a timer is due, 20 ms at most: the application may have
    /// more data.
    fn sleep(&self) {
        let arrivals =
            self.air.iter().filter_map(|direction| direction.front()).map(|(due, _)| *due);
        let next = arrivals.fold(self.stack.poll_timeout(), Instant::min);
        let wait = (next.nanos() - self.now().nanos()) / 1_000_000 + 1;
        let wait = wait.clamp(0, 20) as u16;
        poll(&mut [PollFd::new(self.device.as_fd(), PollFlags::POLLIN)], wait).expect("poll");
    }
}
