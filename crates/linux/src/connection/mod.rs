//! A connection: handshake, states, and the sender joined with the receiver.

mod acceptable;
mod close;
mod counts;
mod early;
mod handshake;
mod information;
mod input;
mod keepalive;
mod open;
mod output;
mod plain;
mod settings;
mod state;
mod syn_data;
mod watch;

pub use keepalive::Keepalive;
pub use output::refusal;
pub use plain::{Answer, Plain, Taken};
pub use settings::{Route, SocketOptions};
pub use state::{Ended, State};

use crate::clock::{Clock, Now};
use crate::options::Stamps;
use crate::receiver::{Limits, Path, Receiver};
use crate::segment::Segment;
use crate::sender::{Changed, Sender};
use crate::sysctl::Sysctl;
use airtcp_core::{Instant, Stream};
use counts::Counts;
use handshake::{Handshake, RateLimit};
use std::collections::VecDeque;

/// A connection, driven by segments, calls and time.
///
/// After each input the caller drains [`Connection::transmit`].
#[derive(Debug)]
pub struct Connection {
    clock: Clock,
    sysctl: Sysctl,
    route: Route,
    options: SocketOptions,
    state: State,
    ended: Option<Ended>,
    sender: Sender,
    receiver: Receiver,
    stamps: Stamps,
    handshake: Handshake,
    limit: RateLimit,
    counts: Counts,
    out: VecDeque<Segment>,
    /// Nobody holds its descriptor any more.
    orphan: bool,
    /// End of FIN-WAIT-2 or TIME-WAIT.
    ends_at: Option<Instant>,
    /// The millisecond in which TIME-WAIT began.
    waits_since: Option<u64>,
    watch: keepalive::Watch,
    early: early::Early,
}

/// Settings of a host that all its connections share.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The phase of the host's ticks.
    pub clock: Clock,
    /// Settings of the host.
    pub sysctl: Sysctl,
    /// Where segments go.
    pub route: Route,
    /// Offset of the clock of timestamps for this pair of hosts.
    pub timestamp_offset: u32,
    /// Where congestion controls draw, each connection from the start.
    pub random: Stream,
    /// Rules of senders that are not as Linux has them.
    pub changed: Changed,
}

impl Connection {
    fn new(environment: &Environment, options: &SocketOptions, state: State, mss: u32) -> Self {
        let Environment { clock, sysctl, route, timestamp_offset, random, changed } =
            environment.clone();
        let mut sending = options.of_sender(&sysctl, &route);
        (sending.random, sending.changed) = (random, changed);
        let limits =
            Limits { buffer: options.receive_buffer, clamp: options.window_clamp, mss: mss.into() };
        let mut receiver = Receiver::new(&sysctl, clock, route.memory, limits);
        receiver.set_quick_route(route.quickack);
        let on = sysctl.tcp_timestamps != 0;
        let offset = if sysctl.tcp_timestamps == 1 { timestamp_offset } else { 0 };
        Connection {
            clock,
            route,
            state,
            ended: None,
            sender: Sender::new(&sysctl, clock, sending),
            receiver,
            stamps: Stamps::new(on, offset),
            handshake: Handshake::default(),
            limit: RateLimit::default(),
            counts: Counts::default(),
            out: VecDeque::new(),
            orphan: false,
            ends_at: None,
            waits_since: None,
            watch: keepalive::Watch::default(),
            early: early::Early::default(),
            options: options.clone(),
            sysctl,
        }
    }

    /// Its state.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// Why it ended, if it did so by itself.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Returns whether its segments carry timestamps.
    #[must_use]
    pub fn timestamps(&self) -> bool {
        self.stamps.on
    }

    /// Its sending half.
    #[must_use]
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Its receiving half.
    #[must_use]
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// Returns whether the application has closed it.
    #[must_use]
    pub fn is_orphan(&self) -> bool {
        self.orphan
    }

    /// The next segment, or burst, that it sends.
    #[inline]
    pub fn transmit(&mut self) -> Option<Segment> {
        self.out.pop_front()
    }

    /// Returns whether [`Connection::transmit`] gives nothing.
    #[must_use]
    #[inline]
    pub fn is_silent(&self) -> bool {
        self.out.is_empty()
    }

    /// When its next timer is due; `Instant::NEVER` if none runs.
    #[must_use]
    pub fn next_timer(&self) -> Instant {
        let life = self.ends_at.unwrap_or(Instant::NEVER).min(self.watch.at);
        let life = life.min(self.handshake.next_timer());
        match self.state {
            State::Closed => Instant::NEVER,
            State::SynSent | State::SynReceived | State::TimeWait => life,
            _ => life.min(self.receiver.next_timer()).min(self.sender.next_timer()),
        }
    }

    /// Lets timers expire that are due.
    pub fn on_timer(&mut self, now: Now) {
        if self.handshake.next_timer() <= now.instant {
            self.on_handshake_timer(now);
        }
        if self.ends_at.is_some_and(|at| at <= now.instant) {
            self.end(None);
        }
        if self.watch.at <= now.instant {
            self.on_watch(now);
        }
        if matches!(self.state, State::Closed | State::SynSent | State::SynReceived) {
            return;
        }
        let path = self.path();
        self.receiver.on_timer(now, &path);
        self.flush(now);
        self.sender.on_timer(now);
        self.flush(now);
        if self.sender.gave_up() {
            self.end(Some(Ended::TimedOut));
        }
    }

    /// State of the sender that the receiver needs.
    fn path(&self) -> Path {
        Path { srtt8: self.sender.srtt8(), rto: self.sender.rto() }
    }

    /// The connection is over.
    fn end(&mut self, why: Option<Ended>) {
        self.state = State::Closed;
        self.ended = self.ended.or(why);
        self.ends_at = None;
        self.watch.at = Instant::NEVER;
        self.handshake.stop();
    }
}
