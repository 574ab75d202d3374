//! Packets: `< [ect0] SE. 1:1001(1000) ack 1 win 257 urg 0 <nop,…>`.

use super::{icmp, tcp_options};
use crate::cursor::{Cursor, Parsed};
use crate::options::Options;
use crate::packet::Flags;
use crate::refusal::shown;
use crate::script::{Action, IpFields, Segment, Tos};

const U32: i64 = u32::MAX as i64;
/// Largest size of the options in a header, in bytes.
const OPTION_BYTES: usize = 40;
/// Largest size of a segment in IPv4, in bytes.
const MAX_PAYLOAD: usize = 65_535 - 20;

pub(super) fn packet(cursor: &mut Cursor, options: &Options) -> Parsed<Action> {
    let inbound = cursor.eat("<");
    if !inbound {
        cursor.expect(">")?;
    }
    let at = cursor.position();
    let ip = ip_part(cursor)?;
    if inbound && ip.tos == Tos::Ect {
        return Err(cursor.refuse_at(at, "[ect01] is for outbound packets only"));
    }
    match cursor.peek_word() {
        Some("icmp") if inbound => return icmp::message(cursor, options).map(Action::InboundIcmp),
        Some(kind @ ("icmp" | "udp" | "ipv4" | "ipv6" | "gre" | "GREv0" | "mpls" | "psp")) => {
            let way = if inbound { "inbound" } else { "outbound" };
            let what = format_args!("{way} {kind} is not understood; TCP is, and inbound icmp");
            return Err(cursor.refuse(what));
        }
        _ => {}
    }
    let segment = segment(cursor, ip, inbound)?;
    Ok(if inbound { Action::Inbound(segment) } else { Action::Outbound(segment) })
}

fn segment(cursor: &mut Cursor, ip: IpFields, inbound: bool) -> Parsed<Segment> {
    let ports = ports(cursor)?;
    let (flags, counts_ace) = flags(cursor)?;
    let (sequence, payload) = sequence(cursor)?;
    let mut optional = |name: &str, most: i64| -> Parsed<Option<i64>> {
        if cursor.eat_word(name) { cursor.integer(name, &(0..=most)).map(Some) } else { Ok(None) }
    };
    let acknowledgment = optional("ack", U32)?.unwrap_or(0) as u32;
    let window = optional("win", 0xFFFF)?.map(|w| w as u16);
    let urgent = optional("urg", 0xFFFF)?.unwrap_or(0) as u16;
    if inbound && window.is_none() {
        return Err(cursor.unexpected("'win' and the window of an inbound packet"));
    }
    cursor.skip();
    let at = cursor.position();
    let options = tcp_options::list(cursor)?;
    let length: usize = options.iter().flatten().map(crate::packet::TcpOption::length).sum();
    if options.is_none() && inbound {
        return Err(cursor.refuse_at(at, "<...> is for outbound packets only"));
    }
    if length > OPTION_BYTES || !length.is_multiple_of(4) {
        let message =
            "the options take {length} bytes; must be a multiple of 4, at most 40 (pad with nop)";
        return Err(cursor.refuse_at(at, message.replace("{length}", &length.to_string())));
    }
    if 20 + length + usize::from(payload) > MAX_PAYLOAD {
        return Err(cursor.refuse_at(at, format_args!("a segment has at most {MAX_PAYLOAD} bytes")));
    }
    if cursor.looking_at("{") {
        return Err(cursor.refuse("mutations of packets are not understood"));
    }
    #[rustfmt::skip]
    let segment = Segment {
        ip, ports, flags, counts_ace, sequence, payload, acknowledgment, window, urgent, options,
    };
    Ok(segment)
}

/// `[ect0]`, `(tos 0x10)`, `[ce, flowlabel 0x1]`, `[ttl 64]`.
fn ip_part(cursor: &mut Cursor) -> Parsed<IpFields> {
    let close = match () {
        () if cursor.eat("[") => "]",
        () if cursor.eat("(") => ")",
        () => return Ok(IpFields::default()),
    };
    let mut part = IpFields::default();
    loop {
        ip_field(cursor, &mut part)?;
        if cursor.eat(close) {
            return Ok(part);
        }
        cursor.expect(",")?;
    }
}

fn ip_field(cursor: &mut Cursor, part: &mut IpFields) -> Parsed<()> {
    cursor.skip();
    let at = cursor.position();
    match cursor.word().unwrap_or_default() {
        "noecn" => part.tos = Tos::Ecn(0),
        "ect1" => part.tos = Tos::Ecn(1),
        "ect0" => part.tos = Tos::Ecn(2),
        "ce" => part.tos = Tos::Ecn(3),
        "ect01" => part.tos = Tos::Ect,
        "tos" => part.tos = Tos::Whole(cursor.integer("tos", &(0..=0xFF))? as u8),
        "ttl" => part.ttl = Some(cursor.integer("ttl", &(0..=0xFF))? as u8),
        "flowlabel" => {
            part.flow_label = Some(cursor.integer("flowlabel", &(0..=0xF_FFFF))? as u32);
        }
        other => {
            let known = ["noecn", "ect0", "ect1", "ect01", "ce", "tos", "ttl", "flowlabel"];
            return Err(cursor.unknown(at, "mark", other, &known));
        }
    }
    Ok(())
}

/// `1234 > 8080`, before the flags.
fn ports(cursor: &mut Cursor) -> Parsed<Option<(u16, u16)>> {
    let start = cursor.position();
    let digits = cursor.peek_word().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
    if !digits {
        return Ok(None);
    }
    let source = cursor.integer("source port", &(0..=0xFFFF));
    if !cursor.eat(">") {
        cursor.set_position(start);
        return Ok(None);
    }
    let destination = cursor.integer("destination port", &(0..=0xFFFF))?;
    Ok(Some((source? as u16, destination as u16)))
}

fn flags(cursor: &mut Cursor) -> Parsed<(Flags, bool)> {
    cursor.skip();
    let at = cursor.position();
    let word = cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
    let refuse = |message: &str| {
        let known = "F S R P U E W A . - and one digit for ACE";
        Err(cursor.refuse_at(
            at,
            format_args!("flags {}: {message}; only {known} are supported", shown(word)),
        ))
    };
    let mut flags = Flags::default();
    let mut ace = None;
    for letter in word.chars() {
        let known = Flags::LETTERS.iter().find(|(l, _)| *l == letter);
        match (known, letter.to_digit(8)) {
            (Some((_, flag)), _) => flags = flags.with(*flag),
            (None, Some(digit)) if ace.is_none() => ace = Some(digit),
            (None, None) if word == "-" => {}
            _ => return refuse("not understood"),
        }
    }
    if word.is_empty() {
        return Err(cursor.unexpected("flags (F S R P U E W A . -)"));
    }
    let Some(ace) = ace else { return Ok((flags, false)) };
    if [Flags::ECE, Flags::CWR, Flags::AE].iter().any(|flag| flags.has(*flag)) {
        return refuse("a digit for ACE beside E, W or A");
    }
    for (bit, flag) in [(1, Flags::ECE), (2, Flags::CWR), (4, Flags::AE)] {
        flags = if ace & bit == 0 { flags } else { flags.with(flag) };
    }
    Ok((flags, ace != 0))
}

/// `1:1001(1000)`.
pub(super) fn sequence(cursor: &mut Cursor) -> Parsed<(u32, u16)> {
    let start = cursor.integer("sequence number", &(0..=U32))?;
    cursor.expect(":")?;
    cursor.skip();
    let at = cursor.position();
    let end = cursor.integer("sequence number", &(0..=U32))?;
    cursor.expect("(")?;
    let length = cursor.integer("length", &(0..=0xFFFF))?;
    cursor.expect(")")?;
    if start + length != end {
        let what =
            format_args!("{start}:{end}({length}): {start} + {length} is {}", start + length);
        return Err(cursor.refuse_at(at, what));
    }
    Ok((start as u32, length as u16))
}
