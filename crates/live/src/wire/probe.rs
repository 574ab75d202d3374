//! The option of a probe and of its answer, under the kind for experiments [RFC 6994].
//!
//! Eight bytes [lahanas reading, section 1]: kind 253, length, the identifier of the experiment "AT", and
//! 32 bits of which the first says whether it is an answer, the second which of the two probes of a cycle
//! it is; the others are its number.

/// Kind for experiments [RFC 4727, RFC 6994].
pub(super) const KIND: u8 = 253;
/// Identifier of the experiment: "AT".
const EXPERIMENT: [u8; 2] = *b"AT";
/// Bytes of the option behind kind and length.
pub(super) const BODY: usize = 6;
const ANSWER: u32 = 1 << 31;
const SECOND: u32 = 1 << 30;

/// Which of the two probes of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeKind {
    /// PROBE1.
    First,
    /// PROBE2.
    Second,
}

/// A probe, or the answer to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeOption {
    /// Whether this answers a probe.
    pub answer: bool,
    /// Which of the two.
    pub kind: ProbeKind,
    /// Its number, in 30 bits; higher ones are lost on the wire.
    pub number: u32,
}

impl ProbeOption {
    /// Reads what lies behind kind and length; `None` if that is another experiment.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let rest = body.strip_prefix(&EXPERIMENT)?;
        let word = u32::from_be_bytes(rest.try_into().ok()?);
        let kind = if word & SECOND == 0 { ProbeKind::First } else { ProbeKind::Second };
        Some(ProbeOption { answer: word & ANSWER != 0, kind, number: word & (SECOND - 1) })
    }

    /// What lies behind kind and length.
    pub(super) fn body(self) -> [u8; BODY] {
        let answer = if self.answer { ANSWER } else { 0 };
        let kind = if self.kind == ProbeKind::Second { SECOND } else { 0 };
        let word = (answer | kind | self.number & (SECOND - 1)).to_be_bytes();
        [EXPERIMENT[0], EXPERIMENT[1], word[0], word[1], word[2], word[3]]
    }
}
