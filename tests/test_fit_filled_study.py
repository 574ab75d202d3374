"""The study of rates fitted to captures in small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from modules import module

study = module("fit_filled_coverage")
FAST = study.Kind("log-normal", 0.1, study.DEEP, 0.0, "sender")


@pytest.fixture(scope="module", autouse=True)
def shorter_truth() -> Iterator[None]:
    """True values from fewer steps: they scatter less than intervals are wide."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "LONG", 200_000)
        yield
    study.truth.cache_clear()


@pytest.fixture(scope="module")
def three() -> list[dict[str, Any]]:
    """Fits of three captures."""
    return [study.fitted(FAST, seed) for seed in range(3)]


def test_intervals_cover_the_means_over_steps(three: list[dict[str, Any]]) -> None:
    table = study.rows(3, lambda _: lambda *_: three, (FAST,))
    stated = table[~table["parameter"].str.startswith("memories")]
    assert (stated["stated"] == 3).all()
    assert stated["covered"].sum() >= 10  # of 15 at 95 %


def test_a_study_finds_intervals_that_are_too_narrow(three: list[dict[str, Any]]) -> None:
    table = study.rows(3, lambda _: lambda *_: three, (FAST,), narrow=0.02)
    told = table[table["truth"] > 1e-3]  # estimates of the least correlations are as near as can be
    assert told["covered"].sum() <= told["stated"].sum() // 3


def test_the_truth_is_that_of_means_over_steps() -> None:
    """Longer steps even changes out: less scatter, and the mean of the process."""
    short, long = (study.truth("three rates", 0.1, every) for every in (20, 100))
    scatter = "standard deviation / mean"
    assert short["mean rate"] == long["mean rate"] == pytest.approx(4.3e6)
    assert long[scatter] < 0.9 * short[scatter]
    rates, shares = study.MARGINALS["three rates"]
    mean = rates @ shares
    assert short[scatter] == pytest.approx((rates**2 @ shares - mean**2) ** 0.5 / mean, rel=0.05)


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        (study.Kind("log-normal", 1.0, study.SHORT, 0.0, "both"), "not filled"),
        (study.Kind("log-normal", 1.0, study.DEEP, 0.0, "receiver"), "no delays"),
    ],
)
def test_captures_that_do_not_tell_are_not_fitted(kind: object, state: str) -> None:
    (row,) = study.rows(1, lambda _: map, (kind,)).to_dict("records")
    assert (row["fitted"], row["stated"], row["not_fitted"]) == (0, 0, f"{state}: 1")


def test_beside_outages_no_interval_is_stated() -> None:
    table = study.rows(1, lambda _: map, (study.Kind("with outages", 1.0, 300, 0.0, "both"),))
    assert (table["fitted"] == 1).all()
    assert (table["stated"] == 0).all()


def test_broken_promises_are_found_beyond_chance() -> None:
    row = FAST._asdict() | {"parameter": "mean rate", "stated": 60}
    fine = pd.DataFrame([row | {"covered": 56}])
    assert study.broken(fine) == []
    assert study.broken(fine.assign(covered=44))


def test_all_captures_are_judged_together() -> None:
    """Of 10 intervals 8 are enough by themselves, and of ten such tens they are too few."""
    rows = [FAST._replace(memory=float(memory))._asdict() for memory in range(1, 11)]
    fine = pd.DataFrame(rows).assign(parameter="mean rate", stated=10, covered=9)
    assert study.broken(fine) == []
    assert study.broken(fine.assign(covered=8)) == ["all captures, mean rate: covered 80 of 100"]
    assert study.broken(fine.assign(covered=8)[:2]) == []


def test_the_section_says_what_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rejections of true means nothing is said of a reason."""
    table = study.table()
    few = table.assign(rejected=table["rejected"].where(table["end"] != "none", 0))
    monkeypatch.setattr(study, "table", lambda: few)
    said = next(line for line in study.section() if "False rejections" in line)
    assert "it rejects 0 % (0 to 26), 0 of 12" in said
    assert "reason" not in said
    assert study.rejected_share().startswith("27 %")


def test_the_section_has_a_row_for_each_parameter() -> None:
    table = study.table()
    parameters = [name for name in table["parameter"].unique() if name]
    rows = [
        line for line in study.section() if line.startswith(tuple(f"| {p} |" for p in parameters))
    ]
    assert len(rows) == len(parameters)
    assert "| mean rate | 69 of 72 | 96 % (88 to 99) |" in rows


def test_the_table_has_every_kind_and_keeps_its_promises() -> None:
    table = study.table()
    kinds = table[list(study.Kind._fields)].drop_duplicates()
    assert [study.Kind(*row) for row in kinds.itertuples(index=False)] == list(study.KINDS)
    assert (table["captures"] >= 6).all()
    assert study.broken(table) == []
    withheld = table[(table["rates"] == "with outages") | (table["fitted"] == 0)]
    assert (withheld["stated"] == 0).all()
