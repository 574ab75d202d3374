//! Length of a simulation, the part of it that is counted, and the number of runs.

use crate::input_error::InputError;
use airtcp_core::{Duration, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most rows of one run: more than a result can hold.
const MAX_ROWS: u64 = 1_000_000;

/// Length of the simulation, and number of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Length of a run, in slots. Example: `100_000`.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64))]
    pub slots: u64,
    /// Warm-up at the start of each run, in slots: simulated, and not counted. Absent: none. Example: `10_000`.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0, max = 1_000_000_000_000_u64))]
    pub warmup: u64,
    /// Number of batches: equal parts of the run after the warm-up, each counted by itself. Absent: 1. Example: `10`.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = 100_000))]
    pub batches: u32,
    /// Number of independent runs of each point. Example: `50`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub replications: u32,
    /// Sequential stopping, in place of a fixed number of runs: they are added until a confidence interval is narrow
    /// enough. Absent: `replications` runs are made. Example: `{relative = 0.05}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Precision")]
    pub precision: Option<Precision>,
}

/// Length of the simulation, and number of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathStop {
    /// End of a run; it ends earlier if all flows have ended. Example: `"60s"`.
    pub time: Duration,
    /// Warm-up at the start of each run: simulated, and not counted. Absent: none. Example: `"10s"`.
    #[serde(default = "zero_duration", skip_serializing_if = "is_zero_duration")]
    pub warmup: Duration,
    /// Number of batches: equal parts of the run after the warm-up, each counted by itself. Absent: 1. Example: `10`.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = 100_000))]
    pub batches: u32,
    /// Number of independent runs of each point. Example: `50`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub replications: u32,
    /// Sequential stopping, in place of a fixed number of runs: they are added until a confidence interval is narrow
    /// enough. Absent: `replications` runs are made. Example: `{relative = 0.05}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Precision")]
    pub precision: Option<Precision>,
}

/// Sequential stopping: runs are added until the confidence interval of a mean is narrow enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Precision {
    /// Largest half-width of the confidence interval, as a share of the mean, above 0 and below 1. Example: `0.05`.
    #[schemars(range(min = 0, max = 1))]
    pub relative: f64,
    /// Metric whose interval is judged. Absent: `throughput` on slots, `throughput_pps` on a path. Example:
    /// `"goodput"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub metric: Option<String>,
    /// Confidence level of the interval, a share above 0 and below 1. Example: `0.99`.
    #[serde(default = "default_confidence")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: f64,
    /// Smallest number of runs. Example: `50`.
    #[serde(default = "default_least")]
    #[schemars(range(min = 2, max = 1_000_000))]
    pub least: u32,
    /// Largest number of runs, even if the interval is still too wide. Example: `1000`.
    #[serde(default = "default_most")]
    #[schemars(range(min = 2, max = 1_000_000))]
    pub most: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_one(n: &u32) -> bool {
    *n == 1
}

fn zero_duration() -> Duration {
    Duration::ZERO
}

fn is_zero_duration(time: &Duration) -> bool {
    *time == Duration::ZERO
}

fn default_confidence() -> f64 {
    0.95
}

fn default_least() -> u32 {
    30
}

fn default_most() -> u32 {
    10_000
}

impl Stop {
    /// The ends, in slots, of the warm-up and of each part, the last of which is that of the run. Where
    /// they do not come out even, parts differ by one slot.
    pub fn part_ends(&self) -> impl Iterator<Item = u64> + use<> {
        part_ends(self.warmup, self.slots, self.batches)
    }

    pub(crate) fn validate(&self) -> Result<(), InputError> {
        let Some(counted) = self.slots.checked_sub(self.warmup).filter(|n| *n > 0) else {
            let message = format!(
                "{} slots leave nothing to count; must be below stop.slots, {}",
                self.warmup, self.slots
            );
            return Err(InputError::new("stop.warmup", message));
        };
        if u64::from(self.batches) > counted {
            let message = format!(
                "{} batches do not fit into {counted} slots; at most {counted}",
                self.batches
            );
            return Err(InputError::new("stop.batches", message));
        }
        self.precision.as_ref().map_or(Ok(()), Precision::validate)
    }
}

impl PathStop {
    /// The ends of the warm-up and of each part, the last of which is that of the run.
    pub fn part_ends(&self) -> impl Iterator<Item = Instant> + use<> {
        let nanos = |time: Duration| time.span().nanos().cast_unsigned();
        part_ends(nanos(self.warmup), nanos(self.time), self.batches)
            .map(|mark| Instant::START + Span::from_nanos(mark.cast_signed()))
    }

    pub(crate) fn validate(&self, flows: u64) -> Result<(), InputError> {
        if self.time == Duration::ZERO {
            return Err(InputError::new(
                "stop.time",
                "0s leaves nothing to simulate; must be above 0s",
            ));
        }
        if self.warmup >= self.time {
            let message = format!(
                "{} leaves nothing to count; must be below stop.time, {}",
                self.warmup, self.time
            );
            return Err(InputError::new("stop.warmup", message));
        }
        let counted = (self.time.span().nanos() - self.warmup.span().nanos()).cast_unsigned();
        if u64::from(self.batches) > counted {
            let message =
                format!("{} batches do not fit into {counted} ns; at most {counted}", self.batches);
            return Err(InputError::new("stop.batches", message));
        }
        let rows = u64::from(self.batches).saturating_mul(flows);
        if self.batches > 1 && rows > MAX_ROWS {
            let message = format!(
                "{} batches of {flows} flows are {rows} rows; at most {MAX_ROWS}",
                self.batches
            );
            return Err(InputError::new("stop.batches", message));
        }
        self.precision.as_ref().map_or(Ok(()), Precision::validate)
    }
}

impl Precision {
    fn validate(&self) -> Result<(), InputError> {
        for (key, value) in [("relative", self.relative), ("confidence", self.confidence)] {
            if value <= 0.0 || value >= 1.0 {
                let message = format!("{value} is not above 0 and below 1");
                return Err(InputError::new(format!("stop.precision.{key}"), message));
            }
        }
        if self.least > self.most {
            let message = format!("{} is above most, {}", self.least, self.most);
            return Err(InputError::new("stop.precision.least", message));
        }
        Ok(())
    }
}

/// `warmup`, and the ends of `batches` parts of what is left up to `end`.
fn part_ends(warmup: u64, end: u64, batches: u32) -> impl Iterator<Item = u64> {
    let counted = u128::from(end - warmup);
    (0..=batches).map(move |part| {
        let gone = counted * u128::from(part) / u128::from(batches);
        warmup + u64::try_from(gone).expect("at most the end")
    })
}

#[cfg(test)]
mod tests {
    use super::part_ends;

    #[test]
    fn parts_are_equal_or_differ_by_one() {
        assert_eq!(part_ends(0, 10, 1).collect::<Vec<_>>(), [0, 10]);
        assert_eq!(part_ends(4, 10, 3).collect::<Vec<_>>(), [4, 6, 8, 10]);
        assert_eq!(part_ends(3, 10, 3).collect::<Vec<_>>(), [3, 5, 7, 10]);
        assert_eq!(part_ends(0, i64::MAX as u64, 100_000).last(), Some(i64::MAX as u64));
    }
}
