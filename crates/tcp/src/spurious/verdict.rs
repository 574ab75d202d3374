//! Verdict of a watcher on an ACK.

/// Verdict on an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeoutVerdict {
    /// The variant continues unchanged.
    Nothing,
    /// Two new segments instead of old ones [RFC 5682 2.1, step 2b].
    Probe,
    /// The timeout was genuine, but new data were sent instead of retransmissions [RFC 5682 2.1, step 3a].
    Genuine,
    /// The timeout was spurious.
    Spurious,
}
