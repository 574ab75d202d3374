"""Reproduction of P. Kuusela and P. Lassila, "Modeling the Impact of Delay Spikes on TCP
Performance on a Low Bandwidth GPRS Wireless Link", Helsinki University of Technology, 2004
[kuusela2004].

Figs. 3 to 5 with every statement of the text that they can judge, and two figures of our own: the
gain by F-RTO and Eifel, and the renewal model with a capacity that allows for losses.
"""

from __future__ import annotations

from airtcp.papers.base import Paper
from airtcp.papers.kuusela import cures, distributions, goodput, losses
from airtcp.papers.kuusela.study import KuuselaStudy

PAPER = Paper(
    title="Modeling the Impact of Delay Spikes on TCP Performance on a Low Bandwidth GPRS Wireless"
    " Link",
    summary="Goodput of SACK on a slow link that holds its packets for seconds at a time.",
    references=("airtcp", "kuusela2004", "ns2"),
    parts={
        "fig3": goodput.FIG3,
        "fig4": goodput.FIG4,
        "fig5": distributions.PART,
        "cures": cures.PART,
        "losses": losses.PART,
    },
    text="Goodput of one TCP SACK over a link of 40 or 100 kbit/s that holds all packets for"
    " seconds at a time: the renewal model and the P-model against simulations, with and without"
    " losses."
    " The paper prints its results as pictures; reference values are those of a second"
    " derivation and of independent ns-2 runs (docs/papers/kuusela.md, section 10).",
    study=KuuselaStudy,
)
