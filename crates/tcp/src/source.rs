//! Sources of the rules that a sender follows.

/// Source of the rules that a sender follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The idealisation of slotted analysis.
    Ideal,
    /// ns as the papers used it.
    Ns2,
    /// The RFCs, in bytes.
    Rfc,
    /// BSD, in bytes, on a clock of half seconds.
    Bsd,
}
