//! Counters of wakeups by a socket, which a later poll compares.

use crate::symbols as s;
use airtcp_linux::connection::{Connection, State};

/// Numbers of times that a socket woke processes waiting for input, for space, and for errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WakeCounts {
    pub(super) input: u64,
    output: u64,
    error: u64,
}

impl WakeCounts {
    /// True if a process that waits for these events was woken since then; errors wake everybody.
    pub(super) fn has_new(&self, since: &WakeCounts, events: i64) -> bool {
        const INPUT: i64 = s::EPOLLIN | s::EPOLLPRI | s::EPOLLRDNORM | s::EPOLLRDHUP;
        const OUTPUT: i64 = s::EPOLLOUT | s::EPOLLWRNORM;
        (self.input != since.input && events & INPUT != 0)
            || (self.output != since.output && events & OUTPUT != 0)
            || self.error != since.error
    }
}

/// The state of a socket after the previous input.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObservedState {
    pub(super) wakes: WakeCounts,
    state: Option<State>,
    received: u64,
    wants_space: bool,
    pub(super) ready: usize,
}

impl ObservedState {
    /// Compares a connection with its previous state, and counts the wakes.
    pub(super) fn observe_connection(&mut self, connection: &Connection) {
        let state = Some(connection.state());
        if self.state.is_some() && state != self.state {
            self.wakes.input += 1;
            self.wakes.output += 1;
        }
        let received = connection.receiver().received();
        self.wakes.input += u64::from(received != self.received);
        let wants_space = connection.sender().wants_space();
        self.wakes.output += u64::from(self.wants_space && !wants_space);
        (self.state, self.received, self.wants_space) = (state, received, wants_space);
    }

    /// Counts the wake for an error, or for a message about data that was sent.
    pub(super) fn count_error_wake(&mut self) {
        self.wakes.error += 1;
    }
}
