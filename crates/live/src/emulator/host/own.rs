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

/// Port of the built-in transfer, of the end that receives and of the one that sends.
const PORTS: (u16, u16) = (5201, 40_000);

pub(super) struct Own {
    tcp: Box<dyn Tcp>,
    work: Work,
    /// What has left the stack, and not this end.
    out: VecDeque<Vec<u8>>,
}

enum Work {
    Send(Box<Sending>),
    Receive(Receiving),
}

impl Own {
    /// On side `number`. Who receives takes a connection from now on.
    pub(super) fn new(number: usize, plan: &Plan, task: &Task) -> Result<Self, String> {
        let (run, sends) = ((plan.seed, plan.replication), matches!(task, Task::Send(_)));
        let initial = Stream::new(plan.seed, &format!("live/{number}/initial"), plan.replication);
        let mut tcp = tcp::of(&plan.scenario, run, ADDRESSES[number], sends, initial)?;
        let work = match task {
            Task::Send(bulk) => Work::Send(Box::new(Sending::new(bulk)?)),
            Task::Receive => {
                tcp.listen(PORTS.0);
                Work::Receive(Receiving::default())
            }
        };
        Ok(Own { tcp, work, out: VecDeque::new() })
    }

    /// Who sends connects to the other side.
    pub(super) fn start(&mut self, number: usize, now: Instant) {
        if let Work::Send(sending) = &mut self.work {
            let receiver = SocketAddrV4::new(ADDRESSES[1 - number], PORTS.0);
            self.tcp.connect(now, PORTS.1, receiver);
            sending.begin(now);
        }
        self.settle(now);
    }

    /// The next packet that leaves, if there is one.
    pub(super) fn take(&mut self, now: Instant) -> Option<Vec<u8>> {
        if self.out.is_empty() && now >= self.due() {
            self.tcp.on_timer(now);
            self.settle(now);
        }
        self.out.pop_front()
    }

    /// A packet comes.
    pub(super) fn give(&mut self, now: Instant, packet: &[u8]) {
        self.tcp.on_packet(now, packet);
        self.settle(now);
    }

    /// When a packet may leave by itself.
    pub(super) fn due(&self) -> Instant {
        let work = match &self.work {
            Work::Send(sending) => sending.due(),
            Work::Receive(_) => Instant::NEVER,
        };
        if self.out.is_empty() { self.tcp.poll_timeout().min(work) } else { Instant::START }
    }

    /// The transfer ends here: what was not acknowledged by now does not count.
    pub(super) fn stop(&mut self, now: Instant) {
        if let Work::Send(sending) = &mut self.work {
            sending.until = now;
        }
        self.settle(now);
    }

    /// Whether it sends, and has done its part.
    pub(super) fn has_sent(&self) -> Option<bool> {
        match &self.work {
            Work::Send(sending) => Some(sending.outcome.is_some()),
            Work::Receive(_) => None,
        }
    }

    /// Whether nothing will happen to its connection any more.
    pub(super) fn is_quiet(&self) -> bool {
        match &self.work {
            Work::Send(_) => Sending::is_quiet(&*self.tcp),
            Work::Receive(_) => Receiving::is_quiet(&*self.tcp),
        }
    }

    /// What it did.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match &self.work {
            Work::Send(sending) => sending.outcome.clone().map(Outcome::Sent),
            Work::Receive(receiving) => Some(Outcome::Received(receiving.outcome())),
        }
    }

    /// Everything that an input has called for. The application comes first: who receives reads before the
    /// ACK leaves, so that it shows the whole window, as the simulator's receiver does.
    fn settle(&mut self, now: Instant) {
        match &mut self.work {
            Work::Send(sending) => sending.act(now, &mut *self.tcp),
            Work::Receive(receiving) => receiving.act(now, &mut *self.tcp),
        }
        self.drain(now);
    }

    fn drain(&mut self, now: Instant) {
        while let Some(packet) = self.tcp.poll_transmit(now) {
            if let Work::Send(sending) = &mut self.work {
                sending.note(now, &packet);
            }
            self.out.push_back(packet);
        }
    }
}
