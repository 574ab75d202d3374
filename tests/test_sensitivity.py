"""The sensitivity study of Lahanas and Tsaoussidis, thinned: the page, the readings, the numbers.

Simulations have the seeds of the study, so that numbers are compared and not distributions.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import airtcp
from airtcp.papers.lahanas.readings import DEFAULT_READING, READINGS, Reading
from airtcp.papers.lahanas.sensitivity import (
    MEASURES,
    ReadingStudy,
    judge_readings,
    statements,
)
from airtcp.papers.lahanas.study import scenario
from modules import module

ROOT = Path(__file__).parent.parent


script = module("sensitivity")


@pytest.fixture(scope="module")
def kept() -> pd.DataFrame:
    return pd.read_csv(script.RESULTS)


def test_the_page_is_what_the_results_make(kept: pd.DataFrame) -> None:
    assert script.page(kept) == script.PAGE.read_text(encoding="utf-8")


def test_every_claim_is_judged_under_every_reading(kept: pd.DataFrame) -> None:
    names = {statement.name for statement in statements()}
    assert len(names) == 22
    assert set(MEASURES) < names
    assert list(dict.fromkeys(kept["reading"])) == [reading.name for reading in READINGS]
    for (_, seed), rows in kept.groupby(["reading", "seed"]):
        assert set(rows["claim"]) == names
        assert seed in script.SEEDS
    assert set(kept["runs"]) == {script.RUNS}


@pytest.mark.parametrize("reading", READINGS, ids=lambda parameter: parameter.name)
def test_a_reading_meets_the_column_without_errors(reading: Reading) -> None:
    found = airtcp.simulate(scenario(["tahoe"], 1, 0, reading), replications=1).to_pandas()
    assert f"{found['transfer_time'][0]:.1f}" in ("12.7", "12.8", "12.9")
    assert f"{100.0 * found['overhead'][0]:.2f}" == "1.41"


def test_the_first_reading_is_that_of_the_reproduction() -> None:
    plain, read = scenario(["reno"], 2, 10), scenario(["reno"], 2, 10, DEFAULT_READING)
    assert plain.to_dict() == read.to_dict()
    changed = [scenario(["reno-probing"], 2, 10, reading).points()[0].json for reading in READINGS]
    assert len(set(changed)) == len(READINGS)


@pytest.mark.parametrize(
    "name", ["as decided", "10 Mbit/s, window 8 KB", "no rewind", "probe timer doubles"]
)
def test_kept_numbers_are_what_comes_out(kept: pd.DataFrame, name: str) -> None:
    """Of the claims that are about one cell, to the digits that are kept."""
    reading = next(candidate for candidate in READINGS if candidate.name == name)
    study = ReadingStudy(reading, runs=script.RUNS, seed=script.SEEDS[0])
    rows = kept[(kept["reading"] == name) & (kept["seed"] == script.SEEDS[0])]
    for claim in ("adaptive-best-99-1s", "adaptive-2s-quoted"):
        here = rows[rows["claim"] == claim].set_index("measure")
        for measure in MEASURES[claim]:
            row = here.loc[measure.words]
            found = measure.interval(study)
            assert found == pytest.approx(
                (row["value"], row["low"], row["high"]), rel=1e-5, abs=1e-9
            )


def test_a_thinned_study_has_every_row(kept: pd.DataFrame) -> None:
    found = judge_readings(ReadingStudy(READINGS[-1], runs=2))
    full = kept[kept["reading"] == READINGS[-1].name]
    keys = ["claim", "measure"]
    assert found[keys].to_numpy().tolist() == full[keys].to_numpy().tolist()
    # Two runs decide no claim that rests on them.
    assert "undecided" in set(found["verdict"]) <= {"holds", "partly", "fails", "undecided"}


def test_an_interval_is_of_the_mean_over_cells() -> None:
    """Of one cell it is that of the ratio of means; two cells of one run are not two samples."""
    study = ReadingStudy(DEFAULT_READING, runs=12)
    measure = MEASURES["adaptive-best-99-1s"][2]
    value, low, high = measure.interval(study)
    skip, adaptive = (study.values("time_s", name, 1, 99) for name in ("skip", "adaptive"))
    assert value == pytest.approx(adaptive.mean() / skip.mean() - 1.0, abs=1e-12)
    assert low <= value <= high
    twice = type(measure)(measure.words, measure.pairs * 2, measure.on, measure.rates)
    assert twice.interval(study) == pytest.approx((value, low, high))


def test_the_page_tells_chance_from_the_reading(kept: pd.DataFrame) -> None:
    rows = kept.copy()
    changed = (rows["claim"] == "without-errors") & (rows["seed"] == 2)
    rows.loc[changed, "verdict"] = "fails"
    assert "without-errors" in script.unsettled(rows)
    assert "without-errors" not in script.unsettled(kept)
