"""Modules that have moved: whoever imports one by its old name reads the new one."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

MOVED = {
    "airtcp.export.mahimahi": "airtcp.links.mahimahi",
    "airtcp.export.netem": "airtcp.links.netem",
    "airtcp.planning": "airtcp.simulation.plans",
    "airtcp.spec": "airtcp.scenario.spec",
    "airtcp.sweeping": "airtcp.simulation.sweeps",
    "airtcp.tracing": "airtcp.simulation.traces",
    "airtcp.two_state": "airtcp.scenario.two_state",
    "airtcp.link_plot": "airtcp.plot.links",
    "airtcp.results_plot": "airtcp.plot.results",
    "airtcp.sequence_plot": "airtcp.plot.sequence",
}


class Moved(MetaPathFinder):
    """Asked after all others, so that it costs nothing where a module is found."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> Any:
        """Nothing, or `ModuleNotFoundError` with the new name."""
        if name in MOVED:
            raise ModuleNotFoundError(f"{name} is now {MOVED[name]}", name=name)


def tell_moved() -> None:
    """Answer imports by old names from now on."""
    sys.meta_path.append(Moved())
