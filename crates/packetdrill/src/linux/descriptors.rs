//! File descriptors.

use super::epoll::Epoll;
use airtcp_linux::host::Id;
use std::collections::BTreeMap;

/// A socket behind a descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct SocketFile {
    pub(super) id: Id,
    pub(super) nonblocking: bool,
    /// True once a call has reported the connection's end.
    pub(super) reports_inq: bool,
    /// `shutdown(SHUT_RD)`.
    pub(super) read_closed: bool,
    /// `SO_RCVLOWAT`.
    pub(super) low_water_mark: u64,
    /// `TCP_INQ`.
    pub(super) returns_inq: bool,
    /// True if `TCP_FASTOPEN_CONNECT` is set; and true if the socket waits for data to connect.
    pub(super) fast_open_connect: bool,
    pub(super) connect_deferred: bool,
}

/// The object behind a descriptor.
#[derive(Debug)]
enum DescriptorKind {
    Socket(SocketFile),
    Epoll(Epoll),
    /// An endless file of zeros.
    DevZero,
}

#[derive(Debug, Default)]
pub(super) struct Descriptors {
    files: BTreeMap<i64, DescriptorKind>,
}

impl Descriptors {
    fn insert(&mut self, kind: DescriptorKind) -> i64 {
        let fd = (3..).find(|fd| !self.files.contains_key(fd)).unwrap_or(i64::MAX);
        self.files.insert(fd, kind);
        fd
    }

    pub(super) fn open(&mut self, id: Id, nonblocking: bool) -> i64 {
        self.insert(DescriptorKind::Socket(SocketFile {
            id,
            nonblocking,
            reports_inq: false,
            read_closed: false,
            low_water_mark: 1,
            returns_inq: false,
            fast_open_connect: false,
            connect_deferred: false,
        }))
    }

    pub(super) fn open_epoll(&mut self) -> i64 {
        self.insert(DescriptorKind::Epoll(Epoll::default()))
    }

    pub(super) fn open_dev_zero(&mut self) -> i64 {
        self.insert(DescriptorKind::DevZero)
    }

    pub(super) fn get(&self, fd: i64) -> Option<SocketFile> {
        match self.files.get(&fd) {
            Some(DescriptorKind::Socket(file)) => Some(*file),
            _ => None,
        }
    }

    pub(super) fn get_mut(&mut self, fd: i64) -> Option<&mut SocketFile> {
        match self.files.get_mut(&fd) {
            Some(DescriptorKind::Socket(file)) => Some(file),
            _ => None,
        }
    }

    pub(super) fn socket(&self, fd: i64) -> Option<Id> {
        self.get(fd).map(|file| file.id)
    }

    pub(super) fn is_dev_zero(&self, fd: i64) -> bool {
        matches!(self.files.get(&fd), Some(DescriptorKind::DevZero))
    }

    pub(super) fn epoll(&mut self, fd: i64) -> Option<&mut Epoll> {
        match self.files.get_mut(&fd) {
            Some(DescriptorKind::Epoll(epoll)) => Some(epoll),
            _ => None,
        }
    }

    /// The sockets, with their descriptors.
    pub(super) fn sockets(&self) -> impl Iterator<Item = (i64, Id)> + '_ {
        self.files.iter().filter_map(|(fd, kind)| match kind {
            DescriptorKind::Socket(file) => Some((*fd, file.id)),
            _ => None,
        })
    }

    /// Closes a descriptor; returns its socket, if it stood for one, or `None` if it was not open.
    pub(super) fn close(&mut self, fd: i64) -> Option<Option<Id>> {
        let kind = self.files.remove(&fd)?;
        for other in self.files.values_mut() {
            if let DescriptorKind::Epoll(epoll) = other {
                epoll.remove(fd);
            }
        }
        Some(match kind {
            DescriptorKind::Socket(file) => Some(file.id),
            _ => None,
        })
    }
}
