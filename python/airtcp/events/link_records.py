"""Records of links and of cross-traffic in a trace, one table for each kind, in order of time.

The simulator gives the history of every link apart. Here the links of a table stand in one array
with the number of the link in it: hops in their order from the near ends, then from the far ends,
the last hop first. A table is made when it is asked for, then kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from airtcp.events.records import Array, Layout, Words, records_of

_HISTORY_TABLES = {  # table -> its name there
    "queue": "queue",
    "sojourn": "sojourns",
    "busy": "busy",
    "marks": "marked",
}


class LinkRecords(Mapping[str, Array]):
    """The tables that the simulator has given: always "traffic", others if the trace asked."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        """Look at the records without copying them."""
        names = ["traffic", *(("drops", *_HISTORY_TABLES) if "drops" in tables else ())]
        self._given = {name: tables[_HISTORY_TABLES.get(name, name)] for name in names}
        self._made: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        """The records of a table."""
        if name not in self._made:
            layout, words = self._given[name]
            is_history = name in _HISTORY_TABLES
            made = _join_links(layout, words) if is_history else records_of(layout, words)
            self._made[name] = _sort_by_time(made)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the tables."""
        return iter(self._given)

    def __len__(self) -> int:
        """Number of tables."""
        return len(self._given)


def _join_links(layout: Layout, links: Sequence[Words]) -> Array:
    """The records of all links as one table with a field `link`."""
    each = [records_of(layout, words) for words in links]
    names = [name for name, _ in layout]
    kind = [(name, each[0].dtype[name]) for name in names]
    records_of_links = np.empty(sum(map(len, each)), np.dtype([*kind, ("link", "<i4")]))
    first = 0
    for link, records in enumerate(each):
        part = records_of_links[first : first + len(records)]
        for name in names:
            part[name] = records[name]
        part["link"] = link
        first += len(records)
    return records_of_links


def _sort_by_time(records: Array) -> Array:
    """Records sorted by time; records of one instant keep the order in which they were written."""
    time = records["time_ns"]
    if (time[1:] >= time[:-1]).all():
        return records
    return records[np.argsort(time, kind="stable")]
