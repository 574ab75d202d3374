"""Reproduction of H. ElAarag and M. Bassiouni, "Performance Evaluation of TCP Implementations in
Wireless Networks", University of Central Florida, 2000 [elaarag2000].

Tahoe, Reno, NewReno and SACK from a fixed to a mobile host, over a hop with bit errors, with
disconnections, or both: Tables 1 and 2, the traces of Figs. 2, 3 and 5 to 8, Fig. 4, and every
statement of the text that a simulation can judge. The printed numbers are of one simulation each,
so they are judged by where they lie among single runs, and variants are compared by paired
differences of many runs.
"""

from __future__ import annotations

from airtcp.papers.base import Paper
from airtcp.papers.elaarag import fig4, scenarios, table1, table2, traces
from airtcp.papers.elaarag.study import ElaaragStudy

PAPER = Paper(
    title="Performance Evaluation of TCP Implementations in Wireless Networks",
    summary="Tahoe, Reno, NewReno and SACK on a link with bit errors and disconnections.",
    references=("airtcp", "elaarag2000", "ns2"),
    parts={
        "table1": table1.PART,
        "scenarios": scenarios.PART,
        **{name: figure.part for name, figure in traces.PERIODIC.items()},
        "fig4": fig4.PART,
        **{name: figure.part for name, figure in traces.SCHEDULED.items()},
        "table2": table2.PART,
        "table2-pairs": table2.PAIRS,
    },
    text="Simulated anew: ns as it was, a wired hop of 1.5 Mbit/s and a wireless one of 0.8 Mbit/s"
    " to a mobile host, with exponential error and outage lengths. The paper prints one"
    " simulation per number; here are the distributions of single runs, and differences"
    " between variants on the same losses. Not judged: what other papers are said to have"
    " found, and the proposal to let fast recovery follow a timeout.",
    study=ElaaragStudy,
)
