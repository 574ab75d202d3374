"""A tidy table of results: named NumPy columns of equal length, one row per case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from airtcp.support.optional import ARROW, import_optional

if TYPE_CHECKING:
    import pandas
    import pyarrow

_ROWS_SHOWN = 20


class Table:
    """Columns by name: ``table["throughput"]``; `len` counts rows."""

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Keep the columns as they are; nothing is copied."""
        self._columns = dict(columns)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns, in order."""
        return self._columns

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame."""
        import pandas  # noqa: PLC0415  (slow to import)

        return pandas.DataFrame(self._columns)

    def to_arrow(self) -> pyarrow.Table:
        """The table as an Arrow table. Raises `InputError` where pyarrow is not installed."""
        found: pyarrow.Table = import_optional("pyarrow", "to_arrow", ARROW).table(self._columns)
        return found

    def __getitem__(self, column: str) -> NDArray[Any]:
        """One column."""
        return self._columns[column]

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(self._columns)

    def __len__(self) -> int:
        """The number of rows."""
        return int(next(iter(self._columns.values())).size) if self._columns else 0

    def __repr__(self) -> str:
        """The size and the names of the columns."""
        return f"Table({len(self)} rows: {', '.join(self._columns)})"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in self._columns)
        shown = min(len(self), _ROWS_SHOWN)
        columns = self._columns.values()
        rows = (
            "".join(f"<td>{_cell(column[row])}</td>" for column in columns) for row in range(shown)
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        more = f"<caption>{shown} of {len(self)} rows</caption>" if shown < len(self) else ""
        return f"<table>{more}<tr>{head}</tr>{body}</table>"


def _cell(value: object) -> str:
    return (
        f"{value:.6g}"
        if isinstance(value, (float, np.floating))
        else escape(str(value), quote=False)
    )
