//! A hop: two nodes, and what packets meet between them in either direction.

use crate::direction::{Direction, HopQueue, HopRates};
use airtcp_core::{Duration, Rate};
use airtcp_radio::rates::Spec as _;
use airtcp_radio::{GateSpec, RatesSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::LazyLock;

/// One hop, both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct HopSpec {
    /// Name of the node at its near end. Absent: where the hop before it ends; of the first one "0".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub near: Option<String>,
    /// Name of the node at its far end. Absent: a node of its own, "1" behind the first hop, "2" behind the second, and
    /// so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub far: Option<String>,
    /// One-way propagation delay.
    pub delay: Duration,
    /// The way forward, from the near end to the far end: its keys are keys of the hop.
    #[serde(flatten)]
    pub ahead: Direction,
    /// Whether transmissions to the far end start with slots, each the airtime of a full packet (with `arq`, of
    /// a fragment): the channel is then asked slot by slot, as in profile zorzi, and on the first hop it is the
    /// sample path that the same seed gives there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub slotted: bool,
    /// When the link is up, for packets in both directions unless it says otherwise. Absent: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GateSpec")]
    pub gate: Option<GateSpec>,
    /// The way back, from the far end to the near end, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Back")]
    pub back: Option<Back>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The way back over a hop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Back {
    /// One-way propagation delay. Absent: as forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub delay: Option<Duration>,
    /// The rest of the way back: its keys are keys of `back`.
    #[serde(flatten)]
    pub way: Direction,
}

/// One direction of a hop, with what the way back has from the way forward.
#[derive(Clone, Debug)]
pub struct Way<'a> {
    /// What is said of this direction.
    pub own: &'a Direction,
    /// One-way propagation delay.
    pub delay: Duration,
    /// The rate of this direction, or else of the way forward.
    given: Option<Rate>,
    /// Rates that change with time.
    pub rates: Option<Cow<'a, RatesSpec>>,
    /// The queue; none: drop-tail without a limit.
    pub queue: Option<&'a HopQueue>,
    /// Whether transmissions start with slots.
    pub slotted: bool,
}

/// A direction of which nothing is said.
static UNSAID: LazyLock<Direction> = LazyLock::new(Direction::default);

impl HopSpec {
    /// The way from the near end to the far end.
    #[must_use]
    pub fn forward(&self) -> Way<'_> {
        let own = &self.ahead;
        Way {
            own,
            delay: self.delay,
            given: own.rate,
            rates: own.rates.as_ref().map(HopRates::spec),
            queue: own.queue.as_ref(),
            slotted: self.slotted,
        }
    }

    /// The way from the far end to the near end.
    #[must_use]
    pub fn home(&self) -> Way<'_> {
        let ahead = self.forward();
        let own = self.back.as_ref().map_or(&*UNSAID, |back| &back.way);
        let rates = match own {
            Direction { rates: Some(own), .. } => Some(own.spec()),
            Direction { rate: Some(_), .. } => None,
            _ => ahead.rates,
        };
        Way {
            own,
            delay: self.back.as_ref().and_then(|back| back.delay).unwrap_or(self.delay),
            given: own.rate.or(ahead.given),
            rates,
            queue: own.queue.as_ref().or(ahead.queue),
            slotted: false,
        }
    }

    /// One of these.
    #[must_use]
    pub fn way(&self, is_back: bool) -> Way<'_> {
        if is_back { self.home() } else { self.forward() }
    }

    /// What is said of either direction.
    pub fn directions(&self) -> impl Iterator<Item = &Direction> {
        std::iter::once(&self.ahead).chain(self.back.iter().map(|back| &back.way))
    }
}

impl Way<'_> {
    /// The rate in a valid scenario, or the mean of its rates.
    ///
    /// # Panics
    /// If the hop has neither `rate` nor `rates`, which a check of the scenario refuses.
    #[must_use]
    pub fn mean_rate(&self) -> Rate {
        let mean = self.rates.as_ref().and_then(|rates| Rate::of(rates.mean())).or(self.given);
        mean.expect("one of rate and rates is given")
    }
}
