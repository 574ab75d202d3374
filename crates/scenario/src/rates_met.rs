//! Rates of a hop: one of `rate` and `rates`, and what does not go together with rates that change.

use crate::direction::HopRates;
use crate::hop::{HopSpec, Way};
use crate::input_error::InputError;
use crate::shortest::refuse_short;
use airtcp_core::{Duration, Rate, Stream};
use airtcp_radio::RatesSpec;
use airtcp_radio::channel::Spec as _;
use airtcp_radio::rates::Spec as _;

/// Checks the rates of both directions of a hop.
pub(crate) fn check_rates(hop: &HopSpec, place: &str) -> Result<(), InputError> {
    let (ahead, home) = (&hop.ahead, format!("{place}.back"));
    if ahead.rate.is_none() && ahead.rates.is_none() {
        let message = "missing; a text such as \"1.5Mbps\", or rates for one that changes";
        return Err(InputError::new(format!("{place}.rate"), message));
    }
    check_own(&hop.forward(), place)?;
    check_own(&hop.home(), &home)?;
    check_beside(&hop.forward(), place)?;
    check_beside(&hop.home(), &home)
}

/// What does not go together with rates that change, be they of the way forward.
fn check_beside(way: &Way<'_>, place: &str) -> Result<(), InputError> {
    if way.rates.is_none() {
        return Ok(());
    }
    if !way.own.opportunities.is_empty() {
        let message = "not together with the rates of the way forward: give back.rate";
        return Err(InputError::new(format!("{place}.opportunities"), message));
    }
    match way.own.channels().find(|(_, channel)| channel.counts_slots()) {
        None => Ok(()),
        Some((key, _)) => {
            let message = "counts slots, which have no length beside rates: a channel with clock = \"packet\", or rate";
            Err(InputError::new(format!("{place}.{key}"), message))
        }
    }
}

fn check_own(way: &Way<'_>, place: &str) -> Result<(), InputError> {
    let Some(rates) = &way.own.rates else { return Ok(()) };
    let others = [
        ("rate", way.own.rate.is_some()),
        ("opportunities", !way.own.opportunities.is_empty()),
        ("slotted", way.slotted),
    ];
    let place = format!("{place}.rates");
    if let Some((other, _)) = others.iter().find(|(_, is_there)| *is_there) {
        return Err(InputError::new(place, format!("not together with {other}: give one of them")));
    }
    let spec = rates.spec();
    // Changes that are given without a kind are a list.
    let key = |field: &str| match rates {
        HopRates::Changes(_) => format!("{place}{}", field.trim_start_matches("values")),
        HopRates::Kind(_) => format!("{place}.{field}"),
    };
    spec.build(Stream::new(0, "", 0)).map_err(|e| InputError::new(key(&e.field), e.message))?;
    refuse_short(&place, Duration::from_span(spec.shortest()))?;
    check_mean(&spec, &place)
}

fn check_mean(spec: &RatesSpec, place: &str) -> Result<(), InputError> {
    match Rate::of(spec.mean()) {
        Some(_) => Ok(()),
        None => Err(InputError::new(place, "their mean is below 1bps: at least 1bps")),
    }
}
