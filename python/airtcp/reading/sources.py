"""Sources of the rows of results: Parquet files, or a table in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.errors import InputError, one_line
from airtcp.scenario.renamed import present_path
from airtcp.support.frame import CodedColumn, Column, Frame, SharedValues
from airtcp.support.optional import ARROW, import_optional

if TYPE_CHECKING:
    import pandas
    import pyarrow
    import pyarrow.dataset


@dataclass(frozen=True)
class ParquetFiles:
    """The rows of Parquet files, one after the other; pyarrow reads them."""

    paths: tuple[Path, ...]

    @cached_property
    def _schema(self) -> pyarrow.Schema:
        """Names and types of the columns of all files."""
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow.parquet import read_schema  # noqa: PLC0415

        schemas = [_present_schema(_read_parquet(path, read_schema)) for path in self.paths]
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

    def frame(self, columns: Sequence[str]) -> Frame:
        """The given columns of all rows."""
        table = self.table(columns)
        return Frame({name: _column_array(table[name]) for name in columns})

    def table(self, columns: Sequence[str] | None = None) -> pyarrow.Table:
        """The given columns of all rows, or all columns, texts as dictionaries."""
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415

        if not self.paths:
            return pa.table({})
        texts = [] if columns is None else self._texts(columns)
        columns_wanted = None if columns is None else list(columns)

        def read(path: Path) -> pa.Table:
            with ParquetFile(path) as file:
                stored_names = {
                    present_path(name, tell=False): name for name in file.schema_arrow.names
                }
            as_there = (
                None
                if columns_wanted is None
                else [stored_names.get(name, name) for name in columns_wanted]
            )
            codes = [stored_names.get(name, name) for name in texts]
            with ParquetFile(path, read_dictionary=codes) as file:
                table = file.read(as_there)
            return table.rename_columns(
                [present_path(name, tell=False) for name in table.column_names]
            )

        parts = [_read_parquet(path, read) for path in self.paths]
        return pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a pandas DataFrame."""
        return self.table().to_pandas()

    def dataset(self) -> pyarrow.dataset.Dataset:
        """The rows as a dataset that is read when it is asked."""
        from pyarrow.dataset import dataset  # noqa: PLC0415  (slow to import)

        if not self.paths or self._has_old_names:
            return dataset(self.table())
        return dataset([str(path) for path in self.paths], schema=self._schema)

    @cached_property
    def _has_old_names(self) -> bool:
        """True if an earlier version, which named columns otherwise, wrote some file."""
        from pyarrow.parquet import read_schema  # noqa: PLC0415

        names = (name for path in self.paths for name in _read_parquet(path, read_schema).names)
        return any(present_path(name, tell=False) != name for name in names)

    def _texts(self, columns: Sequence[str]) -> list[str]:
        from pyarrow.types import is_string  # noqa: PLC0415

        schema = self._schema
        return [name for name in columns if is_string(schema.field(name).type)]


@dataclass(frozen=True)
class MemoryTable:
    """The rows of a table."""

    rows: Frame

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        return self.rows.names

    def frame(self, columns: Sequence[str]) -> Frame:
        """The given columns of all rows."""
        return self.rows.select(columns)

    def table(self) -> pyarrow.Table:
        """All rows. Raises `InputError` where pyarrow is not installed."""
        return self.rows.to_arrow("runs")

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a pandas DataFrame."""
        return self.rows.to_pandas()

    def dataset(self) -> pyarrow.dataset.Dataset:
        """The rows as a dataset. Raises `InputError` where pyarrow is not installed."""
        dataset = import_optional("pyarrow.dataset", "dataset", ARROW).dataset
        return dataset(self.rows.to_arrow())


def _present_schema(schema: pyarrow.Schema) -> pyarrow.Schema:
    """The columns of a schema by their present names."""
    for place, field in enumerate(schema):
        schema = schema.set(place, field.with_name(present_path(field.name, tell=False)))
    return schema


def _column_array(column: pyarrow.ChunkedArray) -> Column:
    """Numbers as NumPy has them; everything else by the values that there are."""
    from pyarrow.types import is_floating, is_integer  # noqa: PLC0415

    if is_integer(column.type) or is_floating(column.type):
        numbers: Column = column.to_numpy()
        return numbers
    array = column.combine_chunks()
    coded = array if hasattr(array, "indices") else array.dictionary_encode()
    values = coded.dictionary.to_pylist()
    return CodedColumn(
        coded.indices.fill_null(len(values)).to_numpy(), SharedValues([*values, None])
    )


def _read_parquet(path: Path, how: Callable[[Path], Any]) -> Any:
    """Read a file with `how`; raises `InputError` with the name of the file."""
    from pyarrow import ArrowException  # noqa: PLC0415

    try:
        return how(path)
    except (ArrowException, OSError, KeyError) as error:
        raise InputError(f"{path}: cannot be read: {one_line(str(error))}") from None
