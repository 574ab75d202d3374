//! Kernel settings that make its TCP behave like the scenario's first flow, as far as a network namespace has them. The
//! kernel has no setting for the delay of an ACK (40 to 200 ms, or none), the first timeout (1 s), the threshold of
//! duplicate ACKs and the order in which SACK repairs losses (RFC 8985).

use super::plan::Route;
use airtcp_core::{Duration, Span};
use airtcp_scenario::{LinuxTcp, PathScenario, PathTcp, RfcTcp, SysctlKeys};
use airtcp_tcp::Spurious;

/// Window from which on a scenario counts as unlimited.
const LARGEST_WINDOW: u64 = 1_000_000_000;
/// Bytes of buffer per byte of window: the kernel counts the memory that a packet takes.
const BUFFER_PER_WINDOW_BYTE: u64 = 8;
/// The ns and BSD senders begin with one packet, and the receivers of ns do not delay ACKs.
const NS2: Route =
    Route { initcwnd: Some(1), rto_min: None, quickack: Some(1), window: None, initrwnd: None };

/// Attributes of the route for the scenario's first flow.
pub(super) fn route(scenario: &PathScenario) -> Route {
    let own = match scenario.first_tcp() {
        PathTcp::Rfc(tcp) => Route {
            initcwnd: Some(tcp.initial_window),
            rto_min: Some(millis(rto_min(tcp))),
            quickack: (tcp.delayed_ack.span() == Span::ZERO).then_some(1),
            ..Route::default()
        },
        PathTcp::Bsd(tcp) => Route { initcwnd: Some(tcp.initial_window), ..NS2 },
        // Its own defaults are what is asked for.
        PathTcp::Linux(tcp) => {
            return Route {
                initcwnd: Some(tcp.first_window()),
                window: mss_clamp(scenario),
                ..Route::default()
            };
        }
        PathTcp::Ns2(_) => NS2,
    };
    let window = u32::try_from(window(scenario)).unwrap_or(u32::MAX);
    let packets = window.div_ceil(payload(scenario)).max(1);
    Route { window: Some(window), initrwnd: Some(packets), ..own }
}

/// The kernel's `rto_min` is a lower limit on the term added to SRTT, not on the timeout (`tcp_rtt_estimator`).
fn rto_min(tcp: &RfcTcp) -> Span {
    tcp.rto_margin
        .map(Duration::span)
        .filter(|margin| *margin > Span::ZERO)
        .unwrap_or(tcp.min_rto.span())
}

/// Kernel settings, names under /proc/sys and values.
pub(super) fn settings(scenario: &PathScenario) -> Vec<(String, String)> {
    let (spurious, ecn) = match scenario.first_tcp() {
        PathTcp::Linux(tcp) => return sysctls(tcp),
        PathTcp::Rfc(tcp) => (tcp.spurious, tcp.uses_ecn()),
        PathTcp::Ns2(_) | PathTcp::Bsd(_) => (Spurious::None, false),
    };
    let recovery = scenario.first_tcp().recovery();
    let is_sack = u8::from(recovery.is_some_and(|rules| rules.variant.capabilities().sacks));
    let buffer = (BUFFER_PER_WINDOW_BYTE * window(scenario)).clamp(1 << 16, i32::MAX as u64);
    let room = format!("4096 {buffer} {buffer}");
    let all = [
        ("tcp_sack", is_sack.to_string()),
        ("tcp_dsack", "0".to_owned()),
        ("tcp_timestamps", u8::from(spurious.timestamps()).to_string()),
        ("tcp_frto", if spurious == Spurious::FRto { "2" } else { "0" }.to_owned()),
        ("tcp_ecn", u8::from(ecn).to_string()),
        ("tcp_no_metrics_save", "1".to_owned()),
        ("tcp_rmem", room.clone()),
        ("tcp_wmem", room),
    ];
    all.map(|(name, value)| (format!("net.ipv4.{name}"), value)).into()
}

/// The kernel settings that a scenario of profile `linux` states; the kernel keeps no metrics of earlier connections.
fn sysctls(tcp: &LinuxTcp) -> Vec<(String, String)> {
    let flag = |on: bool| u8::from(on).to_string();
    let mut all = vec![
        ("tcp_sack".to_owned(), flag(tcp.sack)),
        ("tcp_timestamps".to_owned(), flag(tcp.timestamps)),
        ("tcp_no_metrics_save".to_owned(), flag(true)),
    ];
    if tcp.asks_for_ecn() {
        all.push(("tcp_ecn".to_owned(), flag(true)));
    }
    let keys = tcp.sysctl.as_deref().into_iter().flat_map(SysctlKeys::iter);
    all.extend(keys.map(|(name, value)| (name.to_owned(), value)));
    let tree = |name: &str| if name.starts_with("tcp_") { "net.ipv4" } else { "net.core" };
    all.into_iter().map(|(name, value)| (format!("{}.{name}", tree(&name)), value)).collect()
}

/// The window that a scenario of profile `linux` allows, if that is less than the kernel's largest.
fn mss_clamp(scenario: &PathScenario) -> Option<u32> {
    let bytes = window(scenario);
    (bytes < LARGEST_WINDOW).then_some(bytes as u32)
}

/// Window of the first flow in bytes.
fn window(scenario: &PathScenario) -> u64 {
    let tcp = scenario.first_tcp();
    let numbers = tcp.window_in_numbers();
    if tcp.numbers_per_packet() == 1 { numbers * u64::from(payload(scenario)) } else { numbers }
}

/// Payload of a full packet in bytes, behind the kernel's headers where packets have no insides.
pub(super) fn payload(scenario: &PathScenario) -> u32 {
    let tcp = scenario.first_tcp();
    let headers = if tcp.headers().is_some() { 0 } else { crate::wire::HEADERS as u64 };
    u32::try_from(tcp.payload_bytes().saturating_sub(headers).max(1)).unwrap_or(u32::MAX)
}

fn millis(span: Span) -> u32 {
    u32::try_from(span.nanos() / 1_000_000).unwrap_or(u32::MAX).max(1)
}
