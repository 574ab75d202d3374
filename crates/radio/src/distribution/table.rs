//! netem's tables of delays: 4096 quantiles of a distribution of mean 0 and deviation 1, in 8192ths, as the programs `normal`,
//! `pareto` and `paretonormal` of iproute2 make them; and lengths drawn from them as netem's `tabledist` does.

use super::correlated::{Correlated, last_share};
use super::draws::{Draws, nanos};
use super::spec::{Quantile, Spec};
use crate::spec_error::SpecError;
use airtcp_core::{Duration, Probability};
use std::sync::OnceLock;

const ENTRIES: usize = 4096;
/// Entries of a table that has all quantiles, of which netem's have every fourth.
const FULL_ENTRIES: usize = 4 * ENTRIES;
/// Parts of a deviation.
const PARTS_PER_DEVIATION: i64 = 8192;
/// The largest entry: netem keeps 16 bits, with a sign.
const MAX_ENTRY: f64 = 32767.0;

/// A distribution of netem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NetemTable {
    Normal,
    Pareto,
    ParetoNormal,
}

impl NetemTable {
    fn entries(self) -> &'static [i64] {
        static NORMAL: OnceLock<Vec<i64>> = OnceLock::new();
        static PARETO: OnceLock<Vec<i64>> = OnceLock::new();
        static PARETONORMAL: OnceLock<Vec<i64>> = OnceLock::new();
        let made = |entry: fn(usize) -> i64| (0..ENTRIES).map(entry).collect();
        match self {
            NetemTable::Normal => {
                NORMAL.get_or_init(|| made(|k| normal(k).max(-PARTS_PER_DEVIATION * 4)))
            }
            NetemTable::Pareto => PARETO.get_or_init(|| made(pareto)),
            NetemTable::ParetoNormal => {
                PARETONORMAL.get_or_init(|| made(|k| (normal(k) + 3 * pareto(k)) / 4))
            }
        }
    }
}

/// A normal quantile: the last place of a grid at which the distribution function rounds to so many parts.
fn normal(entry: usize) -> i64 {
    let place = |step: usize| -10.0 + 5e-5 * step as f64;
    let parts =
        |x: f64| FULL_ENTRIES as f64 * (0.5 + 0.5 * libm::erf(x / std::f64::consts::SQRT_2));
    let above = 4.0 * entry as f64 + 0.5;
    let (mut low, mut high) = (0, 400_000);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if parts(place(middle)) < above { low = middle } else { high = middle }
    }
    (place(low) * PARTS_PER_DEVIATION as f64).round() as i64
}

/// A quantile of Pareto's distribution of shape 3, whose mean is 3/2 and whose deviation is taken for 3/4; cut at 4 deviations.
fn pareto(entry: usize) -> i64 {
    let above = 1.0 - entry as f64 / ENTRIES as f64;
    let deviations = (libm::pow(above, -1.0 / 3.0) - 1.5) * (4.0 / 3.0);
    (deviations * PARTS_PER_DEVIATION as f64).min(MAX_ENTRY).round() as i64
}

/// Lengths by a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableDistribution {
    pub(super) table: NetemTable,
    pub(super) mean: Duration,
    pub(super) deviation: Duration,
    pub(super) correlation: Option<Probability>,
}

/// A distribution that is one of netem's, and no other.
pub(super) trait NetemDistribution {
    /// The distribution as its table has it.
    fn netem_table(&self) -> TableDistribution;
}

impl<T: NetemDistribution> Spec for T {
    fn build(&self) -> Result<Draws, SpecError> {
        self.netem_table().build()
    }

    fn mean(&self) -> f64 {
        self.netem_table().mean()
    }

    fn bounds(&self) -> (f64, f64) {
        self.netem_table().bounds()
    }

    fn quantile(&self) -> Option<Quantile> {
        self.netem_table().quantile()
    }

    fn is_random(&self) -> bool {
        self.netem_table().is_random()
    }
}

/// netem keeps a deviation in so many bits.
const MAX_DEVIATION_NANOS: i64 = i32::MAX as i64;

impl TableDistribution {
    pub(super) fn build(self) -> Result<Draws, SpecError> {
        if self.deviation.span().nanos() > MAX_DEVIATION_NANOS {
            let message =
                format!("{} is too long; must be at most {MAX_DEVIATION_NANOS}ns", self.deviation);
            return Err(SpecError::new("deviation", message));
        }
        let mut numbers = Correlated::new(self.correlation)?;
        let entries = self.table.entries();
        Ok(Draws::new(move |stream| {
            let number = numbers.next(stream) as usize;
            Some(self.length(entries[number % ENTRIES]))
        }))
    }

    /// The length at an entry of the table: the deviation times that, rounded; none below 0.
    fn length(&self, entry: i64) -> f64 {
        let parts = self.deviation.span().nanos() * entry;
        let half = PARTS_PER_DEVIATION / 2 * parts.signum();
        (nanos(self.mean) + ((parts + half) / PARTS_PER_DEVIATION) as f64).max(0.0)
    }

    /// The quantiles of netem's numbers where they are independent.
    pub(super) fn quantile(self) -> Option<Quantile> {
        if self.correlation.is_some_and(|correlation| last_share(correlation) > 0.0) {
            return None;
        }
        let entries = self.table.entries();
        Some(Box::new(move |u| self.length(entries[(u * ENTRIES as f64) as usize])))
    }

    pub(super) fn mean(self) -> f64 {
        let entries = self.table.entries();
        entries.iter().map(|entry| self.length(*entry)).sum::<f64>() / ENTRIES as f64
    }

    pub(super) fn bounds(self) -> (f64, f64) {
        let entries = self.table.entries();
        (self.length(entries[0]), self.length(entries[ENTRIES - 1]))
    }

    pub(super) fn is_random(self) -> bool {
        self.bounds().0 < self.bounds().1
    }
}
