//! Reno: the K-th duplicate ACK resends one packet and halves the window [zorzi, section II].
//!
//! Idealised (without inflation), nothing new is sent during recovery; a second loss in the window cannot be repaired
//! and waits for its timeout [zorzi, section IV-E, case 2b]. With inflation, as in RFC 5681 3.2, every further
//! duplicate ACK opens the window by one packet, and the first ACK of new data ends recovery.

use super::fast::FastRecoveryEpisode;
use crate::plan::SendingPlan;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// State of recovery.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Reno {
    episode: FastRecoveryEpisode,
}

impl Strategy for Reno {
    #[inline]
    fn on_new_ack(&mut self, view: &View, _acked: u64, plan: &mut SendingPlan) {
        match self.episode.recover() {
            None => plan.grows_window = true,
            Some(recover) if view.inflation || view.una >= recover => {
                self.episode.end_episode(plan);
            }
            // [zorzi eq. 19]: the ACK of the one retransmission opens the window by one; then
            // nothing happens until the timeout.
            Some(_) => plan.inflate(view),
        }
    }

    #[inline]
    fn grows_on_new_ack(&mut self, _view: &View, _acked: u64) -> bool {
        self.episode.recover().is_none()
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        self.episode.on_duplicate_ack(view, plan);
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        self.episode.on_timeout(view, plan);
    }
}
