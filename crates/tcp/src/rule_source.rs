//! Sources of the rules that a sender follows.

/// Source of the rules that a sender follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// Idealised TCP of slotted analysis.
    Ideal,
    /// The simulator ns, as the papers used it.
    Ns2,
    /// The RFCs; sequence numbers count bytes.
    Rfc,
    /// BSD; sequence numbers count bytes, and timers tick every 500 ms.
    Bsd,
}
