"""Maps of where the formulas hold: the kept ones are whole, and a few points come out again.

`AIRTCP_VALIDITY=1` simulates every point anew.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from airtcp.campaign.executor import Task, ThreadExecutor
from airtcp.comparison import validity
from airtcp.models.zoo import ZOO, validity_range
from airtcp.models.zoo.grids import VALIDITY_GRIDS, ValidityGrid, grids_of
from airtcp.models.zoo.ranges import RANGES
from airtcp.report.validity_map import ERROR_CLASSES, error_classes, validity_map

DOCS = Path(__file__).parent.parent / "docs"
EVERY = 1 if os.environ.get("AIRTCP_VALIDITY") else 200


@pytest.fixture(scope="module")
def kept() -> pd.DataFrame:
    return pd.read_csv(DOCS / "evidence/models/validity.csv", keep_default_na=False, na_values=[""])


@pytest.fixture(scope="module")
def again() -> pd.DataFrame:
    return validity.validity(EVERY)


def test_each_model_has_many_points_in_each_grid(kept: pd.DataFrame) -> None:
    for sort in VALIDITY_GRIDS:
        for name in sort.models:
            own = kept[(kept["model"] == name) & (kept["grid"] == sort.name)]
            assert len(own) == len(sort.links) * len(sort.variants) >= 130
            assert own[["variant", *sort.axes]].drop_duplicates().shape[0] == len(own)


@pytest.mark.parametrize("sort", VALIDITY_GRIDS, ids=lambda parameter: str(parameter.name))
def test_points_come_out_again(sort: ValidityGrid, kept: pd.DataFrame, again: pd.DataFrame) -> None:
    """Answers to the digits kept; simulations of an equal or a changed simulator by intervals.

    Two intervals miss each other in far less than 1 % of points of one law.
    """
    mine, theirs = (table[table["grid"] == sort.name] for table in (again, kept))
    keys = ["model", "variant", *sort.axes]
    both = mine.merge(theirs, on=keys, suffixes=("", "_kept"))
    assert len(both) == len(mine) > 0
    assert np.allclose(both["answer"], both["answer_kept"], rtol=1e-4, equal_nan=True)
    apart = (both["low"] > both["high_kept"]) | (both["high"] < both["low_kept"])
    assert not apart.any(), both[apart]
    error = 100.0 * (both["answer"] / both["simulation"] - 1.0)
    assert np.allclose(error, both["error_percent"], equal_nan=True)
    assert (both["error_percent"].isna() == (both["note"] != "")).all()


def test_half_of_the_intervals_are_narrow(kept: pd.DataFrame) -> None:
    """Half-widths of 95 % intervals: 2 % of the mean at most in the median of simulated points."""
    runs = kept.drop_duplicates(["grid", "variant", *AXES])
    half = 50.0 * (runs["high"] - runs["low"]) / runs["simulation"]
    assert half.median() <= 2.0
    assert (runs.loc[half > 2.5, "runs"] == 60).all()  # the rule gave up there


AXES = sorted({axis for sort in VALIDITY_GRIDS for axis in sort.axes})


def test_ranges_follow_from_the_maps(kept: pd.DataFrame) -> None:
    assert validity_range.ranges_by_profile(kept) == RANGES, "run python scripts/validity.py --draw"
    for name, model in ZOO.items():
        assert model.ranges == RANGES[name]


def table(wrong: Any) -> pd.DataFrame:
    """Outages at all points of the grid, 5 % off or, where `wrong` says so, 50 %."""
    sort = next(grid for grid in VALIDITY_GRIDS if grid.name == "outages")
    links = pd.DataFrame(sort.links).assign(grid="outages", model="outages", variant="sack")
    return links.assign(error_percent=np.where(wrong(links), -50.0, 5.0))


def test_a_range_is_the_largest_good_box() -> None:
    """All of it; all but an end that is bad; and no part that a large whole would hide."""
    sort = next(grid for grid in VALIDITY_GRIDS if grid.name == "outages")
    whole = {key: (min(ends), max(ends)) for key, ends in sort.box.items()}
    assert validity_range.range_of(table(lambda at: at["up"] < 0.0), sort, "outages") == whole
    found = validity_range.range_of(table(lambda at: at["up"] == 1.0), sort, "outages")
    assert found == {**whole, "up": (3, 30)}
    corner = table(lambda at: (at["down_share"] == 0.5) & (at["rtt"] == 0.5))
    bad = corner["error_percent"].abs() > 20.0
    assert bad.mean() < 0.1  # of the whole; of the points with that share a third
    assert validity_range.range_of(corner, sort, "outages") == {**whole, "down_share": (0.01, 0.3)}
    assert validity_range.range_of(table(lambda at: at["up"] > 0.0), sort, "outages") == {}


def test_finished_runs_are_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second pass over the same folder gives the same table, and submits nothing."""
    fast = [grid for grid in VALIDITY_GRIDS if grid.name == "spikes"]
    monkeypatch.setattr(validity, "VALIDITY_GRIDS", fast)
    once = validity.validity(100, folder=tmp_path)

    def refuse(_: ThreadExecutor, tasks: Iterable[Task]) -> None:
        assert not list(tasks)

    monkeypatch.setattr(ThreadExecutor, "submit", refuse)
    pd.testing.assert_frame_equal(validity.validity(100, folder=tmp_path), once)


def test_classes_and_their_limits() -> None:
    found = error_classes([0.0, -5.0, 5.1, -10.0, 19.9, 20.1, -99.0, np.nan])
    assert found.tolist() == [0, 0, 1, 1, 2, 3, 3, len(ERROR_CLASSES)]


def test_a_map_has_a_panel_per_variant_and_column(again: pd.DataFrame) -> None:
    expected = {"pftk": [18, 5], "cubic-chain": [9, 5], "outages": [12], "zorzi": [48]}
    for name, place in (
        (name, place) for name, all_ in expected.items() for place in range(len(all_))
    ):
        sort = grids_of(name)[place]
        figure = validity_map(again, name, sort)
        assert len(figure.axes) == expected[name][place]
        assert figure.axes[0].get_ylabel().endswith(sort.y[1])


def test_the_page_shows_every_model(kept: pd.DataFrame) -> None:
    page = (DOCS / "explanation/formulas.md").read_text(encoding="utf-8")
    maps = {*ZOO, *(f"{name}-linux" for name in ZOO if len(grids_of(name)) > 1)}
    assert set(re.findall(r"\]\(\.\./evidence/models/([\w-]+)\.svg\)", page)) == maps
    assert {path.stem for path in (DOCS / "evidence/models").glob("*.svg")} == maps
    for (_, name, variant), own in kept.groupby(["grid", "model", "variant"]):
        error = own["error_percent"].abs()
        counts = " | ".join(str(int((error <= most).sum())) for most in (5, 10, 20))
        said = rf"\| \[`{name}`\]\(#{name}\) \| \w+ \| {variant} \|"
        row = rf"{said} \d+ \| \d+ \| {re.escape(counts)} \|"
        assert re.search(row, page), f"{name}: run python scripts/validity.py --draw"


def test_models_know_with_which_loss_recoveries_they_were_mapped() -> None:
    """Where a model leaves that open: those of slots refuse other variants themselves."""
    named = {name: value.variants for name, value in ZOO.items() if value.variants}
    of_rfc = [sort for sort in VALIDITY_GRIDS if sort.profile == "rfc"]
    mapped = {name: sort.variants for sort in of_rfc for name in sort.models if name in named}
    assert named == mapped
    assert {"rfc9438", "cubic-chain", "pftk", "mathis", "outages", "kuusela"} <= set(named)
