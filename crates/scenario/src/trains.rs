//! Packet trains recorded over an idle link, beside the opportunities of the busy one.

use crate::direction::DirectionSpec;
use crate::input_error::InputError;
use airtcp_core::{Duration, Span};
use airtcp_radio::{Opportunities, Train};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A train of packets sent over the idle link, as it was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainSpec {
    /// Time of the recording from which the train stands for the idle link, until that of the next train. Example:
    /// `"500ms"`.
    pub at: Duration,
    /// One-way propagation delay of all packets of a busy period that begins with this train. Absent: the delay of the
    /// hop. Example: `"31ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub delay: Option<Duration>,
    /// Delivery opportunities in whole milliseconds from the arrival of the first packet of a busy period, in order, each
    /// for 1504 bytes. Those of the busy link follow the last one. Example: `[0, 4, 4, 9]`.
    #[schemars(length(min = 1, max = 10_000), inner(range(min = 0, max = 4_294_967_295_u32)))]
    pub opportunities: Vec<u32>,
}

impl DirectionSpec {
    /// The opportunities of a valid direction, with the trains over its idle link; `delay` is that of trains without
    /// one.
    pub(crate) fn build_opportunities(&self, delay: Span) -> Option<Opportunities> {
        let busy = Opportunities::new(&self.opportunities)?;
        if self.trains.is_empty() {
            return Some(busy);
        }
        let train = |spec: &TrainSpec| {
            let delay = spec.delay.map_or(delay, |delay| delay.span());
            Train::new(spec.at.span(), delay, &spec.opportunities)
        };
        busy.with_trains(self.trains.iter().map(train).collect::<Option<_>>()?)
    }
}

/// Checks the trains of the direction at `place`, whose opportunities are checked.
pub(crate) fn check_trains(spec: &DirectionSpec, place: &str) -> Result<(), InputError> {
    let place = format!("{place}.trains");
    let Some(last) = spec.trains.last() else { return Ok(()) };
    let Some(end) = spec.opportunities.last() else {
        let message = "applies only with opportunities, which serve packets behind a train; give opportunities too";
        return Err(InputError::new(place, message));
    };
    if !spec.delays.is_empty() {
        let message = "cannot be combined with delays on one hop; give each train its delay";
        return Err(InputError::new(place, message));
    }
    for (i, train) in spec.trains.iter().enumerate() {
        if let Some(j) = train.opportunities.windows(2).position(|pair| pair[0] > pair[1]) {
            let (before, time) = (train.opportunities[j], train.opportunities[j + 1]);
            let message = format!("{time} comes after {before}, but times must not decrease");
            return Err(InputError::new(format!("{place}[{i}].opportunities[{}]", j + 1), message));
        }
    }
    if let Some(i) = spec.trains.windows(2).position(|pair| pair[0].at >= pair[1].at) {
        let (before, at) = (spec.trains[i].at, spec.trains[i + 1].at);
        let message = format!("{at} comes after {before}, but times must increase");
        return Err(InputError::new(format!("{place}[{}].at", i + 1), message));
    }
    let end = Duration::from_span(Span::from_nanos(i64::from(*end) * 1_000_000));
    if last.at >= end {
        let message = format!(
            "{} is not before the end of the opportunities, {end}, after which both recordings are repeated",
            last.at
        );
        return Err(InputError::new(format!("{place}[{}].at", spec.trains.len() - 1), message));
    }
    Ok(())
}
