//! Descriptors of files.

use airtcp_linux::host::Id;
use std::collections::BTreeMap;

/// A socket behind a descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct File {
    pub(super) id: Id,
    pub(super) nonblocking: bool,
    /// How its connection ended was told by a call.
    pub(super) told: bool,
    /// `shutdown(SHUT_RD)`.
    pub(super) read_closed: bool,
}

#[derive(Debug, Default)]
pub(super) struct Descriptors {
    files: BTreeMap<i64, File>,
}

impl Descriptors {
    pub(super) fn open(&mut self, id: Id, nonblocking: bool) -> i64 {
        let fd = (3..).find(|fd| !self.files.contains_key(fd)).unwrap_or(i64::MAX);
        self.files.insert(fd, File { id, nonblocking, told: false, read_closed: false });
        fd
    }

    pub(super) fn get(&self, fd: i64) -> Option<File> {
        self.files.get(&fd).copied()
    }

    pub(super) fn get_mut(&mut self, fd: i64) -> Option<&mut File> {
        self.files.get_mut(&fd)
    }

    pub(super) fn socket(&self, fd: i64) -> Option<Id> {
        self.files.get(&fd).map(|file| file.id)
    }

    pub(super) fn close(&mut self, fd: i64) -> Option<File> {
        self.files.remove(&fd)
    }
}
