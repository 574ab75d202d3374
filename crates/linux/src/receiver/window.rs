//! The window that the receiver advertises [rules/receiver.md rules 21 to 25].

use crate::sysctl::Sysctl;

/// Buffer and window, in bytes.
#[derive(Clone, Debug)]
pub(super) struct ReceiveWindow {
    /// The receive buffer, in bytes of memory.
    pub(super) buffer: u64,
    /// `SO_RCVBUF` was set: the buffer does not grow.
    pub(super) fixed: bool,
    /// Share of a buffer's memory that is data, in 1/256.
    ratio: u64,
    /// Memory that is taken.
    pub(super) memory_used: u64,
    pub(super) clamp: u64,
    /// The window as far as it has grown.
    pub(super) ssthresh: u64,
    /// The window last advertised, and the number from which it counts.
    pub(super) advertised: u64,
    pub(super) advertised_from: u64,
    pub(super) scale: u8,
    pub(super) advmss: u64,
    /// In-order data were refused for lack of memory.
    pub(super) rejected_for_memory: bool,
    largest_buffer: u64,
    moderated: bool,
}

/// Largest shift [RFC 7323 2.3].
const MAX_SCALE: u32 = 14;

impl ReceiveWindow {
    /// The first window of a socket [rules/receiver.md rule 21, rules/options.md rule 5]. `clamp` is
    /// `TCP_WINDOW_CLAMP`, 0 without.
    pub(super) fn new(sysctl: &Sysctl, buffer: Option<u64>, clamp: u64, mss: u64) -> Self {
        let mut window = ReceiveWindow {
            buffer: buffer.unwrap_or(sysctl.tcp_rmem[1]),
            fixed: buffer.is_some(),
            ratio: 128,
            memory_used: 0,
            clamp,
            ssthresh: 0,
            advertised: 0,
            advertised_from: 0,
            scale: 0,
            advmss: mss,
            rejected_for_memory: false,
            largest_buffer: sysctl.tcp_rmem[2],
            moderated: sysctl.tcp_moderate_rcvbuf != 0,
        };
        let full = window.space_for_window();
        if window.fixed && (clamp > full || clamp == 0) {
            window.clamp = full;
        }
        if window.clamp == 0 {
            window.clamp = 65_535 << MAX_SCALE;
        }
        let space = window.clamp.min(full);
        let space = if space > mss { space / mss * mss } else { space };
        window.advertised = space;
        if sysctl.tcp_window_scaling != 0 {
            let most = space.max(sysctl.tcp_rmem[2]).max(sysctl.rmem_max).min(window.clamp);
            window.scale = (most.max(1).ilog2().saturating_sub(15)).min(MAX_SCALE) as u8;
        }
        window.clamp = window.clamp.min(65_535 << window.scale);
        window.ssthresh = window.advertised;
        window
    }

    /// The handshake is over [rules/receiver.md rule 21].
    pub(super) fn establish(&mut self, app_win: u64, advmss: u64) {
        self.advmss = advmss;
        let most = self.space_for_window();
        if self.clamp >= most {
            self.clamp = most;
            if app_win > 0 && most > 4 * advmss {
                let kept = most.checked_shr(app_win as u32).unwrap_or(0);
                self.clamp = (most - kept).max(4 * advmss);
            }
        }
        if app_win > 0 && self.clamp > 2 * advmss && self.clamp + advmss > most {
            self.clamp = (2 * advmss).max(most.saturating_sub(advmss));
        }
        self.ssthresh = self.ssthresh.min(self.clamp);
    }

    /// Bytes of data that so much memory holds.
    fn data_bytes_in(&self, memory: u64) -> u64 {
        (memory * self.ratio) >> 8
    }

    /// Window space for `bytes` of memory.
    pub(super) fn space(&self, bytes: u64) -> u64 {
        (bytes << 8) / self.ratio
    }

    /// Bytes that the whole buffer holds.
    pub(super) fn space_for_window(&self) -> u64 {
        self.data_bytes_in(self.buffer)
    }

    /// The largest buffer.
    pub(super) fn largest_window(&self) -> u64 {
        self.largest_buffer
    }

    /// Returns whether the buffer may grow by itself.
    pub(super) fn moderated(&self) -> bool {
        self.moderated
    }

    fn free(&self) -> u64 {
        self.data_bytes_in(self.buffer.saturating_sub(self.memory_used))
    }

    /// Rest of the window last advertised.
    pub(super) fn remaining(&self, nxt: u64) -> u64 {
        (self.advertised_from + self.advertised).saturating_sub(nxt)
    }

    /// The window that would be chosen now, and whether it ends quick ACKs [rules/receiver.md rule 22].
    #[inline]
    pub(super) fn next_window(&self, rcv_mss: u64) -> (u64, bool) {
        let whole = self.space_for_window();
        let full = self.clamp.min(whole);
        let mss = rcv_mss.min(full);
        if mss == 0 {
            return (0, false);
        }
        let mut free = self.free();
        let scarce = free < full / 2;
        if scarce {
            free = free >> self.scale << self.scale;
            if free < whole >> 4 || free < mss {
                return (0, true);
            }
        }
        free = free.min(self.ssthresh);
        if self.scale > 0 {
            return (self.rounded_up(free), scarce);
        }
        let last = self.advertised;
        let window = if last + mss <= free || last > free {
            free / mss * mss
        } else if mss == full && free > last + full / 2 {
            free
        } else {
            last
        };
        (window, scarce)
    }

    /// The window rounded up to a value that the field of the header can hold.
    fn rounded_up(&self, window: u64) -> u64 {
        let least = (1 << self.scale) - 1;
        (window + least) & !least
    }

    /// Advertises a window; the field of the header [rules/receiver.md rule 23].
    #[inline]
    pub(super) fn advertise(&mut self, nxt: u64, rcv_mss: u64) -> (u16, bool) {
        if self.rejected_for_memory {
            (self.advertised, self.advertised_from) = (0, nxt);
            return (0, false);
        }
        let (chosen, scarce) = self.next_window(rcv_mss);
        let remaining = self.remaining(nxt);
        let window = if chosen < remaining { self.rounded_up(remaining) } else { chosen };
        (self.advertised, self.advertised_from) = (window, nxt);
        ((window.min(65_535 << self.scale) >> self.scale) as u16, scarce)
    }

    /// Grows with a segment; whether it did [rules/receiver.md rule 24].
    #[inline]
    pub(super) fn grow(&mut self, len: u64, memory: u64, rcv_mss: u64) -> bool {
        let room = self.clamp.min(self.free()).saturating_sub(self.ssthresh);
        if room == 0 {
            return false;
        }
        let increment = if self.data_bytes_in(memory) <= len {
            2 * self.advmss
        } else {
            self.growth_of_small(len, memory, rcv_mss)
        };
        if increment > 0 {
            self.ssthresh += room.min(increment.max(2 * len));
        }
        increment > 0
    }

    #[cold]
    fn growth_of_small(&self, len: u64, memory: u64, rcv_mss: u64) -> u64 {
        let mut size = self.data_bytes_in(memory) >> 1;
        let mut window = self.data_bytes_in(self.largest_buffer) >> 1;
        while self.ssthresh <= window {
            if size <= len {
                return 2 * rcv_mss;
            }
            (size, window) = (size >> 1, window >> 1);
        }
        0
    }

    /// Measures the ratio of data to memory in a buffer of full segments [rules/receiver.md rule 25].
    #[cold]
    pub(super) fn measure(&mut self, len: u64, memory: u64) {
        let ratio = ((len << 8) / memory.max(1)).clamp(1, 255);
        if ratio != self.ratio {
            self.ratio = ratio;
            self.set_clamp(self.space_for_window());
        }
    }

    /// `TCP_WINDOW_CLAMP`, and a changed ratio.
    pub(super) fn set_clamp(&mut self, clamp: u64) {
        let before = self.clamp;
        self.clamp = clamp;
        if clamp < before {
            self.ssthresh = self.ssthresh.min(clamp);
        } else {
            self.ssthresh = self.ssthresh.max(self.advertised.min(clamp));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_windows_are_those_of_the_kernel() {
        let sysctl = Sysctl::default();
        let client = ReceiveWindow::new(&sysctl, None, 0, 1460);
        assert_eq!((client.advertised, client.scale), (64_240, 10));
        let mut server = ReceiveWindow::new(&sysctl, None, 0, 1448);
        assert_eq!(server.advertised, 65_160);
        server.establish(31, 1448);
        assert_eq!((server.clamp, server.ssthresh), (64_088, 64_088));
        assert_eq!(client.next_window(536).0, 64_512, "the client's handshake ACK says 63");
    }

    #[test]
    fn the_standard_settings_of_scripts_scale_by_8() {
        let sysctl = Sysctl { tcp_rmem: [4096, 540_000, 15_728_640], ..Sysctl::default() };
        let window = ReceiveWindow::new(&sysctl, None, 0, 1460);
        assert_eq!((window.advertised, window.scale), (184 * 1460, 8));
    }

    #[test]
    fn a_small_buffer_clamps() {
        let window = ReceiveWindow::new(&Sysctl::default(), Some(8192), 0, 1000);
        assert_eq!((window.advertised, window.clamp, window.scale), (4000, 4096, 0));
    }

    #[test]
    fn a_window_is_never_taken_back() {
        let mut window = ReceiveWindow::new(&Sysctl::default(), None, 0, 1460);
        window.advertised_from = 1;
        window.memory_used = 131_072;
        assert_eq!(window.advertise(1461, 1460), (62, true));
        assert_eq!(window.advertised, 62 * 1024, "62780 bytes are left, rounded up");
    }

    #[test]
    fn without_scaling_a_window_moves_by_segments() {
        let sysctl = Sysctl { tcp_window_scaling: 0, ..Sysctl::default() };
        let mut window = ReceiveWindow::new(&sysctl, None, 0, 1460);
        assert_eq!(window.scale, 0);
        window.establish(31, 1460);
        assert_eq!((window.clamp, window.ssthresh), (64_076, 64_076));
        assert_eq!(window.next_window(1460).0, 62_780);
        window.advertised = 62_780;
        assert_eq!(
            window.next_window(1460).0,
            62_780,
            "less than a segment more is not advertised"
        );
    }
}
