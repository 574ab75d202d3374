"""The Python interface: what may stand for a scenario, and one line for every wrong type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airtcp
from airtcp import InputError, Scenario, TwoState, analyse, run, simulate
from airtcp.cli.reproduction_text import _table_rows
from airtcp.cli.text import make_table, render_page
from airtcp.models.zorzi import solve, sweep

DOCUMENT: dict[str, Any] = {
    "profile": "zorzi",
    "tcp": {"variant": "tahoe", "window": 4},
    "channel": {"kind": "iid", "loss_rate": 0.1},
    "stop": {"slots": 1000, "replications": 2},
}
CHANNEL = TwoState.iid(0.1)
RAGGED = [[0.1], [0.1, 0.2]]


def test_a_dictionary_or_a_file_stands_for_a_scenario(tmp_path: Path) -> None:
    scenario = Scenario.from_dict(DOCUMENT)
    path = tmp_path / "x.toml"
    path.write_text(scenario.to_toml(), encoding="utf-8")
    for given in (DOCUMENT, path, str(path)):
        assert simulate(given).runs.equals(simulate(scenario).runs)
        assert analyse(given).equals(analyse(scenario))
        assert run(given).scenario == scenario


@pytest.mark.parametrize("wrong", [None, 3, b"x.toml", ["x.toml"]])
@pytest.mark.parametrize("function", [simulate, analyse, run])
def test_other_things_do_not(function: Callable[[Any], object], wrong: object) -> None:
    with pytest.raises(InputError) as caught:
        function(wrong)
    allowed = "must be a Scenario, a dictionary, or the name of a file"
    assert str(caught.value) == f"scenario = {wrong!r}: {allowed}"


def solved(*arguments: Any, **options: Any) -> object:
    return solve(*arguments, **{"window": 4, **options})


def swept(*arguments: Any, **options: Any) -> object:
    return sweep(*arguments, **{"window": 4, **options})


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "variant list": (lambda: solved(["tahoe"], CHANNEL), "variant = ['tahoe']: must be one of old"),
    "variant None": (lambda: solved(None, CHANNEL), "variant = None: must be one of oldtahoe"),
    "channel None": (lambda: solved("tahoe", None), "channel = None: must be a TwoState"),
    "channel number": (lambda: solved("tahoe", 0.1), "channel = 0.1: must be a TwoState"),
    "channel pair": (lambda: solved("tahoe", (0.1, 0.9)), "channel = (0.1, 0.9): must be a"),
    "method": (lambda: solved("tahoe", CHANNEL, method=["exact"]), "method = ['exact']: must be"),
    "window text": (lambda: solved("tahoe", CHANNEL, window="4"), "window = '4': must be a whole"),
    "window huge": (lambda: solved("tahoe", CHANNEL, window=10**9999), "window = <int>: must be"),
    "variants None": (lambda: swept(None, [CHANNEL]), "variant = None: must be one of oldtahoe"),
    "no variants": (lambda: swept([], [CHANNEL]), "variants = []: must be at least one value"),
    "no window": (lambda: swept("tahoe", [CHANNEL], window=[]), "window = []: must be at least"),
    "window None": (lambda: swept("tahoe", [CHANNEL], window=None), "window = None: must be"),
    "channels None": (lambda: swept("tahoe", None), "channels = None: must be TwoState objects"),
    "mixed": (lambda: swept("tahoe", [CHANNEL, None]), "channels = [TwoState(p_gb=0.1"),
    "texts": (lambda: swept("tahoe", (["a"], [0.1])), "channels: p_gb = ['a']: must be numbers"),
    "digits": (lambda: swept("tahoe", (["0.1"], [0.1])), "channels: p_gb = ['0.1']: must be"),
    "truth": (lambda: swept("tahoe", ([0.1], [True])), "channels: p_bg = [True]: must be numbers"),
    "ragged": (lambda: swept("tahoe", (RAGGED, RAGGED)), "channels: p_gb = [[0.1], [0.1, 0.2]]"),
    "lengths": (lambda: swept("tahoe", ([0.1], [0.1, 0.2])), "channels = p_gb of shape (1,), p_bg"),
    "huge": (lambda: swept("tahoe", ([10**400], [0.1])), "channels: p_gb = [1000"),
    "out": (lambda: run(DOCUMENT, out=3), "out = 3: must be the name of a directory"),  # type: ignore[arg-type]
    "journal": (
        lambda: simulate(DOCUMENT, journal=3),  # type: ignore[arg-type]
        "journal = 3: must be the name of a file",
    ),
    "engine": (lambda: run(DOCUMENT, engine=7), "engine = 7: must be names of engines"),  # type: ignore[arg-type]
    "seed": (lambda: simulate(DOCUMENT, seed=10**9999), "seed = <int>: must be a whole number"),
    "jobs": (lambda: simulate(DOCUMENT, jobs="2"), "jobs = '2': must be a whole number"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("build", "line"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_type_is_one_line(build: Callable[[], object], line: str) -> None:
    with pytest.raises(InputError) as caught:
        build()
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["embedded", "exact"])
def test_no_channels_give_an_empty_table_with_all_columns(method: str) -> None:
    empty = sweep("tahoe", ([], []), window=4, method=method)
    filled = sweep("tahoe", [CHANNEL], window=4, method=method)
    assert len(empty) == 0
    assert list(empty) == list(filled)
    for name in filled:
        assert empty[name].dtype.kind == filled[name].dtype.kind
    with pytest.raises(InputError, match="window = 0"):
        sweep("tahoe", ([], []), window=0)


def test_arrays_of_windows() -> None:
    table = sweep("tahoe", ([-0.0], [0.5]), window=np.array([4, 6]))
    assert table["window"].tolist() == [4, 6]
    assert not np.signbit(table["p_gb"]).any()


def test_exact_refuses_channels_that_hardly_move() -> None:
    frozen = TwoState(p_gb=0.1, p_bg=1e-300)
    with pytest.raises(InputError) as caught:
        solve("reno", frozen, window=4, method="exact")
    expected = (
        'method "exact": p_gb = 0.1, p_bg = 1e-300 leaves no digits of the stationary distribution;'
        ' use method "embedded"'
    )
    assert str(caught.value) == expected
    assert solve("reno", frozen, window=4).throughput == pytest.approx(0.0, abs=1e-290)


def test_tables_are_text() -> None:
    text = render_page([make_table(["[bold]a"], [["[zorzi] [/x]"]])])
    assert "[bold]a" in text
    assert "[zorzi] [/x]" in text


def test_z_has_two_decimals_in_reproductions() -> None:
    pandas = pytest.importorskip("pandas")
    text = render_page(
        _table_rows(pandas.DataFrame({"z": [1.23456, float("nan")], "p": [0.123456, 0.5]}))
    )
    assert "+1.23 " in text
    assert "0.123456" in text


def test_messages_stay_short() -> None:
    with pytest.raises(InputError) as caught:
        airtcp.models.zorzi.solve("x" * 50_000, CHANNEL, window=4)
    assert len(str(caught.value)) < 200
