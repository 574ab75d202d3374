//! A packet of a measurement, in three words that NumPy reads as a record: python/airtcp/measured/captures.py names the
//! fields.

use airtcp_capture::Refusal;

/// Delay of a packet without a measured delay.
pub const NO_DELAY: i64 = -1;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum Fate {
    /// Unknown from the file.
    Unknown = -1,
    /// The packet arrived.
    Arrived = 0,
    /// The packet was lost.
    Lost = 1,
}

/// A packet: its time, its delay, and in one word its size and fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Nanoseconds.
    pub time: i64,
    /// Nanoseconds, or [`NO_DELAY`].
    pub delay: i64,
    /// Bytes of the IP packet.
    pub size: i32,
    /// Its fate.
    pub fate: Fate,
}

impl Row {
    /// The words of the record, whose bytes are those of its fields on any machine that counts them from the least.
    #[must_use]
    pub fn words(self) -> [u64; 3] {
        let last = u64::from(self.size as u32) | u64::from(self.fate as i8 as u8) << 32;
        [self.time as u64, self.delay as u64, last]
    }
}

/// Most packets of a direction.
const MAX_ROWS: usize = 1 << 27;

/// Refuses one row more than a direction may have.
pub(crate) fn check_room(rows: usize) -> Result<(), Refusal> {
    if rows < MAX_ROWS { Ok(()) } else { Err(Refusal::Packets(MAX_ROWS as u64)) }
}
