"""Reproduction of A. Chockalingam, M. Zorzi and V. Tralli, "Wireless TCP Performance with Link
Layer FEC/ARQ", Proc. IEEE ICC, 1999 [chockalingam].

Table 1 and Figs. 2 to 8 with every statement of the text, on the two-state Markov chain that the
paper fits to the fading and on the fading itself; and three parts of our own: what the fit hides,
the energy comparison that the paper leaves open, and an advisor's answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from airtcp.papers.base import Paper, Reproduction
from airtcp.papers.chockalingam import advice, bursts, curves, energy, figures, misfit, table1
from airtcp.papers.chockalingam.study import Point, Sizes, Study


def _none(_: Sizes) -> list[Point]:
    return []


def _no_steps(_: Sizes) -> int:
    return 0


@dataclass(frozen=True)
class Part:
    """How to build one part, and what it asks for.

    - `analysed`: points whose P_E and r it needs;
    - `simulated`: points that it simulates on the fading; `chain`: also on the fit;
    - `steps`: of the progress bar, besides those.
    """

    build: Callable[[Study], Reproduction]
    analysed: Callable[[Sizes], list[Point]] = _none
    simulated: Callable[[Sizes], list[Point]] = _none
    chain: bool = True
    steps: Callable[[Sizes], int] = _no_steps


def _over_snr(
    build: Callable[[Study], Reproduction], asked: tuple[curves.Curve, ...], *, chain: bool = True
) -> Part:
    return Part(
        build,
        analysed=lambda sizes: curves.points(asked, sizes.snrs),
        simulated=lambda sizes: curves.simulated_points(asked, sizes),
        chain=chain,
    )


_OVER_SNR = {one.name: _over_snr(one.build, one.curves) for one in figures.FIGURES}
PARTS: dict[str, Part] = {
    "table1": Part(table1.build, analysed=lambda _: table1.points(), steps=table1.steps),
    "fig2": _OVER_SNR["fig2"],
    "fig3": Part(bursts.fig3, steps=bursts.steps),
    "fig4": Part(bursts.fig4, steps=bursts.steps),
    **{name: _OVER_SNR[name] for name in ("fig5", "fig6", "fig7", "fig8")},
    "misfit": Part(
        misfit.build, analysed=misfit.points, simulated=misfit.points, steps=misfit.steps
    ),
    "energy": _over_snr(energy.build, energy.CURVES, chain=False),
    "advice": Part(advice.build, analysed=advice.points, steps=advice.steps),
}


def _prepare(study: Study, names: list[str]) -> None:
    """Integrate the packet errors that the named parts need, and say what is to be simulated."""
    parts, sizes = [PARTS[name] for name in names], study.sizes
    analysed = [point for part in parts for point in part.analysed(sizes)]
    on_fading = {point for part in parts for point in part.simulated(sizes)}
    on_chain = {point for part in parts if part.chain for point in part.simulated(sizes)}
    steps = {part.steps: part.steps(sizes) for part in parts}
    study.expect(float(len(on_fading) + len(on_chain) + sum(steps.values())))
    study.prepare_losses(analysed)


PAPER = Paper(
    title="Wireless TCP Performance with Link Layer FEC/ARQ",
    summary="Tahoe and NewReno over a link layer with codes and retransmissions, on Rayleigh"
    " fading.",
    references=("airtcp", "chockalingam1999", "zorzi2000", "clarke1968", "jakes1974"),
    parts={name: part.build for name, part in PARTS.items()},
    text="Throughput of idealised TCP over a link layer that cuts packets into fragments, codes"
    " them and sends lost ones again, at 1.5 Mbps. The paper simulates on a two-state Markov chain"
    " with the loss rate and the mean run of losses of the fading. Here is the model of that chain,"
    " its simulation, and simulation on the fading itself. The paper prints its figures as"
    " pictures; reference values are those of the settled reading.",
    study=Study,
    prepare=_prepare,
)
