//! An end of the path: it emits and takes packets; the driver needs nothing else.

use super::builtin_end::BuiltinEnd;
use super::namespace::Side;
use airtcp_core::Instant;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};

/// An end of the path.
pub(super) enum End {
    /// The kernel's TCP, in a network namespace.
    Kernel(Side),
    /// Our own TCP stack.
    Builtin(Box<BuiltinEnd>),
}

impl End {
    /// Takes the next packet that leaves, if there is one: writes it into `buffer` and returns its
    /// length.
    pub(super) fn read_packet(
        &mut self,
        now: Instant,
        buffer: &mut [u8],
    ) -> io::Result<Option<usize>> {
        match self {
            End::Kernel(side) => match side.device.recv(buffer) {
                Ok(length) => Ok(Some(length)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
                Err(error) => Err(error),
            },
            End::Builtin(own) => Ok(own.poll_packet(now).map(|packet| {
                buffer[..packet.len()].copy_from_slice(&packet);
                packet.len()
            })),
        }
    }

    /// Gives a packet to this end; returns true if the end took it.
    pub(super) fn write_packet(&mut self, now: Instant, packet: &[u8]) -> bool {
        match self {
            End::Kernel(side) => side.device.send(packet).is_ok(),
            End::Builtin(own) => {
                own.on_packet(now, packet);
                true
            }
        }
    }

    /// The time at which a packet may leave without the device becoming readable;
    /// [`Instant::NEVER`] if the device always shows it.
    pub(super) fn next_timer(&self) -> Instant {
        match self {
            End::Kernel(_) => Instant::NEVER,
            End::Builtin(own) => own.next_timer(),
        }
    }

    /// The device that becomes readable when a packet leaves; `None` for our own stack.
    pub(super) fn device(&self) -> Option<BorrowedFd<'_>> {
        match self {
            End::Kernel(side) => Some(side.device.as_fd()),
            End::Builtin(_) => None,
        }
    }

    /// Number of packets that were dropped before the driver read them.
    pub(super) fn overruns(&self) -> u64 {
        match self {
            End::Kernel(side) => side.overruns(),
            End::Builtin(_) => 0,
        }
    }

    /// The side with its namespace, if the kernel's TCP is at this end.
    pub(super) fn side(&self) -> Option<&Side> {
        match self {
            End::Kernel(side) => Some(side),
            End::Builtin(_) => None,
        }
    }

    /// Our own stack, if it is at this end.
    pub(super) fn builtin(&self) -> Option<&BuiltinEnd> {
        match self {
            End::Kernel(_) => None,
            End::Builtin(own) => Some(own),
        }
    }

    /// Our own stack, to change it, if it is at this end.
    pub(super) fn builtin_mut(&mut self) -> Option<&mut BuiltinEnd> {
        match self {
            End::Kernel(_) => None,
            End::Builtin(own) => Some(own),
        }
    }
}
