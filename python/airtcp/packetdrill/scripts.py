"""Locations of scripts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from airtcp.errors import InputError, unusable_file_error
from airtcp.support.files import file_name, read_file

MOST_SCRIPTS = 100_000  # scripts of a call
MOST_BYTES = 1 << 22  # of a script
SUFFIX = ".pkt"


def find(paths: Iterable[str | Path]) -> list[Path]:
    """The scripts that `paths` name: files as they are; for folders every *.pkt below, by name.

    Raises `InputError` for a path that does not exist, and for a folder without scripts.
    """
    scripts_found: list[Path] = []
    for given_path in paths:
        path = file_name("script", given_path, "the name of a script or of a folder")
        scripts_found += _scripts_below(path) if path.is_dir() else [path]
        if len(scripts_found) > MOST_SCRIPTS:
            raise InputError(f"script {path}: more than {MOST_SCRIPTS} scripts; give fewer")
    return scripts_found


def _scripts_below(folder: Path) -> list[Path]:
    """The scripts of a folder and of its folders; links to folders are not followed."""

    def stop(error: OSError) -> None:
        raise unusable_file_error(folder, error)

    scripts = [
        Path(place) / name
        for place, _, names in os.walk(folder, onerror=stop)
        for name in names
        if name.endswith(SUFFIX)
    ]
    if not scripts:
        raise InputError(f"script {folder}: has no *{SUFFIX}")
    return sorted(scripts)


def read_script(script: Path) -> str:
    """The text of a script. Raises `InputError`."""
    try:
        return read_file(script, MOST_BYTES).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{script}: is not UTF-8 from byte {error.start} on") from None
