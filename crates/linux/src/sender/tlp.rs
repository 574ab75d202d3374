//! The episode of a tail loss probe [rules/timers.md C, RFC 8985 section 7].

/// The episode of a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TailProbeEpisode {
    /// nxt after the probe (`TLP.end_seq`); none: no episode.
    pub high_seq: Option<u64>,
    /// True if the probe was a retransmission.
    pub retransmission: bool,
}

/// End of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeOutcome {
    /// Both the original and the probe arrived; no loss was found.
    Arrived,
    /// The probe repaired a loss: the window is to answer it.
    Repaired,
}

impl TailProbeEpisode {
    /// End of the episode by an ACK of all below `una`; `dsack`: it reports the probe to have been superfluous, `duplicate`:
    /// it is a pure duplicate without blocks. None: it goes on, or there is none [rules/timers.md rule 21, RFC 8985 7.4.2].
    #[must_use]
    #[inline]
    pub fn outcome_of_ack(&self, una: u64, dsack: bool, duplicate: bool) -> Option<ProbeOutcome> {
        let high = self.high_seq.filter(|high| una >= *high)?;
        if !self.retransmission || dsack {
            Some(ProbeOutcome::Arrived)
        } else if una > high {
            Some(ProbeOutcome::Repaired)
        } else {
            duplicate.then_some(ProbeOutcome::Arrived)
        }
    }
}
