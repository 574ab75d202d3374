//! The options of probing, under the kind for experiments [RFC 6994]. Each begins with kind 253, its length
//! and the identifier of the experiment, "AT":
//!
//! | in | bytes | |
//! |---|---|---|
//! | SYN | 253, 4, "A", "T" | this end answers probes; in the answer to a SYN only if that has it |
//! | probe or answer | 253, 8, "A", "T", type, number (3) | type 1 to 4: PROBE1, PROBE1_ACK, PROBE2, PROBE2_ACK |
//!
//! The eight bytes are a choice [lahanas reading, section 1]; the offer is ours, so that nobody waits for
//! answers of an end that gives none. An answer repeats the lower 24 bits of the number.

use airtcp_tcp::ProbeId;
pub use airtcp_tcp::ProbeKind;

/// Option kind for experiments [RFC 4727, RFC 6994].
pub(super) const KIND: u8 = 253;
/// Identifier of the experiment: "AT".
pub(super) const EXPERIMENT: [u8; 2] = *b"AT";
/// Bytes of the option behind kind and length.
pub(super) const BODY: usize = 6;
/// Mask of the 24 bits of a probe's number.
const NUMBER: u32 = 0x00FF_FFFF;

/// A probe, or the answer to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeOption {
    /// True if this answers a probe.
    pub answer: bool,
    /// The first or the second probe of a cycle.
    pub kind: ProbeKind,
    /// Number of the probe; the wire carries its lower 24 bits.
    pub number: u32,
}

impl ProbeOption {
    /// The probe `id` as it leaves.
    #[must_use]
    pub fn request(id: ProbeId) -> Self {
        ProbeOption { answer: false, kind: id.kind(), number: id.number() }
    }

    /// The probe that this answers, where `last` is the last probe that was sent: the latest one with these 24
    /// bits. `None` if this is no answer, or no probe sent has these bits.
    #[must_use]
    pub fn answered_id(self, last: ProbeId) -> Option<ProbeId> {
        let since = last.number().wrapping_sub(self.number) & NUMBER;
        let number = last.number().checked_sub(since).filter(|number| *number > 0)?;
        self.answer.then(|| ProbeId::new(self.kind, number))
    }

    /// Reads the bytes behind kind and length; `None` if they belong to another experiment.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let rest = body.strip_prefix(&EXPERIMENT)?;
        let word = u32::from_be_bytes(rest.try_into().ok()?);
        let (kind, answer) = match word >> 24 {
            1 => (ProbeKind::First, false),
            2 => (ProbeKind::First, true),
            3 => (ProbeKind::Second, false),
            4 => (ProbeKind::Second, true),
            _ => return None,
        };
        Some(ProbeOption { answer, kind, number: word & NUMBER })
    }

    /// The bytes of the option behind kind and length.
    pub(super) fn body(self) -> [u8; BODY] {
        let first = self.kind == ProbeKind::First;
        let kind = if first { 1 } else { 3 } + u32::from(self.answer);
        let word = (kind << 24 | self.number & NUMBER).to_be_bytes();
        [EXPERIMENT[0], EXPERIMENT[1], word[0], word[1], word[2], word[3]]
    }
}
