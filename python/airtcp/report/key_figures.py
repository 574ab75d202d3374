"""The key figures of a run: what somebody wants to know first, each computed from its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from airtcp.comparison.calls import OPINION_METRIC, mark_calls
from airtcp.comparison.verdicts import relative_difference_text
from airtcp.errors import count
from airtcp.metrics.labels import unit_of
from airtcp.metrics.question import FLOW_KIND_WORDS, FLOWS_WITH_METRICS, kinds_of_flows
from airtcp.report.messages import KeyFigure, MeanSpread, runs_in_words, sentence_subject
from airtcp.report.run_tables import spread_of
from airtcp.scenario.axes import TableAxes

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult


def key_figures(result: RunResult, coordinates: Sequence[str]) -> list[KeyFigure]:
    """The metrics in question at their ends, whether the engines agree, what was computed."""
    spreads = {metric: spread_of(result, metric, coordinates) for metric in _main_metrics(result)}
    ends = [
        figure
        for metric, spread in spreads.items()
        if spread is not None
        for whose, part in comparable_parts(result, metric, spread)
        for figure in _extreme_figures(metric, part, whose)
    ]
    calls = _call_figures(result, coordinates)
    return [
        *calls,
        *ends,
        *_agreement_figures(result),
        *_model_figures(result),
        *_size_figures(result),
    ]


_WAIT_METRIC = "delay_median"
_MOST_REQUESTED_METRICS = 2  # of the metrics in question
_MOST_METRICS = 3  # metrics with figures of their own


def _main_metrics(result: RunResult) -> list[str]:
    """The metrics asked for; else, where packets queue, the delay before the usual one."""
    if result.metrics:
        return [*result.metrics[:_MOST_METRICS]]
    paths = (point.data.get("path", {}) for point in result.scenario.points())
    hops = (hop for path in paths for hop in path.get("hop", ()))
    queues = any("queue" in place for hop in hops for place in (hop, hop.get("back", {})))
    asked = [
        name
        for name in result.workload_metrics
        if result.leading_answer and result.has_metric(result.leading_answer, name)
    ]
    return [
        *asked[:_MOST_REQUESTED_METRICS],
        *((_WAIT_METRIC,) if queues else ()),
        result.main_metric,
    ]


def comparable_parts(
    result: RunResult, metric: str, spread: MeanSpread, *, every: bool = False
) -> Iterator[tuple[str, MeanSpread]]:
    """The rows of flows that carry the same, which alone can be compared, and whose they are.

    Where some flows answer the question of the scenario, the usual metrics are told of the others,
    unless `every` kind is asked for.
    """
    kinds = [kind for p in result.scenario.points() for kind in kinds_of_flows(p.data)]
    apart = list(dict.fromkeys(kinds))
    if "flow" not in result.table or len(apart) < 2 or len(kinds) != len(spread.mean):
        yield "", spread
        return
    usual = not every and metric not in (*result.workload_metrics, *result.metrics)
    asked_kinds = (
        [kind for kind in apart if kind not in FLOWS_WITH_METRICS]
        if usual and result.workload_metrics
        else apart
    )
    for kind_of_flow in asked_kinds or apart:
        part = spread.part([kind == kind_of_flow for kind in kinds])
        if part.has_values:
            yield (
                (
                    ""
                    if metric in result.workload_metrics
                    else f" of {FLOW_KIND_WORDS[kind_of_flow]}"
                ),
                part,
            )


def _call_figures(result: RunResult, coordinates: Sequence[str]) -> Iterator[KeyFigure]:
    """The opinion of the calls among the cross-traffic, the best and the worst."""
    if result.metrics or "traffic" not in result.records:
        return
    table = TableAxes.from_scenario(result.scenario).table(result.records["traffic"])
    table = table[mark_calls(result)].reset_index(drop=True)
    if OPINION_METRIC not in table or not table[OPINION_METRIC].notna().any():
        return
    names = (OPINION_METRIC, f"{OPINION_METRIC}_low", f"{OPINION_METRIC}_high")
    keys = [key for key in (*coordinates, "source") if table[key].nunique(dropna=False) > 1]
    spread = MeanSpread.from_table(table, names, keys, ("", 1.0))
    if len(table) == 1:
        yield KeyFigure("The call", f"MOS {spread.value(0)}", "mean opinion score", "cross-traffic")
        return
    for word, highest in (("Best call", True), ("Worst call", False)):
        end = spread.extreme(highest)
        detail = f"{end.place}; {end.words_on_others}" if end.words_on_others else end.place
        yield KeyFigure(word, f"MOS {end.value}", detail, "cross-traffic")


def _extreme_figures(metric: str, spread: MeanSpread, whose: str) -> Iterator[KeyFigure]:
    """The highest and the lowest value; `whose`: " of bulk flows", where there are others."""
    name = f"{sentence_subject(metric).lower()}{whose}"
    unit = "" if spread.unit else unit_of(metric)
    if len(spread.mean) == 1:
        yield KeyFigure(
            f"{sentence_subject(metric)}{whose}",
            f"{spread.value(0)} {unit}".strip(),
            spread.places[0],
        )
        return
    for word, highest in (("Highest", True), ("Lowest", False)):
        end = spread.extreme(highest)
        detail = f"{end.place}; {end.words_on_others}" if end.words_on_others else end.place
        yield KeyFigure(f"{word} {name}", f"{end.value} {unit}".strip(), detail)


def _agreement_figures(result: RunResult) -> Iterator[KeyFigure]:
    """Agreement of each pair of engines that have the main metric in common."""
    verdicts = result.joint_verdicts
    for row in verdicts[verdicts["metric"] == result.main_metric].to_dict("records"):
        pair = (row["engine_a"], row["engine_b"])
        points = row["agree"] + row["differ"] + row["undecided"]
        other_counts = [f"{row[name]} {name}" for name in ("differ", "undecided") if row[name]]
        detail = (
            f"{sentence_subject(row['metric']).lower()}, mean difference"
            f" {relative_difference_text(row['difference'])}"
        )
        yield KeyFigure(
            f"{pair[0].capitalize()} and {pair[1]} agree",
            f"at {row['agree']} of {count(points, 'point')}",
            "; ".join([detail, *other_counts]),
            "agreement",
        )


def _model_figures(result: RunResult) -> Iterator[KeyFigure]:
    """The model within its range that is nearest to the simulation on average."""
    models = result.models
    if not len(models) or not models["error_percent"].notna().any():
        return
    inside = models[models["within_range"].astype(bool) & models["error_percent"].notna()]
    if inside.empty:
        return
    errors = inside.assign(error=inside["error_percent"].abs()).groupby("model")["error"]
    nearest = errors.mean().idxmin()
    points = int(errors.count()[nearest])
    value = f"{nearest}, {errors.mean()[nearest]:.2g} % off"
    yield KeyFigure(
        "Nearest model", value, f"mean error at the {count(points, 'point')} in its range", "models"
    )


def _size_figures(result: RunResult) -> Iterator[KeyFigure]:
    points = count(len(result.scenario), "point")
    lead = result.leading_answer
    if lead is None or lead.traits.marks is None:
        yield KeyFigure("Computed", points, " and ".join(result.engines), "scenario")
        return
    seed = lead.run_metadata(result.main_metric).seed
    detail = f"{points}, {runs_in_words(lead.runs)}, seed {seed}"
    done = lead.traits.marks.noun.capitalize()
    yield KeyFigure(done, count(sum(lead.runs), "run"), detail, "scenario")
