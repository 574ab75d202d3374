//! Growth of the receive buffer with what the application reads in a round trip, and the receiver's own
//! estimate of the round trip [rules/receiver.md rules 26, 27].

use super::window::ReceiveWindow;

/// State of dynamic right-sizing.
#[derive(Clone, Debug, Default)]
pub(super) struct BufferTuning {
    /// Bytes read in the best round trip.
    pub(super) bytes: u64,
    /// Number and time at which the current interval began.
    seq: u64,
    time: u64,
    /// Eight times the estimate of the round trip in us; 0: none.
    pub(super) rtt8: u64,
    /// The number that ends a window, and when it began in us.
    window_end: u64,
    window_time: Option<u64>,
    /// The echo used last.
    pub(super) last_echo: u32,
}

impl BufferTuning {
    /// The handshake is over.
    pub(super) fn establish(&mut self, bytes: u64, copied: u64, us: u64) {
        (self.bytes, self.seq, self.time) = (bytes, copied, us);
    }

    /// The time in which a window passes only lowers the estimate.
    #[inline]
    pub(super) fn on_window(&mut self, nxt: u64, advertised: u64, us: u64) {
        if let Some(since) = self.window_time {
            if nxt < self.window_end {
                return;
            }
            let sample8 = (us - since).max(1) << 3;
            self.rtt8 = if self.rtt8 == 0 { sample8 } else { self.rtt8.min(sample8) };
        }
        (self.window_end, self.window_time) = (nxt + advertised, Some(us));
    }

    /// A sample of echoed timestamps, in us.
    #[inline]
    pub(super) fn on_echo(&mut self, sample: u64, everything_read: bool) {
        if self.rtt8 == 0 || sample << 3 < self.rtt8 {
            self.rtt8 = sample << 3;
        } else if everything_read {
            self.rtt8 = self.rtt8 - (self.rtt8 >> 3) + sample;
        }
    }

    /// The application has read up to `copied`; `unread` bytes wait.
    #[inline]
    pub(super) fn on_read(
        &mut self,
        us: u64,
        copied: u64,
        unread: u64,
        held: u64,
        w: &mut ReceiveWindow,
    ) {
        if self.rtt8 == 0 || us - self.time < self.rtt8 >> 3 {
            return;
        }
        let read = (copied - self.seq).saturating_sub(unread);
        if read > self.bytes {
            self.grow(read, held, w);
        }
        (self.seq, self.time) = (copied, us);
    }

    /// Grows the buffer for `bytes` in a round trip, with `held` numbers beyond a hole.
    #[cold]
    pub(super) fn grow(&mut self, bytes: u64, held: u64, w: &mut ReceiveWindow) {
        let old = self.bytes.max(1);
        self.bytes = bytes;
        if w.fixed || !w.moderated() {
            return;
        }
        let twice = 2 * bytes;
        let wanted = twice + 2 * (twice * bytes.saturating_sub(old) / old) + held;
        let buffer = w.space(wanted).min(w.largest_window());
        if buffer > w.buffer {
            w.buffer = buffer;
            w.clamp = w.space_for_window();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sysctl;

    #[test]
    fn estimates_fall_at_once_and_rise_slowly() {
        let mut space = BufferTuning::default();
        space.on_echo(40_000, true);
        space.on_echo(20_000, false);
        assert_eq!(space.rtt8, 160_000);
        space.on_echo(28_000, false);
        assert_eq!(space.rtt8, 160_000);
        space.on_echo(28_000, true);
        assert_eq!(space.rtt8, 168_000);
        space.on_window(1, 1000, 100);
        space.on_window(1000, 1000, 150);
        assert_eq!(space.rtt8, 168_000, "the window has not passed");
        space.on_window(1001, 1000, 200);
        assert_eq!(space.rtt8, 800);
    }

    #[test]
    fn the_buffer_follows_what_is_read_in_a_round_trip() {
        let mut window = ReceiveWindow::new(&Sysctl::default(), None, 0, 1448);
        let mut space = BufferTuning { rtt8: 80_000, ..BufferTuning::default() };
        space.establish(14_480, 1, 0);
        space.on_read(9_999, 60_001, 0, 0, &mut window);
        assert_eq!(window.buffer, 131_072, "less than a round trip");
        space.on_read(10_000, 60_001, 0, 0, &mut window);
        let wanted = 120_000 + 2 * (120_000 * (60_000 - 14_480) / 14_480);
        assert_eq!((space.bytes, window.buffer), (60_000, wanted * 2));
        assert_eq!(window.clamp, wanted);
        window.fixed = true;
        space.on_read(20_000, 560_001, 0, 0, &mut window);
        assert_eq!((space.bytes, window.buffer), (500_000, wanted * 2));
    }
}
