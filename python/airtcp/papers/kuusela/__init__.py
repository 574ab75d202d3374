"""Reproduction of P. Kuusela and P. Lassila, "Modeling the Impact of Delay Spikes on TCP
Performance on a Low Bandwidth GPRS Wireless Link", Helsinki University of Technology, 2004
[kuusela2004].

Figs. 3 to 5 with every statement of the text that they can judge, and two figures of our own: what
F-RTO and Eifel win back, and the renewal model with a capacity that allows for losses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from airtcp.papers.base import Paper, Reproduction
from airtcp.papers.kuusela import cures, goodput, laws, losses
from airtcp.papers.kuusela.study import RATES, SPIKES, Study


@dataclass(frozen=True)
class Part:
    """How to build one part, and which experiments it asks for."""

    build: Callable[[Study], Reproduction]
    experiments: frozenset[str] = frozenset()


def _goodput(kind: str, figure: str) -> frozenset[str]:
    return frozenset(f"{kind} {figure} {rate}" for rate in RATES)


_LOSSY = {figure: _goodput("with losses", figure) for figure in SPIKES}
PARTS: dict[str, Part] = {
    "fig3": Part(goodput.fig3, _goodput("without loss", "fig3") | _LOSSY["fig3"]),
    "fig4": Part(goodput.fig4, _goodput("without loss", "fig4") | _LOSSY["fig4"]),
    "fig5": Part(laws.build),
    "cures": Part(cures.build, frozenset(f"cures {number}" for number in range(int(cures.COST)))),
    "losses": Part(losses.build, _LOSSY["fig3"] | _LOSSY["fig4"]),
}


def _prepare(study: Study, names: list[str]) -> None:
    """Say what the named parts will ask for, each experiment once."""
    study.expect(float(len(frozenset().union(*(PARTS[name].experiments for name in names)))))


PAPER = Paper(
    title="Modeling the Impact of Delay Spikes on TCP Performance on a Low Bandwidth GPRS Wireless"
    " Link",
    summary="Goodput of SACK on a slow link that holds its packets for seconds at a time.",
    references=("airtcp", "kuusela2004", "ns2"),
    parts={name: part.build for name, part in PARTS.items()},
    text="Goodput of one TCP SACK over a link of 40 or 100 kbit/s that holds all packets for"
    " seconds at a time: the renewal model and the P-model against simulations, with and without"
    " losses."
    " The paper prints its results as pictures; reference values are those of independent ns-2"
    " runs that came with the settled reading.",
    study=Study,
    prepare=_prepare,
)
