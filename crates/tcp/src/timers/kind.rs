//! Kinds of a sender's timers.

/// The timers of a sender, in the order in which they are served where several expire at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerKind {
    /// Probing cycle, which replaces the retransmission timer.
    Probes,
    /// Reordering window of a time-based loss detection [RFC 8985 6.2].
    Reordering,
    /// Tail loss probe [RFC 8985 7].
    TailProbe,
    /// Retransmission timeout.
    Retransmission,
    /// Departure of the next segment, where the congestion control paces.
    Pacing,
}

impl TimerKind {
    pub(crate) const ALL: [TimerKind; 5] = [
        TimerKind::Probes,
        TimerKind::Reordering,
        TimerKind::TailProbe,
        TimerKind::Retransmission,
        TimerKind::Pacing,
    ];
}
