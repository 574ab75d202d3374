//! Calls that have not returned.

use crate::call::WatchedDescriptor;
use airtcp_core::Instant;
use airtcp_linux::sender::WriteFlags;

/// A call that has not returned.
#[derive(Debug)]
pub(super) enum Blocked {
    Accept {
        fd: i64,
    },
    Connect {
        fd: i64,
    },
    Receive {
        fd: i64,
        room: u64,
        waits_for: u64,
        how: ReceiveMode,
    },
    /// `before` counts the bytes that were taken already.
    Send {
        fd: i64,
        before: u64,
        bytes: u64,
        flags: WriteFlags,
        begun: bool,
        zerocopy: bool,
    },
    Poll {
        watched: Vec<WatchedDescriptor>,
        until: Instant,
    },
    Epoll {
        epoll: i64,
        most: i64,
        until: Instant,
    },
}

/// The manner in which a call receives data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReceiveMode {
    /// True if the address is NULL.
    pub(super) null: bool,
    /// True for `MSG_PEEK`.
    pub(super) is_peek: bool,
    /// True for `recvmsg`.
    pub(super) is_recvmsg: bool,
}

impl Blocked {
    /// The time at which the call ends by itself.
    pub(super) fn deadline(&self) -> Instant {
        match self {
            Blocked::Poll { until, .. } | Blocked::Epoll { until, .. } => *until,
            _ => Instant::NEVER,
        }
    }
}
