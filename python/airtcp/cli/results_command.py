"""The commands `airtcp results` and `airtcp plot`: read a folder, print or draw a summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airtcp.cli.results_text import (
    ShownRanking,
    ShownSummary,
    calls_text,
    plain_text,
    rank_text,
    summary_text,
)
from airtcp.errors import InputError
from airtcp.metrics.absent import present_name
from airtcp.metrics.companions import with_companions
from airtcp.metrics.labels import better_direction as usually_better
from airtcp.metrics.question import CALL_METRICS, has_calls
from airtcp.metrics.ratios import means_of_ratios_note, packet_length_warning
from airtcp.simulation.results import Results
from airtcp.terminal import Printable, printable_lines


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
        return _query_answer(results, sql, others, form)
    metrics = [str(present_name(name)) for name in metrics]
    if ranked is not None:
        if by or len(metrics) > 1 or estimate != "mean":
            raise InputError(
                "--rank: needs a single --metric, and cannot be combined with --by or --estimate"
            )
        metric = next(iter(metrics), _metric_made_precise(results) or results.main_metric)
        better = usually_better(metric) if better is None else better
        table = results.rank(metric, ranked, better, where=where, confidence=confidence)
        return rank_text(results, ShownRanking(table, metric, better, confidence), form)
    if better is not None:
        raise InputError("--better: needs --rank")
    default_names = _default_metrics(results) if form == "table" else results.metrics
    names = with_companions(list(dict.fromkeys(metrics)) or default_names, results.metrics)
    table = results.summary(
        names, by=by or None, where=where, confidence=confidence, estimate=estimate
    )
    if not metrics:
        names = [name for name in names if name == default_names[0] or _has_value(table, name)]
    averaged = [key for key in results.varying(where) if key not in table] if by else []
    shown = ShownSummary(table, names, not metrics, averaged, confidence, estimate)
    text = summary_text(results, shown, form)
    if form != "table":
        return text
    more = [
        f"DIR has {name} runs as well: --engine {name} shows them."
        for name in _other_engines(results)
    ]
    calls = [] if metrics else _call_lines(results, by, where, confidence, estimate)
    return Printable("\n".join([text, *calls, *more]))


def _call_lines(
    results: Results,
    by: Sequence[str],
    where: Mapping[str, Any] | None,
    confidence: float,
    estimate: str,
) -> list[str]:
    """A table of the opinions of calls below that of flows, where calls were counted."""
    points = [point.data for point in results.scenario.points()]
    if results.kind != results.family or results.is_measured or not has_calls(points):
        return []
    if not results.manifest.links:
        return ["The quality of calls was not recorded: sweep again with --links."]
    calls = results.traffic
    if not all(map(calls.has_key, [*by, *(where or {})])):
        return []
    names = [*CALL_METRICS, "lost_share"]
    table = calls.summary(
        names, by=by or None, where=where, confidence=confidence, estimate=estimate
    )
    shown = ShownSummary(table, names, True, [], confidence, estimate)
    return ["", "Calls and other cross-traffic:", *calls_text(calls, shown)]


def _other_engines(results: Results) -> list[str]:
    """The engines whose runs the folder has beside the simulated ones that are shown."""
    measured = results.manifest.measured if results.kind == results.family else {}
    return [name for name in results.measuring if measured.get(name)]


def _default_metrics(results: Results) -> list[str]:
    """The metrics of a table, first the one that the sweep was made precise in."""
    precise = _metric_made_precise(results)
    return list(dict.fromkeys([*([precise] if precise else []), *results.usual_metrics]))


def _metric_made_precise(results: Results) -> str:
    """The metric that the sweep was made precise in, if that is one of these rows."""
    asked = results.manifest.precision
    return str(asked["metric"]) if asked and results.kind == results.family else ""


def _has_value(table: Any, metric: str) -> bool:
    """True if a metric has a value in some row."""
    return bool(table[metric].notna().any())


def _query_answer(results: Results, sql: str, given: Mapping[str, Any], form: str) -> Printable:
    """The answer to a query; `given` are options that a query does not go with."""
    for option, value in given.items():
        if value:
            raise InputError(f"{option}: cannot be combined with --sql; write it into the query")
    return plain_text(results.query(sql), form)


def results_to_draw(results: Results, y: str, keys: Iterable[str], x: str) -> list[Results]:
    """The results to draw, and runs of other engines in the same folder that can stand beside them.

    These alone where the simulation has no such `x` or `y`. An engine is left out if its runs lack
    `x`, `y`, or one of the `keys` that separate series and choose points.
    """
    others = [results.of(name) for name in _other_engines(results)]
    named = (x, *keys)
    beside = [
        engine_results
        for engine_results in others
        if y in engine_results.metrics and all(map(engine_results.has_key, named))
    ]
    is_simulated = y in results.metrics and results.has_key(x)
    return [results, *beside] if is_simulated or not beside else beside


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

    `together`: runs of other engines beside simulated ones; `look`: `logx`, `logy`, `estimate`
    and the words of `airtcp.plot.results.results_figure`. Raises `InputError`, and `OSError` if the
    disk is full.
    """
    from airtcp.export import FIGURES, check_target, write_figure  # noqa: PLC0415
    from airtcp.plot.results import results_figure  # noqa: PLC0415  (imports Matplotlib)
    from airtcp.plot.tradeoff import is_tradeoff, tradeoff_figure  # noqa: PLC0415

    target = check_target(out, FIGURES)
    if is_tradeoff(results, x):
        chart = tradeoff_figure(results, x, y, by=by, where=where, **look)
        write_figure(lambda: chart, target)
        averaged = [key for key in results.varying(where) if key not in results.keys(by)]
        after = f": averaged over {', '.join(averaged)}" if by and averaged else ""
        return printable_lines(
            [f"{target}{after}", *packet_length_warning(results.scenario.points(), [x, y])]
        )
    drawn = results_to_draw(results, y, (*by, *(where or {})), x) if together else [results]
    first, *beside = drawn
    figure = results_figure(first, x, y, by=by, where=where, beside=beside, **look)
    write_figure(lambda: figure, target)
    averaged = _averaged_coordinates(first, (x, *by), where)
    notes = [_drawn_runs_words(drawn)] if beside or first.is_measured else []
    notes += [f"averaged over {', '.join(averaged)}"] if averaged else []
    notes += filter(
        None,
        (
            _words_on_engine_keys(engine_results, (x, *by), where, averaged)
            for engine_results in beside
        ),
    )
    after = f": {', '.join(notes)}" if notes else ""
    measured = [shown_results.kind for shown_results in drawn if shown_results.is_measured]
    kinds = means_of_ratios_note(measured[0], [y]) if measured else []
    return printable_lines(
        [f"{target}{after}", *packet_length_warning(results.scenario.points(), [y]), *kinds]
    )


def _drawn_runs_words(drawn: Sequence[Results]) -> str:
    *first, last = (shown_results.marks.noun for shown_results in drawn)
    return f"{', '.join(first)} and {last} runs" if first else f"{last} runs"


def _averaged_coordinates(
    results: Results, drawn: Iterable[str], where: Mapping[str, Any] | None
) -> list[str]:
    """The coordinates that vary and are not drawn."""
    from airtcp.plot.results import coordinates_drawn  # noqa: PLC0415  (imports Matplotlib)

    keys = coordinates_drawn(results, drawn)
    chosen = {key: value for key, value in (where or {}).items() if results.has_key(key)}
    return [key for key in results.varying(chosen, beside=sorted(keys)) if key not in keys]


def _words_on_engine_keys(
    results: Results, drawn: Iterable[str], where: Mapping[str, Any] | None, others: Iterable[str]
) -> str:
    """Words for keys that only the runs of one engine are averaged over.

    Columns that the engine adds to its runs do not count: they follow from the point.
    """
    averaged = _averaged_coordinates(results, drawn, where)
    more = [key for key in averaged if key not in (*others, *results.noted)]
    return f"{results.marks.noun} runs also over {', '.join(more)}" if more else ""
