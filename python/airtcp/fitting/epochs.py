"""Models of links that are reallocated at equal times: delay and loss rate of an epoch, jointly.

The delay and the logarithm of the loss rate of an epoch are functions of two correlated normal
numbers, each with memories from epoch to epoch: channel `epochs` of a scenario. The delay has the
distribution of the record, and its memories follow from correlations of ranks. Losses form a
log-normal Cox process. Its memories follow from products of counts, whose means do not depend on
chance within an epoch. Standard errors come from records drawn from the model and fitted again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from airtcp.fitting.epochs_data import Floats, Ints, LossDelayRows, mean_product
from airtcp.fitting.epochs_figures import (
    STATISTIC_NAMES,
    StatisticComparison,
    hourly_drop_rates,
    record_statistics,
    tested_statistics,
)
from airtcp.fitting.epochs_period import (
    AveragingWindows,
    Period,
    epoch_delays,
    find_averages,
    find_period,
    find_phase,
    is_sure,
)
from airtcp.fitting.estimates import Estimate, from_scale
from airtcp.fitting.losses_tests import TEST_LEVEL, deviation_p_value
from airtcp.fitting.rates_memory import Memories, memories_of
from airtcp.support.progress import Report

MODEL_NAME = "epochs"
FEWEST_EPOCHS = 100  # epochs of a record to which the model is fitted
DRAWS = 99  # records drawn for errors and for the test
_DELAY_QUANTILES = 100  # of the delays of epochs, in a scenario
_LAGS = 30
_LEAST_PAIR_SHARE = 0.05  # of the epochs are pairs so far apart, at least
_CORRELATION = 0.95  # at most, of delay and loss
_MOST_DEVIATION = 3.0  # of the logarithm of loss rates
_HANDOVER_CHANCE = 0.01  # that any place of an epoch without a handover passes for one, at most


@dataclass(frozen=True)
class EpochLosses:
    """Loss rates of epochs.

    - `rate`: mean loss rate; `deviation`: standard deviation of its natural logarithm;
    - `memories`: memories, in epochs, of its part that does not follow the delay; `correlation`:
      correlation with the delay;
    - `handover`: rows at the start of an epoch that lose `factor` times as much; 0: none.
    """

    rate: float
    deviation: float
    memories: Memories
    correlation: float
    handover: int = 0
    factor: float = 1.0

    def rates(self, numbers: Floats, phase: Ints, period: int) -> Floats:
        """Loss rates at normal numbers, in rows so far in their epoch."""
        rest = self.rate / (1.0 + (self.factor - 1.0) * self.handover / period)
        factor = np.where(phase < self.handover, self.factor, 1.0)
        found: Floats = rest * factor * np.exp(self.deviation * (numbers - self.deviation / 2.0))
        return np.minimum(found, 1.0)


@dataclass(frozen=True, eq=False)
class EpochParts:
    """The model: delays of epochs (ns, increasing), their memories in epochs, and losses."""

    delays: Floats
    memories: Memories
    losses: EpochLosses


@dataclass(frozen=True, eq=False)
class EpochModel:
    """A link with epochs as fitted.

    - `rows`: the record; `period`: the period of its epochs; `averages`: the rows over which its
      values are means;
    - `parts`: the model; `estimates`: parameters with intervals;
    - `comparisons`: statistics of the record beside statistics of records drawn from the model;
    - `p_value`: p value of the hypothesis that the model made the record.
    """

    rows: LossDelayRows
    period: Period
    averages: AveragingWindows
    parts: EpochParts
    estimates: Sequence[Estimate]
    comparisons: Sequence[StatisticComparison]
    p_value: float

    @property
    def is_rejected(self) -> bool:
        """True where the model would make such a record in fewer than 5 % of cases."""
        return self.p_value < TEST_LEVEL

    @property
    def epoch_seconds(self) -> float:
        """Length of an epoch, s."""
        return self.period.rows * self.rows.step

    @property
    def phase_seconds(self) -> float:
        """Start of the epochs on the clock of the record, s after a multiple of `every`."""
        return float((self.rows.began + self.period.first * self.rows.step) % self.epoch_seconds)

    @property
    def noise(self) -> float:
        """Mean of the exponential noise of a row, ns."""
        return noise_of(self.averages, self.parts.delays)

    def draw(self, rng: np.random.Generator, rows: LossDelayRows) -> LossDelayRows:
        """A record with such rows, as the model would make it."""
        return draw(rng, rows, self.period, self.averages, self.parts)

    def compare(
        self, other: LossDelayRows, *, draws: int = DRAWS, seed: int = 1
    ) -> list[StatisticComparison]:
        """Statistics of another record of the link beside those that the model predicts for it."""
        rng = np.random.default_rng(seed)
        return _compare_statistics(other, [self.draw(rng, other) for _ in range(draws)])

    def compare_hours(
        self, other: LossDelayRows, *, draws: int = DRAWS, seed: int = 1
    ) -> list[StatisticComparison]:
        """The drop rate of each hour of a record beside the interval of a single hour."""
        rng = np.random.default_rng(seed)
        drawn = np.concatenate([hourly_drop_rates(self.draw(rng, other)) for _ in range(draws)])
        low, high = np.quantile(drawn, [0.025, 0.975]) if drawn.size else (0.0, 1.0)
        middle = float(np.median(drawn)) if drawn.size else math.nan
        return [
            StatisticComparison(
                f"drop rate of hour {i}", float(rate), middle, float(low), float(high)
            )
            for i, rate in enumerate(hourly_drop_rates(other), 1)
        ]

    def least_delay(self) -> float:
        """Delay that every epoch exceeds, ns: the delay of the hop in a scenario."""
        return float(max(self.parts.delays[0] - self.noise, 0.0))

    def channel(self) -> dict[str, Any]:
        """The channel of a scenario, whose delays are those above `least_delay`."""
        parts, every = self.parts, self.epoch_seconds
        low, losses = self.least_delay(), parts.losses
        delays = parts.delays - self.noise - low
        values = [f"{max(excess, 0.0) / 1e6:.4g}ms" for excess in _thin_delays(delays)]
        found: dict[str, Any] = {
            "kind": MODEL_NAME,
            "every": f"{every:g}s",
            "delay": {"kind": "values", "values": values},
            "memories": _memory_tables(parts.memories, every),
        }
        if losses.rate > 0.0:
            loss: dict[str, Any] = {
                "rate": float(f"{losses.rate:.4g}"),
                "deviation": float(f"{losses.deviation:.4g}"),
                "memories": _memory_tables(losses.memories, every),
                "correlation": float(f"{losses.correlation:.3g}"),
            }
            if losses.handover:
                time = f"{losses.handover * self.rows.step:g}s"
                loss["handover"] = {"time": time, "factor": float(f"{losses.factor:.3g}")}
            found["loss"] = loss
        if self.noise > 0.0:
            delay = {"kind": "exponential", "mean": f"{self.noise / 1e6:.4g}ms"}
            found["noise"] = {"every": f"{self.rows.step:g}s", "delay": delay}
        return found

    def json(self) -> dict[str, Any]:
        """The model as JSON has it."""
        return {
            "model": MODEL_NAME,
            "every_s": self.epoch_seconds,
            "begins_s": self.phase_seconds,
            "rows": len(self.rows.place),
            "delays_are_means_over_s": self.averages.delay * self.rows.step,
            "losses_stand_for_s": self.averages.loss * self.rows.step,
            "parameters": [estimate.json() for estimate in self.estimates],
            "compared": [comparison.json() for comparison in self.comparisons],
            "p_value": self.p_value,
            "is_rejected": self.is_rejected,
        }


def fit_epochs(
    rows: LossDelayRows, *, seed: int, draws: int | None = None, report: Report | None = None
) -> EpochModel | None:
    """Fit the model; None where a record is short, or nothing changes at equal times."""
    if len(rows.place) < FEWEST_EPOCHS * 5 or np.ptp(rows.delay) == 0.0:
        return None
    length, p_value = find_period(rows)
    if not is_sure(p_value) or len(rows.place) < FEWEST_EPOCHS * length:
        return None
    averages = find_averages(rows, length)
    period = Period(length, find_phase(rows, length, averages.delay), p_value)
    parts = fit_parts(rows, period, averages)
    if parts is None:
        return None
    rng = np.random.default_rng(seed)
    drawn, again = [], []
    draws = DRAWS if draws is None else draws
    for number in range(draws):
        if report is not None:
            report("records drawn from the model", number, draws)
        record = draw(rng, rows, period, averages, parts)
        drawn.append(record)
        fitted = fit_parts(record, period, averages)
        if fitted is not None:
            again.append(_parameter_places(fitted))
    estimates = tuple(_estimates(_parameter_places(parts), again))
    p_value = deviation_p_value(
        np.array([tested_statistics(record_rows) for record_rows in (rows, *drawn)])
    )
    return EpochModel(
        rows, period, averages, parts, estimates, _compare_statistics(rows, drawn), p_value
    )


def _estimates(own: Floats, again: Sequence[Floats]) -> Iterator[Estimate]:
    """Estimates of the parameters, with errors from records drawn and fitted again."""
    errors = np.std(again, axis=0, ddof=1) if len(again) > 1 else np.full(len(own), np.nan)
    for (name, scale, unit), place, error in zip(_parameter_names(), own, errors, strict=True):
        if math.isfinite(place) and len(again) > 1:
            yield Estimate.on_scale(name, float(place), float(error), scale, unit=unit)
        elif math.isfinite(place):
            value = from_scale(scale, float(place))
            yield Estimate(name, value, unit=unit, remark="too few drawn records could be fitted")


def fit_parts(rows: LossDelayRows, period: Period, averages: AveragingWindows) -> EpochParts | None:
    """The model of a record whose epochs are known; None where too few are whole."""
    delay = rows.series(rows.delay)
    level = epoch_delays(delay, period.rows, period.first, averages.delay)
    known = np.isfinite(level)
    if known.sum() < FEWEST_EPOCHS or np.ptp(level[known]) == 0.0:
        return None
    # Of a normal process, correlations r of the numbers are 2 sin(pi/6 times those of their ranks).
    order = np.argsort(np.argsort(level[known], kind="stable"), kind="stable")
    place = np.full(len(level), np.nan)
    place[known] = (order - order.mean()) / order.std()
    lags = _usable_lags(known)
    told = np.array([mean_product(place, int(lag)) for lag in lags])
    memories = memories_of(2.0 * np.sin(np.pi / 6.0 * np.clip(told, -1.0, 1.0)), lags)
    # Means over epochs scatter more than their levels, by the noise left in them.
    mean, variance = float(level[known].mean()), float(level[known].var())
    left = averages.noise / period.rows
    shrink = math.sqrt(max(0.0, 1.0 - left / variance)) if variance > 0.0 else 0.0
    delays = np.sort(mean + shrink * (level[known] - mean))
    scores = np.full(len(level), np.nan)
    scores[known] = ndtri((order + 0.5) / known.sum())
    return EpochParts(delays, memories, _fit_losses(rows, period, averages, scores))


def _fit_losses(
    rows: LossDelayRows, period: Period, averages: AveragingWindows, scores: Floats
) -> EpochLosses:
    share = rows.series(rows.loss_share)
    rate = float(rows.loss_share.mean())
    none = Memories(np.ones(1), np.full(1, 1e-3))
    if rate == 0.0:
        return EpochLosses(0.0, 0.0, none, 0.0)
    whole = len(scores)
    table = share[period.first : period.first + whole * period.rows].reshape(whole, period.rows)
    probes = rows.probes / averages.loss
    lost = table.sum(axis=1) * probes  # NaN where rows are missing
    mean = float(np.nanmean(lost))
    handover, factor = _handover(rows, period, averages)
    if mean == 0.0:
        return EpochLosses(rate, 0.0, none, 0.0, handover, factor)
    lags = _usable_lags(np.isfinite(lost))
    told = [mean_product(lost, int(lag)) / mean**2 for lag in lags]
    logs = np.log(np.maximum(told, 1.0))
    square = float(np.nanmean(lost * np.maximum(lost - 1.0, 0.0))) / mean**2
    variance = float(np.clip(math.log(max(square, 1.0)), logs[:3].max(), _MOST_DEVIATION**2))
    if variance <= 0.0:
        return EpochLosses(rate, 0.0, none, 0.0, handover, factor)
    deviation = math.sqrt(variance)
    both = np.isfinite(lost) & np.isfinite(scores)
    together = float((lost[both] * scores[both]).mean() / max(lost[both].mean(), 1e-12))
    correlation = float(np.clip(together / deviation, -_CORRELATION, _CORRELATION))
    memories = memories_of(np.minimum(logs / variance, 0.999), lags)
    return EpochLosses(rate, deviation, memories, correlation, handover, factor)


def _handover(rows: LossDelayRows, period: Period, averages: AveragingWindows) -> tuple[int, float]:
    """Number of rows at the start of an epoch that lose more than the others, and the factor.

    Every place of the epoch is tried, so each has its share of `_HANDOVER_CHANCE` (Bonferroni).
    """
    phase = rows.place % period.rows
    count = np.bincount(phase, minlength=period.rows)
    mean = np.bincount(phase, rows.loss_share, minlength=period.rows) / np.maximum(count, 1)
    error = np.sqrt(np.bincount(phase, rows.loss_share**2, minlength=period.rows)) / np.maximum(
        count, 1
    )
    usual = float(np.median(mean))
    most = float(-ndtri(_HANDOVER_CHANCE / period.rows))
    more = mean > usual + most * np.maximum(error, 1e-12)
    if not more.any() or usual == 0.0:
        return 0, 1.0
    length = max(1, min(int(more.sum()) - (averages.loss - 1), period.rows // 2))
    excess = float((mean[more] - usual).sum())
    return length, 1.0 + excess / (length * usual)


def draw(
    rng: np.random.Generator,
    rows: LossDelayRows,
    period: Period,
    averages: AveragingWindows,
    parts: EpochParts,
) -> LossDelayRows:
    """A record with such rows: epochs, losses of probes and noise, averaged as the record is."""
    before = max(averages.delay, averages.loss) - 1
    number = int(rows.place[-1]) + 1 + before
    shift = int(rng.integers(period.rows))
    epoch = (np.arange(number) + shift) // period.rows
    phase = (np.arange(number) + shift) % period.rows
    epochs = int(epoch[-1]) + 1
    own, losses = parts.memories.scores(rng, epochs), parts.losses
    weight = losses.correlation
    loss_scores = weight * own + math.sqrt(1.0 - weight**2) * losses.memories.scores(rng, epochs)
    which = np.minimum((ndtr(own) * len(parts.delays)).astype(np.int64), len(parts.delays) - 1)
    mean = noise_of(averages, parts.delays)
    noise = rng.exponential(1.0, number) * mean - mean
    delay = parts.delays[which][epoch] + noise
    rates = losses.rates(loss_scores[epoch], phase, period.rows)
    probes = max(1, round(rows.probes / averages.loss))
    share = rng.binomial(probes, rates) / probes
    keep = rows.place + before
    delays, shares = _moving_means(delay, averages.delay), _moving_means(share, averages.loss)
    return rows.with_values(shares[keep], delays[keep])


def noise_of(averages: AveragingWindows, delays: Floats) -> float:
    """Mean of the noise of a row, ns; what would make delays negative is left out."""
    return min(math.sqrt(averages.noise), float(delays[0]))


def _moving_means(values: Floats, window: int) -> Floats:
    """For each value, the mean of the last `window` values, or of all so far at the start."""
    if window == 1:
        return values
    sums = np.concatenate([[0.0], np.cumsum(values)])
    begin = np.maximum(np.arange(1, len(values) + 1) - window, 0)
    end = np.arange(1, len(values) + 1)
    found: Floats = (sums[end] - sums[begin]) / (end - begin)
    return found


def _usable_lags(known: Any) -> Floats:
    """Lags, in epochs, at which correlations are taken: those with pairs enough."""
    present = np.asarray(known, dtype=np.float64)
    size = len(present)
    power = np.abs(np.fft.rfft(present, 2 * size)) ** 2
    pairs = np.fft.irfft(power)[:size]
    wanted = np.unique(np.round(np.geomspace(1.0, max(size / 4.0, 4.0), _LAGS)).astype(np.int64))
    wanted = wanted[wanted < size]
    kept = wanted[pairs[wanted] >= max(_LEAST_PAIR_SHARE * present.sum(), 30.0)]
    found: Floats = kept.astype(np.float64)
    return found


def _thin_delays(delays: Floats) -> Floats:
    """At most `_DELAY_QUANTILES` delays with the mean of all, each for equally many."""
    if len(delays) <= _DELAY_QUANTILES:
        return delays
    found: Floats = np.array([part.mean() for part in np.array_split(delays, _DELAY_QUANTILES)])
    return found


def _memory_tables(memories: Memories, every: float) -> list[dict[str, Any]]:
    return [
        {"time": f"{time * every:.4g}s", "share": math.floor(1e4 * share) / 1e4}
        for time, share in zip(memories.times, memories.shares, strict=True)
        if share >= 1e-3
    ] or [{"time": f"{every:g}s", "share": 0.0}]


def _compare_statistics(
    rows: LossDelayRows, drawn: Sequence[LossDelayRows]
) -> list[StatisticComparison]:
    own = record_statistics(rows)
    table = np.array([record_statistics(record_rows) for record_rows in drawn])
    low, middle, high = np.nanquantile(table, [0.025, 0.5, 0.975], axis=0)
    return [
        StatisticComparison(name, float(a), float(b), float(c), float(d))
        for name, a, b, c, d in zip(STATISTIC_NAMES, own, middle, low, high, strict=True)
    ]


def _parameter_names() -> Iterator[tuple[str, Any, str]]:
    """Name, scale and unit of every parameter."""
    yield "mean delay", "log", "s"
    yield "standard deviation of delays", "log", "s"
    yield "correlation of delays, next epoch", "identity", ""
    yield "correlation of delays, 20 epochs", "identity", ""
    yield "loss.rate", "log", ""
    yield "loss.deviation", "log", ""
    yield "correlation of log loss rates, next epoch", "identity", ""
    yield "loss.correlation", "identity", ""
    yield "loss.handover.factor", "log", ""


def _parameter_places(parts: EpochParts) -> Floats:
    losses = parts.losses
    lags = np.array([1.0, 20.0])
    small = 1e-12
    return np.concatenate(
        [
            np.log([parts.delays.mean() / 1e9, max(parts.delays.std(), 1.0) / 1e9]),
            parts.memories.correlation(lags),
            [math.log(max(losses.rate, small)), math.log(max(losses.deviation, small))],
            losses.memories.correlation(lags[:1]),
            [losses.correlation, math.log(max(losses.factor, small))],
        ]
    )
