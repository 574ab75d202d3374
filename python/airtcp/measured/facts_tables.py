"""Facts of measurements as tables of words, for the terminal and for pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.errors import count

if TYPE_CHECKING:
    from airtcp.measured.facts import Delays, Facts, Rate

MOST_FULL_TABLES = 8  # measurements, of which more have a row each
_MOST_LISTED = 3  # silences, and lengths of bursts


@dataclass(frozen=True)
class TextTable:
    """A table of words: a title, heads and rows, and the sentences below it.

    The last `numeric_columns` columns are numbers. A head may have several lines.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences_below: tuple[str, ...] = ()
    numeric_columns: int = 0


def facts_tables(found: Sequence[Facts]) -> list[TextTable]:
    """Of each measurement a table and its oddities; of many a row of one table."""
    if len(found) > MOST_FULL_TABLES:
        return [_table_of_measurements(found)]
    return [_table_of_measurement(facts) for facts in found]


def _table_of_measurement(facts: Facts) -> TextTable:
    title = ", ".join(filter(None, (facts.source, facts.form, facts.about)))
    odd = tuple(f"{odd.kind}{_repetition_words(odd.count)}: {odd.said}" for odd in facts.oddities)
    return TextTable(title, ("", "measured"), tuple(_rows(facts)), odd)


def _table_of_measurements(found: Sequence[Facts]) -> TextTable:
    """A row of each measurement, one of all, and the oddities of all by kind."""
    rows = [_summary_row(facts) for facts in found]
    lost = sum(facts.lost or 0 for facts in found if facts.packets is not None)
    known = sum(
        (facts.packets or 0) - (facts.unknown or 0) for facts in found if facts.lost is not None
    )
    share = _percent_text(lost / known) if known else "-"
    sums = [
        _number_text(sum(facts.packets or 0 for facts in found)),
        f"{_number_text(lost)}: {share}",
    ]
    total = [
        f"all {len(found)}",
        seconds_text(sum(facts.duration for facts in found)),
        *sums,
        "",
    ]
    heads = ("file", "duration", "packets", "lost", "median delay")
    kinds: dict[str, int] = {}
    for facts in found:
        for odd in {odd.kind: odd for odd in facts.oddities}.values():
            kinds[odd.kind] = kinds.get(odd.kind, 0) + 1
    said = ", ".join(f"{kind} ({number})" for kind, number in kinds.items())
    below = (f"Odd, in so many of them: {said}.",) if kinds else ()
    below = (*below, "One alone, or --format json, says more.")
    return TextTable("", heads, tuple(map(tuple, [*rows, total])), below)


def _summary_row(facts: Facts) -> list[str]:
    lost = "-"
    if facts.loss is not None:
        lost = f"{_number_text(facts.lost or 0)}: {_percent_text(facts.loss.value)}"
    packets = "-" if facts.packets is None else _number_text(facts.packets)
    delay = "-" if facts.delays is None else seconds_text(facts.delays.median)
    return [Path(facts.source).name, seconds_text(facts.duration), packets, lost, delay]


def _repetition_words(number: int) -> str:
    return f" ({count(number, 'time')})" if number > 1 else ""


def _rows(facts: Facts) -> Iterator[tuple[str, str]]:
    if facts.began is not None and facts.began < 1e11:
        began = datetime.fromtimestamp(facts.began, UTC)
        yield "began", f"{began:%Y-%m-%d %H:%M:%S} UTC"
    yield "duration", _duration_words(facts)
    if facts.packets is not None:
        yield (
            "packets",
            _number_text(facts.packets)
            + (f", of {_number_text(facts.unknown)} the fate is unknown" if facts.unknown else ""),
        )
    if facts.loss is not None:
        yield (
            "lost",
            f"{_number_text(facts.lost or 0)}: {_percent_text(facts.loss.value)}"
            + (f" ({_percent_text(facts.loss.low)} to {_percent_text(facts.loss.high)})"),
        )
    if facts.bursts is not None and facts.bursts.number:
        bursts = facts.bursts
        yield (
            "bursts of losses",
            (
                f"{_number_text(bursts.number)}: mean {bursts.mean:.3g}, longest"
                f" {_number_text(bursts.longest)}"
            ),
        )
        first = sorted(bursts.counts)[:_MOST_LISTED]
        lengths = ", ".join(f"{bursts.counts[length]} of {length}" for length in first)
        longer = bursts.number - sum(bursts.counts[length] for length in first)
        yield "their lengths", lengths + (f", {longer} longer" if longer else "")
    if facts.delays is not None:
        yield from _delay_rows(facts.delays)
    if facts.rate is not None:
        yield from _rate_rows(facts.rate)
    if facts.packets is not None and facts.bursts is not None:
        yield "reordered", _number_text(facts.reordered)
        yield "duplicates", _number_text(facts.duplicated)
    if facts.silence_count is not None and facts.silence_total is not None:
        yield "without arrivals", _silence_words(facts, facts.silence_count, facts.silence_total)
    if facts.asymmetry is not None:
        names = ("loss", "delay", "rate")
        values = (getattr(facts.asymmetry, name) for name in names)
        pairs = zip(names, values, strict=True)
        known = [f"{name} {value:.3g}" for name, value in pairs if not math.isnan(value)]
        yield "times the other direction", ", ".join(known) or "-"


def _delay_rows(delays: Delays) -> Iterator[tuple[str, str]]:
    where = {"round trip": "round trip", "one way": "one way"}.get(delays.of, "one way, offset")
    yield (
        f"delay ({where})",
        (
            f"least {seconds_text(delays.least)}, median {seconds_text(delays.median)},"
            f" most {seconds_text(delays.most)}"
        ),
    )
    yield "95 %, 99 % of delays", f"{seconds_text(delays.p95)}, {seconds_text(delays.p99)}"
    known = [
        f"{round(r, 2) + 0.0:.2f} at {lag}"  # no "-0.00"
        for lag, r in delays.autocorrelation.items()
        if not math.isnan(r)
    ]
    yield "autocorrelation", ", ".join(known) or "-"


def _rate_rows(rate: Rate) -> Iterator[tuple[str, str]]:
    yield "probing rate" if rate.of == "probes" else "rate", _rate_text(rate.mean)
    if not math.isnan(rate.median):
        yield (
            "5 %, 50 %, 95 % of seconds",
            ", ".join(map(_rate_text, (rate.p5, rate.median, rate.p95))),
        )


def _duration_words(facts: Facts) -> str:
    if facts.is_time_measured:
        return seconds_text(facts.duration)
    return f"{seconds_text(facts.duration)}, guessed: the file has no times"


def _silence_words(facts: Facts, number: int, total: float) -> str:
    if not number:
        return f"never {seconds_text(facts.silence)} or more"
    first = ", ".join(
        f"{seconds_text(gone.length)} at {seconds_text(gone.start)}"
        for gone in facts.silences[:_MOST_LISTED]
    )
    more = ", ..." if number > _MOST_LISTED else ""
    least, times = seconds_text(facts.silence), count(number, "time")
    return f"{times} {least} or more, {seconds_text(total)} in all: {first}{more}"


def seconds_text(value: float) -> str:
    """A time in the unit in which people say it."""
    if math.isnan(value):
        return "-"
    if abs(value) >= 3600.0:
        return f"{value / 3600.0:.4g} h"
    if abs(value) >= 1.0:
        return f"{value:.4g} s"
    return f"{1000.0 * value:.4g} ms"


def _percent_text(value: float) -> str:
    return f"{100.0 * value:.3g} %"


def _rate_text(value: float) -> str:
    for unit, factor in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return f"{value:.4g} bit/s"


def _number_text(value: float) -> str:
    return f"{round(value):_}".replace("_", " ") if value >= 10_000 else f"{value:.6g}"
