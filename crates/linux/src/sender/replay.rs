//! Sets a sender to the observed state of another one, so that a replay does not drift.

use super::Sender;
use super::buffer::UnsentBuffer;
use crate::clock::TimeInUnits;
use crate::congestion::CaState;
use airtcp_core::Instant;

/// Values that a replay takes from its capture; where there is none, the sender decides.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObservedState {
    /// cwnd in packets.
    pub cwnd: Option<u32>,
    /// ssthresh in packets.
    pub ssthresh: Option<u32>,
    /// State of recovery.
    pub state: Option<CaState>,
    /// nxt as that state was entered.
    pub high_seq: Option<u64>,
    /// Bytes per second.
    pub pacing_rate: Option<u64>,
    /// Eight times SRTT in us.
    pub srtt8: Option<u32>,
    /// RTO in jiffies.
    pub rto: Option<u64>,
    /// The metric of reordering.
    pub reordering: Option<u32>,
}

impl Sender {
    /// Sets the observed variables.
    pub fn set_observed_state(&mut self, o: &ObservedState) {
        fn set_if_observed<T>(variable: &mut T, value: Option<T>) {
            if let Some(value) = value {
                *variable = value;
            }
        }
        set_if_observed(&mut self.cc_window.cwnd, o.cwnd);
        set_if_observed(&mut self.cc_window.ssthresh, o.ssthresh);
        set_if_observed(&mut self.state, o.state);
        set_if_observed(&mut self.high_seq, o.high_seq);
        set_if_observed(&mut self.cc_window.pacing_rate, o.pacing_rate);
        set_if_observed(&mut self.rtt.srtt8, o.srtt8);
        set_if_observed(&mut self.rtt.rto, o.rto);
        set_if_observed(&mut self.reordering, o.reordering);
    }
}

impl Sender {
    /// Makes the sender send `seq` to `end`, with a FIN if `fin`: new data leave the buffer regardless of windows, and
    /// even if not yet written; others count as repeated. What this sender would put on the wire for it is not.
    pub fn impose_transmission(&mut self, now: TimeInUnits, seq: u64, end: u64, fin: bool) {
        let before = self.output_queue.len();
        self.assume_written(end - u64::from(fin));
        if fin && end > self.write_seq {
            self.set_fin();
        }
        let end = end.min(self.write_seq);
        let mss = self.current_mss();
        let mut at = seq.max(self.una);
        while at < end.min(self.nxt) {
            let id = self.queue.id_containing(at);
            let packets = self.retransmit_buffer(now, id, 1).unwrap_or(0);
            if packets == 0 || self.queue.packet(id).end() <= at {
                break;
            }
            at = self.queue.packet(id).end();
        }
        while self.nxt < end && !self.unsent.is_empty() {
            self.unsent.fill_front(end - self.nxt);
            let front = self.unsent.front().map_or(0, |front| front.len);
            let buffer = self.unsent.take(front.min((end - self.nxt) as u32));
            self.send_new(now, buffer, mss);
        }
        self.output_queue.truncate(before);
    }
}

impl Sender {
    /// All numbers below `end` were written, whatever room the buffer had; a FIN behind fewer was none.
    fn assume_written(&mut self, end: u64) {
        if end >= self.write_seq && self.unsent.back().is_some_and(|last| last.fin) {
            self.unsent.back().expect("it was there").fin = false;
            self.write_seq -= 1;
        }
        while self.write_seq < end {
            let len = (end - self.write_seq).min(u64::from(self.size_goal()));
            self.unsent.push(UnsentBuffer { len: len as u32, ..UnsentBuffer::default() });
            self.write_seq += len;
            self.reduce_call(len);
        }
    }

    /// While muted, nothing leaves, whatever the windows allow.
    pub fn set_muted(&mut self, on: bool) {
        self.is_muted = on;
    }

    /// BBR's phase at its next entry of `PROBE_BW`; `None`: by chance.
    pub fn force_phase(&mut self, phase: Option<u32>) {
        self.control.force_phase(phase);
    }

    /// Scales BBR's bandwidth and rate by `percent`, and moves its gain cycle to `index`.
    pub fn force_cycle(&mut self, percent: u32, index: Option<u32>) {
        self.control.force_cycle(percent, index);
        self.cc_window.pacing_rate =
            (self.cc_window.pacing_rate / 100).saturating_mul(u64::from(percent));
    }

    /// Lets the next timer expire already at `at`; a burst held back by pacing may leave then.
    pub fn advance_timer_to(&mut self, at: Instant) {
        if self.pacing_timer <= self.timer.at {
            if at < self.pacing_timer {
                (self.pacing_timer, self.departure) = (at, self.departure.min(at.nanos()));
            }
        } else {
            self.timer.at = self.timer.at.min(at);
        }
    }

    /// Returns whether the next timer releases a burst held back by pacing.
    #[must_use]
    pub fn is_pacing_next(&self) -> bool {
        self.pacing_timer <= self.timer.at && self.pacing_timer != Instant::NEVER
    }

    /// Earliest and latest time at which the wheel may fire the timer: the jiffies in which it was armed and to which
    /// it was set may each be one off for somebody who does not see the host's ticks [rules/timers.md rules 2, 3].
    /// `None` where no timer of the wheel is next.
    #[must_use]
    pub fn timer_range(&self) -> Option<(Instant, Instant)> {
        let (at, timer) = (self.timer.at, &self.timer);
        if at == Instant::NEVER || self.pacing_timer <= at {
            return None;
        }
        let fires = |armed: u64, expiry: u64| self.clock.timer_fires_at(armed, expiry.max(armed));
        let early = fires(timer.armed + 1, timer.expiry).min(fires(timer.armed, timer.expiry - 1));
        let late = fires(timer.armed, timer.expiry + 1);
        Some((early.min(at), late.max(at)))
    }
}
