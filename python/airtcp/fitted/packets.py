"""A link from single packets: outages, losses and delays, and TCP over them beside the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from airtcp.campaign.journal import open_journal_in_memory
from airtcp.errors import InputError, count, known_name
from airtcp.fitted.clocks import clock_remarks, is_clock_assumed, other_clock
from airtcp.fitted.filled import FilledRate, with_filled_rate
from airtcp.fitted.goodput_comparison import GoodputComparer, GoodputComparison
from airtcp.fitted.hop import MOST_ENTRIES, FittedHop, longest_piece
from airtcp.fitted.options import FitOptions
from airtcp.fitted.parts import FittedParts, base_hop, scenario_document
from airtcp.fitted.records import RecordedLink
from airtcp.fitting.delays import LAW_NAMES, DelayFit, fit_delays
from airtcp.fitting.losses import MODEL_NAMES, LossFit, LossModel, fit_losses
from airtcp.fitting.outages import fit_outages
from airtcp.measured.measurement import (
    ARRIVED,
    LOST,
    NO_DELAY,
    QUEUE_LOSS,
    UNKNOWN,
    Measurement,
    Packets,
)
from airtcp.support.progress import Report

RECORD_NAME = "record"
FULL_PACKET_BYTES = 1500  # bytes
_MOST_TRIALS = 3  # loss models over which TCP is run


def fit_packets(chosen: Sequence[Measurement], options: FitOptions, report: Report) -> FittedParts:
    """Fit every part of the link; choose a loss model over which TCP does as over the record."""
    _check_names(options)
    pieces = [measurement.packets for measurement in chosen if measurement.packets is not None]
    if not any((piece.fate >= ARRIVED).any() for piece in pieces):
        raise InputError(
            f"{chosen[0].source}: {chosen[0].about or chosen[0].form}: the file does not show for"
            " any packet whether it arrived, so nothing can be fitted"
        )
    rate = with_filled_rate(base_hop(chosen[0], options), chosen, options, report)
    hop = rate.hop
    outages = fit_outages(pieces, seed=options.seed)
    losses = fit_losses(
        [outages.without_outages(piece) for piece in pieces],
        models=None if options.model is None else (options.model,),
        clock=options.clock,
        traffic=_airtime(hop),
        seed=options.seed,
        report=report,
    )
    first = _first_model(losses, options.model)
    delays = _fit_delays_of(chosen[0].source, pieces, rate, options)
    if delays is not None:
        for key, value, said in delays.hop_keys():
            hop = hop.with_key(key, _jitter_at_rate_of_hop(value, hop, pieces), said)
    gates = [  # a rate of 0 holds packets as a spike of the delay does
        keys_and_words
        for keys_and_words in outages.gates()
        if not (rate.holds_packets and keys_and_words[0]["kind"] == "spikes")
    ]
    records = RecordedLink(longest_piece(pieces), outages, losses)
    record = records.recorded_channel(losses.clock)
    model: LossModel = first
    beside: tuple[GoodputComparison, ...] = ()
    goodputs_by_clock: tuple[Sequence[float], Sequence[float]] | None = None
    if options.check and losses.losses_used:
        link, gate = hop, {}
        for keys, said in gates:  # what drops packets is in the record's losses, what holds is not
            if keys["kind"] == "on-off":
                gate = {"gate": keys}
            else:
                link = link.with_key("gate", keys, said)
        with open_journal_in_memory() as journal:
            trial = GoodputComparer(
                scenario_document(link, "", options.tcps),
                record,
                options,
                journal,
                report,
                losses=losses.losses_used,
            )
            trials = [first] if options.model else [first, *_rivals(losses)][:_MOST_TRIALS]
            model, beside = _choose_by_tcp(trial, trials, gate, records)
            if is_clock_assumed(losses):
                both = (losses.clock, other_clock(losses))
                ours, theirs = (
                    trial.mean_goodputs("the record", records.recorded_channel(clock))
                    for clock in both
                )
                goodputs_by_clock = ours, theirs
    if options.replay:
        channel, hop = RECORD_NAME, hop.with_key("channel", record, _replay_words(chosen))
    else:
        channel, hop = model.label, _with_model(hop, gates, losses, model)
    remarks = [*rate.remarks, *_remarks(pieces, losses, beside, model)]
    remarks += clock_remarks(losses, model, _airtime(hop), options.tcps, goodputs_by_clock)
    return FittedParts(
        hop, channel, losses, outages, delays, beside, tuple(remarks), rates=rate.model
    )


def _check_names(options: FitOptions) -> None:
    for field, asked, names in (
        ("model", options.model, MODEL_NAMES),
        ("delay", options.delay, LAW_NAMES),
    ):
        if asked is not None:
            known_name(field, asked, names)


def _fit_delays_of(
    source: str, pieces: Sequence[Packets], rate: FilledRate, options: FitOptions
) -> DelayFit | None:
    """Laws of delays; None for a file without delays.

    If the delays arose in a queue before a rate that changes, there is no jitter unless a law is
    asked for.
    """
    if any((piece.delay != NO_DELAY).any() for piece in pieces):
        found = fit_delays(pieces, model=options.delay, seed=options.seed)
        if options.delay is not None or not rate.changes:
            return found
        why = "a queue stood nearly all the time, from which jitter cannot be told"
        return replace(found, chosen=None, why=why)
    if options.delay is not None:
        raise InputError(f"delay: {source} has no delays, so there is no law to take")
    return None


def _airtime(hop: FittedHop) -> float:
    """Time of a full packet at the rate of the hop, ns."""
    return 1e9 * 8.0 * FULL_PACKET_BYTES / hop.mean_rate


def _jitter_at_rate_of_hop(value: Any, hop: FittedHop, pieces: Sequence[Packets]) -> Any:
    """A law of jitter whose memory lasts as long as in the record.

    A correlation holds for packets as far apart as in the record. Full packets at the rate of the
    hop are closer together, so their delays are more alike: the memory fades exponentially in time.
    """
    if not isinstance(value, dict) or value.get("kind") != "autoregressive":
        return value
    apart = float(np.median(np.diff(longest_piece(pieces).time)))
    airtime = _airtime(hop)
    if value["correlation"] <= 0.0 or apart <= airtime:
        return value
    return value | {"correlation": float(value["correlation"] ** (airtime / apart))}


def _choose_by_tcp(
    trial: GoodputComparer,
    models: Sequence[LossModel],
    gate: Mapping[str, Any],
    records: RecordedLink,
) -> tuple[LossModel, tuple[GoodputComparison, ...]]:
    """The first model over which every TCP does as over the record; else the first of all."""
    tried: list[GoodputComparison] = []
    for model in models:
        channel = {} if model.chain.loss_rate == 0.0 else {"channel": model.channel()}
        found = trial.compare(model.label, {**channel, **gate}, records.simulated_records(model))
        tried += found
        if all(comparison.verdict != "different" for comparison in found):
            return model, tuple(tried)
    return models[0], tuple(tried)


def _first_model(losses: LossFit, name: str | None) -> LossModel:
    """The model that was asked for, on the better clock; else the chosen one."""
    named = [model for model in losses.models if name in (None, model.name)]
    if losses.chosen in named:
        return losses.chosen
    if not named:
        raise InputError(f"model: {'; '.join(losses.models_left_out)}")
    return max(named, key=lambda model: model.held_out)


def _rivals(losses: LossFit) -> list[LossModel]:
    """Models on the same clock that held-out data do not separate from the chosen one.

    Models that their own test rejects are left out, unless the tests reject all.
    """
    chosen = losses.chosen
    rivals = [
        model
        for model in losses.models
        if model is not chosen
        and model.clock in (None, losses.clock)
        and (model.is_accepted or not losses.is_accepted)
        and model.held_out >= chosen.held_out - 2.0 * chosen.gain_se
    ]
    return sorted(rivals, key=lambda model: -model.held_out)


def _replay_words(chosen: Sequence[Measurement]) -> str:
    source = max(
        chosen,
        key=lambda measurement: 0 if measurement.packets is None else len(measurement.packets.fate),
    ).source
    return f"the losses of {source} themselves, from a random place in every run"


def _with_model(
    hop: FittedHop, gates: Sequence[tuple[dict[str, Any], str]], losses: LossFit, model: LossModel
) -> FittedHop:
    if model.chain.loss_rate > 0.0:
        hop = hop.with_key("channel", model.channel(), _model_words(losses, model))
    for gate, said in gates:
        hop = hop.with_key("gate", gate, said)
    return hop


def _model_words(losses: LossFit, model: LossModel) -> str:
    values = ", ".join(
        f"{parameter.name} {parameter.value:.3g}"
        + (f" ({parameter.low:.3g} to {parameter.high:.3g})" if parameter.low is not None else "")
        for parameter in model.parameters
    )
    rejected = "" if model.is_accepted else f"; its test rejects it (p = {model.p_value:.2g})"
    return (
        f"losses: {model.label}, from {count(losses.losses_used, 'lost packet')} of"
        f" {count(losses.packets, 'packet')}; 95 % intervals: {values}{rejected}"
    )


def _remarks(
    pieces: Sequence[Packets],
    losses: LossFit,
    beside: Sequence[GoodputComparison],
    model: LossModel,
) -> Iterator[str]:
    """Sentences about what the files cannot show."""
    if not losses.losses_used:
        yield (
            "no loss was seen: the link loses less than"
            f" {3.0 / max(losses.packets, 1):.2g} of its packets (95 %)"
        )
    if pieces[0].delays == "round trip":
        yield (
            "a round trip does not show on which way a packet was lost or delayed: losses and"
            " jitter stand on the way forward, half of the least delay on each"
        )
    causes = [piece.cause[piece.fate == LOST] for piece in pieces]
    unknown = sum(int((values == UNKNOWN).sum()) for values in causes)
    own = sum(int((values == QUEUE_LOSS).sum()) for values in causes)
    if own:
        yield f"{count(own, 'packet')} lost by a full queue are not the link's losses: left out"
    if unknown and any((values != UNKNOWN).any() for values in causes):
        yield (
            f"of {count(unknown, 'lost packet')} nothing shows whether a queue or the link lost"
            " them; they count as the link's"
        )
    if any(comparison.verdict == "too few losses" for comparison in beside):
        yield (
            f"{losses.losses_used} lost packets are too few to judge a model by TCP:"
            " over other records as long as this one, simulated from the model, it differs as much"
        )
    if len(pieces[0].fate) > MOST_ENTRIES:
        yield f"of the record the first {MOST_ENTRIES} entries are replayed"
    if beside and any(
        comparison.verdict == "different"
        for comparison in beside
        if comparison.model == model.label
    ):
        yield (
            "TCP does otherwise over this model than over the record: --replay makes the record"
            " itself the channel"
        )
