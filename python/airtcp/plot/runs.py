"""Figures of a user's run: which coordinate becomes the abscissa, which ones separate curves.

The numeric coordinate with most values is the abscissa, also if it has a unit; where none is, a
coordinate of words has a place for each value, which no line joins. Flows are names. The case gives
the colour, without cases the variant, or the first other coordinate where it does not vary; the
channel gives the dash, or the colour where nothing else does, if there are dashes enough. Whatever
is left has a panel per value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from airtcp.metrics.labels import label_with_unit
from airtcp.metrics.layout import flows_of
from airtcp.metrics.question import kinds_of_flows
from airtcp.metrics.table import DEFAULT_METRICS, metrics_by_kind
from airtcp.plot.marks import FORMULA_PREFIX
from airtcp.plot.style import (
    DASHES,
    DOUBLE_COLUMN,
    PALETTE,
    SINGLE_COLUMN,
    CurveData,
    literal_text,
    panels_figure,
    throughput_figure,
)
from airtcp.scenario.axes import TableAxes, TableAxis
from airtcp.scenario.scenario import CASE
from airtcp.support.units import Quantity, parse_quantity

if TYPE_CHECKING:
    from airtcp.comparison.answer import Answer
    from airtcp.engines.run import RunResult
    from airtcp.scenario.scenario import Scenario

AXIS_LABELS = {
    CASE: "Case",
    "tcp.variant": "TCP variant",
    "tcp.congestion": "Congestion control",
    "tcp.detection": "Loss detection",
    "tcp.reduction": "Reduction of the window",
    "tcp.slow_start": "Slow start",
    "tcp.spurious": "Detection of spurious timeouts",
    "channel.kind": "Channel",
    "tcp.window": "Window (packets)",
    "tcp.dupacks": "Duplicate ACKs that trigger a fast retransmit",
    "tcp.timeout": "Timer (slots)",
    "channel.loss_rate": "Packet loss rate",
    "channel.doppler": "Normalised Doppler shift",
    "channel.fading_margin_db": "Fading margin (dB)",
    "channel.mean_burst": "Mean burst of losses (packets)",
    "ack.delay": "ACK delay (slots)",
    "ack.loss_rate": "ACK loss rate",
    "live.congestion": "Congestion control of the kernel",
    "live.stack": "Whose TCP sends",
}
PATH_LABELS = {
    "rate": "Rate",
    "delay": "One-way delay",
    "gate": "Gate",
    "jitter": "Jitter",
    "queue": "Queue limit",
    "loss_rate": "Packet loss rate",
    "up": "Mean time up",
    "down": "Mean time down",
    "good": "Mean good sojourn",
    "bad": "Mean bad sojourn",
    "packet": "Packet",
    "packets": "Packets to send",
    "flow": "Flow",
}
UNIT_SCALES = {  # unit -> larger and smaller ones, by the least value that they suit
    "bit/s": ((1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "\N{MICRO SIGN}s")),
    "B": ((1.0, "bytes"),),
    "bits": ((1.0, "bits"),),
    "packets": ((1.0, "packets"),),
}
MOST_PANELS = 24
_PANELS_FOR_THREE_COLUMNS = 6  # panels, from which on three stand side by side
_DODGE_WIDTH = (
    0.5  # of the place of a word on the axis: how far the points of its colours stand apart
)
_MOST_TICKS = 24
_AXIS_HEADROOM = 1.05  # of an axis from 0, so that the highest marker is whole
# Keys whose values say enough.
KEYS_SAID_BY_VALUE = (
    *("kind", "variant", "flow", "congestion", "stack", CASE),
    *("queue", "channel", "gate", "jitter"),
)
_TRANSPORTS = ["tcp.variant", "tcp.congestion"]  # what the transport is called, by profile
_DECADE_RATIO = 10.0


FLOW_COLUMN, FLOW_TCP_COLUMN = "flow", "flow_tcp"
_SINGLE_CURVE_NAME = "mean"  # the colour of points that no coordinate tells apart


AnswerPair: TypeAlias = "tuple[Answer | None, Answer | None]"


@dataclass(frozen=True)
class CoordinateRoles:
    """Use of each varying coordinate in a figure, each of one only.

    `x` is "" if nothing numeric varies: `tick_coordinates` then has a place on the axis for each
    value.
    """

    x: str
    colour: tuple[str, ...]
    line: tuple[str, ...]
    panel: tuple[str, ...]
    tick_coordinates: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: pd.DataFrame, coordinates: Sequence[str]) -> CoordinateRoles:
        """Choose from the coordinates of a table of results."""
        varying = [name for name in coordinates if table[name].nunique(dropna=False) > 1]
        numeric = [name for name in varying if name != FLOW_COLUMN and _is_numeric(table[name])]
        if not numeric:
            return cls._of_words(table, varying)
        values = {name: (table[name].nunique(), name.startswith("channel.")) for name in numeric}
        x = max(numeric, key=lambda name: values[name], default="")
        unplaced = [name for name in varying if name != x]
        transport = [name for name in _TRANSPORTS if name in table][:1]
        first = [CASE] if CASE in unplaced else transport
        colour = [name for name in unplaced if name in first]
        channel = [name for name in unplaced if name.startswith("channel.")]
        others = [name for name in unplaced if name not in (*colour, *channel)]
        if not colour and others:
            colour = [others.pop(0)]
        elif not colour:
            colour, channel = channel, []
        if channel and table[channel].drop_duplicates().shape[0] > len(DASHES):
            channel, others = [], channel + others
        return cls(
            x,
            tuple(colour or transport or [name for name in (CASE,) if name in table]),
            tuple(channel),
            tuple(others),
        )

    @classmethod
    def _of_words(cls, table: pd.DataFrame, varying: Sequence[str]) -> CoordinateRoles:
        """Places for the coordinate with most values; of flows only where colours do not suffice.

        Where nothing varies, the transport or the case has the one place.
        """
        transport = [name for name in _TRANSPORTS if name in table][:1]
        constant = [*transport, *(name for name in (CASE,) if name in table)]
        sizes = {name: table[name].nunique(dropna=False) for name in varying}
        few = [name for name in varying if name != FLOW_COLUMN] or varying
        if sizes.get(FLOW_COLUMN, 0) > len(PALETTE):
            few = [FLOW_COLUMN]
        places = [max(few, key=lambda name: sizes[name])] if few else constant[:1]
        unplaced = [name for name in varying if name not in places]
        first = [name for name in (CASE, *transport, FLOW_COLUMN) if name in unplaced] or unplaced
        colour = first[:1] or [name for name in transport if name not in places]
        panel = [name for name in unplaced if name not in colour]
        return cls("", tuple(colour), (), tuple(panel), tuple(places))


def _is_numeric(column: pd.Series[Any]) -> bool:
    values = column.tolist()
    return all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in values
    ) and (bool(np.isfinite(np.asarray(values, dtype=float)).all()))


def run_figure(result: RunResult, quantity: str = "") -> Figure:
    """One quantity of `RunResult.table` over its coordinates, with the values of all engines.

    `quantity` is one of `quantities(result)`, the first of them if it is empty.
    """
    quantity = quantity or next(iter(quantities(result)))
    table, units, roles = _table_with_roles(result)
    drawn = [answer for answer in result.answers if result.has_metric(answer, quantity)]
    unit, scale = result.unit(quantity)
    values = {
        column: column_values / scale
        for answer in drawn
        for column, column_values in _quantity_columns(table, answer, quantity).items()
    }
    formulas = formulas_in_range(result, quantity) if roles.x else pd.DataFrame()
    values |= {name: formulas[name].to_numpy() / scale for name in formulas}
    wide = _drop_repeated_answers(
        table.assign(**values, **_positions(table, roles)), roles, result, drawn
    )
    pairs, lines = _answer_pairs(result, drawn), [str(name) for name in formulas]
    panels = [
        (words_of_values(values, roles.panel, units), _curves(part, roles, units, pairs, lines))
        for values, part in _groups(wide, roles.panel)
    ][:MOST_PANELS]
    look: dict[str, Any] = {
        "xlabel": _xlabel(roles, units, result),
        "ylabel": label_with_unit(quantity, unit),
        "log_x": _spans_a_decade(table, roles.x),
        "y_range": (0.0, 1.0) if quantity == "throughput" else None,
    }
    if len(panels) > 1:
        columns = 3 if len(panels) > _PANELS_FOR_THREE_COLUMNS else 2
        figure = panels_figure(panels, width=DOUBLE_COLUMN, columns=columns, **look)
    else:
        figure = throughput_figure(panels[0][1], width=1.3 * SINGLE_COLUMN, **look)
    if quantity in ("throughput_pps", "goodput_bps", "transfer_time", "delay_median"):
        for axes in figure.axes:
            axes.set_ylim(0.0, max(axes.get_ylim()[1], _AXIS_HEADROOM * axes.dataLim.ymax))
    _ticks(figure, table, roles, units)
    return figure


def _xlabel(roles: CoordinateRoles, units: Mapping[str, str], result: RunResult) -> str:
    """Label of the abscissa, a number or a coordinate of words."""
    name = roles.x or next(iter(roles.tick_coordinates), "")
    folded = {axis.path for axis in TableAxes.from_scenario(result.scenario).axes}
    return axis_name(
        name, units.get(name, ""), hops=count_hops(result.scenario), limit=name not in folded
    )


def formulas_in_range(result: RunResult, quantity: str) -> pd.DataFrame:
    """A column for each formula with values in its range, aligned with the rows of the table."""
    models = next((answer.models for answer in result.answers if answer.models is not None), None)
    if models is None or quantity not in models:
        return pd.DataFrame()
    points = result.scenario.points()
    each = len(models) // len(points)
    places = np.repeat(np.arange(len(points)), [flows_of(point) for point in points])
    formulas_found = {}
    for first, name in enumerate(models["model"][:each]):
        model_rows = models.iloc[first::each]
        known = model_rows[quantity].where(model_rows["within_range"]).to_numpy()[places]
        if np.isfinite(known).any():
            formulas_found[f"{FORMULA_PREFIX}{name}"] = known
    return pd.DataFrame(formulas_found)


def table_and_coordinates(result: RunResult) -> tuple[pd.DataFrame, list[str]]:
    """The table of a run and its coordinates, with one label for each entry of a list of tables."""
    return _fold_axes(result, TableAxes.from_scenario(result.scenario))


def drawn_table(result: RunResult) -> tuple[pd.DataFrame, list[str]]:
    """`table_and_coordinates` for a figure: a key of which all tables give a number keeps it."""
    axes = TableAxes.from_scenario(result.scenario).axes
    return _fold_axes(
        result, TableAxes(tuple(axis for axis in axes if not _has_common_key(axis, result)))
    )


def _has_common_key(axis: TableAxis, result: RunResult) -> bool:
    """True if all tables of an axis give a number of some key, and not the same one."""
    columns = [result.table[key] for key in axis.keys]
    return any(_is_numeric(column) and column.nunique() > 1 for column in columns)


def _fold_axes(result: RunResult, axes: TableAxes) -> tuple[pd.DataFrame, list[str]]:
    return axes.table(result.table), axes.fold_keys(result.scenario.points()[0].coordinates)


def count_hops(scenario: Scenario) -> int:
    """Number of hops of a path; 0 on slots."""
    return len(scenario.points()[0].data.get("path", {}).get("hop", ()))


SIMULATED_COLUMN = "simulated"  # in the place of what some engines do not hear


def _drop_repeated_answers(
    table: pd.DataFrame, roles: CoordinateRoles, result: RunResult, drawn: Sequence[Answer]
) -> pd.DataFrame:
    """The table with each answer once where coordinates vary that its engine does not hear."""
    used = (*roles.colour, *roles.line, *roles.panel)
    deaf: dict[tuple[str, ...], list[Answer]] = {}
    for answer in drawn:
        deaf.setdefault(tuple(result.keys_of_other_engines(answer, used)), []).append(answer)
    if not any(deaf) or not roles.x:
        return table
    parts = [
        _drop_answers(
            _drop_ignored_coordinates(table, roles, unheard),
            [candidate for candidate in drawn if candidate not in answers],
        )
        for unheard, answers in sorted(deaf.items(), key=lambda item: -len(item[0]))
    ]
    return pd.concat(parts, ignore_index=True)


def _drop_ignored_coordinates(
    table: pd.DataFrame, roles: CoordinateRoles, unheard: Sequence[str]
) -> pd.DataFrame:
    """The rows that differ in more than the coordinates `unheard`."""
    if not unheard:
        return table
    used = (roles.x, *roles.colour, *roles.line, *roles.panel)
    distinguishing = [coordinate for coordinate in used if coordinate not in unheard]
    return table.drop_duplicates(distinguishing).assign(**dict.fromkeys(unheard, SIMULATED_COLUMN))


def _drop_answers(table: pd.DataFrame, answers: Sequence[Answer]) -> pd.DataFrame:
    columns = (name for answer in answers for name in _quantity_column_names(answer))
    return table.assign(**dict.fromkeys(columns, np.nan))


def quantities(result: RunResult) -> dict[str, str]:
    """Metrics of a run that can be drawn, with the labels of their axes; the default ones first."""
    family = result.scenario.family
    names = dict.fromkeys((*DEFAULT_METRICS[family], *metrics_by_kind(family)))
    return {
        name: label_with_unit(name, result.unit(name)[0])
        for name in names
        if any(result.has_metric(answer, name) for answer in result.answers)
    }


def _flow_columns(table: pd.DataFrame) -> tuple[str, ...]:
    return (FLOW_COLUMN,) if FLOW_COLUMN in table else ()


def with_flow_names(table: pd.DataFrame, scenario: Scenario) -> pd.DataFrame:
    """The table with a name for each flow: its number, its TCP and its kind where these differ."""
    if FLOW_COLUMN not in table:
        return table
    tcp_names = table[FLOW_TCP_COLUMN] if FLOW_TCP_COLUMN in table else [""] * len(table)
    kinds = kinds_of_flows(scenario.points()[0].data)
    flow_words = [
        [tcp, kinds[flow] if len({*kinds}) > 1 and flow < len(kinds) else ""]
        for flow, tcp in zip(table[FLOW_COLUMN], tcp_names, strict=True)
    ]
    names = [
        ": ".join(filter(None, (f"flow {flow}", ", ".join(filter(None, words)))))
        for flow, words in zip(table[FLOW_COLUMN], flow_words, strict=True)
    ]
    return table.assign(**{FLOW_COLUMN: names})


def parse_quantities(
    table: pd.DataFrame, coordinates: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The table with quantities such as "10ms" as numbers, and their units by coordinate."""
    units: dict[str, str] = {}
    for name in coordinates:
        quantities_found = [parse_quantity(value) for value in table[name]]
        read = [quantity for quantity in quantities_found if quantity is not None]
        if len(read) < len(quantities_found) or len({quantity.unit for quantity in read}) != 1:
            continue
        table, units[name] = _scale_column(table, name, read)
    return table, units


def _scale_column(table: pd.DataFrame, name: str, read: list[Quantity]) -> tuple[pd.DataFrame, str]:
    most = max(float(quantity.number) for quantity in read)
    scales = UNIT_SCALES[read[0].unit]
    factor, unit = next((scale for scale in scales if most >= scale[0]), scales[-1])
    return table.assign(**{name: [float(quantity.number) / factor for quantity in read]}), unit


def axis_name(
    path: str,
    unit: str,
    more: Mapping[str, str] | None = None,
    *,
    hops: int = 2,
    limit: bool = True,
) -> str:
    """Label of an axis for a coordinate; `more`: labels beside the usual ones.

    The hop is named where there are several `hops`; `limit`: a queue is named by its limit alone.
    """
    known = {**AXIS_LABELS, **(more or {})}
    if path in known or not path:
        return known.get(path, path)
    place, _, key = path.rpartition(".")
    hop = re.search(r"hop\[(\d+)\](\.back)?", place)
    if hop is None:
        return f"{PATH_LABELS.get(key, path)}{f' ({unit})' if unit else ''}"
    words = [f"hop {hop[1]}" if hops > 1 else "", "back" if hop[2] else ""]
    where = "".join(f", {clause}" for clause in [" ".join(filter(None, words))] if clause)
    inner = path[hop.end() :].strip(".").replace(".", " ").replace("_", " ").capitalize()
    label = PATH_LABELS.get(key, inner or path) if limit or key != "queue" else "Queue"
    return f"{label}{where}{f' ({unit})' if unit else ''}"


def panel_count(result: RunResult) -> int:
    """Number of panels that a figure would have without the limit of `MOST_PANELS`."""
    table, _, roles = _table_with_roles(result)
    return sum(1 for _ in _groups(table, roles.panel))


def _table_with_roles(result: RunResult) -> tuple[pd.DataFrame, dict[str, str], CoordinateRoles]:
    """Rows with names of flows and coordinates as numbers, units of these, and their roles."""
    table, coordinates = drawn_table(result)
    table, units = parse_quantities(with_flow_names(table, result.scenario), coordinates)
    return table, units, CoordinateRoles.of(table, [*coordinates, *_flow_columns(table)])


def _quantity_column_names(answer: Answer) -> tuple[str, str, str]:
    """Column names of the value of an answer and of its ends, whatever the quantity."""
    value, low, high = (f"{answer.engine} {part}" for part in ("value", "low", "high"))
    return value, low, high


def _quantity_columns(table: pd.DataFrame, answer: Answer, quantity: str) -> dict[str, Any]:
    """The columns of one quantity under common names."""
    columns = [table.get(name, np.nan) for name in answer.column_names(quantity)]
    if (
        not answer.traits.is_drawn_as_line
        and quantity != "throughput"
        and not np.isscalar(columns[1])
    ):
        columns[1] = columns[1].clip(lower=0.0)  # no quantity can be negative
    return dict(zip(_quantity_column_names(answer), columns, strict=True))


def _positions(table: pd.DataFrame, roles: CoordinateRoles) -> dict[str, Any]:
    """The abscissa: a coordinate, or a place for each series if nothing numeric varies."""
    if roles.x:
        return {"x": table[roles.x].astype(float)}
    words = _series_words(table, roles, {})
    return {"x": pd.Categorical(words, categories=list(dict.fromkeys(words))).codes.astype(float)}


def _series_words(
    table: pd.DataFrame, roles: CoordinateRoles, units: Mapping[str, str]
) -> list[str]:
    names = roles.tick_coordinates
    return [
        words_of_values(tuple(row), names, units)
        for row in table[list(names)].itertuples(index=False)
    ]


def _curves(
    table: pd.DataFrame,
    roles: CoordinateRoles,
    units: Mapping[str, str],
    pairs: Sequence[AnswerPair],
    formulas: Sequence[str],
) -> list[CurveData]:
    keys, connected = (*roles.colour, *roles.line), bool(roles.x)
    curves, groups = [], list(_groups(table, keys))
    if not connected:  # what has no value needs no room beside the others
        groups = [group for group in groups if _has_values(group[1], pairs, formulas)] or groups
    for index, (values, rows) in enumerate(groups):
        shift = 0.0 if connected else _DODGE_WIDTH * ((index + 0.5) / len(groups) - 0.5)
        ordered = rows.assign(x=rows["x"] + shift).sort_values("x")
        colour = (
            words_of_values(values[: len(roles.colour)], roles.colour, units) or _SINGLE_CURVE_NAME
        )
        dash = words_of_values(values[len(roles.colour) :], roles.line, units)
        curves += [
            CurveData(
                colour=colour,
                line=", ".join(filter(None, (dash, _line_owner_words(pair, pairs[0])))),
                has_connected_points=connected,
                **_line_values(ordered, pair[0], connected),
                **_point_values(ordered, pair[1]),
            )
            for pair in pairs
            if pair[1] is None or pair[1].traits.is_leading or _has_line(ordered, pair[1])
        ]
        curves += [
            CurveData(
                colour=colour,
                line=", ".join(filter(None, (dash, name))),
                x=ordered["x"],
                y=ordered[name],
            )
            for name in formulas
            if ordered[name].notna().any()
        ]
    return [curve for curve in curves if np.size(curve.x) or np.size(curve.points)] or curves


def _has_values(rows: pd.DataFrame, pairs: Sequence[AnswerPair], formulas: Sequence[str]) -> bool:
    answers = (answer for pair in pairs for answer in pair if answer is not None)
    names = [*(_quantity_column_names(answer)[0] for answer in answers), *formulas]
    return bool(rows[[name for name in names if name in rows]].notna().to_numpy().any())


def _answer_pairs(result: RunResult, drawn: Sequence[Answer]) -> list[AnswerPair]:
    """Pairs of the answers that give a curve its line and its points.

    The first line has the points of the leading answer. On a path, where no model answers, a line
    joins the points.
    """
    lines = [answer for answer in drawn if answer.traits.is_drawn_as_line]
    lead = next((answer for answer in drawn if answer.traits.is_leading), None)
    joined = lead if result.scenario.family == "path" else None
    first = (lines[0] if lines else joined, lead)
    others = [answer for answer in drawn if answer not in (*lines, lead)]
    return [first, *((line, None) for line in lines[1:]), *((answer, answer) for answer in others)]


def _line_owner_words(pair: AnswerPair, first: AnswerPair) -> str:
    """Name the owner of a second line, which has no points: its dash distinguishes it."""
    line, points = pair
    return line.engine if line is not None and points is None and pair is not first else ""


def _has_line(rows: pd.DataFrame, answer: Answer) -> bool:
    return bool(rows[_quantity_column_names(answer)[0]].notna().any())


def _line_values(rows: pd.DataFrame, answer: Answer | None, connected: bool) -> dict[str, Any]:
    """The line of a curve: values of a model within its bounds, or through the points of runs."""
    if answer is None or (not answer.traits.is_drawn_as_line and not connected):
        return {}
    value, low, high = _quantity_column_names(answer)
    known = rows.dropna(subset=[value])
    line_columns: dict[str, Any] = {"x": known["x"], "y": known[value]}
    if (
        answer.traits.is_drawn_as_line
        and connected
        and not known[[low, high]].isna().to_numpy().any()
    ):
        line_columns |= {"lower": known[low], "upper": known[high]}
    return line_columns


def _point_values(rows: pd.DataFrame, answer: Answer | None) -> dict[str, Any]:
    """The points of a curve, with their intervals."""
    if answer is None or answer.traits.marks is None:
        return {}
    value, low, high = _quantity_column_names(answer)
    known = rows.dropna(subset=[value])
    return {
        "marks": answer.traits.marks,
        "points_x": known["x"],
        "points": known[value],
        "points_low": known[low].fillna(known[value]),
        "points_high": known[high].fillna(known[value]),
    }


def _groups(table: pd.DataFrame, names: Sequence[str]) -> Any:
    """(values, rows) in order of appearance; one group of everything if there are no names."""
    if not names:
        return [((), table)]
    return table.groupby(list(names), sort=False, dropna=False)


def words_of_values(values: Sequence[Any], names: Sequence[str], units: Mapping[str, str]) -> str:
    """ "window 6, delay 2 ms": the value alone where its key says nothing new."""
    words = []
    for name, value in zip(names, values, strict=True):
        key = name.rpartition(".")[2].replace("_", " ")
        if value is None or (isinstance(value, float) and np.isnan(value)):
            continue
        if isinstance(value, (bool, np.bool_)):
            words.append(key if value else f"no {key}")
        elif isinstance(value, str):
            words.append(literal_text(value if key in KEYS_SAID_BY_VALUE else f"{value} {key}"))
        else:
            words.append(f"{key} {value:g} {units.get(name, '')}".rstrip())
    return ", ".join(words)


def _spans_a_decade(table: pd.DataFrame, x: str) -> bool:
    if not x:
        return False
    values = table[x].astype(float)
    return bool(values.min() > 0.0 and values.max() / values.min() >= _DECADE_RATIO)


def _ticks(
    figure: Figure, table: pd.DataFrame, roles: CoordinateRoles, units: Mapping[str, str]
) -> None:
    """Name the places of series, where they take the place of numbers."""
    if roles.x:
        return
    words = list(dict.fromkeys(_series_words(table, roles, units)))
    for axes in figure.axes:
        step = -(-len(words) // _MOST_TICKS)
        axes.set_xticks(range(0, len(words), step), words[::step])
        axes.set_xlim(-0.6, len(words) - 0.4)
        if max(map(len, words)) * len(words) > 40:
            axes.tick_params(axis="x", rotation=30)
