"""Reproduction of H. ElAarag and M. Bassiouni, "Performance Evaluation of TCP Implementations in
Wireless Networks", University of Central Florida, 2000 [elaarag2000].

Tahoe, Reno, NewReno and SACK from a fixed to a mobile host, over a hop with bit errors, with
disconnections, or both: Tables 1 and 2, the traces of Figs. 2, 3 and 5 to 8, Fig. 4, and every
statement of the text that a simulation can judge. The printed numbers are of one simulation each,
so they are judged by where they lie among single runs, and variants are compared by paired
differences of many runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from airtcp.papers.base import Paper, Reproduction
from airtcp.papers.elaarag import fig4, scenarios, table1, table2, traces
from airtcp.papers.elaarag.study import Study


@dataclass(frozen=True)
class Part:
    """How to build one part, the experiments it asks for, and what else advances the bar."""

    build: Callable[[Study], Reproduction]
    experiments: tuple[str, ...] = ()
    extra: float = 0.0


PARTS: dict[str, Part] = {
    "table1": Part(table1.build, table1.EXPERIMENTS, 1.0),
    "scenarios": Part(scenarios.build, scenarios.EXPERIMENTS),
    **{name: Part(one.build) for name, one in traces.PERIODIC.items()},
    "fig4": Part(fig4.build, fig4.EXPERIMENTS, 1.0),
    **{
        name: Part(one.build, extra=1.0 if name == "fig5" else 0.0)
        for name, one in traces.SCHEDULED.items()
    },
    "table2": Part(table2.build, table2.EXPERIMENTS),
    "table2-pairs": Part(table2.build_pairs, table2.EXPERIMENTS),
}


def _prepare(study: Study, names: list[str]) -> None:
    """Say what the named parts will ask for, each experiment once."""
    parts = [PARTS[name] for name in names]
    study.expect_experiments(name for part in parts for name in part.experiments)
    study.expect(sum(part.extra for part in parts))


PAPER = Paper(
    title="Performance Evaluation of TCP Implementations in Wireless Networks",
    summary="Tahoe, Reno, NewReno and SACK on a link with bit errors and disconnections.",
    references=("airtcp", "elaarag2000", "ns2"),
    parts={name: part.build for name, part in PARTS.items()},
    text="Simulated anew: ns as it was, a wired hop of 1.5 Mbps and a wireless one of 0.8 Mbps to a"
    " mobile host, with exponential error and outage lengths. The paper prints one simulation per"
    " number; here are the distributions of single runs, and differences between variants on the"
    " same losses. Not judged: what other papers are said to have found, and the proposal to let"
    " fast recovery follow a timeout.",
    study=Study,
    prepare=_prepare,
)
