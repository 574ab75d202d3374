//! What no single value of a hop can show: rules between the values of its directions.

use crate::direction::{DelayChange, Direction, Drop, HopQueue};
use crate::hop::{HopSpec, Way};
use crate::input_error::InputError;
use crate::rates_met::check_rates;
use crate::shortest::{check_means, check_sojourns, check_stays};
use airtcp_core::{Duration, Probability, Rate, Stream};
use airtcp_radio::channel::{OnOff, Spec as _};
use airtcp_radio::gate::Spec as _;
use airtcp_radio::law::Spec as _;
use airtcp_radio::queue::Spec as _;
use airtcp_radio::{ChannelSpec, OPPORTUNITY, QueueSpec};

/// Checks the hop at `place` of a run that ends at `end`.
pub(crate) fn check_hop(hop: &HopSpec, place: &str, end: Duration) -> Result<(), InputError> {
    check_rates(hop, place)?;
    let ahead = hop.forward();
    check_losses(&ahead, end, place)?;
    check_slotted(hop, place)?;
    check_gate(hop, place)?;
    check_packets(&ahead, hop.gate.is_some(), place)?;
    if hop.back.is_none() {
        return Ok(());
    }
    let (home, back) = (hop.home(), format!("{place}.back"));
    check_losses(&home, end, &back)?;
    check_shared(&ahead, &home, &back)?;
    check_packets(&home, hop.gate.is_some(), &back)
}

/// What loses packets or fragments, and repeats them.
fn check_losses(way: &Way<'_>, end: Duration, place: &str) -> Result<(), InputError> {
    for (key, channel) in way.own.channels() {
        check_channel(channel, (way.mean_rate(), end), &format!("{place}.{key}"))?;
    }
    way.own.arq.as_ref().map_or(Ok(()), |arq| arq.validate(&format!("{place}.arq")))
}

fn check_gate(hop: &HopSpec, place: &str) -> Result<(), InputError> {
    check_stays(hop.gate.as_ref(), place)?;
    let Some(gate) = &hop.gate else { return Ok(()) };
    let built = gate.build(Stream::new(0, "", 0)).map(|_| ());
    built.map_err(|e| InputError::within(e, &format!("{place}.gate")))?;
    check_means(gate, place)
}

/// What delays, orders and forwards packets.
fn check_packets(way: &Way<'_>, is_gated: bool, place: &str) -> Result<(), InputError> {
    let own = way.own;
    check_drops(&own.drop, place)?;
    check_delays(&own.delays, place)?;
    check_wire(own, place)?;
    check_overtaken(way, place)?;
    check_queue(way.queue, own.arq.is_some(), place)?;
    let others = [("gate", is_gated), ("arq", own.arq.is_some()), ("slotted", way.slotted)];
    check_opportunities(&own.opportunities, way.mean_rate(), &others, place)
}

/// A queue can be built (one with bands: `check_priority`), and a link layer that retransmits has one that only refuses.
fn check_queue(queue: Option<&HopQueue>, is_arq: bool, place: &str) -> Result<(), InputError> {
    let Some(HopQueue::Kind(queue)) = queue else { return Ok(()) };
    let place = format!("{place}.queue");
    if !matches!(queue, QueueSpec::Priority(_)) {
        queue
            .build(Rate::FASTEST, Stream::new(0, "", 0))
            .map_err(|e| InputError::within(e, &place))?;
    }
    if is_arq && queue.discipline().is_none() {
        let message = format!("{:?} is not possible with arq: drop-tail", queue.entry().name);
        return Err(InputError::new(format!("{place}.kind"), message));
    }
    Ok(())
}

/// Packets that are not delayed overtake others only where those are.
fn check_overtaken(way: &Way<'_>, place: &str) -> Result<(), InputError> {
    let own = way.own;
    let is_delayed = way.delay > Duration::ZERO
        || own.jitter.is_some()
        || own.delays.iter().any(|change| change.delay > Duration::ZERO);
    if is_delayed || own.reorder.ahead().is_none() {
        return Ok(());
    }
    let message =
        "nothing delays a packet that others could overtake: give delay, delays or jitter";
    Err(InputError::new(format!("{place}.reorder"), message))
}

/// What the wire of one direction adds to packets can be built, and stands beside no link layer that retransmits.
fn check_wire(own: &Direction, place: &str) -> Result<(), InputError> {
    if let Some(law) = &own.jitter {
        law.build().map_err(|e| InputError::within(e, &format!("{place}.jitter")))?;
    }
    if let Some(reorder) = own.reorder.ahead() {
        let built = reorder.build(Stream::new(0, "", 0));
        built.map_err(|e| InputError::within(e, &format!("{place}.reorder")))?;
    }
    let keys = [
        ("jitter", own.jitter.is_some()),
        ("reorder", !own.reorder.is_never()),
        ("duplicate", own.duplicate.is_some_and(|p| p > Probability::ZERO)),
    ];
    match keys.iter().find(|(_, is_there)| own.arq.is_some() && *is_there) {
        None => Ok(()),
        Some((key, _)) => {
            let message = "not together with arq: put the two on hops of their own";
            Err(InputError::new(format!("{place}.{key}"), message))
        }
    }
}

fn check_channel(
    channel: &ChannelSpec,
    (rate, end): (Rate, Duration),
    place: &str,
) -> Result<(), InputError> {
    check_sojourns(channel, place)?;
    let checked = channel.check_rate(rate).and_then(|()| channel.check_end(end.seconds()));
    let checked = checked.and_then(|()| channel.two_state());
    checked.map(drop).map_err(|e| InputError::within(e, place))
}

/// Phases that both directions share are the same; what is lost in them may differ.
fn check_shared(ahead: &Way<'_>, home: &Way<'_>, place: &str) -> Result<(), InputError> {
    let phases = |of: &OnOff| (of.on, of.off, of.start, of.lengths, of.shared);
    for (key, one) in home.own.channels() {
        let other = ahead.own.channels().find(|(same, _)| *same == key);
        let (ChannelSpec::OnOff(one), Some((_, ChannelSpec::OnOff(other)))) = (one, other) else {
            continue;
        };
        if (one.shared || other.shared) && phases(one) != phases(other) {
            let message = "on, off, start, lengths and shared must be the same as on the way ahead, for \
                the phases are shared";
            return Err(InputError::new(format!("{place}.{key}"), message));
        }
    }
    Ok(())
}

/// On slots a channel is of one direction.
fn check_slotted(hop: &HopSpec, place: &str) -> Result<(), InputError> {
    match &hop.ahead.channel {
        Some(ChannelSpec::OnOff(channel)) if hop.slotted && channel.shared => {
            let message = "true is not possible on a slotted hop: false, or slotted = false";
            Err(InputError::new(format!("{place}.channel.shared"), message))
        }
        _ => Ok(()),
    }
}

fn check_drops(drops: &[Drop], place: &str) -> Result<(), InputError> {
    for (i, Drop(_, copy)) in drops.iter().enumerate() {
        if *copy == 0 {
            let message = "0: copies are counted from 1";
            return Err(InputError::new(format!("{place}.drop[{i}][1]"), message));
        }
    }
    Ok(())
}

fn check_delays(delays: &[DelayChange], place: &str) -> Result<(), InputError> {
    match delays.windows(2).position(|pair| pair[0].at >= pair[1].at) {
        None => Ok(()),
        Some(i) => {
            let message =
                format!("{} after {}: the times must increase", delays[i + 1].at, delays[i].at);
            Err(InputError::new(format!("{place}.delays[{}].at", i + 1), message))
        }
    }
}

/// How far a rate may be from the mean of the opportunities.
const ROUNDED: f64 = 0.01;

fn check_opportunities(
    millis: &[u32],
    rate: Rate,
    others: &[(&str, bool)],
    place: &str,
) -> Result<(), InputError> {
    let Some(&last) = millis.last() else { return Ok(()) };
    let refuse = |key: &str, message| Err(InputError::new(format!("{place}.{key}"), message));
    if let Some(i) = millis.windows(2).position(|pair| pair[0] > pair[1]) {
        let message = format!("{} after {}: the times must not fall", millis[i + 1], millis[i]);
        return refuse(&format!("opportunities[{}]", i + 1), message);
    }
    if last == 0 {
        return refuse(
            "opportunities",
            "the last one is 0 ms, but they repeat from there on: above 0".into(),
        );
    }
    if let Some((other, _)) = others.iter().find(|(_, is_there)| *is_there) {
        let message = format!("not together with {other}: put the two on hops of their own");
        return refuse("opportunities", message);
    }
    let mean = OPPORTUNITY as f64 * millis.len() as f64 / (f64::from(last) / 1000.0);
    if (rate.bits_per_second() / mean - 1.0).abs() > ROUNDED {
        let message = format!("{rate} is not the mean rate of the opportunities, {mean:.0}bps");
        return refuse("rate", message);
    }
    Ok(())
}
