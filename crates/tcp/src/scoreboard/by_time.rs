//! Questions of a detection by times to the segments, and its marks in them.

use super::found::{Delivery, LossRecord};
use super::history::{History, SentSegment, State};
use airtcp_core::Instant;

impl History {
    /// Segments that the current ACK delivers, in ascending order after [`History::end_reports`].
    pub(crate) fn deliveries(&self) -> &[Delivery] {
        self.deliveries.as_deref().unwrap_or_default()
    }

    /// An ACK begins.
    pub(crate) fn begin_ack(&mut self) {
        self.deliveries.iter_mut().for_each(Vec::clear);
    }

    /// Sorts the deliveries of an ACK after its blocks, which come in any order, were entered.
    pub(crate) fn end_reports(&mut self) {
        self.deliveries
            .iter_mut()
            .for_each(|all| all.sort_unstable_by_key(|delivery| delivery.end));
    }

    /// Losses that the detection found at this input.
    pub(crate) fn detected_losses(&self) -> LossRecord {
        self.losses
    }

    /// Records whether a probe has repaired a loss.
    pub(crate) fn record_probe_repair(&mut self, repaired: bool) {
        self.losses.repaired = repaired;
    }

    /// The first segment that is lost and was not sent again since.
    pub(crate) fn first_lost(&self) -> Option<u64> {
        if self.sums.lost == 0 {
            return None;
        }
        self.sent.iter().find(|sent| sent.state == State::Lost).map(|sent| sent.seq)
    }

    /// The last segment.
    pub(crate) fn last(&self) -> Option<u64> {
        self.sent.back().map(|sent| sent.seq)
    }

    /// Marks overdue segments as lost. `remaining` gives the time that a segment with this send time and order may
    /// still take: zero or less if lost, `None` if it and all later ones are not suspected. Returns the longest
    /// remaining time.
    pub(crate) fn mark_overdue(
        &mut self,
        remaining: impl Fn(Instant, u64) -> Option<i64>,
    ) -> Option<i64> {
        self.losses = LossRecord::default();
        let (mut longest, mut resent) = (None, self.sums.resent);
        for at in 0..self.sent.len() {
            let SentSegment { last_sent, send_order: place, transmissions: times, state, .. } =
                self.sent[at];
            resent -= if times > 1 { self.sent[at].len() } else { 0 };
            if state != State::InFlight {
                continue;
            }
            match remaining(last_sent, place) {
                // Segments that were sent once lie in the order of sending.
                None if times == 1 && resent == 0 => break,
                None => {}
                Some(wait) if wait > 0 => longest = longest.max(Some(wait)),
                Some(_) => self.record_lost(at),
            }
        }
        longest
    }

    fn record_lost(&mut self, at: usize) {
        let LossRecord { lost, newest, .. } = &mut self.losses;
        *lost += self.sent[at].len();
        *newest = (*newest).max(self.sent[at].last_sent);
        self.mark_lost_at_index(at);
    }
}
