//! What a run leaves behind: the log of packets, the captures of both sides, and its counts.

use super::super::lateness::Lateness;
use super::super::record::{Fate, Record};
use super::capture::Capture;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Room before something is written.
pub(super) const BUFFER: usize = 1 << 20;

pub(super) struct Log {
    files: Option<Files>,
    pub(super) fates: [BTreeMap<&'static str, u64>; 2],
    pub(super) lateness: Lateness,
}

struct Files {
    records: BufWriter<File>,
    /// Near, far.
    captures: [Capture; 2],
}

impl Log {
    pub(super) fn new(folder: Option<&Path>, snap: u32) -> io::Result<Self> {
        let files = folder.map(|folder| Files::new(folder, snap)).transpose()?;
        Ok(Log { files, fates: Default::default(), lateness: Lateness::default() })
    }

    /// What became of a packet.
    pub(super) fn record(&mut self, record: &Record) -> io::Result<()> {
        let (_, name) = Fate::ALL[record.fate as usize % 256];
        *self.fates[record.direction as usize].entry(name).or_default() += 1;
        let Some(files) = &mut self.files else { return Ok(()) };
        record.words().iter().try_for_each(|word| files.records.write_all(&word.to_le_bytes()))
    }

    /// A packet as it passed the device of `side`, `nanos` since the start.
    pub(super) fn capture(&mut self, side: usize, nanos: i64, packet: &[u8]) -> io::Result<()> {
        let Some(files) = &mut self.files else { return Ok(()) };
        files.captures[side].packet(nanos, packet)
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        let Some(files) = &mut self.files else { return Ok(()) };
        files.records.flush()?;
        files.captures.iter_mut().try_for_each(Capture::finish)
    }
}

impl Files {
    fn new(folder: &Path, snap: u32) -> io::Result<Self> {
        let file = |name: &str| File::create(folder.join(name));
        let near = Capture::new(file("near.pcapng")?, snap)?;
        let far = Capture::new(file("far.pcapng")?, snap)?;
        let records = BufWriter::with_capacity(BUFFER, file("packets.bin")?);
        Ok(Files { records, captures: [near, far] })
    }
}
