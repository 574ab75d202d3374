"""Sentences on the clock of losses: how long a loss lasts for traffic that is not that of the file.

Slow probes do not show whether only the probe was lost, or everything until the next probe. TCP
over the link depends on that, so both answers are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from airtcp.fitting.losses import Clock, LossFit, LossModel

Goodputs = tuple[Sequence[float], Sequence[float]]


def time_text(ns: float) -> str:
    """A time in s or ms, whichever is readable, with three digits."""
    return f"{ns / 1e9:.3g} s" if ns >= 0.9995e9 else f"{ns / 1e6:.3g} ms"


def is_clock_assumed(losses: LossFit) -> bool:
    """True for slow probes, unless the losses show that their chain advances with time."""
    if not losses.is_sparse or not losses.losses_used:
        return False
    return not losses.is_clock_identified or losses.clock == "packet"


def other_clock(losses: LossFit) -> Clock:
    """The clock that was not chosen."""
    return "packet" if losses.clock == "time" else "time"


def clock_remarks(
    losses: LossFit,
    model: LossModel,
    airtime: float,
    tcps: Sequence[str],
    goodputs: Goodputs | None,
) -> Iterator[str]:
    """Sentences on the clock, and on a loss rate that differs between packets and time.

    `airtime`: airtime of a full packet, ns; `goodputs`: goodput of each TCP over the record, bit/s,
    on the chosen clock and on the other one; None if no TCP was run.
    """
    if is_clock_assumed(losses):
        yield _assumed_clock_remark(losses, model, airtime, tcps, goodputs)
    elif losses.clock_why and model.clock is not None:
        yield losses.clock_why
    yield from _time_loss_rate_remarks(losses, model)


def _assumed_clock_remark(
    losses: LossFit,
    model: LossModel,
    airtime: float,
    tcps: Sequence[str],
    goodputs: Goodputs | None,
) -> str:
    apart = time_text(losses.packet_distance)
    said = (
        f"packets came {apart} apart, while full packets follow each other every"
        f" {airtime / 1e6:.2g} ms at the rate of the link, so the files do not show how many full"
        " packets a burst of losses takes"
    )
    if losses.clock == "time":
        said += (
            f". This fit uses the time clock: each lost packet stands for {apart} of losses. On the"
            " packet clock (--clock packet) a burst keeps its number of packets at any rate, and so"
            " ends sooner"
        )
    elif model.clock is None:
        said += (
            ". This fit has independent losses, of single packets at any rate. On the time clock"
            f" (--clock time --model Gilbert) each lost packet would stand for {apart} of losses"
        )
    else:
        said += (
            ". This fit uses the packet clock: a burst keeps its number of packets at any rate. On"
            f" the time clock (--clock time) each lost packet would stand for {apart} of losses"
        )
    if goodputs is None:
        return said
    pairs = ", ".join(
        f"{tcp} {theirs / 1e6:.3g} instead of {ours / 1e6:.3g} Mbit/s"
        for tcp, ours, theirs in zip(tcps, *goodputs, strict=True)
    )
    return f"{said}. With that clock, TCP over the record would reach: {pairs}"


def _time_loss_rate_remarks(losses: LossFit, model: LossModel) -> Iterator[str]:
    """Loss rates per packet and per time, if packets met bad states unusually often or rarely."""
    if model.clock != "time":
        return
    seen, rate = losses.rate, model.chain.loss_rate
    if seen.low <= rate <= seen.high:
        return
    few = "seldom" if rate > seen.value else "often"
    yield (
        f"the model loses {100.0 * rate:.3g} % of the time, and of the packets in the record"
        f" {100.0 * seen.value:.3g} % ({100.0 * seen.low:.3g} to {100.0 * seen.high:.3g}) were"
        " lost: a rate on the time clock is one of time, as steady traffic meets it, and these"
        f" packets were sent more {few} while the link was bad"
    )
