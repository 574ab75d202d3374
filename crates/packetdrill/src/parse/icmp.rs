//! Messages of ICMP: `icmp unreachable frag_needed mtu 1200 [0:1460(1460)]`.

use super::segment;
use crate::cursor::{Cursor, Parsed};
use crate::options::Options;
use crate::packet::Icmp;

/// Types with their codes.
const TYPES: &[(&str, &[&str])] = &[
    (
        "unreachable",
        &[
            "net_unreachable",
            "host_unreachable",
            "protocol_unreachable",
            "port_unreachable",
            "frag_needed",
            "source_route_failed",
            "net_unknown",
            "host_unknown",
            "source_host_isolated",
            "net_prohibited",
            "host_prohibited",
            "net_unreachable_for_tos",
            "host_unreachable_for_tos",
            "packet_filtered",
            "precedence_violation",
            "precedence_cutoff",
            "no_route",
            "admin_prohibited",
            "beyond_scope",
            "address_unreachable",
            "failed_policy",
            "reject_route",
        ],
    ),
    ("source_quench", &[]),
    ("packet_too_big", &[]),
    ("redirect", &["net", "host", "tos_net", "tos_host"]),
    ("time_exceeded", &["exc_ttl", "exc_fragtime", "hop_limit", "frag_time"]),
    ("parameter_problem", &["erroneous_header", "unknown_next_header", "unknown_option"]),
];

pub(super) fn message(cursor: &mut Cursor, options: &Options) -> Parsed<Icmp> {
    cursor.expect("icmp")?;
    cursor.skip();
    let at = cursor.position();
    let kind = cursor.word().unwrap_or_default();
    let Some((_, codes)) = TYPES.iter().find(|(name, _)| *name == kind) else {
        let known: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
        return Err(cursor.unknown(at, "type of ICMP", kind, &known));
    };
    let code = match cursor.peek_word() {
        None | Some("mtu" | "id") => None,
        // The time of the next event.
        Some(word) if word.starts_with(|c: char| c.is_ascii_digit()) => None,
        Some(word) if codes.contains(&word) => cursor.word().map(str::to_owned),
        Some(word) => return Err(cursor.unknown(cursor.position(), "code of ICMP", word, codes)),
    };
    let mut mtu = None;
    if cursor.eat_word("mtu") {
        mtu = Some(cursor.integer("mtu", &(0..=0xFFFF_FFFF))? as u32);
    }
    let (mut sequence, mut payload) = (0, 0);
    if cursor.eat("[") {
        if cursor.peek_word().is_some_and(|word| word == "udp" || word == "raw") {
            return Err(cursor.refuse("a message about UDP is not understood; TCP is"));
        }
        let (first, length) = segment::sequence(cursor)?;
        (sequence, payload) = (first, u32::from(length));
        cursor.expect("]")?;
    }
    let (local, remote) = (options.bind_port, 0);
    Ok(Icmp { kind: kind.into(), code, mtu, sequence, payload, local, remote })
}
