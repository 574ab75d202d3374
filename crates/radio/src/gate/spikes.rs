//! Delay spikes: everything is held for a while, nothing is lost.
//!
//! A spike starts one interval after the previous one has started (`timing = "start"`) or ended (`"gap"`); the first
//! starts one interval after time 0. Spikes that overlap or touch count as one: the link is held from the start of the
//! first to the end of the last. Packets wait at the transmitter, in order; packets in transmission or on the wire are
//! not held.
//!
//! With exponential intervals of mean m the link is held for 1 - exp(-E(S)/m) of the time, whatever the distribution of
//! the durations S; with `timing = "gap"` for E(S)/(E(S) + E(interval)). Spikes that never end are refused, and with
//! `timing = "start"` also those that last more than 10 mean intervals on average.
//!
//! ```toml
//! kind = "spikes"
//! interval = {kind = "uniform", min = "10s", max = "50s"}
//! duration = {kind = "uniform", min = "5s", max = "10s"}
//! ```

use super::outages::{Outage, Outages};
use super::process::{GateProcess, OutageLosses};
use super::spec::{Direction, Spec};
use crate::distribution::{DistributionSpec, Draws, Spec as _};
use crate::spec_error::SpecError;
use airtcp_core::{Cancel, CancelCheck, Instant, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Spikes at random intervals, of random durations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DelaySpikes")]
pub struct Spikes {
    /// Time from one spike to the next, measured as `timing` says. Example: `{kind = "exponential", mean = "10s"}`.
    pub interval: DistributionSpec,
    /// Length of a spike. Example: `{kind = "fixed", value = "500ms"}`.
    pub duration: DistributionSpec,
    /// Beginning of an interval: the `start` of the previous spike, or its end (`gap`). Example: `"gap"`.
    #[serde(default)]
    pub timing: Timing,
    /// Packets that are held: those to the far end of the hop (`forward`), those to its near end (`back`), or both.
    /// Example: `"both"`.
    #[serde(default)]
    pub direction: Direction,
}

/// Point from which the interval to the next spike is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Timing {
    /// Start of the spike: the next one may begin before it is over.
    #[default]
    Start,
    /// End of the spike.
    Gap,
}

/// Most mean intervals that a mean spike may last. In a union of spikes at exponential intervals so many
/// leave the link up for e^-10 of the time.
const MAX_MEAN_OVERLAP: f64 = 10.0;

impl Spec for Spikes {
    fn build(&self, stream: Stream) -> Result<GateProcess, SpecError> {
        let intervals = self.interval.build().map_err(|e| e.within("interval"))?;
        let durations = self.duration.build().map_err(|e| e.within("duration"))?;
        for (field, distribution) in [("interval", &self.interval), ("duration", &self.duration)] {
            if distribution.mean() < 1.0 {
                return Err(SpecError::new(field, "a mean of 0s is too short; must be above 0s"));
            }
        }
        if self.timing == Timing::Start && !self.interval.is_finite() && !self.duration.is_finite()
        {
            self.refuse_endless_spikes()?;
        }
        let streams = [stream.child(1), stream.child(2)];
        let now = Instant::START;
        let (timing, ahead, watch) = (self.timing, None, CancelCheck::default());
        let mut apart =
            SpikeUnion { intervals, durations, timing, now, streams, next_spike: ahead, watch };
        apart.next_spike = apart.draw_spike();
        Ok(GateProcess::new(apart, OutageLosses::Nothing))
    }

    fn direction(&self) -> Direction {
        self.direction
    }

    fn is_random(&self) -> bool {
        self.interval.is_random() || self.duration.is_random()
    }
}

impl Spikes {
    fn refuse_endless_spikes(&self) -> Result<(), SpecError> {
        let refuse = |message| Err(SpecError::new("duration", message));
        let seconds = |nanos: f64| nanos / 1e9;
        let (longest, shortest) = (self.interval.bounds().1, self.duration.bounds().0);
        if longest <= shortest {
            let (longest, shortest) = (seconds(longest), seconds(shortest));
            return refuse(format!(
                "spikes of at least {shortest} s, one at least every {longest} s, never end: shorter ones, \
                 or timing = \"gap\""
            ));
        }
        let (interval, duration) = (self.interval.mean(), self.duration.mean());
        if duration > MAX_MEAN_OVERLAP * interval {
            let (interval, duration) = (seconds(interval), seconds(duration));
            return refuse(format!(
                "a mean length of {duration} s is more than {MAX_MEAN_OVERLAP} mean intervals of {interval} s"
            ));
        }
        Ok(())
    }
}

/// The union of spikes.
#[derive(Debug)]
struct SpikeUnion {
    intervals: Draws,
    durations: Draws,
    timing: Timing,
    /// Instant from which the next interval counts.
    now: Instant,
    /// Streams of the intervals and of the durations: the draws of one do not change the other.
    streams: [Stream; 2],
    /// The first spike after those that were given out.
    next_spike: Option<Outage>,
    watch: CancelCheck,
}

impl SpikeUnion {
    /// The next spike, which may begin before the last one is over; none at the end of a list or of time.
    fn draw_spike(&mut self) -> Option<Outage> {
        let [first, second] = &mut self.streams;
        let (wait, length) = (self.intervals.next(first)?, self.durations.next(second)?);
        let down = self.now + wait;
        let up = down + length;
        self.now = match self.timing {
            Timing::Start => down,
            Timing::Gap => up,
        };
        (down < Instant::NEVER).then_some(Outage { down, up })
    }
}

impl Outages for SpikeUnion {
    fn next(&mut self) -> Outage {
        let Some(mut outage) = self.next_spike.take() else { return Outage::NEVER };
        while outage.up < Instant::NEVER && !self.watch.is_cancelled() {
            match self.draw_spike() {
                Some(spike) if spike.down <= outage.up => outage.up = outage.up.max(spike.up),
                after => {
                    self.next_spike = after;
                    break;
                }
            }
        }
        outage
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.watch = CancelCheck::new(cancel);
    }
}
