"""Public Python names of earlier versions work, with a hint at the line that used them."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import airtcp as at
from airtcp.engines import Coverage, EngineRequest
from airtcp.errors import RenamedName
from airtcp.simulation.replications import SimulationRequest

HERE = Path(__file__)
MODULE_NAMES = [
    ("airtcp.live", "Explained", "ReplayExplanation"),
    ("airtcp.live", "Replay", "ReplayComparison"),
    ("airtcp.engines", "Covered", "Coverage"),
    ("airtcp.engines", "Order", "EngineRequest"),
    ("airtcp.engines", "chosen", "chosen_engines"),
    ("airtcp.packetdrill", "Verdict", "ScriptVerdict"),
    ("airtcp.models.zorzi", "covers", "reason_not_covered"),
]


@pytest.mark.parametrize(("module", "earlier", "present"), MODULE_NAMES)
def test_a_module_knows_its_earlier_names(module: str, earlier: str, present: str) -> None:
    found = importlib.import_module(module)
    with pytest.warns(RenamedName, match=f"{module}.{earlier} is now called {present}") as hints:
        assert getattr(found, earlier) is getattr(found, present)
    assert Path(hints[0].filename) == HERE


def test_an_import_statement_is_hinted_at_its_line() -> None:
    with pytest.warns(RenamedName) as hints:
        from airtcp.live import Replay  # noqa: F401
    assert {Path(hint.filename) for hint in hints} == {HERE}


def test_fields_of_a_request_are_read_by_their_earlier_names() -> None:
    channel = {"kind": "iid", "loss_rate": 0.1}
    link = {"profile": "zorzi", "tcp": {"variant": "tahoe"}, "channel": channel}
    simulation = SimulationRequest.of(
        at.Scenario.from_dict(link), replications=1, precision=None, metric=None, seed=1, jobs=1
    )
    request = EngineRequest(simulation, is_alone=True)
    with pytest.warns(RenamedName, match=r"EngineRequest\.asked is now called simulation_request"):
        assert request.asked is simulation
    with pytest.warns(RenamedName, match=r"EngineRequest\.alone is now called is_alone"):
        assert request.alone
    with pytest.warns(RenamedName, match=r"Coverage\.by is now called answered_by"):
        assert Coverage("simulator").by == "simulator"


def test_other_names_are_unknown_as_before() -> None:
    with pytest.raises(AttributeError, match=r"airtcp\.live. has no attribute .Nothing."):
        _ = importlib.import_module("airtcp.live").Nothing


def test_attributes_of_results_are_read_by_their_earlier_names() -> None:
    channel = {"kind": "iid", "loss_rate": 0.1}
    link = {"profile": "zorzi", "tcp": {"variant": "tahoe"}, "channel": channel}
    found = at.run(link, engine="analysis", progress=False)
    with pytest.warns(RenamedName, match=r"RunResult\.flows is now called rows_per_point") as hints:
        assert found.flows == found.rows_per_point
    assert Path(hints[0].filename) == HERE
    (answer,) = found.answers
    with pytest.warns(RenamedName, match=r"Answer\.names is now called column_names"):
        assert answer.names("throughput") == answer.column_names("throughput")
    with pytest.warns(RenamedName, match=r"Estimates\.why is now called reasons_not_compared"):
        assert answer.estimates.why is answer.estimates.reasons_not_compared
