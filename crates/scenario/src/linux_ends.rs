//! The two hosts of every flow of profile `linux`, built for one run.

use crate::path::{Flow, PathScenario};
use crate::rules::{Linux, Rules};
use airtcp_core::{Size, Stream};
use airtcp_linux::connection::{Environment, Route, SocketOptions};
use airtcp_linux::receiver::Memory;
use airtcp_linux::sender::Changed;
use airtcp_linux::{Clock, Sysctl, clock};

/// The host at one end of a flow.
#[derive(Clone, Debug)]
pub struct LinuxHost {
    /// Its settings and clock, and the way to the other end.
    pub environment: Environment,
    /// What its socket is told.
    pub options: SocketOptions,
}

/// Both ends of a flow.
#[derive(Clone, Debug)]
pub struct LinuxPair {
    /// The host that connects and sends.
    pub sender: LinuxHost,
    /// The host that listens.
    pub receiver: LinuxHost,
    /// Payload of a full packet.
    pub mss: u32,
    /// Bytes of the headers of a packet with data, without options.
    pub header: u32,
    /// The same of one without data.
    pub ack: u32,
}

/// Ticks over which the phase of a host's wheel is drawn: the coarsest buckets that timeouts of two minutes use
/// [linux/timers.md rule 2].
const WHEEL: i64 = 1 << 15;

impl PathScenario {
    /// Both hosts of every flow in replication `replication` under `seed`. The streams `flow{i}/clock` and `flow{i}/peer/clock`
    /// decide where their ticks fall; `flow{i}/control` is where the sender's congestion control draws.
    ///
    /// # Panics
    /// If the scenario is not one of profile `linux`, or was not validated.
    #[must_use]
    pub fn linux_ends(&self, seed: u64, replication: u64) -> Vec<LinuxPair> {
        let mut ends = self.per_flow(|flow| self.linux_pair(flow));
        for (i, pair) in ends.iter_mut().enumerate() {
            let stream = |name: &str| Stream::new(seed, &format!("flow{i}/{name}"), replication);
            start(&mut pair.sender, stream("clock"));
            pair.sender.environment.random = stream("control");
            start(&mut pair.receiver, stream("peer/clock"));
        }
        ends
    }

    fn linux_pair(&self, flow: &Flow) -> LinuxPair {
        let tcp = self.tcp_of(flow);
        let Ok(Rules::Linux(rules)) = tcp.rules(self.profile) else {
            panic!("a validated scenario of profile linux")
        };
        let bytes = |size: Size| u32::try_from(size.bytes()).expect("a validated size");
        let mut sysctl = Sysctl {
            tcp_sack: u64::from(rules.sack),
            tcp_timestamps: u64::from(rules.timestamps),
            tcp_congestion_control: rules.congestion.name().to_owned(),
            ..Sysctl::default()
        };
        if rules.ecn {
            sysctl.tcp_ecn = 1;
        }
        if let Some(keys) = &tcp.sysctl {
            keys.apply(&mut sysctl, "tcp.sysctl").expect("a validated scenario");
        }
        let window = Some(tcp.window_numbers()).filter(|window| *window < NO_CLAMP);
        let route = route(bytes(tcp.packet), &rules);
        let host = |clamp| LinuxHost {
            environment: Environment {
                clock: Clock::default(),
                sysctl: sysctl.clone(),
                route,
                timestamp_offset: 0,
                random: Stream::new(0, "control", 0),
                changed: Changed::default(),
            },
            options: SocketOptions { window_clamp: clamp, ..SocketOptions::default() },
        };
        let mut receiver = host(window.unwrap_or(0));
        if let Some(window) = window {
            // A buffer that grows would take the clamp along [linux/receiver.md rule 26].
            let buffer = (OVERHEAD * window).max(SMALLEST_BUFFER);
            receiver.environment.sysctl.tcp_rmem = [4096, buffer, buffer];
        }
        LinuxPair {
            sender: host(0),
            receiver,
            mss: bytes(Size::from_bytes(tcp.unit())),
            header: bytes(rules.header),
            ack: bytes(tcp.ack),
        }
    }
}

/// Bytes of buffer per byte of window: Linux counts what a packet takes in memory.
const OVERHEAD: u64 = 8;
const SMALLEST_BUFFER: u64 = 1 << 16;

/// A window that stands for none.
const NO_CLAMP: u64 = 1_000_000_000;

fn route(mtu: u32, rules: &Linux) -> Route {
    let ip_header = rules.header.bytes() as u32 - 20;
    // Packets of a link come one by one.
    let memory = Memory::PerSegment;
    Route { mtu, ip_header, initial_window: rules.initial_window, memory, ..Route::default() }
}

/// A host that was started at some time before.
fn start(host: &mut LinuxHost, mut stream: Stream) {
    let wheel = (WHEEL * clock::TICK) as f64;
    host.environment.clock.phase = (stream.uniform() * wheel) as i64;
    host.environment.timestamp_offset = (stream.uniform() * f64::from(u32::MAX)) as u32;
}
