//! The few requests of rtnetlink(7) that a namespace needs, made in the calling thread's namespace, so
//! that no other program is needed.

use super::plan::Route;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;

// linux/rtnetlink.h, linux/netlink.h
const NEW_LINK: u16 = 16;
const NEW_ROUTE: u16 = 24;
const REQUEST: u16 = 1;
const ACKNOWLEDGE: u16 = 4;
const REPLACE: u16 = 0x100;
const CREATE: u16 = 0x400;
const ERROR: u16 = 2;
const UP: u32 = 1;
const INET: u8 = 2;
const MAIN_TABLE: u8 = 254;
const STATIC: u8 = 4;
const SCOPE_LINK: u8 = 253;
const UNICAST: u8 = 1;
/// IFLA_TXQLEN, the attribute for a device's queue length.
const BACKLOG: u16 = 13;
// Attributes of a route, and of its metrics.
const DESTINATION: u16 = 1;
const DEVICE: u16 = 4;
const METRICS: u16 = 8;
const LOCK: u16 = 1;
const WINDOW: u16 = 3;
const INITCWND: u16 = 11;
const RTO_MIN: u16 = 13;
const INITRWND: u16 = 14;
const QUICKACK: u16 = 15;

/// Brings up the loopback device, which is the first device of a namespace.
pub(super) fn loopback_up() -> io::Result<()> {
    let words = [0, 1, UP, UP].map(u32::to_ne_bytes);
    send_request(NEW_LINK, 0, words.as_flattened())
}

/// Sets the queue length of device number `device` in packets. A user namespace does not grant the ioctl
/// for it.
pub(super) fn set_backlog(device: u32, packets: u32) -> io::Result<()> {
    let mut body = [0, device, 0, 0].map(u32::to_ne_bytes).as_flattened().to_vec();
    push_attribute(&mut body, BACKLOG, &packets.to_ne_bytes());
    send_request(NEW_LINK, 0, &body)
}

/// Sets the route to `peer` over device number `device`, with these attributes for TCP.
pub(super) fn set_route(peer: Ipv4Addr, device: u32, route: &Route) -> io::Result<()> {
    let mut body = vec![INET, 32, 0, 0, MAIN_TABLE, STATIC, SCOPE_LINK, UNICAST, 0, 0, 0, 0];
    push_attribute(&mut body, DESTINATION, &peer.octets());
    push_attribute(&mut body, DEVICE, &device.to_ne_bytes());
    push_attribute(&mut body, METRICS, &route_metrics(route));
    send_request(NEW_ROUTE, CREATE | REPLACE, &body)
}

/// The metrics of a route as an attribute. The kernel accepts a shortest timeout only from a metric that
/// is locked.
fn route_metrics(route: &Route) -> Vec<u8> {
    let Route { initcwnd, rto_min, quickack, window, initrwnd } = *route;
    let lock = rto_min.map(|_| 1 << RTO_MIN);
    let all = [
        (LOCK, lock),
        (WINDOW, window),
        (INITCWND, initcwnd),
        (RTO_MIN, rto_min),
        (INITRWND, initrwnd),
        (QUICKACK, quickack),
    ];
    let mut bytes = Vec::new();
    for (kind, value) in all {
        if let Some(value) = value {
            push_attribute(&mut bytes, kind, &value.to_ne_bytes());
        }
    }
    bytes
}

fn push_attribute(into: &mut Vec<u8>, kind: u16, value: &[u8]) {
    into.extend(((4 + value.len()) as u16).to_ne_bytes());
    into.extend(kind.to_ne_bytes());
    into.extend(value);
    into.resize(into.len().next_multiple_of(4), 0);
}

fn send_request(kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
    let protocol = SockProtocol::NetlinkRoute;
    let link =
        socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, Some(protocol))?;
    let mut message = ((16 + body.len()) as u32).to_ne_bytes().to_vec();
    message.extend(kind.to_ne_bytes());
    message.extend((REQUEST | ACKNOWLEDGE | flags).to_ne_bytes());
    message.extend([0; 8]);
    message.extend(body);
    sendto(link.as_raw_fd(), &message, &NetlinkAddr::new(0, 0), MsgFlags::empty())?;
    let mut answer = [0; 4096];
    let length = recv(link.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    request_result(&answer[..length])
}

/// The result of a request; netlink acknowledges it by an error with number 0.
fn request_result(answer: &[u8]) -> io::Result<()> {
    let number = |at: usize| answer.get(at..at + 4).and_then(|b| b.try_into().ok());
    let is_error = answer.get(4..6) == Some(&ERROR.to_ne_bytes());
    match number(16).map(i32::from_ne_bytes) {
        Some(0) if is_error => Ok(()),
        Some(errno) if is_error => Err(io::Error::from_raw_os_error(-errno)),
        _ => Err(io::Error::other("an answer of rtnetlink that cannot be read")),
    }
}
