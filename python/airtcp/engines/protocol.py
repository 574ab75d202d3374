"""Interface of every engine, and the request that engines get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from airtcp.support.earlier_names import earlier_attributes

if TYPE_CHECKING:
    from airtcp.campaign.loop import Rule, RunFormat
    from airtcp.campaign.store import Store
    from airtcp.comparison.answer import Answer
    from airtcp.scenario.scenario import Point
    from airtcp.simulation.replications import SimulationRequest


@earlier_attributes(by="answered_by")
class Coverage(NamedTuple):
    """An engine answers for a point; `answered_by`: the model, the simulator, or whose TCP."""

    answered_by: str


@earlier_attributes(asked="simulation_request", alone="is_alone")
@dataclass(frozen=True)
class EngineRequest:
    """A request to the engines.

    - `simulation_request`: the scenario, how many runs, from which seed, on how many threads;
    - `stack`, `live_jobs`: as in `airtcp.run`;
    - `is_alone`: true if one engine only is asked.
    """

    simulation_request: SimulationRequest
    stack: str = "auto"
    live_jobs: int | None = None
    is_alone: bool = False


class Engine(Protocol):
    """Answers the points of one scenario. Made of an `EngineRequest`, it refuses what it cannot do.

    An engine that measures runs describes them in a subclass of `RunStorage`: folders, commands and
    results go by that. An engine may also say in a class variable `traits` what tables, reports and
    figures must know of it (`EngineTraits`), and in `options` which ones of `airtcp.run` it alone
    acts on.
    """

    families: ClassVar[tuple[str, ...]]  # of scenarios: "slot", "path"
    # Form in which a results folder keeps the runs of the engine; None if it makes none.
    run_format: ClassVar[RunFormat | None]

    def __init__(self, order: EngineRequest) -> None:
        """Make the engine for the scenario of the request `order`."""

    @property
    def name(self) -> str:
        """Name as users write it."""

    def coverage(self, point: Point) -> Coverage | str:
        """Model or program by which the engine answers for a point, or why it does not."""

    def runs_needed(self, point: Point, rule: Rule) -> int:
        """Number of runs that the engine needs for a point, as far as known before they begin."""

    def announcement(self) -> str:
        """Line on the part of the work that will take long; empty if none will."""

    def answer(self, store: Store, *, progress: bool) -> Answer:
        """Answer all points; the runs of the engine are in the store then.

        Raises `InputError`, and on Ctrl-C `Interrupted`, whose `answer` holds the results so far.
        """
