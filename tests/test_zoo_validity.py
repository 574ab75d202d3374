"""Maps of where the formulas hold: the kept ones are whole, and a few points come out again.

`AIRTCP_VALIDITY=1` simulates every point anew.
"""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from airtcp.models.zoo import ZOO, validity
from airtcp.models.zoo.validity_map import CLASSES, classes, validity_map

DOCS = Path(__file__).parent.parent / "docs"
EVERY = 1 if os.environ.get("AIRTCP_VALIDITY") else 150


@pytest.fixture(scope="module")
def kept() -> pd.DataFrame:
    return pd.read_csv(DOCS / "models/validity.csv", keep_default_na=False, na_values=[""])


@pytest.fixture(scope="module")
def again() -> pd.DataFrame:
    return validity.validity(EVERY)


def test_each_model_has_more_than_200_points(kept: pd.DataFrame) -> None:
    for sort in validity.SORTS:
        names = [axis.name for axis in sort.axes]
        for name in sort.models:
            own = kept[kept["model"] == name]
            assert len(own) == len(sort.links) * len(sort.variants) >= 200
            assert own[["variant", *names]].drop_duplicates().shape[0] == len(own)


def test_points_come_out_again(kept: pd.DataFrame, again: pd.DataFrame) -> None:
    """Answers to the digits kept; simulations of an equal or a changed simulator by intervals.

    Two intervals miss each other in far less than 1 % of points of one law.
    """
    axes = ["down_share", "pipe", "up", "loss_rate", "burst"]
    keys = ["model", "variant", *axes]
    both = again.merge(kept, on=keys, suffixes=("", "_kept"))
    assert len(both) == len(again)
    assert np.allclose(both["answer"], both["answer_kept"], rtol=1e-4, equal_nan=True)
    apart = (both["low"] > both["high_kept"]) | (both["high"] < both["low_kept"])
    assert not apart.any(), both[apart]
    error = 100.0 * (again["answer"] / again["simulation"] - 1.0)
    assert np.allclose(error, again["error_percent"], equal_nan=True)
    assert (again["error_percent"].isna() == (again["note"] != "")).all()


def test_in_range_is_within_20_percent(kept: pd.DataFrame) -> None:
    """Of 95 % of the points that the models themselves call in range, as `Model.range` says.

    The interval of the simulation is allowed for.
    """
    for name, model in ZOO.items():
        own = kept[(kept["model"] == name) & kept["note"].isna()]
        if "up" in model.range:
            own = own[own["up"] >= model.range["up"][0]]
        else:
            own = own[(own["loss_rate"] <= model.range["loss_rate"][1]) & (own["burst"] == 1.0)]
        good = (0.8 * own["low"] <= own["answer"]) & (own["answer"] <= 1.2 * own["high"])
        assert len(own) >= 10
        assert good.mean() >= 0.95, (name, good.mean(), len(good))


def test_classes_and_their_limits() -> None:
    found = classes([0.0, -5.0, 5.1, -10.0, 19.9, 20.1, -99.0, np.nan])
    assert found.tolist() == [0, 0, 1, 1, 2, 3, 3, len(CLASSES)]


def test_a_map_has_a_panel_per_variant_and_third_value(again: pd.DataFrame) -> None:
    for name, panels in (("pftk", 12), ("cubic-chain", 6), ("outages", 6)):
        figure = validity_map(again, name)
        assert len(figure.axes) == panels
        assert figure.axes[0].get_ylabel().endswith("rate x RTT (packets)")


def test_the_page_shows_every_model(kept: pd.DataFrame) -> None:
    page = (DOCS / "models.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(models/([\w-]+)\.svg\)", page)) == set(ZOO)
    assert {one.stem for one in (DOCS / "models").glob("*.svg")} == set(ZOO)
    for (name, variant), own in kept.groupby(["model", "variant"]):
        error = own["error_percent"].abs()
        counts = " | ".join(str(int((error <= most).sum())) for most in (5, 10, 20))
        row = rf"\| \[`{name}`\]\(#{name}\) \| {variant} \| \d+ \| \d+ \| {re.escape(counts)} \|"
        assert re.search(row, page), f"{name}: run python scripts/validity.py --draw"
