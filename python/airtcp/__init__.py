"""A laboratory for TCP over wireless links.

One scenario, several engines that must agree: `analyse` (models), `simulate` (replications with
confidence intervals), `run` (both, side by side), `sweep` (many points into a folder; `plan` says
what it costs). `reproduce` regenerates published results.
"""

from airtcp.support import signals as _signals

if _signals.is_command():
    _signals.end_on_signals()  # before anything that takes time
    from airtcp.support.import_path import leave_working_directory

    leave_working_directory()  # before anything that could come from there

from importlib import import_module
from typing import TYPE_CHECKING, Any

from airtcp._native import __version__
from airtcp.errors import InputError

if TYPE_CHECKING:
    from airtcp import models
    from airtcp.advice.advise import advise
    from airtcp.advice.advised import Advice
    from airtcp.engines.results import results
    from airtcp.engines.run import RunResult, run
    from airtcp.engines.sweeps import sweep
    from airtcp.fitted.fit import fit
    from airtcp.fitted.result import Fit
    from airtcp.links.queues import play_queue
    from airtcp.links.samples import fading, fates
    from airtcp.models.analysis import analyse
    from airtcp.papers import reproduce
    from airtcp.report.citing import cite
    from airtcp.scenario import spec
    from airtcp.scenario.scenario import Point, Scenario
    from airtcp.scenario.two_state import TwoState
    from airtcp.simulation.contests import contest
    from airtcp.simulation.events import Events
    from airtcp.simulation.plans import Plan, plan
    from airtcp.simulation.replications import Interrupted, SimulationResult, simulate
    from airtcp.simulation.results import Results
    from airtcp.simulation.timeseries import TimeSeries, timeseries
    from airtcp.simulation.traces import trace

__all__ = [
    "Advice",
    "Events",
    "Fit",
    "InputError",
    "Interrupted",
    "Plan",
    "Point",
    "Results",
    "RunResult",
    "Scenario",
    "SimulationResult",
    "TimeSeries",
    "TwoState",
    "__version__",
    "advise",
    "analyse",
    "cite",
    "contest",
    "fading",
    "fates",
    "fit",
    "models",
    "plan",
    "play_queue",
    "reproduce",
    "results",
    "run",
    "simulate",
    "spec",
    "sweep",
    "timeseries",
    "trace",
]

_MODULES = {"models": "airtcp.models", "spec": "airtcp.scenario.spec"}
_HOMES = {
    "Advice": "airtcp.advice.advised",
    "Events": "airtcp.simulation.events",
    "Fit": "airtcp.fitted.result",
    "Interrupted": "airtcp.simulation.replications",
    "Plan": "airtcp.simulation.plans",
    "Point": "airtcp.scenario.scenario",
    "Results": "airtcp.simulation.results",
    "RunResult": "airtcp.engines.run",
    "Scenario": "airtcp.scenario.scenario",
    "SimulationResult": "airtcp.simulation.replications",
    "TimeSeries": "airtcp.simulation.timeseries",
    "TwoState": "airtcp.scenario.two_state",
    "advise": "airtcp.advice.advise",
    "analyse": "airtcp.models.analysis",
    "cite": "airtcp.report.citing",
    "contest": "airtcp.simulation.contests",
    "fading": "airtcp.links.samples",
    "fates": "airtcp.links.samples",
    "fit": "airtcp.fitted.fit",
    "plan": "airtcp.simulation.plans",
    "play_queue": "airtcp.links.queues",
    "reproduce": "airtcp.papers",
    "results": "airtcp.engines.results",
    "run": "airtcp.engines.run",
    "simulate": "airtcp.simulation.replications",
    "sweep": "airtcp.engines.sweeps",
    "timeseries": "airtcp.simulation.timeseries",
    "trace": "airtcp.simulation.traces",
}


def __getattr__(name: str) -> Any:
    """Import names that take time to import when somebody asks for them."""
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'airtcp' has no attribute {name!r}")
    public_object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = public_object
    return public_object


def __dir__() -> list[str]:
    return sorted(__all__)
