//! Connection of airtcp's own TCP for the built-in transfer, under the rules of the scenario's profile.

use crate::stack::{
    ConnectError, Connection, Content, Ending, LinuxStack, Peers, Settings, Stack, State,
};
use airtcp_core::{Instant, Stream};
use airtcp_linux::connection::{EndReason, State as LinuxState};
use airtcp_scenario::{PathScenario, Profile};
use std::net::{Ipv4Addr, SocketAddrV4};

/// One connection of the built-in transfer, with the host around it.
pub(super) trait Tcp {
    /// Begins a connection from `port`.
    fn connect(&mut self, now: Instant, port: u16, remote: SocketAddrV4);
    /// Accepts a connection to `port`.
    fn listen(&mut self, port: u16);
    /// Takes a packet that arrives.
    fn on_packet(&mut self, now: Instant, packet: &[u8]);
    /// Handles timers that have expired.
    fn on_timer(&mut self, now: Instant);
    /// The time at which the next timer expires.
    fn poll_timeout(&self) -> Instant;
    /// Takes the next packet that leaves, if there is one.
    fn poll_transmit(&mut self, now: Instant) -> Option<Vec<u8>>;
    /// Writes as many of the first `size` bytes of `content` as the connection takes, and closes after the last.
    fn write(&mut self, now: Instant, content: &Content, size: u64);
    /// Reads bytes that have arrived into `data`; returns their number.
    fn read(&mut self, now: Instant, data: &mut [u8]) -> usize;
    /// True if the other end has closed, and the application has read all that it sent.
    fn has_read_all(&self) -> bool;
    /// Closes the connection for the application.
    fn close(&mut self, now: Instant);
    /// Gives the connection up.
    fn abort(&mut self, now: Instant);
    /// Stage of the connection; `None` before there is one.
    fn stage(&self) -> Option<Stage>;
    /// Progress of the sender.
    fn progress(&self) -> Progress;
}

/// Stage of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// At least one end may still send.
    Open,
    /// The connection waits for late packets.
    TimeWait,
    /// The connection is closed.
    Closed,
}

/// Progress of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// Bytes acknowledged.
    pub(super) acked: u64,
    /// Payload of a full packet.
    pub(super) mss: u32,
    /// Expiries of the retransmission timer.
    pub(super) timeouts: u64,
    /// Recoveries that duplicate ACKs or SACK began.
    pub(super) fast_retransmits: u64,
    /// Reason for the end of the connection, if it has ended.
    pub(super) ending: Option<&'static str>,
}

/// The TCP of a scenario's profile, on a host at `address` that sends or receives.
pub(super) fn for_scenario(
    scenario: &PathScenario,
    run: (u64, u64),
    address: Ipv4Addr,
    sends: bool,
    random: Stream,
) -> Result<Box<dyn Tcp>, String> {
    if scenario.profile == Profile::Linux {
        return Ok(Box::new(LinuxStack::for_scenario(scenario, run, address, sends, random)?));
    }
    let stack = Stack::new(address, Settings::from_scenario(scenario, run.0, run.1)?, random)?;
    Ok(Box::new(RfcStack { stack, peers: None, written: 0 }))
}

/// The sender and receiver of `airtcp_tcp`.
struct RfcStack {
    stack: Stack,
    peers: Option<Peers>,
    written: u64,
}

impl RfcStack {
    fn connection(&self) -> Option<&Connection> {
        self.stack.get(self.peers?)
    }

    fn connection_mut(&mut self) -> Option<&mut Connection> {
        self.stack.get_mut(self.peers?)
    }
}

impl Tcp for RfcStack {
    fn connect(&mut self, _: Instant, port: u16, remote: SocketAddrV4) {
        let peers: Result<Peers, ConnectError> = self.stack.connect(port, remote);
        self.peers = peers.ok();
    }

    fn listen(&mut self, port: u16) {
        self.stack.listen(port);
    }

    fn on_packet(&mut self, now: Instant, packet: &[u8]) {
        self.stack.on_packet(now, packet);
        self.peers = self.peers.or_else(|| self.stack.accept());
    }

    fn on_timer(&mut self, now: Instant) {
        self.stack.on_timer(now);
    }

    fn poll_timeout(&self) -> Instant {
        self.stack.poll_timeout()
    }

    fn poll_transmit(&mut self, now: Instant) -> Option<Vec<u8>> {
        self.stack.poll_transmit(now)
    }

    /// Writes data; the FIN goes with the last segment.
    fn write(&mut self, _: Instant, content: &Content, size: u64) {
        let mut written = self.written;
        let Some(connection) = self.connection_mut() else { return };
        while written < size {
            let rest = content.slice_from(written);
            let most = usize::try_from(size - written).unwrap_or(usize::MAX);
            let taken = connection.write(&rest[..rest.len().min(most)]);
            written += taken as u64;
            if taken == 0 {
                break;
            }
        }
        if written == size {
            connection.close();
        }
        self.written = written;
    }

    fn read(&mut self, _: Instant, data: &mut [u8]) -> usize {
        self.connection_mut().map_or(0, |connection| connection.read(data))
    }

    fn has_read_all(&self) -> bool {
        self.connection().is_some_and(Connection::has_read_all)
    }

    fn close(&mut self, _: Instant) {
        self.connection_mut().into_iter().for_each(Connection::close);
    }

    fn abort(&mut self, now: Instant) {
        self.connection_mut().into_iter().for_each(|connection| connection.abort(now));
    }

    fn stage(&self) -> Option<Stage> {
        Some(match self.connection()?.state() {
            State::TimeWait => Stage::TimeWait,
            State::Closed => Stage::Closed,
            _ => Stage::Open,
        })
    }

    fn progress(&self) -> Progress {
        let sender = self.connection().and_then(Connection::sender);
        let counters = sender.map(|sender| sender.counters()).unwrap_or_default();
        Progress {
            acked: sender.map_or(0, |sender| sender.view().una.min(self.written)),
            mss: sender.map_or(0, |sender| sender.view().mss),
            timeouts: counters.timeouts,
            fast_retransmits: counters.fast_retransmits,
            ending: self.connection().and_then(Connection::ending).map(|ending| match ending {
                Ending::Finished => FINISHED_TEXT,
                Ending::Refused => REFUSED_TEXT,
                Ending::Reset => RESET_TEXT,
                Ending::TimedOut => UNANSWERED_TEXT,
                Ending::Aborted => "it was given up",
            }),
        }
    }
}

const FINISHED_TEXT: &str = "both ends have closed";
const REFUSED_TEXT: &str = "nobody listens there";
const RESET_TEXT: &str = "the other end has reset it";
const UNANSWERED_TEXT: &str = "the other end is silent";

impl Tcp for LinuxStack {
    fn connect(&mut self, now: Instant, port: u16, remote: SocketAddrV4) {
        LinuxStack::connect(self, now, port, remote);
    }

    fn listen(&mut self, port: u16) {
        LinuxStack::listen(self, port);
    }

    fn on_packet(&mut self, now: Instant, packet: &[u8]) {
        LinuxStack::on_packet(self, now, packet);
    }

    fn on_timer(&mut self, now: Instant) {
        LinuxStack::on_timer(self, now);
    }

    fn poll_timeout(&self) -> Instant {
        LinuxStack::poll_timeout(self)
    }

    fn poll_transmit(&mut self, now: Instant) -> Option<Vec<u8>> {
        LinuxStack::poll_transmit(self, now)
    }

    /// Writes everything in one call. The application closes when all is acknowledged, so that no FIN is among the
    /// segments that the simulator sends as well.
    fn write(&mut self, now: Instant, content: &Content, size: u64) {
        self.write_all(now, content, size);
        if self.acked() >= size && self.state().is_some_and(LinuxState::can_send) {
            LinuxStack::close(self, now);
        }
    }

    fn read(&mut self, now: Instant, data: &mut [u8]) -> usize {
        LinuxStack::read(self, now, data)
    }

    fn has_read_all(&self) -> bool {
        LinuxStack::at_end(self)
    }

    fn close(&mut self, now: Instant) {
        LinuxStack::close(self, now);
    }

    fn abort(&mut self, now: Instant) {
        LinuxStack::abort(self, now);
    }

    fn stage(&self) -> Option<Stage> {
        Some(match self.state()? {
            LinuxState::TimeWait => Stage::TimeWait,
            LinuxState::Closed => Stage::Closed,
            _ => Stage::Open,
        })
    }

    fn progress(&self) -> Progress {
        let Some(connection) = self.connection() else { return Progress::default() };
        let is_over = connection.state() == LinuxState::Closed;
        let ending = match connection.end_reason() {
            Some(EndReason::Refused) => REFUSED_TEXT,
            Some(EndReason::Reset | EndReason::Broken) => RESET_TEXT,
            Some(EndReason::TimedOut) => UNANSWERED_TEXT,
            None => FINISHED_TEXT,
        };
        Progress {
            acked: self.acked(),
            mss: connection.sender().mss(),
            timeouts: connection.sender().timeouts().into(),
            fast_retransmits: self.recoveries(),
            ending: is_over.then_some(ending),
        }
    }
}
