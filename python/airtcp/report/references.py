"""The bibliography: BibTeX entries by key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from airtcp import _native


@cache
def bibliography() -> dict[str, str]:
    """Key -> BibTeX entry, in the order of the bibliography."""
    entry = re.compile(r"^@\w+\{([^,]+),.*?^\}", re.DOTALL | re.MULTILINE)
    return {found[1]: found[0] for found in entry.finditer(_native.references())}


def bibtex(keys: Iterable[str]) -> str:
    """The entries of `keys`, each once, as the text of a .bib file. KeyError for an unknown key."""
    return "\n".join(f"{bibliography()[key]}\n" for key in dict.fromkeys(keys))
