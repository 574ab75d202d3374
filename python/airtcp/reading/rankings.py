"""Rankings of alternatives at each combination of the other coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas
from numpy.typing import NDArray

from airtcp.errors import InputError, refusal
from airtcp.reading.grouping import (
    FLOW_KEY,
    FLOW_TCP_KEY,
    coordinate_text,
    form_cells,
    has_mixed_flows,
    keys_of,
    named_keys,
    repeats_other_keys,
)
from airtcp.reading.rows import Floats, ResultRows, RowKeys
from airtcp.stats import Ranking, rank_points
from airtcp.stats.rare import carrier_count


class _RankingGroup(NamedTuple):
    """One combination of the other coordinates: values by alternative, on common replications.

    `exact`: true if no alternative is random. Each value then stands there twice, so that the
    differences are seen to be constant.
    """

    others: dict[str, Any]
    alternatives: tuple[tuple[Any, ...], ...]
    values: list[Floats]
    exact: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(", ".join(map(coordinate_text, values)) for values in self.alternatives)


def ranking(
    rows: ResultRows,
    metric: str,
    *,
    by: Sequence[str],
    better: str,
    where: Mapping[str, Any] | None,
    confidence: float,
    families: str,
) -> pandas.DataFrame:
    """One row per combination and alternative, best first (see `Results.rank`).

    `by`: a key, or those that an axis of tables has; an alternative is a combination of them.
    """
    places = list(_ranking_groups(rows, metric, by, where))
    names = _names_everywhere(places, by)
    values = [[place.values[place.names.index(name)] for name in names] for place in places]
    exact = [place.exact for place in places]
    found_rankings = rank_points(values, names, confidence, better, families, exact=exact)
    by_name = dict(zip(names, places[0].alternatives, strict=True))
    parts = [
        _ranking_table(place, ranking_found, by, by_name)
        for place, ranking_found in zip(places, found_rankings, strict=True)
    ]
    return pandas.concat(parts, ignore_index=True)


def _names_everywhere(places: Sequence[_RankingGroup], by: Sequence[str]) -> Sequence[str]:
    """The alternatives, in the order of the first place; raises `InputError` if others differ."""
    names = places[0].names
    odd = next((place for place in places if set(place.names) != set(names)), None)
    if len(names) < 2 or odd is not None:
        names_found = ", ".join((odd or places[0]).names)
        at = _words_of_keys((odd or places[0]).others)
        raise refusal(
            "by", by[0], f"a key with the same values, two or more, everywhere: {names_found}{at}"
        )
    return names


def _ranking_groups(
    rows: ResultRows, metric: str, by: Sequence[str], where: Mapping[str, Any] | None
) -> Iterator[_RankingGroup]:
    """The combinations in order of appearance."""
    others = _other_keys(rows.runs, by, where)
    cells_found = form_cells(rows.runs, [*others, *by], where, beside=others)
    values = cells_found.values(rows.values([metric], averaged=True)[metric])
    run = cells_found.replication * (int(cells_found.batch.max()) + 1) + cells_found.batch
    starts = np.flatnonzero(np.diff(cells_found.group, prepend=-1))
    series = zip(np.split(run, starts[1:]), np.split(values, starts[1:]), strict=True)
    by_group = dict(zip(cells_found.group[starts].tolist(), series, strict=True))
    if not others:
        yield _ranking_group({}, cells_found.table[[*by]], by_group, cells_found.is_exact)
        return
    for combination, part in cells_found.table.groupby(others, sort=False, dropna=False):
        other_values = dict(zip(others, combination, strict=True))
        yield _ranking_group(other_values, part[[*by]], by_group, cells_found.is_exact)


def _other_keys(runs: RowKeys, by: Sequence[str], where: Mapping[str, Any] | None) -> list[str]:
    """The keys whose combinations are compared.

    Flows are told apart by their TCP if a number does not mean the same flow at all alternatives.
    """
    keys = [key for key in keys_of(runs) if key not in by and not repeats_other_keys(runs, key, by)]
    if FLOW_TCP_KEY in by:
        return [key for key in keys if key != FLOW_KEY]
    if FLOW_KEY not in keys or FLOW_TCP_KEY not in named_keys(runs):
        return keys
    return [
        FLOW_TCP_KEY if key == FLOW_KEY and has_mixed_flows(runs, keys, where) else key
        for key in keys
    ]


def _ranking_group(
    others: dict[str, Any],
    alternatives: pandas.DataFrame,
    by_group: Mapping[int, Any],
    exact: NDArray[np.bool_],
) -> _RankingGroup:
    numbers = alternatives.index.tolist()
    groups = [by_group[group] for group in numbers]
    common = groups[0][0]
    for run, _ in groups[1:]:
        common = np.intersect1d(common, run, assume_unique=True)
    values = [values[np.isin(run, common)] for run, values in groups]
    missing = int((~np.isfinite(values)).any(axis=0).sum())
    if missing:
        raise InputError(
            f"values{_words_of_keys(others)}: {missing} of {len(common)} runs have none; only"
            " known values can be ranked"
        )
    all_exact = bool(exact[numbers].all())
    if all_exact:
        values = [np.repeat(value, 2) for value in values]
    named = tuple(alternatives.itertuples(index=False, name=None))
    return _RankingGroup(others, named, values, all_exact)


def _words_of_keys(others: Mapping[str, Any]) -> str:
    words = ", ".join(f"{key} = {coordinate_text(value)}" for key, value in others.items())
    return f" at {words}" if words else ""


def _ranking_table(
    place: _RankingGroup,
    ranking_found: Ranking,
    by: Sequence[str],
    by_name: Mapping[str, tuple[Any, ...]],
) -> pandas.DataFrame:
    first = len(ranking_found.names) - 1  # the pairs with the first come first
    columns: dict[str, Any] = {
        **place.others,
        "rank": np.arange(1, len(ranking_found.names) + 1),
        **{key: [by_name[name][at] for name in ranking_found.names] for at, key in enumerate(by)},
        "n": 1 if place.exact else ranking_found.replications,
        "mean": ranking_found.mean,
        "low": ranking_found.low,
        "high": ranking_found.high,
        "behind": np.concatenate([[0.0], np.abs(ranking_found.difference[:first])]),
        "p": np.concatenate([[np.nan], ranking_found.adjusted[:first]]),
        "best": ranking_found.best,
    }
    few = np.array([_carrier_count(place, name) for name in ranking_found.names])
    return pandas.DataFrame(columns | ({} if np.isnan(few).all() else {"mean_carriers": few}))


def _carrier_count(place: _RankingGroup, name: str) -> float:
    """Number of runs that carry the scatter of an alternative's mean; NaN if they are enough."""
    return math.nan if place.exact else carrier_count(place.values[place.names.index(name)])
