//! BBR, version 1 [rules/bbr.md B to D; Cardwell et al., "BBR: Congestion-based congestion control",
//! ACM Queue 2016].
//!
//! Gains have 8 fractional bits; bandwidths are packets per us with 24.

mod aggregation;
mod bandwidth;
mod burst;
mod cwnd;
mod cycle;
mod long_term;
mod min_rtt;
mod pacing;
mod parameters;
mod policer;
mod startup;

use airtcp_core::Stream;

use self::aggregation::Aggregation;
use self::long_term::LongTerm;
use self::parameters::{BW_SCALE, DRAIN_GAIN, HIGH_GAIN, NO_RTT, UNIT};
use super::{
    BbrInfo, CaState, Event, INFINITE_SSTHRESH, Module, RateSample, TcpSock, VariableSink, Window,
};
use crate::minmax::MinMax;

/// Mode of BBR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Doubles its rate per round until the bandwidth stops growing.
    Startup,
    /// Empties the queue.
    Drain,
    /// Holds the bandwidth and probes for more by a cycle of gains.
    ProbeBw,
    /// Holds four packets to see the round trip without a queue.
    ProbeRtt,
}

/// BBR's state; times in us, or in jiffies modulo 2^32 where a name ends in `stamp`.
#[derive(Clone, Debug)]
pub struct Bbr {
    /// Present mode.
    pub mode: Mode,
    /// Largest bandwidth of ten rounds.
    bw: MinMax,
    /// Rounds so far, and at which `delivered` the next begins.
    rounds: u32,
    next_round: u32,
    round_start: bool,
    /// Smallest round trip, and when it was seen.
    pub min_rtt: u32,
    min_rtt_stamp: u32,
    /// Time at which `PROBE_RTT` may end; 0 if its duration has not begun.
    probe_rtt_done_stamp: u32,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    /// The pacing gain in force.
    pub pacing_gain: u32,
    /// The cwnd gain in force.
    pub cwnd_gain: u32,
    /// Place in the cycle of gains.
    pub cycle_index: u32,
    cycle_start_us: u64,
    full_bw: u32,
    full_bw_count: u32,
    /// True if startup filled the pipe.
    pub full_pipe: bool,
    prior_state: CaState,
    packet_conservation: bool,
    prior_cwnd: u32,
    has_seen_rtt: bool,
    aggregation: Aggregation,
    long_term: LongTerm,
    random: Stream,
    forced_phase: Option<u32>,
}

impl Default for Bbr {
    fn default() -> Self {
        Bbr {
            mode: Mode::Startup,
            bw: MinMax::new(0, 0),
            rounds: 0,
            next_round: 0,
            round_start: false,
            min_rtt: NO_RTT,
            min_rtt_stamp: 0,
            probe_rtt_done_stamp: 0,
            probe_rtt_round_done: false,
            idle_restart: false,
            pacing_gain: UNIT,
            cwnd_gain: UNIT,
            cycle_index: 0,
            cycle_start_us: 0,
            full_bw: 0,
            full_bw_count: 0,
            full_pipe: false,
            prior_state: CaState::Open,
            packet_conservation: false,
            prior_cwnd: 0,
            has_seen_rtt: false,
            aggregation: Aggregation::default(),
            long_term: LongTerm::default(),
            random: Stream::new(0, "bbr", 0),
            forced_phase: None,
        }
    }
}

impl Bbr {
    /// [rules/bbr.md rule 8]
    fn update_aggregation(&mut self, f: &TcpSock, w: &Window, s: &RateSample) {
        if s.acked_sacked == 0 || !s.has_rate() {
            return;
        }
        let bw = self.bandwidth();
        if self.round_start {
            self.aggregation.advance_round();
        }
        self.aggregation.update(f, w, s.acked_sacked, bw);
    }

    /// [rules/bbr.md rule 13]
    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw => (self.cycle_gain(), 2 * UNIT),
            Mode::ProbeRtt => (UNIT, UNIT),
        };
    }

    /// The mode to which `PROBE_RTT` returns [rules/bbr.md rule 12].
    fn leave_probe_rtt(&mut self, f: &TcpSock) {
        if self.full_pipe {
            self.enter_probe_bw(f);
        } else {
            self.mode = Mode::Startup;
        }
    }
}

impl Module for Bbr {
    /// [rules/bbr.md rule 21]
    fn init(&mut self, f: &TcpSock, w: &mut Window) {
        *self = Bbr {
            random: self.random.clone(),
            forced_phase: self.forced_phase,
            next_round: f.delivered,
            min_rtt: f.min_rtt,
            min_rtt_stamp: f.now.jiffies as u32,
            aggregation: Aggregation::from_start(f.now.us),
            ..Bbr::default()
        };
        w.ssthresh = INFINITE_SSTHRESH;
        self.long_term.begin_interval(f);
        self.init_pacing_rate(f, w);
    }

    /// Leaves ssthresh as it is [rules/bbr.md rule 19].
    fn ssthresh(&mut self, _f: &TcpSock, w: &mut Window) -> u32 {
        self.save_cwnd(w);
        w.ssthresh
    }

    /// [rules/bbr.md rule 24]
    fn undo_cwnd(&mut self, f: &TcpSock, w: &mut Window) -> u32 {
        (self.full_bw, self.full_bw_count) = (0, 0);
        self.long_term.reset(f);
        w.cwnd
    }

    fn has_cong_control(&self) -> bool {
        true
    }

    /// [rules/bbr.md C]
    fn cong_control(&mut self, f: &TcpSock, w: &mut Window, s: &RateSample) {
        self.update_bandwidth(f, s);
        self.update_aggregation(f, w, s);
        self.update_cycle(f, w, s);
        self.check_full_pipe(s);
        self.check_drain(f, w);
        self.update_min_rtt(f, w, s);
        self.update_gains();
        self.set_pacing_rate(f, w, self.pacing_gain);
        self.set_cwnd(f, w, s);
    }

    /// [rules/bbr.md rule 23]
    fn set_state(&mut self, f: &TcpSock, _w: &mut Window, state: CaState) {
        if state == CaState::Loss {
            self.prior_state = state;
            self.full_bw = 0;
            self.round_start = true;
            self.sample_long_term(f, 1, false);
        }
    }

    /// [rules/bbr.md rule 22]
    fn event(&mut self, f: &TcpSock, w: &mut Window, event: Event) {
        if event != Event::TxStart || w.app_limited == 0 {
            return;
        }
        self.idle_restart = true;
        self.aggregation.restart(f.now.us);
        match self.mode {
            Mode::ProbeBw => self.set_pacing_rate(f, w, UNIT),
            Mode::ProbeRtt => self.check_probe_rtt_done(f, w),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn min_tso_segs(&self, w: &Window) -> Option<u32> {
        Some(burst::min_burst(w))
    }

    /// [rules/bbr.md rule 27]
    fn sndbuf_factor(&self) -> u32 {
        3
    }

    fn requires_pacing(&self) -> bool {
        true
    }

    fn set_random(&mut self, random: Stream) {
        self.random = random;
    }

    fn force_phase(&mut self, index: Option<u32>) {
        self.forced_phase = index;
    }

    fn force_cycle(&mut self, percent: u32, index: Option<u32>) {
        let bw = u64::from(self.max_bandwidth()) * u64::from(percent) / 100;
        self.bw = MinMax::new(self.rounds, u32::try_from(bw).unwrap_or(u32::MAX));
        if let Some(index) = index.filter(|_| self.mode == Mode::ProbeBw) {
            self.cycle_index = index % 8;
            self.pacing_gain = self.cycle_gain();
        }
    }

    fn bbr_info(&self, f: &TcpSock) -> Option<BbrInfo> {
        let bw = u64::from(self.bandwidth()) * u64::from(f.mss);
        Some(BbrInfo {
            bw: bw.wrapping_mul(1_000_000) >> BW_SCALE,
            min_rtt: self.min_rtt,
            pacing_gain: self.pacing_gain,
            cwnd_gain: self.cwnd_gain,
        })
    }

    fn show_variables(&self, show: VariableSink) {
        show("mode", &format_args!("{:?}", self.mode));
        show("bw", &self.bandwidth());
        show("min_rtt", &self.min_rtt);
        show("pacing_gain", &self.pacing_gain);
        show("cwnd_gain", &self.cwnd_gain);
        show("cycle_index", &self.cycle_index);
        show("rounds", &self.rounds);
        show("full_bw", &self.full_bw);
        show("full_bw_count", &self.full_bw_count);
        show("full_pipe", &self.full_pipe);
        show("extra_acked", &self.aggregation.extra());
        show("long_term_bw", &self.long_term.bw);
        show("long_term_in_use", &self.long_term.in_use);
        show("packet_conservation", &self.packet_conservation);
        show("prior_cwnd", &self.prior_cwnd);
        show("idle_restart", &self.idle_restart);
    }
}

#[cfg(test)]
mod pipe;
#[cfg(test)]
mod tests;
