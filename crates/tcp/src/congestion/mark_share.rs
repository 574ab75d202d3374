//! Share of the bytes that carried a mark, as DCTCP averages it [RFC 8257, section 3.3].

use super::control::AckMarks;
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// `DCTCP.Alpha`, and the counts from which it follows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct MarkShare {
    gain: f64,
    alpha: f64,
    /// `DCTCP.BytesAcked` and `DCTCP.BytesMarked` of the window that is observed.
    acked: u64,
    marked: u64,
    /// `DCTCP.WindowEnd`.
    end: u64,
}

impl MarkShare {
    /// All is taken for marked until something is known.
    pub(super) fn new(gain: f64) -> Self {
        MarkShare { gain, alpha: 1.0, acked: 0, marked: 0, end: 0 }
    }

    /// Counts the bytes of an ACK, and returns whether the ACK ends the window under observation.
    pub(super) fn add_ack(&mut self, echo: &AckMarks) -> bool {
        self.acked += echo.acked;
        self.marked += if echo.marked { echo.acked } else { 0 };
        echo.next > self.end && self.acked > 0
    }

    /// Averages over the window that has ended, and begins the next one [steps 4 to 8].
    pub(super) fn update(&mut self, view: &View) {
        let share = self.marked as f64 / self.acked as f64;
        self.alpha += self.gain * (share - self.alpha);
        self.start_round(view);
    }

    /// Begins a window under observation: the data sent by now.
    pub(super) fn start_round(&mut self, view: &View) {
        (self.acked, self.marked, self.end) = (0, 0, view.high);
    }

    /// Window that a mark leaves of `window` [step 9], at least two segments.
    pub(super) fn reduced_window(&self, window: Window, mss: u32) -> Window {
        let left = window.to_f64() * (1.0 - self.alpha / 2.0);
        Window::from_f64(left.max(2.0 * f64::from(mss)))
    }
}
