//! NewReno: as Reno, but an ACK of part of the window resends the next missing packet, until everything outstanding at
//! the fast retransmit is acknowledged [zorzi, section IV-G; RFC 6582 3.2].
//!
//! Idealised (without inflation), nothing new is sent during recovery.

use super::fast::FastRecoveryEpisode;
use crate::plan::SendingPlan;
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// State of recovery.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct NewReno {
    episode: FastRecoveryEpisode,
}

impl Strategy for NewReno {
    #[inline]
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        match self.episode.recover() {
            None => plan.grows_window = true,
            Some(recover) if view.una >= recover => self.episode.end_episode(plan),
            Some(_) => {
                plan.retransmit = Some(view.una);
                if view.inflation {
                    plan.deflate(view, acked);
                } else {
                    plan.inflate(view);
                }
            }
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
