"""The files of a results folder, compared with its manifest.

What is missing, not as the manifest says, or not in the manifest is a *problem*: a line that names
the file. Such a file is not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from airtcp.campaign.manifest import DATA_FOLDER, DataFile
from airtcp.errors import count, os_reason
from airtcp.support.files import sha256_of_file

_HASHING_THREADS = 4  # hashlib releases the GIL


def check_files(folder: Path, files: Sequence[DataFile]) -> tuple[list[Path], list[str]]:
    """(files that are what the manifest says, problems): every byte of every file is read."""
    with ThreadPoolExecutor(_HASHING_THREADS) as pool:
        file_problems = list(
            pool.map(lambda entry: _reason_against_file(folder / entry.name, entry), files)
        )
    good = [
        folder / file.name
        for file, problem in zip(files, file_problems, strict=True)
        if problem is None
    ]
    return good, [*filter(None, file_problems), *_foreign_files(folder, files)]


def _reason_against_file(path: Path, entry: DataFile) -> str | None:
    """Reason why a file cannot be used, if there is one."""
    try:
        digest = sha256_of_file(path)
    except FileNotFoundError:
        return f"{path}: missing, {count(entry.rows, 'row')} are not there"
    except OSError as error:
        return f"{path}: {os_reason(error)}; skipped"
    if digest != entry.sha256:
        return f"{path}: damaged (its SHA-256 is not the manifest's); skipped"
    return None


def _foreign_files(folder: Path, files: Sequence[DataFile]) -> Iterator[str]:
    """Files that lie among the data and were not written with it."""
    known = {entry.name for entry in files}
    try:
        paths = sorted((folder / DATA_FOLDER).iterdir())
    except OSError:
        return
    for path in paths:
        if f"{DATA_FOLDER}/{path.name}" not in known:
            what = "" if _is_parquet(path) else "not Parquet and "
            yield f"{path}: {what}not in the manifest; skipped"


def _is_parquet(path: Path) -> bool:
    """True if a file begins and ends as Parquet does."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
            file.seek(-4, 2)
            return head == file.read(4) == b"PAR1"
    except OSError:
        return False
