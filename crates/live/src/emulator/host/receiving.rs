//! The end of the built-in transfer that receives: a digest of what has come.

use super::report::Received;
use crate::stack::{Peers, Stack, State};
use sha2::{Digest, Sha256};
use std::fmt::Write;

const CHUNK: usize = 1 << 16;

#[derive(Default)]
pub(super) struct Receiving {
    peers: Option<Peers>,
    digest: Sha256,
    bytes: u64,
    ended: bool,
}

impl Receiving {
    /// Reads what there is, and closes after the other end has.
    pub(super) fn act(&mut self, stack: &mut Stack) {
        self.peers = self.peers.or_else(|| stack.accept());
        let Some(connection) = self.peers.and_then(|peers| stack.get_mut(peers)) else { return };
        let mut buffer = [0; CHUNK];
        while let amount @ 1.. = connection.read(&mut buffer) {
            self.digest.update(&buffer[..amount]);
            self.bytes += amount as u64;
        }
        if connection.at_end() && !self.ended {
            self.ended = true;
            connection.close();
        }
    }

    pub(super) fn is_quiet(&self, stack: &Stack) -> bool {
        let connection = self.peers.and_then(|peers| stack.get(peers));
        connection.is_some_and(|connection| connection.state() == State::Closed)
    }

    pub(super) fn outcome(&self) -> Received {
        let digest = self.digest.clone().finalize();
        let digest = digest.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Received { bytes: self.bytes, sha256: digest, ended: self.ended }
    }
}
