//! Options of sockets.

use super::Linux;
use super::understood::{Name, WITHOUT_EFFECT};
use crate::host::Answer;
use crate::symbols as s;
use crate::value::Value;
use airtcp_linux::TimeInUnits;
use airtcp_linux::connection::{SocketOptions, State};
use airtcp_linux::host::Id;

/// Smallest buffers, in bytes of memory.
const MIN_SEND: u64 = 4608;
const MIN_RECEIVE: u64 = 2304;
/// Default `TCP_MAXSEG` of a socket that is not connected.
const DEFAULT_MSS: i64 = 536;

impl Linux {
    pub(super) fn set_option(
        &mut self,
        now: TimeInUnits,
        fd: i64,
        id: Id,
        at: Name,
        value: &Value,
    ) -> Answer {
        if WITHOUT_EFFECT.contains(&at) {
            return Answer::from_result(0);
        }
        let sysctl = &self.host.environment().sysctl;
        let (wmem, rmem) = (sysctl.wmem_max, sysctl.rmem_max);
        if at == (s::SOL_TCP, s::TCP_CONGESTION) {
            let Value::Text(name) = value else { return Answer::from_error(s::EINVAL) };
            if !airtcp_linux::congestion::KERNEL_NAMES.contains(&name.as_str()) {
                return Answer::from_error(s::ENOENT);
            }
            let control = Some(name.clone());
            return self.update(now, id, |options| options.control = control);
        }
        if at == (s::SOL_SOCKET, s::SO_LINGER) {
            let Some((on, seconds)) = linger(value) else { return Answer::from_error(s::EINVAL) };
            return self.update(now, id, |options| options.linger = on.then_some(seconds));
        }
        let Some(number) = value.only_int() else { return Answer::from_error(s::EINVAL) };
        let (on, whole) = (number != 0, u64::try_from(number).unwrap_or(0));
        let send = |most: u64| Some((2 * whole.min(most)).max(MIN_SEND));
        let receive = |most: u64| Some((2 * whole.min(most)).max(MIN_RECEIVE));
        match at {
            (s::SOL_SOCKET, s::SO_SNDBUF) => self.update(now, id, |o| o.send_buffer = send(wmem)),
            (s::SOL_SOCKET, s::SO_SNDBUFFORCE) => {
                self.update(now, id, |o| o.send_buffer = send(1 << 30))
            }
            (s::SOL_SOCKET, s::SO_RCVBUF) => {
                self.update(now, id, |o| o.receive_buffer = receive(rmem))
            }
            (s::SOL_SOCKET, s::SO_RCVBUFFORCE) => {
                self.update(now, id, |o| o.receive_buffer = receive(1 << 30))
            }
            (s::SOL_SOCKET, s::SO_MAX_PACING_RATE) => {
                let unlimited = matches!(number, -1 | 0xffff_ffff);
                let rate = if unlimited { u64::MAX } else { whole };
                self.update(now, id, |o| o.max_pacing_rate = rate)
            }
            (s::SOL_IP, s::IP_TOS) | (s::SOL_IPV6, s::IPV6_TCLASS) => {
                self.update(now, id, |o| o.tos = whole as u8)
            }
            (s::SOL_IP, s::IP_MTU_DISCOVER) => {
                self.update(now, id, |o| o.discovers_mtu = number != s::IP_PMTUDISC_DONT)
            }
            (s::SOL_TCP, s::TCP_NODELAY) => {
                let answer = self.update(now, id, |o| o.nodelay = on);
                if on {
                    self.host.with_connection(now, id, |connection| connection.send_waiting(now));
                }
                answer
            }
            (s::SOL_TCP, s::TCP_CORK) => self.update(now, id, |o| o.cork = on),
            (s::SOL_TCP, s::TCP_QUICKACK) => {
                self.host.with_connection(now, id, |connection| connection.set_quickack(now, on));
                self.update(now, id, |o| o.quickack = Some(on))
            }
            (s::SOL_TCP, s::TCP_MAXSEG) => match u16::try_from(number) {
                Ok(bytes) if bytes == 0 || bytes >= 88 => {
                    self.update(now, id, |o| o.max_segment = Some(bytes).filter(|b| *b > 0))
                }
                _ => Answer::from_error(s::EINVAL),
            },
            (s::SOL_TCP, s::TCP_WINDOW_CLAMP) => self.update(now, id, |o| o.window_clamp = whole),
            (s::SOL_TCP, s::TCP_USER_TIMEOUT) => self.update(now, id, |o| o.user_timeout = whole),
            (s::SOL_TCP, s::TCP_DEFER_ACCEPT) => self.update(now, id, |o| o.defer_accept = whole),
            (s::SOL_TCP, s::TCP_SYNCNT) => self.update(now, id, |o| o.syn_retries = Some(whole)),
            (s::SOL_TCP, s::TCP_NOTSENT_LOWAT) => {
                self.update(now, id, |o| o.notsent_lowat = Some(whole))
            }
            _ => self.set_descriptor_option(now, fd, id, at, number),
        }
    }

    fn update(
        &mut self,
        now: TimeInUnits,
        id: Id,
        change: impl FnOnce(&mut SocketOptions),
    ) -> Answer {
        self.host.set_options(now, id, change);
        Answer::from_result(0)
    }

    pub(super) fn get_option(&mut self, now: TimeInUnits, fd: i64, id: Id, at: Name) -> Answer {
        let Some(options) = self.host.options(id) else { return Answer::from_error(s::EBADF) };
        let connection = self.host.connection(id);
        let of = |value: Value| Answer { output: value, ..Answer::from_result(0) };
        let list = |number: i64| of(Value::List(vec![Value::Int(number)]));
        let field = |name: &str| {
            connection.and_then(|c| c.tcp_info_field(now, name)).map_or(0, |value| value as i64)
        };
        let control = options.control.clone();
        match at {
            (s::SOL_SOCKET, s::SO_SNDBUF) => {
                let buffer = connection.map(|c| c.send_buffer()).or(options.send_buffer);
                list(buffer.unwrap_or(self.host.environment().sysctl.tcp_wmem[1]) as i64)
            }
            (s::SOL_SOCKET, s::SO_RCVBUF) => {
                let buffer = connection.map(|c| c.receiver().buffer()).or(options.receive_buffer);
                list(buffer.unwrap_or(self.host.environment().sysctl.tcp_rmem[1]) as i64)
            }
            (s::SOL_SOCKET, s::SO_ERROR) => {
                let ended = connection.and_then(|c| c.end_reason());
                let file = self.descriptors.get_mut(fd);
                let is_reported =
                    file.is_none_or(|file| std::mem::replace(&mut file.reports_inq, true));
                list(ended.filter(|_| !is_reported).map_or(0, super::wait::error))
            }
            (s::SOL_SOCKET, s::SO_TYPE) => list(s::SOCK_STREAM),
            (s::SOL_IP, s::IP_TOS) => list(options.tos.into()),
            (s::SOL_IP, s::IP_MTU) => list(field("tcpi_pmtu")),
            (s::SOL_TCP, s::TCP_NODELAY) => list(options.nodelay.into()),
            (s::SOL_TCP, s::TCP_CORK) => list(options.cork.into()),
            (s::SOL_TCP, s::TCP_QUICKACK) => {
                list(connection.is_none_or(|c| c.receiver().is_quick_enabled()).into())
            }
            (s::SOL_TCP, s::TCP_MAXSEG) => {
                let open = connection.filter(|c| c.state() != State::Closed);
                let set = options.max_segment.filter(|_| open.is_none());
                let usual = if open.is_some() { field("tcpi_snd_mss") } else { DEFAULT_MSS };
                list(set.map_or(usual, i64::from))
            }
            (s::SOL_TCP, s::TCP_CONGESTION) => {
                let host = &self.host.environment().sysctl.tcp_congestion_control;
                of(Value::Text(control.unwrap_or_else(|| host.clone())))
            }
            (s::SOL_TCP, s::TCP_USER_TIMEOUT) => list(options.user_timeout as i64),
            (s::SOL_TCP, s::TCP_DEFER_ACCEPT) => list(options.defer_accept as i64),
            (s::SOL_TCP, s::TCP_NOTSENT_LOWAT) => list(options.notsent_lowat.unwrap_or(0) as i64),
            (s::SOL_TCP, s::TCP_WINDOW_CLAMP) => list(options.window_clamp as i64),
            (s::SOL_TCP, s::TCP_SYNCNT) => {
                let usual = self.host.environment().sysctl.tcp_syn_retries;
                list(self.host.options(id).and_then(|o| o.syn_retries).unwrap_or(usual) as i64)
            }
            (s::SOL_TCP, s::TCP_INFO) => {
                let known = FIELDS.iter().filter_map(|name| {
                    let value = connection?.tcp_info_field(now, name)?;
                    Some(((*name).to_owned(), Value::Int(i64::try_from(value).unwrap_or(-1))))
                });
                of(Value::Fields(known.collect()))
            }
            _ => self.get_descriptor_option(fd, id, at),
        }
    }
}

/// `{onoff=1, linger=0}`, or the two numbers.
fn linger(value: &Value) -> Option<(bool, u64)> {
    let (on, seconds) = match value {
        Value::List(list) => match list.as_slice() {
            [on, seconds] => (on.int()?, seconds.int()?),
            [only] => return linger(only),
            _ => return None,
        },
        fields => (
            fields.field("onoff").or_else(|| fields.field("l_onoff"))?.int()?,
            fields.field("linger").or_else(|| fields.field("l_linger"))?.int()?,
        ),
    };
    Some((on != 0, u64::try_from(seconds).ok()?))
}

/// Fields that `getsockopt(TCP_INFO)` returns.
const FIELDS: &[&str] = &[
    "tcpi_state",
    "tcpi_ca_state",
    "tcpi_retransmits",
    "tcpi_probes",
    "tcpi_backoff",
    "tcpi_options",
    "tcpi_snd_wscale",
    "tcpi_rcv_wscale",
    "tcpi_rto",
    "tcpi_ato",
    "tcpi_snd_mss",
    "tcpi_rcv_mss",
    "tcpi_unacked",
    "tcpi_sacked",
    "tcpi_lost",
    "tcpi_retrans",
    "tcpi_last_data_sent",
    "tcpi_last_data_recv",
    "tcpi_last_ack_recv",
    "tcpi_pmtu",
    "tcpi_rcv_ssthresh",
    "tcpi_rtt",
    "tcpi_rttvar",
    "tcpi_snd_ssthresh",
    "tcpi_snd_cwnd",
    "tcpi_advmss",
    "tcpi_reordering",
    "tcpi_rcv_rtt",
    "tcpi_rcv_space",
    "tcpi_total_retrans",
];
