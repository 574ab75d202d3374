"""The index of claims, docs/evidence/index.md, from docs/evidence/claims.toml.

Each claim of truth or speed that the project makes, with its verdict, the commands that check it,
the control that must fail, and when it was last computed in full.
"""

from __future__ import annotations

import re
import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

import speeds

ROOT = Path(__file__).parent.parent
FILE = "docs/evidence/index.md"
DATA = "docs/evidence/claims.toml"
Claim = dict[str, Any]
_HEAD = """# Evidence

<!-- Made by scripts/claims.py from claims.toml. -->

Each claim has:

- **Verdict**: the result.
- **Check**: commands that compute it anew (date and commit of the last full run), and tests that
  run at every change.
- **Control**: a fault that the check must detect.

See also [how sure a number is](../explanation/statistics.md) and [other tools](comparison.md).
"""


def claims() -> list[Claim]:
    """The claims in the order of the file."""
    found: list[Claim] = tomllib.loads((ROOT / DATA).read_text(encoding="utf-8"))["claim"]
    return found


def verdict(claim: Claim) -> str:
    """The verdict with the speed that was measured."""
    said: str = claim["verdict"]
    return said.replace("{speed}", speeds.TABLES["sentence"]().strip())


def page() -> str:
    """docs/evidence/index.md."""
    parts = [_HEAD]
    for group, members in groupby(claims(), key=lambda claim: str(claim["group"])):
        parts += [f"## {group}\n", *(_entry(claim) for claim in members)]
    return "\n".join(parts)


def _entry(claim: Claim) -> str:
    lines = [
        f"### {claim['name']}\n",
        f"{claim['claim']}\n",
        f"- **Verdict.** {verdict(claim)} {_links(claim['pages'])}",
        f"- **Check.** {_code(claim['check'])} ({claim['checked']}, {claim['commit']});"
        f" {_code(claim['daily'])}",
        f"- **Control.** {claim['control']} {_code(claim['shown_by'])}",
    ]
    return "\n".join(lines) + "\n"


def _code(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _links(pages: list[str]) -> str:
    """Links from the folder of the index, by the heads of the pages."""
    return ", ".join(f"[{_title(target)}]({_from_here(target)})" for target in pages)


def _from_here(name: str) -> str:
    return name.removeprefix("evidence/") if name.startswith("evidence/") else f"../{name}"


def _title(name: str) -> str:
    """The head of a page up to a colon or comma; the page of a paper's results is called so."""
    if name.startswith("gallery/"):
        return "results"
    text = (ROOT / "docs" / name.partition("#")[0]).read_text(encoding="utf-8")
    head = next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# ")
    return head.rpartition(": ")[2] if name.startswith("papers/") else re.split("[:,] ", head)[0]
