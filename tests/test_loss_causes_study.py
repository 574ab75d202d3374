"""The study of causes of losses in small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from airtcp.measured.captures import read
from airtcp.measured.measurement import LINK_LOSS, LOST, UNKNOWN
from modules import module
from simulated_captures import RECEIVER, capture, played

study, captures = module("loss_causes"), module("loss_cause_captures")
shares = module("clustered_shares")
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


@pytest.mark.parametrize("control", ["cubic", "reno"])
@pytest.mark.parametrize("queue", [1.0, "fq-codel"])
def test_no_loss_of_a_queue_is_the_link_s_where_the_link_loses_nothing(
    control: str, queue: float | str
) -> None:
    cell = captures.Cell(control, queue, "independent", 0.0, 1)
    for _, seen in captures.captured(cell, captures.Link(20.0, 80.0, 0.0), 7):
        # Packets under way when the captures end are not lost.
        assert np.array_equal(seen.packets.fate == LOST, seen.cause >= 0)
        stated = seen.packets.cause
        assert stated is None or not (stated == LINK_LOSS).any()


def test_half_of_the_losses_at_a_clear_delay_are_attributed_without_noise() -> None:
    rows = rows_of(("bbr", 0.25, "independent"), ("bbr", "red", "independent"))
    rows = rows[(rows["jitter"] == 0.0) & (rows["flows"] == 1) & (rows["end"] == "both")]
    assert rows["clear"].sum() > 100
    assert rows["clear_attributed"].sum() >= 0.5 * rows["clear"].sum()


def test_a_study_finds_causes_that_are_wrong() -> None:
    rows = pd.read_csv(study.TABLE, dtype={"queue": str})
    assert study.broken(rows) == []
    assert study.missed(rows) == []
    is_worse = (rows["control"] == "bbr3") & (rows["queue"] == "red")
    wrong = rows.assign(right=np.where(is_worse, (0.8 * rows["right"]).astype(int), rows["right"]))
    assert "new, bbr3, red" in study.broken(wrong)


def test_the_page_is_that_of_the_table() -> None:
    rows = pd.read_csv(study.TABLE, dtype={"queue": str})
    assert study.PAGE.read_text(encoding="utf-8") == study.page(rows)
    for _, cell in study.cells_of(rows):
        assert len(cell[cell["end"] == "both"]) >= 10


@pytest.mark.parametrize("page", ["docs/explanation/measured.md", "docs/evidence/claims.toml"])
def test_texts_say_what_the_table_says(page: str) -> None:
    rows = pd.read_csv(study.TABLE, dtype={"queue": str})
    text = (study.ROOT / page).read_text(encoding="utf-8")
    for sentence in (study.said_right(rows), study.said_cells(rows), study.said_half(rows)):
        assert sentence in text


def test_a_target_is_met_or_missed_by_the_table() -> None:
    rows = pd.read_csv(study.TABLE, dtype={"queue": str})
    assert "is met: " in study.said_half(rows)
    fewer = rows.assign(clear_attributed=rows["clear_attributed"] // 3)
    assert "is missed: " in study.said_half(fewer)
    assert study.missed(fewer) == [
        f"{name}: less than half at a clear delay" for name in study.MATRICES
    ]


def test_intervals_of_clustered_cases_cover_the_truth_and_those_of_independent_ones_do_not() -> (
    None
):
    rng = np.random.default_rng(1)
    covered, narrow = 0, 0
    for _ in range(300):
        cases = rng.integers(50, 150, 40)
        hits = rng.binomial(cases, rng.beta(9.0, 1.0, 40))
        interval = shares.clustered_interval(hits, cases)
        row = study.Row("", study.RIGHT, int(hits.sum()), int(cases.sum()))
        assert interval is not None
        assert interval[1] - interval[0] > row.interval[1] - row.interval[0]
        covered += interval[0] <= 0.9 <= interval[1]
        narrow += row.interval[0] <= 0.9 <= row.interval[1]
    assert covered >= 0.9 * 300
    assert narrow < 0.6 * 300


def test_intervals_of_independent_cases_are_nearly_those_of_one_cluster_each() -> None:
    cases = np.full(60, 100)
    hits = np.random.default_rng(2).binomial(cases, 0.9)
    interval = shares.clustered_interval(hits, cases)
    row = study.Row("", study.RIGHT, int(hits.sum()), int(cases.sum()))
    assert interval is not None
    assert interval[1] - interval[0] < 1.3 * (row.interval[1] - row.interval[0])


def test_both_views_of_a_capture_are_one_cluster() -> None:
    rows = pd.read_csv(study.TABLE, dtype={"queue": str})
    matrix = rows[rows["matrix"] == study.NEW]
    doubled = pd.concat([matrix, matrix])
    low, high = study.interval(matrix)
    assert study.interval(doubled) == pytest.approx((low, high), abs=1e-3)
    binomial = study.right("", matrix).interval
    assert high - low > 3.0 * (binomial[1] - binomial[0])


def test_without_a_wrong_case_or_with_one_cluster_there_is_no_interval() -> None:
    assert shares.clustered_interval(np.array([5, 9]), np.array([5, 9])) is None
    assert shares.clustered_interval(np.array([5, 0]), np.array([9, 0])) is None


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
