//! Window growth on new ACKs: slow start and congestion avoidance, one increase per ACK
//! [zorzi, section II, rules 1 and 2; RFC 5681 3.1].

use crate::window::Window;

/// The window after one ACK of new data.
#[inline]
pub(crate) fn increase(cwnd: Window, ssthresh: Window) -> Window {
    if cwnd < ssthresh { cwnd.plus(1) } else { cwnd.plus_inverse() }
}

/// The slow-start threshold after a loss: `ceil(W/2)` [zorzi, section II, rule 3].
pub(crate) fn threshold(cwnd: Window) -> Window {
    cwnd.half_rounded_up()
}
