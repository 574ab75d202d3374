//! Losses of packets whose bits meet a fading gain. The fading varies within a packet; given it, the
//! errors of bits are independent.
//!
//! The fading is a function of time, and what else is drawn for a packet belongs to the instant at which it
//! starts: questions in between change nothing, and all who ask meet the same fading.

mod brute;
mod fast;
mod gain;

use super::fate::{Channel, Fate, Transmission};
use crate::spec_error::SpecError;
use airtcp_core::{Cancel, CancelCheck, Frequency, Rate};
use gain::BitRun;
pub(super) use gain::FadedChannel;
pub use gain::Mode;

impl FadedChannel {
    fn is_lost(&mut self, burst: Transmission) -> bool {
        let start = self.path.grid_place(burst.start.nanos());
        let end = self.path.grid_place(burst.end.nanos());
        let bits = self.bits_on_air(burst.bits);
        let packet = BitRun { start, steps_per_bit: (end - start) / bits as f64, bits };
        let mut draws = self.draws.at_index(burst.start.nanos());
        let word = self.code.as_ref().map_or(bits, |(code, _)| u64::from(code.word_bits()));
        (0..bits / word).any(|i| {
            let word = packet.sub_run(i * word, word);
            self.watch.is_cancelled()
                || match self.mode {
                    Mode::Fast => self.loses_fast(word, &mut draws),
                    Mode::Bits => self.loses_bitwise(word, &mut draws),
                }
        })
    }
}

impl Channel for FadedChannel {
    #[inline]
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        let end = self.path.grid_place(burst.end.nanos());
        if end < self.clear_until {
            return Fate::Clean;
        }
        let start = self.path.grid_place(burst.start.nanos());
        if self.is_clear(start, end) || !self.is_lost(burst) { Fate::Clean } else { Fate::Erased }
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
    }

    fn bits_on_air(&self, bits: u64) -> u64 {
        self.code.as_ref().map_or(bits, |(code, _)| code.bits_on_air(bits))
    }
}

/// The gain is taken as constant over a bit: it must not turn more than once in two of them.
pub(super) fn check_doppler(doppler: Frequency, rate: Rate) -> Result<(), SpecError> {
    let most = rate.bits_per_second() / 2.0;
    if doppler.hertz() <= most {
        return Ok(());
    }
    let message = format!(
        "{doppler} is above half the rate at which the gain is sampled, once per bit: at most {most}Hz at {rate}"
    );
    Err(SpecError::new("doppler", message))
}
