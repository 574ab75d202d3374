//! How long a transmission occupies the medium, in one place.

use crate::{Rate, Span};

/// The time that `bits` bits take at `rate`, rounded to the nearest nanosecond, at least one.
#[must_use]
pub fn airtime(bits: u64, rate: Rate) -> Span {
    let nanos = bits as f64 * 1e9 / rate.bits_per_second();
    Span::from_nanos((nanos.round() as i64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_of_the_paper_lasts_seven_and_a_half_milliseconds() {
        let rate = Rate::try_from("1.5Mbps".to_string()).unwrap();
        assert_eq!(airtime(1400 * 8, rate), Span::from_nanos(7_466_667));
    }
}
