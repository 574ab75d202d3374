"""Statistics of each flow and each source of cross-traffic in each queue of a traced run.

A row per link and owner of packets that came out of its queue or were dropped there:

- `packets`, `bytes`: whose transmission started, in a link layer that retransmits that of the first
  fragment;
- `drops`: packets that the queue refused or dropped, so that neither losses of the channel count
  nor packets that a link destroys as it goes down;
- `marks`: packets that left the queue with a mark (ECN), which are among `packets`;
- `sojourn_mean`, `sojourn_p95`, `sojourn_max`: seconds from the arrival at the queue to the start
  of the transmission, over `packets`; not known where there are none. 95 % of them are no longer
  than `sojourn_p95`, which is one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from airtcp.events.columns import EventColumn
from airtcp.events.links import LOSS_CAUSES, Links
from airtcp.events.records import Array

STATISTICS = "statistics"  # name of the table, beside the tables of records
_QUEUE_LOSS_CODE = 1 + LOSS_CAUSES.index("queue")
_NS = 1_000_000_000


def shown_statistics(links: Links) -> Iterator[tuple[str, EventColumn]]:
    """The columns of the table in their order, or `InputError` if queues were not kept."""
    sojourns, drops, marks = (links.records_of(name) for name in ("sojourn", "drops", "marks"))
    drops = drops[drops["cause"] == _QUEUE_LOSS_CODE]
    keys, places = _link_owner_pairs(sojourns, drops, marks)
    started, dropped, marked = (np.bincount(place, minlength=len(keys)) for place in places)
    bits = _sums(places[0], sojourns["bits"], len(keys))
    yield from links.shown_places(keys["link"])
    yield from links.shown_owners(keys["owner"])
    yield "packets", EventColumn(started)
    yield "bytes", EventColumn(bits // 8)
    yield "drops", EventColumn(dropped)
    yield "marks", EventColumn(marked)
    waited = _sums(places[0], sojourns["sojourn_ns"], len(keys))
    ordered = sojourns["sojourn_ns"][np.lexsort((sojourns["sojourn_ns"], places[0]))]
    first, none = np.cumsum(started) - started, started == 0
    yield "sojourn_mean", EventColumn(waited / np.maximum(started, 1) / _NS, none)
    for name, rank in (("sojourn_p95", -(-19 * started // 20)), ("sojourn_max", started)):
        statistic = np.zeros(len(keys))
        statistic[~none] = ordered[(first + rank - 1)[~none]]
        yield name, EventColumn(statistic / _NS, none)


def _link_owner_pairs(*tables: Array) -> tuple[Array, list[Array]]:
    """Each (link, owner) in some table, in order; and for every record the index of its pair."""
    kind = np.dtype([("link", "<i8"), ("owner", "<i8")])
    all_pairs = np.concatenate([np.empty(len(table), kind) for table in tables])
    for name in ("link", "owner"):
        all_pairs[name] = np.concatenate([table[name] for table in tables])
    keys, places = np.unique(all_pairs, return_inverse=True)
    return keys, np.split(places.reshape(-1), np.cumsum([len(table) for table in tables])[:-1])


def _sums(places: Array, values: Array, count: int) -> Array:
    """Sum of the values at each place, in whole numbers."""
    sums = np.zeros(count, dtype=np.int64)
    np.add.at(sums, places, values)
    return sums
