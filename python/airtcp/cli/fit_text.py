"""Text that `airtcp fit` prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from airtcp.cli.fit_facts_text import facts_text
from airtcp.cli.text import grid, page, to_json
from airtcp.terminal import Printable

if TYPE_CHECKING:
    from airtcp.fitted.result import Fit
    from airtcp.fitted.tcp_beside import Beside
    from airtcp.fitting.losses import LossFit
    from airtcp.measured.facts import Facts

WIDTH = 80
_TOLD = {
    "alike": "as over the record",
    "different": "otherwise",
    "undecided": "cannot be told",
    "too few losses": "too few losses to judge",
}


def facts_page(found: Sequence[Facts], form: str) -> Printable:
    """What files hold."""
    if form == "json":
        return to_json([one.json() for one in found])
    return page(facts_text(found))


def fit_text(found: Fit, form: str, out: str | None) -> Printable:
    """Models, TCP over them, and where the scenario is; as JSON the facts too."""
    if form == "json":
        return to_json(found.json())
    parts = found.parts
    lines: list[Any] = []
    for title, one in (("Outages", parts.outages), ("Delays", parts.delays)):
        if one is not None:
            lines += ["", *_paragraph(f"{title}: {one.why}")]
    if parts.losses is not None:
        lines += ["", *_losses(parts.losses, parts.channel)]
    if parts.beside:
        lines += ["", *_beside(parts.beside)]
    for remark in parts.remarks:
        lines += ["", *_paragraph(f"Note: {remark}.")]
    lines.append("")
    if out is None:
        lines.append("-o LINK.toml writes a scenario with this link, ready for airtcp run.")
    else:
        lines += [f"{out} has the scenario: airtcp run {out}"]
    return page(lines)


def _losses(losses: LossFit, channel: str) -> Iterator[Any]:
    rows = []
    for one in losses.models:
        gain = f"{1000.0 * one.gain:.3g} ± {1000.0 * one.gain_se:.2g}" if one.clock else "-"
        mark = "*" if one.label == channel else ""
        rows.append(
            [one.name + mark, one.clock or "", f"{one.chain.loss_rate:.3g}", gain, _p(one.p_value)]
        )
    heads = ["losses", "clock", "loss rate", "gain per\n1000 packets", "p of\nthe fit"]
    yield grid(heads, rows, numbers=3)
    chosen = next((one for one in losses.models if one.label == channel), losses.chosen)
    for parameter in chosen.parameters:
        span = (
            f", {parameter.low:.4g} to {parameter.high:.4g}"
            if parameter.low is not None and parameter.high is not None
            else f" ({parameter.said})"
        )
        yield f"* {parameter.name} = {parameter.value:.4g}{span}"
    yield from _paragraph(f"{losses.why}.")
    yield from _paragraph(
        "Gain: log-likelihood of packets left out of the fit above that of independent losses,"
        " ± one standard error. A fit with p below 0.05 is rejected."
    )


def _p(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2g}"


def _beside(beside: Sequence[Beside]) -> Iterator[Any]:
    rows = [
        [
            one.tcp,
            one.model,
            f"{one.over_record.mean() / 1e6:.3g}",
            f"{one.over_model.mean() / 1e6:.3g}",
            f"{one.ratio:.3f} ± {max(one.high - one.ratio, one.ratio - one.low):.2g}",
            _TOLD[one.verdict],
        ]
        for one in beside
    ]
    heads = ["TCP", "over", "record\nMbit/s", "model\nMbit/s", "ratio", "TCP does"]
    yield grid(heads, rows)
    yield from _paragraph(
        f"{len(beside[0].over_record)} runs or more of each, the record from a random start."
        " Within 10 % counts as alike."
    )


def _paragraph(text: str) -> list[str]:
    return wrap(text, WIDTH)
