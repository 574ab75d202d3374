"""Verdicts on scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp import _native
from airtcp.packetdrill.scripts import find, read_script


@dataclass(frozen=True)
class ScriptVerdict:
    """Verdict on a script.

    - `script`: its file;
    - `verdict`: "passes", "fails" (the host does something else), or "refused" (the script asks for
      a feature that is unknown or missing);
    - `line`, `column`: where, from 1; None where a script passes, `column` also where it fails;
    - `expected`, `came`: of a failure; `reason`: of a refusal;
    - `printed`: the lines that the code of the script printed.
    """

    script: str
    verdict: str
    line: int | None = None
    column: int | None = None
    expected: str | None = None
    came: str | None = None
    reason: str | None = None
    printed: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The verdict in one line."""
        match self.verdict:
            case "fails":
                return f"{self.script}: line {self.line}: expected {self.expected}; {self.came}"
            case "refused":
                return f"{self.script}:{self.line}:{self.column}: {self.reason}"
            case _:
                return f"{self.script}: passes"

    def to_dict(self) -> dict[str, Any]:
        """The known fields, as plain data."""
        known = {name: value for name, value in vars(self).items() if value is not None}
        return {**known, "printed": list(self.printed)}


def play(paths: str | Path | Iterable[str | Path]) -> Iterator[ScriptVerdict]:
    """Play scripts, and scripts in folders, each on a machine of its own, one after the other.

    Raises `InputError` for a file that cannot be read, before anything is played.
    """
    several = [paths] if isinstance(paths, str | Path) else paths
    scripts = [(str(path), read_script(path)) for path in find(several)]
    return (_play_script(*script) for script in scripts)


def _play_script(name: str, text: str) -> ScriptVerdict:
    (verdict_fields,) = json.loads(_native.packetdrill([(name, text)]))
    return ScriptVerdict(**{**verdict_fields, "printed": tuple(verdict_fields["printed"])})
