"""Public Python names of earlier versions work, with a hint at the line that used them."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from airtcp.errors import RenamedName

HERE = Path(__file__)
MODULE_NAMES = [
    ("airtcp.live", "Explained", "ReplayExplanation"),
    ("airtcp.live", "Replay", "ReplayComparison"),
    ("airtcp.engines", "Covered", "Coverage"),
    ("airtcp.engines", "Order", "EngineRequest"),
    ("airtcp.engines", "chosen", "chosen_engines"),
    ("airtcp.packetdrill", "Verdict", "ScriptVerdict"),
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


def test_other_names_are_unknown_as_before() -> None:
    with pytest.raises(AttributeError, match=r"airtcp\.live. has no attribute .Nothing."):
        _ = importlib.import_module("airtcp.live").Nothing
