"""The README.txt of a results folder: what each file in it is, and what may be removed."""

from __future__ import annotations

from pathlib import Path

from airtcp.campaign.commit_count import COUNT_FILE_SUFFIX
from airtcp.campaign.folder import CAMPAIGN_LOCK_FILE, WRITER_LOCK_FILE
from airtcp.campaign.journal import JOURNAL_FILE as JOURNAL
from airtcp.campaign.manifest import DATA_FOLDER
from airtcp.campaign.manifest import MANIFEST_FILE as MANIFEST
from airtcp.support.files import name_in_write_errors

README_FILE = "README.txt"
_TITLE = "Results of airtcp"
# Patterns of names, and what is there; for people, so that it says what they can do.
FILE_DESCRIPTIONS = {
    "report.html": "page with figures, tables and verdicts; needs no other file",
    "*.html": "page of a reproduced paper, or of a part of one",
    "*.svg": "figures of the page",
    "table.csv": "table of the page, with all columns",
    "verdicts.csv": "comparison of the engines, point by point",
    "models.csv": "answers of the formulas",
    "links.csv": "what the links did",
    "traffic.csv": "what cross-traffic met",
    "*.csv": "tables of a reproduced paper, and its claims (-claims.csv)",
    "scenario.toml": "scenario that was run",
    MANIFEST: "what was run (scenario, seed, versions), and the SHA-256 of each file of data",
    f"{DATA_FOLDER}/*.parquet": "runs, one per row (part: of flows, links, traffic, live);"
    " made again from the journal by the same command",
    JOURNAL: "journal, an SQLite file: every finished run; without it all runs are computed again",
    "runs-*.sqlite": "journal that took the place of a damaged one",
    f"runs*.sqlite{COUNT_FILE_SUFFIX}": "how many times the journal was written; tells whether its"
    " end is lost",
    "*.sqlite-wal": "last part of the journal, beside it while it is in use; belongs to it",
    "*.sqlite-shm": "index of that part",
    "kept/*.json": "how a reproduction was computed, so that it is taken from here the next time",
    CAMPAIGN_LOCK_FILE: "hidden; held while a command uses the folder; may be removed when none"
    " does",
    WRITER_LOCK_FILE: "hidden; held while a command writes data; may be removed when none does",
}


def write_folder_readme(folder: Path) -> None:
    """Write the README of a folder, unless somebody else's has its name.

    Raises `InputError` for one that cannot be written, `OSError` for a full disk.
    """
    with name_in_write_errors(folder / README_FILE) as path:
        if not path.is_file() or path.read_text("utf-8", "replace").startswith(_TITLE):
            path.write_text(_readme_text(), encoding="utf-8")


def _readme_text() -> str:
    width = max(map(len, FILE_DESCRIPTIONS)) + 2
    lines = [f"{name:{width}}{description}" for name, description in FILE_DESCRIPTIONS.items()]
    first = [
        f"{_TITLE}. Read them by `airtcp results DIR`, draw them by `airtcp plot DIR`, go on or",
        "repeat by the command that made them. A folder has those of these files that it needs:",
    ]
    return "\n".join([*first, "", *lines, ""])
