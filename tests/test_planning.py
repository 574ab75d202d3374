"""Cost of a sweep: the estimate against the actual cost."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import airtcp
from airtcp import InputError, Scenario, plan, simulate
from airtcp.cli.main import main
from airtcp.cli.plan_text import duration_text, size_text
from airtcp.support.half_width import half_width_of_row

SCENARIO = Scenario.from_dict(
    {
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "newreno"], "window": 6},
        "channel": {"kind": "iid", "loss_rate": [0.003, 0.01, 0.03, 0.1]},
        "stop": {"slots": 3000, "replications": 7},
    }
)


def test_a_fixed_number_of_replications_is_that_number() -> None:
    found = plan(SCENARIO)
    assert (found.table["replications"] == 7).all()
    assert tuple(found.runs) == (56.0, 56.0, 56.0)
    assert found.table["seconds"].to_numpy() == pytest.approx(
        7 * found.table["seconds_per_run"].to_numpy()
    )
    assert found.seconds.value == pytest.approx(found.table["seconds"].sum())
    assert plan(SCENARIO, replications=9, jobs=1).runs.value == 72.0


def test_what_is_tried_are_the_first_replications() -> None:
    found = plan(SCENARIO).table
    summary = simulate(SCENARIO, replications=10).summary()
    assert found["mean"].to_numpy() == pytest.approx(summary["throughput"].to_numpy(), rel=1e-12)
    cv = summary["throughput_sd"] / summary["throughput"]
    assert found["cv"].to_numpy() == pytest.approx(cv.to_numpy(), rel=1e-12)
    half = half_width_of_row(summary, "throughput") / summary["throughput"]  # ends may be cut at 1
    tenfold = plan(SCENARIO, replications=10).table
    assert tenfold["precision"].to_numpy() == pytest.approx(half.to_numpy(), rel=1e-9)


def test_the_runs_of_a_precision_are_about_those_that_the_rule_takes() -> None:
    """10 runs give sd to a quarter, so a point's runs to a half; 8 points to a fifth."""
    expected = plan(SCENARIO, precision=0.003).runs.value
    taken = sum(simulate(SCENARIO, precision=0.003).per_point)
    assert taken > 8 * 45  # more than the least, or nothing was estimated
    assert expected == pytest.approx(taken, rel=0.4)


def test_a_precision_out_of_reach_is_named() -> None:
    found = plan(SCENARIO, precision=1e-5)
    assert found.short == 8
    assert (found.table["replications"] == 10_000).all()
    shown = CliRunner().invoke(main, ["plan", "examples/window.toml", "--precision", "1e-7"])
    assert "do not reach it" in " ".join(shown.output.split())


def test_points_that_are_not_tried_are_taken_to_be_like_the_others() -> None:
    many = SCENARIO.replace("channel.loss_rate", np.geomspace(0.001, 0.1, 30).tolist())
    found = plan(many, budget=1e-9)
    assert len(found.table) == 1
    assert found.points == 60
    assert found.runs.value == 420.0
    assert found.seconds.low < found.seconds.value < found.seconds.high == math.inf
    assert found.table["tried"].item() == 3
    whole = plan(many, budget=1e9)
    assert whole.seconds.low == whole.seconds.value == whole.seconds.high
    assert len(whole.table) == 60


def test_points_are_tried_far_from_each_other() -> None:
    from airtcp.simulation.plans import _spread_numbers

    for points in (1, 2, 3, 5, 8, 60, 100):
        assert sorted(_spread_numbers(points)) == list(range(points))
    first = list(_spread_numbers(100))[:8]
    assert min(abs(a - b) for a in first for b in first if a != b) >= 5


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"budget": 0.0}, "budget = 0.0: must be seconds above 0"),
        ({"precision": 1.0}, "precision = 1.0: must be a share above 0 and below 1"),
        ({"precision": 0.1, "metric": "x"}, "metric = 'x': must be one of throughput"),
        ({"metric": "throughput"}, "metric = 'throughput': must be given together with"),
        ({"precision": 0.1, "replications": 3}, "replications and precision: give only one"),
    ],
)
def test_bad_options(options: dict[str, object], line: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(SCENARIO, **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(line)


def test_the_command() -> None:
    runner = CliRunner()
    command = ["plan", "examples/window.toml", "--set", "stop.slots=2000"]
    shown = runner.invoke(main, [*command, "--jobs", "2"])
    assert shown.exit_code == 0
    assert "in the journal" in " ".join(shown.output.split())
    data = json.loads(runner.invoke(main, [*command, "--format", "json"]).output)
    assert data["points"] == len(Scenario.load("examples/window.toml")) == data["tried"]
    assert data["runs"]["value"] == data["points"] * data["replications"]
    assert len(data["rows"]) == data["points"]
    table = runner.invoke(main, [*command, "--format", "csv"]).output
    assert len(table.splitlines()) == data["points"] + 1


def test_repr() -> None:
    assert repr(airtcp.plan(SCENARIO, jobs=2)).startswith("Plan(8 points, about 56 runs, ")


def test_units() -> None:
    assert [duration_text(seconds) for seconds in (0.5, 100, 120, 7200, 172800)] == [
        "0.5 s",
        "1e+02 s",
        "2 min",
        "2 h",
        "2 d",
    ]
    assert [size_text(size) for size in (12, 1500, 2e9)] == ["12 bytes", "1.5 kB", "2 GB"]
