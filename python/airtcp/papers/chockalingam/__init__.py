"""Reproduction of A. Chockalingam, M. Zorzi and V. Tralli, "Wireless TCP Performance with Link
Layer FEC/ARQ", Proc. IEEE ICC, 1999 [chockalingam].

Table 1 and Figs. 2 to 8 with every statement of the text, on the two-state Markov chain that the
paper fits to the fading and on the fading itself; and three parts of our own: effects that the fit
hides, the energy comparison that the paper leaves open, and an advisor's answer.
"""

from __future__ import annotations

from airtcp.papers.base import Paper
from airtcp.papers.chockalingam import advice, bursts, energy, figures, misfit, table1
from airtcp.papers.chockalingam.study import ChockalingamStudy

_FIGURES = {figure.name: figure.part for figure in figures.FIGURES}
PAPER = Paper(
    title="Wireless TCP Performance with Link Layer FEC/ARQ",
    summary="Tahoe and NewReno over a link layer with codes and retransmissions, on Rayleigh"
    " fading.",
    references=("airtcp", "chockalingam1999", "zorzi2000", "clarke1968", "jakes1974"),
    parts={
        "table1": table1.PART,
        "fig2": _FIGURES["fig2"],
        "fig3": bursts.FIG3,
        "fig4": bursts.FIG4,
        **{name: _FIGURES[name] for name in ("fig5", "fig6", "fig7", "fig8")},
        "misfit": misfit.PART,
        "energy": energy.PART,
        "advice": advice.PART,
    },
    text="Throughput of idealised TCP over a link layer that cuts packets into fragments, codes"
    " them and sends lost ones again, at 1.5 Mbit/s. The paper simulates on a two-state Markov"
    " chain with the loss rate and the mean run of losses of the fading. Here is the model of that"
    " chain, its simulation, and simulation on the fading itself. The paper prints its figures as"
    " pictures; reference values are those of a second computation"
    " (docs/papers/chockalingam.md, sections 10 and 11).",
    study=ChockalingamStudy,
)
