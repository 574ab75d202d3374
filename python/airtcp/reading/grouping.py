"""Groups of rows of results: the keys of `by` and `where`, and the runs that belong together.

A group pools points. The runs of one replication share their random numbers over all points, so
that the independent values of a group are its replications (and batches): each is the mean over
the points and flows that are pooled. Replications that not all of them have are left out. A point
in which nothing is random has one run, which stands for each replication of the others.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas
from numpy.typing import NDArray

from airtcp.errors import InputError, quote_value, refusal, unknown_name
from airtcp.reading.numbered import TABLE_NAMES, points_that_differ
from airtcp.reading.rows import Floats, Ints, RowKeys
from airtcp.scenario.axes import TableAxis
from airtcp.scenario.renamed import present_key
from airtcp.support.units import parse_quantity

FLOW_KEY, FLOW_TCP_KEY, SOURCE_KEY = "flow", "flow_tcp", "source"
_MOST_LISTED_VALUES = 12  # values in a message


def keys_of(runs: RowKeys) -> list[str]:
    """The keys that identify a row of a replication: coordinates, and the flow if there is one."""
    names = [str(name) for name in runs.points.columns]
    return [*names, FLOW_KEY] if runs.flow.any() else names


def named_keys(runs: RowKeys) -> list[str]:
    """The names that `by` and `where` take: also the TCP of flows, where these differ in it."""
    return [*keys_of(runs), *([FLOW_TCP_KEY] if _has_several_tcps(runs) else [])]


def values_of(runs: RowKeys) -> dict[str, list[str]]:
    """The values of the keys that `by` and `where` take, as texts; none of flows."""
    values_of_key = {
        str(name): list(dict.fromkeys(runs.points[name])) for name in runs.points.columns
    }
    texts = {name: list(map(coordinate_text, values)) for name, values in values_of_key.items()}
    return {name: texts.get(name, []) for name in named_keys(runs)}


def _has_several_tcps(runs: RowKeys) -> bool:
    return bool(runs.flow.any()) and any(point.tcps for point in runs.numbered or ())


def tcp_words_of_rows(runs: RowKeys) -> NDArray[np.object_]:
    """For each row, the keys and values that distinguish the TCP of its flow."""
    one_per_flow = [
        [point.tcp(flow) for flow in range(len(point.tables))] for point in runs.numbered or ()
    ]
    first = np.cumsum([0, *map(len, one_per_flow)])
    names_of_flows = np.array([name for names in one_per_flow for name in names], dtype=object)
    return names_of_flows[first[runs.point] + runs.flow]


def repeats_other_keys(runs: RowKeys, key: str, others: Iterable[str]) -> bool:
    """True if a key that an engine adds to its runs only repeats other keys."""
    named = [name for name in others if name in runs.points]
    if key not in runs.engine_keys or key not in runs.points or not named or key in named:
        return False
    return bool((runs.points.groupby(named, dropna=False)[key].nunique(dropna=False) == 1).all())


def varying_keys(runs: RowKeys, where: Mapping[str, Any] | None = None) -> list[str]:
    """The keys that have more than one value, in what `where` leaves."""
    is_selected = mask_of_selected(runs, where)
    flows, points = (
        (runs.flow, runs.point)
        if is_selected is None
        else (runs.flow[is_selected], runs.point[is_selected])
    )
    table = runs.points.iloc[np.unique(points)]
    several = [str(name) for name in table.columns if table[name].nunique(dropna=False) > 1]
    return [*several, FLOW_KEY] if flows.min() < flows.max() else several


def resolve_key(field: str, given: object, runs: RowKeys) -> str:
    """The key that `given` means: its path, or the end of the path where that is unambiguous."""
    known = named_keys(runs)
    if not isinstance(given, str):
        raise unknown_name(field, given, known)
    if given in known:
        return given
    given = present_key(given)
    meant = [name for name in known if _is_path_or_end(given, name)]
    if len(meant) > 1:
        raise refusal(field, given, f"one of {', '.join(meant)}")
    if not meant:
        raise _unknown_key(field, given, known, runs.keys_of_other_engines)
    return meant[0]


def _is_path_or_end(given: str, name: str) -> bool:
    """True if a text is a path, or its end."""
    return bool(given) and (name == given or name.endswith((f".{given}", f"].{given}")))


def _unknown_key(
    field: str, given: str, known: Sequence[str], elsewhere: Mapping[str, str]
) -> InputError:
    if engine := elsewhere.get(given):
        asked = f"ask by --engine {engine} on the command line, by results.of({engine!r}) in Python"
        return InputError(f"{field} = {given!r}: belongs to {engine} runs; {asked}")
    last = {name.rpartition(".")[2]: name for name in known}
    near = difflib.get_close_matches(given.rpartition(".")[2].lower(), last, n=1, cutoff=0.6)
    if not near:
        return unknown_name(field, given, known)
    hint = f" (did you mean {last[near[0]]!r}?)"
    return refusal(field, given, f"one of {', '.join(known)}{hint}")


def resolve_keys(field: str, given: object, runs: RowKeys) -> list[str]:
    """The keys that a name, or several, mean, each once."""
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Iterable):
        raise unknown_name(field, given, named_keys(runs))
    return list(dict.fromkeys(resolve_key(field, name, runs) for name in given))


# where


def mask_of_selected(runs: RowKeys, where: Mapping[str, Any] | None) -> NDArray[np.bool_] | None:
    """Mask of the rows with the values that `where` asks for; None for all of them."""
    if not where:
        return None
    if not isinstance(where, Mapping):
        raise refusal("where", where, 'a table such as {"tcp.variant": "reno"}')
    rows = np.ones(len(runs), dtype=bool)
    for given, asked in where.items():
        if (axis := _table_axis(runs, given)) is not None:
            rows &= _mask_of_label(runs, axis, asked)[runs.point]
            continue
        key = resolve_key("where", given, runs)
        of_rows = _flow_values(runs, key)
        places, values = pandas.factorize(
            runs.points[key] if of_rows is None else of_rows, use_na_sentinel=False
        )
        meant = np.isin(places, _matching_places(key, asked, values.tolist()))
        rows &= meant[runs.point] if of_rows is None else meant
    if not rows.any():
        raise InputError(f"where = {quote_value(dict(where))}: no point matches all of these")
    return rows


def _table_axis(runs: RowKeys, given: object) -> TableAxis | None:
    """The axis of tables that a key means; looked for only where keys lie below such a path."""
    if not any(f".{given}." in f".{name}" for name in runs.points.columns):
        return None
    return runs.find_axes().axis_named(given)


def _mask_of_label(runs: RowKeys, axis: TableAxis, asked: Any) -> NDArray[np.bool_]:
    """Mask of the points with a label of an axis of tables, or with any of a list.

    A label is one that tables show, in full or in short; or the kind; or a scalar of the list.
    """
    keys_of_rows = [key for key in axis.keys if key in runs.points]
    points = runs.points[keys_of_rows].to_dict("records")
    labels = [axis.names({str(key): value for key, value in point.items()}) for point in points]
    is_chosen = np.zeros(len(points), dtype=bool)
    for value_asked in _requested_values(axis.path, asked):
        columns = [[names[place] for names in labels] for place in range(3)]
        if axis.path in keys_of_rows:
            columns.append(runs.points[axis.path].tolist())
        masks = (
            np.array([_is_same_value(value, value_asked) for value in column]) for column in columns
        )
        chosen = next((mask for mask in masks if mask.any()), None)
        if chosen is None:
            raise _no_value_error(
                axis.path, value_asked, list(dict.fromkeys(names[0] for names in labels))
            )
        is_chosen |= chosen
    return is_chosen


def _rows_left(runs: RowKeys, where: Mapping[str, Any] | None) -> Ints | None:
    """The places of the rows that `where` leaves; None for all of them."""
    is_selected = mask_of_selected(runs, where)
    return None if is_selected is None else np.flatnonzero(is_selected)


def _flow_values(runs: RowKeys, key: str) -> NDArray[Any] | None:
    """The values of a key that rows of a point differ in; None for one that points have."""
    if key == FLOW_KEY:
        return runs.flow
    return tcp_words_of_rows(runs) if key == FLOW_TCP_KEY else None


def _matching_places(key: str, asked: Any, values: list[Any]) -> list[int]:
    """The places of those `values` that are asked for: one, or any of a list."""
    places: list[int] = []
    for wanted_value in _requested_values(key, asked):
        same = [place for place, value in enumerate(values) if _is_same_value(value, wanted_value)]
        if not same:
            same = [
                place for place, value in enumerate(values) if _is_shown_as(value, wanted_value)
            ]
        if not same:
            raise _no_value_error(key, wanted_value, values)
        places += same
    return places


def _requested_values(key: str, asked: Any) -> list[Any]:
    """The values that are asked for: a single one, or the items of a list."""
    values_asked = list(asked) if isinstance(asked, (list, tuple, set, frozenset)) else [asked]
    if not values_asked:
        raise refusal(f"where {key}", asked, "a value, or a list of them")
    return values_asked


def _is_same_value(value: Any, asked: Any) -> bool:
    """True if a coordinate is the one asked for: 0.1 is "0.1", "300ms" is "0.3s"."""
    if value is asked or value == asked or coordinate_text(value) == coordinate_text(asked):
        return True
    first, other = parse_quantity(value), parse_quantity(asked)
    return first is not None and first == other


def _is_shown_as(value: Any, asked: Any) -> bool:
    """True if a number is the one asked for in the six digits that tables have."""
    both = [
        number
        for number in (value, asked)
        if isinstance(number, float) and not isinstance(number, bool)
    ]
    return len(both) == 2 and f"{value:.6g}" == f"{asked:.6g}"


def coordinate_text(value: Any) -> str:
    """A coordinate as a text of a scenario says it; a dash for none."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "-"
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


def _no_value_error(key: str, asked: Any, values: list[Any]) -> InputError:
    texts = [coordinate_text(value) for value in values]
    listed_values = ", ".join(texts[:_MOST_LISTED_VALUES])
    if len(texts) > _MOST_LISTED_VALUES:
        listed_values += f", ... ({len(texts)} values)"
    near = _nearest_value_hint(asked, values)
    hint = f" (did you mean {near}?)" if near and len(texts) > 1 else ""
    return refusal(f"where {key}", asked, f"one of {listed_values}{hint}")


def _nearest_value_hint(asked: Any, values: list[Any]) -> str:
    numbers = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if numbers and isinstance(asked, (int, float)):
        return coordinate_text(min(numbers, key=lambda value: abs(value - asked)))
    texts = [coordinate_text(value) for value in values]
    return next(iter(difflib.get_close_matches(coordinate_text(asked), texts, n=1)), "")


# Groups


@dataclass(frozen=True)
class ReplicationCells:
    """The independent values of each group: one per replication and batch.

    - `table`: the coordinates that each group has in common, one row per group; `is_exact`: true if
      nothing in the group is random, so that it has one value;
    - `group`, `replication`, `batch`: group (ascending), replication and batch of each cell;
    - `rows`, `starts`: the rows of `RowKeys`, cell by cell, and where each cell begins.
    """

    table: pandas.DataFrame
    is_exact: NDArray[np.bool_]
    group: Ints
    replication: Ints
    batch: Ints
    rows: Ints | None
    starts: Ints | None

    def values(self, of_rows: Floats) -> Floats:
        """One value per cell from one value per row: the mean of what is pooled."""
        taken = of_rows if self.rows is None else of_rows[self.rows]
        if self.starts is None:
            return taken
        sizes = np.diff(self.starts, append=len(taken))
        means: Floats = np.add.reduceat(taken, self.starts) / sizes
        return means


def form_cells(
    runs: RowKeys,
    by: Sequence[str] | None,
    where: Mapping[str, Any] | None,
    beside: Sequence[str] | None = None,
) -> ReplicationCells:
    """The groups of `by`, one per point and flow for None, of what `where` leaves.

    `beside`: keys out of `by`; groups that agree in them are compared replication by replication.
    None: no groups are compared.
    """
    rows = _rows_left(runs, where)
    by = named_keys(runs) if by is None else list(by)
    together = None if beside is None else _group_rows(runs, rows, beside).number
    groups = _group_rows(runs, rows, by)
    _refuse_mixed_groups(runs, rows, {*by, *_chosen_keys(runs, where)}, groups.number, together)
    group, table = _number_groups(groups)
    exact = _all_exact(runs, rows, group)
    gathered = group_members(runs, rows, group, group if together is None else together)
    return _gather_cells(runs, gathered, table, exact)


def refuse_mixed_flows(runs: RowKeys, by: Sequence[str], where: Mapping[str, Any] | None) -> None:
    """Raise `InputError` if a flow or source has one number and is not the same along a series.

    A series consists of the points that agree in the keys `by`.
    """
    rows = _rows_left(runs, where)
    together = _group_rows(runs, rows, by).number
    _refuse_mixed_groups(runs, rows, {*by, *_chosen_keys(runs, where)}, together, together)


def _chosen_keys(runs: RowKeys, where: Mapping[str, Any] | None) -> list[str]:
    chosen_keys = list[str]()
    for given in where or {}:
        axis = _table_axis(runs, given)
        chosen_keys += [resolve_key("where", given, runs)] if axis is None else axis.keys
    return chosen_keys


def _refuse_mixed_groups(
    runs: RowKeys, rows: Ints | None, keys: Collection[str], group: Ints, together: Ints | None
) -> None:
    """Refuse to pool or compare what has one number at several points and is not the same."""
    key = FLOW_KEY if FLOW_KEY in keys else SOURCE_KEY if SOURCE_KEY in keys else ""
    if not key or runs.numbered is None or (key == FLOW_KEY and FLOW_TCP_KEY in keys):
        return
    mixed = _mixed_points(runs, rows, key, group if together is None else together)
    if mixed is None:
        return
    first, other = (_point_words(runs, key, point) for point in mixed)
    instead = (
        f"say {FLOW_TCP_KEY}, "
        if key == FLOW_KEY and _has_several_tcps(runs)
        else "name what varies there, "
    )
    raise InputError(
        f"{key}: its numbers mean different {TABLE_NAMES[key]}s at {first} and {other}: {instead}or"
        " choose one of these points by where"
    )


def has_mixed_flows(runs: RowKeys, by: Sequence[str], where: Mapping[str, Any] | None) -> bool:
    """True if numbers of flows do not mean the same at all points that agree in `by`."""
    rows = _rows_left(runs, where)
    return _mixed_points(runs, rows, FLOW_KEY, _group_rows(runs, rows, by).number) is not None


def _mixed_points(
    runs: RowKeys, rows: Ints | None, key: str, group: Ints
) -> tuple[int, int] | None:
    """Two points of one group at which a number of a flow (or source) does not mean the same."""
    if runs.numbered is None:
        return None
    point = _take_rows(runs.point, rows)
    of_rows = runs.flow if key == FLOW_KEY else runs.points[SOURCE_KEY].to_numpy()[runs.point]
    number = _take_rows(of_rows, rows)
    flow_points = pandas.DataFrame(
        {"group": group, "number": number, "point": point}
    ).drop_duplicates()
    for (_, flow_number), part in flow_points.groupby(["group", "number"]):
        pair = points_that_differ(
            int(flow_number), [(int(at), runs.numbered[at]) for at in part["point"]]
        )
        if pair is not None:
            return pair
    return None


def _point_words(runs: RowKeys, key: str, point: int) -> str:
    """Coordinates of a point that vary over the points, except `key`, as text."""
    several = [name for name in runs.points if runs.points[name].nunique(dropna=False) > 1]
    row = runs.points.iloc[point]
    coordinate_words = [
        f"{coordinate} = {coordinate_text(row[coordinate])}"
        for coordinate in several
        if coordinate != key
    ]
    return ", ".join(coordinate_words)


@dataclass(frozen=True)
class _Groups:
    """The `number` of the group of each row, which counts the values of `keys`, the last fastest.

    `combinations` of the coordinates vary slowest; `keys`: the keys of flows with the values of
    each.
    """

    number: Ints
    combinations: pandas.DataFrame
    keys: Mapping[str, Sequence[Any]]


def _group_rows(runs: RowKeys, rows: Ints | None, by: Sequence[str]) -> _Groups:
    """The groups of rows that agree in `by`."""
    of_flows = {key: values for key in by if (values := _flow_values(runs, key)) is not None}
    of_points, combinations = _combinations(runs, [key for key in by if key not in of_flows])
    number, values_of_key = of_points[_take_rows(runs.point, rows)], {}
    for key, values in of_flows.items():
        known, code = np.unique(values, return_inverse=True)
        number, values_of_key[key] = number * len(known) + _take_rows(code, rows), known.tolist()
    return _Groups(number, combinations, values_of_key)


def _all_exact(runs: RowKeys, rows: Ints | None, group: Ints) -> NDArray[np.bool_]:
    """Mask of the groups in which nothing is random, and each run is one value."""
    if not runs.exact.any() or runs.batch.any():
        return np.zeros(int(group.max()) + 1, dtype=bool)
    exact: NDArray[np.bool_] = np.bincount(group, ~runs.exact[_take_rows(runs.point, rows)]) == 0
    return exact


@dataclass(frozen=True)
class GroupMembers:
    """The rows of groups, by their place among all rows, each in the replication it stands for."""

    rows: Ints | None
    group: Ints
    replication: Ints


def group_members(runs: RowKeys, rows: Ints | None, group: Ints, together: Ints) -> GroupMembers:
    """The rows, with one run without chance repeated for each replication beside it.

    `together`: a number for each row; rows with equal numbers are compared or pooled.
    """
    replication = _take_rows(runs.replication, rows)
    if not runs.exact.any():
        return GroupMembers(rows, group, replication)
    exact = runs.exact[_take_rows(runs.point, rows)]
    beside = np.full(int(together.max()) + 1, -1, dtype=np.int64)
    np.maximum.at(beside, together[~exact], replication[~exact])
    times = np.where(exact, np.maximum(beside[together], 0) + 1, 1)
    first = np.repeat(np.cumsum(times) - times, times)
    copy = np.arange(times.sum()) - first
    row_numbers = np.arange(len(group)) if rows is None else rows
    return GroupMembers(
        np.repeat(row_numbers, times), np.repeat(group, times), np.repeat(replication, times) + copy
    )


def _take_rows(array: Ints, rows: Ints | None) -> Ints:
    return array if rows is None else array[rows]


def _combinations(runs: RowKeys, keys: Sequence[str]) -> tuple[Ints, pandas.DataFrame]:
    """Number of the combination of values of each point, in order of appearance."""
    points = runs.points[list(keys)]
    if not keys:
        return np.zeros(len(points), dtype=np.int64), pandas.DataFrame(index=range(1))
    number = points.groupby(list(keys), sort=False, dropna=False).ngroup().to_numpy()
    first = np.unique(number, return_index=True)[1]
    return number.astype(np.int64), points.iloc[first].reset_index(drop=True)


def _number_groups(groups: _Groups) -> tuple[Ints, pandas.DataFrame]:
    """Groups that have rows, numbered without gaps, and what each has in common."""
    occupied = np.flatnonzero(np.bincount(groups.number))
    place = np.zeros(occupied[-1] + 1, dtype=np.int64)
    place[occupied] = np.arange(len(occupied))
    left, columns = occupied, dict[str, list[Any]]()
    for key, values in reversed([*groups.keys.items()]):
        left, code = np.divmod(left, len(values))
        columns[key] = [values[index] for index in code]
    table = groups.combinations.iloc[left].reset_index(drop=True)
    for key in groups.keys:
        table[key] = columns[key]
    return place[groups.number], table


def _gather_cells(
    runs: RowKeys, members_found: GroupMembers, table: pandas.DataFrame, exact: NDArray[np.bool_]
) -> ReplicationCells:
    rows, group, replication = members_found.rows, members_found.group, members_found.replication
    batch = _take_rows(runs.batch, rows)
    key = group * (int(replication.max()) + 1) + replication
    key = key * (int(batch.max()) + 1) + batch
    if (np.diff(key) > 0).all():  # one row per cell, in order
        return ReplicationCells(table, exact, group, replication, batch, rows, None)
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    is_complete = _complete_cells(runs, rows, group, order, begins)
    order, begins = _drop_incomplete(order, begins, is_complete)
    first = order[begins]
    taken = order if rows is None else rows[order]
    return ReplicationCells(
        table, exact, group[first], replication[first], batch[first], taken, begins
    )


def _complete_cells(
    runs: RowKeys, rows: Ints | None, group: Ints, order: Ints, begins: Ints
) -> NDArray[np.bool_]:
    """Mask of the cells that have a row of each point and flow of their group."""
    flows = int(runs.flow.max()) + 1
    member = _take_rows(runs.point, rows) * flows + _take_rows(runs.flow, rows)
    pairs = np.unique(group * (int(member.max()) + 1) + member)
    members = np.bincount(pairs // (int(member.max()) + 1))
    sizes = np.diff(begins, append=len(order))
    is_complete: NDArray[np.bool_] = sizes == members[group[order[begins]]]
    return is_complete


def _drop_incomplete(
    order: Ints, begins: Ints, is_complete: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """The rows of whole cells only."""
    if is_complete.all():
        return order, begins
    sizes = np.diff(begins, append=len(order))
    kept_rows = order[np.repeat(is_complete, sizes)]
    return kept_rows, np.concatenate(([0], np.cumsum(sizes[is_complete])[:-1])).astype(np.int64)
