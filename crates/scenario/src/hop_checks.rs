//! Rules between the values of the directions of a hop, which no single value can show.

use crate::direction::{DelayChange, DirectionSpec, ForcedLoss, HopQueue};
use crate::hop::{EffectiveDirection, HopSpec};
use crate::input_error::InputError;
use crate::rate_checks::check_rates;
use crate::shortest::{check_means, check_sojourns, check_stays};
use crate::trains::check_trains;
use airtcp_core::{Duration, Probability, Rate, Stream};
use airtcp_radio::channel::{OnOff, Spec as _};
use airtcp_radio::distribution::Spec as _;
use airtcp_radio::gate::Spec as _;
use airtcp_radio::queue::Spec as _;
use airtcp_radio::{ChannelSpec, OPPORTUNITY_BITS, QueueSpec};

/// Checks the hop at `place` of a run that ends at `end`.
pub(crate) fn check_hop(hop: &HopSpec, place: &str, end: Duration) -> Result<(), InputError> {
    check_rates(hop, place)?;
    let forward = hop.effective_forward();
    check_losses(&forward, end, place)?;
    check_slotted(hop, place)?;
    check_gate(hop, place)?;
    check_packets(&forward, hop.gate.is_some(), place)?;
    if hop.back.is_none() {
        return Ok(());
    }
    let (back, place) = (hop.effective_back(), format!("{place}.back"));
    check_losses(&back, end, &place)?;
    check_shared(&forward, &back, &place)?;
    check_packets(&back, hop.gate.is_some(), &place)
}

/// Checks the channels, which lose packets or fragments, and the link layer, which repeats them.
fn check_losses(
    direction: &EffectiveDirection<'_>,
    end: Duration,
    place: &str,
) -> Result<(), InputError> {
    for (key, channel) in direction.spec.channels() {
        check_channel(channel, (direction.mean_rate(), end), &format!("{place}.{key}"))?;
    }
    direction.spec.arq.as_ref().map_or(Ok(()), |arq| arq.validate(&format!("{place}.arq")))
}

fn check_gate(hop: &HopSpec, place: &str) -> Result<(), InputError> {
    check_stays(hop.gate.as_ref(), place)?;
    let Some(gate) = &hop.gate else { return Ok(()) };
    let built = gate.build(Stream::new(0, "", 0)).map(|_| ());
    built.map_err(|e| InputError::within(e, &format!("{place}.gate")))?;
    check_means(gate, place)
}

/// Checks the keys that drop, delay, reorder, queue and forward packets.
fn check_packets(
    direction: &EffectiveDirection<'_>,
    is_gated: bool,
    place: &str,
) -> Result<(), InputError> {
    let spec = direction.spec;
    check_drops(&spec.drop, place)?;
    check_delays(&spec.delays, place)?;
    check_wire(spec, place)?;
    check_undelayed_packets(direction, place)?;
    check_queue(direction.queue, spec.arq.is_some(), place)?;
    let others = [("gate", is_gated), ("arq", spec.arq.is_some()), ("slotted", direction.slotted)];
    check_opportunities(&spec.opportunities, direction.mean_rate(), &others, place)?;
    check_trains(spec, place)
}

/// Checks that the queue can be built (one with bands: `check_priority`), and that a link layer that retransmits has a
/// queue that drops packets only as they arrive.
fn check_queue(queue: Option<&HopQueue>, is_arq: bool, place: &str) -> Result<(), InputError> {
    let Some(HopQueue::Kind(queue)) = queue else { return Ok(()) };
    let place = format!("{place}.queue");
    if !matches!(queue, QueueSpec::Priority(_)) {
        queue.build(Rate::MAX, Stream::new(0, "", 0)).map_err(|e| InputError::within(e, &place))?;
    }
    if is_arq && queue.discipline().is_none() {
        let message =
            format!("{:?} cannot be combined with arq; use drop-tail", queue.entry().name);
        return Err(InputError::new(format!("{place}.kind"), message));
    }
    Ok(())
}

/// Refuses packets that are not delayed where no other packets are, which they could overtake.
fn check_undelayed_packets(
    direction: &EffectiveDirection<'_>,
    place: &str,
) -> Result<(), InputError> {
    let spec = direction.spec;
    let is_delayed = direction.delay > Duration::ZERO
        || spec.jitter.is_some()
        || spec.delays.iter().any(|change| change.delay > Duration::ZERO);
    if is_delayed || spec.reorder.undelayed_packets().is_none() {
        return Ok(());
    }
    let message = "has no effect without a delay; give delay, delays or jitter";
    Err(InputError::new(format!("{place}.reorder"), message))
}

/// Checks that jitter, reordering and duplication can be built, and that no link layer retransmits beside them.
fn check_wire(spec: &DirectionSpec, place: &str) -> Result<(), InputError> {
    if let Some(distribution) = &spec.jitter {
        distribution.build().map_err(|e| InputError::within(e, &format!("{place}.jitter")))?;
    }
    if let Some(reorder) = spec.reorder.undelayed_packets() {
        let built = reorder.build(Stream::new(0, "", 0));
        built.map_err(|e| InputError::within(e, &format!("{place}.reorder")))?;
    }
    let keys = [
        ("jitter", spec.jitter.is_some()),
        ("reorder", !spec.reorder.keeps_order()),
        ("duplicate", spec.duplicate.is_some_and(|p| p > Probability::ZERO)),
    ];
    match keys.iter().find(|(_, is_there)| spec.arq.is_some() && *is_there) {
        None => Ok(()),
        Some((key, _)) => {
            let message = "cannot be combined with arq on one hop; put each on its own hop";
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

/// Checks that phases which both directions share are the same; the losses in them may differ.
fn check_shared(
    forward: &EffectiveDirection<'_>,
    back: &EffectiveDirection<'_>,
    place: &str,
) -> Result<(), InputError> {
    let phases = |of: &OnOff| (of.on, of.off, of.start, of.lengths, of.shared);
    for (key, one) in back.spec.channels() {
        let other = forward.spec.channels().find(|(same, _)| *same == key);
        let (ChannelSpec::OnOff(one), Some((_, ChannelSpec::OnOff(other)))) = (one, other) else {
            continue;
        };
        if (one.shared || other.shared) && phases(one) != phases(other) {
            let message = "on, off, start, lengths and shared must be the same as on the way forward, for \
                the phases are shared";
            return Err(InputError::new(format!("{place}.{key}"), message));
        }
    }
    Ok(())
}

/// Refuses a channel that both directions share on a slotted hop.
fn check_slotted(hop: &HopSpec, place: &str) -> Result<(), InputError> {
    match &hop.forward.channel {
        Some(ChannelSpec::OnOff(channel)) if hop.slotted && channel.shared => {
            let message = "true is not possible on a slotted hop; give false, or slotted = false";
            Err(InputError::new(format!("{place}.channel.shared"), message))
        }
        _ => Ok(()),
    }
}

fn check_drops(drops: &[ForcedLoss], place: &str) -> Result<(), InputError> {
    for (i, ForcedLoss(_, copy)) in drops.iter().enumerate() {
        if *copy == 0 {
            let message = "0 is not possible: copies are counted from 1";
            return Err(InputError::new(format!("{place}.drop[{i}][1]"), message));
        }
    }
    Ok(())
}

fn check_delays(delays: &[DelayChange], place: &str) -> Result<(), InputError> {
    match delays.windows(2).position(|pair| pair[0].at >= pair[1].at) {
        None => Ok(()),
        Some(i) => {
            let message = format!(
                "{} comes after {}, but times must increase",
                delays[i + 1].at,
                delays[i].at
            );
            Err(InputError::new(format!("{place}.delays[{}].at", i + 1), message))
        }
    }
}

/// Largest difference between a rate and the mean of the opportunities, as a share of that mean.
const MAX_RATE_DIFFERENCE: f64 = 0.01;

fn check_opportunities(
    millis: &[u32],
    rate: Rate,
    others: &[(&str, bool)],
    place: &str,
) -> Result<(), InputError> {
    let Some(&last) = millis.last() else { return Ok(()) };
    let refuse = |key: &str, message| Err(InputError::new(format!("{place}.{key}"), message));
    if let Some(i) = millis.windows(2).position(|pair| pair[0] > pair[1]) {
        let message =
            format!("{} comes after {}, but times must not decrease", millis[i + 1], millis[i]);
        return refuse(&format!("opportunities[{}]", i + 1), message);
    }
    if last == 0 {
        return refuse(
            "opportunities",
            "the last one is 0 ms; it must be above 0, as the list repeats from there".into(),
        );
    }
    if let Some((other, _)) = others.iter().find(|(_, is_there)| *is_there) {
        let message =
            format!("cannot be combined with {other} on one hop; put each on its own hop");
        return refuse("opportunities", message);
    }
    let mean = OPPORTUNITY_BITS as f64 * millis.len() as f64 / (f64::from(last) / 1000.0);
    if (rate.bits_per_second() / mean - 1.0).abs() > MAX_RATE_DIFFERENCE {
        let message = format!("{rate} is not the mean rate of the opportunities, {mean:.0}bps");
        return refuse("rate", message);
    }
    Ok(())
}
