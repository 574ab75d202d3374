"""A table in memory as named columns, from which pandas and Arrow make theirs.

Neither of the two has to be installed, or imported, to make one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from airtcp.support.optional import ARROW, import_optional

if TYPE_CHECKING:
    import pandas
    import pyarrow


class SharedValues(list[Any]):
    """Values that many tables share; Arrow reads them once. None stands for a missing value."""

    @cached_property
    def arrow(self) -> pyarrow.Array:
        """The values for Arrow, converted once."""
        import pyarrow as pa  # noqa: PLC0415

        return pa.array(list(self))


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column with few different values: each row has an index into `values`."""

    codes: NDArray[np.integer[Any]]
    values: SharedValues

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def at(self, rows: NDArray[np.integer[Any]]) -> list[Any]:
        """The values of some rows."""
        return [self.values[code] for code in self.codes[rows].tolist()]


Column: TypeAlias = NDArray[Any] | CodedColumn


@dataclass(frozen=True, eq=False)
class Frame:
    """Columns of equal length by name; `metadata` is about all rows."""

    columns: Mapping[str, Column]
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        return list(self.columns)

    def __getitem__(self, name: str) -> Any:
        """One column."""
        return self.columns[name]

    def __len__(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def select(self, names: Sequence[str]) -> Frame:
        """Some of the columns."""
        return Frame({name: self.columns[name] for name in names}, self.metadata)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame, the same one as from Arrow."""
        import pandas  # noqa: PLC0415  (slow to import)

        def pandas_column(column: Column) -> Any:
            if isinstance(column, CodedColumn):
                return pandas.Series(list(column.values)).take(column.codes).array
            return column

        columns = {name: pandas_column(column) for name, column in self.columns.items()}
        return pandas.DataFrame(columns)

    def to_arrow(self, what: str = "to_arrow") -> pyarrow.Table:
        """The table as an Arrow table. Raises `InputError` where pyarrow is not installed."""
        pa = import_optional("pyarrow", what, ARROW)

        def arrow_array(column: Column) -> Any:
            if isinstance(column, CodedColumn):
                return column.values.arrow.take(pa.array(column.codes))
            return pa.array(column)

        columns = {name: arrow_array(column) for name, column in self.columns.items()}
        return pa.table(columns, metadata=dict(self.metadata) or None)


def join_frames(frames: Iterable[Frame]) -> Frame:
    """Frames with the same columns, one after the other; coded columns share their values."""
    parts = list(frames)

    def joined_column(name: str) -> Column:
        columns = [part[name] for part in parts]
        if isinstance(columns[0], CodedColumn):
            codes = np.concatenate([column.codes for column in columns])
            return CodedColumn(codes, columns[0].values)
        whole: NDArray[Any] = np.concatenate(columns)
        return whole

    return Frame({name: joined_column(name) for name in parts[0].names}, parts[0].metadata)


def uniform_values(values: Sequence[Any]) -> list[Any]:
    """Values of one kind: all as texts where kinds mix, or where 64 bits do not hold a number."""
    kinds = {type(value) for value in values if value is not None}
    whole = [value for value in values if type(value) is int]
    if kinds == {int, float}:
        fits = all(abs(value) <= 2**53 for value in whole)
    else:
        fits = len(kinds) < 2 and all(-(2**63) <= value < 2**63 for value in whole)
    return list(values) if fits else [None if value is None else str(value) for value in values]
