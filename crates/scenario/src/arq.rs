//! Link layers that retransmit, on slots and on a path [chockalingam, section 2].

use crate::input_error::InputError;
use airtcp_core::{Duration, Probability, Size, Span, Stream};
use airtcp_radio::ArqConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Transmissions that `attempts` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Counting {
    /// All transmissions of a fragment [chockalingam reading, section 6].
    #[default]
    Transmissions,
    /// Only transmissions after the first.
    Retransmissions,
}

/// Link layer that cuts packets into fragments and retransmits lost fragments on NAKs (selective repeat). A packet is
/// given up when one of its fragments is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotArq {
    /// Length of a TCP packet (`N_T`), which is cut into ceil(packet / link.packet) fragments. Absent: `fragments`
    /// must be given. Example: `"1400B"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub packet: Option<Size>,
    /// Number of fragments of a TCP packet (F). Absent: `packet` must be given. Example: `10`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 0, max = 1_000_000))]
    pub fragments: Option<u32>,
    /// Largest number of times that a fragment is sent; then its packet is given up (`n_l`). Example: `4`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub attempts: u32,
    /// Transmissions that `attempts` counts: all of a fragment, or only those after the first. Example:
    /// `"retransmissions"`.
    #[serde(default)]
    pub count: Counting,
    /// Delay from the end of a fragment to the arrival of its NAK at the sender, in slots; other fragments are sent
    /// meanwhile. Absent: no delay. Example: `8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 0, max = 1_000_000))]
    pub feedback_delay: Option<u32>,
    /// Probability that a NAK is lost, below 1; a lost NAK is repeated after `feedback_delay` and the airtime of a
    /// fragment. Example: `0.01`.
    #[serde(default = "zero_probability")]
    pub feedback_loss: Probability,
    /// True if packets are delivered in order, so that a packet waits for those sent before it. Example: `false`.
    #[serde(default = "default_true")]
    pub in_order: bool,
}

/// Link layer that cuts packets into fragments and retransmits lost fragments on NAKs (selective repeat). A packet is
/// given up when one of its fragments is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arq {
    /// Payload of a fragment (`N_L`); the last fragment of a packet carries the rest. Example: `"140B"`.
    pub fragment: Size,
    /// Header and checksum of every fragment, in addition to its payload. Absent: none. Example: `"6B"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    pub overhead: Option<Size>,
    /// Largest number of times that a fragment is sent; then its packet is given up (`n_l`). Example: `4`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub attempts: u32,
    /// Transmissions that `attempts` counts: all of a fragment, or only those after the first. Example:
    /// `"retransmissions"`.
    #[serde(default)]
    pub count: Counting,
    /// Delay from the end of a fragment to the arrival of its NAK at the sender; other fragments are sent meanwhile.
    /// Absent: no delay. Example: `"20ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub feedback_delay: Option<Duration>,
    /// Probability that a NAK is lost, below 1; a lost NAK is repeated after `feedback_delay` and the airtime of a
    /// fragment. Example: `0.01`.
    #[serde(default = "zero_probability")]
    pub feedback_loss: Probability,
    /// True if packets are delivered in order, so that a packet waits for those sent before it. Example: `false`.
    #[serde(default = "default_true")]
    pub in_order: bool,
}

fn zero_probability() -> Probability {
    Probability::ZERO
}

fn default_true() -> bool {
    true
}

impl Counting {
    fn total_transmissions(self, attempts: u32) -> u32 {
        attempts + u32::from(self == Counting::Retransmissions)
    }
}

impl SlotArq {
    /// Number of fragments of a TCP packet, each of length `fragment`.
    #[must_use]
    pub fn fragments(&self, fragment: Size) -> u64 {
        let cut = self.packet.map(|packet| packet.bytes().div_ceil(fragment.bytes()));
        cut.unwrap_or_else(|| self.fragments.unwrap_or(1).into())
    }

    /// Bits of a TCP packet.
    #[must_use]
    pub fn packet_bits(&self, fragment: Size) -> u64 {
        let whole = self.fragments(fragment).saturating_mul(fragment.bits());
        self.packet.map_or(whole, Size::bits)
    }

    /// Configures the link layer for fragments of length `fragment` and slots of length `slot`.
    #[must_use]
    pub fn config(&self, fragment: Size, slot: Span, feedback: Stream) -> ArqConfig {
        ArqConfig {
            payload: fragment.bits(),
            overhead: 0,
            attempts: self.count.total_transmissions(self.attempts),
            feedback_delay: slot * self.feedback_delay.unwrap_or(0).into(),
            feedback_loss: self.feedback_loss.value(),
            feedback,
            in_order: self.in_order,
        }
    }

    pub(crate) fn validate(&self, place: &str) -> Result<(), InputError> {
        let at = |key: &str| format!("{place}.{key}");
        match (self.packet, self.fragments) {
            (None, None) => {
                let message = "missing; give the length of a TCP packet, or fragments";
                return Err(InputError::new(at("packet"), message));
            }
            (Some(packet), Some(_)) => {
                let message = format!("give either this or packet, {packet}");
                return Err(InputError::new(at("fragments"), message));
            }
            (None, Some(0)) => {
                let message = "0 fragments carry nothing; give at least 1";
                return Err(InputError::new(at("fragments"), message));
            }
            _ => {}
        }
        check_attempts(self.attempts, self.count, place)?;
        check_feedback(self.feedback_loss, place)
    }
}

impl Arq {
    /// The link layer.
    #[must_use]
    pub fn config(&self, feedback: Stream) -> ArqConfig {
        ArqConfig {
            payload: self.fragment.bits(),
            overhead: self.overhead.map_or(0, Size::bits),
            attempts: self.count.total_transmissions(self.attempts),
            feedback_delay: self.feedback_delay.map_or(Span::ZERO, Duration::span),
            feedback_loss: self.feedback_loss.value(),
            feedback,
            in_order: self.in_order,
        }
    }

    /// Length on the air of the first fragment of `packet`.
    #[must_use]
    pub fn first_fragment(&self, packet: Size) -> Size {
        let carried = self.fragment.min(packet).bytes();
        Size::from_bytes(carried + self.overhead.map_or(0, Size::bytes))
    }

    pub(crate) fn validate(&self, place: &str) -> Result<(), InputError> {
        check_attempts(self.attempts, self.count, place)?;
        check_feedback(self.feedback_loss, place)
    }
}

fn check_attempts(attempts: u32, count: Counting, place: &str) -> Result<(), InputError> {
    if count.total_transmissions(attempts) > 0 {
        return Ok(());
    }
    let message = "0 transmissions send nothing; give at least 1, or count = \"retransmissions\"";
    Err(InputError::new(format!("{place}.attempts"), message))
}

fn check_feedback(loss: Probability, place: &str) -> Result<(), InputError> {
    if loss < Probability::ONE {
        return Ok(());
    }
    let message = "1 loses every NAK; must be below 1";
    Err(InputError::new(format!("{place}.feedback_loss"), message))
}

/// Length that is transmitted at once: the length of a packet, or with `arq` of a fragment.
pub(crate) fn transmitted_size(packet: Size, arq: Option<&Arq>) -> Size {
    arq.map_or(packet, |arq| arq.first_fragment(packet))
}
