"""The event table for pandas, for Arrow and for files: columns, and the rows where each applies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.events.records import Array
from airtcp.support.optional import ARROW, import_optional

if TYPE_CHECKING:
    import pandas
    import pyarrow


@dataclass(frozen=True, eq=False)
class EventColumn:
    """A column: its values, and the rows where it does not apply (None: it applies everywhere).

    The values are numbers, codes of `words`, or SACK blocks: event by place by (start, end).
    """

    values: Array
    absent: Array | None = None
    words: tuple[str, ...] = ()

    @property
    def is_sack(self) -> bool:
        """True if the values are SACK blocks; there is no block where start is not before end."""
        return self.values.ndim > 1


def to_frame(columns: Iterable[tuple[str, EventColumn]]) -> pandas.DataFrame:
    """A table for pandas: NaN where a column does not apply, None for `sack`."""
    import pandas  # noqa: PLC0415  (slow to import)

    def pandas_column(column: EventColumn) -> Any:
        values, absent = column.values, column.absent
        if column.words:
            codes = _codes(column) if absent is None else np.where(absent, -1, values)
            return pandas.Categorical.from_codes(codes, categories=list(column.words))
        if column.is_sack:
            return _sack_arrays(values, absent)
        return values if absent is None or not absent.any() else np.where(absent, np.nan, values)

    return pandas.DataFrame({name: pandas_column(column) for name, column in columns})


def _codes(column: EventColumn) -> Array:
    """Codes of words, as narrow as these allow."""
    return column.values.astype(np.int8 if len(column.words) < 128 else np.int32)


def _sack_arrays(sack: Array, absent: Array | None) -> Array:
    """The SACK blocks of each event; None where there can be none."""
    blocks = np.empty(len(sack), dtype=object)
    nothing = np.empty((0, 2), dtype=sack.dtype)
    for row in np.flatnonzero(~np.asarray(absent)).tolist():
        blocks[row] = nothing
    used = sack[:, :, 1] > sack[:, :, 0]
    for row in np.flatnonzero(used.any(axis=1)).tolist():
        blocks[row] = sack[row][used[row]]
    return blocks


def arrow_table(
    columns: Iterable[tuple[str, EventColumn]], facts: Mapping[str, Any]
) -> pyarrow.Table:
    """A table for Arrow: null where a column does not apply; facts are its metadata.

    Raises `InputError` where pyarrow is not installed.
    """
    pa = import_optional("pyarrow", "table", ARROW)

    def arrow_array(column: EventColumn) -> Any:
        values, absent = column.values, column.absent
        if column.words:
            indices = pa.array(_codes(column), mask=absent)
            return pa.DictionaryArray.from_arrays(indices, pa.array(column.words))
        return _sack_lists(pa, values, absent) if column.is_sack else pa.array(values, mask=absent)

    arrays = {name: arrow_array(column) for name, column in columns}
    return pa.table(arrays, metadata=metadata(facts))


def _sack_lists(pa: Any, sack: Array, absent: Array | None) -> Any:
    """Lists of [start, end); null where there can be no blocks."""
    used = sack[:, :, 1] > sack[:, :, 0]
    edges = pa.array(sack[used].reshape(-1))
    offsets = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    return pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()),
        pa.FixedSizeListArray.from_arrays(edges, 2),
        mask=pa.array(absent),
    )


def metadata(facts: Mapping[str, Any]) -> dict[str, str]:
    """Facts as the metadata of a file: texts as they are, everything else as JSON."""
    return {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in facts.items()
    }
