//! State of the cycle of `ProbeBW` and of its probes [rules/bbr3.md rules 15 to 18].

/// Stage of a probe, by the packets that the ACKs of the present round are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    /// No probe is under way.
    #[default]
    Init,
    /// The pipe is being filled.
    Refilling,
    /// The probe has begun; its packets are not acknowledged yet.
    ProbeStarting,
    /// Packets of the probe are acknowledged.
    ProbeFeedback,
    /// The probe has ended; some of its packets are not acknowledged yet.
    ProbeStopping,
}

/// The cycle and its probes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    pub(super) ack_phase: AckPhase,
    /// Packets lost now were sent by a probe that is not judged yet.
    pub(super) is_probe_sample: bool,
    /// Start of the cycle, and longest wait until the next probe, in us.
    pub(super) start_us: u64,
    pub(super) wait_us: u64,
    /// The last probe lost too much; it stopped where an earlier one had.
    pub(super) too_high: bool,
    pub(super) precautionary: bool,
}
