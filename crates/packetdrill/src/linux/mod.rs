//! The TCP of Linux 6.18 (`airtcp-linux`) as a host that plays scripts.
//!
//! It behaves like the machine of packetdrill: a tun device of MTU 1500 that splits bursts itself and stores
//! each segment that it receives in memory of its own, jiffies of 4 ms whose phase is fixed, and a clock of
//! timestamps that started long ago.

mod blocked;
mod calls;
mod descriptors;
mod epoll;
mod fast_open;
mod more_options;
mod options;
mod packets;
mod reports;
mod settings;
mod understood;
mod wait;
mod wakes;
mod waking;

use crate::call::Call;
use crate::host::{Answer, Host, Outcome};
use crate::options::Options;
use crate::packet::{Icmp, Packet, TcpOption};
use crate::play::{Report, Verdict, play_until};
use crate::script::Script;
use crate::settings::{LISTENING, SettingChange};
use airtcp_core::{Cancel, Instant, Span, Stream};
use airtcp_linux::connection::Route;
use airtcp_linux::receiver::BufferMemory;
use airtcp_linux::sender::RuleChanges;
use airtcp_linux::{Clock, Sysctl, TimeInUnits, host};
use blocked::Blocked;
use descriptors::Descriptors;
use reports::ErrorQueue;
use std::collections::{BTreeMap, VecDeque};
use wakes::ObservedState;

/// Uptime of the machine when a script starts.
const UPTIME: Span = Span::from_nanos(10_000_000_000_000);
/// Number of phases that ticks may have: the last jiffy began 0.05 ms and a multiple of 0.1 ms before the
/// script, in 40 places within a jiffy, three times over, each time at other places of the coarser levels of
/// the timer wheel.
const PHASES: usize = 120;

const fn phase_offset(nth: usize) -> i64 {
    let nth = (nth % PHASES) as i64;
    50_000 + (nth * 17 % 40) * 100_000 + (nth / 40) * 13 * 4_000_000
}

/// Values of `tcpi_state` of a socket without a connection.
const LISTEN_STATE: i128 = 10;
const CLOSE_STATE: i128 = 7;

/// A machine with Linux's TCP.
#[derive(Debug)]
pub struct Linux {
    host: host::Host,
    ports: (u16, u16),
    /// The value of `--mss`.
    mss: Option<u32>,
    descriptors: Descriptors,
    blocked: Option<Blocked>,
    /// Observations of the sockets, and their pending messages, by descriptor.
    observed: BTreeMap<i64, ObservedState>,
    error_queues: BTreeMap<i64, ErrorQueue>,
    /// Segments of a burst that the TCP has sent; the device passes them on one by one.
    output_packets: VecDeque<Packet>,
}

impl Default for Linux {
    fn default() -> Self {
        Linux::new(0, 0)
    }
}

impl Linux {
    /// Makes a machine that draws its first sequence numbers from `seed`, and whose ticks have one of the
    /// phases.
    #[must_use]
    pub fn new(seed: u64, phase: usize) -> Self {
        let clock = Clock { phase: self::phase_offset(phase) };
        let route = Route { memory: BufferMemory::PerSegment, ..Route::default() };
        let random = Stream::new(seed, "linux", 0);
        Linux {
            host: host::Host::new(Sysctl::default(), clock, route, random),
            ports: (8080, 8080),
            mss: None,
            descriptors: Descriptors::default(),
            blocked: None,
            observed: BTreeMap::new(),
            error_queues: BTreeMap::new(),
            output_packets: VecDeque::new(),
        }
    }

    fn clock(&self, now: Instant) -> TimeInUnits {
        self.host.now(now + UPTIME)
    }
}

/// Plays a script on machines whose ticks have different phases, since a script does not give the phase: it
/// passes if it passes on one of them. Otherwise the report is that of the machine that came farthest. `None`
/// once the caller has cancelled.
pub fn play_on_linux(script: &Script, cancel: &Cancel) -> Option<Report> {
    play_with_rule_changes(script, cancel, RuleChanges::default())
}

/// Plays a script on machines whose senders break a rule, as [`play_on_linux`] does; some script must detect
/// that.
pub fn play_with_rule_changes(
    script: &Script,
    cancel: &Cancel,
    changed: RuleChanges,
) -> Option<Report> {
    let mut best: Option<Report> = None;
    for phase in 0..PHASES {
        let mut machine = Linux::new(0, phase);
        machine.host.environment().rule_changes = changed;
        let report = play_until(script, &mut machine, cancel)?;
        let line = |report: &Report| match &report.verdict {
            Verdict::Fails(failure) => failure.line,
            _ => usize::MAX,
        };
        if best.as_ref().is_none_or(|best| line(best) < line(&report)) {
            best = Some(report);
        }
        if best.as_ref().is_some_and(|best| line(best) == usize::MAX) {
            break;
        }
    }
    best
}

/// An instant of the machine as an instant of the script.
fn script_time(instant: Instant) -> Instant {
    match instant {
        Instant::NEVER => Instant::NEVER,
        other => Instant::START + (other - (Instant::START + UPTIME)),
    }
}

impl Host for Linux {
    fn check_call(&self, call: &Call) -> Result<(), String> {
        understood::check_call(call)
    }

    fn check_changes(&self, changes: &[SettingChange]) -> Result<(), String> {
        settings::check_changes(changes)
    }

    fn configure(
        &mut self,
        _: Instant,
        options: &Options,
        changes: &[SettingChange],
    ) -> Result<(), String> {
        self.ports = (options.bind_port, options.connect_port);
        self.mss = options.mss;
        settings::configure(&mut self.host, options, changes)
    }

    fn call(&mut self, now: Instant, call: &Call) -> Outcome {
        let now = self.clock(now);
        let outcome = self.execute_call(now, call);
        self.observe(now);
        outcome
    }

    fn poll_blocked_call(&mut self, now: Instant) -> Option<Answer> {
        let now = self.clock(now);
        let mut blocked = self.blocked.take()?;
        let answer = self.try_complete(now, &mut blocked);
        self.observe(now);
        if answer.is_none() {
            self.blocked = Some(blocked);
        }
        answer
    }

    fn receive(&mut self, now: Instant, packet: &Packet) {
        let now = self.clock(now);
        // A digest for which there is no key: the segment does not count [RFC 2385].
        if packet.options.iter().any(|option| matches!(option, TcpOption::Md5(_))) {
            return;
        }
        self.host.receive(now, &packets::datagram_from_packet(packet, self.mss));
        self.observe(now);
    }

    fn receive_icmp(&mut self, now: Instant, message: &Icmp) -> Result<(), String> {
        let now = self.clock(now);
        settings::icmp(&mut self.host, now, message)?;
        self.observe(now);
        Ok(())
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        if self.output_packets.is_empty() {
            let datagram = self.host.transmit(self.clock(now))?;
            let ttl = self.host.environment().route.hop_limit;
            packets::split_burst(&datagram, ttl, &mut self.output_packets);
        }
        self.output_packets.pop_front()
    }

    fn next_timer(&self) -> Instant {
        let deadline = self.blocked.as_ref().map_or(Instant::NEVER, Blocked::deadline);
        script_time(self.host.next_timer().min(deadline))
    }

    fn on_timer(&mut self, now: Instant) {
        let now = self.clock(now);
        self.host.on_timer(now);
        self.observe(now);
    }

    fn counter(&self, _: Instant, name: &str) -> Option<u64> {
        let listens = |(_, id): &(i64, usize)| self.host.is_listening(*id);
        (name == LISTENING).then(|| self.descriptors.sockets().filter(listens).count() as u64)
    }

    fn information(&self, now: Instant, fd: i64, field: &str) -> Option<i128> {
        let id = self.descriptors.socket(fd)?;
        match self.host.connection(id) {
            Some(connection) => match field {
                "SK_MEMINFO_RCVBUF" => Some(connection.receiver().buffer().into()),
                "SK_MEMINFO_SNDBUF" => Some(connection.send_buffer().into()),
                _ => connection.tcp_info_field(self.clock(now), field),
            },
            None if field == "tcpi_state" => {
                Some(if self.host.is_listening(id) { LISTEN_STATE } else { CLOSE_STATE })
            }
            None => None,
        }
    }
}
