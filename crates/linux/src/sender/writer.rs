//! Calls of the application that are in progress, and the size of the buffer that they fill [rules/sending.md rule 17,
//! rules/sockets.md B].

use super::wire::{SenderOptions, WriteFlags};
use crate::sysctl::Sysctl;

/// The application's side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer {
    /// Size of the send buffer in bytes, and whether it is fixed.
    pub(super) sndbuf: u64,
    pub(super) fixed: bool,
    /// True if a call was refused data and nothing was free since.
    pub(super) no_space: bool,
    /// Bytes that waiting calls still have to write; `u64::MAX` is no end.
    pub(super) bytes_left: u64,
    /// Bytes that the present call still has to write, and its options.
    pub(super) bytes_left_in_call: u64,
    pub(super) flags: WriteFlags,
    /// FIN follows.
    pub(super) closing: bool,
}

impl Writer {
    pub(super) fn new(sysctl: &Sysctl, options: &SenderOptions) -> Self {
        Writer {
            sndbuf: options.sndbuf.unwrap_or(sysctl.tcp_wmem[1]),
            fixed: options.sndbuf.is_some(),
            no_space: false,
            bytes_left: 0,
            bytes_left_in_call: 0,
            flags: WriteFlags::default(),
            closing: false,
        }
    }

    pub(super) fn set_buffer(&mut self, bytes: u64) {
        (self.sndbuf, self.fixed) = (bytes, true);
    }

    pub(super) fn buffer(&self) -> u64 {
        self.sndbuf
    }

    pub(super) fn bytes_left(&self) -> u64 {
        self.bytes_left
    }

    /// Returns whether a writer waits for space.
    pub(super) fn waits_for_space(&self) -> bool {
        self.no_space
    }
}
