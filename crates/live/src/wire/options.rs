//! The options of TCP: MSS [RFC 9293 3.7.1], window scale and timestamps [RFC 7323], SACK [RFC 2018],
//! probes. Others are skipped by their length, as RFC 9293 3.2 says.

use super::probe::{self, ProbeOption};

/// Largest size of the options in a header, in bytes.
pub(super) const MAX_OPTION_BYTES: usize = 40;
/// Largest number of SACK blocks, if there is no other option [RFC 2018, section 3].
pub const MAX_BLOCKS: usize = 4;

const END: u8 = 0;
const NOTHING: u8 = 1;
const MSS: u8 = 2;
const SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const STAMPS: u8 = 8;
/// Bytes of a block.
const BLOCK: usize = 8;

/// Timestamps [RFC 7323 3.2].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// `TSval`: when the segment was sent.
    pub value: u32,
    /// `TSecr`: the timestamp that the segment echoes.
    pub echo: u32,
}

/// SACK blocks, as pairs of left and right edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    len: usize,
    edges: [(u32, u32); MAX_BLOCKS],
}

impl SackBlocks {
    /// Adds a block if there is room for it.
    pub fn push(&mut self, left: u32, right: u32) {
        if let Some(slot) = self.edges.get_mut(self.len) {
            *slot = (left, right);
            self.len += 1;
        }
    }

    /// The blocks in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.edges[..self.len]
    }
}

/// The options of a segment that this stack understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Largest segment that the sender of this one takes, in bytes of payload.
    pub mss: Option<u16>,
    /// Number of bits by which the windows of this end are shifted.
    pub scale: Option<u8>,
    /// True if this end understands SACK.
    pub sack_permitted: bool,
    /// Timestamps.
    pub timestamps: Option<Timestamps>,
    /// True if this end answers probes; in a SYN.
    pub probes: bool,
    /// A probe or an answer to one.
    pub probe: Option<ProbeOption>,
    /// SACK blocks: data that arrived beyond the cumulative ACK.
    pub sack: SackBlocks,
}

impl Options {
    /// Reads options. An option with an impossible length ends them; a known kind with the wrong length is
    /// skipped.
    pub(super) fn parse(mut bytes: &[u8]) -> Self {
        let mut options = Options::default();
        while let Some((&kind, rest)) = bytes.split_first() {
            bytes = rest;
            match kind {
                END => break,
                NOTHING => continue,
                _ => {}
            }
            let Some((&length, rest)) = bytes.split_first() else { break };
            let Some(length) = usize::from(length).checked_sub(2) else { break };
            let Some((body, rest)) = rest.split_at_checked(length) else { break };
            options.take(kind, body);
            bytes = rest;
        }
        options
    }

    fn take(&mut self, kind: u8, body: &[u8]) {
        match (kind, body) {
            (MSS, &[a, b]) => self.mss = Some(u16::from_be_bytes([a, b])),
            (SCALE, &[shift]) => self.scale = Some(shift),
            (SACK_PERMITTED, []) => self.sack_permitted = true,
            (STAMPS, _) if body.len() == 8 => {
                self.timestamps =
                    Some(Timestamps { value: read_u32(body), echo: read_u32(&body[4..]) });
            }
            (SACK, _) if !body.is_empty() && body.len().is_multiple_of(BLOCK) => {
                self.sack = SackBlocks::default();
                body.chunks_exact(BLOCK)
                    .for_each(|b| self.sack.push(read_u32(b), read_u32(&b[4..])));
            }
            (probe::KIND, _) if *body == probe::EXPERIMENT => self.probes = true,
            (probe::KIND, _) if body.len() == probe::BODY => self.probe = ProbeOption::parse(body),
            _ => {}
        }
    }

    /// Appends the options, padded to whole words; SACK blocks come last, as many as fit.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        if let Some(mss) = self.mss {
            option(MSS, &mss.to_be_bytes(), out);
        }
        if let Some(shift) = self.scale {
            option(SCALE, &[shift], out);
        }
        if let Some(Timestamps { value, echo }) = self.timestamps {
            // "SACK permitted" takes the place of the padding, as in Linux.
            out.extend(if self.sack_permitted { [SACK_PERMITTED, 2] } else { [NOTHING; 2] });
            out.extend([STAMPS, 10]);
            out.extend([value.to_be_bytes(), echo.to_be_bytes()].concat());
        } else if self.sack_permitted {
            option(SACK_PERMITTED, &[], out);
        }
        if self.probes {
            option(probe::KIND, &probe::EXPERIMENT, out);
        }
        if let Some(probe) = self.probe {
            option(probe::KIND, &probe.body(), out);
        }
        let most = (MAX_OPTION_BYTES - (out.len() - start)).saturating_sub(4) / BLOCK;
        let blocks = self.sack.as_slice();
        let blocks = &blocks[..most.min(blocks.len())];
        if !blocks.is_empty() {
            let edges = blocks.iter().flat_map(|b| [b.0.to_be_bytes(), b.1.to_be_bytes()]);
            option(SACK, &edges.flatten().collect::<Vec<u8>>(), out);
        }
    }
}

/// Appends one option, after the padding that aligns it to four bytes.
fn option(kind: u8, body: &[u8], out: &mut Vec<u8>) {
    let length = body.len() + 2;
    out.resize(out.len() + (4 - length % 4) % 4, NOTHING);
    out.extend([kind, length as u8]);
    out.extend(body);
}

/// The first four bytes as a number.
fn read_u32(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |b| u32::from_be_bytes(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syn_has_the_options_of_the_rfcs() {
        let options =
            Options { mss: Some(1460), scale: Some(7), sack_permitted: true, ..Options::default() };
        let mut out = vec![];
        options.write(&mut out);
        assert_eq!(out, [2, 4, 0x05, 0xB4, 1, 3, 3, 7, 1, 1, 4, 2]);
    }

    #[test]
    fn a_syn_with_timestamps_is_as_long_as_that_of_linux() {
        let options = Options {
            mss: Some(1460),
            scale: Some(10),
            sack_permitted: true,
            timestamps: Some(Timestamps { value: 1, echo: 2 }),
            ..Options::default()
        };
        let mut out = vec![];
        options.write(&mut out);
        assert_eq!((out.len(), Options::parse(&out)), (20, options));
    }

    #[test]
    fn lengths_that_cannot_be_end_the_options() {
        let sane = Options { mss: Some(500), ..Options::default() };
        for rest in [&[8, 0][..], &[8, 1], &[8, 200, 1, 2], &[8], &[0, 3, 3, 7]] {
            assert_eq!(Options::parse(&[&[2, 4, 1, 244], rest].concat()), sane, "{rest:?}");
        }
    }

    #[test]
    fn unknown_kinds_and_wrong_lengths_are_skipped() {
        let bytes = [34, 4, 9, 9, 2, 3, 1, 5, 2, 253, 8, 1, 2, 3, 4, 5, 6, 3, 3, 14];
        assert_eq!(Options::parse(&bytes), Options { scale: Some(14), ..Options::default() });
    }

    #[test]
    fn there_is_room_for_three_blocks_beside_timestamps_and_for_two_beside_a_probe_as_well() {
        let mut sack = SackBlocks::default();
        (0..9).for_each(|i| sack.push(i, i + 1));
        let written = |probe| {
            let timestamps = Some(Timestamps::default());
            let mut out = vec![];
            Options { sack, timestamps, probe, ..Options::default() }.write(&mut out);
            assert!(out.len() <= MAX_OPTION_BYTES && out.len().is_multiple_of(4));
            Options::parse(&out).sack.as_slice().len()
        };
        let probe = ProbeOption { answer: true, kind: super::probe::ProbeKind::First, number: 1 };
        assert_eq!((sack.as_slice().len(), written(None), written(Some(probe))), (4, 3, 2));
    }
}
