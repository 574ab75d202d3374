//! A connection: two ends and the two directions between them.

use airtcp_core::{Instant, PollResult, Stage};
use airtcp_tcp::{Receiver, Segment, Sender};

/// Two ends and the links between them.
pub(crate) struct Connection<D, A> {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) data: D,
    pub(crate) acks: A,
}

impl<D: Stage<Segment>, A: Stage<Segment>> Connection<D, A> {
    /// Delivers arrived packets to the receiver and sends its ACKs. Returns the time of the next arrival or at which
    /// the link falls idle.
    #[inline]
    pub(crate) fn receive(&mut self, now: Instant) -> Instant {
        loop {
            match self.data.poll(now) {
                PollResult::Out(segment) => {
                    self.receiver.on_segment(now, &segment);
                    while let Some(ack) = self.receiver.poll_transmit(now) {
                        self.acks.push(now, ack);
                    }
                }
                PollResult::Wait(at) => return at,
                PollResult::Idle => return Instant::NEVER,
            }
        }
    }

    /// Takes the ACKs that have arrived at the sender. Returns when the next one does.
    #[inline]
    pub(crate) fn acknowledge(&mut self, now: Instant) -> Instant {
        loop {
            match self.acks.poll(now) {
                PollResult::Out(segment) => self.sender.on_segment(now, &segment),
                PollResult::Wait(at) => return at,
                PollResult::Idle => return Instant::NEVER,
            }
        }
    }

    /// Sends data while the link accepts it. Returns whether anything was sent.
    #[inline]
    pub(crate) fn transmit(&mut self, now: Instant) -> bool {
        let mut sent = false;
        while self.data.ready(now) {
            let Some(segment) = self.sender.poll_transmit(now) else { break };
            self.data.push(now, segment);
            sent = true;
        }
        sent
    }
}
