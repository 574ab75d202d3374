"""Scenarios and values of keys that the words of a command line stand for."""

from __future__ import annotations

import copy
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from airtcp.errors import InputError, ScenarioError, quote_value

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Scenario


def load_scenario(file: str, sets: Sequence[str]) -> Scenario:
    """The scenario in `file`, "-" for standard input, with the values of --set in it."""
    from airtcp.scenario.document import read_document, read_stream  # noqa: PLC0415
    from airtcp.scenario.renamed import present_changes  # noqa: PLC0415
    from airtcp.scenario.scenario import Scenario, with_values  # noqa: PLC0415

    is_stream = file == STANDARD_INPUT
    document = (
        read_stream(_standard_input(), "standard input") if is_stream else read_document(file)
    )
    source = "standard input" if is_stream else file
    given, profile = dict(map(assignment, sets)), document.get("profile")
    changes = present_changes(given, profile)
    try:
        copied = copy.deepcopy(document)
    except RecursionError:
        raise ScenarioError(source, "", "nested too deeply") from None
    try:
        changed = with_values(copied, changes)
        return Scenario.from_dict(changed, source=source, folder=os.path.dirname(file))
    except ScenarioError as error:
        guilty = next((key for key in changes if _refuses_key(error, key, document)), None)
        if guilty is None:
            raise
        inside = error.path if error.path.startswith(f"{guilty}.") else ""
        raise ScenarioError(f"--set {guilty}", inside, error.reason) from None


STANDARD_INPUT = "-"  # as the name of a scenario file


def _standard_input() -> BinaryIO:
    if sys.stdin is None:  # it is closed by <&-
        raise InputError("standard input: is closed; give a scenario file")
    return sys.stdin.buffer


def _refuses_key(error: ScenarioError, key: str, document: Mapping[str, Any]) -> bool:
    """True if the error refuses the value that --set gave to `key`."""
    from airtcp.scenario.scenario import value_at  # noqa: PLC0415

    table, _, name = key.rpartition(".")
    if error.path == key or error.path.startswith((f"{key}.", f"{key}[")):
        return True
    if error.path == table and f'key "{name}"' in error.reason:
        return True
    above = bool(error.path) and key.startswith(f"{error.path}.")
    return above and value_at(dict(document), error.path) is None  # --set made that table


def assignment(text: str, option: str = "--set", example: str = "tcp.window=24") -> tuple[str, Any]:
    """(key, value) of KEY=VALUE; the value is one of TOML, a bare text, or a list of them."""
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not all(key.split(".")):
        raise InputError(f"{option} {quote_value(text)}: must be KEY=VALUE such as {example}")
    return key, toml_value(value.strip())


def toml_value(text: str) -> Any:
    """A TOML value, or a bare text, or a list of them in brackets."""
    try:
        document = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise InputError(f"{quote_value(text)}: nested too deeply") from None
    except ValueError:
        document = {}
    if list(document) == ["value"]:
        return document["value"]
    if text.startswith("[") and text.endswith("]"):
        return [toml_value(item.strip()) for item in text[1:-1].split(",")]
    return text


def parse_overs(overs: Sequence[str]) -> dict[str, list[Any]]:
    """Values to choose among by key, of texts such as "tcp.variant=sack,reno,queue=20,80".

    A part behind a comma that begins with KEY= begins the values of another key.
    """
    values_of_key: dict[str, list[Any]] = {}
    for text in overs:
        key = ""
        for part in _split_at_commas(text):
            if begins := _ASSIGNMENT.match(part):
                key = begins[1]
                if key in values_of_key:
                    raise InputError(f"--over {key}: is given twice; give it once")
                values_of_key[key] = []
            value = (begins[2] if begins else part).strip()
            if not key or not value:
                raise InputError(
                    f"--over {quote_value(text)}: must be KEY=A,B,... such as tcp.window=8,16"
                )
            values_of_key[key].append(toml_value(value))
    return values_of_key


_ASSIGNMENT = re.compile(r"\s*([A-Za-z_][\w.\[\]]*)\s*=(.*)", re.DOTALL)
_DEPTH_CHANGE, _QUOTES = {"{": 1, "[": 1, "}": -1, "]": -1}, "\"'"


def _split_at_commas(text: str) -> Iterator[str]:
    """Split a text at its commas, except those in braces, brackets and quotes."""
    part, depth, quote = "", 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        elif letter == "," and depth <= 0:
            yield part
            part = ""
            continue
        depth += 0 if quote else _DEPTH_CHANGE.get(letter, 0)
        part += letter
    yield part
