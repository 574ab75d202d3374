"""Facts about a measurement, before any model is fitted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from airtcp.errors import real_number, refusal
from airtcp.links.mahimahi import BYTES
from airtcp.measured.loss_rate import loss_rate
from airtcp.measured.measurement import (
    ARRIVED,
    LOST,
    NO_DELAY,
    UNKNOWN,
    Intervals,
    Measurement,
    Oddity,
    Packets,
)
from airtcp.measured.runs import run_bounds, run_lengths
from airtcp.stats.intervals import Interval

LAGS = (1, 10, 100)
SILENCE_SECONDS = 1.0  # s
_MOST_LISTED_SILENCES = 1000  # of which each is kept; all are counted
_NS_PER_SECOND = 1_000_000_000
_NS_PER_MS = 1_000_000
_ODD_EQUAL_DELAYS = 20  # delays in a row that are equal where a clock is finer than they scatter
_FINE_CLOCK_STEPS = 8  # steps of a clock, over which delays scatter for equal ones to be odd
_LONG_INTERVAL_SECONDS = 1.5  # s of intervals, which show no rate by the second
_FEWEST_DELAYS = 20  # delays, of which nothing is said on their resolution
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bursts:
    """Runs of packets lost one after the other: how many, and their lengths in packets.

    `counts` has the number of runs by length.
    """

    number: int
    mean: float
    longest: int
    counts: dict[int, int]


@dataclass(frozen=True)
class Delays:
    """Delays in seconds; `of` names the way: one way, round trip or the like.

    `autocorrelation` is by lag, in packets or intervals, over pairs of which both have a delay;
    NaN where there are fewer than 20.
    """

    of: str
    number: int
    least: float
    median: float
    p95: float
    p99: float
    most: float
    autocorrelation: dict[int, float]


@dataclass(frozen=True)
class Rate:
    """Rate of what arrived in bit/s: mean, and quantiles over whole seconds.

    `of`: "arrivals", or "probes" for a tool that sends at its own pace, whatever the link carries.
    """

    of: Literal["arrivals", "probes"]

    mean: float
    p5: float
    median: float
    p95: float


@dataclass(frozen=True)
class Silence:
    """A time without an arrival: start and length in seconds, and the packets lost in it.

    Of packets it is the time from the first to the last of a run of losses.
    """

    start: float
    length: float
    packets: int


@dataclass(frozen=True)
class Asymmetry:
    """Ratios of values of this direction to values of the other; NaN where either is missing."""

    loss: float
    delay: float
    rate: float


@dataclass(frozen=True)
class Facts:
    """Facts about a measurement; None for what its file does not show.

    - `duration`: s from the first packet to the last, or over all intervals or opportunities;
    - `packets`, `lost`, `unknown`: numbers of packets, doubles where a file has counts only;
    - `loss`: share of packets lost among packets of known fate, with a 95 % interval that allows
      for losses in bursts;
    - `silences`: times without an arrival of at least `silence` s, at most 1000 of them, and
      `silence_count`, `silence_total`: number and total length (s) of all; None for data that only
      a sender wrote, and for intervals longer than `silence`.
    """

    source: str
    form: str
    about: str
    began: float | None
    is_time_measured: bool
    duration: float
    packets: float | None
    lost: float | None
    unknown: int | None
    loss: Interval | None
    bursts: Bursts | None
    delays: Delays | None
    reordered: int
    duplicated: int
    rate: Rate | None
    silence: float
    silences: tuple[Silence, ...]
    silence_count: int | None
    silence_total: float | None
    asymmetry: Asymmetry | None
    oddities: tuple[Oddity, ...]

    def json(self) -> dict[str, Any]:
        """All facts as plain data; what is not a number is None."""
        found = asdict(self)
        if self.loss is not None:
            found["loss"] = self.loss._asdict()
        return {key: _plain_data(value) for key, value in found.items()}


def _plain_data(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain_data(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_data(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def facts(
    measurement: Measurement, other: Measurement | None = None, *, silence: float = SILENCE_SECONDS
) -> Facts:
    """Facts about a measurement, and its differences from the `other` direction.

    `silence`: the least length in seconds of what is called a silence. Raises `InputError`.
    """
    allowed = "a number of seconds above 0"
    if real_number("silence", silence, allowed) <= 0.0:
        raise refusal("silence", silence, allowed)
    found = _facts(measurement, silence)
    if other is None:
        return found
    return replace(found, asymmetry=_asymmetry(found, _facts(other, silence)))


def _facts(measurement: Measurement, silence: float) -> Facts:
    common: dict[str, Any] = {
        "source": measurement.source,
        "form": measurement.form,
        "about": measurement.about,
        "began": measurement.began,
        "reordered": measurement.reordered,
        "duplicated": measurement.duplicated,
        "silence": silence,
        "asymmetry": None,
    }
    if measurement.packets is not None:
        found = _facts_of_packets(measurement.packets, silence)
        if measurement.is_probing and found["rate"] is not None:
            found["rate"] = replace(found["rate"], of="probes")
    elif measurement.intervals is not None:
        found = _facts_of_intervals(measurement.intervals, silence)
        coarse = float(np.median(measurement.intervals.length)) / 1e9 > silence
        if coarse or any(oddity.kind == "sender" for oddity in measurement.oddities):
            # Data that a sender writes says nothing about its arrival, nor does a long interval.
            found |= {"silences": (), "silence_count": None, "silence_total": None}
    elif measurement.opportunities is not None:
        found = _facts_of_opportunities(measurement.opportunities, silence)
    else:
        raise refusal("measurement", measurement, "with packets, intervals or opportunities")
    more = [*measurement.oddities, *found.pop("oddities")]
    if measurement.duplicated and not any(oddity.kind == "duplicates" for oddity in more):
        said = "copies of packets that had come before are not counted"
        more.append(Oddity("duplicates", said, measurement.duplicated))
    return Facts(**common, **found, oddities=tuple(more))


# Packets


def _facts_of_packets(packets: Packets, silence: float) -> dict[str, Any]:
    time, fate, delay = packets.time, packets.fate, packets.delay
    lost = fate == LOST
    known = fate != UNKNOWN
    silences, seconds = _silences(packets, silence)
    return {
        "is_time_measured": packets.is_time_measured,
        "duration": _duration(time),
        "packets": len(time),
        "lost": int(lost.sum()),
        "unknown": int((~known).sum()),
        "loss": loss_rate(lost[known]),
        "bursts": _bursts(lost),
        "delays": _delay_statistics(delay / 1e9, delay != NO_DELAY, packets.delays),
        "rate": _rate_of_packets(packets),
        "silences": tuple(silences[:_MOST_LISTED_SILENCES]),
        "silence_count": len(silences),
        "silence_total": seconds,
        "oddities": [*_gap_oddities(packets), *_delay_oddities(delay[delay != NO_DELAY])],
    }


def _duration(time: Ints) -> float:
    return (int(time[-1]) - int(time[0])) / 1e9 if len(time) else 0.0


def _bursts(lost: NDArray[np.bool_]) -> Bursts:
    every = run_lengths(lost)
    lengths, counts = np.unique(every, return_counts=True)
    number = len(every)
    return Bursts(
        number=number,
        mean=float(lost.sum()) / number if number else 0.0,
        longest=int(lengths[-1]) if number else 0,
        counts=dict(zip(lengths.tolist(), counts.tolist(), strict=True)),
    )


def _silences(packets: Packets, silence: float) -> tuple[list[Silence], float]:
    """Times from the first to the last packet of a run of losses, if they are long."""
    starts, ends = run_bounds(packets.fate == LOST)
    length = (packets.time[ends - 1] - packets.time[starts]) / 1e9
    chosen = np.flatnonzero(length >= silence)
    found = [
        Silence(float(packets.time[starts[i]] / 1e9), float(length[i]), int(ends[i] - starts[i]))
        for i in chosen.tolist()
    ]
    return found, float(length[chosen].sum())


def _rate_of_packets(packets: Packets) -> Rate | None:
    """Rate of what arrived, by the times of sending; None where sizes or times are unknown."""
    if not packets.is_time_measured or not packets.size.any():
        return None
    bits = 8.0 * packets.size * (packets.fate == ARRIVED)
    return _rate_by_second(packets.time / 1e9, bits, _duration(packets.time))


def _rate_by_second(time: Floats, bits: Floats, duration: float) -> Rate | None:
    if duration <= 0.0:
        return None
    whole = int(duration)
    mean = float(bits.sum()) / duration
    if not 1 <= whole <= 10_000_000:
        return Rate("arrivals", mean, math.nan, math.nan, math.nan)
    inside = time < whole
    seconds = np.bincount(time[inside].astype(np.int64), bits[inside], minlength=whole)
    return Rate(
        "arrivals", mean, *(float(quantile) for quantile in np.quantile(seconds, [0.05, 0.5, 0.95]))
    )


def _gap_oddities(packets: Packets) -> Iterator[Oddity]:
    """Times in which no packet was sent, or none is in the file."""
    if not packets.is_time_measured or len(packets.time) < _FEWEST_DELAYS:
        return
    step = np.diff(packets.time)
    waited = packets.waits & (packets.fate[:-1] == LOST)
    long = np.flatnonzero((step > max(5 * _NS_PER_SECOND, 10 * float(np.median(step)))) & ~waited)
    if len(long):
        at = int(long[0])
        said = f"nothing was sent for {step[at] / 1e9:.4g} s after packet {at + 1}"
        yield Oddity("pause", said, len(long))


def _delay_oddities(delay: Ints) -> Iterator[Oddity]:
    """Coarse delays, and those that stay the same although most others differ."""
    if len(delay) < _FEWEST_DELAYS:
        return
    values = np.unique(delay)
    step = int(np.gcd.reduce(values - values[0])) if len(values) > 1 else 0
    if step >= _NS_PER_MS // 10:
        text = f"{step / 1e6:g} ms"
        spread = int(values[-1] - values[0]) // step
        yield Oddity("resolution", f"delays are multiples of {text}, over {spread} of them")
    elif not step:
        yield Oddity("one delay", f"all delays are {delay[0] / 1e6:.6g} ms", len(delay))
        return
    low, high = np.quantile(delay, [0.05, 0.95])
    if high - low < _FINE_CLOCK_STEPS * step:
        return
    same = np.diff(delay) == 0
    starts, ends = run_bounds(same)
    # Of delays that take few values, equal ones follow each other often.
    likely = float(same.mean())
    longest = _ODD_EQUAL_DELAYS + (
        math.log(len(delay)) / -math.log(likely) if 0.0 < likely < 1.0 else 0.0
    )
    stuck = np.flatnonzero(ends - starts + 1 >= longest)
    if len(stuck):
        at = int(starts[stuck[0]])
        length = int(ends[stuck[0]]) - at + 1
        said = f"{length} delays in a row are {delay[at] / 1e6:.6g} ms, from delay {at + 1}"
        yield Oddity("stuck delay", said, len(stuck))


# Delays


def _delay_statistics(seconds: Floats, known: NDArray[np.bool_], way: str) -> Delays | None:
    values = seconds[known]
    if not len(values):
        return None
    median, p95, p99 = (float(quantile) for quantile in np.quantile(values, [0.5, 0.95, 0.99]))
    return Delays(
        of=way,
        number=len(values),
        least=float(values.min()),
        median=median,
        p95=p95,
        p99=p99,
        most=float(values.max()),
        autocorrelation={lag: _autocorrelation(seconds, known, lag) for lag in LAGS},
    )


def _autocorrelation(values: Floats, known: NDArray[np.bool_], lag: int) -> float:
    both = known[:-lag] & known[lag:]
    if both.sum() < _FEWEST_DELAYS:
        return math.nan
    off = values - values[known].mean()
    earlier, later = off[:-lag][both], off[lag:][both]
    # The spread of the same pairs, lest losses around large delays make it exceed 1.
    spread = math.sqrt(float((earlier**2).sum()) * float((later**2).sum()))
    return float((earlier * later).sum()) / spread if spread > 0.0 else math.nan


# Counts and opportunities


def _facts_of_intervals(intervals: Intervals, silence: float) -> dict[str, Any]:
    start, length = intervals.start / 1e9, intervals.length / 1e9
    sent, lost, received = intervals.sent, intervals.lost, intervals.received
    counted = ~np.isnan(sent) & ~np.isnan(lost) & (sent > 0.0)
    duration = float(start[-1] + length[-1])
    silences, seconds = _silences_of_intervals(start, length, received, silence)
    return {
        "is_time_measured": True,
        "duration": duration,
        "packets": float(np.nansum(sent)) if not np.isnan(sent).all() else None,
        "lost": float(np.nansum(lost)) if not np.isnan(lost).all() else None,
        "unknown": None,
        "loss": loss_rate(lost[counted], sent[counted]) if counted.any() else None,
        "bursts": None,
        "delays": _delay_statistics(
            intervals.delay / 1e9, ~np.isnan(intervals.delay), "round trip"
        ),
        "rate": _rate_of_intervals(start, length, received, duration),
        "silences": tuple(silences),
        "silence_count": len(silences),
        "silence_total": seconds,
        "oddities": [],
    }


def _rate_of_intervals(
    start: Floats, length: Floats, received: Floats, duration: float
) -> Rate | None:
    """Rate over seconds, across which the bytes of a short interval are spread evenly."""
    if np.isnan(received).all() or not duration > 0.0:
        return None
    bits = 8.0 * np.nan_to_num(received)
    mean = float(bits.sum()) / duration
    whole = int(duration)
    if not 1 <= whole <= 10_000_000 or float(np.median(length)) > _LONG_INTERVAL_SECONDS:
        return Rate("arrivals", mean, math.nan, math.nan, math.nan)
    ends = start + length
    total = np.concatenate([[0.0], np.cumsum(bits)])
    edges = np.concatenate([[start[0]], ends])
    seconds = np.diff(np.interp(np.arange(whole + 1), np.maximum.accumulate(edges), total))
    return Rate(
        "arrivals", mean, *(float(quantile) for quantile in np.quantile(seconds, [0.05, 0.5, 0.95]))
    )


def _silences_of_intervals(
    start: Floats, length: Floats, received: Floats, silence: float
) -> tuple[list[Silence], float]:
    """Runs of intervals in which nothing was received."""
    starts, ends = run_bounds(received == 0.0)
    found = [
        Silence(float(start[a]), float(start[b - 1] + length[b - 1] - start[a]), 0)
        for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    long = [run for run in found if run.length >= silence]
    return long, sum(run.length for run in long)


def _facts_of_opportunities(times: Ints, silence: float) -> dict[str, Any]:
    seconds = times / 1000.0
    duration = float(seconds[-1])
    before = np.append(0.0, seconds[:-1])
    apart = np.diff(seconds, prepend=0.0)
    long = np.flatnonzero(apart >= silence)
    silences = [Silence(float(before[i]), float(apart[i]), 0) for i in long.tolist()]
    return {
        "is_time_measured": True,
        "duration": duration,
        "packets": None,
        "lost": None,
        "unknown": None,
        "loss": None,
        "bursts": None,
        "delays": None,
        "rate": _rate_by_second(seconds, np.full(len(times), 8.0 * BYTES), duration),
        "silences": tuple(silences[:_MOST_LISTED_SILENCES]),
        "silence_count": len(silences),
        "silence_total": float(apart[long].sum()),
        "oddities": [],
    }


# Both directions


def _asymmetry(first: Facts, second: Facts) -> Asymmetry:
    return Asymmetry(
        *(_quotient(*pair) for pair in zip(_main_values(first), _main_values(second), strict=True))
    )


def _main_values(measured: Facts) -> tuple[float, float, float]:
    """Loss rate, median delay and mean rate; NaN for none."""
    return (
        math.nan if measured.loss is None else measured.loss.value,
        math.nan if measured.delays is None else measured.delays.median,
        math.nan if measured.rate is None else measured.rate.mean,
    )


def _quotient(a: float, b: float) -> float:
    return a / b if b else math.nan
