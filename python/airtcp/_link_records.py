"""What a trace holds of links and of cross-traffic, as records of one table each, in order of time.

The simulator gives the history of every link apart. Here the links of a table stand in one array
with the number of the link in it: hops in their order from the near ends, then from the far ends,
the last hop first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from airtcp._records import Array, Layout, Words, records_of

_HISTORIES = {"queue": "queue", "sojourn": "sojourns", "busy": "busy"}  # table -> its name there


def link_records(tables: Mapping[str, Any]) -> dict[str, Array]:
    """The tables that the simulator has given: always "traffic"; the others if it was asked."""
    found = {"traffic": _in_time(records_of(*tables["traffic"]))}
    if "drops" in tables:
        found["drops"] = _in_time(records_of(*tables["drops"]))
        found |= {name: _of_links(*tables[given]) for name, given in _HISTORIES.items()}
    return found


def _of_links(layout: Layout, links: Sequence[Words]) -> Array:
    """The records of all links as one table with a field `link`."""
    each = [records_of(layout, words) for words in links]
    joined = np.concatenate(each)
    kind = [*((name, joined.dtype[name]) for name in joined.dtype.names or ()), ("link", "<i4")]
    found = np.empty(len(joined), np.dtype(kind))
    for name in joined.dtype.names or ():
        found[name] = joined[name]
    found["link"] = np.repeat(np.arange(len(each)), [len(one) for one in each])
    return _in_time(found)


def _in_time(records: Array) -> Array:
    """By time; of one instant in the order in which they were written."""
    time = records["time_ns"]
    if (time[1:] >= time[:-1]).all():
        return records
    return records[np.argsort(time, kind="stable")]
