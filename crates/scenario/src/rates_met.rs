//! Rates of a hop: one of `rate` and `rates`, and what does not go together with rates that change.

use crate::input_error::InputError;
use crate::path::{Back, HopRates, HopSpec};
use crate::shortest::refuse_short;
use airtcp_core::{Duration, Rate, Stream};
use airtcp_radio::channel::Spec as _;
use airtcp_radio::rates::Spec as _;
use airtcp_radio::{ChannelSpec, RatesSpec};

/// Checks the rates of both directions of a hop.
pub(crate) fn check_rates(hop: &HopSpec, place: &str) -> Result<(), InputError> {
    let none = Back::default();
    let back = hop.back.as_ref().unwrap_or(&none);
    let home = format!("{place}.back");
    if hop.rate.is_none() && hop.rates.is_none() {
        let message = "missing; a text such as \"1.5Mbps\", or rates for one that changes";
        return Err(InputError::new(format!("{place}.rate"), message));
    }
    let (slotted, trace) = (hop.slotted, &hop.opportunities);
    let ahead = [("rate", hop.rate.is_some()), ("opportunities", !trace.is_empty())];
    check_own(hop.rates.as_ref(), &[ahead[0], ahead[1], ("slotted", slotted)], place)?;
    let trace = !back.opportunities.is_empty();
    check_own(
        back.rates.as_ref(),
        &[("rate", back.rate.is_some()), ("opportunities", trace)],
        &home,
    )?;
    if trace && hop.back_rates().is_some() {
        let message = "not together with the rates of the way forward: give back.rate";
        return Err(InputError::new(format!("{home}.opportunities"), message));
    }
    if hop.rates.is_some() {
        check_channels(
            &[(&hop.exit, "exit"), (&hop.marks, "marks"), (&hop.channel, "channel")],
            place,
        )?;
    }
    if hop.back_rates().is_some() {
        check_channels(
            &[(&back.exit, "exit"), (&back.marks, "marks"), (&back.channel, "channel")],
            &home,
        )?;
    }
    Ok(())
}

fn check_own(
    rates: Option<&HopRates>,
    others: &[(&str, bool)],
    place: &str,
) -> Result<(), InputError> {
    let Some(rates) = rates else { return Ok(()) };
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

fn check_channels(
    channels: &[(&Option<ChannelSpec>, &str)],
    place: &str,
) -> Result<(), InputError> {
    let counts = |spec: &Option<ChannelSpec>| spec.as_ref().is_some_and(ChannelSpec::counts_slots);
    match channels.iter().find(|(spec, _)| counts(spec)) {
        None => Ok(()),
        Some((_, key)) => {
            let message = "counts slots, which have no length beside rates: a channel with clock = \"packet\", or rate";
            Err(InputError::new(format!("{place}.{key}"), message))
        }
    }
}
