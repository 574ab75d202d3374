//! Translation between the numbers of a script and those of the host. Sequence numbers in packets with SYN
//! are absolute in a script, others count from the SYN; the host draws its own, and its timestamps have an
//! origin of their own.

use crate::packet::{Flags, Packet, TcpOption};
use std::collections::BTreeMap;

/// Limit on the number of timestamps that are remembered: there is one per event.
const MAX_STAMPS: usize = crate::limits::MAX_EVENTS;

#[derive(Debug, Default)]
pub(super) struct NumberMapping {
    /// First sequence number of the other end, which the script chooses.
    pub(super) remote: u32,
    /// First sequence number of the host in the script.
    pub(super) script_local: u32,
    /// First sequence number of the host.
    pub(super) live_local: u32,
    /// Timestamps of the host by those of the script.
    stamps: BTreeMap<u32, u32>,
    /// The first such pair.
    first: Option<(u32, u32)>,
    /// A flow label of the script, and the host's.
    label: Option<(u32, u32)>,
}

impl NumberMapping {
    fn local_offset(&self, syn: bool) -> u32 {
        if syn { self.live_local.wrapping_sub(self.script_local) } else { self.live_local }
    }

    fn remote_offset(&self, syn: bool) -> u32 {
        if syn { 0 } else { self.remote }
    }

    /// A sequence number of the host after its SYN.
    pub(super) fn live_sequence(&self, script: u32) -> u32 {
        script.wrapping_add(self.local_offset(false))
    }

    /// A packet of the script as the host gets it.
    pub(super) fn to_live(&self, packet: &mut Packet, scaled_echoes: bool) -> Result<(), String> {
        let (syn, ack) = (packet.flags.has(Flags::SYN), packet.flags.has(Flags::ACK));
        packet.sequence = packet.sequence.wrapping_add(self.remote_offset(syn));
        let offset = self.local_offset(syn);
        if ack {
            packet.acknowledgment = packet.acknowledgment.wrapping_add(offset);
        }
        for option in &mut packet.options {
            match option {
                TcpOption::Sack(blocks) => shift_blocks(blocks, offset),
                TcpOption::Timestamps { echo, .. } if ack => {
                    *echo = self.map_echo(*echo, scaled_echoes)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn map_echo(&self, script: u32, scaled: bool) -> Result<u32, String> {
        match (self.stamps.get(&script), self.first) {
            (Some(live), _) => Ok(*live),
            (None, Some((first, live))) if scaled => {
                Ok(script.wrapping_sub(first).wrapping_add(live))
            }
            _ => Err(format!("the host has sent no timestamp that the script calls {script}")),
        }
    }

    /// A packet of the host as the script writes it, timestamps apart.
    pub(super) fn to_script(&self, packet: &mut Packet) {
        let syn = packet.flags.has(Flags::SYN);
        packet.sequence = packet.sequence.wrapping_sub(self.local_offset(syn));
        let offset = self.remote_offset(syn).wrapping_neg();
        if packet.flags.has(Flags::ACK) {
            packet.acknowledgment = packet.acknowledgment.wrapping_add(offset);
        }
        for option in &mut packet.options {
            if let TcpOption::Sack(blocks) = option {
                shift_blocks(blocks, offset);
            }
        }
    }

    /// Learns the script's name for a timestamp of the host, and returns the host's timestamp as the script
    /// counts, from the first pair on.
    pub(super) fn map_timestamp(&mut self, script: u32, live: u32) -> u32 {
        if self.stamps.len() < MAX_STAMPS {
            self.stamps.insert(script, live);
        }
        let (first_script, first_live) = *self.first.get_or_insert((script, live));
        live.wrapping_sub(first_live).wrapping_add(first_script)
    }

    /// Compares flow labels: equal labels in the script must be equal at the host, different ones different.
    pub(super) fn map_flow_label(&mut self, script: u32, live: u32) -> Result<(), String> {
        let known = self.label;
        match known {
            _ if live == 0 => return Err("it has no flow label".into()),
            Some((label, before)) if label == script && before != live => {
                return Err(format!("its flow label is {live:#x}, and was {before:#x}"));
            }
            Some((label, before)) if label != script && before == live => {
                return Err(format!("its flow label is still {live:#x}"));
            }
            _ => self.label = Some((script, live)),
        }
        Ok(())
    }
}

fn shift_blocks(blocks: &mut [(u32, u32)], offset: u32) {
    for (left, right) in blocks {
        (*left, *right) = (left.wrapping_add(offset), right.wrapping_add(offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_there_and_back() {
        let mapping = NumberMapping {
            remote: 7,
            script_local: 3,
            live_local: u32::MAX - 1,
            ..NumberMapping::default()
        };
        let mut packet =
            Packet { flags: Flags::ACK, sequence: 1, acknowledgment: 5, ..Packet::default() };
        packet.options = vec![TcpOption::Sack(vec![(11, 21)])];
        mapping.to_live(&mut packet, false).unwrap();
        assert_eq!((packet.sequence, packet.acknowledgment), (8, 3));
        assert_eq!(packet.options, [TcpOption::Sack(vec![(9, 19)])]);
        let mut sent =
            Packet { flags: Flags::ACK, sequence: 3, acknowledgment: 8, ..Packet::default() };
        mapping.to_script(&mut sent);
        assert_eq!((sent.sequence, sent.acknowledgment), (5, 1));
        let mut syn = Packet { flags: Flags::SYN, sequence: u32::MAX - 1, ..Packet::default() };
        mapping.to_script(&mut syn);
        assert_eq!(syn.sequence, 3);
    }

    #[test]
    fn echoes_are_of_what_was_sent() {
        let mut mapping = NumberMapping::default();
        assert!(mapping.map_echo(100, true).is_err());
        assert_eq!(mapping.map_timestamp(100, 5000), 100);
        assert_eq!(mapping.map_timestamp(111, 5010), 110);
        assert_eq!(mapping.map_echo(111, false), Ok(5010));
        assert_eq!(mapping.map_echo(120, true), Ok(5020));
        assert!(mapping.map_echo(120, false).is_err());
    }
}
