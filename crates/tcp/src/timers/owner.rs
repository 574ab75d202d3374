//! Owners of a sender's timers.

/// The timers of a sender, in the order in which they are served where several expire at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Probes take the place of retransmissions during a cycle.
    Probes,
    /// A loss detection by times waits for what may be late.
    Reordering,
    /// ACKs stay away: a tail loss probe.
    TailProbe,
    /// Retransmissions.
    Retransmission,
    /// The next segment, where the congestion control sets a rate.
    Pacing,
}

impl Owner {
    pub(crate) const ALL: [Owner; 5] =
        [Owner::Probes, Owner::Reordering, Owner::TailProbe, Owner::Retransmission, Owner::Pacing];
}
