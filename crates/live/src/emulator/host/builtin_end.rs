//! Our own stack at an end of the path, with its part in the built-in transfer. It needs no device, no
//! namespace and no rights.

use super::namespace::ADDRESSES;
use super::plan::{Plan, Task};
use super::receiving::Receiving;
use super::report::Outcome;
use super::sending::Sending;
use super::tcp::{self, Tcp};
use airtcp_core::{Instant, Stream};
use std::collections::VecDeque;
use std::net::SocketAddrV4;

/// Ports of the built-in transfer: of the end that receives and of the end that sends.
const BUILTIN_PORTS: (u16, u16) = (5201, 40_000);

pub(super) struct BuiltinEnd {
    tcp: Box<dyn Tcp>,
    application: Application,
    /// Packets that have left the stack, but not yet this end.
    outgoing: VecDeque<Vec<u8>>,
}

enum Application {
    Send(Box<Sending>),
    Receive(Receiving),
}

impl BuiltinEnd {
    /// Makes the stack on side `number`. The end that receives accepts a connection from now on.
    pub(super) fn new(number: usize, plan: &Plan, task: &Task) -> Result<Self, String> {
        let (run, sends) = ((plan.seed, plan.replication), matches!(task, Task::Send(_)));
        let initial = Stream::new(plan.seed, &format!("live/{number}/initial"), plan.replication);
        let mut tcp = tcp::for_scenario(&plan.scenario, run, ADDRESSES[number], sends, initial)?;
        let work = match task {
            Task::Send(bulk) => Application::Send(Box::new(Sending::new(bulk)?)),
            Task::Receive => {
                tcp.listen(BUILTIN_PORTS.0);
                Application::Receive(Receiving::default())
            }
        };
        Ok(BuiltinEnd { tcp, application: work, outgoing: VecDeque::new() })
    }

    /// Connects to the other side, if this end sends.
    pub(super) fn start(&mut self, number: usize, now: Instant) {
        if let Application::Send(sending) = &mut self.application {
            let receiver = SocketAddrV4::new(ADDRESSES[1 - number], BUILTIN_PORTS.0);
            self.tcp.connect(now, BUILTIN_PORTS.1, receiver);
            sending.begin(now);
        }
        self.run_application(now);
    }

    /// Takes the next packet that leaves, if there is one.
    pub(super) fn poll_packet(&mut self, now: Instant) -> Option<Vec<u8>> {
        if self.outgoing.is_empty() && now >= self.next_timer() {
            self.tcp.on_timer(now);
            self.run_application(now);
        }
        self.outgoing.pop_front()
    }

    /// Gives a packet to the stack.
    pub(super) fn on_packet(&mut self, now: Instant, packet: &[u8]) {
        self.tcp.on_packet(now, packet);
        self.run_application(now);
    }

    /// The time of the next packet that may leave without any input.
    pub(super) fn next_timer(&self) -> Instant {
        let work = match &self.application {
            Application::Send(sending) => sending.end_due(),
            Application::Receive(_) => Instant::NEVER,
        };
        if self.outgoing.is_empty() { self.tcp.poll_timeout().min(work) } else { Instant::START }
    }

    /// Stops the transfer: data not acknowledged by now does not count.
    pub(super) fn stop(&mut self, now: Instant) {
        if let Application::Send(sending) = &mut self.application {
            sending.end_time = now;
        }
        self.run_application(now);
    }

    /// For an end that sends: true once its transfer is over; `None` for an end that receives.
    pub(super) fn has_sent(&self) -> Option<bool> {
        match &self.application {
            Application::Send(sending) => Some(sending.outcome.is_some()),
            Application::Receive(_) => None,
        }
    }

    /// True if nothing will happen to its connection any more.
    pub(super) fn is_connection_over(&self) -> bool {
        match &self.application {
            Application::Send(_) => Sending::is_connection_over(&*self.tcp),
            Application::Receive(_) => Receiving::is_connection_over(&*self.tcp),
        }
    }

    /// The outcome of the transfer at this end, once there is one.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match &self.application {
            Application::Send(sending) => sending.outcome.clone().map(Outcome::Sent),
            Application::Receive(receiving) => Some(Outcome::Received(receiving.outcome())),
        }
    }

    /// Carries out everything that an input has triggered. The application comes first: a receiver reads
    /// before the ACK leaves, so that the ACK shows the whole window, as with the simulator's receiver.
    fn run_application(&mut self, now: Instant) {
        match &mut self.application {
            Application::Send(sending) => sending.write_available(now, &mut *self.tcp),
            Application::Receive(receiving) => receiving.read_available(now, &mut *self.tcp),
        }
        self.collect_packets(now);
    }

    fn collect_packets(&mut self, now: Instant) {
        while let Some(packet) = self.tcp.poll_transmit(now) {
            if let Application::Send(sending) = &mut self.application {
                sending.count_packet(now, &packet);
            }
            self.outgoing.push_back(packet);
        }
    }
}
