"""The commands `airtcp results` and `airtcp plot`: read a folder, print or draw a summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airtcp.cli.results_text import Ranked, Shown, plain_text, rank_text, summary_text
from airtcp.errors import InputError
from airtcp.metrics.absent import present_name
from airtcp.metrics.companions import with_companions
from airtcp.metrics.labels import better as usually_better
from airtcp.metrics.live import KEYS
from airtcp.metrics.ratios import unlike_packets
from airtcp.metrics.table import DEFAULT, LIVE
from airtcp.simulation.results import Results
from airtcp.terminal import Printable, lines


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
) -> Printable:
    """A summary, a ranking or the answer to a query, as `table`, `json` or `csv`."""
    if sql is not None:
        others = {"--metric": metrics, "--by": by, "--where": where, "--rank": ranked}
        return _answer(results, sql, others, form)
    metrics = [str(present_name(name)) for name in metrics]
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
    names = with_companions(list(dict.fromkeys(metrics)) or every, results.metrics)
    table = results.summary(
        names, by=by or None, where=where, confidence=confidence, estimate=estimate
    )
    if not metrics:
        names = [name for name in names if name == every[0] or _known(table, name)]
    averaged = [key for key in results.varying(where) if key not in table] if by else []
    shown = Shown(table, names, not metrics, averaged, confidence, estimate)
    text = summary_text(results, shown, form)
    if form == "table" and results.kind == results.family and results.manifest.live_runs:
        return Printable(f"{text}\nDIR has live runs as well: --live shows them.")
    return text


def _usual(results: Results) -> list[str]:
    """The metrics of a table, first the one that the sweep was made precise in."""
    usual = list(DEFAULT[results.kind])
    asked = results.manifest.precision
    if results.kind != results.family:  # the precision is one of flows
        return usual
    return usual if asked is None else list(dict.fromkeys([asked["metric"], *usual]))


def _known(table: Any, metric: str) -> bool:
    """Say that a metric has a value in some row."""
    return bool(table[metric].notna().any())


def _answer(results: Results, sql: str, given: Mapping[str, Any], form: str) -> Printable:
    """The answer to a query; `given` are options that a query does not go with."""
    for option, value in given.items():
        if value:
            raise InputError(f"{option}: does not go with --sql; write it into the query")
    return plain_text(results.query(sql), form)


def drawn_together(
    results: Results, y: str, keys: Iterable[str], x: str
) -> tuple[Results, Results | None]:
    """The results to draw, and live runs of the same folder beside them if both can be drawn.

    Live runs alone where the others have no such `x` or `y`; the others alone where live runs lack
    `x`, `y`, or one of the `keys` that tell series apart and choose points.
    """
    if results.kind != results.family or not results.manifest.live_runs:
        return results, None
    live = results.live
    if y not in live.metrics or not all(map(live.has_key, (x, *keys))):
        return results, None
    is_simulated = y in results.metrics and results.has_key(x)
    return (results, live) if is_simulated else (live, None)


def write_plot(
    results: Results,
    out: str,
    x: str,
    y: str,
    *,
    by: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    together: bool = True,
    **look: Any,
) -> Printable:
    """Draw the metric `y` over `x` into a file; returns what was done.

    `together`: live runs beside simulated ones; `look`: `logx`, `logy` and `estimate` of
    `airtcp.plot.results.results_figure`. Raises `InputError`, and `OSError` if the disk is full.
    """
    from airtcp.export import FIGURES, check_target, write_figure  # noqa: PLC0415
    from airtcp.plot.results import results_figure  # noqa: PLC0415  (imports Matplotlib)

    target = check_target(out, FIGURES)
    live = None
    if together:
        results, live = drawn_together(results, y, (*by, *(where or {})), x)
    figure = results_figure(results, x, y, by=by, where=where, live=live, **look)
    write_figure(lambda: figure, target)
    averaged = _averaged(results, (x, *by), where)
    said = f": averaged over {', '.join(averaged)}" if averaged else ""
    if results.kind == LIVE:
        said = f": live runs{said.replace(':', ',', 1)}"
    if live is not None:
        said = f": simulated and live runs{said.replace(':', ',', 1)}"
        said += _of_live_alone(_averaged(live, (x, *by), where), averaged)
    return lines([f"{target}{said}", *unlike_packets(results.scenario.points(), [y])])


def _averaged(results: Results, drawn: Iterable[str], where: Mapping[str, Any] | None) -> list[str]:
    """The coordinates that vary and are not drawn."""
    keys = {results.key(one) for one in drawn if results.has_key(one)}
    chosen = {key: value for key, value in (where or {}).items() if results.has_key(key)}
    return [key for key in results.varying(chosen, beside=sorted(keys)) if key not in keys]


def _of_live_alone(averaged: Iterable[str], others: Iterable[str]) -> str:
    """Words for keys that only live runs are averaged over; the point itself tells the TCP."""
    more = [key for key in averaged if key not in (*others, *KEYS)]
    return f", live runs also over {', '.join(more)}" if more else ""
