"""The error that refuses an input, with one line that says which one and what is allowed."""

from __future__ import annotations

import difflib
import errno
import math
import operator
import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

from airtcp import _native
from airtcp.terminal import visible_line

T = TypeVar("T")
MOST_LETTERS_QUOTED = 80  # characters of a value in a message
_QUOTED_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_UNKNOWN_NAME = re.compile(r'unknown name "([^"]*)"')
_NO_KEY = re.compile(r'unknown key "([^"]*)"(; did you mean "[^"]*"\?)?( \(allowed: .*)', re.DOTALL)
_HOP_TABLE_NAMES = ("hop", "hops")
_FOREIGN_HOP_KEYS = {  # words of other tools -> how a scenario says it
    "rtt": "a hop has a delay, one way: half of the round trip",
    "latency": "a hop has a delay, one way",
    "bandwidth": 'a hop has a rate, such as rate = "10Mbps"',
    "buffer": "a hop has a queue, such as queue = 100",
    "loss": 'a hop has a channel, such as channel = {kind = "iid", loss_rate = 0.01}',
    "loss_rate": 'a hop has a channel, such as channel = {kind = "iid", loss_rate = 0.01}',
}
_KIND_OF_FLOW = (
    "a flow is bulk, or what its sizes or its video say; a call is cross-traffic: [[traffic]] with"
    ' rate = "80kbps", packet = "200B"'
)
_KINDS_OF_TABLES = {  # keys that hold tables of a kind -> those kinds, as `registry` has them
    "queue": "queues",
    "channel": "channels",
    "exit": "channels",
    "marks": "channels",
    "gate": "gates",
    "rates": "rates",
    "jitter": "laws",
}
_BARE_TEXT = re.compile(r'"([^"]*)" is ')
_LIST_INDEX = re.compile(r"\[[0-9]+\]$")
KERNEL_ONLY = (  # of Linux's congestion control, net/ipv4/tcp_*.c, what is no variant
    *("bbr", "bic", "cdg", "dctcp", "highspeed", "htcp", "hybla", "illinois", "lp", "nv"),
    *("scalable", "vegas", "veno", "westwood", "yeah"),
)
_EXAMPLES = {
    "channel": 'channel = {kind = "iid", loss_rate = 0.01}',
    "path": '[[path.hop]] with rate = "1Mbps" and delay = "10ms"',
    "path.hop": '[[path.hop]] with rate = "1Mbps" and delay = "10ms"',
}
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class InputError(ValueError):
    """An input outside the domain of a model: its message names field, value and domain.

    Examples
    --------
    >>> import airtcp as at
    >>> at.TwoState.iid(1.5)
    Traceback (most recent call last):
        ...
    airtcp.errors.InputError: loss_rate = 1.5: must be a probability in [0, 1]
    """

    def __init__(self, message: str) -> None:
        """Take the message on one line, with control characters made visible."""
        super().__init__(visible_line(message))


class ScenarioError(InputError):
    """A mistake in a scenario: the line is ``source: path: reason``.

    - `source`: the file, or "scenario" for one that was built in Python;
    - `path`: dotted path of the key, empty if the mistake belongs to no key;
    - `reason`: the value, what is allowed, the nearest valid name.
    """

    def __init__(self, source: str, path: str, reason: str) -> None:
        """Join the parts to one line."""
        parts = (source, _cut(path), shorten_message(reason))
        super().__init__(": ".join(part for part in parts if part))
        self.source = source
        self.path = path
        self.reason = reason


class Renamed(FutureWarning):
    """Warns that something was called by the name that it had in an earlier version."""


class RenamedMetric(Renamed):
    """Warns of an earlier name of a metric."""


class RenamedKey(Renamed):
    """Warns of an earlier name of a scenario's key."""


class RenamedName(Renamed):
    """Warns of an earlier name of a function, class or attribute in Python."""


def warn_renamed(message: str, category: type[Renamed]) -> None:
    """Warn of an earlier name, at the line outside this package that used it."""
    frame, level = sys._getframe(1), 2
    own = __name__.partition(".")[0]
    while frame.f_back is not None:
        module = frame.f_globals.get("__name__", "").partition(".")[0]
        if module not in (own, "importlib"):
            break
        frame = frame.f_back
        level += module == own  # `warnings` does not count the frames of an import statement
    warnings.warn(message, category, stacklevel=level)


class ClusterError(RuntimeError):
    """A cluster that does not answer, or does not do what it was asked: the message says which."""


def refuses_unknown(table: type[T]) -> type[T]:
    """A dataclass that proposes the nearest field where it is given one that it has not."""
    fill: Callable[..., None] = vars(table)["__init__"]
    known = [field.name for field in fields(table)]  # type: ignore[arg-type]

    @wraps(fill)
    def init(self: object, *given: Any, **named: Any) -> None:
        for name in named:
            if name not in known:
                near = nearest_name(name, known)
                hint = f"; did you mean {near!r}?" if near else ""
                refusal_text = (
                    f"{table.__name__} has no {name!r}{hint} (allowed: {', '.join(known)})"
                )
                raise TypeError(refusal_text)
        fill(self, *given, **named)

    setattr(table, "__init__", init)  # noqa: B010  (a type's own is not to be assigned)
    return table


def with_hint(path: str, reason: str) -> str:
    """The reason for refusing the value at `path`, with a suggestion of what was meant."""
    other = _NO_KEY.match(reason)
    if other and (meant := _key_for_foreign_key(path, other[1], other[3])):
        return f'unknown key "{other[1]}": {meant}{other[3]}'
    hint = next(_hints(path, reason), "")
    return f"{reason}; {hint}" if hint else reason


def _hints(path: str, reason: str) -> Iterator[str]:
    unknown = _UNKNOWN_NAME.match(reason)
    name = "" if unknown is None else unknown[1].lower()
    key, having = _LIST_INDEX.sub("", path).rpartition(".")[2], _profiles_with_control(name)
    live = _kernel_command_hint(path, reason, name) if name in KERNEL_ONLY else ""
    if key == "variant" and having:
        key_path = f"{path.removesuffix('variant')}congestion"
        hint = f'"{name}" is a congestion control: {key_path} = "{name}", in {having}'
        yield f"{hint}; {live}" if live and "rfc" not in having else hint
    if key == "congestion" and having:
        yield f"{having} has it; {live}" if live else f"{having} has it"
    if live:
        yield live
    if kind := _suggest_kind(key, reason):
        yield f'write {key} = {{kind = "{kind}"}}'
    if path in _EXAMPLES and reason == "missing":
        yield f"such as {_EXAMPLES[path]}"
    if path == "channel" and ", not of " in reason:
        yield "on a path a hop has one: path.hop[0].channel"
    if path == "stop.precision" and reason.endswith(" is not a table of keys"):
        yield "write stop.precision.relative"
    if path in ("path.hop", "flow") and reason.endswith(" is not a list"):
        yield f"write [[{path}]]"


def _key_for_foreign_key(path: str, key: str, allowed: str) -> str:
    """The key of a scenario for a key of another tool; empty where there is none."""
    if not path and key in _HOP_TABLE_NAMES and " path," in allowed:
        return "write [[path.hop]]"
    if key in ("kind", "voice") and re.fullmatch(r"flow\[[0-9]+\]", path):
        return _KIND_OF_FLOW
    return _FOREIGN_HOP_KEYS.get(key, "") if re.fullmatch(r"path\.hop\[[0-9]+\]", path) else ""


def _suggest_kind(key: str, reason: str) -> str:
    """The kind of a table in whose place its name was given, or nearly."""
    bare = _BARE_TEXT.match(reason)
    if bare is None or key not in _KINDS_OF_TABLES:
        return ""
    names = [name for name, _, _ in _native.registry()[_KINDS_OF_TABLES[key]]]
    return next(iter(difflib.get_close_matches(bare[1].lower().replace("_", "-"), names, 1)), "")


def _profiles_with_control(name: str) -> str:
    """The profiles that have a congestion control: "profile linux", "profiles rfc and linux"."""
    controls = _native.congestion_controls()
    having = [control for control in controls if name in {entry[0] for entry in controls[control]}]
    return f"profile{'s' * (len(having) > 1)} {' and '.join(having)}" if having else ""


def _kernel_command_hint(path: str, reason: str, name: str) -> str:
    """The command that runs a control of the kernel on the path of the same scenario."""
    key = _LIST_INDEX.sub("", path)
    known = "sack" if ", sack" in reason else "reno"
    return f"the kernel may have it: airtcp live FILE --set {key}={known} --congestion {name}"


def refusal(field: str, value: object, allowed: str) -> InputError:
    """The `InputError` for one field: ``refusal("window", 0, "an integer >= 1")``."""
    return InputError(f"{field} = {quote_value(value)}: must be {allowed}")


def unknown_name(field: str, value: object, known: Iterable[str]) -> InputError:
    """The `InputError` for a name that is not in a list; it proposes the nearest one."""
    names = list(known)
    return nearest_name_error(field, value, f"one of {', '.join(names)}", names)


def nearest_name_error(field: str, value: object, allowed: str, names: Iterable[str]) -> InputError:
    """The `InputError` for a name that is none of `names`; it proposes the nearest one."""
    near = nearest_name(value, names)
    return refusal(field, value, allowed + (f" (did you mean {near!r}?)" if near else ""))


def nearest_name(value: object, names: Iterable[str]) -> str:
    """The one of `names` that comes closest to a value; empty if none does."""
    asked = value.lower() if isinstance(value, str) else ""
    return next(iter(difflib.get_close_matches(asked, list(names), n=1, cutoff=0.5)), "")


def known_name(field: str, value: object, known: Iterable[str]) -> None:
    """`InputError` unless `value` is in a list of names."""
    names = list(known)
    if not isinstance(value, str) or value not in names:
        raise unknown_name(field, value, names)


def unusable_file_error(path: object, error: OSError) -> InputError | OSError:
    """The error for a file that cannot be read or written.

    An `OSError` that names the file where the disk is full or broken, else an `InputError`.
    """
    if error.errno in _DISK_ERRORS:
        return OSError(error.errno, os_reason(error), str(path))
    return InputError(f"{path}: {os_reason(error)}")


def os_reason(error: OSError) -> str:
    """The operating system's reason, without number and file."""
    return os.strerror(error.errno) if error.errno else str(error)


def whole_number(field: str, value: object, least: int, most: int) -> int:
    """`value` as an int in [least, most], or `InputError`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise refusal(field, value, f"a whole number from {least} to {most}")
    return number


def real_number(field: str, value: Any, allowed: str) -> float:
    """`value` as a finite float, or `InputError`; a text and a truth value are no numbers."""
    try:
        plain_value = value.tolist() if hasattr(value, "tolist") else value
        number = (
            math.nan
            if isinstance(plain_value, (bool, str, bytes, bytearray))
            else float(plain_value)
        )
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise refusal(field, value, allowed)
    return number


def quote_value(value: object) -> str:
    """A value as it is written in Python, cut where it is long."""
    try:
        return _cut(repr(value))
    except (ValueError, RecursionError):  # an integer of thousands of digits; deep lists
        return f"<{type(value).__name__}>"


def set_words(key: str, value: str = "VALUE") -> str:
    """The option that sets a key, quoted where a shell would read a bracket or brace otherwise."""
    return f"--set {shlex.quote(f'{key}={value}')}"


def shorten_message(text: str) -> str:
    """A message whose quoted texts are cut where they are long, and itself too."""
    cut = _QUOTED_TEXT.sub(lambda match: f'"{_cut(match[1])}"', text)
    return cut if len(cut) <= 800 else f"{cut[:400]} ... {cut[-200:]}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_LETTERS_QUOTED else f"{text[:MOST_LETTERS_QUOTED]}..."


def one_line(text: str) -> str:
    """`text` without line breaks, for messages of libraries that have several lines."""
    return " ".join(text.splitlines())


def count(number: int, noun: str) -> str:
    """A number with its noun, in the plural if needed: ``1 run``, ``20 000 slots``."""
    digits = f"{number:_}".replace("_", " ") if number >= 10_000 else str(number)
    return f"{digits} {noun}" + ("" if number == 1 else "s")
