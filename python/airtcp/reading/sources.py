"""Where the rows of results come from: Parquet files, or a table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from airtcp.errors import InputError, one_line

if TYPE_CHECKING:
    import pyarrow.dataset


@dataclass(frozen=True)
class ParquetFiles:
    """The rows of Parquet files, one after the other."""

    paths: tuple[Path, ...]

    @cached_property
    def _schema(self) -> pa.Schema:
        """What the columns of all files hold."""
        schemas = [_read(path, pq.read_schema) for path in self.paths]
        if not schemas:
            return pa.schema([])
        try:
            return pa.unify_schemas(schemas, promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            reason = one_line(str(error))
            raise InputError(f"{self.paths[0].parent}: files do not fit: {reason}") from None

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        names: list[str] = self._schema.names
        return names

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Those columns of all rows, or all columns."""
        if not self.paths:
            return pa.table({})
        texts = [] if columns is None else self._texts(columns)
        wanted = None if columns is None else list(columns)

        def read(path: Path) -> pa.Table:
            with pq.ParquetFile(path, read_dictionary=texts) as file:
                return file.read(wanted)

        parts = [_read(path, read) for path in self.paths]
        return pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()

    def dataset(self) -> pyarrow.dataset.Dataset:
        """The rows as a dataset that is read when it is asked."""
        from pyarrow.dataset import dataset  # noqa: PLC0415  (slow to import)

        if not self.paths:
            return dataset(pa.table({}))
        return dataset([str(path) for path in self.paths], schema=self._schema)

    def _texts(self, columns: Sequence[str]) -> list[str]:
        schema = self._schema
        return [name for name in columns if pa.types.is_string(schema.field(name).type)]


@dataclass(frozen=True)
class InMemory:
    """The rows of a table."""

    rows: pa.Table

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        names: list[str] = self.rows.column_names
        return names

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Those columns of all rows, or all columns."""
        return self.rows if columns is None else self.rows.select(list(columns))

    def dataset(self) -> pyarrow.dataset.Dataset:
        """The rows as a dataset."""
        from pyarrow.dataset import dataset  # noqa: PLC0415  (slow to import)

        return dataset(self.rows)


def _read(path: Path, how: Any) -> Any:
    """What `how` reads from a file, or `InputError` with the name of the file."""
    try:
        return how(path)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise InputError(f"{path}: cannot be read: {one_line(str(error))}") from None
