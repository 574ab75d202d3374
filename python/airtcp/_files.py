"""Folders for results."""

from __future__ import annotations

from pathlib import Path

from airtcp.errors import unusable


def directory(path: str | Path) -> Path:
    """`path` as a directory that exists, or `InputError`."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(path, error) from None
    return folder
