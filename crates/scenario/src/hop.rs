//! A hop: two nodes, and what packets meet between them in either direction.

use crate::direction::{DirectionSpec, HopQueue, HopRates};
use crate::links::LinkProfile;
use airtcp_core::{Duration, Rate};
use airtcp_radio::rates::Spec as _;
use airtcp_radio::{GateSpec, RatesSpec};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::sync::LazyLock;

/// One hop, both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["delay"]}, {"required": ["link"]}]))]
pub struct HopSpec {
    /// Name of the node at its near end. Absent: the far end of the previous hop, or "0" for the first hop. Example:
    /// `"phone"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub near: Option<String>,
    /// Name of the node at its far end. Absent: a new node: "1" after the first hop, "2" after the second, and so on.
    /// Example: `"mast"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub far: Option<String>,
    /// Measured or published link that provides the keys which the hop does not give; `airtcp list links` names all.
    /// If the hop gives `rate`, `rates` or `opportunities`, it has no rates of the link; if it gives `delay`, none of
    /// the link's `delays`. Cross-traffic of the link is added to the scenario's. Absent: all keys are the hop's
    /// own. Example: `"gprs-spikes"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "link_schema")]
    pub link: Option<String>,
    /// The direction from the near end to the far end; its keys are keys of the hop.
    #[serde(flatten, deserialize_with = "with_delay")]
    pub forward: DirectionSpec,
    /// True if forward transmissions start at slot boundaries; a slot is the airtime of a full packet (with `arq`, of
    /// a fragment). The channel then advances slot by slot as in profile zorzi, and the first hop has the same sample
    /// path as zorzi under the same seed. Absent: transmissions start at any time. Example: `true`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub slotted: bool,
    /// Outages of the link, in both directions unless `direction` says otherwise. Absent: the link is always up.
    /// Example: `{kind = "periodic", up = "10s", down = "500ms"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GateSpec")]
    pub gate: Option<GateSpec>,
    /// Reverse direction, from the far end to the near end: the keys in which it differs from the forward one.
    /// Absent: rate, delay and queue are those of the forward direction. Example:
    /// `{rate = "500kbps", delay = "30ms"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DirectionSpec")]
    pub back: Option<DirectionSpec>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A name of a link profile: one of the single ones, or a path of the table.
fn link_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = LinkProfile::single_names().collect();
    json_schema!({
        "type": "string", "format": "link", "examples": ["gprs-spikes"],
        "anyOf": [{"enum": names}, {"pattern": "^cellular-[a-z-]+-[0-9]+$"}],
    })
}

/// Reads the forward direction, whose delay must be given: it has no other direction to take one from.
fn with_delay<'de, D: Deserializer<'de>>(keys: D) -> Result<DirectionSpec, D::Error> {
    let forward = DirectionSpec::deserialize(keys)?;
    if forward.delay.is_none() {
        return Err(D::Error::missing_field("delay"));
    }
    Ok(forward)
}

/// One direction of a hop as packets meet it: its keys, completed in the reverse direction by those of the forward one.
#[derive(Clone, Debug)]
pub struct EffectiveDirection<'a> {
    /// The keys that the scenario gives for this direction.
    pub spec: &'a DirectionSpec,
    /// One-way propagation delay.
    pub delay: Duration,
    rate: Option<Rate>,
    /// Rates that change with time.
    pub rates: Option<Cow<'a, RatesSpec>>,
    /// The queue; none: drop-tail without a limit.
    pub queue: Option<&'a HopQueue>,
    /// True if transmissions start with slots.
    pub slotted: bool,
}

/// A direction for which the scenario gives no key.
static UNSET: LazyLock<DirectionSpec> = LazyLock::new(DirectionSpec::default);

impl HopSpec {
    /// The direction from the near end to the far end.
    ///
    /// # Panics
    /// If the hop was made without a delay; a hop that was read has one.
    #[must_use]
    pub fn effective_forward(&self) -> EffectiveDirection<'_> {
        let spec = &self.forward;
        EffectiveDirection {
            spec,
            delay: spec.delay.expect("a hop has a delay"),
            rate: spec.rate,
            rates: spec.rates.as_ref().map(HopRates::spec),
            queue: spec.queue.as_ref(),
            slotted: self.slotted,
        }
    }

    /// The direction from the far end to the near end.
    ///
    /// # Panics
    /// If the hop was made without a delay, as in [`HopSpec::effective_forward`].
    #[must_use]
    pub fn effective_back(&self) -> EffectiveDirection<'_> {
        let forward = self.effective_forward();
        let spec = self.back.as_ref().unwrap_or(&*UNSET);
        let rates = match spec {
            DirectionSpec { rates: Some(rates), .. } => Some(rates.spec()),
            DirectionSpec { rate: Some(_), .. } => None,
            _ => forward.rates,
        };
        EffectiveDirection {
            spec,
            delay: spec.delay.unwrap_or(forward.delay),
            rate: spec.rate.or(forward.rate),
            rates,
            queue: spec.queue.as_ref().or(forward.queue),
            slotted: false,
        }
    }

    /// The reverse direction if `is_back`, else the forward one.
    #[must_use]
    pub fn effective(&self, is_back: bool) -> EffectiveDirection<'_> {
        if is_back { self.effective_back() } else { self.effective_forward() }
    }

    /// The keys that the scenario gives for either direction.
    pub fn directions(&self) -> impl Iterator<Item = &DirectionSpec> {
        std::iter::once(&self.forward).chain(&self.back)
    }
}

impl EffectiveDirection<'_> {
    /// The rate in a valid scenario, or the mean of its rates.
    ///
    /// # Panics
    /// If the hop has neither `rate` nor `rates`, which a check of the scenario refuses.
    #[must_use]
    pub fn mean_rate(&self) -> Rate {
        let mean = self
            .rates
            .as_ref()
            .and_then(|rates| Rate::from_bits_per_second(rates.mean()))
            .or(self.rate);
        mean.expect("one of rate and rates is given")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn refusal(hop: Value) -> String {
        serde_json::from_value::<HopSpec>(hop).unwrap_err().to_string()
    }

    #[test]
    fn keys_that_a_hop_has_not_are_refused_where_it_is_read() {
        let hop = json!({"rate": "1Mbps", "delay": "1ms", "back": {"queue": 5}});
        assert!(serde_json::from_value::<HopSpec>(hop.clone()).is_ok());
        let mut wrong = hop.clone();
        wrong["quene"] = json!(5);
        assert!(refusal(wrong).starts_with("unknown field `quene`"));
        let mut wrong = hop;
        wrong["back"]["slotted"] = json!(true);
        assert!(refusal(wrong).starts_with("unknown field `slotted`"));
        assert_eq!(refusal(json!({"rate": "1Mbps"})), "missing field `delay`");
    }
}
