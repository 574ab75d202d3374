//! Fast Open of a host: its connections as a client, and its answers as a server [rules/fast_open.md].

use super::datagram::Datagram;
use super::servers::{FastOpenOption, ServerCache};
use super::{Host, Id, Socket, SocketKind};
use crate::clock::TimeInUnits;
use crate::connection::State;
use crate::fast_open::{Addresses, Cookie, parse_key};

/// Bits of `tcp_fastopen`.
const CLIENT: u64 = 1;
const SERVER: u64 = 2;
const CLIENT_WITHOUT_COOKIE: u64 = 4;
const SERVER_WITHOUT_COOKIE: u64 = 0x200;
const EVERY_LISTENER: u64 = 0x400;
/// Bytes of the largest header's options: so much of a segment is left free.
const OPTIONS: u32 = 40;

/// Answer of a listening socket to a SYN.
#[derive(Clone, Copy, Debug)]
pub(super) enum SynAdmission {
    /// SYN data are accepted at once; a newer cookie may be sent.
    FastOpen(Option<Cookie>),
    /// A normal handshake, whose SYN-ACK may carry a cookie.
    Handshake(Option<Cookie>),
}

impl Host {
    /// Clears the cache of servers.
    pub fn clear_server_cache(&mut self) {
        self.servers = ServerCache::default();
    }

    /// Returns whether clients may use Fast Open.
    #[must_use]
    pub fn is_fast_open_client(&self) -> bool {
        self.environment.sysctl.tcp_fastopen & CLIENT != 0
    }

    /// Returns whether a SYN of the socket to this server could carry data.
    #[must_use]
    pub fn may_carry_data(&self, id: Id, address: u32) -> bool {
        self.is_fast_open_client()
            && (self.needs_no_cookie(id) || self.servers.lookup(address).cookie.is_some())
    }

    fn needs_no_cookie(&self, id: Id) -> bool {
        self.environment.sysctl.tcp_fastopen & CLIENT_WITHOUT_COOKIE != 0
            || self.environment.route.no_cookie
            || self.socket(id).is_some_and(|socket| socket.options.no_cookie)
    }

    /// Begins a connection with Fast Open: how many of `bytes` its SYN carries; `None` if no port is free.
    pub fn connect_fast(
        &mut self,
        now: TimeInUnits,
        id: Id,
        (address, remote): (u32, u16),
        bytes: u64,
    ) -> Option<u64> {
        let known = self.servers.lookup(address);
        // An answer without a cookie: the experimental option is tried once.
        let cookie = match known.cookie {
            _ if self.needs_no_cookie(id) => None,
            Some(cookie) => Some(cookie),
            None => Some(Cookie::request(known.failures == 1)),
        };
        let carries = cookie.is_none_or(|cookie| !cookie.is_request());
        let space = self.syn_data_room(id, known.mss);
        let carried = if carries { bytes.min(space.into()) } else { 0 };
        self.next_option = FastOpenOption { cookie, is_tried: true };
        self.syn_data = carried as u32;
        let begun = self.connect(now, id, address, remote);
        (self.next_option, self.syn_data) = (FastOpenOption::default(), 0);
        begun.then_some(carried)
    }

    /// Bytes that fit into a SYN [rules/fast_open.md rule 2].
    fn syn_data_room(&self, id: Id, mss: Option<u16>) -> u32 {
        let route = self.environment.route.max_segment_size();
        let own = self.socket(id).and_then(|socket| socket.options.max_segment);
        let least = |most: u32, other: Option<u16>| other.map_or(most, |mss| most.min(mss.into()));
        least(least(route, mss), own).saturating_sub(OPTIONS)
    }

    /// Answer of a listening socket to a SYN [rules/fast_open.md rules 5 to 7].
    pub(super) fn admit_syn(&self, listener: Id, datagram: &Datagram) -> SynAdmission {
        let setting = self.environment.sysctl.tcp_fastopen;
        let Some(socket) = self.socket(listener) else { return SynAdmission::Handshake(None) };
        let queue = socket.options.fast_open_queue;
        let room = queue.is_none_or(|most| (self.early_children(listener) as u64) < most);
        let enabled =
            setting & SERVER != 0 && (queue.is_some() || setting & EVERY_LISTENER != 0) && room;
        let data = datagram.segment.len > 0;
        let needless = setting & SERVER_WITHOUT_COOKIE != 0
            || socket.options.no_cookie
            || self.environment.route.no_cookie;
        match datagram.cookie {
            _ if !enabled => SynAdmission::Handshake(None),
            None if needless && data => SynAdmission::FastOpen(None),
            None => SynAdmission::Handshake(None),
            Some(cookie) => self.check_cookie(socket, datagram, cookie, needless && data),
        }
    }

    fn check_cookie(
        &self,
        socket: &Socket,
        datagram: &Datagram,
        cookie: Cookie,
        needless: bool,
    ) -> SynAdmission {
        let (experimental, route) = (cookie.experimental, &self.environment.route);
        let (remote, local) = (datagram.pair.address, route.local_address);
        let addresses = route.addresses.unwrap_or(Addresses::V4 { remote, local });
        let own = socket.options.fast_open_key.map(|key| vec![key]);
        let keys = own.unwrap_or_else(|| self.server_keys());
        let cookies: Vec<Cookie> =
            keys.iter().map(|key| Cookie::for_addresses(key, addresses, experimental)).collect();
        let newest = cookies.first().copied();
        match cookies.iter().position(|valid| valid.bytes() == cookie.bytes()) {
            Some(0) => SynAdmission::FastOpen(None),
            Some(_) => SynAdmission::FastOpen(newest),
            None if needless => SynAdmission::FastOpen(newest.filter(|_| cookie.is_request())),
            None => SynAdmission::Handshake(newest),
        }
    }

    fn server_keys(&self) -> Vec<[u8; 16]> {
        self.environment.sysctl.tcp_fastopen_key.split(',').filter_map(parse_key).collect()
    }

    /// Connections of a listening socket whose handshake is not over though they can be accepted.
    fn early_children(&self, listener: Id) -> usize {
        let early = |socket: &&Socket| match &socket.kind {
            SocketKind::Connected(flow) => {
                flow.listener == Some(listener)
                    && flow.connection.is_fast_open_child()
                    && flow.connection.state() != State::Closed
            }
            _ => false,
        };
        self.sockets.iter().flatten().filter(early).count()
    }
}
