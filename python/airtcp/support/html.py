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
    return _without_mathematics(f"<table><caption>{escape(title)}</caption>{body}</table>")


def text_above_table(said: str, table: str) -> str:
    """A text above a table, which is HTML already."""
    return _without_mathematics(f"<p>{escape(said, quote=False)}</p>{table}")


def _without_mathematics(html: str) -> str:
    """HTML in which a notebook sees no mathematics between dollars (MathJax 2 and 3)."""
    if "$" not in html:
        return html
    return f'<div class="tex2jax_ignore mathjax_ignore">{html}</div>'
