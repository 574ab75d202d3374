"""The page of a fitted link: the record and the model side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from airtcp.errors import count
from airtcp.fitted.epochs_tables import epoch_tables
from airtcp.fitted.hop import longest_piece
from airtcp.fitted.loss_tables import goodput_table, loss_table
from airtcp.fitted.rates_words import rates_table
from airtcp.fitted.trains_words import trains_table
from airtcp.measured.facts_tables import facts_tables
from airtcp.measured.measurement import ARRIVED, LOST, NO_DELAY, Intervals, Packets
from airtcp.measured.runs import run_lengths
from airtcp.plot.fits import (
    CountSeries,
    DelayLossSeries,
    GoodputRuns,
    StatisticCurves,
    counts_figure,
    over_time_figure,
    statistics_figure,
    tcp_figure,
)
from airtcp.report.page import inline_svg, write_page

if TYPE_CHECKING:
    from airtcp.fitted.result import Fit
    from airtcp.fitting.delays import DelayModel
    from airtcp.fitting.losses import LossModel

Floats = NDArray[np.float64]
_SIMULATED_RECORDS = 40  # records of a model
_MOST_LAG = 40
_MOST_PACKETS = 2_000_000  # packets of a simulated record


def write_fit(found: Fit, path: Path) -> Path:
    """Write one self-contained HTML file; returns its path. Raises `OSError` and `InputError`."""
    figures = [
        inline_svg(figure, f"fit{i}", said)
        for i, (figure, said) in enumerate(_figures_with_captions(found))
    ]
    parts = found.parts
    return write_page(
        path,
        "fit.html.j2",
        title="A measured link",
        found=found,
        figures=figures,
        facts=facts_tables(found.facts),
        losses=None if parts.losses is None else loss_table(parts.losses, parts.channel),
        rates=None if parts.rates is None else rates_table(parts.rates),
        trains=None if parts.trains is None else trains_table(parts.trains),
        epochs=() if parts.epochs is None else epoch_tables(parts.epochs),
        tcp=goodput_table(parts.goodput_comparisons) if parts.goodput_comparisons else None,
    )


def _figures_with_captions(found: Fit) -> Iterator[tuple[Figure, str]]:
    """The figures, each with its caption."""
    for measurement in found.chosen:
        if measurement.intervals is not None:
            intervals = count(len(measurement.intervals.start), "interval")
            said = f"{intervals} of {Path(measurement.source).name}."
            yield counts_figure(_count_series(measurement.intervals), said), said
    every = (measurement.packets for measurement in found.chosen)
    pieces = [piece for piece in every if piece is not None and len(piece.fate)]
    parts = found.parts
    if not pieces or parts.outages is None:
        return
    shown = longest_piece(pieces)
    said = _over_time_caption(shown)
    outages = parts.outages.outages[pieces.index(shown)]
    yield over_time_figure(_delay_loss_series(shown, outages / 1e9), said), said
    losses = parts.losses
    if losses is not None and losses.losses_used:
        model = losses.model_labelled(parts.channel)
        waits = "" if model.waits is None else ", its packets sent as replies come or fail to"
        band = (
            f"Band: 95 % of {_SIMULATED_RECORDS} records simulated from the model"
            f" ({model.label}){waits}."
        )
        said = (
            f"{count(losses.losses_used, 'lost packet')} of {count(losses.packets, 'packet')}."
            f" {band}"
        )
        statistics = [*_loss_curves(shown, model, found.options.seed)]
        yield statistics_figure(statistics, model.label, said), said
    if parts.delays is not None and parts.delays.chosen is not None:
        law = parts.delays.chosen
        known = shown.delay[shown.delay != NO_DELAY] / 1e6
        said = (
            f"{count(len(known), 'delay')}. Band: 95 % of {_SIMULATED_RECORDS} records simulated"
            " from the"
            f" model ({law.name})."
        )
        statistics = [*_delay_curves(known, law, found.options.seed)]
        yield statistics_figure(statistics, law.name, said), said
    if parts.goodput_comparisons:
        runs = [
            GoodputRuns(
                f"{comparison.tcp}, {comparison.model}",
                comparison.over_record / 1e6,
                comparison.over_model / 1e6,
            )
            for comparison in parts.goodput_comparisons
        ]
        said = (
            f"Linux's TCP over the record, from a random start, and over the model: a line per run"
            f" ({len(parts.goodput_comparisons[0].over_record)} or more of each), diamonds: means."
        )
        yield tcp_figure(runs, said), said


def _count_series(intervals: Intervals) -> CountSeries:
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = 8e3 * intervals.received / intervals.length
        share = np.where(intervals.sent > 0, 100.0 * intervals.lost / intervals.sent, np.nan)
    return CountSeries(intervals.start / 1e9, intervals.length / 1e9, rate, share)


def _delay_loss_series(packets: Packets, outages: Floats) -> DelayLossSeries:
    time = packets.time / 1e9
    delay = np.where(packets.delay == NO_DELAY, np.nan, packets.delay / 1e6)
    lost = time[packets.fate == LOST]
    return DelayLossSeries(time, delay, packets.delays, lost, outages)


def _over_time_caption(packets: Packets) -> str:
    lost, known = int((packets.fate == LOST).sum()), int((packets.fate >= ARRIVED).sum())
    filled = "" if packets.is_time_measured else " Times of packets were filled in."
    return f"The record: {count(known, 'packet')}, of which {lost} were lost.{filled}"


def _loss_curves(packets: Packets, model: LossModel, seed: int) -> Iterator[StatisticCurves]:
    """Curves of burst lengths, gaps, memory and losses per window, for record and model."""
    fate = (packets.fate[packets.fate >= ARRIVED] == LOST).astype(np.int8)[:_MOST_PACKETS]
    rng = np.random.default_rng(seed)
    simulated = [model.simulate(rng, len(fate)) for _ in range(_SIMULATED_RECORDS)]
    for title, lost, label in (
        ("Bursts of losses", 1, "packets lost in a row"),
        ("Gaps between losses", 0, "packets arrived in a row"),
    ):
        own = run_lengths(fate == lost)
        if not own.size:
            continue
        x = np.unique(np.geomspace(1, max(int(own.max()), 2), 30).astype(np.int64)).astype(float)
        rows = np.array([_exceedance(run_lengths(losses == lost), x) for losses in simulated])
        yield StatisticCurves(
            title, f"{label}, at least", "share", x, _exceedance(own, x), rows, (True, True)
        )
    lags = np.arange(1, _MOST_LAG + 1, dtype=float)
    rows = np.array([_autocorrelation(losses.astype(float)) for losses in simulated])
    yield StatisticCurves(
        "Memory of losses",
        "packets apart",
        "correlation",
        lags,
        _autocorrelation(fate.astype(float)),
        rows,
    )
    sizes = _window_lengths(len(fate))
    if sizes.size:
        rows = np.array([_dispersion(losses, sizes) for losses in simulated])
        yield StatisticCurves(
            "Scatter of losses",
            "packets in a window",
            "variance / mean",
            sizes.astype(float),
            _dispersion(fate, sizes),
            rows,
            (True, True),
        )


def _exceedance(values: NDArray[Any], x: Floats) -> Floats:
    """Share of values of at least x; NaN where there are none."""
    if not values.size:
        return np.full(x.shape, np.nan)
    share = 1.0 - np.searchsorted(np.sort(values), x, side="left") / len(values)
    return np.where(share > 0.0, share, np.nan)


def _autocorrelation(values: Floats) -> Floats:
    """Autocorrelation at lags 1 to `_MOST_LAG`; NaN where nothing varies."""
    apart = values - values.mean()
    power = float(apart @ apart)
    if power == 0.0 or len(values) <= _MOST_LAG:
        return np.full(_MOST_LAG, np.nan)
    return np.array([apart[:-lag] @ apart[lag:] / power for lag in range(1, _MOST_LAG + 1)])


def _window_lengths(n: int) -> NDArray[np.int64]:
    """Lengths of windows of which the record has at least 20."""
    most = n // 20
    return 2 ** np.arange(3, most.bit_length(), dtype=np.int64) if most >= 8 else np.zeros(0, int)


def _dispersion(fate: NDArray[np.int8], sizes: NDArray[np.int64]) -> Floats:
    """Variance of the losses per window divided by their mean; 1 for rare independent losses."""
    found = []
    for size in sizes:
        sums = fate[: len(fate) // size * size].reshape(-1, size).sum(axis=1, dtype=np.int64)
        found.append(sums.var() / sums.mean() if sums.any() else np.nan)
    return np.array(found)


def _delay_curves(delay: Floats, law: DelayModel, seed: int) -> Iterator[StatisticCurves]:
    """Curves of delays above a value and of their memory, for record and model."""
    rng = np.random.default_rng(seed)
    n = min(len(delay), _MOST_PACKETS)
    simulated = [law.simulate(rng, n) for _ in range(_SIMULATED_RECORDS)]
    x = np.linspace(float(delay.min()), float(np.quantile(delay, 0.999)), 60)

    rows = np.array([_exceedance(delays, x) for delays in simulated])
    yield StatisticCurves(
        "Delays", "delay at least (ms)", "share", x, _exceedance(delay, x), rows, (False, True)
    )
    lags = np.arange(1, _MOST_LAG + 1, dtype=float)
    rows = np.array([_autocorrelation(delays) for delays in simulated])
    yield StatisticCurves(
        "Memory of delays", "packets apart", "correlation", lags, _autocorrelation(delay), rows
    )
