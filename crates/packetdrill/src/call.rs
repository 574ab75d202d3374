//! Calls of sockets, typed: the requests of a script to the host.

use crate::value::Value;

/// Buffers of data to send, or for data to receive: only lengths, since all data are zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    /// Length of each buffer in bytes.
    pub lengths: Vec<u64>,
    /// True if the address is NULL.
    pub is_null: bool,
}

impl Buffers {
    /// Total length in bytes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.lengths.iter().sum()
    }
}

/// A descriptor that `poll` watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedDescriptor {
    /// The descriptor.
    pub fd: i64,
    /// The events to watch for.
    pub events: i64,
}

/// A call. Descriptors are the host's own; numbers have the names of [`crate::symbols`], and fields are
/// named like the arguments of the call.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `socket`; no domain stands for the script's IP version.
    Socket { domain: Option<i64>, kind: i64, protocol: i64 },
    /// `bind` to the script's port.
    Bind { fd: i64 },
    /// `listen`.
    Listen { fd: i64, backlog: i64 },
    /// `accept`.
    Accept { fd: i64 },
    /// `connect` to the script's remote end, or to a family (`AF_UNSPEC`: disconnect).
    Connect { fd: i64, family: Option<i64> },
    /// `read`, `readv`, `recv`, `recvfrom`, and, with `message`, `recvmsg`, whose output is
    /// `{msg_flags=…, msg_control=[{cmsg_level=…, cmsg_type=…, cmsg_data=…}, …]}`.
    Receive { fd: i64, buffers: Buffers, flags: i64, message: bool },
    /// `write`, `writev`, `send`, and, with `addressed`, `sendto` and `sendmsg`.
    Send {
        fd: i64,
        buffers: Buffers,
        flags: i64,
        addressed: bool,
        family: Option<i64>,
        control: Value,
    },
    /// `close`.
    Close { fd: i64 },
    /// `shutdown`.
    Shutdown { fd: i64, how: i64 },
    /// `setsockopt`.
    SetOption { fd: i64, level: i64, name: i64, value: Value, length: Option<i64> },
    /// `getsockopt`, whose output is the value as scripts write it: `[20000]`, a text, fields.
    GetOption { fd: i64, level: i64, name: i64, length: Option<i64> },
    /// `fcntl`.
    Fcntl { fd: i64, command: i64, argument: Option<i64> },
    /// `ioctl`, whose output is `[number]`.
    Ioctl { fd: i64, request: i64, argument: Value },
    /// `poll`, whose output lists the events of each descriptor; the timeout is in milliseconds.
    Poll { watched: Vec<WatchedDescriptor>, timeout: i64 },
    /// `epoll_create`.
    EpollCreate,
    /// `epoll_ctl`; `epoll_wait` returns `data` unchanged.
    EpollControl { epoll: i64, operation: i64, fd: i64, events: i64, data: Value },
    /// `epoll_wait`, whose output is a list of `{events=…, NAME=…}`; the timeout is in milliseconds.
    EpollWait { epoll: i64, most: i64, timeout: i64 },
    /// `open` of a file, which is all zeros.
    Open { path: String, flags: i64 },
    /// `sendfile`.
    SendFile { to: i64, from: i64, offset: Option<i64>, length: i64 },
    /// `pipe`, whose output is a list of its two descriptors.
    Pipe,
    /// `splice`.
    Splice { from: i64, to: i64, length: i64, flags: i64 },
}

impl Call {
    /// The descriptors in the call, to replace those of a script by the host's.
    pub(crate) fn descriptors(&mut self) -> Vec<&mut i64> {
        match self {
            Call::Socket { .. } | Call::EpollCreate | Call::Open { .. } | Call::Pipe => vec![],
            Call::Poll { watched, .. } => {
                watched.iter_mut().map(|watched_descriptor| &mut watched_descriptor.fd).collect()
            }
            Call::EpollControl { epoll, fd, .. } => vec![epoll, fd],
            Call::EpollWait { epoll, .. } => vec![epoll],
            Call::SendFile { to, from, .. } | Call::Splice { from, to, .. } => vec![from, to],
            Call::Bind { fd }
            | Call::Listen { fd, .. }
            | Call::Accept { fd }
            | Call::Connect { fd, .. }
            | Call::Receive { fd, .. }
            | Call::Send { fd, .. }
            | Call::Close { fd }
            | Call::Shutdown { fd, .. }
            | Call::SetOption { fd, .. }
            | Call::GetOption { fd, .. }
            | Call::Fcntl { fd, .. }
            | Call::Ioctl { fd, .. } => vec![fd],
        }
    }

    /// True if the call returns a new descriptor, for which the script has a number of its own.
    pub(crate) fn makes_descriptor(&self) -> bool {
        use Call::{Accept, EpollCreate, Open, Socket};
        matches!(self, Socket { .. } | Accept { .. } | EpollCreate | Open { .. })
    }
}
