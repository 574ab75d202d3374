//! The receiving half of a connection: the receiver of the simulator, the bytes and the window.

use super::negotiated::Negotiated;
use super::ring::Ring;
use super::settings::Settings;
use airtcp_core::Instant;
use airtcp_tcp::Receiver;

/// Limit on the runs of data held beyond a hole: with more, data that does not fill the hole is dropped,
/// so that single bytes here and there cost neither memory nor time.
const MAX_RUNS: usize = 512;

/// The receiving half of a connection. Positions count from 0, the first byte.
#[derive(Clone, Debug)]
pub(super) struct ReceivingHalf {
    pub(super) receiver: Receiver,
    ring: Ring,
    /// Number of bytes that the application has read.
    read: u64,
    /// Position of the FIN, once it is known.
    fin: Option<u64>,
    /// Right edge of the window that was advertised last.
    advertised_edge: u64,
    shift: u8,
    mss: u64,
}

impl ReceivingHalf {
    pub(super) fn new(settings: &Settings, negotiated: &Negotiated) -> Self {
        let ring = Ring::new(settings.receive_buffer);
        ReceivingHalf {
            receiver: Receiver::new(&negotiated.receiver(settings)),
            advertised_edge: ring.capacity().min(u16::MAX.into()),
            ring,
            read: 0,
            fin: None,
            shift: negotiated.our_shift,
            mss: negotiated.mss.into(),
        }
    }

    /// The next number expected, FIN included.
    pub(super) fn next_expected(&self) -> u64 {
        self.receiver.next_expected()
    }

    /// True if the FIN has arrived, and all data before it.
    pub(super) fn has_ended(&self) -> bool {
        self.fin.is_some_and(|fin| self.next_expected() > fin)
    }

    /// Number of bytes that can be read.
    pub(super) fn readable(&self) -> u64 {
        self.next_expected().min(self.fin.unwrap_or(u64::MAX)) - self.read
    }

    /// True if a segment that ends at `end` may be a copy of one taken before: at most a window can have been in
    /// flight.
    pub(super) fn is_recent(&self, end: i64) -> bool {
        let next = self.next_expected().cast_signed();
        (next - self.ring.capacity().cast_signed()..=next).contains(&end)
    }

    /// Right edge of the data that the buffer can take.
    pub(super) fn buffer_edge(&self) -> u64 {
        self.read + self.ring.capacity()
    }

    /// Takes the part of `payload`, at position `seq`, that lies inside the window, and the FIN behind
    /// it.
    pub(super) fn on_segment(
        &mut self,
        now: Instant,
        seq: i64,
        payload: &[u8],
        fin: bool,
        stamp: u32,
    ) {
        let whole = seq + payload.len() as i64;
        let next = self.next_expected().cast_signed();
        if whole + i64::from(fin) <= next {
            return self.pass_to_receiver(now, seq, whole + i64::from(fin), stamp); // All of it was there.
        }
        let bound = self.fin.unwrap_or(u64::MAX).min(self.buffer_edge()).cast_signed();
        let (start, end) = (seq.max(next), whole.min(bound));
        let fin = fin && whole == end && self.fin.is_none_or(|at| at == whole.cast_unsigned());
        let crowded = start > next && self.receiver.out_of_order().ranges().len() >= MAX_RUNS;
        if crowded || (end <= start && !fin) {
            return self.pass_to_receiver(now, 0, 0, 0); // Nothing new; the other end learns what is expected.
        }
        if start < end {
            let part = &payload[(start - seq) as usize..(end - seq) as usize];
            self.ring.write_at(start.cast_unsigned(), part);
        }
        if fin {
            self.fin = Some(whole.cast_unsigned());
        }
        self.pass_to_receiver(now, seq, end + i64::from(fin), stamp);
    }

    /// Tells the receiver that `[seq, end)` has arrived; positions before the first byte do not count.
    fn pass_to_receiver(&mut self, now: Instant, seq: i64, end: i64, stamp: u32) {
        let first = seq.max(0);
        let length = u32::try_from(end - first).unwrap_or(0);
        self.receiver.on_data(now, first.cast_unsigned(), length, stamp);
    }

    /// Moves bytes to the application; returns their number.
    pub(super) fn read(&mut self, data: &mut [u8]) -> usize {
        let amount = usize::try_from(self.readable()).unwrap_or(usize::MAX).min(data.len());
        self.ring.read_at(self.read, &mut data[..amount]);
        self.read += amount as u64;
        amount
    }

    /// True if the window has grown so much since it was advertised that the other end should know now:
    /// it could not send a full packet before, or the growth is half the buffer [RFC 9293 3.8.6.2.2].
    pub(super) fn has_window_opened(&self) -> bool {
        let room = self.window_end().saturating_sub(self.advertised_edge);
        let before = self.advertised_edge.saturating_sub(self.next_expected());
        let half = (self.ring.capacity() / 2).max(1);
        (before < self.window_step() && room >= self.window_step()) || room >= half
    }

    /// The window field of a segment that leaves now. Its right edge moves by at least a full packet or
    /// half the buffer, to avoid silly windows [RFC 9293 3.8.6.2.2].
    pub(super) fn advertise(&mut self) -> u16 {
        if self.window_end() >= self.advertised_edge + self.window_step() {
            self.advertised_edge = self.window_end();
        }
        let window = self.advertised_edge.saturating_sub(self.next_expected()) >> self.shift;
        u16::try_from(window).unwrap_or(u16::MAX)
    }

    /// The furthest right edge that the window field can express.
    fn window_end(&self) -> u64 {
        self.buffer_edge().min(self.next_expected() + (u64::from(u16::MAX) << self.shift))
    }

    fn window_step(&self) -> u64 {
        self.mss.min(self.ring.capacity() / 2).max(1)
    }
}
