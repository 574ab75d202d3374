//! The output of a run: the log of packets, the captures of both sides, and the counts.

use super::super::lateness::Lateness;
use super::super::record::{Fate, Record};
use super::capture::Capture;
use super::error_text::error_text;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

/// Size of a file's buffer in bytes.
pub(super) const BUFFER: usize = 1 << 20;

pub(super) struct Log {
    files: Option<Files>,
    pub(super) fates: [BTreeMap<&'static str, u64>; 2],
    /// Number of records, in each direction, that are about further copies of a packet.
    pub(super) copies: [u64; 2],
    pub(super) lateness: Lateness,
}

struct Files {
    records: BufWriter<File>,
    /// The captures of the near and the far side.
    captures: [Capture; 2],
}

impl Log {
    pub(super) fn new(folder: Option<&Path>, snap: u32) -> Result<Self, String> {
        let files = folder.map(|folder| Files::new(folder, snap)).transpose()?;
        Ok(Log { files, fates: Default::default(), copies: [0; 2], lateness: Lateness::default() })
    }

    /// Logs the fate of a packet, and counts it.
    pub(super) fn record(&mut self, record: &Record) -> io::Result<()> {
        let (_, name) = Fate::NAMED[record.fate as usize % 256];
        *self.fates[record.direction as usize].entry(name).or_default() += 1;
        let Some(files) = &mut self.files else { return Ok(()) };
        record.words().iter().try_for_each(|word| files.records.write_all(&word.to_le_bytes()))
    }

    /// Adds a packet to the capture of `side`, which its device passed `nanos` after the start.
    pub(super) fn capture(&mut self, side: usize, nanos: i64, packet: &[u8]) -> io::Result<()> {
        let Some(files) = &mut self.files else { return Ok(()) };
        files.captures[side].write_packet(nanos, packet)
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        let Some(files) = &mut self.files else { return Ok(()) };
        files.records.flush()?;
        files.captures.iter_mut().try_for_each(Capture::finish)
    }
}

impl Files {
    fn new(folder: &Path, snap: u32) -> Result<Self, String> {
        remove(folder, "live.json")?; // It was about the packets of another run.
        let capture = |name| {
            Capture::new(create_file(folder, name)?, snap).map_err(|error| write_error(name, error))
        };
        let captures = [capture("near.pcapng")?, capture("far.pcapng")?];
        let records = BufWriter::with_capacity(BUFFER, create_file(folder, "packets.bin")?);
        Ok(Files { records, captures })
    }
}

/// Creates a file after removing any of that name, so that the emulator never writes through a link
/// that somebody has put there.
fn create_file(folder: &Path, name: &str) -> Result<File, String> {
    remove(folder, name)?;
    let made = OpenOptions::new().write(true).create_new(true).open(folder.join(name));
    made.map_err(|error| write_error(name, error))
}

fn remove(folder: &Path, name: &str) -> Result<(), String> {
    match fs::remove_file(folder.join(name)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(write_error(name, error)),
        _ => Ok(()),
    }
}

fn write_error(name: &str, error: io::Error) -> String {
    format!("{name}: {}", error_text(error))
}
