//! The options at the head of a script.

use crate::cursor::{Cursor, Parsed};
use crate::options::{IpVersion, Options};
use crate::refusal::shown;
use airtcp_core::Span;
use std::net::IpAddr;
use std::ops::RangeInclusive;

/// Options that change nothing in packets or in logical time.
const IGNORED_OPTIONS: &[&str] = &[
    "gateway_ip",
    "netmask_ip",
    "speed",
    "send_omit_free",
    "verbose",
    "debug",
    "code_command",
    "code_format",
    "code_sockopt",
    "is_anyip",
];
const OPTION_NAMES: &[&str] = &[
    "ip_version",
    "bind_port",
    "connect_port",
    "mtu",
    "mss",
    "tolerance_usecs",
    "tolerance_percent",
    "tcp_ts_tick_usecs",
    "tcp_ts_ecr_scaled",
    "strict_segments",
    "define",
    "local_ip",
    "remote_ip",
    "gateway_ip",
    "netmask_ip",
    "speed",
    "send_omit_free",
    "verbose",
    "debug",
    "code_command",
    "code_format",
    "code_sockopt",
    "is_anyip",
    "dry_run",
];

pub(super) fn options(cursor: &mut Cursor) -> Parsed<Options> {
    let mut options = Options::default();
    let at = cursor.position();
    while cursor.eat("--") {
        parse_option(cursor, &mut options)?;
    }
    let is_six = options.ip_version == IpVersion::V6;
    for (name, address) in [("local_ip", options.local_ip), ("remote_ip", options.remote_ip)] {
        if let Some(address) = address.filter(|address| address.is_ipv6() != is_six) {
            let version = if is_six { "ipv6" } else { "ipv4" };
            let what = format_args!("{name} {address}: is no address of ip_version {version}");
            return Err(cursor.refuse_at(at, what));
        }
    }
    Ok(options)
}

/// An address; the length of a prefix behind it has no effect on packets.
fn address(cursor: &mut Cursor, name: &str) -> Parsed<IpAddr> {
    cursor.expect("=")?;
    let at = cursor.position();
    let text = text(cursor)?;
    let address = text.split('/').next().unwrap_or_default();
    address.parse().map_err(|_| {
        let what = format_args!("{name} {}: is no address such as 192.0.2.1", shown(&text));
        cursor.refuse_at(at, what)
    })
}

fn parse_option(cursor: &mut Cursor, options: &mut Options) -> Parsed<()> {
    let at = cursor.position();
    let name = cursor.word().unwrap_or_default();
    let port = 1..=0xFFFF;
    match name {
        "ip_version" => options.ip_version = ip_version(cursor)?,
        "bind_port" => options.bind_port = number(cursor, name, port)? as u16,
        "connect_port" => options.connect_port = number(cursor, name, port)? as u16,
        "mtu" => options.mtu = Some(number(cursor, name, 68..=0xFFFF)? as u32),
        "mss" => options.mss = Some(number(cursor, name, 1..=0xFFFF)? as u32),
        "tolerance_usecs" => options.tolerance = microseconds(cursor, name, 0..=1_000_000_000)?,
        "tolerance_percent" => {
            options.tolerance_percent = number(cursor, name, 0..=1000)? as f64;
        }
        "tcp_ts_tick_usecs" => options.timestamp_tick = microseconds(cursor, name, 0..=1_000_000)?,
        "tcp_ts_ecr_scaled" => options.scaled_echoes = true,
        "strict_segments" => options.strict_segments = true,
        "define" => define(cursor)?,
        "local_ip" => options.local_ip = Some(address(cursor, name)?),
        "remote_ip" => options.remote_ip = Some(address(cursor, name)?),
        "dry_run" => {
            return Err(cursor.refuse_at(at, "dry_run asks not to be played; leave it out"));
        }
        name if IGNORED_OPTIONS.contains(&name) => {
            let value = if cursor.eat("=") { text(cursor)? } else { String::new() };
            options.ignored.insert(name.into(), value);
        }
        name => return Err(cursor.unknown(at, "option", name, OPTION_NAMES)),
    }
    Ok(())
}

fn number(cursor: &mut Cursor, name: &str, allowed: RangeInclusive<i64>) -> Parsed<i64> {
    cursor.expect("=")?;
    cursor.integer(name, &allowed)
}

fn microseconds(cursor: &mut Cursor, name: &str, allowed: RangeInclusive<i64>) -> Parsed<Span> {
    Ok(Span::from_nanos(number(cursor, name, allowed)? * 1000))
}

/// Text up to a blank, or in quotes.
fn text(cursor: &mut Cursor) -> Parsed<String> {
    cursor.skip();
    for quote in ["\"", "`"] {
        if cursor.eat(quote) {
            let inner = cursor.take_until(quote).map(str::to_owned);
            return inner.ok_or_else(|| cursor.refuse(format_args!("{quote} without its end")));
        }
    }
    let word = cursor.take_while(|c| !c.is_whitespace() && c != '\\');
    if word.is_empty() { Err(cursor.unexpected("a value")) } else { Ok(word.to_owned()) }
}

fn ip_version(cursor: &mut Cursor) -> Parsed<IpVersion> {
    cursor.expect("=")?;
    let at = cursor.position();
    match text(cursor)?.as_str() {
        "ipv4" => Ok(IpVersion::V4),
        "ipv4-mapped-ipv6" => Ok(IpVersion::V4Mapped),
        "ipv6" => Ok(IpVersion::V6),
        other => {
            let known = "ipv4, ipv4-mapped-ipv6 and ipv6";
            Err(cursor.refuse_at(
                at,
                format_args!("ip_version {}: only {known} are supported", shown(other)),
            ))
        }
    }
}

fn define(cursor: &mut Cursor) -> Parsed<()> {
    cursor.expect("=")?;
    let Some(name) = cursor.word() else { return Err(cursor.unexpected("a name")) };
    cursor.expect("=")?;
    // A text in quotes stays one where the name is used.
    let quote = if cursor.peek() == Some('"') { "\"" } else { "" };
    let value = format!("{quote}{}{quote}", text(cursor)?);
    cursor.definitions.0.insert(name.into(), value);
    Ok(())
}
