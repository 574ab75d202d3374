//! An end of the path: packets leave it and come to it. The driver knows no more of it.

use super::namespace::Side;
use super::own::Own;
use airtcp_core::Instant;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};

/// An end of the path.
pub(super) enum End {
    /// The kernel's TCP, in a namespace.
    Kernel(Side),
    /// Our own.
    Own(Box<Own>),
}

impl End {
    /// The next packet that leaves, if there is one: its length, with its bytes in `buffer`.
    pub(super) fn take(&mut self, now: Instant, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self {
            End::Kernel(side) => match side.device.recv(buffer) {
                Ok(length) => Ok(Some(length)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
                Err(error) => Err(error),
            },
            End::Own(own) => Ok(own.take(now).map(|packet| {
                buffer[..packet.len()].copy_from_slice(&packet);
                packet.len()
            })),
        }
    }

    /// A packet comes; whether it was taken.
    pub(super) fn give(&mut self, now: Instant, packet: &[u8]) -> bool {
        match self {
            End::Kernel(side) => side.device.send(packet).is_ok(),
            End::Own(own) => {
                own.give(now, packet);
                true
            }
        }
    }

    /// When a packet may leave although nothing shows it: [`Instant::NEVER`] where the device does.
    pub(super) fn due(&self) -> Instant {
        match self {
            End::Kernel(_) => Instant::NEVER,
            End::Own(own) => own.due(),
        }
    }

    /// What can be read when a packet leaves.
    pub(super) fn device(&self) -> Option<BorrowedFd<'_>> {
        match self {
            End::Kernel(side) => Some(side.device.as_fd()),
            End::Own(_) => None,
        }
    }

    /// Packets that were dropped before they were read.
    pub(super) fn overruns(&self) -> u64 {
        match self {
            End::Kernel(side) => side.overruns(),
            End::Own(_) => 0,
        }
    }

    /// Its namespace, if it has one.
    pub(super) fn side(&self) -> Option<&Side> {
        match self {
            End::Kernel(side) => Some(side),
            End::Own(_) => None,
        }
    }

    /// Our own stack, if it is that.
    pub(super) fn own(&self) -> Option<&Own> {
        match self {
            End::Kernel(_) => None,
            End::Own(own) => Some(own),
        }
    }

    /// The same, to change it.
    pub(super) fn own_mut(&mut self) -> Option<&mut Own> {
        match self {
            End::Kernel(_) => None,
            End::Own(own) => Some(own),
        }
    }
}
