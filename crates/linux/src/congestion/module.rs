//! Callbacks of a congestion control. The provided methods are those of a control that only reduces
//! and grows its window.

use std::fmt::Display;

use airtcp_core::Stream;

use super::{CaState, LostPacket, RateSample, TcpSock, Window};

/// Events besides ACKs and losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Something is sent while nothing is in flight [rules/sending.md rule 25].
    TxStart,
    /// A reduction ended [rules/recovery.md rule 45].
    CompleteCwr,
}

/// `struct tcp_bbr_info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BbrInfo {
    /// Bandwidth in bytes per second.
    pub bw: u64,
    /// Minimum round trip in us.
    pub min_rtt: u32,
    /// Pacing gain in 1/256.
    pub pacing_gain: u32,
    /// cwnd gain in 1/256.
    pub cwnd_gain: u32,
}

/// Receives names and values of a module's variables.
pub type VariableSink<'a> = &'a mut dyn FnMut(&'static str, &dyn Display);

/// The callbacks of a congestion control.
pub trait Module {
    /// The connection is established; cwnd and the round trip of the handshake are known.
    fn init(&mut self, _f: &TcpSock, _w: &mut Window) {}

    /// ssthresh as a reduction begins.
    fn ssthresh(&mut self, f: &TcpSock, w: &mut Window) -> u32;

    /// cwnd after a reduction that turned out to be needless.
    fn undo_cwnd(&mut self, _f: &TcpSock, w: &mut Window) -> u32 {
        w.cwnd.max(w.prior_cwnd)
    }

    /// Growth by an ACK for `acked` packets [rules/cubic.md rules 3 and 5].
    fn cong_avoid(&mut self, _f: &TcpSock, _w: &mut Window, _acked: u32) {}

    /// Returns whether [`Module::cong_control`] sets cwnd and pacing rate, instead of PRR and growth.
    fn has_cong_control(&self) -> bool {
        false
    }

    /// An ACK has measured the rate of delivery.
    fn cong_control(&mut self, _f: &TcpSock, _w: &mut Window, _s: &RateSample) {}

    /// An ACK brought a sample of the round trip, in us; before growth and the state machine.
    fn pkts_acked(&mut self, _f: &TcpSock, _w: &mut Window, _rtt_us: i64) {}

    /// Returns whether [`Module::packet_lost`] is called.
    fn wants_packet_lost(&self) -> bool {
        false
    }

    /// A packet was marked lost, before the state machine acts upon it; the counters include it.
    fn packet_lost(&mut self, _f: &TcpSock, _w: &mut Window, _lost: &LostPacket) {}

    /// The state of recovery becomes `state`.
    fn set_state(&mut self, _f: &TcpSock, _w: &mut Window, _state: CaState) {}

    /// Something else happened.
    fn event(&mut self, _f: &TcpSock, _w: &mut Window, _event: Event) {}

    /// Packets of a burst, at least; `None`: `tcp_min_tso_segs`.
    fn min_tso_segs(&self, _w: &Window) -> Option<u32> {
        None
    }

    /// cwnd in the send buffer, as a multiple [rules/bbr.md rule 27].
    fn sndbuf_factor(&self) -> u32 {
        2
    }

    /// Returns whether the module wants its packets paced.
    fn requires_pacing(&self) -> bool {
        false
    }

    /// Sets the random stream of the control.
    fn set_random(&mut self, _random: Stream) {}

    /// The phase in which BBR enters its cycle of gains; `None`: by chance.
    fn force_phase(&mut self, _index: Option<u32>) {}

    /// Scales BBR's bandwidth estimate by `percent`, and moves its gain cycle to `index` if in `PROBE_BW`.
    fn force_cycle(&mut self, _percent: u32, _index: Option<u32>) {}

    /// State of BBR as `TCP_CC_INFO` shows it.
    fn bbr_info(&self, _f: &TcpSock) -> Option<BbrInfo> {
        None
    }

    /// Shows the variables of the module by name.
    fn show_variables(&self, _show: VariableSink) {}
}
