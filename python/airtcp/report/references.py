"""The bibliography: BibTeX entries by key."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from airtcp import _native


@cache
def bibliography() -> dict[str, str]:
    """Key -> BibTeX entry, in the order of the bibliography."""
    entry = re.compile(r"^@\w+\{([^,]+),.*?^\}", re.DOTALL | re.MULTILINE)
    return {match[1]: match[0] for match in entry.finditer(_native.references())}


def bibtex_entries(keys: Iterable[str]) -> str:
    """The entries of `keys`, each once, as the text of a .bib file. KeyError for an unknown key."""
    return "\n".join(f"{bibliography()[key]}\n" for key in dict.fromkeys(keys))


def plain_references(keys: Iterable[str]) -> str:
    """References as plain text, a line each."""
    return "".join(f"{_reference_line(bibliography()[key])}\n" for key in dict.fromkeys(keys))


_PLACE_FIELDS = ("journal", "booktitle", "howpublished", "publisher", "organization", "institution")


def _reference_line(entry: str) -> str:
    """Authors: Title. Place (year)."""
    fields_found = re.findall(r"^  (\w+) *= \{(.*)\},?$", entry, re.MULTILINE)
    fields = {name: _without_latex(value) for name, value in fields_found}
    names = (fields.get("author") or fields.get("editor", "")).split(" and ")
    place = " ".join(fields[name] for name in ("type", "number") if fields.get("type"))
    place = place or next((fields[name] for name in _PLACE_FIELDS if name in fields), "")
    number = f"({fields['number']})" if "number" in fields else ""
    volume = f"{fields['volume']}{number}" if "volume" in fields else ""
    parts = [f"{place} {volume}".strip(), f"pp. {fields['pages']}" if "pages" in fields else ""]
    if "version" in fields:
        parts.append(f"version {fields['version']}")
    place_and_year = ", ".join(part for part in (*parts, fields.get("year", "")) if part)
    return f"{'; '.join(names)}: {fields['title']}. {place_and_year}."


def _without_latex(value: str) -> str:
    """A value without the braces, accents and dashes of LaTeX."""
    accented = re.sub(r'\{\\"(\w)\}', lambda match: f"{match[1]}\N{COMBINING DIAERESIS}", value)
    plain_text = accented.replace("--", "\N{EN DASH}").replace("{", "").replace("}", "")
    return unicodedata.normalize("NFC", plain_text)
