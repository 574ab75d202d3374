"""Results of long studies by seed, kept as they come: a study goes on where it was interrupted."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from airtcp.support.cores import usable_cores

Run: TypeAlias = Callable[[Callable[[int], Any], Iterable[int]], Iterable[Any]]
CHUNK = 100  # results of one file


def workers() -> ProcessPoolExecutor:
    """A process for each core, with one thread of linear algebra each.

    More threads than cores wait for each other: matrices of 25 rows took ten times as long.
    """
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # read when a new process loads NumPy
    return ProcessPoolExecutor(usable_cores(), multiprocessing.get_context("spawn"))


@dataclass(frozen=True)
class Kept:
    """A folder with a file for every hundred results; those that are there are not made again."""

    folder: Path
    run: Run

    def of(self, name: str) -> Run:
        """Runs calls of seeds from 0 on, whose results JSON can hold."""
        slug = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")

        def run(call: Callable[[int], Any], seeds: Iterable[int]) -> list[Any]:
            found: list[Any] = []
            count = len(list(seeds))
            self.folder.mkdir(parents=True, exist_ok=True)
            while len(found) < count:
                first = len(found)
                path = self.folder / f"{slug}-{first}.json"
                some: list[Any] = []
                if path.exists():
                    some = json.loads(path.read_text(encoding="utf-8"))
                missing = range(first + len(some), min(first + CHUNK, count))
                if missing:
                    some.extend(self.run(call, missing))
                    part = path.with_suffix(".part")
                    part.write_text(json.dumps(some), encoding="utf-8")
                    part.replace(path)
                found.extend(some)
            return found[:count]

        return run
