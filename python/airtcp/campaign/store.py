"""The place where the engines of one command keep their runs: a results folder, or memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from airtcp.campaign.dataset import (
    ROWS_PER_GROUP,
    is_undamaged,
    remove_dataset,
    simulated_tables,
    write_dataset,
)
from airtcp.campaign.explained import write_folder_readme
from airtcp.campaign.folder import hold_for_campaign, hold_for_writing
from airtcp.campaign.journal import Journal, open_journal_in, open_journal_in_memory
from airtcp.campaign.kept_runs import RunStorage, StoredRunTables
from airtcp.campaign.loop import Campaign
from airtcp.campaign.manifest import DataFile, Manifest, read_manifest
from airtcp.errors import InputError, count
from airtcp.metrics.layout import layout_of
from airtcp.scenario.scenario import Point
from airtcp.support.frame import Frame
from airtcp.support.optional import is_installed


@dataclass
class Store:
    """The journal of all engines, and the tables that each of them puts into the dataset.

    `folder`: None in memory; `tables`: tables by kind; `runs`, `rows`: numbers of runs and rows of
    the simulation; `measured`: number of runs of each other engine.
    """

    journal: Journal
    folder: Path | None = None
    tables: dict[str, Iterator[Frame]] = field(default_factory=dict)
    runs: int = 0
    rows: int = 0
    measured: dict[str, int] = field(default_factory=dict)

    def put_simulated(self, campaign: Campaign, points: Sequence[Point], seed: int) -> None:
        """Put the runs of a simulation that has ended."""
        if self.folder is None:
            return

        self.tables |= simulated_tables(campaign, points, seed)
        self.runs = campaign.total
        used = zip(campaign.runs_per_point, points, strict=True)
        self.rows = sum(runs * layout_of(point).rows for runs, point in used)

    def put_measured(
        self, storage: RunStorage, campaign: Campaign, points: Sequence[Point], seed: int
    ) -> None:
        """Put the runs of another engine: its campaign of these points, which has ended."""
        if self.folder is None:
            return

        self.tables[storage.engine] = StoredRunTables.from_campaign(
            storage, points, seed, campaign
        ).tables(ROWS_PER_GROUP)
        used = enumerate(campaign.runs_per_point)
        self.measured[storage.engine] = sum(len(campaign.runs(i, 0, n)) for i, n in used)


@contextmanager
def store_in(folder: Path | None, manifest: Manifest, problems: list[str]) -> Iterator[Store]:
    """A store that becomes dataset and manifest of a folder when all engines are done with it.

    Problems with files in the folder that were passed over are added to `problems`.
    """
    if folder is None:
        with open_journal_in_memory() as journal:
            yield Store(journal)
        return
    with (
        hold_for_campaign(folder, manifest.request_digest),
        open_journal_in(folder, problems) as journal,
    ):
        was_written, before = _is_written(folder, manifest), journal.tally.commits
        if not was_written:
            with hold_for_writing(folder):
                if not _is_written(folder, manifest):  # by another program on the same sweep
                    _replace_manifest(folder, manifest, problems)
        store = Store(journal, folder)
        yield store
        if not was_written or journal.tally.commits > before:
            with hold_for_writing(folder):
                _finish_dataset(store, manifest, folder)
        if journal.damaged:
            runs = count(journal.damaged, "damaged run")
            problems.append(f"{journal.path}: {runs} found and made again")


def note_transient(folder: Path, manifest: Manifest, note: str) -> None:
    """Write into the manifest of a finished campaign what a look for transients has found."""
    with hold_for_writing(folder):
        if manifest.complete and read_manifest(folder) == manifest:  # nobody has gone on since
            replace(manifest, transient=note).write(folder)


def _replace_manifest(folder: Path, manifest: Manifest, problems: list[str]) -> None:
    """Write the manifest of a campaign that begins, in the place of that of another one."""
    files: Sequence[DataFile] = ()
    with suppress(InputError):
        written = read_manifest(folder)
        files = written.files
        if written.model != manifest.model:
            known = f"{folder}: runs of model {written.model} are not used"
            problems.append(f"{known}; this version has model {manifest.model}")
    remove_dataset(files, folder)
    write_folder_readme(folder)
    manifest.write(folder)


def _is_written(
    folder: Path, manifest: Manifest, measured: Mapping[str, int] | None = None
) -> bool:
    """True if the dataset of this campaign is there and whole, with so many `measured` runs."""

    try:
        written = read_manifest(folder)
    except InputError:
        return False
    if not written.complete or written.request_digest != manifest.request_digest:
        return False
    if measured is not None and written.measured != measured:
        return False
    return is_undamaged(folder, written.files) if written.files else not is_installed("pyarrow")


def _finish_dataset(store: Store, manifest: Manifest, folder: Path) -> None:

    if _is_written(folder, manifest, store.measured):
        return
    files = write_dataset(store.tables, folder)
    manifest.as_finished(store.runs, store.rows, files, store.measured).write(folder)
