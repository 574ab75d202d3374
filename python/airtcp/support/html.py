"""Small HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def html_rows(title: str, rows: Mapping[str, str]) -> str:
    """A table of two columns, names and texts."""
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(text)}</td></tr>"
        for name, text in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption>{body}</table>"
