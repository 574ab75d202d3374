"""Messages of the figures and tables of a report: the number of runs, the kind of intervals, where
a quantity is highest and lowest. Everything here is computed from the table that is shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from airtcp.errors import count
from airtcp.metrics.owners import OWNER_COLUMN
from airtcp.plot.style import LEVEL
from airtcp.report.digits import estimate_cells
from airtcp.support.format import (
    ENOUGH_TO_TELL,
    format_coordinate,
    short_mean_with_interval,
    short_names,
)
from airtcp.support.half_width import half_width

# Keys whose values need none.
_KEYS_SAID_BY_VALUE = (
    *("kind", "variant", "congestion", "case", "flow_tcp", "direction"),
    *("queue", "channel", "gate", "jitter"),
    OWNER_COLUMN,
)


@dataclass(frozen=True)
class KeyFigure:
    """A number with its name, what it is about, and where on the page it comes from."""

    name: str
    value: str
    detail: str
    link: str = "results"


@dataclass(frozen=True)
class MeanSpread:
    """A quantity over the rows of a table: means, intervals, and the words of each row.

    - `mean`, `low`, `high`: per row, in `unit`; `low` is NaN where a row has no interval;
    - `places`: per row, "newreno, loss rate 0.01"; `exact`: whether nothing in it is random;
    - `carriers`: how few runs carry the scatter of a row; NaN: enough do.
    """

    mean: np.ndarray[Any, np.dtype[np.float64]]
    low: np.ndarray[Any, np.dtype[np.float64]]
    high: np.ndarray[Any, np.dtype[np.float64]]
    places: Sequence[str]
    exact: np.ndarray[Any, np.dtype[np.bool_]]
    unit: str = ""
    carriers: np.ndarray[Any, np.dtype[np.float64]] | None = None

    @classmethod
    def from_table(
        cls,
        table: pd.DataFrame,
        names: tuple[str, str, str],
        keys: Sequence[str],
        unit: tuple[str, float],
    ) -> MeanSpread:
        """From the columns `names` (mean, low, high) of a table, whose rows differ in `keys`.

        `unit`: that of the figure or table beside which it is said, and how many of the units of
        the columns make one.
        """
        mean, low, high = (
            table[name].to_numpy(dtype=float) if name in table else np.full(len(table), np.nan)
            for name in names
        )
        unit_name, scale = unit
        exact = table["exact"].to_numpy(dtype=bool) if "exact" in table else np.isnan(mean) & False
        places = places_of(table, keys)
        few = table.get(f"{names[0]}_carriers", pd.Series(np.nan, index=table.index))
        carriers = few.to_numpy(dtype=float)
        return cls(mean / scale, low / scale, high / scale, places, exact, unit_name, carriers)

    def part(self, rows: Sequence[bool]) -> MeanSpread:
        """The rows of one kind, which alone are compared."""
        kept_rows = [row for row, is_one in enumerate(rows) if is_one]
        return replace(
            self,
            mean=self.mean[kept_rows],
            low=self.low[kept_rows],
            high=self.high[kept_rows],
            places=[self.places[row] for row in kept_rows],
            exact=self.exact[kept_rows],
            carriers=None if self.carriers is None else self.carriers[kept_rows],
        )

    @property
    def has_values(self) -> bool:
        """True if some row has a value."""
        return bool(np.isfinite(self.mean).any())

    def extreme(self, highest: bool) -> ExtremeValue:
        """The row with the highest mean, or with the lowest, and how many others come near."""
        row = int(np.nanargmax(self.mean) if highest else np.nanargmin(self.mean))
        low, high = self.low[row], self.high[row]
        others = np.arange(len(self.mean)) != row
        meets = (self.low <= high) & (self.high >= low) if math.isfinite(low) else np.False_
        near = int((others & (meets | (self.mean == self.mean[row]))).sum())
        return ExtremeValue(self.value(row), self.places[row], near)

    def value(self, row: int) -> str:
        """The mean of a row with half of its interval and the unit."""
        half = half_width(self.mean[row], self.low[row], self.high[row])
        if half == 0.0 and not self.exact[row]:  # unknown, so that more digits would say nothing
            return f"{short_mean_with_interval(float(self.mean[row]), half)} {self.unit}".strip()
        few = None if self.carriers is None else [self.carriers[row]]
        text = estimate_cells([self.mean[row]], [half], [bool(self.exact[row])], few)[0]
        return f"{text} {self.unit}".strip()

    def sentence(self, subject: str) -> str:
        """Sentence on the highest and the lowest row, and on rows that may be equal to these."""
        if not self.has_values:
            return ""
        if int(np.isfinite(self.mean).sum()) == 1:
            return f"{subject}: {self.value(int(np.nanargmax(self.mean)))}."
        top, bottom = self.extreme(highest=True), self.extreme(highest=False)
        if np.nanmax(self.mean) == np.nanmin(self.mean):
            return f"{subject} is the same in all rows: {top.value}."
        return f"{subject} is highest at {top}, lowest at {bottom}."


@dataclass(frozen=True)
class ExtremeValue:
    """The highest or the lowest value, where it is, and how many rows share or reach it."""

    value: str
    place: str
    near_count: int

    def __str__(self) -> str:
        """ "newreno, loss rate 0.01 (0.98 ± 0.01; the intervals of 2 others overlap)"."""
        return f"{self.place} ({'; '.join(filter(None, (self.value, self.words_on_others)))})"

    @property
    def words_on_others(self) -> str:
        """Words about rows with the same value, or with an interval that overlaps this one."""
        if not self.near_count:
            return ""
        is_single = self.near_count == 1
        if "±" not in self.value:
            return f"{self.near_count} other{' has' if is_single else 's have'} the same value"
        return (
            "the interval of 1 other overlaps"
            if is_single
            else (f"the intervals of {self.near_count} others overlap")
        )


def places_of(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """The words of each row: "newreno, loss rate 0.01"."""
    names = short_names(keys)
    words_of_keys = [
        _value_words(key, name, table[key].tolist()) for key, name in zip(keys, names, strict=True)
    ]
    return [", ".join(filter(None, row)) for row in zip(*words_of_keys, strict=True)] or [
        "" for _ in table.index
    ]


def _value_words(key: str, name: str, values: list[Any]) -> list[str]:
    """Words for values of a key; `name`: the part of its path that distinguishes it."""
    last_key = key.rpartition(".")[2]
    numbers = all(isinstance(value, float) and math.isfinite(value) for value in values)
    brief = [f"{value:.3g}" for value in values] if numbers else []
    full_texts = [format_coordinate(value) for value in values]
    texts = brief if numbers and len(set(brief)) == len(set(full_texts)) else full_texts
    if last_key in _KEYS_SAID_BY_VALUE and not all(text.isdecimal() for text in texts):
        return ["" if text == "-" else text for text in texts]
    words = re.sub(r"[._]", " ", name)
    return ["" if text == "-" else f"{words} {text}" for text in texts]


def runs_in_words(per_row: Sequence[int]) -> str:
    """ "30 runs per point", "10 to 40 runs per point"."""
    least, most = min(per_row, default=0), max(per_row, default=0)
    if least == most:
        return f"{count(most, 'run')} per point"
    return f"{least} to {most} runs per point"


def intervals_in_words(per_row: Sequence[int], exact: Sequence[bool]) -> str:
    """Words for the intervals that are shown, or the reason why none are."""
    if len(exact) and all(exact):
        return "no intervals, because nothing is random"
    if max(per_row, default=0) < 2:
        return "no intervals, which need at least two runs"
    few = 1 < max(per_row) < ENOUGH_TO_TELL
    sentence = f"{LEVEL} intervals (Student's t{', assuming normal values' if few else ''})"
    return f"{sentence}, none where nothing is random" if any(exact) else sentence


def sentence_subject(metric: str) -> str:
    """A metric at the beginning of a sentence."""
    words = _metric_words(metric)
    return words[:1].upper() + words[1:]


def metric_head(metric: str, unit: str) -> str:
    """The head of a column: "goodput (Mbit/s)"."""
    words = _metric_words(metric)
    return f"{words} ({unit})" if unit else words


def _metric_words(metric: str) -> str:
    """The name of a metric as it is read: "goodput", "median delay"."""
    words = metric.replace("_", " ").removesuffix(" pps").removesuffix(" bps")
    first, _, last = words.rpartition(" ")
    return f"{last} {first}" if last == "median" and first else words
