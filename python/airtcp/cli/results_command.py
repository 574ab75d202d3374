"""The commands `airtcp results` and `airtcp plot`: read a folder, print or draw a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airtcp.cli.results_text import Ranked, Shown, plain_text, rank_text, summary_text
from airtcp.errors import InputError
from airtcp.metrics.labels import better as usually_better
from airtcp.metrics.ratios import unlike_packets
from airtcp.metrics.table import DEFAULT
from airtcp.simulation.results import Results


def results_text(
    results: Results,
    *,
    metrics: Sequence[str] = (),
    by: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    estimate: str = "mean",
    ranked: str | None = None,
    better: str | None = None,
    sql: str | None = None,
    form: str = "table",
) -> str:
    """A summary, a ranking or the answer to a query, as `table`, `json` or `csv`."""
    if sql is not None:
        others = {"--metric": metrics, "--by": by, "--where": where, "--rank": ranked}
        return _answer(results, sql, others, form)
    if ranked is not None:
        if by or len(metrics) > 1 or estimate != "mean":
            raise InputError("--rank: goes with one --metric, without --by and --estimate")
        metric = next(iter(metrics), _usual(results)[0])
        better = usually_better(metric) if better is None else better
        table = results.rank(metric, ranked, better, where=where, confidence=confidence)
        return rank_text(results, Ranked(table, metric, better, confidence), form)
    if better is not None:
        raise InputError("--better: goes with --rank")
    every = _usual(results) if form == "table" else results.metrics
    names = list(dict.fromkeys(metrics)) or every
    table = results.summary(
        names, by=by or None, where=where, confidence=confidence, estimate=estimate
    )
    if not metrics:
        names = [name for name in names if name == every[0] or _known(table, name)]
    averaged = [key for key in results.varying(where) if key not in table] if by else []
    shown = Shown(table, names, not metrics, averaged, confidence, estimate)
    return summary_text(results, shown, form)


def _usual(results: Results) -> list[str]:
    """The metrics of a table, first the one that the sweep was made precise in."""
    usual = list(DEFAULT[results.kind])
    asked = results.manifest.precision
    if results.kind != results.family:  # the precision is one of flows
        return usual
    return usual if asked is None else list(dict.fromkeys([asked["metric"], *usual]))


def _known(table: Any, metric: str) -> bool:
    """Whether a metric has a value anywhere."""
    return bool(table[metric].notna().any())


def _answer(results: Results, sql: str, given: Mapping[str, Any], form: str) -> str:
    """The answer to a query; `given` are options that a query does not go with."""
    for option, value in given.items():
        if value:
            raise InputError(f"{option}: does not go with --sql; write it into the query")
    return plain_text(results.query(sql), form)


def write_plot(
    results: Results,
    out: str,
    x: str,
    y: str,
    *,
    by: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    **look: Any,
) -> str:
    """Draw the metric `y` over `x` into a file; returns what was done.

    `look`: `logx`, `logy` and `estimate` of `airtcp.plot.results.results_figure`. Raises
    `InputError`, and `OSError` if the disk is full.
    """
    from airtcp.export import FIGURES, check_target, opened  # noqa: PLC0415
    from airtcp.plot.results import results_figure  # noqa: PLC0415  (imports Matplotlib)
    from airtcp.plot.sequence import save  # noqa: PLC0415

    target = check_target(out, FIGURES)
    figure = results_figure(results, x, y, by=by, where=where, **look)
    with opened(target) as file:
        save(figure, file, target.suffix.lower())
    drawn = {results.key(one) for one in (x, *by)}
    averaged = [key for key in results.varying(where) if key not in drawn]
    said = f": averaged over {', '.join(averaged)}" if averaged else ""
    return "\n".join([f"{target}{said}", *unlike_packets(results.scenario.points(), [y])])
