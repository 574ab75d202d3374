"""Finished live runs: a line of JSON each in a file of the results folder, written as they end."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp._files import read_file, writing

if TYPE_CHECKING:
    from airtcp.scenario import Point

FILE = "live.jsonl"
Key = tuple[str, int, str, int]


class Kept:
    """What was measured, by point, whose TCP, and replication; in memory without a folder."""

    def __init__(self, folder: Path | None, seed: int, metrics: Collection[str]) -> None:
        """With what the folder has. A line that was torn when a run was killed does not count."""
        self._metrics = metrics
        self._file = None if folder is None else folder / FILE
        self._seed = seed
        self._runs: dict[Key, dict[str, Any]] = {}
        if self._file is not None and self._file.exists():
            for line in read_file(self._file).decode(errors="replace").splitlines():
                self._read(line)

    def get(self, point: Point, tcp: str, replication: int) -> dict[str, Any] | None:
        """The metrics of a run, None if it was not run."""
        return self._runs.get(self._key(point, tcp, replication))

    def add(self, point: Point, tcp: str, replication: int, found: dict[str, Any]) -> None:
        """Keep a run."""
        key = self._key(point, tcp, replication)
        self._runs[key] = found
        if self._file is None:
            return
        line = "\n" + json.dumps({"key": key, "run": found})  # whatever was torn before it
        with writing(self._file), self._file.open("a", encoding="utf-8") as file:
            file.write(line)

    def _key(self, point: Point, tcp: str, replication: int) -> Key:
        return (f"{_native.MODEL_VERSION}/{point.hash}", self._seed, tcp, replication)

    def _read(self, line: str) -> None:
        try:
            read = json.loads(line)
            name, seed, tcp, replication = read["key"]
            run = {one: _number(read["run"][one]) for one in self._metrics}
            key = (str(name), operator.index(seed), str(tcp), operator.index(replication))
            self._runs[key] = run | {"valid": read["run"]["valid"] is True}
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return


def _number(value: object) -> float:
    """A metric, NaN where it was not measured. Raises `ValueError`, `OverflowError`."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or math.isinf(value):
        raise ValueError(value)
    return float(value)
