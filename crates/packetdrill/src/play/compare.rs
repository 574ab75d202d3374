//! Compares a packet with the one that the script expects, and joins segments into one.

use super::mapping::NumberMapping;
use crate::options::{IpVersion, Options};
use crate::packet::{Flags, Packet, TcpOption, write_options};
use crate::script::{Segment, Tos};
use std::fmt;

const ECN_FLAGS: Flags = Flags(Flags::ECE.0 | Flags::CWR.0 | Flags::AE.0);

/// An expected segment, displayed in the language of scripts.
pub(super) struct Expected<'s>(pub(super) &'s Segment);

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Segment { ip, flags, sequence, payload, window, .. } = self.0;
        let marks = ["noecn", "ect1", "ect0", "ce"];
        match ip.tos {
            Tos::Any => {}
            Tos::Ecn(mark) => write!(f, "[{}] ", marks[usize::from(mark & 3)])?,
            Tos::Ect => f.write_str("[ect01] ")?,
            Tos::Whole(tos) => write!(f, "[tos {tos:#x}] ")?,
        }
        let end = sequence.wrapping_add(u32::from(*payload));
        write!(f, "{flags} {sequence}:{end}({payload})")?;
        if flags.has(Flags::ACK) {
            write!(f, " ack {}", self.0.acknowledgment)?;
        }
        if let Some(window) = window {
            write!(f, " win {window}")?;
        }
        if self.0.urgent > 0 {
            write!(f, " urg {}", self.0.urgent)?;
        }
        match &self.0.options {
            Some(options) => write_options(f, options),
            None => f.write_str(" <...>"),
        }
    }
}

/// Checks that `next` can be joined to `before`, which `missing` bytes are expected to follow; the
/// error names the obstacle.
pub(super) fn follows_directly(before: &Packet, next: &Packet, missing: u32) -> Result<(), String> {
    let loose = Flags::FIN.with(Flags::PSH).with(Flags::CWR);
    let same = [
        ("flags", u32::from(before.flags.without(loose).0), u32::from(next.flags.without(loose).0)),
        ("sequence number", before.sequence.wrapping_add(before.payload), next.sequence),
        ("acknowledgment", before.acknowledgment, next.acknowledgment),
        ("window", before.window.into(), next.window.into()),
        ("urgent pointer", before.urgent.into(), next.urgent.into()),
        ("options", before.options_length() as u32, next.options_length() as u32),
    ];
    if let Some((name, wanted, found)) = same.into_iter().find(|(_, a, b)| a != b) {
        return Err(format!("{name} {found} where {wanted} would go on"));
    }
    if next.payload < missing && next.payload != before.payload {
        return Err(format!("{} bytes after a segment of {}", next.payload, before.payload));
    }
    Ok(())
}

/// The packet that was sent as `parts`: it has the numbers and CWR of the first, everything else of the
/// last.
pub(super) fn merge_parts(parts: &[Packet]) -> Option<Packet> {
    let (first, last) = (parts.first()?, parts.last()?);
    let cwr = Flags(first.flags.0 & Flags::CWR.0);
    let flags = last.flags.without(Flags::CWR).with(cwr);
    let payload = parts.iter().fold(0_u32, |sum, part| sum.saturating_add(part.payload));
    Some(Packet { sequence: first.sequence, flags, payload, ..last.clone() })
}

/// Compares a packet, already with the script's numbers, with the expected one.
pub(super) fn compare(
    wanted: &Segment,
    actual: &mut Packet,
    mapping: &mut NumberMapping,
    options: &Options,
) -> Result<(), String> {
    map_timestamps(wanted, actual, mapping);
    compare_ip(wanted, actual)?;
    compare_header(wanted, actual)?;
    if let (Some(label), IpVersion::V6) = (wanted.ip.flow_label, options.ip_version) {
        mapping.map_flow_label(label, actual.flow_label)?;
    }
    if let Some(expected) = &wanted.options {
        compare_options(expected, &actual.options, options)?;
    }
    Ok(())
}

/// Learns the timestamp of a packet, and replaces it by the script's.
fn map_timestamps(expected: &Segment, actual: &mut Packet, mapping: &mut NumberMapping) {
    let scripted = expected.options.iter().flatten().find_map(|option| match option {
        TcpOption::Timestamps { value, .. } => Some(*value),
        _ => None,
    });
    let Some(scripted) = scripted else { return };
    for option in &mut actual.options {
        if let TcpOption::Timestamps { value, .. } = option {
            *value = mapping.map_timestamp(scripted, *value);
        }
    }
}

fn difference_text(name: &str, wanted: &dyn fmt::Display, came: &dyn fmt::Display) -> String {
    format!("{name} {came} instead of {wanted}")
}

fn compare_field<T: Copy + fmt::Display + PartialEq>(
    name: &str,
    wanted: T,
    came: T,
) -> Result<(), String> {
    if wanted == came { Ok(()) } else { Err(difference_text(name, &wanted, &came)) }
}

fn compare_ip(expected: &Segment, actual: &Packet) -> Result<(), String> {
    let names = ["noecn", "ect1", "ect0", "ce"];
    let mark = |tos: u8| names[usize::from(tos & 3)];
    match expected.ip.tos {
        Tos::Any => {}
        Tos::Ecn(ecn) => compare_field("mark", mark(ecn), mark(actual.tos))?,
        Tos::Ect if matches!(actual.tos & 3, 1 | 2) => {}
        Tos::Ect => return Err(difference_text("mark", &"ect0 or ect1", &mark(actual.tos))),
        Tos::Whole(tos) => compare_field("tos", tos, actual.tos)?,
    }
    expected.ip.ttl.map_or(Ok(()), |ttl| compare_field("ttl", ttl, actual.ttl))
}

/// ECE, CWR and AE as one number [RFC 9768 3.2.2].
fn ace(flags: Flags) -> u8 {
    let bits = [(Flags::ECE, 1), (Flags::CWR, 2), (Flags::AE, 4)];
    bits.iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, bit)| bit).sum()
}

fn compare_header(expected: &Segment, actual: &Packet) -> Result<(), String> {
    let plain = |flags: Flags| flags.without(ECN_FLAGS);
    if !expected.counts_ace {
        compare_field("flags", expected.flags, actual.flags)?;
    }
    compare_field("flags", plain(expected.flags), plain(actual.flags))?;
    compare_field("ACE", ace(expected.flags), ace(actual.flags))?;
    compare_field("sequence number", expected.sequence, actual.sequence)?;
    compare_field("acknowledgment", expected.acknowledgment, actual.acknowledgment)?;
    if let Some(window) = expected.window {
        compare_field("window", window, actual.window)?;
    }
    compare_field("urgent pointer", expected.urgent, actual.urgent)?;
    compare_field("length", u32::from(expected.payload), actual.payload)
}

fn compare_options(
    wanted: &[TcpOption],
    came: &[TcpOption],
    options: &Options,
) -> Result<(), String> {
    for nth in 0..wanted.len().max(came.len()) {
        match (wanted.get(nth), came.get(nth)) {
            (Some(expected), Some(actual)) => compare_option(expected, actual, options)?,
            (Some(expected), None) => return Err(format!("no option {expected}")),
            (None, Some(actual)) => return Err(format!("an option more, {actual}")),
            (None, None) => {}
        }
    }
    Ok(())
}

/// Compares options. Values of timestamps count only if the script says how long a tick is, and echoes
/// never: they are the script's own.
fn compare_option(
    expected: &TcpOption,
    actual: &TcpOption,
    options: &Options,
) -> Result<(), String> {
    match (expected, actual) {
        (
            TcpOption::Timestamps { value: wanted, .. },
            TcpOption::Timestamps { value: came, .. },
        ) => {
            let ticks = i64::from(came.wrapping_sub(*wanted).cast_signed()).abs();
            let off = options.timestamp_tick * ticks;
            if off > options.tolerance {
                Err(difference_text("TS val", wanted, came))
            } else {
                Ok(())
            }
        }
        _ if expected == actual => Ok(()),
        _ => Err(difference_text("option", expected, actual)),
    }
}
