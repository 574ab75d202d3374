"""Statistics keep their promises: `make statistics` in small, and faults that it finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

from airtcp.papers import resampling
from airtcp.simulation import contests
from airtcp.stats import decisive_runs, intervals, precision, ranking, verdict
from modules import module

ROOT = Path(__file__).parent.parent
CASES = 2000
promises, claim_rows = module("promises"), module("claim_rows")
interval_rows, verdict_rows = module("interval_rows"), module("verdict_rows")
rows_module = module("promise_rows")


@pytest.fixture(scope="module")
def tables() -> Any:
    return promises.measured(CASES // 2)


def test_promises_are_kept(tables: Any) -> None:
    """Each row stays within its bounds but for chance: 10^-4 a row, some 170 rows."""
    assert promises.broken(tables) == []


def on_page() -> dict[str, dict[str, Any]]:
    """The rows of the page by title and name: what is promised, the share and the cases."""
    found: dict[str, dict[str, Any]] = {}
    for part in (ROOT / "docs/evidence/promises.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        title, *lines = part.splitlines()
        cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
        found[title] = {
            name: (promised, float(share.split()[0]) / 100.0, int(rest[-1]))
            for name, promised, share, *rest in cells
        }
    return found


def test_the_page_has_every_row_as_it_is_measured_today(tables: Any) -> None:
    """In full, within its promise, and off by no more than 5 standard deviations."""
    page = on_page()
    assert list(page) == [table.title for table, _ in tables]
    for table, rows in tables:
        shown = page[table.title]
        assert list(shown) == [row.what for row in rows]
        for row in rows:
            promised, share, cases = shown[row.what]
            assert promised == row.promise.words
            assert cases >= row.cases
            assert row.promise.is_kept(round(share * cases), cases), row
            both = (row.hits + share * cases + 1.0) / (row.cases + cases + 2.0)
            error = math.sqrt(both * (1.0 - both) * (1.0 / row.cases + 1.0 / cases))
            assert abs(row.share - share) <= 5.0 * error + 0.001, row


def test_tables_fit_a_terminal(tables: Any) -> None:
    assert max(map(len, promises.text(tables).splitlines())) <= 80
    row = rows_module.Row("equal", rows_module.Promise(high=0.05), 3, 1000)
    assert row.interval == pytest.approx((0.000619, 0.008742), abs=1e-6)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.93, 0.97, "93 to 97"), (0.0, 0.025, "at most 2.5"), (0.9, 1.0, "90 or more")],
)
def test_a_promise_is_broken_by_more_than_chance(low: float, high: float, words: str) -> None:
    promise = rows_module.Promise(low, high)
    assert promise.words == words
    assert promise.is_kept(round(500 * (low + high)), 1000)
    assert low == 0.0 or not promise.is_kept(round(1000 * low) - 40, 1000)
    assert high == 1.0 or not promise.is_kept(round(1000 * high) + 25, 1000)


def test_the_command_ends_with_1_where_a_promise_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for hits, status in ((500, 1), (950, 0)):
        row = rows_module.Row("a mean, 3", rows_module.COVERS, hits, 1000, ("1", "2"))
        table = replace(promises.TABLES[0], groups=(lambda _, row=row: iter([row]),))
        monkeypatch.setattr(promises, "TABLES", (table,))
        assert promises.main(["--cases", "1000"]) == status
        assert ("a mean, 3: 93 to 97 % promised, 50.0 %" in capsys.readouterr().err) == bool(status)
    assert promises.main(["--cases", "10"]) == 2


# Planted faults

Patch = Callable[[pytest.MonkeyPatch], None]


def _put(place: Any, name: str, value: Any) -> Patch:
    return lambda patch: patch.setattr(place, name, value)


class _NormalQuantiles:
    """`scipy.special`, in which Student's law is the normal one."""

    def __getattr__(self, name: str) -> Any:
        return getattr(special, name)

    def stdtrit(self, freedom: Any, p: float) -> Any:
        return special.ndtri(p) + 0.0 * freedom


def _unmarked(values: Any, starts: Any) -> Any:
    return np.full(len(starts), np.nan)


def _plain_tests(first: Any, second: Any) -> Any:
    """P values of paired t tests, whatever the differences."""
    found = intervals.mean_intervals(first - second)
    return intervals.t_test(found["mean"], found["sd"], first.shape[1])


def _never_turned(ahead: Any, behind: Any) -> Any:
    """The pair of runs in which the same variant always starts first."""
    n, of_goodputs = ahead.jain.size, contests._shares(ahead.goodputs)
    delays = (ahead.medians, ahead.p95, ahead.jain, ahead.utilisation)
    assert n == behind.jain.size
    return contests.ContestPair(ahead.goodputs, of_goodputs, *delays)


def _at_once(self: Any, values: Any) -> int:
    """The first number of runs at which the interval is narrow."""
    n = self.least
    while n <= len(values) and precision.relative_half_width(values[:n]) > self.relative:
        n += max(10, n // 10)
    return n


FAULTS: dict[str, tuple[Patch, Callable[[], Iterable[Any]]]] = {
    "intervals of few values take the normal law": (
        _put(intervals, "special", _NormalQuantiles()),
        lambda: interval_rows.ratios(CASES // 4),
    ),
    "nothing is marked": (
        _put(interval_rows, "grouped_carriers", _unmarked),
        lambda: _anew(interval_rows.marks),
    ),
    "intervals of Jain's index are Student's": (
        _put(interval_rows, "bounded_means", intervals.grouped_means),
        lambda: interval_rows.fairnesses(CASES),
    ),
    "searches end where the scatter looks small": (
        _put(precision.Precision, "next_runs", _at_once),
        lambda: interval_rows.searches(CASES // 4),
    ),
    "rankings are not corrected for many pairs": (
        _put(ranking, "holm", np.asarray),
        lambda: claim_rows.rankings(CASES // 2),
    ),
    "rankings test what few runs carry": (
        _put(ranking, "paired_tests", _plain_tests),
        lambda: claim_rows.rare_rankings(CASES),
    ),
    "one variant always starts first": (
        _put(contests.ContestPair, "from_both_orders", staticmethod(_never_turned)),
        lambda: claim_rows.contests(CASES // 10),
    ),
    "claims are judged on few resamples": (
        _put(resampling, "RESAMPLES", 10),
        lambda: claim_rows.claims(CASES // 2),
    ),
    "a look spends the whole error": (
        _put(verdict, "LEVEL_SHARE_OF_A_LOOK", 1.0),
        lambda: verdict_rows.verdicts(3 * CASES, runs=(30,), scatters=(0.1,)),
    ),
    "the advice is a median": (
        _put(decisive_runs, "_AVERAGE_SCATTER", 0.6),
        lambda: verdict_rows.verdicts(CASES // 2, runs=(5,), scatters=(0.1,)),
    ),
}


def _anew(rows: Callable[[int], Iterable[Any]]) -> list[Any]:
    interval_rows._covered_and_marked.cache_clear()
    try:
        return list(rows(CASES))
    finally:
        interval_rows._covered_and_marked.cache_clear()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, rows = FAULTS[fault]
    plant(monkeypatch)
    assert any(not row.is_kept for row in rows())
