"""Rows of docs/evidence/promises.md: how often something was so, beside the promise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scipy import stats

from airtcp.stats.exact import exact_share_interval

CHANCE = 1e-4  # that a row which keeps its promise is called broken


@dataclass(frozen=True)
class Promise:
    """A range of shares, from `low` to `high`."""

    low: float = 0.0
    high: float = 1.0

    @property
    def words(self) -> str:
        """The range in per cent; "none" where everything is in it."""
        if self.low > 0.0 and self.high < 1.0:
            return f"{100.0 * self.low:g} to {100.0 * self.high:g}"
        if self.high < 1.0:
            return f"at most {100.0 * self.high:g}"
        return f"{100.0 * self.low:g} or more" if self.low > 0.0 else "none"

    def is_kept(self, hits: int, cases: int) -> bool:
        """Say whether `hits` of `cases` are within the range, but for chance."""
        least = stats.binom.ppf(CHANCE, cases, self.low)
        return bool(least <= hits <= stats.binom.isf(CHANCE, cases, self.high))


COVERS = Promise(0.93, 0.97)
NONE = Promise()


@dataclass(frozen=True)
class Row:
    """Frequency of something: `hits` of `cases`; `beside`: more cells, without a promise."""

    what: str
    promise: Promise
    hits: int
    cases: int
    beside: tuple[str, ...] = ()

    @property
    def is_kept(self) -> bool:
        """Say whether the promise is kept, but for chance."""
        return self.promise.is_kept(self.hits, self.cases)

    @property
    def share(self) -> float:
        """The share of hits."""
        return self.hits / self.cases

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share."""
        return exact_share_interval(self.hits, self.cases)

    @property
    def cells(self) -> list[str]:
        """The row as texts."""
        low, high = (100.0 * end for end in self.interval)
        found = f"{100.0 * self.share:.1f} ({low:.1f} to {high:.1f})"
        return [self.what, self.promise.words, found, *self.beside, str(self.cases)]


def pooled(what: str, rows: Iterable[Row]) -> Row:
    """Rows of one promise whose cases are independent, together."""
    known = list(rows)
    hits, cases = sum(row.hits for row in known), sum(row.cases for row in known)
    return Row(what, known[0].promise, hits, cases)
