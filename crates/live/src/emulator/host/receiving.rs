//! The receiving end of the built-in transfer, which computes a digest of the data.

use super::report::ReceiverOutcome;
use super::tcp::{Stage, Tcp};
use airtcp_core::Instant;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Bytes per read, as in the program that receives over the kernel: on Linux each read may send an
/// ACK.
const CHUNK: usize = 1 << 17;

#[derive(Default)]
pub(super) struct Receiving {
    digest: Sha256,
    bytes: u64,
    ended: bool,
}

impl Receiving {
    /// Reads all available data, and closes after the other end has closed.
    pub(super) fn read_available(&mut self, now: Instant, tcp: &mut dyn Tcp) {
        let mut buffer = vec![0; CHUNK];
        while let amount @ 1.. = tcp.read(now, &mut buffer) {
            self.digest.update(&buffer[..amount]);
            self.bytes += amount as u64;
        }
        if tcp.has_read_all() && !self.ended {
            self.ended = true;
            tcp.close(now);
        }
    }

    /// True if nothing will happen to its connection any more.
    pub(super) fn is_connection_over(tcp: &dyn Tcp) -> bool {
        tcp.stage() == Some(Stage::Closed)
    }

    pub(super) fn outcome(&self) -> ReceiverOutcome {
        let digest = self.digest.clone().finalize();
        let digest = digest.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        ReceiverOutcome { bytes: self.bytes, sha256: digest, ended: self.ended }
    }
}
