"""The error that refuses an input, with one line that says which one and what is allowed."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable


class InputError(ValueError):
    """An input outside the domain of a model: its message names field, value and domain."""


class ScenarioError(InputError):
    """A mistake in a scenario: the line is ``source: path: reason``.

    - `source`: the file, or "scenario" for one that was built in Python;
    - `path`: dotted path of the key, empty if the mistake belongs to no key;
    - `reason`: the value, what is allowed, the nearest valid name.
    """

    def __init__(self, source: str, path: str, reason: str) -> None:
        """Join the parts to one line."""
        super().__init__(one_line(": ".join(part for part in (source, path, reason) if part)))
        self.source = source
        self.path = path
        self.reason = reason


def refusal(field: str, value: object, allowed: str) -> InputError:
    """The `InputError` for one field: ``refusal("window", 0, "an integer >= 1")``."""
    return InputError(f"{field} = {value!r}: must be {allowed}")


def unknown_name(field: str, value: object, known: Iterable[str]) -> InputError:
    """The `InputError` for a name that is not in a list; it proposes the nearest one."""
    names = list(known)
    near = difflib.get_close_matches(str(value).lower(), names, n=1, cutoff=0.5)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return refusal(field, value, f"one of {', '.join(names)}{hint}")


def unusable(path: object, error: OSError) -> InputError:
    """The `InputError` for a file that cannot be read or written."""
    return InputError(one_line(f"{path}: {error.strerror or error}"))


def whole_number(field: str, value: object, least: int, most: int) -> int:
    """`value` as an int in [least, most], or `InputError`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise refusal(field, value, f"a whole number from {least} to {most}")
    return number


def one_line(text: str) -> str:
    """`text` without line breaks, for messages that quote what a user wrote."""
    return " ".join(text.splitlines())
