//! Checks of the rates of a hop: one of `rate` and `rates`, and no keys that contradict rates that change.

use crate::direction::HopRates;
use crate::hop::{EffectiveDirection, HopSpec};
use crate::input_error::InputError;
use crate::shortest::{MIN_TIME, refuse_short};
use airtcp_core::{Duration, Rate, Stream};
use airtcp_radio::RatesSpec;
use airtcp_radio::channel::Spec as _;
use airtcp_radio::rates::{Changes, Spec as _, Steps};

/// Checks the rates of both directions of a hop.
pub(crate) fn check_rates(hop: &HopSpec, place: &str) -> Result<(), InputError> {
    let (forward, back) = (hop.effective_forward(), hop.effective_back());
    if hop.forward.rate.is_none() && hop.forward.rates.is_none() {
        let message = "missing; give a rate such as \"1.5Mbps\", or rates for one that changes";
        return Err(InputError::new(format!("{place}.rate"), message));
    }
    let place_of_back = format!("{place}.back");
    check_own(&forward, place)?;
    check_own(&back, &place_of_back)?;
    check_contradicting_keys(&forward, place)?;
    check_contradicting_keys(&back, &place_of_back)
}

/// Refuses keys that contradict rates that change, also where the reverse direction has those of the forward one.
fn check_contradicting_keys(
    direction: &EffectiveDirection<'_>,
    place: &str,
) -> Result<(), InputError> {
    if direction.rates.is_none() {
        return Ok(());
    }
    if !direction.spec.opportunities.is_empty() {
        let message = "cannot be combined with the rates of the forward direction, which apply here; give back.rate";
        return Err(InputError::new(format!("{place}.opportunities"), message));
    }
    match direction.spec.channels().find(|(_, channel)| channel.counts_slots()) {
        None => Ok(()),
        Some((key, _)) => {
            let message = "counts slots, which have no fixed length with rates; give it clock = \"packet\", or the hop a rate";
            Err(InputError::new(format!("{place}.{key}"), message))
        }
    }
}

fn check_own(direction: &EffectiveDirection<'_>, place: &str) -> Result<(), InputError> {
    let Some(rates) = &direction.spec.rates else { return Ok(()) };
    let others = [
        ("rate", direction.spec.rate.is_some()),
        ("opportunities", !direction.spec.opportunities.is_empty()),
        ("slotted", direction.slotted),
    ];
    let place = format!("{place}.rates");
    if let Some((other, _)) = others.iter().find(|(_, is_there)| *is_there) {
        return Err(InputError::new(place, format!("give either this or {other}")));
    }
    let spec = rates.spec();
    // Changes that are given without a kind are a list.
    let key = |field: &str| match rates {
        HopRates::Changes(_) => format!("{place}{}", field.trim_start_matches("values")),
        HopRates::Kind(_) => format!("{place}.{field}"),
    };
    spec.build(Stream::new(0, "", 0)).map_err(|e| InputError::new(key(&e.field), e.message))?;
    if let RatesSpec::Steps(Steps { values, .. }) = &*spec {
        check_steps(values, key)?;
    }
    refuse_short(&place, Duration::from_span(spec.shortest()))?;
    check_mean(&spec, &place)
}

/// Checks that rates last long enough; `key` gives the path of a field.
fn check_steps(values: &Changes, key: impl Fn(&str) -> String) -> Result<(), InputError> {
    let Some((i, after)) = values.first_closer_than(MIN_TIME) else { return Ok(()) };
    let (field, line) = match values {
        Changes::Tables(_) => (format!("values[{i}].at"), String::new()),
        Changes::Lines(_) => ("values".to_owned(), format!("line {}: ", i + 1)),
    };
    let message = format!(
        "{line}{} after the row before it; rows must be at least 1us apart",
        Duration::from_span(after)
    );
    Err(InputError::new(key(&field), message))
}

fn check_mean(spec: &RatesSpec, place: &str) -> Result<(), InputError> {
    match Rate::from_bits_per_second(spec.mean()) {
        Some(_) => Ok(()),
        None => Err(InputError::new(
            place,
            "the mean of the rates is below 1bps; must be at least 1bps",
        )),
    }
}
