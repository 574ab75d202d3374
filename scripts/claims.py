"""The index of claims, docs/evidence/index.md, from docs/evidence/claims.toml.

Each claim of truth or speed that the project makes, with its verdict, the commands that check it,
the control that must fail, and when it was last computed in full.
"""

from __future__ import annotations

import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

import speeds

ROOT = Path(__file__).parent.parent
FILE = "docs/evidence/index.md"
DATA = "docs/evidence/claims.toml"
Claim = dict[str, Any]
_HEAD = f"""# Evidence

<!-- Made by scripts/claims.py from {DATA}: change it there. -->

What may be believed, and why. Each claim has a verdict with its figures, the commands that compute
it anew, the tests that repeat it at every change, and a control: something wrong that the check
must find, for a check that cannot fail shows nothing. The last line says when it was computed in
full, and the commit that has the result.

How sure a single number is: [statistics](../explanation/statistics.md). Which tool to take where
airtcp is not enough: [other tools](comparison.md).
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
    for group, members in groupby(claims(), key=lambda one: str(one["group"])):
        parts += [f"## {group}\n", *(_entry(one) for one in members)]
    return "\n".join(parts)


def _entry(claim: Claim) -> str:
    lines = [
        f"### {claim['name']}\n",
        f"{claim['claim']}\n",
        f"- **Verdict.** {verdict(claim)} {_links(claim['pages'])}",
        f"- **Check.** {_code(claim['check'])}; at every change {_code(claim['daily'])}",
        f"- **Control.** {claim['control']} {_code(claim['shown_by'])}",
        f"- **Last in full.** {claim['checked']}, {claim['commit']}",
    ]
    return "\n".join(lines) + "\n"


def _code(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _links(pages: list[str]) -> str:
    """Links from the folder of the index, by the heads of the pages."""
    return ", ".join(f"[{_title(one)}]({_from_here(one)})" for one in pages)


def _from_here(name: str) -> str:
    return name.removeprefix("evidence/") if name.startswith("evidence/") else f"../{name}"


def _title(name: str) -> str:
    text = (ROOT / "docs" / name.partition("#")[0]).read_text(encoding="utf-8")
    return next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# ")
