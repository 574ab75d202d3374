"""The study of causes of losses in small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from airtcp.measured.captures import read
from airtcp.measured.measurement import UNKNOWN
from modules import module
from simulated_captures import RECEIVER, capture, played

study, captures = module("loss_causes"), module("loss_cause_captures")
PLACES = [
    ("bbr3", "red", "independent"),
    ("bbr", "fq-codel", "bursts"),
    ("bbr3", 0.25, "before"),
    ("cubic", 4.0, "bursts"),
    ("newreno", 0.25, "independent"),
]


def rows_of(*cells: Any) -> pd.DataFrame:
    """Rows of captures of cells, each with and without jitter, of one flow and of three."""
    numbers = [
        nth
        for nth, cell in enumerate(study.MATRICES[study.KNOWN].cells)
        if (cell.control, cell.queue, cell.losses) in cells
    ]
    return study.table({study.KNOWN: {nth: study.judged(study.KNOWN, nth) for nth in numbers}})


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_causes_are_right(place: Any) -> None:
    rows = rows_of(place)
    assert set(rows["end"]) == {"sender", "both"}
    assert rows["lost"].sum() > 40
    assert study.broken(rows) == []


def test_half_of_the_losses_at_a_clear_delay_are_attributed_without_noise() -> None:
    rows = rows_of(("bbr", 0.25, "independent"), ("bbr", "red", "independent"))
    rows = rows[(rows["jitter"] == 0.0) & (rows["flows"] == 1) & (rows["end"] == "both")]
    assert rows["clear"].sum() > 100
    assert rows["clear_attributed"].sum() >= 0.5 * rows["clear"].sum()


def test_a_study_finds_causes_that_are_wrong() -> None:
    rows = pd.read_csv(study.TABLE, dtype={"queue": str})
    assert study.broken(rows) == []
    is_worse = (rows["control"] == "bbr3") & (rows["queue"] == "red")
    wrong = rows.assign(right=np.where(is_worse, (0.8 * rows["right"]).astype(int), rows["right"]))
    assert "new, bbr3, red" in study.broken(wrong)


def test_the_page_is_that_of_the_table() -> None:
    rows = pd.read_csv(study.TABLE, dtype={"queue": str})
    assert study.PAGE.read_text(encoding="utf-8") == study.page(rows)
    for _, cell in study.cells_of(rows):
        assert len(cell[cell["end"] == "both"]) >= 10


def test_at_the_receivers_end_nothing_is_attributed(tmp_path: Path) -> None:
    cell, link, seed = study.MATRICES[study.KNOWN].case(180)
    file = tmp_path / "receiver.pcapng"
    file.write_bytes(capture(played(captures.document(cell, link, seed), seed), RECEIVER))
    (measurement,) = read(file)
    assert measurement.packets is not None
    assert (measurement.packets.cause == UNKNOWN).all()
    assert "causes of losses are unknown: 0 known delays" in [
        odd.said.split(",")[0] for odd in measurement.oddities
    ]
