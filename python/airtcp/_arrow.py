"""Python's values as columns of Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def column(values: list[Any]) -> pa.Array:
    """Numbers as numbers; an axis that mixes them with texts, or is too wide for them, as texts."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if value is None else str(value) for value in values])
