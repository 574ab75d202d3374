//! A capture in pcapng (draft-ietf-opsawg-pcapng): raw IP packets at instants in nanoseconds.

use super::log::BUFFER;
use std::fs::File;
use std::io::{self, BufWriter, Write};

const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1A2B_3C4D;
/// LINKTYPE_RAW: a packet begins with its IP header.
const LINKTYPE_RAW: u32 = 101;
/// Option if_tsresol of one byte: 10^-9 s; and the end of options.
const NANOSECONDS: [u8; 12] = [9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0];

pub(super) struct Capture {
    file: BufWriter<File>,
    snap_length: u32,
}

impl Capture {
    pub(super) fn new(file: File, snap: u32) -> io::Result<Self> {
        let mut capture =
            Capture { file: BufWriter::with_capacity(BUFFER, file), snap_length: snap };
        let unknown_length = [0xff; 8];
        capture
            .write_block(SECTION, &[&BYTE_ORDER.to_le_bytes(), &[1, 0, 0, 0], &unknown_length])?;
        capture.write_block(
            INTERFACE,
            &[&LINKTYPE_RAW.to_le_bytes(), &snap.to_le_bytes(), &NANOSECONDS],
        )?;
        Ok(capture)
    }

    pub(super) fn write_packet(&mut self, nanos: i64, packet: &[u8]) -> io::Result<()> {
        let kept = &packet[..packet.len().min(self.snap_length as usize)];
        let nanos = nanos.cast_unsigned();
        let words = [0, (nanos >> 32) as u32, nanos as u32, kept.len() as u32, packet.len() as u32];
        let head = words.map(u32::to_le_bytes);
        self.write_block(PACKET, &[head.as_flattened(), kept])
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// A block: its length stands at both ends, and its content fills whole words.
    fn write_block(&mut self, kind: u32, parts: &[&[u8]]) -> io::Result<()> {
        let content: usize = parts.iter().map(|part| part.len()).sum();
        let padding = content.next_multiple_of(4) - content;
        let length = ((content + padding + 12) as u32).to_le_bytes();
        self.file.write_all(&kind.to_le_bytes())?;
        self.file.write_all(&length)?;
        parts.iter().try_for_each(|part| self.file.write_all(part))?;
        self.file.write_all(&[0; 3][..padding])?;
        self.file.write_all(&length)
    }
}
