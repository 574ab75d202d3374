//! Options negotiated by the two SYNs of a connection.

use super::settings::Settings;
use crate::wire::{Options, Timestamps};
use airtcp_core::Span;
use airtcp_tcp::{
    Detection, ReceiverConfig, Reduction, SackConfig, SenderConfig, Spurious, TimerConfig,
};

/// MSS of an end that names none [RFC 9293 3.7.1].
const DEFAULT_MSS: u16 = 536;
/// Smallest MSS that is accepted: smaller ones multiply packets [as Linux's tcp_min_snd_mss].
const MIN_MSS: u16 = 48;
/// Largest shift of windows [RFC 7323 2.3].
const MAX_SHIFT: u8 = 14;
/// Bytes of the timestamps option with its padding [RFC 7323, appendix A].
pub(super) const STAMP_BYTES: u32 = 12;
/// Timeout after a handshake that had to be repeated [RFC 6298 5.7].
const RTO_AFTER_SYN_LOSS: Span = Span::from_nanos(3_000_000_000);

/// Options that both ends agreed on in the handshake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Negotiated {
    /// Payload of a full packet to the other end.
    pub(super) mss: u32,
    /// Shift of the windows that come in.
    pub(super) their_shift: u8,
    /// Shift of the windows that go out.
    pub(super) our_shift: u8,
    /// The clock of the other end at its SYN, if both have timestamps.
    pub(super) their_clock: Option<u32>,
    /// True if the other end understands SACK.
    pub(super) sack: bool,
    /// True if the other end answers probes.
    pub(super) probes: bool,
}

impl Negotiated {
    /// Derives them from the options of the other end's SYN.
    pub(super) fn new(settings: &Settings, theirs: &Options) -> Self {
        let mss = theirs.mss.unwrap_or(DEFAULT_MSS).clamp(MIN_MSS, settings.mss());
        let their_shift = theirs.scale.filter(|_| settings.scaling);
        let their_clock = theirs.timestamps.filter(|_| settings.timestamps).map(|t| t.value);
        let options = if their_clock.is_some() { STAMP_BYTES } else { 0 };
        Negotiated {
            mss: u32::from(mss) - options,
            their_shift: their_shift.unwrap_or(0).min(MAX_SHIFT),
            our_shift: their_shift.map_or(0, |_| shift(settings.receive_buffer)),
            their_clock,
            sack: theirs.sack_permitted,
            probes: theirs.probes,
        }
    }

    /// The settings of the sender under this agreement; `repeated` is true if the SYN was sent more
    /// than once.
    pub(super) fn sender(&self, settings: &Settings, repeated: bool) -> SenderConfig {
        let mut config = SenderConfig { mss: self.mss, ..settings.sender };
        let needs = config.variant.capabilities();
        if (needs.sacks && !self.sack) || (needs.probes && !self.probes) {
            config.variant = config.variant.without_fast_recovery(); // Nothing would ever be reported, or answered.
            config.detection = Some(Detection::default_for(false));
            config.reduction = Reduction::default();
        }
        if config.spurious.timestamps() && self.their_clock.is_none() {
            config.spurious = Spurious::None;
        }
        if repeated {
            config.initial_window = 1; // RFC 5681 3.1
            if let TimerConfig::Rfc6298 { initial, most, .. } = &mut config.timer {
                *initial = (*initial).max(RTO_AFTER_SYN_LOSS).min(*most);
            }
        }
        config
    }

    /// The settings of the receiver under this agreement.
    pub(super) fn receiver(&self, settings: &Settings) -> ReceiverConfig {
        let timestamps = self.their_clock.is_some();
        let blocks =
            if timestamps { SackConfig::RFC2018_WITH_TIMESTAMPS } else { SackConfig::RFC2018 };
        ReceiverConfig {
            delayed_ack: settings.delayed_ack,
            mss: self.mss,
            timestamps,
            // The FIN takes a number behind the last byte.
            ..ReceiverConfig::immediate(
                u64::from(settings.receive_buffer) + 1,
                0,
                self.sack.then_some(blocks),
            )
        }
    }
}

/// The options of a SYN; one that answers another SYN (`theirs`) has only options that the other
/// one offered.
pub(super) fn own_options(settings: &Settings, clock: u32, theirs: Option<&Options>) -> Options {
    let may = |offered: fn(&Options) -> bool| theirs.is_none_or(offered);
    let echo = theirs.and_then(|t| t.timestamps).map_or(0, |t| t.value);
    let stamps = Timestamps { value: clock, echo };
    Options {
        mss: Some(settings.mss()),
        scale: (settings.scaling && may(|t| t.scale.is_some()))
            .then(|| shift(settings.receive_buffer)),
        // Only who reads SACK asks for it.
        sack_permitted: settings.sender.variant.capabilities().sacks && may(|t| t.sack_permitted),
        timestamps: (settings.timestamps && may(|t| t.timestamps.is_some())).then_some(stamps),
        probes: may(|t| t.probes),
        ..Options::default()
    }
}

/// The smallest shift by which a window of `bytes` fits into 16 bits.
pub(super) fn shift(bytes: u32) -> u8 {
    (0..MAX_SHIFT).find(|s| bytes >> s <= u32::from(u16::MAX)).unwrap_or(MAX_SHIFT)
}
