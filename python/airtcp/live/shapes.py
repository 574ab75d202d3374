"""Checks of data read from outside, key by key: types, ranges, finite numbers.

A shape takes a path and the value there, and returns the value or raises `InputError` with both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from airtcp.errors import InputError, quote_value, real_number, refusal, unknown_name, whole_number

Shape = Callable[[str, object], Any]
MOST_INTEGER = (1 << 63) - 1


def parse_strict_json(source: str, text: bytes) -> Any:
    """The value that a JSON text holds. Raises `InputError`; NaN and infinities are no JSON."""
    try:
        return json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        raise InputError(f"{source}: is not JSON") from None


def check_shape(source: str, shape: Shape, value: object) -> Any:
    """`value` if it has this shape; `InputError` names the source."""
    try:
        return shape("", value)
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def table_shape(keys: Mapping[str, Shape], optional: frozenset[str] = frozenset()) -> Shape:
    """A table of these keys, each of its shape; only the optional ones may be left out."""

    def shape(path: str, value: object) -> dict[str, Any]:
        table_held = _table(path, value)
        for key in table_held:
            if key not in keys:
                raise unknown_name(_path_inside(path, "key"), key, keys)
        for key in keys:
            if key not in table_held and key not in optional:
                raise InputError(f"{_path_inside(path, key)}: is missing")
        return {
            key: keys[key](_path_inside(path, key), table_held[key])
            for key in keys
            if key in table_held
        }

    return shape


def counts_shape(names: list[str]) -> Shape:
    """A table of whole numbers by name."""
    return table_shape(dict.fromkeys(names, whole_number_shape()), frozenset(names))


def tuple_shape(*shapes: Shape) -> Shape:
    """A list of fixed length, each value of its own shape."""

    def shape(path: str, value: object) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(shapes):
            raise _shape_error(path, value, f"a list of {len(shapes)}")
        return tuple(shape(f"{path}[{i}]", value[i]) for i, shape in enumerate(shapes))

    return shape


def texts_shape(path: str, value: object) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list):
        raise refusal(path, value, "a list of texts")
    return tuple(text_shape(f"{path}[{i}]", item) for i, item in enumerate(value))


def text_shape(path: str, value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise refusal(path, value, "a text")
    return value


def digest_shape(path: str, value: object) -> str:
    """A SHA-256 in hexadecimal digits."""
    if len(text_shape(path, value)) != 64 or set(str(value)) - set("0123456789abcdef"):
        raise refusal(path, value, "a SHA-256: 64 hexadecimal digits")
    return str(value)


def truth_value_shape(path: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise refusal(path, value, "true or false")
    return value


def whole_number_shape(least: int = 0, most: int = MOST_INTEGER) -> Shape:
    """A whole number."""

    def shape(path: str, value: object) -> int:
        return whole_number(path, value, least, most)

    return shape


def real_number_shape(least: float, most: float) -> Shape:
    """A finite number."""
    allowed = f"a number from {least:g} to {most:g}"

    def shape(path: str, value: object) -> float:
        number = real_number(path, value, allowed)
        if not least <= number <= most:
            raise refusal(path, value, allowed)
        return number

    return shape


def optional_shape(shape: Shape) -> Shape:
    """A value of a shape, or None."""
    return lambda path, value: None if value is None else shape(path, value)


def one_key_shape(shapes: Mapping[str, Shape]) -> Shape:
    """A table of one key, which names the shape of its value."""

    def shape(path: str, value: object) -> dict[str, Any]:
        table_held = _table(path, value)
        if len(table_held) != 1:
            raise _shape_error(path, value, f"a table of one key: {' or '.join(shapes)}")
        table_found: dict[str, Any] = table_shape(shapes, frozenset(shapes))(path, table_held)
        return table_found

    return shape


def any_table_shape(path: str, value: object) -> dict[str, Any]:
    """A table with any content."""
    return _table(path, value)


def _table(path: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _shape_error(path, value, "a table of keys")
    return value


def _shape_error(path: str, value: object, allowed: str) -> InputError:
    return (
        refusal(path, value, allowed)
        if path
        else InputError(f"{quote_value(value)}: must be {allowed}")
    )


def _path_inside(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _no_json(constant: str) -> NoReturn:
    raise ValueError(constant)
