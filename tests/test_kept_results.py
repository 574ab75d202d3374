"""Results of studies that are kept: each is made once, and more of them go on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from modules import module

kept_results = module("kept_results")


def test_results_are_made_once_and_go_on(tmp_path: Path) -> None:
    made: list[int] = []
    broken_at = [230]

    def run(call: Callable[[int], Any], seeds: Iterable[int]) -> Iterable[Any]:
        return [call(seed) for seed in seeds]

    def square(seed: int) -> list[float]:
        made.append(seed)
        if seed in broken_at:
            broken_at.remove(seed)
            raise InterruptedError
        return [seed**2, float("nan")]

    of = kept_results.Kept(tmp_path, run).of("a law, 0.5")
    assert [result[0] for result in of(square, range(50))] == [i**2 for i in range(50)]
    with pytest.raises(InterruptedError):
        of(square, range(250))
    assert made[50:] == [*range(50, 231)]
    made.clear()
    assert [result[0] for result in of(square, range(250))] == [i**2 for i in range(250)]
    assert made == [*range(200, 250)]
    assert [result[0] for result in of(square, range(120))] == [i**2 for i in range(120)]
    assert len(made) == 50
    assert len(list(tmp_path.iterdir())) == 3


def test_other_studies_have_other_files(tmp_path: Path) -> None:
    kept = kept_results.Kept(tmp_path, map)
    assert kept.of("one")(float, range(3)) == [0.0, 1.0, 2.0]
    assert kept.of("one more")(str, range(3)) == ["0", "1", "2"]
