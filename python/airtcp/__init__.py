"""A laboratory for TCP over wireless links.

One scenario, several engines that must agree: `analyse` (models), `simulate` (replications with
confidence intervals), `run` (both, side by side), `sweep` (many points into a folder; `plan` says
what it costs). `reproduce` regenerates published results.
"""

from airtcp import _signals

if _signals.is_command():
    _signals.end_at_once()  # before anything that takes time
    from airtcp._import_path import leave_working_directory

    leave_working_directory()  # before anything that could come from there

from importlib import import_module
from typing import TYPE_CHECKING, Any

from airtcp._native import __version__
from airtcp.errors import InputError

# Here already, or the modules would take the functions' names.
from airtcp.results import Results, results
from airtcp.run import RunResult, run

if TYPE_CHECKING:
    from airtcp import models, spec
    from airtcp.analysis import analyse
    from airtcp.channel_samples import fading, fates
    from airtcp.events import Events
    from airtcp.papers import reproduce
    from airtcp.planning import Plan, plan
    from airtcp.scenario import Point, Scenario
    from airtcp.simulation import Interrupted, SimulationResult, simulate
    from airtcp.sweeping import sweep
    from airtcp.tracing import trace
    from airtcp.two_state import TwoState

__all__ = [
    "Events",
    "InputError",
    "Interrupted",
    "Plan",
    "Point",
    "Results",
    "RunResult",
    "Scenario",
    "SimulationResult",
    "TwoState",
    "__version__",
    "analyse",
    "fading",
    "fates",
    "models",
    "plan",
    "reproduce",
    "results",
    "run",
    "simulate",
    "spec",
    "sweep",
    "trace",
]

_HOMES = {
    "Events": "airtcp.events",
    "Interrupted": "airtcp.simulation",
    "Plan": "airtcp.planning",
    "Point": "airtcp.scenario",
    "Scenario": "airtcp.scenario",
    "SimulationResult": "airtcp.simulation",
    "TwoState": "airtcp.two_state",
    "analyse": "airtcp.analysis",
    "fading": "airtcp.channel_samples",
    "fates": "airtcp.channel_samples",
    "plan": "airtcp.planning",
    "reproduce": "airtcp.papers",
    "simulate": "airtcp.simulation",
    "sweep": "airtcp.sweeping",
    "trace": "airtcp.tracing",
}


def __getattr__(name: str) -> Any:
    """Import what is slow to import when it is asked for."""
    if name in ("models", "spec"):
        return import_module(f"airtcp.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'airtcp' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
