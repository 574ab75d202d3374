//! Calls and options that this host supports.

use crate::call::Call;
use crate::symbols as s;
use crate::value::Value;

const SEND_FLAGS: i64 = s::MSG_DONTWAIT
    | s::MSG_NOSIGNAL
    | s::MSG_MORE
    | s::MSG_EOR
    | s::MSG_ZEROCOPY
    | s::MSG_FASTOPEN;
const RECEIVE_FLAGS: i64 =
    s::MSG_DONTWAIT | s::MSG_WAITALL | s::MSG_NOSIGNAL | s::MSG_PEEK | s::MSG_ERRQUEUE;
/// Level and name of an option.
pub(super) type Name = (i64, i64);

/// Options that the host accepts, without an effect on packets here.
pub(super) const WITHOUT_EFFECT: &[Name] = &[
    (s::SOL_SOCKET, s::SO_REUSEADDR),
    (s::SOL_SOCKET, s::SO_REUSEPORT),
    (s::SOL_SOCKET, s::SO_PRIORITY),
    (s::SOL_SOCKET, s::SO_MARK),
    (s::SOL_SOCKET, s::SO_INCOMING_CPU),
    (s::SOL_SOCKET, s::SO_SNDLOWAT),
    (s::SOL_SOCKET, s::SO_RCVTIMEO),
    (s::SOL_SOCKET, s::SO_SNDTIMEO),
    (s::SOL_IP, s::IP_RECVERR),
    (s::SOL_IP, s::IP_FREEBIND),
    (s::SOL_IP, s::IP_BIND_ADDRESS_NO_PORT),
    (s::SOL_IP, s::IP_TRANSPARENT),
    (s::SOL_IPV6, s::IPV6_RECVERR),
    (s::SOL_TCP, s::TCP_THIN_DUPACK),
    (s::SOL_TCP, s::TCP_SAVE_SYN),
];

/// Options with an effect.
const SUPPORTED_OPTIONS: &[Name] = &[
    (s::SOL_SOCKET, s::SO_SNDBUF),
    (s::SOL_SOCKET, s::SO_SNDBUFFORCE),
    (s::SOL_SOCKET, s::SO_RCVBUF),
    (s::SOL_SOCKET, s::SO_RCVBUFFORCE),
    (s::SOL_SOCKET, s::SO_LINGER),
    (s::SOL_SOCKET, s::SO_MAX_PACING_RATE),
    (s::SOL_SOCKET, s::SO_ERROR),
    (s::SOL_SOCKET, s::SO_TYPE),
    (s::SOL_IP, s::IP_TOS),
    (s::SOL_IP, s::IP_MTU),
    (s::SOL_IP, s::IP_MTU_DISCOVER),
    (s::SOL_IPV6, s::IPV6_TCLASS),
    (s::SOL_TCP, s::TCP_NODELAY),
    (s::SOL_TCP, s::TCP_CORK),
    (s::SOL_TCP, s::TCP_QUICKACK),
    (s::SOL_TCP, s::TCP_CONGESTION),
    (s::SOL_TCP, s::TCP_INFO),
    (s::SOL_TCP, s::TCP_MAXSEG),
    (s::SOL_TCP, s::TCP_WINDOW_CLAMP),
    (s::SOL_TCP, s::TCP_USER_TIMEOUT),
    (s::SOL_TCP, s::TCP_DEFER_ACCEPT),
    (s::SOL_TCP, s::TCP_SYNCNT),
    (s::SOL_TCP, s::TCP_NOTSENT_LOWAT),
    (s::SOL_TCP, s::TCP_INQ),
    (s::SOL_TCP, s::TCP_FASTOPEN),
    (s::SOL_TCP, s::TCP_FASTOPEN_CONNECT),
    (s::SOL_TCP, s::TCP_FASTOPEN_NO_COOKIE),
    (s::SOL_IP, s::IP_LOCAL_PORT_RANGE),
    (s::SOL_SOCKET, s::SO_RCVLOWAT),
    (s::SOL_SOCKET, s::SO_ZEROCOPY),
    (s::SOL_SOCKET, s::SO_TIMESTAMPING),
    (s::SOL_SOCKET, s::SO_KEEPALIVE),
    (s::SOL_TCP, s::TCP_KEEPIDLE),
    (s::SOL_TCP, s::TCP_KEEPINTVL),
    (s::SOL_TCP, s::TCP_KEEPCNT),
];

/// Refuses a call that this host does not support, by its name.
pub(super) fn check_call(call: &Call) -> Result<(), String> {
    let flags = |flags: i64, known: i64| match flags & !known {
        0 => Ok(()),
        other => Err(format!("this host has no message flag {other:#x}")),
    };
    match call {
        Call::Socket { kind, .. } if kind & 0xf != s::SOCK_STREAM => {
            Err("this host has sockets of SOCK_STREAM only".into())
        }
        Call::Send { flags: set, control, .. } => {
            if *control != Value::Any && *control != Value::List(vec![]) {
                return Err("this host takes no control messages".into());
            }
            flags(*set, SEND_FLAGS)
        }
        Call::Receive { flags: set, .. } => flags(*set, RECEIVE_FLAGS),
        Call::SetOption { level, name, .. } | Call::GetOption { level, name, .. } => {
            check_option(*level, *name)
        }
        Call::Fcntl { command, .. } => match *command {
            s::F_GETFL | s::F_SETFL | s::F_GETFD | s::F_SETFD => Ok(()),
            other => Err(format!("this host does not support command {other} of fcntl")),
        },
        Call::Ioctl { request, .. } => match *request {
            s::FIONREAD | s::SIOCOUTQ | s::SIOCOUTQNSD | s::FIONBIO => Ok(()),
            other => Err(format!("this host does not support request {other:#x} of ioctl")),
        },
        Call::Pipe | Call::Splice { .. } => Err("this host has no pipe and no splice".into()),
        _ => Ok(()),
    }
}

/// Refuses an option that this host does not support, by its name.
pub(super) fn check_option(level: i64, name: i64) -> Result<(), String> {
    if WITHOUT_EFFECT.contains(&(level, name)) || SUPPORTED_OPTIONS.contains(&(level, name)) {
        return Ok(());
    }
    let prefix = match level {
        s::SOL_SOCKET => "SO_",
        s::SOL_TCP => "TCP_",
        s::SOL_IP => "IP_",
        _ => "IPV6_",
    };
    let text = s::NAMES.iter().find(|text| {
        text.starts_with(prefix) && !text.contains("_NLA_") && s::value(text) == Some(name)
    });
    let text = text.map_or_else(|| format!("{level}/{name}"), |text| (*text).to_owned());
    Err(format!("this host has no socket option {text}"))
}
