//! Lateness of the packets that leave the emulator, as a histogram: a run of hours needs no more memory than one
//! of seconds.

use airtcp_core::Span;

/// The lateness above which a packet counts as late.
pub const LATE_LIMIT: Span = Span::from_nanos(1_000_000);

/// Bins per doubling, as a power of two: quantiles are exact to 1 / 64.
const FINE_BITS: u32 = 6;

/// Histogram of the lateness of packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    bins: Vec<u64>,
    packets: u64,
    late_count: u64,
    largest_nanos: i64,
}

impl Lateness {
    /// Adds a packet that left `late` after it should have.
    pub fn add(&mut self, late: Span) {
        let nanos = late.nanos().max(0);
        let bin = bin_of(nanos.cast_unsigned());
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += 1;
        self.packets += 1;
        self.late_count += u64::from(late > LATE_LIMIT);
        self.largest_nanos = self.largest_nanos.max(nanos);
    }

    /// Number of packets so far.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Number of packets that were late by more than [`LATE_LIMIT`].
    #[must_use]
    pub fn late_packets(&self) -> u64 {
        self.late_count
    }

    /// The largest lateness.
    #[must_use]
    pub fn largest(&self) -> Span {
        Span::from_nanos(self.largest_nanos)
    }

    /// Quantile of the lateness: a share `q` of the packets does not exceed it, rounded up to the end of its
    /// bin.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Span {
        let wanted = (q * self.packets as f64).ceil() as u64;
        let mut seen = 0;
        let found = self.bins.iter().position(|&n| {
            seen += n;
            n > 0 && seen >= wanted
        });
        let end = found.map_or(0, bin_upper_bound);
        Span::from_nanos(end.min(self.largest_nanos))
    }
}

fn bin_of(nanos: u64) -> usize {
    let exponent = (u64::BITS - nanos.leading_zeros()).saturating_sub(FINE_BITS + 1);
    (u64::from(exponent) << FINE_BITS) as usize + (nanos >> exponent) as usize
}

fn bin_upper_bound(bin: usize) -> i64 {
    let exponent = (bin >> FINE_BITS).saturating_sub(1);
    let base = bin - (exponent << FINE_BITS);
    (((base + 1) << exponent) - 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_one_another_and_are_narrow() {
        let mut last = 0;
        for nanos in (0..5000_u64).chain((5000..50_000_000).step_by(997)) {
            let bin = bin_of(nanos);
            assert!(bin >= last, "{nanos}");
            let end = bin_upper_bound(bin).cast_unsigned();
            assert!(end >= nanos && end <= nanos + nanos / 64, "{nanos} in a bin up to {end}");
            last = bin;
        }
    }

    #[test]
    fn quantiles_are_those_of_the_values() {
        let mut lateness = Lateness::default();
        for micros in 1..=2000 {
            lateness.add(Span::from_nanos(1000 * micros));
        }
        assert_eq!((lateness.packets(), lateness.late_packets()), (2000, 1000));
        assert_eq!(lateness.largest(), Span::from_nanos(2_000_000));
        let median = lateness.quantile(0.5).nanos();
        assert!((1_000_000..1_016_000).contains(&median), "{median}");
        assert_eq!(lateness.quantile(1.0), lateness.largest());
    }
}
