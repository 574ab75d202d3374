"""What statistics promise they keep: `make statistics` in small."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from scipy import stats

from modules import module

ROOT = Path(__file__).parent.parent
CASES = 200
CHANCE = 1e-4  # that a row which keeps its promise is called broken
# Too few skewed values to tell that they are; and what the page says of few values as they are.
NOT_TOLD = {"exponential, 3", "exponential, 5", "exponential, 10", "uniform, 3", "uniform, 5"}
NOT_TOLD |= {f"{kind}, bootstrap, {runs}" for kind in ("ratio", "median") for runs in (3, 5, 10)}


@pytest.fixture(scope="module")
def promises() -> ModuleType:
    return module("promises")


def test_promises_are_kept(promises: ModuleType) -> None:
    """Each row stays within its bounds but for chance: 10^-4 a row, some 100 rows."""
    for table in promises.measured(CASES):
        for row in table.rows:
            low, high = row.bounds
            if row.what not in NOT_TOLD:
                assert row.hits >= stats.binom.ppf(CHANCE, row.cases, low), row
            assert row.hits <= stats.binom.isf(CHANCE, row.cases, high), row


def test_the_page_is_of_the_full_measurement_and_of_every_row(promises: ModuleType) -> None:
    page = (ROOT / "docs/promises.md").read_text(encoding="utf-8")
    assert f"{promises.CASES} times" in page
    for title, *_ in promises.TABLES:
        assert f"## {title}" in page


def test_tables_fit_a_terminal(promises: ModuleType) -> None:
    row = promises.Row("2 % apart agree, all looks: 30 runs, sd 10 %", "at most 5", 3, 1000)
    table = promises.Table("T", "t", ["verdict", "promised %", "measured %"], [row])
    assert max(map(len, promises.text([table]).splitlines())) <= 80
    assert row.interval == pytest.approx((0.000619, 0.008742), abs=1e-6)
