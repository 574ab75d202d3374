//! SACK: as NewReno, but the sender resends every missing packet that it knows of, one after the other, without waiting
//! for the ACK of the previous one [zorzi, section V: under instant feedback "SACK TCP and TCP NewReno behave
//! identically"].
//!
//! Idealised: SACK reports are kept until a timeout; each missing packet is resent once; everything missing below a
//! report counts as lost, and there is no pipe. Without inflation nothing new is sent during recovery. So it differs
//! from NewReno only after a retransmission is lost: the other retransmissions still go out.

use super::fast::FastRecoveryEpisode;
use crate::plan::{NextPacket, SendingPlan};
use crate::strategy::Strategy;
use crate::view::View;
use serde::Serialize;

/// State of recovery.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Sack {
    episode: FastRecoveryEpisode,
    /// The first packet that was not resent in this recovery.
    resent_to: u64,
}

impl Sack {
    /// The next hole in what was outstanding when recovery began.
    fn hole(&self, view: &View, recover: u64) -> Option<u64> {
        view.segments
            .sacked_ranges()
            .first_hole(self.resent_to.max(view.una))
            .filter(|hole| *hole < recover)
    }
}

impl Strategy for Sack {
    #[inline]
    fn on_new_ack(&mut self, view: &View, acked: u64, plan: &mut SendingPlan) {
        match self.episode.recover() {
            None => plan.grows_window = true,
            Some(recover) if view.una >= recover => self.episode.end_episode(plan),
            Some(_) if view.inflation => plan.deflate(view, acked),
            Some(_) => plan.inflate(view),
        }
    }

    fn on_duplicate_ack(&mut self, view: &View, plan: &mut SendingPlan) {
        let before = self.episode.recover();
        self.episode.on_duplicate_ack(view, plan);
        if before.is_none() {
            self.resent_to = view.una + 1;
        }
        plan.suspend = None; // `choose` says what is sent in recovery.
    }

    fn on_timeout(&mut self, view: &View, plan: &mut SendingPlan) {
        plan.clears_sack = true;
        self.episode.on_timeout(view, plan);
    }

    #[inline]
    fn next_segment(&mut self, view: &View) -> NextPacket {
        let Some(recover) = self.episode.recover() else { return NextPacket::Window };
        match self.hole(view, recover) {
            Some(hole) => {
                self.resent_to = hole + 1;
                NextPacket::Retransmit(hole)
            }
            None if view.inflation => NextPacket::Window,
            None => NextPacket::Nothing,
        }
    }
}
