//! The two hosts of every flow of profile `linux`, built for one run.

use crate::path::PathScenario;
use crate::profile::PathTcp;
use crate::profiles::{LinuxHost, LinuxPair};
use airtcp_core::Stream;
use airtcp_linux::clock;

/// Ticks over which the phase of a host's wheel is drawn: the coarsest buckets that timeouts of two minutes use
/// [crates/linux/rules/timers.md rule 2].
const TIMER_WHEEL_TICKS: i64 = 1 << 15;

impl PathScenario {
    /// Both hosts of every flow in replication `replication` under `seed`. The streams `flow{i}/clock` and `flow{i}/peer/clock`
    /// decide where their ticks fall; `flow{i}/control` is where the sender's congestion control draws.
    ///
    /// # Panics
    /// If the scenario is not one of profile `linux`.
    #[must_use]
    pub fn linux_ends(&self, seed: u64, replication: u64) -> Vec<LinuxPair> {
        let mut ends = self.per_flow(|flow| match self.tcp_of(flow) {
            PathTcp::Linux(tcp) => tcp.hosts(),
            _ => panic!("a scenario of profile linux"),
        });
        for (i, pair) in ends.iter_mut().enumerate() {
            let stream = |name: &str| Stream::new(seed, &format!("flow{i}/{name}"), replication);
            randomise_clock(&mut pair.sender, stream("clock"));
            pair.sender.environment.random = stream("control");
            randomise_clock(&mut pair.receiver, stream("peer/clock"));
        }
        ends
    }
}

/// Gives the host the clock and the timestamps of one that was started at a random time before.
fn randomise_clock(host: &mut LinuxHost, mut stream: Stream) {
    let wheel = (TIMER_WHEEL_TICKS * clock::TICK) as f64;
    host.environment.clock.phase = (stream.uniform() * wheel) as i64;
    host.environment.timestamp_offset = (stream.uniform() * f64::from(u32::MAX)) as u32;
}
