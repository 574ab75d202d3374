//! The proportional reduction of one recovery [RFC 9937, section 6], in bytes.

use super::pipe::missing_bytes;
use crate::reduction::{Prr, PrrBase};
use crate::view::View;
use crate::window::Window;
use airtcp_linux::sender::{Prr as Counters, PrrInput};
use serde::Serialize;

/// Counters of a proportional reduction.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct PrrState {
    /// `prr_delivered`, `prr_out`.
    delivered: u32,
    sent: u32,
    /// `RecoverFS`, or the window.
    base: u32,
    /// Reported after the ACK before, in a recovery or not.
    reported: u64,
    /// Below it all losses are known.
    marked_lost: u64,
    /// The ACK that waits for its step.
    ack: Option<PrrAck>,
    /// Sequence numbers of the fast retransmit, which leave with the first step beside the window.
    first_retransmission: u32,
}

/// Input of the reduction from an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct PrrAck {
    in_flight: u64,
    /// `DeliveredData`.
    delivered: u64,
    lost: u64,
    advanced: bool,
}

impl PrrState {
    /// `DeliveredData` of an ACK of `acked` bytes: the change of SND.UNA plus the change of SACKed bytes.
    pub(super) fn delivered(&mut self, view: &View, acked: u64) -> u64 {
        let before = std::mem::replace(&mut self.reported, view.segments.sacked_ranges().total());
        (acked + self.reported).saturating_sub(before)
    }

    /// The reports are forgotten.
    pub(super) fn clear_ack(&mut self) {
        *self = PrrState::default();
    }

    /// The reports are kept, the reduction is over.
    pub(super) fn stop(&mut self) {
        *self = PrrState { reported: self.reported, ..PrrState::default() };
    }

    /// Begins a recovery with `in_flight` in the network; the ACK that started it delivered `delivered`, of which
    /// `acked` cumulatively [section 6.1].
    pub(super) fn begin(
        &mut self,
        view: &View,
        prr: Prr,
        in_flight: u64,
        (delivered, acked): (u64, u64),
    ) {
        let flight = view.high - view.una;
        let newly = view.segments.sacked_bytes();
        let base = match prr.base {
            PrrBase::Flight => (flight + newly + acked).saturating_sub(self.reported),
            PrrBase::Window => view.cwnd.floor(),
        };
        *self = PrrState {
            base: to_u32(base).max(1),
            reported: self.reported,
            marked_lost: view.segments.lost_below(),
            first_retransmission: view.packet_length(view.una),
            ..PrrState::default()
        };
        self.ack = Some(PrrAck { in_flight, delivered, lost: 1, advanced: acked > 0 });
    }

    /// An ACK within the recovery, after which `in_flight` is in the network.
    pub(super) fn on_ack(&mut self, view: &View, in_flight: u64, delivered: u64, acked: u64) {
        let below = view.segments.lost_below();
        let lost = missing_bytes(view, self.marked_lost.max(view.una), below);
        self.marked_lost = self.marked_lost.max(below);
        self.record_ack(PrrAck { in_flight, delivered, lost, advanced: acked > 0 });
    }

    /// Takes an ACK under time-based detection; `lost` was marked lost by this ACK.
    pub(super) fn on_marks(&mut self, view: &View, lost: u64, (delivered, acked): (u64, u64)) {
        let in_flight = view.segments.in_flight();
        self.record_ack(PrrAck { in_flight, delivered, lost, advanced: acked > 0 });
    }

    fn record_ack(&mut self, ack: PrrAck) {
        if ack.delivered > 0 {
            self.ack = Some(ack);
        }
    }

    /// Takes note that `len` leaves.
    pub(super) fn on_send(&mut self, len: u64) {
        self.sent = self.sent.saturating_add(to_u32(len));
    }

    /// The window after the current ACK.
    pub(super) fn window(&mut self, view: &View) -> Option<Window> {
        let ack = self.ack.take()?;
        let mut counters = Counters { delivered: self.delivered, sent: self.sent };
        let window = counters.allowed_packets(&PrrInput {
            in_flight: to_u32(ack.in_flight),
            ssthresh: to_u32(view.ssthresh.floor()),
            prior_cwnd: self.base,
            delivered: to_u32(ack.delivered),
            lost: to_u32(ack.lost),
            advanced: ack.advanced,
            smss: view.mss,
        });
        self.delivered = counters.delivered;
        self.sent = self.sent.saturating_add(std::mem::take(&mut self.first_retransmission));
        Some(Window::from_whole(window.into()))
    }
}

/// Windows of the RFCs have 32 bits.
fn to_u32(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
