//! SACK: during recovery the sender keeps the data estimated to be in the network (the pipe) at the window; it sends
//! data known to be lost first, then new data [RFC 6675]. The timer is the standard one [RFC 6675, section 6].
//!
//! After a timeout all SACK reports are discarded [RFC 2018, section 5], and the sender resends from the first
//! unacknowledged segment; data reported again meanwhile is not resent and does not count as in the network [RFC 6675
//! 5.1].

use super::pipe::{highest_missing, missing_bytes, next_missing, pipe};
use super::proportion::PrrState;
use super::resent::RetransmittedAtTimeout;
use crate::plan::{Cwnd, NextPacket, SendingPlan};
use crate::reduction::Reduction;
use crate::strategy::Strategy;
use crate::view::View;
use crate::window::Window;
use serde::Serialize;

/// Pipe and phase. Each number is one past the RFC's variable of that name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Sack {
    recovering: bool,
    /// `RecoveryPoint`.
    recover: u64,
    /// `HighRxt`.
    resent_to: u64,
    /// `RescueRxt`.
    rescue_retransmit_end: u64,
    pipe: u64,
    resent: RetransmittedAtTimeout,
    /// Counters of a proportional reduction; idle without one.
    proportion: PrrState,
}

impl Sack {
    /// An ACK with a new report while not in recovery [section 5, steps 1 to 3].
    fn on_report(&mut self, view: &View, arrived: (u64, u64), plan: &mut SendingPlan) {
        if view.una < self.recover {
            return; // No recovery before all is acknowledged that was sent at a timeout [5.1].
        }
        if view.is_first_lost {
            self.enter(view, arrived, plan);
        } else {
            plan.allow_beyond_window(view, view.segments.sacked_ranges().total()); // 3.3: cwnd - pipe
        }
    }

    /// Steps 4.1 to 4.4; `arrived`: sequence numbers that the ACK delivered, and that it acknowledged.
    fn enter(&mut self, view: &View, arrived: (u64, u64), plan: &mut SendingPlan) {
        self.recovering = true;
        self.recover = view.high;
        self.resent_to = view.una + u64::from(view.packet_length(view.una));
        self.rescue_retransmit_end = self.resent_to;
        self.pipe = pipe(view, self.resent_to);
        plan.enter_fast_recovery(view);
        plan.cwnd = Some(Cwnd::Threshold { packets_above: 0 });
        plan.grows_window = false;
        if let Reduction::Prr(prr) = view.reduction {
            self.proportion.begin(view, prr, pipe(view, view.una), arrived);
        }
    }

    /// Sequence numbers that the current ACK delivered, if proportional rate reduction needs them.
    fn delivered(&mut self, view: &View, acked: u64) -> u64 {
        match view.reduction {
            Reduction::Prr(_) => self.proportion.delivered(view, acked),
            Reduction::AtOnce(_) => 0,
        }
    }

    /// Step B; under proportional rate reduction, the data in flight set the window.
    fn on_ack_in_recovery(&mut self, view: &View, (delivered, acked): (u64, u64)) {
        self.pipe = pipe(view, self.resent_to);
        if let Reduction::Prr(_) = view.reduction {
            self.proportion.on_ack(view, self.pipe, delivered, acked);
        }
    }

    /// Adds sent data to the pipe.
    fn count_in_pipe(&mut self, len: u64) {
        self.pipe += len; // C.4
        self.proportion.on_send(len);
    }

    /// Step C.1: `NextSeg()` and the update of the pipe.
    fn next_segment(&mut self, view: &View) -> NextPacket {
        let mss = u64::from(view.mss);
        if view.cwnd.floor() < self.pipe + mss {
            return NextPacket::Nothing;
        }
        let hole = view.segments.sacked_ranges().first_hole(self.resent_to.max(view.una));
        if let Some(seq) = hole.filter(|seq| *seq < view.segments.lost_below()) {
            return self.record_retransmission(view, seq); // Rule 1.
        }
        if view.can_send_new() {
            self.count_in_pipe(view.packet_length(view.next).into());
            return NextPacket::New; // Rule 2.
        }
        if let Some(seq) = hole {
            return self.record_retransmission(view, seq); // Rule 3.
        }
        let last = highest_missing(view).filter(|_| view.una > self.rescue_retransmit_end);
        let Some(last) = last else { return NextPacket::Nothing };
        self.rescue_retransmit_end = self.recover; // Rule 4.
        let seq = (last - last % mss).max(view.una);
        self.count_in_pipe(view.packet_length(seq).into());
        NextPacket::Retransmit(seq)
    }

    fn record_retransmission(&mut self, view: &View, seq: u64) -> NextPacket {
        let len = u64::from(view.packet_length(seq));
        self.resent_to = seq + len; // C.2
        self.count_in_pipe(len);
        NextPacket::Retransmit(seq)
    }

    /// Chooses after a timeout the next segment from where the sender went back to, skipping SACKed data.
    fn choose_with_prr(view: &View) -> NextPacket {
        let seq = next_missing(view, view.next);
        let len = u64::from(view.packet_length(seq));
        let pipe = missing_bytes(view, view.una, view.next);
        let fits = pipe + len <= view.cwnd.floor() && seq + len <= view.una + view.rwnd;
        if len > 0 && fits { NextPacket::Retransmit(seq) } else { NextPacket::Nothing }
    }
}

impl Strategy for Sack {
    #[inline]
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        let reports = view.segments.sacked_bytes() > 0;
        let delivered = self.delivered(view, acked);
        plan.inflation = Some(0);
        if !self.recovering {
            plan.grows_window = true;
            if reports {
                plan.dupack_count = Some(1);
                self.on_report(view, (delivered, acked), plan);
            }
        } else if view.una >= self.recover {
            self.recovering = false; // Step A: the reports stay.
            plan.cwnd = view.reduction.needs_sack().then_some(Cwnd::Threshold { packets_above: 0 });
        } else {
            self.on_ack_in_recovery(view, (delivered, acked));
        }
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        let reports = view.segments.sacked_bytes() > 0;
        let delivered = self.delivered(view, 0);
        if self.recovering {
            self.on_ack_in_recovery(view, (delivered, 0));
        } else if reports {
            self.on_report(view, (delivered, 0), plan);
        } else {
            plan.dupack_count = Some(view.dupacks - 1);
        }
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        plan.clears_sack = true;
        self.proportion.clear_ack();
        self.recovering = false;
        self.recover = view.high; // 5.1
        self.resent.on_timeout(view, false, plan);
    }

    fn window_after_reduction(&mut self, view: &View) -> Option<Window> {
        if self.recovering { self.proportion.window(view) } else { None }
    }

    #[inline]
    fn next_segment(&mut self, view: &View) -> NextPacket {
        if self.recovering {
            self.next_segment(view)
        } else if view.una < self.recover {
            Self::choose_with_prr(view)
        } else {
            NextPacket::Window
        }
    }
    fn on_undo(&mut self, view: &View) {
        self.recover = view.una;
        self.resent = RetransmittedAtTimeout::default();
    }
}
