//! The window of BSD around 1990 [lahanas reading, sections 2 and 3]: one increase per ACK however much
//! it covers, in whole bytes; half the window in whole segments after a loss.

use super::control::{AckSample, CongestionControl, LossEvent};
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// No state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Bsd;

impl CongestionControl for Bsd {
    /// A segment up to the threshold, then `mss * mss / cwnd`.
    #[inline]
    fn on_ack(&mut self, view: &View, _ack: &AckSample) -> Window {
        if view.cwnd <= view.ssthresh {
            return view.cwnd.plus(view.mss);
        }
        let mss = u64::from(view.mss);
        let step = (mss * mss / view.cwnd.floor().max(1)).clamp(1, mss);
        view.cwnd.plus(step as u32)
    }

    /// `max(2, floor(min(cwnd, window) / 2 / MSS))` segments.
    fn on_loss(&mut self, view: &View, _loss: &LossEvent) -> Window {
        let window = view.cwnd.floor().min(view.rwnd);
        let segments = (window / 2 / u64::from(view.mss)).max(2);
        Window::from_whole(segments * u64::from(view.mss))
    }
}
