//! Delay and loss rate that change together once per epoch, as when a satellite network reallocates its links.
//!
//! All epochs have the same length. For each one, two standard normal numbers are drawn: one gives its extra delay,
//! the other the logarithm of its loss rate. The two have the given `correlation`, and each depends on earlier epochs
//! through its `memories`. The extra delay is the quantile of `delay` at the normal distribution function of the first
//! number. Every packet whose transmission starts in the epoch has it, in addition to the delays of the hop. Packets
//! are lost independently at the loss rate of the epoch, which is log-normal and which `handover` multiplies at the
//! start of the epoch. `noise` adds a delay that changes within epochs. Packets keep their order unless the hop has
//! `reorder`. A run begins at a random moment of an epoch. Starlink's epochs last 15 s.
//!
//! ```toml
//! kind = "epochs"
//! every = "15s"
//! delay = {kind = "gamma", shape = 2, mean = "12ms"}
//! memories = [{time = "20s", share = 0.5}]
//! loss = {rate = 0.002, deviation = 1, handover = {time = "2s", factor = 4}}
//! noise = {every = "1s", delay = {kind = "exponential", mean = "3ms"}}
//! ```

use super::fate::{Channel, Fate, Transmission};
use super::process::Process;
use super::spec::Spec;
use crate::distribution::{DistributionSpec, Draws, Quantile, Spec as _, normal_cdf};
use crate::memories::{Memory, NormalScores, check_memories};
use crate::spec_error::SpecError;
use crate::two_state::TwoState;
use airtcp_core::{Cancel, CancelCheck, Duration, Instant, Probability, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Delay and loss rate that change together at regular intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Epochs {
    /// Length of an epoch. Example: `"15s"`.
    pub every: Duration,
    /// Distribution of the extra delay of an epoch. Absent: no extra delay. Example:
    /// `{ kind = "log-normal", mean = "10ms", sigma = 0.5 }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DistributionSpec")]
    pub delay: Option<DistributionSpec>,
    /// Correlation of the delays of successive epochs, as a sum of exponentials. Absent: the delays are independent.
    /// Example: `[{ time = "60s", share = 0.5 }]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 20))]
    pub memories: Vec<Memory>,
    /// Losses, whose rate is drawn for each epoch. Absent: the channel loses nothing. Example: `{ rate = 0.01,
    /// deviation = 1 }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EpochLoss")]
    pub loss: Option<EpochLoss>,
    /// Further delay that changes within epochs. Absent: no further delay. Example: `{ every = "1s", delay = { kind =
    /// "exponential", mean = "3ms" } }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EpochNoise")]
    pub noise: Option<EpochNoise>,
}

/// Loss rates of epochs, log-normally distributed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EpochLoss {
    /// Mean loss rate. A rate drawn above 1 counts as 1, which lowers the mean. Example: `0.01`.
    pub rate: Probability,
    /// Standard deviation of the natural logarithm of the loss rates. Absent: 0, the same rate in all epochs. Example:
    /// `1.2`.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0, max = 10))]
    pub deviation: f64,
    /// Correlation of the loss rates of successive epochs, as a sum of exponentials, in addition to what follows from
    /// `correlation` with the delay. Absent: the rates are independent. Example: `[{ time = "300s", share = 0.4 }]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 20))]
    pub memories: Vec<Memory>,
    /// Correlation of the loss rate and the delay of an epoch, both transformed to a normal distribution. Absent: 0,
    /// independent. Example: `0.3`.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = -1, max = 1))]
    pub correlation: f64,
    /// Different loss rate at the start of each epoch. Absent: the loss rate stays the same for the whole epoch.
    /// Example: `{ time = "1s", factor = 5 }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Handover")]
    pub handover: Option<Handover>,
}

/// Loss rate at the start of an epoch, where a handover may lose more packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Handover {
    /// Length of the start, at most the length of the epoch. Example: `"1s"`.
    pub time: Duration,
    /// Ratio of the loss rate at the start to the loss rate in the rest of the epoch. Example: `5`.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub factor: f64,
}

/// Delay that is drawn anew at regular intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EpochNoise {
    /// Time between two draws of the delay. Example: `"1s"`.
    pub every: Duration,
    /// Distribution from which the delays are drawn. Example: `{ kind = "exponential", mean = "3ms" }`.
    pub delay: DistributionSpec,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Parts of a stream: epochs, losses within them, and noise.
const EPOCHS: u64 = 1;
const LOSSES: u64 = 2;
const NOISE: u64 = 3;
/// Number of delays that are kept, so that a hop that undoes transmissions finds the earlier delays again.
const MAX_KEPT_DELAYS: usize = 4096;

impl Epochs {
    fn check(&self) -> Result<(), SpecError> {
        SpecError::refuse_zero("every", self.every)?;
        check_memories(&self.memories)?;
        if let Some(noise) = &self.noise {
            SpecError::refuse_zero("noise.every", noise.every)?;
            noise.delay.build().map_err(|e| e.within("noise.delay"))?;
        }
        self.loss.as_ref().map_or(Ok(()), |loss| loss.check(self.every))?;
        self.quantile().map(|_| ())
    }

    fn quantile(&self) -> Result<Option<Quantile>, SpecError> {
        let Some(delay) = &self.delay else { return Ok(None) };
        delay.build().map_err(|e| e.within("delay"))?;
        delay.quantile().map(Some).ok_or_else(|| {
            let name = delay.entry().name;
            let message = format!(
                "draws of this {name:?} depend on each other: a distribution without that, and memories"
            );
            SpecError::new("delay.kind", message)
        })
    }

    fn process(&self, stream: &Stream) -> Result<Process, SpecError> {
        self.check()?;
        let path = EpochPath::new(self, stream);
        let losses = self.loss.as_ref().filter(|loss| loss.rate > Probability::ZERO);
        let losses = losses.map(|loss| EpochLosses {
            path: path.clone(),
            mean: loss.mean_outside_handover(self.every),
            deviation: loss.deviation,
            handover: loss.handover.map(|handover| (handover.time.span(), handover.factor)),
            stream: stream.child(LOSSES),
        });
        let delays = match self.delays() {
            false => None,
            true => Some(EpochDelays::new(self, path, stream.child(NOISE))?),
        };
        Ok(Process::Other(Box::new(EpochChannel { losses, delays })))
    }
}

impl EpochLoss {
    fn check(&self, every: Duration) -> Result<(), SpecError> {
        check_memories(&self.memories).map_err(|e| e.within("loss"))?;
        let refuse = |field: &str, message: String| Err(SpecError::new(field, message));
        if !(0.0..=10.0).contains(&self.deviation) {
            return refuse("loss.deviation", format!("{} is not in 0 to 10", self.deviation));
        }
        if !(-1.0..=1.0).contains(&self.correlation) {
            return refuse("loss.correlation", format!("{} is not in -1 to 1", self.correlation));
        }
        match &self.handover {
            Some(one) if one.time > every => {
                let message = format!("{} is longer than an epoch: at most {every}", one.time);
                refuse("loss.handover.time", message)
            }
            Some(one) if !(0.0..=1e6).contains(&one.factor) => {
                refuse("loss.handover.factor", format!("{} is not in 0 to 1000000", one.factor))
            }
            Some(one) if one.factor == 0.0 && one.time == every => {
                let message = "0 for as long as an epoch leaves no losses: leave out `loss`";
                refuse("loss.handover.factor", message.to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The mean loss rate in the rest of epochs, so that `rate` is that over all time.
    fn mean_outside_handover(&self, every: Duration) -> f64 {
        let weight = self.handover.map_or(1.0, |handover| {
            let part = handover.time.span().nanos() as f64 / every.span().nanos() as f64;
            1.0 + (handover.factor - 1.0) * part
        });
        self.rate.value() / weight
    }
}

impl Spec for Epochs {
    fn build(&self, _: Span, stream: Stream) -> Result<Process, SpecError> {
        if self.delays() {
            let field = if self.delay.is_some() { "delay" } else { "noise" };
            let message = "slots have no delay of their own: on a hop without slots only";
            return Err(SpecError::new(field, message));
        }
        self.process(&stream)
    }

    fn build_unslotted(&self, _: Span, stream: Stream) -> Result<Process, SpecError> {
        self.process(&stream)
    }

    fn two_state(&self) -> Result<Option<TwoState>, SpecError> {
        self.check().map(|()| None)
    }

    fn delays(&self) -> bool {
        self.delay.is_some() || self.noise.is_some()
    }

    fn is_random(&self) -> bool {
        let varies = |delay: &DistributionSpec| delay.bounds().0 < delay.bounds().1;
        let loses = |loss: &EpochLoss| {
            loss.rate > Probability::ZERO
                && (loss.rate < Probability::ONE || loss.deviation > 0.0 || loss.handover.is_some())
        };
        self.loss.as_ref().is_some_and(loses)
            || self.delay.as_ref().is_some_and(varies)
            || self.noise.as_ref().is_some_and(|noise| varies(&noise.delay))
    }
}

/// The sample path of the epochs.
#[derive(Clone, Debug)]
struct EpochPath {
    every: Span,
    begin: Instant,
    end: Instant,
    /// Normal numbers of the delay and of the loss rate.
    normal_numbers: [f64; 2],
    scores: [NormalScores; 2],
    correlation: f64,
    stream: Stream,
    watch: CancelCheck,
}

impl EpochPath {
    fn new(spec: &Epochs, stream: &Stream) -> Self {
        let every = spec.every.span();
        let none = &[][..];
        let memories = spec.loss.as_ref().map_or(none, |loss| &loss.memories);
        let scores = [&spec.memories, memories].map(|memories| NormalScores::new(memories, every));
        let mut stream = stream.child(EPOCHS);
        // A run begins at any moment of an epoch.
        let left =
            Span::from_nanos(every.nanos() - (stream.uniform() * every.nanos() as f64) as i64);
        let mut path = EpochPath {
            every,
            begin: Instant::START,
            end: Instant::START + left,
            normal_numbers: [0.0; 2],
            scores,
            correlation: spec.loss.as_ref().map_or(0.0, |loss| loss.correlation),
            stream,
            watch: CancelCheck::default(),
        };
        path.draw();
        path
    }

    fn draw(&mut self) {
        let [delay, own] = &mut self.scores;
        let delay = delay.next_score(&mut self.stream);
        let own = own.next_score(&mut self.stream);
        let weight = self.correlation;
        self.normal_numbers =
            [delay, weight * delay + ((1.0 - weight) * (1.0 + weight)).sqrt() * own];
    }

    /// Advances to the epoch that contains `at`, which never decreases.
    fn advance_to(&mut self, at: Instant) {
        while self.end <= at {
            (self.begin, self.end) = (self.end, self.end + self.every);
            self.draw();
            if self.watch.is_cancelled() {
                self.end = Instant::NEVER;
            }
        }
    }
}

#[derive(Debug)]
struct EpochLosses {
    path: EpochPath,
    /// The mean loss rate outside handovers.
    mean: f64,
    deviation: f64,
    handover: Option<(Span, f64)>,
    stream: Stream,
}

impl EpochLosses {
    fn loses(&mut self, at: Instant) -> bool {
        self.path.advance_to(at);
        let deviation = self.deviation;
        let log = deviation * (self.path.normal_numbers[1] - deviation / 2.0);
        let (until, factor) = self.handover.unwrap_or((Span::ZERO, 1.0));
        // The first epoch began before the run.
        let since = Span::from_nanos(self.path.every.nanos() - (self.path.end - at).nanos());
        let factor = if since < until { factor } else { 1.0 };
        self.stream.chance((self.mean * factor * libm::exp(log)).min(1.0))
    }
}

/// Extra delays in time.
struct EpochDelays {
    path: EpochPath,
    /// Delays that hold until then, the last ones drawn.
    kept_delays: VecDeque<(Instant, Span)>,
    /// Start of the first kept delay.
    from: Instant,
    quantile: Option<Quantile>,
    noise: Option<NoiseDelays>,
    start: (EpochPath, Stream),
}

struct NoiseDelays {
    spec: EpochNoise,
    draws: Draws,
    stream: Stream,
    now: Span,
    end: Instant,
}

impl std::fmt::Debug for EpochDelays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delays").field("path", &self.path).finish_non_exhaustive()
    }
}

impl NoiseDelays {
    fn new(spec: &EpochNoise, stream: Stream) -> Result<Self, SpecError> {
        let draws = spec.delay.build().map_err(|e| e.within("noise.delay"))?;
        let (now, end) = (Span::ZERO, Instant::START);
        Ok(NoiseDelays { spec: spec.clone(), draws, stream, now, end })
    }

    fn go(&mut self, at: Instant) {
        while self.end <= at {
            self.now = self.draws.next_or_zero(&mut self.stream).unwrap_or(Span::ZERO);
            self.end = self.end + self.spec.every.span();
        }
    }
}

impl EpochDelays {
    fn new(spec: &Epochs, path: EpochPath, stream: Stream) -> Result<Self, SpecError> {
        let noise = spec.noise.as_ref().map(|noise| NoiseDelays::new(noise, stream.clone()));
        Ok(EpochDelays {
            start: (path.clone(), stream),
            path,
            kept_delays: VecDeque::new(),
            from: Instant::START,
            quantile: spec.quantile()?,
            noise: noise.transpose()?,
        })
    }

    fn delay_at(&mut self, at: Instant) -> Span {
        if at < self.from {
            self.restart();
        }
        while self.kept_delays.back().is_none_or(|last| last.0 <= at) {
            self.draw_next();
        }
        let place = self.kept_delays.partition_point(|one| one.0 <= at);
        self.kept_delays[place].1
    }

    /// Draws the next delay.
    fn draw_next(&mut self) {
        let at = self.kept_delays.back().map_or(self.from, |last| last.0);
        self.path.advance_to(at);
        let score = self.path.normal_numbers[0];
        let level = self.quantile.as_ref().map_or(0.0, |quantile| quantile(normal_cdf(score)));
        let mut until = self.path.end;
        let mut delay = Span::from_nanos(level.round() as i64);
        if let Some(noise) = &mut self.noise {
            noise.go(at);
            delay = delay + noise.now;
            until = until.min(noise.end);
        }
        if self.path.watch.is_cancelled() {
            until = Instant::NEVER;
        }
        if self.kept_delays.len() == MAX_KEPT_DELAYS
            && let Some(first) = self.kept_delays.pop_front()
        {
            self.from = first.0;
        }
        self.kept_delays.push_back((until, delay));
    }

    /// Goes back to the start of the run.
    fn restart(&mut self) {
        let watch = std::mem::take(&mut self.path.watch);
        self.path = self.start.0.clone();
        self.path.watch = watch;
        self.kept_delays.clear();
        self.from = Instant::START;
        if let Some(noise) = &mut self.noise
            && let Ok(again) = NoiseDelays::new(&noise.spec, self.start.1.clone())
        {
            *noise = again;
        }
    }
}

#[derive(Debug)]
struct EpochChannel {
    losses: Option<EpochLosses>,
    delays: Option<EpochDelays>,
}

impl Channel for EpochChannel {
    fn fate_of(&mut self, burst: Transmission) -> Fate {
        let lost = self.losses.as_mut().is_some_and(|losses| losses.loses(burst.start));
        if lost { Fate::Erased } else { Fate::Clean }
    }

    fn delays(&self) -> bool {
        self.delays.is_some()
    }

    fn delay(&mut self, start: Instant) -> Span {
        self.delays.as_mut().map_or(Span::ZERO, |delays| delays.delay_at(start))
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.losses.iter_mut().for_each(|losses| losses.path.watch = CancelCheck::new(cancel));
        self.delays.iter_mut().for_each(|delays| delays.path.watch = CancelCheck::new(cancel));
    }
}
