"""The table of runs comes in pieces that hold every row once, in order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from airtcp.campaign.run_table import split_into_pieces


@settings(derandomize=True, deadline=None, database=None, max_examples=200)
@given(
    points=st.lists(st.tuples(st.integers(1, 30), st.integers(1, 6)), min_size=1, max_size=20),
    most=st.integers(1, 60),
)
def test_pieces_hold_every_run_once_in_order(points: list[tuple[int, int]], most: int) -> None:
    runs, rows = zip(*points, strict=True)
    seen = []
    for begin, end, first, last in split_into_pieces(runs, rows, most):
        held = [
            (number, run)
            for number in range(begin, end)
            for run in range(first, min(last, runs[number]))
        ]
        assert held
        assert sum(rows[number] for number, _ in held) <= max(most, *rows)
        seen += held
    assert seen == [(number, run) for number, many in enumerate(runs) for run in range(many)]
