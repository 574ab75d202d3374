//! Servers that a client of Fast Open has met, and the cookies that its SYNs carry [rules/fast_open.md].

use super::datagram::Datagram;
use crate::fast_open::Cookie;
use crate::segment::{Flags, Segment};
use std::collections::BTreeMap;

/// Maximum segment size and cookie that a server gave in its last answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CachedServer {
    pub(super) mss: Option<u16>,
    pub(super) cookie: Option<Cookie>,
    /// Requests without an answer: the second is in the experimental option.
    pub(super) failures: u8,
}

/// Servers by address.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerCache(BTreeMap<u32, CachedServer>);

impl ServerCache {
    pub(super) fn lookup(&self, address: u32) -> CachedServer {
        self.0.get(&address).copied().unwrap_or_default()
    }

    /// Stores the MSS and cookie that an accepted SYN-ACK announces [rules/fast_open.md rule 4].
    pub(super) fn learn(
        &mut self,
        datagram: &Datagram,
        next_option: FastOpenOption,
        repeated: bool,
    ) {
        if !next_option.is_tried {
            return;
        }
        let known = self.0.entry(datagram.pair.address).or_default();
        known.mss = datagram.segment.mss.or(known.mss);
        let Some(sent) = next_option.cookie else { return };
        match datagram.cookie.filter(|cookie| !cookie.is_request()) {
            Some(cookie) => known.cookie = Some(cookie),
            None if sent.is_request() && !repeated => {
                known.failures = known.failures.max(if sent.experimental { 2 } else { 1 });
            }
            None => {}
        }
    }
}

/// Option of Fast Open in the next SYN or SYN-ACK.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpenOption {
    /// The cookie, or a request for one.
    pub(super) cookie: Option<Cookie>,
    /// Fast Open was tried.
    pub(super) is_tried: bool,
}

impl FastOpenOption {
    /// True if `segment` carries the option: only the first SYN, or SYN-ACK, does.
    pub(super) fn applies_to(&self, segment: &Segment) -> bool {
        let answers = segment.flags.has(Flags::ACK);
        segment.flags.has(Flags::SYN) && !segment.retransmission && self.is_tried != answers
    }
}
