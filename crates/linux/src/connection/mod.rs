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
pub use output::reset_for;
pub use plain::{PlainAck, PlainDataOutcome, PlainSegment};
pub use settings::{Route, SocketOptions};
pub use state::{EndReason, State};

use crate::clock::{Clock, TimeInUnits};
use crate::options::TimestampState;
use crate::receiver::{BufferLimits, Receiver, SenderPath};
use crate::segment::Segment;
use crate::sender::{RuleChanges, Sender};
use crate::sysctl::Sysctl;
use airtcp_core::{Instant, Stream};
use counts::SegmentCounts;
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
    end_reason: Option<EndReason>,
    sender: Sender,
    receiver: Receiver,
    stamps: TimestampState,
    handshake: Handshake,
    challenge_limit: RateLimit,
    counts: SegmentCounts,
    output_queue: VecDeque<Segment>,
    /// True if no descriptor refers to the connection.
    orphan: bool,
    /// End of FIN-WAIT-2 or TIME-WAIT.
    end_time: Option<Instant>,
    /// The millisecond in which TIME-WAIT began.
    wait_start: Option<u64>,
    keepalive_timer: keepalive::KeepaliveTimer,
    fast_open: early::FastOpenState,
}

/// Settings of a host that all its connections share.
#[derive(Clone, Debug)]
pub struct HostEnvironment {
    /// The phase of the host's ticks.
    pub clock: Clock,
    /// Settings of the host.
    pub sysctl: Sysctl,
    /// Route of the segments.
    pub route: Route,
    /// Offset of the clock of timestamps for this pair of hosts.
    pub timestamp_offset: u32,
    /// Random stream of congestion controls; each connection starts at its beginning.
    pub random: Stream,
    /// Rules of senders that are not as Linux has them.
    pub rule_changes: RuleChanges,
}

impl Connection {
    fn new(environment: &HostEnvironment, options: &SocketOptions, state: State, mss: u32) -> Self {
        let HostEnvironment {
            clock,
            sysctl,
            route,
            timestamp_offset,
            random,
            rule_changes: changed,
        } = environment.clone();
        let mut sending = options.sender_options(&sysctl, &route);
        (sending.random, sending.changed) = (random, changed);
        let limits = BufferLimits {
            buffer: options.receive_buffer,
            clamp: options.window_clamp,
            mss: mss.into(),
        };
        let mut receiver = Receiver::new(&sysctl, clock, route.memory, limits);
        receiver.set_quick_route(route.quickack);
        let on = sysctl.tcp_timestamps != 0;
        let offset = if sysctl.tcp_timestamps == 1 { timestamp_offset } else { 0 };
        Connection {
            clock,
            route,
            state,
            end_reason: None,
            sender: Sender::new(&sysctl, clock, sending),
            receiver,
            stamps: TimestampState::new(on, offset),
            handshake: Handshake::default(),
            challenge_limit: RateLimit::default(),
            counts: SegmentCounts::default(),
            output_queue: VecDeque::new(),
            orphan: false,
            end_time: None,
            wait_start: None,
            keepalive_timer: keepalive::KeepaliveTimer::default(),
            fast_open: early::FastOpenState::default(),
            options: options.clone(),
            sysctl,
        }
    }

    /// State of the connection.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// Why it ended, if it did so by itself.
    #[must_use]
    pub fn end_reason(&self) -> Option<EndReason> {
        self.end_reason
    }

    /// Returns whether its segments carry timestamps.
    #[must_use]
    pub fn timestamps(&self) -> bool {
        self.stamps.is_enabled
    }

    /// Sending half of the connection.
    #[must_use]
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Receiving half of the connection.
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
        self.output_queue.pop_front()
    }

    /// Returns whether [`Connection::transmit`] gives nothing.
    #[must_use]
    #[inline]
    pub fn has_no_output(&self) -> bool {
        self.output_queue.is_empty()
    }

    /// Expiry of the next timer; `Instant::NEVER` if none runs.
    #[must_use]
    pub fn next_timer(&self) -> Instant {
        let life = self.end_time.unwrap_or(Instant::NEVER).min(self.keepalive_timer.at);
        let life = life.min(self.handshake.next_timer());
        match self.state {
            State::Closed => Instant::NEVER,
            State::SynSent | State::SynReceived | State::TimeWait => life,
            _ => life.min(self.receiver.next_timer()).min(self.sender.next_timer()),
        }
    }

    /// Lets timers expire that are due.
    pub fn on_timer(&mut self, now: TimeInUnits) {
        if self.handshake.next_timer() <= now.instant {
            self.on_handshake_timer(now);
        }
        if self.end_time.is_some_and(|at| at <= now.instant) {
            self.end_connection(None);
        }
        if self.keepalive_timer.at <= now.instant {
            self.on_keepalive_timer(now);
        }
        if matches!(self.state, State::Closed | State::SynSent | State::SynReceived) {
            return;
        }
        let path = self.receiver_path();
        self.receiver.on_timer(now, &path);
        self.flush(now);
        self.sender.on_timer(now);
        self.flush(now);
        if self.sender.gave_up() {
            self.end_connection(Some(EndReason::TimedOut));
        }
    }

    /// State of the sender that the receiver needs.
    fn receiver_path(&self) -> SenderPath {
        SenderPath { srtt8: self.sender.srtt8(), rto: self.sender.rto() }
    }

    /// The connection is over.
    fn end_connection(&mut self, why: Option<EndReason>) {
        self.state = State::Closed;
        self.end_reason = self.end_reason.or(why);
        self.end_time = None;
        self.keepalive_timer.at = Instant::NEVER;
        self.handshake.stop();
    }
}
