//! BBR, version 3, by the draft [rules/bbr3.md; draft-ietf-ccwg-bbr-06]. No kernel of this project's machines has
//! it, so that only the draft can judge it.
//!
//! Volumes are packets, times us, gains hundredths, bandwidths packets per us with 24 fractional bits.

mod aggregation;
mod bandwidth;
mod cwnd;
mod cycle;
mod full_bandwidth;
mod growth;
mod long_term;
mod losses;
mod min_rtt;
mod pacing;
mod parameters;
mod probe;
mod probe_rtt;
mod rounds;
mod short_term;
mod signals;
mod startup;
mod state;
mod undo;
mod wait;

use airtcp_core::Stream;

use self::aggregation::Aggregation;
use self::bandwidth::MaxBw;
use self::full_bandwidth::FullBw;
use self::growth::Growth;
use self::min_rtt::MinRtt;
use self::parameters::{BW_SCALE, EXTRA_ACKED_ROUNDS, INFINITY, MIN_QUANTUM, PERCENT};
use self::probe::Cycle;
use self::rounds::Rounds;
use self::short_term::{LatestSignals, ShortTerm};
pub use self::state::State;
use self::undo::UndoState;
use super::{
    BbrInfo, CaState, Event, INFINITE_SSTHRESH, LostPacket, Module, RateSample, TcpSock,
    VariableSink, Window,
};

/// BBR's state.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    /// Present state.
    pub state: State,
    rounds: Rounds,
    max_bw: MaxBw,
    /// The bandwidth in use.
    bw: u32,
    min_rtt: MinRtt,
    aggregation: Aggregation,
    latest: LatestSignals,
    short_term: ShortTerm,
    inflight_longterm: u32,
    growth: Growth,
    cycle: Cycle,
    full_bw: FullBw,
    drain_start_round: u32,
    undo: UndoState,
    /// The sender's state of recovery, and `delivered` as it last became Recovery.
    recovery: CaState,
    recovery_delivered: u32,
    prior_cwnd: u32,
    initial_cwnd: u32,
    idle_restart: bool,
    has_seen_rtt: bool,
    random: Stream,
}

impl Default for Bbr3 {
    fn default() -> Self {
        Bbr3 {
            state: State::Startup,
            rounds: Rounds::default(),
            max_bw: MaxBw::default(),
            bw: 0,
            min_rtt: MinRtt::from_start(0, INFINITY),
            aggregation: Aggregation::from_start(0),
            latest: LatestSignals::default(),
            short_term: ShortTerm::NONE,
            inflight_longterm: INFINITY,
            growth: Growth::default(),
            cycle: Cycle::default(),
            full_bw: FullBw::default(),
            drain_start_round: 0,
            undo: UndoState::default(),
            recovery: CaState::Open,
            recovery_delivered: 0,
            prior_cwnd: 0,
            initial_cwnd: 0,
            idle_restart: false,
            has_seen_rtt: false,
            random: Stream::new(0, "bbr3", 0),
        }
    }
}

impl Bbr3 {
    /// [rules/bbr3.md rule 5]
    fn update_model(&mut self, f: &TcpSock, w: &mut Window, s: &RateSample) {
        self.latest.update(f, s);
        self.update_congestion_signals(f, w, s);
        self.update_aggregation(f, w, s);
        self.full_bw.check(self.rounds.round_start, s);
        self.check_startup_done(f, s);
        self.check_drain_done(f, w);
        self.update_cycle(f, w, s);
        self.min_rtt.update(f.now.us, s);
        self.check_probe_rtt(f, w, s);
        self.latest.advance(s);
        self.bound_bw();
    }

    /// [rules/bbr3.md rule 10]
    fn update_aggregation(&mut self, f: &TcpSock, w: &Window, s: &RateSample) {
        let excess = self.aggregation.add(f.now.us, self.bw, s.acked_sacked).min(w.cwnd);
        let rounds = if self.full_bw.reached { EXTRA_ACKED_ROUNDS } else { 1 };
        self.aggregation.update(excess, rounds, self.rounds.count);
    }
}

impl Module for Bbr3 {
    /// [rules/bbr3.md rule 1]
    fn init(&mut self, f: &TcpSock, w: &mut Window) {
        let rtt = if f.srtt8 == 0 { INFINITY } else { (f.srtt8 >> 3).max(1) };
        *self = Bbr3 {
            random: self.random.clone(),
            min_rtt: MinRtt::from_start(f.now.us, rtt),
            aggregation: Aggregation::from_start(f.now.us),
            initial_cwnd: w.cwnd,
            ..Bbr3::default()
        };
        w.ssthresh = INFINITE_SSTHRESH;
        self.init_pacing_rate(f, w);
    }

    /// A reduction begins, which this control does not make: something was lost, or marked
    /// [rules/bbr3.md rules 3 and 33].
    fn ssthresh(&mut self, f: &TcpSock, w: &mut Window) -> u32 {
        self.record_loss(f, w);
        w.ssthresh
    }

    /// [rules/bbr3.md rule 24]
    fn undo_cwnd(&mut self, f: &TcpSock, w: &mut Window) -> u32 {
        self.undo_reduction(f, w);
        w.cwnd
    }

    fn has_cong_control(&self) -> bool {
        true
    }

    /// [rules/bbr3.md rule 5] Apart, so that the way of an ACK under other controls stays short.
    #[inline(never)]
    fn cong_control(&mut self, f: &TcpSock, w: &mut Window, s: &RateSample) {
        self.update_model(f, w, s);
        self.set_pacing_rate(f, w, self.state.pacing_gain());
        self.set_cwnd(f, w, s);
    }

    fn wants_packet_lost(&self) -> bool {
        true
    }

    /// [rules/bbr3.md rule 3]
    fn packet_lost(&mut self, f: &TcpSock, w: &mut Window, lost: &LostPacket) {
        self.on_packet_lost(f, w, lost);
    }

    /// [rules/bbr3.md rule 23]
    fn set_state(&mut self, f: &TcpSock, w: &mut Window, state: CaState) {
        self.on_ca_state(f, w, state);
    }

    /// The sender restarts from idle [rules/bbr3.md rule 34].
    fn event(&mut self, f: &TcpSock, w: &mut Window, event: Event) {
        if event != Event::TxStart || w.app_limited == 0 {
            return;
        }
        self.idle_restart = true;
        self.aggregation.restart(f.now.us);
        if self.state.is_probe_bw() {
            self.set_pacing_rate(f, w, PERCENT);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(f, w);
        }
    }

    /// [rules/bbr3.md rule 29]
    fn min_tso_segs(&self, _w: &Window) -> Option<u32> {
        Some(MIN_QUANTUM)
    }

    /// Factor of the send buffer, as under version 1 [rules/bbr.md rule 27].
    fn sndbuf_factor(&self) -> u32 {
        3
    }

    fn requires_pacing(&self) -> bool {
        true
    }

    fn set_random(&mut self, random: Stream) {
        self.random = random;
    }

    fn bbr_info(&self, f: &TcpSock) -> Option<BbrInfo> {
        let bw = u64::from(self.bw) * u64::from(f.mss);
        Some(BbrInfo {
            bw: bw.wrapping_mul(1_000_000) >> BW_SCALE,
            min_rtt: self.min_rtt.rtt,
            pacing_gain: self.state.pacing_gain() * 256 / PERCENT,
            cwnd_gain: self.state.cwnd_gain() * 256 / PERCENT,
        })
    }

    fn show_variables(&self, show: VariableSink) {
        show("state", &format_args!("{:?}", self.state));
        show("bw", &self.bw);
        show("max_bw", &self.max_bw.bandwidth());
        show("bw_shortterm", &self.short_term.bw);
        show("min_rtt", &self.min_rtt.rtt);
        show("inflight_longterm", &self.inflight_longterm);
        show("inflight_shortterm", &self.short_term.inflight);
        show("extra_acked", &self.aggregation.extra_acked());
        show("rounds", &self.rounds.count);
        show("rounds_since_probe", &self.rounds.since_probe);
        show("ack_phase", &format_args!("{:?}", self.cycle.ack_phase));
        show("full_bw", &self.full_bw.bw);
        show("full_bw_count", &self.full_bw.count);
        show("full_bw_reached", &self.full_bw.reached);
        show("loss_in_round", &self.latest.loss_in_round);
        show("prior_cwnd", &self.prior_cwnd);
        show("idle_restart", &self.idle_restart);
    }
}

#[cfg(test)]
mod tests;
